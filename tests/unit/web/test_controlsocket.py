"""The socket file: private, never stale, removed."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from gossamer.util.unixsocket import LONGEST_ADDRESS, address_of
from gossamer.web.controlsocket import ControlSocket


def reached(path: Path) -> bool:
    """Whether somebody listens there."""
    with socket.socket(socket.AF_UNIX) as client, address_of(path) as address:
        try:
            client.connect(address)
        except OSError:
            return False
    return True


def test_only_its_owner_can_open_it(tmp_path: Path):
    before = os.umask(0)
    try:
        control = ControlSocket(tmp_path / "control.sock")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "control.sock").stat().st_mode) == 0o600
    assert reached(control.path)
    control.close()
    assert not control.path.exists()


def test_the_umask_is_as_it_was(tmp_path: Path):
    before = os.umask(0o027)
    try:
        ControlSocket(tmp_path / "control.sock").close()
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


def test_a_socket_left_behind_does_not_block(tmp_path: Path):
    path = tmp_path / "control.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert path.exists() and not reached(path)
    control = ControlSocket(path)
    assert reached(path)
    control.close()


def test_a_file_that_is_no_socket_is_left_alone(tmp_path: Path):
    path = tmp_path / "control.sock"
    path.write_text("mine")
    with pytest.raises(OSError, match="in use"):
        ControlSocket(path)
    assert path.read_text() == "mine"


def test_a_deep_folder_has_one_too(tmp_path: Path):
    folder = tmp_path / ("d" * 100) / ("e" * 100)
    folder.mkdir(parents=True)
    path = folder / "control.sock"
    assert len(os.fsencode(path)) > LONGEST_ADDRESS
    control = ControlSocket(path)
    assert reached(path) and stat.S_IMODE(path.stat().st_mode) == 0o600
    control.close()
    assert not path.exists()


def test_another_process_keeps_the_socket_it_has_put_there(tmp_path: Path):
    path = tmp_path / "control.sock"
    first = ControlSocket(path)
    second = ControlSocket(path)
    first.close()
    assert reached(path)
    second.close()
    second.close()
    assert not path.exists()
