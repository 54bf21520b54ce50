"""`gossamer status`: where a job is, in one look or again and again; also of a job that is not running.

A running job is asked; of another the store is read and its history of launches. Both say the same kind of thing.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gossamer.cli import options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.output import Output
from gossamer.errors import JobNotRunning, StateError, StorageError
from gossamer.util.terminal import printable

if TYPE_CHECKING:
    from gossamer.cli.foreground import View
    from gossamer.cli.glance import Glance
    from gossamer.frontier import FrontierCounts

WATCH_SECONDS = 1.0


def status(
    folder: options.Folder = Path(),
    is_watching: options.Watch = False,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Tell where a job is: its state, counts and rates."""
    output = Output(sys.stdout)
    if is_watching:
        return _watch(folder, output, is_json)
    try:
        answer = _ask(folder)
    except JobNotRunning as error:
        return _tell_resting(folder, output, is_json, str(error))
    if is_json:
        output.line(json.dumps(answer))
    else:
        output.line(printable(f"{answer['folder']}, launch {answer['launch']}, process {answer['pid']}"))
        glance = _glance(answer)
        head = f"{glance.elapsed} {glance.state}" + (f" ({glance.reason})" if glance.reason else "")
        output.line(printable(head))
        for cell in glance.cells:
            output.line(printable(f"  {cell.label.ljust(12)} {cell.value}"))
        toes = answer["statistics"]
        output.line(f"  {'toes'.ljust(12)} {toes['busy_toes']} of {toes['toes']} at work")
        if errors := toes["run"].get("hook_errors"):
            told = ", ".join(f"{count:,} in {hook}" for hook, count in errors.items())
            output.line(printable(f"  {'hook errors'.ljust(12)} {told}"))
    return ExitCode.FINISHED


def _ask(folder: Path) -> dict[str, Any]:
    from gossamer.cli.client import ControlClient

    client = ControlClient(folder)
    answer: dict[str, Any] = client.get("/")
    try:
        statistics = client.get("/statistics")
    except JobNotRunning:
        raise
    except StateError as error:  # it has closed everything, and is about to leave
        raise JobNotRunning(str(error)) from error
    return answer | {"is_running": True, "statistics": statistics}


def _glance(answer: dict[str, Any]) -> Glance:
    from gossamer.cli.glance import glance_at

    return glance_at(_progress(answer["statistics"]), answer["job"], None, (), time.time())


def _progress(told: dict[str, Any]) -> Any:
    """What `glance_at` looks at, as the job told it: a `Progress` would have to load the whole crawler."""
    state = SimpleNamespace(name=told["state"])
    counts, statistics = SimpleNamespace(**told["counts"]), SimpleNamespace(**told["run"])
    return SimpleNamespace(**told | {"state": state, "counts": counts, "statistics": statistics})


def _watch(folder: Path, output: Output, is_json: bool) -> int:
    """Show it until the job ends, or Ctrl-C."""
    answer = _ask(folder)
    view = None if is_json else _view(output)
    if view is not None:
        view.start()
    try:
        while True:
            if view is None:
                output.line(json.dumps(answer))
            else:
                view.show(_glance(answer))
            if output.is_lost:
                return ExitCode.FINISHED
            time.sleep(WATCH_SECONDS)
            answer = _ask(folder)
    except JobNotRunning:
        pass  # it has ended
    finally:
        if view is not None:
            view.close()
    return _tell_resting(folder, output, is_json, "")


def _view(output: Output) -> View:
    if output.is_terminal:
        from gossamer.cli.render import LiveView

        return LiveView(output)
    from gossamer.cli.plain import PlainView

    return PlainView(output)


def _tell_resting(folder: Path, output: Output, is_json: bool, absence: str) -> int:
    """The same of a job that is not running."""
    import msgspec

    from gossamer.cli.client import running_pid
    from gossamer.jobs import History, JobDirectory

    launches = History(JobDirectory(folder).reports).launches()
    last = launches[-1] if launches else None
    pid = running_pid(folder)
    counts = _stored_counts(folder, is_running=pid is not None)
    if is_json:
        told = {
            "is_running": pid is not None,
            "pid": pid,
            "folder": str(folder),
            "last_launch": msgspec.to_builtins(last),
            "statistics": {"counts": msgspec.to_builtins(counts)},
        }
        output.line(json.dumps(told))
        return ExitCode.FINISHED
    output.line(printable(absence if pid is not None and absence else f"{folder} is not running"))
    if last is not None:
        ended = f"{last.exit_status}: {last.reason}" if last.ended is not None else "killed, or the machine went down"
        output.line(printable(f"  {'last launch'.ljust(12)} {last.launch}" + (f", {ended}" if pid is None else "")))
    if counts is None:
        output.line("  nothing was crawled yet")
        return ExitCode.FINISHED
    for label in ("pages", "queued", "succeeded", "failed", "disregarded", "queues"):
        output.line(f"  {label.ljust(12)} {getattr(counts, label):,}")
    return ExitCode.FINISHED


def _stored_counts(folder: Path, *, is_running: bool) -> FrontierCounts | None:
    """What the store says; None if there is none, or if it is being made, or mended, by whoever runs at this moment."""
    from gossamer.cli.offline import open_offline
    from gossamer.jobs import JobDirectory

    if not JobDirectory(folder).has_state():
        return None
    try:
        with open_offline(folder) as frontier:
            return frontier.counts()
    except StorageError:
        if not is_running:
            raise
        return None
