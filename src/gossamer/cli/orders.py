"""Commands that order something of a running job: pause, resume, checkpoint, terminate, toes, set, add.

Each is one request to the job's process; what it answers is told in a line, or whole with `--json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from gossamer.cli import options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.output import Output
from gossamer.errors import ConfigError
from gossamer.util.terminal import printable

PAUSE_SECONDS = 60.0
"""So long a `pause` waits until nothing is in flight any more."""


def pause(
    folder: options.Folder = Path(),
    is_at_once: options.NoWait = False,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Let a running crawl finish what is in flight and take nothing new."""
    answer = _post(folder, "/pause", {"wait_seconds": 0.0 if is_at_once else PAUSE_SECONDS})
    return _tell(answer, is_json, f"{answer['state']}: {answer['meaning']}")


def resume(folder: options.Folder = Path(), is_json: options.Json = False, is_debug: options.Debug = False) -> int:
    """Let a paused crawl go on."""
    answer = _post(folder, "/resume")
    why = f" It is still held: {', '.join(answer['pause_reasons'])}." if answer["pause_reasons"] else ""
    return _tell(answer, is_json, f"{answer['state']}: {answer['meaning']}{why}")


def terminate(
    folder: options.Folder = Path(),
    is_at_once: options.NoWait = False,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Let a running crawl finish what is in flight, save, and end; a second time, end at once."""
    from gossamer.cli.client import wait_until_free

    answer = _post(folder, "/terminate")
    if is_at_once:
        return _tell(answer, is_json, f"{answer['state']}: {answer['meaning']}")
    wait_until_free(folder)
    return _tell(answer | {"state": "FINISHED", "allowed": []}, is_json, f"{folder} has ended; it can be gone on with")


def checkpoint(
    arguments: options.NamePlace = None,
    is_list: options.ListCheckpoints = False,
    removed: options.RemoveCheckpoint = None,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Take a checkpoint of a running crawl, to which `run --checkpoint` can go back."""
    from gossamer.cli.places import split_place

    folder, names = split_place(arguments, at_most=0 if is_list or removed else 1)
    if is_list or removed:
        from gossamer.cli import checkpoints

        return checkpoints.remove(folder, removed, is_json) if removed else checkpoints.show(folder, is_json)
    answer = _post(folder, "/checkpoint", {"name": names[0] if names else None})
    stalled = answer["stall_seconds"]
    return _tell(answer, is_json, f"{answer['name']} taken; the crawl stood still for {stalled:.2f} s")


def toes(arguments: options.CountPlace = None, is_json: options.Json = False, is_debug: options.Debug = False) -> int:
    """Show what each toe of a running crawl does, or have so many toes."""
    from gossamer.cli.client import ControlClient
    from gossamer.cli.places import split_place
    from gossamer.cli.tables import toes_table

    folder, counts = split_place(arguments, at_most=1)
    if not counts:
        answer = ControlClient(folder).get("/toes")
        if is_json:
            return _tell(answer, is_json, "")
        output = Output(sys.stdout)
        output.line(toes_table(answer).to_text(output))
        return ExitCode.FINISHED
    if not counts[0].isdecimal():
        raise ConfigError(f"{counts[0]!r} is no number of toes, and no folder")
    answer = _post(folder, "/toes", {"size": int(counts[0])})
    return _tell(answer, is_json, f"{answer['size']} toes")


def set_(
    arguments: options.SettingsPlace = None, is_json: options.Json = False, is_debug: options.Debug = False
) -> int:
    """Change settings of a running crawl, and of the job for later runs."""
    from gossamer.cli.client import ControlClient
    from gossamer.cli.places import split_place
    from gossamer.cli.values import converter, parse_setting

    folder, texts = split_place(arguments)
    changes = dict(converter(parse_setting)(text) for text in texts)
    if not changes:
        return _show_changeable(ControlClient(folder).get("/settings"), is_json)
    answer = _post(folder, "/settings", {"settings": changes})
    return _tell(answer, is_json, "\n".join(f"{name} = {_value(answer, name)}" for name in changes))


def _show_changeable(answer: Any, is_json: bool) -> int:
    return _tell(answer, is_json, "\n".join(f"{name} = {_value(answer, name)}" for name in answer["changeable"]))


def _value(answer: Any, name: str) -> str:
    """A setting in an answer by its name, dotted or flat, as JSON, or `none`."""
    value: Any = answer["settings"]
    full = next((one for one in answer["changeable"] if one == name or one.endswith(f".{name}")), name)
    for part in full.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return "none" if value is None else json.dumps(value)


def add(
    arguments: options.UrlsPlace,
    seeds: options.AddedSeeds = None,
    as_seeds: options.AsSeeds = False,
    is_forced: options.Force = False,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Give URLs to a running crawl: as links that its scope judges, or as seeds that widen it."""
    from gossamer.cli.places import split_place

    folder, urls = split_place(arguments)
    if seeds is not None:
        urls += _lines_of(seeds)
    if not urls:
        raise ConfigError("name a URL to add")
    told: dict[str, Any] = {"added": 0, "known": 0, "refused": {}, "invalid": 0, "reasons": []}
    for start in range(0, len(urls), _BATCH):
        order = {"urls": urls[start : start + _BATCH], "as_seeds": as_seeds, "force": is_forced}
        _sum_up(told, _post(folder, "/uris", order))
    words = [f"{told['added']:,} added", f"{told['known']:,} known already"]
    words += [f"{count:,} refused by {rule}" for rule, count in told["refused"].items()]
    lines = [", ".join(words), *(f"not a URL: {text!r}: {why}" for text, why in told["reasons"])]
    code = _tell(told, is_json, "\n".join(printable(line) for line in lines))
    return ExitCode.USAGE if told["invalid"] else code


_BATCH = 1000


def _lines_of(file: str) -> list[str]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the URLs in {file} cannot be read: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _sum_up(told: dict[str, Any], answer: dict[str, Any]) -> None:
    for name in ("added", "known", "invalid", "reasons"):
        told[name] = told[name] + answer[name]
    for rule, count in answer["refused"].items():
        told["refused"][rule] = told["refused"].get(rule, 0) + count


def _post(folder: Path, path: str, body: object = None) -> Any:
    from gossamer.cli.client import ControlClient

    return ControlClient(folder).post(path, body)


def _tell(answer: Any, is_json: bool, text: str) -> int:
    output = Output(sys.stdout)
    if is_json:
        output.line(json.dumps(answer))
    else:
        for line in text.splitlines():
            output.line(printable(line))
    return ExitCode.FINISHED
