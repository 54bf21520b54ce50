"""A PostgreSQL of one's own, in a temporary folder, on a Unix socket there; if PostgreSQL is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _tools() -> Path | None:
    """The folder with the server's programs."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return next((path.parent for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)), None)


def _someone() -> str | None:
    """PostgreSQL refuses to run as root: then somebody else's name, if there is somebody."""
    if os.geteuid() != 0:
        return None
    names = {user.pw_name for user in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), "")


@contextmanager
def database() -> Iterator[str]:
    """A connection string; skips the test where there is no server that could be started."""
    tools, user = _tools(), _someone()
    if tools is None or user == "":
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="gossamer-pg-"))
    try:
        if user:
            shutil.chown(folder, user)

        def run(*command: str | Path) -> None:
            subprocess.run(command, user=user, cwd=folder, check=True, capture_output=True, env={"LC_ALL": "C"})

        data = folder / "data"
        run(tools / "initdb", "--auth=trust", "--username=crawler", "--no-sync", "--encoding=UTF8", "-D", data)
        listening = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        run(tools / "pg_ctl", "start", "--wait", "-D", data, "-l", folder / "log", "-o", listening)
        try:
            yield f"host={folder} user=crawler dbname=postgres"
        finally:
            run(tools / "pg_ctl", "stop", "--wait", "--mode=immediate", "-D", data)
    finally:
        shutil.rmtree(folder)
