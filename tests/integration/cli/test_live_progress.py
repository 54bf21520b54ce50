"""What a person sees: the program in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator

import pyte
import pytest

from gossamer.demosite import DemoThread

from .program import FAST, PATIENCE_SECONDS, Gossamer


class Session:
    """One command in a terminal of its own."""

    def __init__(self, gossamer: Gossamer, columns: int, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.modes_before = termios.tcgetattr(slave)
        self._slave = slave
        self._screen = pyte.Screen(columns, 24)
        self._feed = pyte.ByteStream(self._screen)
        self.raw = b""
        self.process = subprocess.Popen(
            gossamer.command(*arguments),
            cwd=gossamer.folder,
            env=gossamer.environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )

    def wait_for(self, text: str) -> str:
        """Read until a text is on the screen; the whole screen."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self.screen:
            assert time.monotonic() < deadline, f"never saw {text!r}, but\n{self.screen}"
            self._read()
        return self.screen

    def wait(self) -> int:
        """Read until the command ends; its exit code."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it did not end:\n{self.screen}"
            self._read()
        while self._read():
            pass
        return self.process.returncode

    def _read(self) -> bool:
        if not select.select([self._master], [], [], 0.05)[0]:
            return False
        piece = os.read(self._master, 65536)
        self.raw += piece
        self._feed.feed(piece)
        return bool(piece)

    @property
    def screen(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    @property
    def is_terminal_as_before(self) -> bool:
        """Modes, cursor and screen are as they were found."""
        is_same = termios.tcgetattr(self._slave) == self.modes_before
        return is_same and not self._screen.cursor.hidden and b"\x1b[?1049h" not in self.raw

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._slave)
        os.close(self._master)


@pytest.fixture
def sessions(gossamer: Gossamer) -> Iterator[list[Session]]:
    opened: list[Session] = []
    yield opened
    for session in opened:
        session.close()


SLOWLY = ("--delay", "1h", "--set", "politeness.max_delay=1h")


def test_progress_is_drawn_in_place_and_gives_way_to_the_summary(
    gossamer: Gossamer, site: DemoThread, sessions: list[Session]
):
    session = Session(gossamer, 80, "crawl", site.seeds[0], "--delay", "150ms", "--set", "politeness.delay_factor=0")
    sessions.append(session)
    during = session.wait_for("in process")
    assert "RUNNING" in during and during.count("queued") == 1
    assert session.wait() == 0
    after = session.screen
    assert "Everything in scope was fetched" in after
    assert "in process" not in after
    assert session.is_terminal_as_before


def test_it_says_which_host_waits_and_why(gossamer: Gossamer, site: DemoThread, sessions: list[Session]):
    session = Session(gossamer, 100, "crawl", site.seeds[0], *SLOWLY)
    sessions.append(session)
    assert f"waiting     {site.site.authorities[0]} " in session.wait_for("(The host rests between two requests")


def test_a_warning_appears_above_and_a_pause_says_why(gossamer: Gossamer, site: DemoThread, sessions: list[Session]):
    session = Session(gossamer, 100, "crawl", site.seeds[0], *FAST, "--set", "limits.min_free_space='1 PiB'")
    sessions.append(session)
    lines = session.wait_for("PAUSED (disk)").split("\n")
    warning = next(number for number, line in enumerate(lines) if "gossamer: warning: paused: only" in line)
    state = next(number for number, line in enumerate(lines) if line.startswith("PAUSED (disk)"))
    assert warning < state
    assert sum("PAUSED" in line for line in lines) == 1


def test_interrupted_it_leaves_the_terminal_as_it_was(gossamer: Gossamer, site: DemoThread, sessions: list[Session]):
    session = Session(gossamer, 80, "crawl", site.seeds[0], *SLOWLY)
    sessions.append(session)
    session.wait_for("in process")
    session.process.send_signal(signal.SIGINT)
    assert session.wait() == 130
    assert "To go on: gossamer crawl --job" in session.screen
    assert session.is_terminal_as_before


def test_even_killed_it_leaves_the_cursor_in_sight(gossamer: Gossamer, site: DemoThread, sessions: list[Session]):
    session = Session(gossamer, 80, "crawl", site.seeds[0], *SLOWLY)
    sessions.append(session)
    session.wait_for("in process")
    session.process.kill()
    session.wait()
    assert session.is_terminal_as_before


def test_a_narrow_terminal_is_not_overrun(gossamer: Gossamer, site: DemoThread, sessions: list[Session]):
    session = Session(gossamer, 30, "crawl", site.seeds[0], *SLOWLY)
    sessions.append(session)
    lines = session.wait_for("in process").split("\n")
    assert [line.split(" ")[0] for line in lines[:4]] == ["RUNNING", "pages", "queued", "in"]


def test_a_failure_before_the_crawl_shows_no_progress(gossamer: Gossamer, sessions: list[Session]):
    session = Session(gossamer, 80, "crawl", "ftp://a.example/", *FAST)
    sessions.append(session)
    assert session.wait() == 2
    assert "none of the seeds can be used" in session.screen
    assert session.is_terminal_as_before
