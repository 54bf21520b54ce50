from __future__ import annotations

import math
import traceback
from pathlib import Path
from typing import Any

import pytest

from gossamer.config import (
    CrawlConfig,
    Credential,
    Dns,
    Extraction,
    Fetching,
    InvalidSettings,
    Limits,
    Login,
    LoginForm,
    Politeness,
    Robots,
    Scope,
    Warc,
    has_secrets,
    render,
    shown_settings,
    with_named,
)
from gossamer.config.docstrings import field_texts
from gossamer.config.record import fields_of
from gossamer.config.settings import FLAT_NAMES, GROUPS, Group
from gossamer.errors import ConfigError


def _message(kind: type[Group], **settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        kind(**settings)
    return str(caught.value)


# ---- flat names


def test_what_everyone_needs_can_be_given_flat() -> None:
    config = CrawlConfig(
        folder="crawl",
        max_depth=3,
        max_pages=10,
        delay=0,
        toes=4,
        scope="domain",
        user_agent="mybot (+https://example.org/bot)",
        contact="me@example.org",
        obey_robots=False,
        allow_private=["localhost:8080"],
        warc=False,
    )
    assert config == CrawlConfig(
        folder=Path("crawl"),
        toes=4,
        limits=Limits(max_pages=10),
        politeness=Politeness(delay=0.0),
        scope=Scope(kind="domain", max_depth=3),
        fetching=Fetching(
            user_agent="mybot (+https://example.org/bot)", contact="me@example.org", allow_private=("localhost:8080",)
        ),
        robots=Robots(obey=False),
        warc=Warc(enabled=False),
    )


def test_a_flat_setting_joins_the_group_given_beside_it() -> None:
    config = CrawlConfig(max_pages=10, limits=Limits(max_time=60.0))
    assert config.limits == Limits(max_pages=10, max_time=60.0)


def test_the_same_setting_given_flat_and_in_its_group_is_refused() -> None:
    assert _message(CrawlConfig, max_pages=10, limits=Limits(max_pages=10)) == (
        "limits.max_pages is given twice, flat and in its group"
    )


def test_scope_and_warc_are_groups_or_stand_for_their_main_setting() -> None:
    assert CrawlConfig(scope=Scope(kind="any"), warc=Warc(level=1)).scope.kind == "any"
    assert CrawlConfig(scope="any", warc=False).warc == Warc(enabled=False)
    assert _message(CrawlConfig, scope="hots") == (
        "scope.kind must be one of 'host', 'domain', 'prefix' or 'any', not 'hots'"
    )


@pytest.mark.parametrize("flat", sorted(FLAT_NAMES))
def test_every_flat_name_stands_for_a_setting_that_exists(flat: str) -> None:
    group, field = FLAT_NAMES[flat]
    assert field in fields_of(GROUPS[group])


def test_all_mistakes_are_told_at_once() -> None:
    assert _message(CrawlConfig, max_pages=0, delay=-1, max_dept=3).splitlines() == [
        "max_dept is not a setting; did you mean max_depth?",
        "limits.max_pages must be at least 1, not 0",
        "politeness.delay must be at least 0, not -1",
    ]


def test_mistakes_are_told_together_wherever_they_stand() -> None:
    wrong = ["limits.max_pages must be at least 1, not 0", "toes must be at least 1, not 0"]
    assert _message(CrawlConfig, toes=0, max_pages=0).splitlines() == wrong
    assert _message(CrawlConfig, toes=0, limits={"max_pages": 0}).splitlines() == wrong
    for change in (
        lambda: CrawlConfig().replace(toes=0, max_pages=0),
        lambda: with_named(CrawlConfig(), {"toes": 0, "max_pages": 0}),
    ):
        with pytest.raises(InvalidSettings) as caught:
            change()
        assert str(caught.value).splitlines() == wrong
    assert _message(CrawlConfig, toes=0, tose=1).splitlines() == [
        "tose is not a setting; did you mean toes?",
        "toes must be at least 1, not 0",
    ]


def test_an_unknown_name_is_answered_with_where_it_belongs_or_what_is_like_it() -> None:
    assert _message(CrawlConfig, max_time=3) == "max_time is a setting of a group: limits=Limits(max_time=…)"
    assert _message(CrawlConfig, tose=3) == "tose is not a setting; did you mean toes?"
    assert _message(CrawlConfig, zzzzz=3) == "zzzzz is not a setting"
    assert _message(Limits, delay=3) == "limits.delay is not a setting; politeness.delay is"
    assert _message(Limits, obey_robots=3) == "limits.obey_robots is not a setting; robots.obey is"
    assert _message(Politeness, max_dely=3) == "politeness.max_dely is not a setting; did you mean max_delay?"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scope.max_embed_hops", "is what a file calls it; give it as scope=Scope(max_embed_hops=…)"),
        ("politeness_delay", "is crawler4j's; here it is delay=… (seconds per host; crawler4j's were milliseconds"),
        ("politenessDelay", "is crawler4j's; here it is delay=… (seconds per host; crawler4j's were milliseconds"),
        ("maxPagesToFetch", "is crawler4j's; here it is max_pages=…"),
        ("crawl_storage_folder", "is crawler4j's; here it is folder=…"),
    ],
)
def test_a_name_from_elsewhere_is_answered_with_what_it_is_here(name: str, said: str) -> None:
    assert _message(CrawlConfig, **{name: 5}).startswith(f"{name} {said}")


