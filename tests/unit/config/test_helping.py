"""The first screen of `help()` on settings tells what can be set."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import pytest

import gossamer
from gossamer.config.helping import summary_of
from gossamer.config.record import fields_of
from gossamer.config.settings import GROUPS, CrawlConfig

KINDS: list[type[Any]] = [CrawlConfig, *GROUPS.values(), gossamer.Credential, gossamer.LoginForm]


def told(kind: type[Any]) -> str:
    """What `help` shows in front of methods."""
    return pydoc.plain(pydoc.render_doc(kind)).split("Method resolution order")[0]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_help_has_every_setting_with_its_default_and_its_text_before_any_method(kind: type[Any]) -> None:
    shown = told(kind)
    assert summary_of(kind).splitlines()[0] in shown
    for name, field in fields_of(kind).items():
        assert f"  {name} = " in shown or (field.is_required and f"  {name}\n" in shown)
    assert len(shown.splitlines()) < 90  # a signature takes a line for each setting from Python 3.13 on


def test_help_tells_units_and_writes_durations_and_sizes_as_people_do() -> None:
    assert 'max_retry_after = 21600.0    seconds, or text: "6h"' in told(gossamer.Politeness)
    assert 'max_body = 104857600    bytes, or text: "100 MiB"' in told(gossamer.Fetching)
    assert 'max_time = None    seconds, or text: "1h30m"' in told(gossamer.Limits)


def test_a_signature_is_names_and_defaults() -> None:
    assert str(inspect.signature(gossamer.Robots)).startswith("(*, obey=True, product_token='gossamer', ")
    assert "limits=Limits()" in str(inspect.signature(CrawlConfig))
    assert str(inspect.signature(gossamer.Credential)) == "(*, url, login, password, realm='')"
