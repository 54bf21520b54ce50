from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config import CrawlConfig, Fetching, Limits, Politeness, Scope, load, parse_settings
from gossamer.errors import ConfigError


def _messages(text: str | bytes) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_settings(text if isinstance(text, bytes) else text.encode(), "job.toml")
    return str(caught.value).splitlines()


def test_a_file_gives_groups_with_units_and_the_folder_it_lies_in(tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    file.write_text("""
        toes = 20
        [limits]
        max_pages = 10_000
        max_bytes = "1 GiB"
        [politeness]
        delay = "2s"
        host_schedule = ["1 min", 120]
        [fetching.headers]
        X-Purpose = "archive"
        [scope]
        exclude = ['\\.zip$']
    """)
    assert load(file) == CrawlConfig(
        folder=tmp_path,
        toes=20,
        limits=Limits(max_pages=10_000, max_bytes=1024**3),
        politeness=Politeness(delay=2.0, host_schedule=(60.0, 120.0)),
        fetching=Fetching(headers=(("X-Purpose", "archive"),)),
        scope=Scope(exclude=(r"\.zip$",)),
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "\ufeff", "[limits]\n"])
def test_what_a_file_does_not_say_is_at_its_default(text: str) -> None:
    assert parse_settings(text.encode()) == CrawlConfig()


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    assert parse_settings(b"\xef\xbb\xbftoes = 3\r\n[scope]\r\nkind = 'any'\r\n") == CrawlConfig(toes=3, scope="any")


def test_every_mistake_is_named_with_its_file_and_line_in_order() -> None:
    assert _messages("""\
toes = 0

[limits]
max_pages = 3
max_tme = 3
delay = 3
[politness]
[fetching.headers]
Host = '3'
[scope]
include = [
  'a',
  '(',
]
""") == [
        "job.toml:1: toes must be at least 1, not 0",
        "job.toml:5: limits.max_tme is not a setting; did you mean max_time?",
        "job.toml:6: limits.delay is not a setting; politeness.delay is",
        "job.toml:7: politness is not a setting; did you mean politeness?",
        "job.toml:8: fetching.headers must not contain Host: Gossamer sets it itself",
        "job.toml:11: scope.include must be a regular expression, which '(' is not: missing ), unterminated subpattern at position 0",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_pages = 3", "job.toml:1: max_pages belongs to a group: write max_pages = … below [limits]"),
        ("obey_robots = true", "job.toml:1: obey_robots belongs to a group: write obey = … below [robots]"),
        ("max_time = 3", "job.toml:1: max_time belongs to a group: write max_time = … below [limits]"),
        ("\nscope = 'host'", "job.toml:2: scope is a group: write [scope] and its settings below it"),
        ("[[limits]]", "job.toml:1: limits is a group: write [limits] and its settings below it"),
        ("folder = 'x'", "job.toml:1: folder is not set here: the job's folder is the one that this file lies in"),
        ("[limits]\nself = 1", "job.toml:2: limits.self is not a setting"),
        ("[limits]\nmax_time = 1979-05-27", "job.toml:2: limits.max_time must be a number, not datetime.date(1979, 5, 27)"),
        ("[politeness]\ndelay = nan", "job.toml:2: politeness.delay must be a finite number, not nan"),
        ('[limits]\n"max\\u001bpages" = 1', "job.toml:2: limits.max\\x1bpages is not a setting; did you mean max_pages?"),
    ],
)  # fmt: skip
def test_a_setting_in_the_wrong_place_is_shown_the_right_one(text: str, message: str) -> None:
    assert _messages(text) == [message]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("toes = 1\ntoes = ", "job.toml:2: not valid TOML: "),
        ("toes = 1\n\nlist = [1,\n", "job.toml:4: not valid TOML: "),
        ("toes = 1\ntoes = 2\n", "job.toml:2: not valid TOML: Cannot overwrite a value"),
        (b"toes = 1\n# \xff", "job.toml:2: not UTF-8 text (byte 0xff)"),
        ("x = " + "[" * 10_000, "job.toml: not usable TOML: nested too deeply"),
        ("x = " + "1" * 10_000, "job.toml: not valid TOML: "),
        ("x = \x00", "job.toml:1: not valid TOML: "),
    ],
)
def test_what_is_not_toml_is_named_with_its_line(text: str | bytes, start: str) -> None:
    (message,) = _messages(text)
    assert message.startswith(start)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml: cannot be read: No such file or directory"):
        load(tmp_path / "absent.toml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(tmp_path)


@given(st.binary(max_size=60) | st.text(st.sampled_from("ab=[]{}\"'\\#\n.,1- "), max_size=60).map(str.encode))
def test_no_bytes_make_it_fail_in_another_way(raw: bytes) -> None:
    try:
        parse_settings(raw)
    except ConfigError as error:
        assert str(error).startswith("gossamer.toml")
