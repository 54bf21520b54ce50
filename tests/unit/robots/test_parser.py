from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.robots import RobotsRules, parse_robots
from gossamer.robots.parser import MAX_CRAWL_DELAY, MAX_LINE, MAX_SITEMAP_LENGTH, MAX_SITEMAPS
from gossamer.url import parse

FORBIDDEN = "Disallow: /\n"


def read(text: str | bytes, product_token: str = "FooBot") -> RobotsRules:
    return parse_robots(text.encode() if isinstance(text, str) else text, product_token)


def allows(text: str | bytes, path: str = "/x/y", product_token: str = "FooBot") -> bool:
    return read(text, product_token).is_allowed(parse("http://foo.bar" + path))


# Whom a group speaks to: RFC 9309 2.2.1.


@pytest.mark.parametrize(
    "name",
    [
        "FooBot",
        "foobot",
        "FOOBOT",
        "FooBot/1.2",
        "FooBot 1.2",
        "FooBot Images",
        "FooBot (beta; http://foo.bar/)",
        "FooBot*",
    ],
)
def test_a_group_is_ours_whatever_stands_behind_our_name(name: str) -> None:
    assert not allows(f"User-agent: {name}\n{FORBIDDEN}")


@pytest.mark.parametrize(
    "name",
    [
        "Foo",
        "Bot",
        "MyFooBot",
        "FooBot-News",
        "FooBot_2",
        "FooBot2",
        "ooBo",
        "Mozilla/5.0 (compatible; FooBot/1.0)",
        "",
    ],
)
def test_a_group_for_another_name_is_not_ours_even_if_it_holds_ours(name: str) -> None:
    assert allows(f"User-agent: {name}\n{FORBIDDEN}")


def test_our_own_name_may_have_capitals_or_a_version() -> None:
    for product_token in ("foobot", "FooBot", "FooBot/2.1 (+http://foo.bar/)"):
        assert not allows(f"User-agent: FOObot\n{FORBIDDEN}", product_token=product_token)


def test_a_shorter_name_in_front_does_not_take_our_place() -> None:
    text = f"User-agent: bot\n{FORBIDDEN}\nUser-agent: mybot\nAllow: /\n"
    assert allows(text, product_token="mybot")
    assert not allows(text, product_token="bot")


def test_a_crawler_without_a_name_is_everybody() -> None:
    assert allows(f"User-agent:\n{FORBIDDEN}", product_token="")
    assert not allows(f"User-agent: *\n{FORBIDDEN}", product_token="")


def test_the_star_group_holds_only_for_those_that_have_no_group() -> None:
    text = f"User-agent: *\n{FORBIDDEN}User-agent: FooBot\nDisallow: /y/\n"
    assert allows(text, "/x")
    assert not allows(text, "/y/x")
    assert not allows(text, "/x", "BarBot")


def test_the_order_of_groups_is_no_matter() -> None:
    text = f"User-agent: FooBot\nDisallow: /y/\nUser-agent: *\n{FORBIDDEN}"
    assert allows(text, "/x")
    assert not allows(text, "/x", "BarBot")


def test_an_own_group_without_rules_allows_everything() -> None:
    assert allows(f"User-agent: *\n{FORBIDDEN}User-agent: FooBot\n")
    assert allows(f"User-agent: FooBot\nDisallow:\n\nUser-agent: *\n{FORBIDDEN}")


def test_no_group_for_us_allows_everything() -> None:
    assert allows("")
    assert allows(f"User-agent: BarBot\n{FORBIDDEN}")


@pytest.mark.parametrize("star", ["*", "* ", "*\t# all", "* and all others"])
def test_a_star_is_everybody(star: str) -> None:
    assert not allows(f"User-agent: {star}\n{FORBIDDEN}")


def test_a_star_with_a_name_behind_it_is_not_everybody() -> None:
    assert allows(f"User-agent: *bot\n{FORBIDDEN}")


# Where groups begin and end: RFC 9309 2.1.


def test_several_groups_for_one_agent_are_one() -> None:
    for agent in ("FooBot", "*"):
        text = f"User-agent: {agent}\nDisallow: /a\n\nUser-agent: BarBot\nDisallow: /b\n\nUser-agent: {agent}\nDisallow: /c\n"
        assert [allows(text, path) for path in ("/a", "/b", "/c")] == [False, True, False]


