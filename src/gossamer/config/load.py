"""`gossamer.toml` -> CrawlConfig, or one ConfigError that names every mistake with file, line and key.

A group of settings is a table (`[politeness]`), a setting a key in it; durations and sizes may be texts with units.
What the file does not say keeps its default. Unknown keys are mistakes, answered with the nearest known one: a misspelt
limit must not become no limit. The job's folder is the one that the file lies in. A program that reads no file does not
load what reads TOML.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from gossamer.config.problems import InvalidSettings, Problem, not_a_setting
from gossamer.config.record import fields_of
from gossamer.config.settings import FLAT_NAMES, GROUPS, CrawlConfig
from gossamer.errors import ConfigError

FILE_NAME = "gossamer.toml"

_POSITION = r" \(at (?:line (\d+), column (\d+)|end of document)\)"


def load(path: Path) -> CrawlConfig:
    """The configuration of the job whose `gossamer.toml` is at `path`. Raises ConfigError."""
    try:
        raw = path.read_bytes()
    except OSError as exc:
        raise ConfigError(f"{path}: cannot be read: {exc.strerror or exc}") from exc
    return parse_settings(raw, str(path)).replace(folder=path.parent)


def parse_settings(raw: bytes, name: str = FILE_NAME) -> CrawlConfig:
    """The configuration in the bytes of a file that messages call `name`. Raises ConfigError."""
    text = _decode(raw, name)
    document = _read_toml(text, name)
    try:
        return _config(document)
    except InvalidSettings as exc:
        from gossamer.config.lines import key_lines, line_of

        lines = key_lines(text)
        found = sorted((line_of(problem.path, lines), str(problem)) for problem in exc.problems)
        raise ConfigError("\n".join(f"{name}:{line}: {sentence}" for line, sentence in found)) from exc


def _decode(raw: bytes, name: str) -> str:
    try:
        # utf-8-sig: some editors put a byte order mark in front. TOML knows "\r\n" and "\n" as ends of lines.
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as exc:
        line = raw.count(b"\n", 0, exc.start) + 1
        raise ConfigError(f"{name}:{line}: not UTF-8 text (byte 0x{raw[exc.start]:02x})") from exc


def _read_toml(text: str, name: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError as exc:
        raise ConfigError(f"{name}: not usable TOML: nested too deeply") from exc
    except ValueError as exc:  # TOMLDecodeError is one; so is what int() says to a number of 5,000 digits
        position = re.search(_POSITION, str(exc))
        reason = re.sub(_POSITION, "", str(exc))
        if position is None or position[1] is None:
            where = f":{text.count(chr(10)) + 1}" if position else ""
            raise ConfigError(f"{name}{where}: not valid TOML: {reason}") from exc
        raise ConfigError(f"{name}:{position[1]}: not valid TOML: {reason} (column {position[2]})") from exc


def _config(document: dict[str, Any]) -> CrawlConfig:
    settings: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in document.items():
        if name not in GROUPS:
            if (sentence := _not_here(name)) is not None:
                problems.append(Problem((name,), sentence))
            else:
                settings[name] = value
        elif not isinstance(value, dict):
            problems.append(Problem((name,), f"is a group: write [{name}] and its settings below it"))
        else:
            try:
                settings[name] = GROUPS[name](**value)
            except InvalidSettings as exc:
                problems += exc.problems
    try:
        config = CrawlConfig(**settings)
    except InvalidSettings as exc:
        problems += exc.problems
    if problems:
        raise InvalidSettings(problems)
    return config


def _not_here(name: str) -> str | None:
    """What to say of a key outside any table that is no setting of the whole crawl; None if it is one."""
    if name == "folder":
        return "is not set here: the job's folder is the one that this file lies in"
    if name in fields_of(CrawlConfig):
        return None
    homes = [FLAT_NAMES[name]] if name in FLAT_NAMES else []
    homes += [(group, name) for group, kind in GROUPS.items() if name in fields_of(kind)]
    if homes:
        return f"belongs to a group: write {homes[0][1]} = … below [{homes[0][0]}]"
    return not_a_setting(name, [*fields_of(CrawlConfig)])
