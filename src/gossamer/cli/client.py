"""The other end of the control API: one command talks to the process that runs a job, over `control.sock`.

HTTP from the standard library on a Unix socket. What the job refuses, and why nobody answers, come out as Gossamer's
own errors, so that every command tells them alike.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import pwd
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from gossamer.errors import ConfigError, GossamerError, JobNotRunning, StateError
from gossamer.util.program import program
from gossamer.util.unixsocket import address_of

SOCKET = "control.sock"
PATIENCE_SECONDS = 600.0
"""A checkpoint of a large store is read for its digests before it is answered."""


class ControlClient:
    """Asks the process that runs the job in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, path: str, **query: object) -> Any:
        """What a view says, as JSON's values. Raises JobNotRunning, ConfigError, StateError, GossamerError."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._ask("GET", f"{path}?{urlencode(given, errors='replace')}" if given else path, None)

    def post(self, path: str, body: object = None) -> Any:
        """What came of an order; raises as `get`."""
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: object) -> Any:
        connection = _Connection(self._folder / SOCKET)
        try:
            self._connect(connection)
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            status, raw = response.status, response.read()
        except (http.client.HTTPException, ConnectionError) as error:
            raise JobNotRunning(f"the crawl in {self._folder} ended before it answered") from error
        except TimeoutError as error:
            raise GossamerError(f"the crawl in {self._folder} does not answer") from error
        finally:
            connection.close()
        answer = json.loads(raw)
        if status != 200:
            raise _error_of(status, answer)
        return answer

    def _connect(self, connection: _Connection) -> None:
        try:
            connection.connect()
        except (FileNotFoundError, NotADirectoryError, ConnectionRefusedError):
            raise _absence_of(self._folder) from None
        except PermissionError as error:
            raise GossamerError(
                f"{self._folder} belongs to {_owner_of(self._folder)}; only its owner can command the job"
            ) from error
        except OSError as error:
            raise GossamerError(f"{self._folder / SOCKET}: {error.strerror or error}") from error


class _Connection(http.client.HTTPConnection):
    """HTTP to a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=PATIENCE_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        with address_of(self._path) as address:
            self.sock.connect(address)


def _error_of(status: int, answer: Any) -> GossamerError:
    message = str(answer.get("error", "")) or f"the job answered {status}"
    possible = [str(action) for action in answer.get("allowed", ())]
    if status == 409:
        return StateError(f"{message}\nPossible now: {', '.join(possible) or 'nothing'}", allowed=possible)
    return ConfigError(message) if status in (400, 404, 413, 422) else GossamerError(message)


def _absence_of(folder: Path) -> GossamerError:
    """Why nobody listens there."""
    check_is_job(folder)
    pid = running_pid(folder)
    if pid is not None:
        return JobNotRunning(
            f"{folder} is in use by process {pid}, which takes no orders (yet): it is starting or ending"
        )
    return JobNotRunning(f"{folder} is not running; `{program()} run {folder}` goes on with it")


def check_is_job(folder: Path) -> None:
    """Raise ConfigError if there is no job in a folder."""
    from gossamer.jobs import JobDirectory

    try:
        if not folder.is_dir():
            raise ConfigError(f"there is no folder {folder}")
        if not JobDirectory(folder).is_job():
            raise ConfigError(f"{folder} is not a job folder; name one, or stand in one")
    except PermissionError as error:
        raise GossamerError(f"{folder} belongs to {_owner_of(folder)}; it cannot be looked into") from error


def running_pid(folder: Path) -> int | None:
    """The process that holds a job's lock; 0 if it cannot be told which; None if there is none."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        text = os.pread(descriptor, 32, 0).strip()
        return int(text) if text.isdigit() else 0
    finally:
        os.close(descriptor)
    return None


def wait_until_free(folder: Path) -> None:
    """Wait until nobody holds the lock of a job: its process has closed everything."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _owner_of(folder: Path) -> str:
    try:
        uid = folder.stat().st_uid
    except OSError:
        return "another user"
    try:
        return f"the user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"the user {uid}"