@pytest.mark.parametrize(
    "between",
    [
        "",
        "\n\n",
        "# comment\n",
        "Sitemap: http://foo.bar/s.xml\n",
        "Crawl-delay: 5\n",
        "Host: foo.bar\n",
        "unicorns: 1\n",
        "no line at all\n",
        "<p>\n",
        "User-agent:\n",
    ],
)
def test_nothing_but_a_rule_divides_the_agents_of_a_group(between: str) -> None:
    assert not allows(f"User-agent: FooBot\n{between}User-agent: BarBot\n{FORBIDDEN}")
    assert not allows(f"User-agent: BarBot\n{between}User-agent: FooBot\n{FORBIDDEN}")
    assert not allows(f"User-agent: FooBot\n{between}{FORBIDDEN}")


@pytest.mark.parametrize("rule", ["Allow: /w/", "Disallow: /w/", "Disallow:", "Allow:", "disalow: /w/"])
def test_a_user_agent_line_behind_a_rule_begins_another_group(rule: str) -> None:
    assert allows(f"User-agent: FooBot\n{rule}\nUser-agent: BarBot\n{FORBIDDEN}")


def test_an_agent_without_a_name_ends_the_group_all_the_same() -> None:
    assert allows(f"User-agent: FooBot\nAllow: /w/\nUser-agent:\n{FORBIDDEN}")


def test_rules_before_any_user_agent_are_ignored() -> None:
    assert allows(f"{FORBIDDEN}User-agent: FooBot\nDisallow: /z\n")
    assert not allows("Allow: /x\nUser-agent: *\nDisallow: /\n")


def test_a_sitemap_in_front_of_everything_costs_no_rule() -> None:
    assert not allows(f"Sitemap: http://foo.bar/s.xml\nUser-agent: *\n{FORBIDDEN}")


def test_groups_as_in_the_examples_of_the_reference_parser() -> None:
    text = (
        "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\n"
        "allow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n"
    )
    assert [allows(text, path) for path in ("/x/b", "/z/d", "/y/c", "/foo/bar/")] == [True, True, False, False]
    assert [allows(text, path, "BarBot") for path in ("/y/c", "/w/a", "/z/d", "/foo/bar/")] == [
        True,
        True,
        False,
        False,
    ]
    assert [allows(text, path, "BazBot") for path in ("/z/d", "/foo/bar/")] == [True, False]


