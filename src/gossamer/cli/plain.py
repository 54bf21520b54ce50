"""Progress where nobody can redraw: a line at each change of state and every ten seconds, without escapes; or none."""

from __future__ import annotations

from gossamer.cli.glance import Glance
from gossamer.cli.output import Output
from gossamer.util.terminal import printable


class PlainView:
    """Lines, for a pipe or a file."""

    refresh_seconds = 10.0

    def __init__(self, output: Output) -> None:
        self._output = output

    def start(self) -> None:
        """Nothing has to be prepared."""

    def show(self, glance: Glance) -> None:
        """Write one look at the crawl."""
        self._output.line(printable(glance.as_line()))

    def announce(self, text: str, glance: Glance | None) -> None:
        """Write that a state was entered."""
        self._output.line(printable(text))

    def close(self) -> None:
        """Nothing has to be given back."""


class SilentView:
    """Nothing, for `--quiet`."""

    refresh_seconds = 3600.0

    def start(self) -> None:
        """Nothing."""

    def show(self, glance: Glance) -> None:
        """Nothing."""

    def announce(self, text: str, glance: Glance | None) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""
