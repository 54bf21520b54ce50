from __future__ import annotations

import pytest

from gossamer.config import Credential, Login
from gossamer.control.remembering import accounts_of
from gossamer.fetch.auth import Account


def test_an_account_belongs_to_an_origin_and_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASS", "x")
    login = Login(credentials=(Credential(url="HTTPS://A.example:443/in", login="me", password="env:PASS", realm="r"),))
    assert accounts_of(login) == [Account("https://a.example", "/in", "me", "x", "r")]
