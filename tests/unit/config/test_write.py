from __future__ import annotations

import tomllib
import typing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config import CrawlConfig, Credential, Fetching, Limits, LoginForm, Scope, load, parse_settings, render
from gossamer.config.docstrings import field_texts
from gossamer.config.record import fields_of
from gossamer.config.secrets import SecretText
from gossamer.config.settings import GROUPS, Group
from gossamer.config.values import Unit, unit_of

_patterns = st.sampled_from([r"\.zip$", "a\"b'c", r"^https?://[^/]+/\d+", "naïve", "\\\\", "#", "日本"])
# What some settings accept beyond what their type says; every other setting is drawn from its type alone.
_SPECIAL: dict[str, st.SearchStrategy[Any]] = {
    "fetching.user_agent": st.sampled_from(["", "bot/1.0 (+https://example.org/)", 'quo"ted\\ bot', "bär"]),
    "fetching.contact": st.sampled_from(["", "me@example.org", "https://example.org/bot"]),
    "fetching.headers": st.just((("X-A", "b"), ("X-A", 'c"\\'))),
    "fetching.accept_encoding": st.sampled_from(["", "gzip, br"]),
    "fetching.allow_private": st.just(("localhost:80", "10.0.0.0/8")),
    "dns.nameservers": st.just(("9.9.9.9", "[::1]:53")),
    "robots.product_token": st.sampled_from(["mybot", "My_Bot-x"]),
    "robots.cache": st.floats(min_value=1, max_value=86400),
    "robots.max_size": st.integers(512_000, 2**40),
    "robots.max_redirects": st.integers(0, 20),
    "scope.include": st.lists(_patterns, max_size=3).map(tuple),
    "scope.exclude": st.lists(_patterns, max_size=3).map(tuple),
    "scope.public_suffixes": st.sampled_from([None, Path("my list.dat")]),
    "fetching.proxy": st.sampled_from([None, SecretText("http://me:s%40cret@proxy.example:3128")]),
    "fetching.no_proxy": st.just((".example.org", "10.0.0.0/8", "*")),
    "dns.hosts": st.just((("a.example", ("192.0.2.1", "::1")),)),
    "extraction.visit_types": st.just(("image/*", "text/html")),
    "cookies.load": st.sampled_from([None, Path("/a/cookies.txt")]),
    "cookies.save": st.sampled_from([None, Path("cookies.txt")]),
    "login.credentials": st.just((Credential(url="https://a.example/x", login="me", password=SecretText('p"\\ä')),)),
    "login.forms": st.just(
        (
            LoginForm(
                page="https://a.example/login",
                fields={"user name": SecretText("me"), "pass": SecretText("env:PASS")},
                applies_to=("https://b.example/",),
            ),
        )
    ),
    "warc.prefix": st.just("A.b-C_1"),
    "warc.operator": st.sampled_from(["", "Ünïversity 'of' \"x\""]),
    "warc.description": st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20),
    "warc.level": st.integers(0, 3),
    "warc.pool_size": st.integers(1, 16),
}


def _strategy(kind: type[Group], name: str) -> st.SearchStrategy[Any]:
    full = f"{kind.__name__.lower()}.{name}"
    if full in _SPECIAL:
        return _SPECIAL[full]
    field = fields_of(kind)[name]
    unit, annotation = unit_of(field.annotation), field.annotation
    if annotation is bool:
        return st.booleans()
    if typing.get_origin(annotation) is typing.Literal:
        return st.sampled_from(typing.get_args(annotation))
    if isinstance(field.default, tuple) or "tuple" in str(annotation):
        return st.lists(st.floats(min_value=0, max_value=1e8), max_size=4).map(tuple)
    if unit is Unit.SIZE:
        return st.integers(1024, 2**62)
    if annotation is float or unit is Unit.DURATION:
        return st.floats(min_value=0.001, max_value=3e9)
    return st.integers(64, 200)