# How lines are written.


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\r", "\r\n\r\n"])
def test_lines_end_by_any_convention(end: str) -> None:
    text = f"User-agent: FooBot{end}Disallow: /a{end}Disallow: /b"
    assert [allows(text, path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_line_ends_may_be_mixed() -> None:
    text = "User-agent: foobot\rDisallow: /a\nDisallow: /b\r\nDisallow: /c"
    assert [allows(text, path) for path in ("/a", "/b", "/c", "/d")] == [False, False, False, True]


def test_no_other_character_ends_a_line() -> None:
    for character in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029":
        assert allows(f"User-agent: FooBot\nDisallow: /a{character}Disallow: /\n")


@pytest.mark.parametrize(
    "text",
    [
        "User-agent : *\nDisallow : /\n",
        "User-agent:*\nDisallow:/\n",
        "\t User-agent\t:\t*\t\n  Disallow  :  /  \n",
        "USER-AGENT: *\nDISALLOW: /\n",
        "uSeR-aGeNt: *\ndIsAlLoW: /\n",
        "user-agent *\ndisallow /\n",
        "User-agent: * # everybody\nDisallow: / # everything\n",
        "User-agent: *#\nDisallow: /#\n",
        "User agent: *\nDisallow: /\n",
        "Useragent: *\nDisallow: /\n",
        "User-agent: *\nDisalow: /\n",
        "User-agent: *\nDissallow: /\n",
        "User-agent: *\nDissalow: /\n",
        "User-agent: *\nDiasllow: /\n",
        "User-agent: *\nDisallaw: /\n",
        "User-agent: *\nDisallow: /",
    ],
)
def test_what_is_plainly_meant_is_understood(text: str) -> None:
    assert not allows(text)


@pytest.mark.parametrize(
    "line", ["# Disallow: /", "Disallow", "Disallow:", "Disallow: # /", "bar: /", "do disallow /", ": /"]
)
def test_what_says_nothing_forbids_nothing(line: str) -> None:
    assert allows(f"User-agent: FooBot\n{line}\n")


def test_a_comment_ends_a_value() -> None:
    text = "User-agent: FooBot\nDisallow: /foo/quz#qux\nAllow: /\n"
    assert allows(text, "/foo/bar")
    assert not allows(text, "/foo/quz")


def test_a_line_is_read_up_to_its_longest_length() -> None:
    rule = "/" + "a" * (MAX_LINE - len("Disallow: /"))
    text = f"User-agent: FooBot\nDisallow: {rule}/qux\n"
    assert not allows(text, rule + "/fux")
    assert allows(text, rule[:-1])


# How bytes become text.


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\xef\xbb\xbf\xef\xbb\xbf"])
def test_a_byte_order_mark_hides_no_line(mark: bytes) -> None:
    assert not allows(mark + b"User-agent: *\nDisallow: /\n")


def test_a_byte_order_mark_within_hides_no_line() -> None:
    assert not allows(b"User-agent: BarBot\nDisallow: /b\n\xef\xbb\xbfUser-agent: *\nDisallow: /\n")


def test_a_broken_byte_order_mark_costs_only_its_line() -> None:
    assert allows(b"\xef\x11\xbfUser-agent: *\nDisallow: /\n")
    assert not allows(b"\xef\x11\xbfUser-agent: FooBot\nUser-agent: *\nDisallow: /\n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_read(encoding: str) -> None:
    text = "User-agent: *\r\nDisallow: /private\r\n"
    assert not allows(text.encode(encoding), "/private")
    assert allows(text.encode(encoding), "/")


def test_utf_16_with_a_mark_keeps_its_letters() -> None:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        assert not allows(mark + "User-agent: *\nDisallow: /ä\n".encode(encoding), "/%C3%A4")


def test_nul_bytes_hide_no_line() -> None:
    assert not allows(b"User-agent: *\0\n\0Disallow: /\0\n\0\0")


def test_latin_1_harms_no_line_but_means_its_own_octets() -> None:
    body = "# Größe\nUser-agent: *\nDisallow: /ä\nDisallow: /b\n".encode("latin-1")
    assert [allows(body, path) for path in ("/%E4", "/%C3%A4", "/b")] == [False, True, False]


def test_an_html_page_holds_no_rules() -> None:
    page = (
        "<!DOCTYPE html>\n<html><head><title>404: not found</title></head>\n<body>\n"
        "<p>User-agent: *<br>\nDisallow: /</p>\nSee our site: <a href='/'>home</a>\n</body></html>\n"
    )
    rules = read(page)
    assert rules.is_allowed(parse("http://foo.bar/x"))
    assert (rules.crawl_delay, rules.sitemaps) == (None, ())


@given(st.binary(max_size=400))
@example(b"\xff\xfe\x00")
@example(b"\xfe\xff\xd8\x00")
@example(b"User-agent: *\nDisallow: /%\xff%2%zz*\xe4$$\nCrawl-delay: 9e9999\nSitemap: \xff\n")
def test_no_bytes_whatever_raise(body: bytes) -> None:
    for content in (body, b"User-agent: *\n" + body, b"User-agent: *\nAllow: /" + body):
        rules = read(content)
        assert rules.is_allowed(parse("http://foo.bar/%ff/%C3%A4*$?a=%2F")) in (True, False)
        assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)


lines = st.sampled_from(
    [b"User-agent: *", b"User-agent: FooBot", b"User-agent: x", b"Allow: /a*b$", b"Disallow: /a", b"Disallow:", b"Disallow: *",
     b"Crawl-delay: 3", b"Sitemap: http://x/", b"junk", b"", b"#", b"\xef\xbb\xbf", b"\0", b":", b"Allow /%zz?%2f"]
)  # fmt: skip


@given(st.lists(lines, max_size=12), st.sampled_from([b"\n", b"\r", b"\r\n"]))
def test_lines_of_no_consequence_change_nothing(body: list[bytes], end: bytes) -> None:
    plain = read(end.join(body))
    padded = read(end.join(line for each in body for line in (b"unknown: x", each, b"  # comment", b"<br>")))
    for path in ("/", "/a", "/ab", "/axb", "/robots.txt"):
        url = parse("http://foo.bar" + path)
        assert plain.is_allowed(url) == padded.is_allowed(url)
    assert (plain.crawl_delay, plain.sitemaps) == (padded.crawl_delay, padded.sitemaps)


# /robots.txt, Crawl-delay, Sitemap.


def test_the_robots_file_itself_is_always_allowed() -> None:
    text = "User-agent: *\nDisallow: /\nDisallow: /robots.txt\n"
    assert allows(text, "/robots.txt")
    assert allows(text, "/robots.txt?v=1")
    assert not allows(text, "/a/robots.txt")
    assert not allows(text, "/robots.txt.html")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("+2", 2.0),
        ("3600", 3600.0),
        ("10 # seconds", 10.0),
        ("1e3", 1000.0),
        ("1e9", MAX_CRAWL_DELAY),
        ("1e999", MAX_CRAWL_DELAY),
        ("9" * 60, MAX_CRAWL_DELAY),
        ("9" * 5000, None),
        ("-1", None),
        ("-0.0", None),
        ("NaN", None),
        ("inf", None),
        ("Infinity", None),
        ("0x10", None),
        ("1_000", None),
        ("1,5", None),
        ("ten", None),
        ("5s", None),
        ("٣", None),
        ("", None),
    ],
)
def test_a_crawl_delay_is_a_finite_number_of_seconds_or_nothing(value: str, seconds: float | None) -> None:
    assert read(f"User-agent: FooBot\nCrawl-delay: {value}\n").crawl_delay == seconds


