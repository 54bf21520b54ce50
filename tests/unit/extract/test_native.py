"""The native reader finds what the Python readers find, on any page, and is only used where it can be.

With GOSSAMER_PAGES=FOLDER it is compared on every page below that folder, too.
"""

from __future__ import annotations

import html
import os
from html.entities import html5
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.site import DemoSite
from gossamer.errors import ConfigError
from gossamer.extract import PageExtractor, native
from gossamer.extract.base import Extraction
from gossamer.extract.charset import declared_in, detect
from gossamer.extract.cost import MAX_TREE_BYTES
from gossamer.extract.headers import ContentType, content_type_of
from gossamer.extract.html import HtmlExtractor
from gossamer.extract.native import Engine, html_extractor
from gossamer.extract.text import anchor_text
from gossamer.url.parse import resolve_all
from gossamer.util.native import problem_of
from tests.support.native import NEEDS_NATIVE

PAGE = "http://e.org/dir/page?q"
FOLDERS = (Path("/usr/share/doc"),)
PAGES_VARIABLE = "GOSSAMER_PAGES"
ENGINES: tuple[Engine, ...] = ("native", "python")


def told(found: Extraction) -> dict[str, Any]:
    """All that an extraction says."""
    document = found.document
    assert document is not None
    return {
        "links": [(link.url, link.hop, link.element, link.rel, link.text) for link in found.outlinks],
        "dropped": found.dropped_outlinks,
        "directives": (found.is_noindex, found.is_nofollow),
        "charset": found.charset,
        "facts": (document.title, document.language, document.meta),
    }