def test_a_group_may_be_a_mapping() -> None:
    settings: dict[str, Any] = {"scope": {"max_depth": 2, "kind": "any"}, "limits": {}}
    assert CrawlConfig(**settings) == CrawlConfig(max_depth=2, scope="any")
    assert CrawlConfig(toes=3).replace(**settings) == CrawlConfig(max_depth=2, scope="any", toes=3)
    settings = {"scope": {"max_dept": 2}, "limits": {"max_pages": 0}}
    assert _message(CrawlConfig, **settings).splitlines() == [
        "scope.max_dept is not a setting; did you mean max_depth?",
        "limits.max_pages must be at least 1, not 0",
    ]


def test_a_mistake_is_told_under_a_public_name_and_without_that_of_a_library() -> None:
    with pytest.raises(ConfigError) as caught:
        CrawlConfig(folder=5)  # type: ignore[arg-type]
    told = "".join(traceback.format_exception(caught.value))
    assert "gossamer.InvalidSettings: folder must be a path, not 5" in told
    assert "pydantic" not in told


def test_a_group_must_be_one() -> None:
    assert _message(CrawlConfig, limits=3) == "limits must be Limits(…), not 3"
    assert _message(CrawlConfig, limits=Politeness()).startswith("limits must be Limits(…), not Politeness(")


# ---- replace


def test_replace_changes_some_settings_and_keeps_the_others() -> None:
    config = CrawlConfig(max_pages=10, limits=Limits(max_time=60.0), delay=0)
    assert config.replace(max_pages=20) == CrawlConfig(limits=Limits(max_pages=20, max_time=60.0), delay=0)
    assert config.replace(limits=Limits()) == CrawlConfig(delay=0)
    assert config.replace(toes=3).toes == 3
    assert config.limits.max_pages == 10


def test_replace_checks_like_the_first_time() -> None:
    with pytest.raises(ConfigError, match="toes must be at least 1, not 0"):
        CrawlConfig().replace(toes=0)