def test_a_crawl_delay_is_that_of_the_group_that_holds() -> None:
    text = (
        "Crawl-delay: 9\nUser-agent: *\nCrawl-delay: 3\nDisallow:\nUser-agent: FooBot\nDisallow: /a\nCrawl-delay: 1\n"
    )
    assert read(text).crawl_delay == 1.0
    assert read(text, "BarBot").crawl_delay == 3.0
    assert read("User-agent: *\nCrawl-delay: 3\nDisallow:\nUser-agent: FooBot\nDisallow: /a\n").crawl_delay is None


def test_the_longest_of_several_crawl_delays_holds() -> None:
    assert read("User-agent: *\nCrawl-delay: 3\nCrawl-delay: 7\nCrawl-delay: x\nCrawl-delay: 0\n").crawl_delay == 7.0


def test_sitemaps_are_found_anywhere_in_order_and_once() -> None:
    text = (
        "Sitemap: http://foo.bar/1.xml\nUser-agent: BarBot\nsite-map: /2.xml?a=b:c\nDisallow: /\n"
        "SITEMAP : http://foo.bar/1.xml\nSitemap: https://foo.bar/ä.xml # comment\nSitemap:\nSitemap /4.xml\n"
    )
    assert read(text).sitemaps == ("http://foo.bar/1.xml", "/2.xml?a=b:c", "https://foo.bar/ä.xml", "/4.xml")


def test_sitemaps_are_bounded_in_number_and_length() -> None:
    text = "".join(f"Sitemap: http://foo.bar/{n}\n" for n in range(MAX_SITEMAPS + 5))
    assert len(read(text).sitemaps) == MAX_SITEMAPS
    longest = "a" * MAX_SITEMAP_LENGTH
    assert read(f"Sitemap: {longest}\nSitemap: {longest}a\n").sitemaps == (longest,)


# Size.


def test_agents_times_rules_are_not_multiplied() -> None:
    count = 12_000
    text = "".join(f"user-agent:a{n}\n" for n in range(count)) + "".join(f"disallow:/{n}\n" for n in range(count))
    assert not allows(text, "/11999", "a7")
    assert allows(text, "/11999", "b7")


@pytest.mark.parametrize("pattern", ["/path/{}/x", "/*path{}/x", "*/path{}/x", "/path{}/*x$", "/path/{}/x$"])
def test_very_many_rules_are_read_and_asked(pattern: str) -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: {pattern.format(n)}\n" for n in range(20_000))
    rules = read(text)
    for path, expected in (
        (f"{pattern.format(7_777).replace('*', '').rstrip('$')}", False),
        ("/pathology", True),
        ("/", True),
    ):
        for _ in range(100):
            assert rules.is_allowed(parse("http://foo.bar" + path)) == expected