def _is_accepted(kind: type[Group], values: dict[str, Any]) -> bool:
    try:
        kind(**values)
    except Exception:
        return False
    return True


@st.composite
def _configs(draw: st.DrawFn) -> CrawlConfig:
    settings: dict[str, Any] = {"toes": draw(st.integers(1, 10_000))}
    for group, kind in GROUPS.items():
        names = draw(st.lists(st.sampled_from(sorted(fields_of(kind))), unique=True, max_size=4))
        values = {name: draw(_strategy(kind, name)) for name in names}
        # Bounds of single settings and rules between two of them are theirs to check, not this strategy's.
        settings[group] = kind(**values) if _is_accepted(kind, values) else kind()
    return CrawlConfig(**settings)


@given(_configs(), st.booleans())
def test_what_is_written_reads_back_as_the_same_configuration(config: CrawlConfig, full: bool) -> None:
    assert parse_settings(render(config, full=full).encode()) == config


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, kind in GROUPS.items() for name in fields_of(kind)]
)
def test_each_setting_survives_being_written(group: str, name: str) -> None:
    kind = GROUPS[group]
    field = fields_of(kind)[name]
    candidates = [
        *typing.get_args(field.annotation), not field.default, "mybot", "me@example.org", "any", "strict", "gzip", ("a.b:80",), ("9.9.9.9",), ("a",),
        (("X", "y"),), (1.0, 2.5), 1.5, 600_000.5, 400.5, 2, 3, 99, 600_000,
        "fail", "python", "socks5://a:1", (("a.b", ("192.0.2.1",)),), ("a/b",),
        ({"url": "http://a/", "login": "x", "password": "y"},), ({"page": "http://a/", "fields": {"x": "y"}},),
    ]  # fmt: skip
    value = next(v for v in candidates if v != field.default and _is_accepted(kind, {name: v}))
    config = CrawlConfig(**{group: kind(**{name: value})})  # type: ignore[misc]
    text = render(config)
    assert tomllib.loads(text)[group].keys() == {name}
    assert parse_settings(text.encode()) == config


def test_only_what_differs_from_the_defaults_is_written() -> None:
    text = render(CrawlConfig(folder="x", delay=0.5, limits=Limits(max_bytes=3 * 1024**3)))
    assert tomllib.loads(text) == {"politeness": {"delay": "500ms"}, "limits": {"max_bytes": "3 GiB"}}
    assert tomllib.loads(render(CrawlConfig())) == {}


def test_the_full_text_shows_every_setting_with_its_meaning() -> None:
    text = render(CrawlConfig(toes=3), full=True)
    assert tomllib.loads(text) == {"toes": 3} | {name: {} for name in GROUPS}
    for group, kind in GROUPS.items():
        assert f"[{group}]" in text
        for name in fields_of(kind):
            assert f"\n# {name} =" in text
            assert field_texts(kind)[name].split()[0] in text


def test_taking_the_comment_signs_away_changes_nothing_but_shows_the_defaults() -> None:
    lines = [
        line.removeprefix("# ")
        for line in render(CrawlConfig(), full=True).splitlines()
        if line.startswith("[") or (line.startswith("# ") and line.split(" ")[2:3] == ["="] and not line.endswith("="))
    ]
    document = tomllib.loads("\n".join(lines))
    assert len(document["politeness"]) == len(fields_of(GROUPS["politeness"])) - 1
    assert parse_settings("\n".join(lines).encode()) == CrawlConfig()


def test_no_text_can_break_out_of_its_string() -> None:
    text = 'a"]\\ # \x7f'
    config = CrawlConfig(scope=Scope(include=('a"]\\\\ # ',)), fetching=Fetching(user_agent='x"y\\'))
    assert parse_settings(render(config).encode()) == config
    assert text.strip()


def test_a_written_file_is_loaded_with_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "gossamer.toml"
    config = CrawlConfig(folder=tmp_path, max_depth=2)
    file.write_text(render(config, full=True))
    assert load(file) == config