def test_settings_can_be_changed_by_their_dotted_names() -> None:
    config = with_named(
        CrawlConfig(delay=2), {"politeness.max_delay": "10s", "toes": 5, "max_pages": 3, "scope": "any"}
    )
    assert config == CrawlConfig(politeness=Politeness(delay=2.0, max_delay=10.0), toes=5, max_pages=3, scope="any")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("max_delay", "max_delay is not a setting; did you mean politeness.max_delay?"),
        ("limits.max_delay", "limits.max_delay is not a setting; politeness.max_delay is"),
        ("limts.max_time", "limts.max_time is not a setting; did you mean limits.max_time?"),
        ("limits", "limits is not a setting"),
        ("toes.max", "toes.max is not a setting"),
    ],
)
def test_a_dotted_name_that_is_none_is_answered_with_one_that_is(name: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        with_named(CrawlConfig(), {name: 1})
    assert str(caught.value).startswith(message)


# ---- values


def test_durations_and_sizes_may_have_units() -> None:
    assert Politeness(delay="500ms", host_schedule=["1 min", 90]) == Politeness(delay=0.5, host_schedule=(60.0, 90.0))  # type: ignore[arg-type]
    assert Fetching(max_body="1.5 GiB").max_body == 1536 * 1024 * 1024  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        (Politeness, {"delay": math.nan}, "politeness.delay must be a finite number, not nan"),
        (Politeness, {"delay": math.inf}, "politeness.delay must be at most 100 years, not inf"),
        (Politeness, {"delay": -0.1}, "politeness.delay must be at least 0, not -0.1"),
        (Politeness, {"delay": True}, "politeness.delay must be a number, not True"),
        (Politeness, {"delay": "soon"}, "politeness.delay must be a duration: 'soon' is not a duration; write"),
        (Politeness, {"delay": "200 weeks 1y"}, "politeness.delay must be a duration: 'y' is not a unit of time"),
        (Politeness, {"delay": "9" * 400}, "politeness.delay must be a duration: "),
        (Politeness, {"delay": "99999999 d"}, "politeness.delay must be at most 100 years"),
        (Politeness, {"delay_factor": math.inf}, "politeness.delay_factor must be a finite number, not inf"),
        (Politeness, {"delay_factor": math.nan}, "politeness.delay_factor must be a finite number, not nan"),
        (Politeness, {"max_tries": 256}, "politeness.max_tries must be at most 255, not 256"),
        (Politeness, {"max_tries": 2.0}, "politeness.max_tries must be a whole number, not 2.0"),
        (Politeness, {"max_tries": True}, "politeness.max_tries must be a whole number, not True"),
        (Politeness, {"host_schedule": 60}, "politeness.host_schedule must be a list, not 60"),
        (Politeness, {"host_schedule": [1, "x"]}, "politeness.host_schedule must be a duration: 'x' is not"),
        (Politeness, {"host_schedule": [1, -1]}, "politeness.host_schedule must be at least 0, not -1 (item 2)"),
        (Politeness, {"throttle_start": 9, "max_throttle": 5}, "politeness throttle_start must not be more than"),
        (Limits, {"max_pages": "10"}, "limits.max_pages must be a whole number, not '10'"),
        (Limits, {"max_bytes": "1 G"}, "limits.max_bytes must be a size: 'G' may mean GB (by 1000) or GiB"),
        (Limits, {"max_bytes": 2**63}, "limits.max_bytes must be less than 2**63 bytes"),
        (Limits, {"max_bytes": 0}, "limits.max_bytes must be at least 1, not 0"),
        (Limits, {"max_bytes": -1}, "limits.max_bytes must be at least 0, not -1"),
        (Limits, {"min_free_space": -1}, "limits.min_free_space must be at least 0, not -1"),
        (Limits, {"max_time": 0}, "limits.max_time must be more than 0, not 0"),
        (Fetching, {"user_agent": "a\r\nX-Evil: 1"}, "fetching.user_agent must not contain control characters"),
        (Fetching, {"user_agent": "a\x85b"}, "fetching.user_agent must not contain control characters"),
        (Fetching, {"user_agent": "robot ż"}, "fetching.user_agent must be ISO-8859-1"),
        (Fetching, {"user_agent": " "}, "fetching.user_agent must not begin or end with white space"),
        (Fetching, {"user_agent": 3}, "fetching.user_agent must be text, not 3"),
        (Fetching, {"contact": "me"}, "fetching.contact must be a URL or an e-mail address"),
        (Fetching, {"contact": "https://example.org/) evil"}, "fetching.contact must be a URL or an e-mail address"),
        (Fetching, {"headers": [["Bad Name", "x"]]}, "fetching.headers must have header names of letters"),
        (Fetching, {"headers": [["", "x"]]}, "fetching.headers must have header names of letters"),
        (Fetching, {"headers": [["X", "a\nb"]]}, "fetching.headers must not contain control characters"),
        (Fetching, {"headers": [["X"]]}, "fetching.headers must be a pair, not ['X'] (item 1)"),
        (Fetching, {"headers": [["X", "a", "b"]]}, "fetching.headers must be a pair, not"),
        (Fetching, {"headers": [["host", "x"]]}, "fetching.headers must not contain host: Gossamer sets it itself"),
        (Fetching, {"headers": [["Content-Length", "0"]]}, "fetching.headers must not contain Content-Length"),
        (Fetching, {"accept_encoding": "gzip, lzma"}, "fetching.accept_encoding must be a list of"),
        (Fetching, {"tls": "off"}, "fetching.tls must be one of 'open' or 'strict', not 'off'"),
        (Dns, {"nameservers": ["ns.example.org"]}, "dns.nameservers must be addresses"),
        (Dns, {"min_ttl": 9, "max_ttl": 5}, "dns min_ttl must not be more than max_ttl"),
        (Robots, {"product_token": "my bot"}, "robots.product_token must be letters, '_' and '-' only"),
        (Robots, {"product_token": "bot/1.0"}, "robots.product_token must be letters"),
        (Robots, {"product_token": ""}, "robots.product_token must be letters"),
        (Robots, {"product_token": "bot\n"}, "robots.product_token must be letters"),
        (Robots, {"cache": "2 days"}, "robots.cache must be at most 86400"),
        (Robots, {"max_size": "100 KiB"}, "robots.max_size must be at least 512000"),
        (Robots, {"obey": 1}, "robots.obey must be true or false, not 1"),
        (Scope, {"include": ["("]}, "scope.include must be a regular expression, which '(' is not: "),
        (Scope, {"include": "abc"}, "scope.include must be a list, not 'abc'"),
        (Scope, {"exclude": [1]}, "scope.exclude must be text, not 1 (item 1)"),
        (Scope, {"max_depth": -1}, "scope.max_depth must be at least 0, not -1"),
        (Warc, {"prefix": "../evil"}, "warc.prefix must be 1 to 64 letters"),
        (Warc, {"prefix": ""}, "warc.prefix must be 1 to 64 letters"),
        (Warc, {"operator": "me\r\nsoftware: x"}, "warc.operator must be one line of printable text"),
        (CrawlConfig, {"folder": ""}, "folder must be the path of a folder"),
        (CrawlConfig, {"folder": "a\0b"}, "folder must be the path of a folder"),
        (CrawlConfig, {"toes": 0}, "toes must be at least 1, not 0"),
    ],
)
def test_a_bad_value_is_refused_by_name_with_what_was_expected(
    kind: type[Group], settings: dict[str, Any], expected: str
) -> None:
    message = _message(kind, **settings)
    assert message.startswith(expected)
    assert "\n" not in message
    assert message.isprintable()


