from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gossamer.robots import parse_robots
from gossamer.robots.matcher import normalize_pattern, normalize_target
from gossamer.url import Url, parse


def allows(rules: str | bytes, path: str) -> bool:
    body = b"User-agent: *\n" + (rules.encode() if isinstance(rules, str) else rules)
    return parse_robots(body, "gossamer").is_allowed(parse("http://h" + path))


def matches(pattern: str, path: str) -> bool:
    return not allows(f"Disallow: {pattern}\n", path)


# The most specific rule: RFC 9309 2.2.2.


@pytest.mark.parametrize(
    ("rules", "path", "is_allowed"),
    [
        # What looking only at the nearest rule in the alphabet gets wrong.
        ("Disallow: /a\nDisallow: /ab\n", "/ac", False),
        ("Disallow: /\nDisallow: /cgi-bin/\n", "/zzz", False),
        ("Disallow: /private\nDisallow: /private/old\n", "/private/secret", False),
        # Allow wins a tie, in either order.
        ("Disallow: /a\nAllow: /a\n", "/a", True),
        ("Allow: /a\nDisallow: /a\n", "/a", True),
        ("Allow: /folder\nDisallow: /folder\n", "/folder/page", True),
        ("Disallow: /a*\nAllow: /ab\n", "/ab", True),
        ("Allow: /a*\nDisallow: /ab\n", "/ab", True),
        ("Disallow: /ab$\nAllow: /a*b\n", "/ab", True),
        ("Allow: /ab$\nDisallow: /a*b\n", "/ab", True),
        ("Disallow:\nAllow:\n", "/a", True),
        # The longest decides.
        ("Disallow: /x/page.html\nAllow: /x/\n", "/x/page.html", False),
        ("Allow: /x/page.html\nDisallow: /x/\n", "/x/page.html", True),
        ("Allow: /x/page.html\nDisallow: /x/\n", "/x/", False),
        ("Disallow: /x\nAllow: /x/\n", "/x", False),
        ("Disallow: /x\nAllow: /x/\n", "/x/", True),
        ("Allow: /page\nDisallow: /*.html\n", "/page.html", False),
        ("Allow: /page\nDisallow: /*.html\n", "/page", True),
        ("Allow: /page\nDisallow: /*.htm\n", "/page.htm", False),
        ("Allow: /x/page.\nDisallow: /*.html\n", "/x/page.html", True),
        ("Allow: /x/page.\nDisallow: /*.html\n", "/x/y.html", False),
        ("Allow: /p\nDisallow: /\n", "/page", True),
        ("Allow: /$\nDisallow: /\n", "/", True),
        ("Allow: /$\nDisallow: /\n", "/page.html", False),
        ("Disallow: /example/page/disallowed.gif\nAllow: /example/page/\n", "/example/page/disallowed.gif", False),
        ("Disallow: *.gif$\nAllow: /publications/\n", "/publications/a.gif", True),
        ("Disallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n", "/a.gif", False),
        ("Disallow: /foo/bar/quz\nAllow: /foo/*/qux\n", "/foo/bar/quz", False),
        ("Disallow: /foo/bar$\nAllow: /foo/bar/qux\n", "/foo/bar", False),
        ("Disallow: /foo/bar$\nAllow: /foo/bar/qux\n", "/foo/bar/baz", True),
        # The RFC has no rule that makes a directory of its index page.
        ("Allow: /a/index.html\nDisallow: /\n", "/a/", False),
        ("Allow: /a/index.html\nDisallow: /\n", "/a/index.html", True),
    ],
)
def test_the_longest_rule_that_matches_decides_and_allow_wins_a_tie(rules: str, path: str, is_allowed: bool) -> None:
    assert allows(rules, path) == is_allowed


