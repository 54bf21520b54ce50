"""CrawlConfig -> the text of a `gossamer.toml`, commented, that reads back as the same configuration.

Only what differs from the defaults is set; with `full` the rest stands there, too, as comments, so that the file is
its own manual. The folder is not written: it is where the file lies. Passwords are: such a file is its owner's only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from gossamer.config.docstrings import field_texts
from gossamer.config.helping import summary_of
from gossamer.config.record import Field, fields_of, given_in
from gossamer.config.secrets import SecretText
from gossamer.config.settings import GROUPS, CrawlConfig, Entry, Group
from gossamer.config.values import Unit, unit_of
from gossamer.util.sizes import format_duration, format_size

_WIDTH = 100
_LINE = rf"(\S{{{_WIDTH},}}|.{{1,{_WIDTH - 2}}})(?: |$)"
"""As many words as there is room for. textwrap, which can do more, takes as long as all the rest of the file."""
_FULL_HEAD = "# The settings of this crawl. One that begins with # is at its default: take the # away to change it."
_SHORT_HEAD = "# The settings of this crawl; what does not stand here is at its default."


def render(config: CrawlConfig, *, full: bool = False) -> str:
    """The text of a `gossamer.toml` for `config`."""
    blocks = [_FULL_HEAD if full else _SHORT_HEAD]
    blocks += _settings(config, full=full)
    for name in GROUPS:
        group: Group = getattr(config, name)
        settings = list(_settings(group, full=full))
        if settings:
            about = _comment(summary_of(type(group))) if full else ""
            blocks.append(f"{about}[{name}]\n" + ("\n" if full else "") + ("\n\n" if full else "\n").join(settings))
    return "\n\n".join(blocks) + "\n"


def _settings(group: Group, *, full: bool) -> Iterator[str]:
    """One block per setting of one group: what it means, and its value."""
    texts = field_texts(type(group)) if full else {}
    for name, field in fields_of(group).items():
        if name in GROUPS or name == "folder":
            continue
        value = getattr(group, name)
        is_default = value == field.default
        if is_default and not full:
            continue
        about = _comment(texts.get(name, ""))
        # A setting without a value is the default of every setting that may have none.
        yield about + (f"# {name} =" if value is None else f"{'# ' if is_default else ''}{name} = {toml(field, value)}")


def _comment(text: str) -> str:
    words = " ".join(text.split())
    return "".join(f"# {line}\n" for line in re.findall(_LINE, words))


def toml(field: Field, value: object) -> str:
    """The value of a setting as TOML, durations and sizes with their units."""
    return _toml(value, _WITH_UNIT.get(unit_of(field.annotation)))


_WITH_UNIT: dict[Unit | None, Callable[[Any], str]] = {
    Unit.DURATION: lambda seconds: f'"{format_duration(seconds, exact=True)}"',
    Unit.SIZE: lambda count: f'"{format_size(count, exact=True)}"',
}


def _toml(value: object, number: Callable[[Any], str] | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value) if number else repr(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(item, number) for item in value) + "]"
    if isinstance(value, SecretText):
        return _quoted(value.reveal())
    if isinstance(value, Entry):
        value = {name: part for name, part in given_in(value).items() if part is not None}
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(name)} = {_toml(part, number)}" for name, part in value.items()) + "}"
    return _quoted(str(value))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    """A basic string (TOML 1.0.0, String): quotes, backslashes and controls escaped."""
    return '"' + re.sub(r'[\x00-\x1f\x7f"\\]', lambda match: f"\\u{ord(match[0]):04x}", text) + '"'