@pytest.mark.parametrize(
    "entry",
    ["localhost", "http://localhost:80", "10.0.0.1/8", "10.0.0.0/33", "localhost:0", "localhost:65536", "localhost:http",
     ":80", "a b:80", "::1:x", "[::1", "[::g]:80", "", "*", "-x:80"],
)  # fmt: skip
def test_an_entry_of_allow_private_that_means_nothing_is_refused(entry: str) -> None:
    assert _message(Fetching, allow_private=[entry]).startswith("fetching.allow_private must be host:port, an address")


@pytest.mark.parametrize(
    "entry",
    [
        "localhost:8080",
        "intra.example.org:80",
        "10.0.0.1:65535",
        "10.0.0.0/8",
        "10.0.0.1",
        "::1",
        "fe80::/10",
        "[::1]:80",
    ],
)
def test_entries_of_allow_private_are_hosts_with_a_port_addresses_and_networks(entry: str) -> None:
    assert Fetching(allow_private=(entry,)).allow_private == (entry,)


def test_hosts_in_allow_private_are_in_lower_case_as_urls_have_them() -> None:
    assert CrawlConfig(allow_private=["LocalHost:80"]).fetching.allow_private == ("localhost:80",)


@pytest.mark.parametrize("server", ["9.9.9.9", "9.9.9.9:53", "2620:fe::fe", "[2620:fe::fe]:53"])
def test_nameservers_are_addresses_with_a_port_or_without(server: str) -> None:
    assert Dns(nameservers=(server,)).nameservers == (server,)