# Wildcards: RFC 9309 2.2.3.


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("/", ["/", "/a", "/?a"], []),
        ("/fish", ["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html", "/fish.html?id=anything"],
         ["/Fish.asp", "/catfish", "/?id=fish", "/fis"]),
        ("/fish*", ["/fish", "/fish.html", "/fish/salmon.html", "/fishheads"], ["/Fish.bar", "/catfish", "/?id=fish"]),
        ("/fish/", ["/fish/", "/fish/salmon", "/fish/?salmon", "/fish/salmon.html"], ["/fish", "/fish.html", "/Fish/Salmon.html"]),
        ("/*.php", ["/filename.php", "/folder/filename.php", "/folder/filename.php?parameters", "//folder/any.php.file.html",
                    "/filename.php/", "/index?f=filename.php/"], ["/php/", "/index?php", "/windows.PHP"]),
        ("/*.php$", ["/filename.php", "/folder/filename.php", "/a.php/b.php"],
         ["/filename.php?parameters", "/filename.php/", "/filename.php5", "/php/", "/filename?php", "/aaaphpaaa", "//windows.PHP"]),
        ("/fish*.php", ["/fish.php", "/fishheads/catfish.php?parameters"], ["/Fish.PHP", "/fish"]),
        ("/a*b", ["/ab", "/axb", "/a/b/c"], ["/a", "/ba"]),
        ("/a*b$", ["/ab", "/axb", "/abxb"], ["/abx", "/a"]),
        ("/a*$", ["/a", "/ab"], ["/", "/b"]),
        ("/ab*b$", ["/abb"], ["/ab"]),
        ("/a*ab*b$", ["/aabb", "/axabb"], ["/axab"]),
        ("/a***b", ["/ab", "/axb"], ["/a"]),
        ("*", ["/", "/a"], []),
        ("*$", ["/", "/a"], []),
        ("*/b", ["/b", "/a/b"], ["/a"]),
        ("*.pdf$", ["/a.pdf"], ["/a.pdfx"]),
        ("$", [], ["/"]),
        ("/a$b", ["/a$b", "/a%24b"], ["/a", "/ab"]),
        ("/a$$", ["/a$", "/a%24"], ["/a", "/a$$"]),
        ("/$*", ["/$", "/$a"], ["/", "/a"]),
        ("/file-with-a-%2A.html", ["/file-with-a-*.html", "/file-with-a-%2a.html"], ["/file-with-a-x.html"]),
        ("/foo-%24", ["/foo-$", "/foo-%24x"], ["/foo-"]),
        ("/<b>", ["/<b>", "/%3Cb%3E"], ["/", "/b"]),
    ],
)  # fmt: skip
def test_stars_and_a_last_dollar_are_special(pattern: str, matching: list[str], others: list[str]) -> None:
    assert [path for path in matching if not matches(pattern, path)] == []
    assert [path for path in others if matches(pattern, path)] == []


@pytest.mark.parametrize("pattern", ["private", "http://h/private", "?a", "%2Fprivate", "\\private", "$", "."])
def test_a_rule_that_begins_like_no_path_matches_nothing(pattern: str) -> None:
    assert not matches(pattern, "/private?a")


# Spelling: RFC 9309 2.2.2, the table; Koster's examples of 1996 for `%2F`.


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/ä", "/%C3%A4"),
        ("/~joe", "/%7Ejoe"),
        ("/%7ejoe", "/%7Ejoe"),
        ("/a%3cd.html", "/a%3Cd.html"),
        ("/a%2fb.html", "/a%2Fb.html"),
        ("/a b", "/a%20b"),
        ("/a%3Db;c,d", "/a=b%3Bc%2Cd"),
        ('/{a}|^`"', "/%7Ba%7D%7C%5E%60%22"),
        ("/100%", "/100%25"),
        ("/%zz", "/%25zz"),
        ("/x?u=a%2Fb", "/x?u=a/b"),
        ("/x?q='a'", "/x?q=%27a%27"),
    ],
)
def test_two_spellings_of_one_path_are_one(one: str, other: str) -> None:
    for pattern, path in ((one, other), (other, one), (one, one), (other, other)):
        assert matches(pattern, path), (pattern, path)
        assert matches(pattern + "$", path), (pattern, path)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/a%2fb.html", "/a/b.html"),
        ("/a%3Fb", "/a?b"),
        ("/x?a%26b", "/x?a&b"),
        ("/a%2561", "/aa"),
        ("/a%2561", "/a%61"),
        ("/A", "/a"),
    ],
)
def test_an_escaped_delimiter_is_not_the_delimiter(one: str, other: str) -> None:
    assert not matches(one, other)
    assert not matches(other, one)


def test_a_rule_finds_an_escaped_slash_in_a_query_in_either_spelling() -> None:
    assert matches("/*%2Fb", "/x?u=a%2Fb")
    assert matches("/*?*/b", "/x?u=a%2Fb")
    assert matches("/*?*%2Fb", "/x?u=a%2Fb")
    assert matches("/*/b", "/x?u=a/b")


def test_the_query_belongs_to_what_is_matched() -> None:
    assert matches("/*?sort=", "/list?sort=up")
    assert not matches("/*?sort=", "/list?a=1&sort=up")
    assert matches("/*&sort=", "/list?a=1&sort=up")
    assert matches("/list?", "/list?")
    assert not matches("/list?", "/list")
    assert matches("/list$", "/list")
    assert not matches("/list$", "/list?")
    assert not matches("/list$", "/list?a")


def test_the_fragment_does_not() -> None:
    assert not matches("/*b", "/a#b")