def both(
    data: bytes, content_type: str = "text/html", *, url: str = PAGE, max_outlinks: int = 6000
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the native reader and the scanner say of a page; of HTML a page large enough is read by the scanner."""
    if content_type == "text/html":
        data += b" " * MAX_TREE_BYTES
    headers = [(b"link", b"</from-header>; rel=next")]
    by_native, by_python = (
        told(
            html_extractor(engine, max_outlinks, "gossamer").extract(
                data, url, ContentType(content_type, content_type_of(headers).charset), headers
            )
        )
        for engine in ENGINES
    )
    return by_native, by_python


PIECES = st.sampled_from(
    "<a href=x>|<a href='|<a\nHREF = \"y\" rel='nofollow ugc'>|</a>|<base href=/b/>|<base target=t>|<meta name=robots content="
    "'NoIndex, none'>|<META http-equiv=refresh content=\"1; URL = 'z' \">|<meta name=gossamer content=nofollow>|<img src=i "
    "srcset='a, b(,) 2x,,c, d 1x'>|<img srcset=',,e,f 100w'>|<source srcset=g src=' '>|<link rel='ICON x' href=l>|<link "
    "href=m>|<link rel=preconnect href=n>|<link rel=next href=o>|<area href=p><input src=q>|<video src=r><track src=s>"
    "|<template>|<template shadowrootmode=open>|</template>|<svg>|<svg/>|</svg>|<math>|<script>|<script src=t>|</script>"
    "|<script/>|<!--|-->|--!>|<!-->|<!DOCTYPE html>|<![CDATA[|]]>|<?x ?>|</|</ >|<title>|<title/>|</title>|<TextArea>"
    "|</textarea >|<style>|</style|<iframe src=u>|</iframe>|<xmp>|<plaintext>|<noscript>|\0|é|&amp;|&#x26;|&notin;|&copy=|'|\""
    "|>|<| |/|=|#f|a b|//f.org/|http://g.org|javascript:|?|..|<html lang=de>|<a href='&#0;&#151;&lt;'>|<a x href>".split(
        "|"
    )
)
SOUP = st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode())


LABELS = st.sampled_from(
    '<meta charset=koi8-r>|<meta charset=\'|<META Charset = "UTF-8">|<meta charset=&#x212a;oi8-r>|<meta charset>|<meta '
    "http-equiv=Content-Type content='text/html; charset=big5'>|<meta content='charset = \"greek\"' http-equiv=content-type "
    ">|<meta http-equiv='content-type' content=\"chars\u017ft=gbk, charset=l1;\">|<meta http-equiv=content-type>|<meta charset="
    "nonsense>|<meta charset=\u212aoi8-u>|<meta charset=' arabic\n'>|<!--|-->|<title>|</title>|<template>|<svg>|<script>|"
    "<meta http-equiv=content-type&#32; content=charset=big5>|<p é ö>|<|'|\"|>|charset=big5|<?xml encoding='cp866'?>".split(
        "|"
    )
)


@NEEDS_NATIVE
@settings(max_examples=400)
@given(st.lists(LABELS, max_size=12).map(lambda parts: "".join(parts).encode()))
def test_both_find_the_same_encoding(data: bytes) -> None:
    assert detect(data, None, native._declared_in) == detect(data)
    head = data.decode("latin-1")
    assert list(native._declared_in(head)) == list(declared_in(head))


@NEEDS_NATIVE
@settings(max_examples=400)
@given(st.one_of(SOUP, st.binary(max_size=100)), st.booleans(), st.sampled_from([1, 3, 6000]))
def test_both_say_the_same_of_any_tag_soup(data: bytes, is_xml: bool, max_outlinks: int) -> None:
    found, expected = both(data, "application/xhtml+xml" if is_xml else "text/html", max_outlinks=max_outlinks)
    assert found == expected


@NEEDS_NATIVE
@pytest.mark.parametrize(
    "source",
    [
        "<a href='&notit;&copy=1&ampx&#9999999999999;&#" + "9" * 5000 + ";'>x",
        "<a " + "a " * 300 + "href=x>",
        "<a " + "é " * 3000 + "href=x>",
        "<a " + "a " * 3000 + "href=x>",
        "<base>" * 99 + "<base href=/1/><base href=/2/><a href=x>",
        "<base>" * 100 + "<base href=/1/><a href=x>",
        "".join(f"<a href={number}>" for number in range(1500)) + "<base href=/late/>",
        "<img srcset='" + ", ".join(f"{number}.png {number}w" for number in range(500)) + "'>",
        "<script><!--<script></script><a href=1>--></script><a href=2>",
        "<a rel=a\u2003b href=x>\u2003y\u3000z<b>&nbsp;</b></a><link rel='\u212ac\u00a0icon' href=i>",
        "<a href='x'>" + "é" * 5000,
        "<a href=x>" + "\U0001f577" * 4096 + "y",
        "<meta name=' KEYWORDS' content='a&amp;b'><meta name=keywords content=c><meta http-equiv=X content=d>",
        "".join(f"<meta name=n{number} content=c>" for number in range(1100)),
        "<meta name=robots content='noindex\u00a0, NONE\x1c'>",
        "<meta http-equiv=' Refresh ' content=' 5.0,URL=\"a\" b'><meta http-equiv=refresh content=url=x>",
    ],
)
def test_both_say_the_same_of_what_is_at_an_edge(source: str) -> None:
    found, expected = both(source.encode())
    assert found == expected


@NEEDS_NATIVE
@pytest.mark.parametrize("limit", [1, 2, 999, 1000, 1001, 2500, 3100])
def test_both_count_the_same_links_beyond_the_limit(limit: int) -> None:
    source = "".join(f"<a href={number % 2800}>" for number in range(3000)) + "<a href=./1><a href=2799#x>"
    found, expected = both(source.encode(), max_outlinks=limit)
    assert found == expected


@NEEDS_NATIVE
def test_every_named_reference_is_known() -> None:
    source = "".join(f"<a href='/&{name}/{name}'>" for name in html5)
    found, expected = both(source.encode())
    assert found == expected


@NEEDS_NATIVE
@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf<a href=x>\xe4",
        b"<a href='\xe4\xff\xf0\x9f\x92'>\xc3</a>",
        "<p>text</p><a href=ö>ö".encode("utf-16"),
    ],
)
def test_both_read_broken_and_wide_bytes_alike(data: bytes) -> None:
    found, expected = both(data)
    assert found == expected


BASES = (
    "http://e.org/", "http://e.org/a/b/c?d=e", "https://e.org:8443/a//b/", "http://user:pw@e.org/x", "http://[::1]/a",
    "http://1.2.3.4:8080/x/y/z", "http://e.org./a", "http://e.org/%7Ea/?", "ftp://e.org/a",
)  # fmt: skip
REFERENCE_PARTS = st.sampled_from(
    "a|b.html|.|..|...|/|//|?|#|%20|%2e|%2E.|%zz|:|;|@|&|'|\"|(|)|[|]|\\|^|`|{|}|\\||~|!|$|*|+|,|=| |\t|\n|ü|\u3002|xn--|xn--4ca"
    "|http:|https:|HTTP:|ftp:|mailto:|javascript:|e.org|E.org|f.org|a_b.c|-a-.org|ab--c.org|1.2.3.4|0x7f.1|1|:80|:443|:8443|:0|[::1]"
    "|1.2.3.4:8080|user@|a..b|.org|\x7f|<|>".split("|")
)


@NEEDS_NATIVE
@settings(max_examples=1000)
@given(st.sampled_from(BASES), st.lists(st.lists(REFERENCE_PARTS, max_size=7).map("".join), max_size=8))
@example(
    "http://e.org/a/b/c",
    ["../../../x", "..", ".", "./", "../", "a/..", "a/.", "//e.org", "//e.org?x", "?", "a?b/../c", ""],
)
@example(
    "http://e.org/a/b/c", ["http://" + "a" * 63 + ".org", "http://" + "a" * 64 + ".org", "http://" + "a." * 127 + "b"]
)
@example("http://e.org/a/b", ["file:///x", "git+ssh:y", "1:x", "a_b:c", "-:d", "Http:x", "HTTPS:y", "x.y-z:w", "x%3a:"])
@example("http://e.org/", ["/" + "x" * 65_535, "/" + "x" * 65_536, "/" + "ä" * 40_000, "javascript:" + "x" * 70_000])
def test_references_are_resolved_as_by_the_parser(base: str, references: list[str]) -> None:
    source = "".join(f'<a href="{html.escape(reference)}">' for reference in references)
    found = html_extractor("native", 6000, "gossamer").extract(
        source.encode(), base, ContentType("text/html", None), []
    )
    heads = [reference for reference in references if not reference.startswith("#")]
    assert [link.url for link in found.outlinks] == list(dict.fromkeys(filter(None, resolve_all(base, heads))))


@NEEDS_NATIVE
def test_both_say_the_same_of_every_page_of_the_demo_site() -> None:
    site = DemoSite(DemoPlan(pages=30), ["e.org"])
    for url in site.expected():
        data = site.find(0, url.removeprefix("http://e.org")).answer(0).body
        found, expected = both(data, url=url)
        assert found == expected, url


@NEEDS_NATIVE
def test_the_tree_finds_the_same_on_real_pages() -> None:
    folders = [Path(os.environ[PAGES_VARIABLE])] if PAGES_VARIABLE in os.environ else FOLDERS
    pages = [page for folder in folders for page in sorted(folder.rglob("*.html")) if page.is_file()]
    if not pages:
        pytest.skip(f"no page below {', '.join(map(str, folders))}; {PAGES_VARIABLE}=FOLDER names another folder")
    by_tree = HtmlExtractor(6000, "gossamer")
    for page in pages if PAGES_VARIABLE in os.environ else pages[:300]:
        data = page.read_bytes()
        found, expected = both(data)
        assert found == expected, page
        urls = {link.url for link in by_tree.extract(data, PAGE, ContentType("text/html", None), []).outlinks}
        assert {link[0] for link in found["links"]} - {"http://e.org/from-header"} == urls, page


WORST = 300_000


@NEEDS_NATIVE
@pytest.mark.parametrize(
    "unit",
    "<|<a |<a|</a |<!--|<!|<a href=|<a href='|<script>|<script><!--|<title>|<svg>|<template>|<a<a|<a =|&amp|<a href=&x>|&"
    "|<textarea></textarea|-->|<p x=\"'|<a href='&#1|<div>|<i id=k>|<base>|<img srcset=,,|<script>-->|/..".split("|"),
)
def test_what_is_repeated_without_end_is_read_to_its_end(unit: str) -> None:
    # Quadratic work on so much would not end within a test's patience.
    extractor = html_extractor("native", 6000, "gossamer")
    extractor.extract((unit * WORST).encode(), PAGE, ContentType("text/html", None), [])
    extractor.extract(f"<a href='{unit * 30_000}'>".encode(), PAGE, ContentType("text/html", None), [])


@NEEDS_NATIVE
def test_a_link_looks_like_any_other() -> None:
    found = html_extractor("native", 6000, "gossamer").extract(
        b"<a href=x rel=r>t</a>", PAGE, ContentType("text/html", None), []
    )
    (link,) = found.outlinks
    assert repr(link) == "Outlink('http://e.org/dir/x', 'L', 'a@href')"
    with pytest.raises(AttributeError):
        link.url = "http://f.org/"


def test_python_reads_where_the_extension_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "gossamer_native", None)
    assert isinstance(html_extractor("auto", 10, "gossamer"), HtmlExtractor)
    with pytest.raises(ConfigError, match=r"extraction\.engine is native, but gossamer_native is not installed"):
        PageExtractor(10, "gossamer", "native")


def test_an_extension_of_another_protocol_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other = ModuleType("gossamer_native")
    assert "speaks protocol None" in problem_of(other)
    monkeypatch.setattr(native, "gossamer_native", other)
    assert isinstance(html_extractor("auto", 10, "gossamer"), HtmlExtractor)
    assert "pages are read without the native extension" in caplog.text
    with pytest.raises(ConfigError, match="scripts/native"):
        html_extractor("native", 10, "gossamer")


LINK_TEXTS = st.lists(
    st.sampled_from(
        [b"a", b" ", b"<b>", b"</a", b"</A>", b"<a ", b"</abbr>", b">", b"<", b"\xe4", b"\xc3\xa4", b"&amp;", b"x" * 99]
    )
).map(b"".join)


@given(st.integers(4090, 4100) | st.just(0), LINK_TEXTS)
def test_the_text_of_a_link_is_cut_where_it_ends_before_it_is_decoded(blanks: int, source: bytes) -> None:
    source = b" " * blanks + source
    assert native._text_of_link(source) == anchor_text(source.decode("utf-8", "replace"), 0)