def test_headers_may_be_given_as_a_table() -> None:
    assert Fetching(headers={"X-Purpose": "archive"}).headers == (("X-Purpose", "archive"),)  # type: ignore[arg-type]


def test_what_is_made_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        CrawlConfig().limits.max_pages = 3  # type: ignore[misc]


def test_a_message_repeats_a_hostile_value_harmlessly_and_briefly() -> None:
    message = _message(Fetching, user_agent="\x1b[2J\n" * 10_000)
    assert message.isprintable()
    assert len(message) < 200


class Unspeakable:
    """It cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("name", ["toes", "folder", "delay", "max_pages", "limits", "scope"])
def test_a_value_that_cannot_be_shown_is_refused_like_any_other(name: str) -> None:
    digits = 10**5000
    for value in (-digits, Unspeakable(), [digits, Unspeakable()]):
        assert f"a {type(value).__name__} that cannot be shown" in _message(CrawlConfig, **{name: value})


def test_a_table_with_keys_that_are_no_texts_is_told_what_it_lacks() -> None:
    assert _message(CrawlConfig, limits={1: 2}) == "limits.1 is not a setting"


# ---- the settings themselves


@pytest.mark.parametrize(
    ("group", "name"),
    [(group, name) for group, kind in GROUPS.items() for name in fields_of(kind)] + [("", "toes"), ("", "folder")],
)
def test_every_setting_says_what_it_means(group: str, name: str) -> None:
    kind = GROUPS[group] if group else CrawlConfig
    assert field_texts(kind)[name].strip()


@pytest.mark.parametrize("kind", [*GROUPS.values(), CrawlConfig])
def test_every_default_would_be_accepted_if_it_were_given(kind: type[Group]) -> None:
    defaults = {name: field.default for name, field in fields_of(kind).items()}
    assert kind(**defaults) == kind()


@pytest.mark.parametrize("kind", GROUPS.values())
def test_a_setting_that_may_have_no_value_has_none_by_default(kind: type[Group]) -> None:
    # A file cannot say "no value": leaving the setting out must be enough.
    for name, field in fields_of(kind).items():
        accepts_none = True
        try:
            kind(**{name: None})
        except ConfigError:
            accepts_none = False
        assert accepts_none == (field.default is None), name


def test_the_names_of_groups_are_those_of_their_classes() -> None:
    assert {name: kind.__name__.lower() for name, kind in GROUPS.items()} == {name: name for name in GROUPS}


@pytest.mark.parametrize("address", ["", "127.0.0.1:9464", "127.8.9.1:80", "[::1]:9464"])
def test_metrics_are_shown_on_this_machine_only(address: str):
    assert CrawlConfig(metrics=address).metrics == address


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0:9464", "192.0.2.1:9464", "localhost:9464", "127.0.0.1", "127.0.0.1:0", "::1:9464", "[::]:9464", ":80"],
)
def test_metrics_are_shown_nowhere_else(address: str):
    with pytest.raises(ConfigError, match="an address and port of this machine"):
        CrawlConfig(metrics=address)


@pytest.mark.parametrize(
    ("group", "given", "message"),
    [
        (Login, {"credentials": [{"url": "x", "login": "a", "password": "s3cret"}]},
         "login.credentials.url must be a URL such as https://example.org/login (item 1)"),
        (Login, {"credentials": [{"url": "http://a/", "login": "a", "password": 53}]},
         "login.credentials.password must be text (item 1)"),
        (Login, {"credentials": [{"url": "http://a/", "login": "a"}]}, "login.credentials.password must be given (item 1)"),
        (Login, {"credentials": [{"url": "http://a/", "pass": "s3cret"}]}, "login.credentials.pass is not a setting; did you mean password? (item 1)"),
        (Login, {"credentials": [{"url": "http://me:s3cret@a/", "login": "", "password": ""}]}, "without user name and password"),
        (Login, {"credentials": "s3cret"}, "login.credentials must be a list"),
        (Login, {"forms": [{"page": "http://a/", "fields": {}}]}, "login.forms.fields must name at least one field"),
        (Login, {"forms": [{"page": "http://a/", "fields": {"a": ["s3cret"]}}]}, "login.forms.fields must be text (item 1)"),
        (Login, {"forms": ["s3cret"]}, "login.forms must be a table (item 1)"),
        (Fetching, {"proxy": "ftp://me:s3cret@a:1"}, "fetching.proxy must be an http, socks5 or socks4a proxy"),
        (Fetching, {"proxy": "https://me:s3cret@a:1"}, "spoken to over TLS is not supported"),
        (Fetching, {"proxy": "me:s3cret@a"}, "fetching.proxy must be like http://user:password@host:port"),
        (Fetching, {"proxy": "http://me:s3cret@a:0"}, "must have a port from 1 to 65535"),
        (Fetching, {"headers": [["Authorization", "s3cret"]]}, "use login.credentials"),
        (Dns, {"hosts": {"a.b": "s3cret.example"}}, "dns.hosts must give addresses for a.b"),
        (Extraction, {"visit_types": ["html"]}, "extraction.visit_types must be media types"),
        (Fetching, {"no_proxy": ["a b"]}, "fetching.no_proxy must be hosts, domains"),
    ],
)  # fmt: skip
def test_a_mistake_among_secrets_is_explained_without_them(
    group: type[Group], given: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidSettings) as caught:
        group(**given)
    assert message in str(caught.value)
    if group is not Dns:
        assert "s3cret" not in str(caught.value)


def test_a_secret_is_hidden_from_whoever_looks_at_the_settings() -> None:
    config = CrawlConfig(
        proxy="http://me:s3cret@proxy.example:3128",
        login=Login(
            credentials=(Credential(url="https://a.example/", login="me", password="s3cret"),),
            forms=(LoginForm(page="https://a.example/login", fields={"p": "s3cret"}),),
        ),
    )
    shown = shown_settings(config)
    assert shown["fetching"]["proxy"] == "http://[withheld]@proxy.example:3128"
    assert "s3cret" not in repr(config) + str(config) + str(shown)
    assert "s3cret" in render(config) and has_secrets(config)
    assert not has_secrets(CrawlConfig(proxy="socks5://a:1")) and not has_secrets(CrawlConfig(proxy="env:PROXY"))


def test_pages_are_of_the_types_that_are_visited() -> None:
    assert [Extraction().is_visited(kind) for kind in ("text/html", "image/png", "")] == [True, False, False]
    some = Extraction(visit_types=("IMAGE/*", "text/html"))
    assert [some.is_visited(kind) for kind in ("text/html", "image/png", "text/plain")] == [True, True, False]
    assert Extraction(visit_types=("*/*",)).is_visited("")