def test_a_url_made_by_hand_is_spelled_like_any_other() -> None:
    rules = parse_robots("User-agent: *\nDisallow: /ä\nAllow: /$\n".encode(), "gossamer")
    assert not rules.is_allowed(Url("http://h/ä", "http", "h", None, "/ä", ""))
    assert rules.is_allowed(Url("http://h", "http", "h", None, "", ""))
    assert rules.is_allowed(Url("http://h/\udc80", "http", "h", None, "/\udc80", ""))


# Cost. None of these ends within a test's patience if matching goes back on its steps.


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        ("/" + "*a" * 30 + "$", "/" + "a" * 8000 + "b", False),
        ("/" + "*a" * 5000 + "$", "/" + "a" * 8000 + "b", False),
        ("/" + "*a" * 5000 + "$", "/" + "a" * 8000, True),
        ("/" + "*a" * 8000, "/" + "a" * 7999, False),
        ("/" + "a*" * 4000 + "b", "/" + "a" * 8000, False),
        ("/" + "*" * 16_000 + "b", "/" + "a" * 8000, False),
    ],
)
def test_a_pattern_of_many_stars_is_matched_in_linear_time(pattern: str, path: str, is_match: bool) -> None:
    assert matches(pattern, path) == is_match


# Against a matcher that is too simple to be wrong.

pieces = st.sampled_from(
    ["/", "a", "b", "ab", "%61", "%62", "*", "*", "$", "?", "&", "=", "%3D", "%2F", "%2f", "%3f", "%26", "%2A", "%24", "%",
     "%2", "ä", "%C3%A4", "%c3", "~", "%7e", "{", "'", "%27", "%25", " "]
)  # fmt: skip
patterns = st.lists(pieces, max_size=7).map(lambda parts: ("/" + "".join(parts)).strip())
targets = st.lists(pieces, max_size=7).map(lambda parts: ("/" + "".join(parts)).strip())


def spelled(text: str, kept: str = "") -> list[str]:
    """Octet by octet; characters in `kept` stand for themselves."""
    octets = text.encode()
    result = []
    position = 0
    while position < len(octets):
        escape = re.match(rb"%([0-9A-Fa-f]{2})", octets[position:])
        octet = int(escape[1], 16) if escape else octets[position]
        character = chr(octet)
        position += 3 if escape else 1
        is_structure = not escape and character in kept + "/?&"
        if is_structure or re.fullmatch(r"[A-Za-z0-9\-._~:@!'()+,;=\[\]]", character):
            result.append(character)
        else:
            result.append(f"%{octet:02X}")
    return result


def with_slashes_in_the_query(text: list[str]) -> list[str]:
    mark = text.index("?") if "?" in text else len(text)
    return text[:mark] + ["/" if each == "%2F" else each for each in text[mark:]]


def naive(rules: list[tuple[bool, str]], path: str) -> bool:
    best = (-1, True)
    target = spelled(path)
    for is_allowing, pattern in rules:
        is_anchored = pattern.endswith("$")
        parts = with_slashes_in_the_query(spelled(pattern.removesuffix("$"), kept="*"))
        expression = "".join(".*" if part == "*" else re.escape(part) for part in parts) + (
            r"\Z" if is_anchored else ""
        )
        for spelling in (target, with_slashes_in_the_query(target)):
            if re.match(expression, "".join(spelling)):
                best = max(best, (len("".join(parts)) + is_anchored, is_allowing))
    return best[1]


def assert_decided_as_the_naive_matcher_has_it(rules: list[tuple[bool, str]], path: str) -> None:
    text = "".join(f"{'Allow' if is_allowing else 'Disallow'}: {pattern}\n" for is_allowing, pattern in rules)
    # Not through the parser of URLs, which would resolve and encode some of these.
    url = Url("http://h" + path, "http", "h", None, path, "")
    assert parse_robots(f"User-agent: *\n{text}".encode(), "gossamer").is_allowed(url) == naive(rules, path)


@settings(max_examples=600, deadline=None)
@given(st.lists(st.tuples(st.booleans(), patterns), max_size=6), targets)
@example([(False, "/?%2F")], "/?/")
@example([(False, "/*%2F"), (True, "/*?*/")], "/?a%2F")
def test_rules_decide_as_the_naive_matcher_has_it(rules: list[tuple[bool, str]], path: str) -> None:
    assert_decided_as_the_naive_matcher_has_it(rules, path)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), patterns), min_size=40, max_size=80), targets)
def test_many_rules_decide_as_the_naive_matcher_has_it(rules: list[tuple[bool, str]], path: str) -> None:
    assert_decided_as_the_naive_matcher_has_it(rules, path)


@given(st.text(max_size=60))
def test_a_spelling_is_final(text: str) -> None:
    once = normalize_target("/" + text)
    assert normalize_target(once) == once
    assert once.isascii()
    pattern = normalize_pattern(b"/" + text.encode("utf-8", "surrogatepass"))
    assert pattern is not None
    assert normalize_pattern(pattern.encode()) == pattern
