"""The links and the document of a page, by every reader: the tree, the scanner and the native one."""

from __future__ import annotations

import random
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.base import Extraction
from gossamer.extract.cost import MAX_TREE_BYTES
from gossamer.extract.headers import ContentType, content_type_of
from gossamer.extract.native import html_extractor
from tests.support.native import NEEDS_NATIVE

PAGE = "http://e.org/dir/page?q"
READERS = pytest.mark.parametrize("reader", ["tree", "scanner", pytest.param("native", marks=NEEDS_NATIVE)])
EXTRACTORS = pytest.mark.parametrize("reader", ["tree", pytest.param("native", marks=NEEDS_NATIVE)])


def extract(
    source: str | bytes,
    *,
    reader: str = "tree",
    content_type: str = "text/html",
    headers: list[tuple[bytes, bytes]] | None = None,
    max_outlinks: int = 6000,
) -> Extraction:
    """A page large enough is read by the scanner."""
    data = source if isinstance(source, bytes) else source.encode()
    padding = b" " * MAX_TREE_BYTES if reader == "scanner" else b""
    extractor = html_extractor("native" if reader == "native" else "python", max_outlinks, "gossamer")
    declared = ContentType(content_type, content_type_of(headers or []).charset)
    return extractor.extract(data + padding, PAGE, declared, headers or [])


def urls(extraction: Extraction) -> list[str]:
    return [link.url for link in extraction.outlinks]


@READERS
def test_every_kind_of_link_is_found_with_its_hop_and_place(reader: str) -> None:
    found = extract(
        "<html><head><link rel=stylesheet href=s.css><link rel=next href=n><script src=j.js></script></head><body>"
        "<a href=a rel='nofollow me'>A</a><map><area href=r></map><img src=i.png><iframe src=f></iframe>"
        "<img srcset='x.png 1x, y.png 2x'><picture><source srcset=z.webp></picture></body></html>",
        reader=reader,
    )
    assert sorted((link.url.removeprefix("http://e.org/dir/"), link.hop, link.element) for link in found.outlinks) == [
        ("a", "L", "a@href"),
        ("f", "E", "iframe@src"),
        ("i.png", "E", "img@src"),
        ("j.js", "E", "script@src"),
        ("n", "L", "link@href"),
        ("r", "L", "area@href"),
        ("s.css", "E", "link@href"),
        ("x.png", "E", "img@srcset"),
        ("y.png", "E", "img@srcset"),
        ("z.webp", "E", "source@srcset"),
    ]
    anchor = next(link for link in found.outlinks if link.element == "a@href")
    assert (anchor.rel, anchor.text) == ("nofollow me", "A")


@READERS
def test_frames_and_refreshes_are_links(reader: str) -> None:
    assert urls(extract("<frameset><frame src=f1><frame src=f2></frameset>", reader=reader)) == [
        "http://e.org/dir/f1",
        "http://e.org/dir/f2",
    ]
    found = extract("<META HTTP-EQUIV=REFRESH CONTENT=\"0; URL='/next'\">", reader=reader)
    assert [(link.url, link.hop) for link in found.outlinks] == [("http://e.org/next", "L")]
    found = extract("<body><noscript><meta http-equiv=refresh content=0;url=/noscript></noscript>", reader=reader)
    assert urls(found) == ["http://e.org/noscript"]


@READERS
def test_links_stand_in_the_order_of_the_page_and_each_once(reader: str) -> None:
    found = extract("<a href=b>1</a><img src=a><a href=b>2</a><a href=./b#x>3</a><a href=c>4</a>", reader=reader)
    assert [(link.url, link.text) for link in found.outlinks] == [
        ("http://e.org/dir/b", "1"),
        ("http://e.org/dir/a", ""),
        ("http://e.org/dir/c", "4"),
    ]


@READERS
@pytest.mark.parametrize(
    ("base", "resolved"),
    [
        ("<base href='/other/'>", "http://e.org/other/x"),
        ("<base href='http://f.org/d/e'>", "http://f.org/d/x"),
        ("<base href='sub/'>", "http://e.org/dir/sub/x"),
        ("<base href='/1/'><base href='/2/'>", "http://e.org/1/x"),
        ("<base target=_blank><base href='/2/'>", "http://e.org/2/x"),
        ("<base href=''><base href='/2/'>", "http://e.org/dir/x"),
        ("<base href='javascript:void(0)'>", "http://e.org/dir/x"),
        ("<base href='data:,x'><base href='/2/'>", "http://e.org/dir/x"),
        ("<base href='http://'>", "http://e.org/dir/x"),
        ("<!-- <base href='/2/'> -->", "http://e.org/dir/x"),
        ("<BASE HREF=' /2/\n'>", "http://e.org/2/x"),
    ],
)
def test_the_first_base_with_an_href_counts_if_it_is_a_url(base: str, resolved: str, reader: str) -> None:
    assert urls(extract(f"<head>{base}</head><a href=x>", reader=reader)) == [resolved]
    assert urls(extract(f"<a href=x>{base}", reader=reader)) == [resolved]


@READERS
@pytest.mark.parametrize(
    "source",
    [
        "<!-- <a href=no> -->",
        "<script>'<a href=no>'</script>",
        "<style><a href=no></style>",
        "<title><a href=no></title>",
        "<textarea><a href=no></textarea>",
        "<p title='<a href=no>'>",
        "<template><a href=no><img src=no></template>",
        "<a href='#top'><a href='#'>",
        "<a name=no>",
        "<a href='javascript:void(0)'><a href='JaVaScRiPt\t:no'><a href=mailto:no@e.org><a href=tel:1>",
        "<a href='data:text/html,<a href=no>'>",
        "<a href='http://a..b/'><a href='http://h:0/'><a href='http://h:99999/'><a href='//'>",
        "<img src=''><img src=' '><script src></script>",
        "<link rel=preconnect href=//no>",
        "<meta http-equiv=refresh content=300>",
        "<div href=no src=no>",
    ],
)
def test_what_is_no_link_is_not_taken_for_one(source: str, reader: str) -> None:
    assert urls(extract(source, reader=reader)) == []


@READERS
@pytest.mark.parametrize(
    ("written", "url"),
    [
        (" \n/a\tb\r\n ", "http://e.org/ab"),
        ("/a b", "http://e.org/a%20b"),
        ("/a&amp;b", "http://e.org/a&b"),
        ("/a?b=1&copy=2", "http://e.org/a?b=1&copy=2"),
        ("/a\0b", "http://e.org/a%EF%BF%BDb"),
        ("/%zz%41%e9", "http://e.org/%zz%41%e9"),
        ("/%2e%2e/x", "http://e.org/x"),
        ("/ä?ö", "http://e.org/%C3%A4?%C3%B6"),
        ("\\\\f.org\\x", "http://f.org/x"),
        ("/a #b", "http://e.org/a%20"),
        ("", PAGE),
        ("?r", "http://e.org/dir/page?r"),
    ],
)
def test_a_reference_is_read_as_a_browser_reads_it(written: str, url: str, reader: str) -> None:
    assert urls(extract(f'<a href="{written}">', reader=reader)) == [url]


@READERS
def test_a_page_may_ask_not_to_be_indexed_or_followed(reader: str) -> None:
    found = extract("<meta name=ROBOTS content='NoIndex, NOFOLLOW'><a href=x>", reader=reader)
    assert (found.is_noindex, found.is_nofollow) == (True, True)
    assert urls(found) == ["http://e.org/dir/x"]
    found = extract("<meta name=gossamer content=noindex><meta name=other content=nofollow>", reader=reader)
    assert (found.is_noindex, found.is_nofollow) == (True, False)
    found = extract("x", reader=reader, headers=[(b"x-robots-tag", b"nofollow")])
    assert (found.is_noindex, found.is_nofollow) == (False, True)


@READERS
def test_links_in_headers_come_first(reader: str) -> None:
    found = extract("<base href=/b/><a href=x>", reader=reader, headers=[(b"link", b"<y>; rel=next")])
    assert urls(found) == ["http://e.org/dir/y", "http://e.org/b/x"]


@READERS
def test_beyond_the_limit_links_are_counted(reader: str) -> None:
    source = "".join(f"<a href=/{number}>" for number in range(100)) + "<a href=/1>"
    found = extract(source, reader=reader, max_outlinks=10)
    assert urls(found) == [f"http://e.org/{number}" for number in range(10)]
    assert found.dropped_outlinks == 90


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "cp1252", "shift_jis"])
@EXTRACTORS
def test_links_are_found_in_any_encoding(codec: str, reader: str) -> None:
    source = f"<html><head><meta charset={codec}></head><body><p>some text</p><a href=/x>y</a></body></html>"
    assert urls(extract(source.encode(codec), reader=reader)) == ["http://e.org/x"]


@READERS
def test_a_link_is_decoded_in_the_charset_of_the_page(reader: str) -> None:
    headers = [(b"content-type", b"text/html; charset=iso-8859-1")]
    found = extract("<a href='/\xe4?\xe4'>\xe4</a>".encode("latin-1"), reader=reader, headers=headers)
    assert [(link.url, link.text) for link in found.outlinks] == [("http://e.org/%C3%A4?%C3%A4", "ä")]
    assert found.charset == "windows-1252"


@EXTRACTORS
def test_xhtml_elements_close_themselves(reader: str) -> None:
    source = b"<html xmlns='http://www.w3.org/1999/xhtml'><script src='s.js'/><title/><a href='x'/></html>"
    found = extract(source, reader=reader, content_type="application/xhtml+xml")
    assert urls(found) == ["http://e.org/dir/s.js", "http://e.org/dir/x"]


@EXTRACTORS
def test_a_shadow_root_is_part_of_the_page(reader: str) -> None:
    source = "<div><template shadowrootmode=open><a href=x></template></div><a href=y>"
    assert urls(extract(source, reader=reader)) == [
        "http://e.org/dir/x",
        "http://e.org/dir/y",
    ]


@READERS
def test_a_document_tells_its_facets(reader: str) -> None:
    document = extract(
        "<!DOCTYPE html><html lang=de><head><title> A\n title &amp; more </title><meta name=Author content=me>"
        "<meta name=author content=other><meta http-equiv=X-Y content=z><meta name=empty></head>"
        "<body><h1>Head</h1><p class=x>Te<b>xt</b></p><script>no</script></body></html>",
        reader=reader,
    ).document
    assert document is not None
    assert document.title == "A title & more"
    assert document.language == "de"
    assert document.meta == {"author": "me", "x-y": "z", "empty": ""}
    assert document.text == "Head\nText"
    assert [node.text() for node in document.select("p.x")] == ["Text"]
    assert document.html.startswith("<!DOCTYPE html><html lang=de>")


@READERS
def test_an_empty_document_has_empty_facets(reader: str) -> None:
    document = extract(b"", reader=reader).document
    assert document is not None
    assert (document.title, document.language, document.meta, document.text) == ("", None, {}, "")
    assert document.select("p") == []


DEEP = 100_000


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * DEEP + "<a href=x>",
        "<div>" * DEEP + "<a href=x></a>" + "</div>" * DEEP,
        "<b>" * DEEP + "<div>" * DEEP + "</b>" * DEEP + "<a href=x>",
        "<p " + "".join(f"a{number} " for number in range(DEEP)) + "><a href=x>",
        "".join(f"<body a{number}>" for number in range(DEEP)) + "<a href=x>",
        "<a href=x>" + "<a href='" + "y" * 5_000_000,
        "<a href=x>" + "<font color=1><table>" * DEEP,
    ],
    ids=["open", "closed", "formatting", "attributes", "bodies", "attribute", "fonts"],
)
@EXTRACTORS
def test_what_would_cost_a_tree_dear_is_read_without_one(source: str, reader: str) -> None:
    found = extract(source, reader=reader)
    assert urls(found) == ["http://e.org/dir/x"]
    assert found.document is not None
    found.document.select("p")
    assert found.document.title == ""


REFERRING = {"a": "href", "area": "href", "img": "src", "script": "src", "iframe": "src", "frame": "src"}


class NaiveLinks(HTMLParser):
    """Another parser's view of the same page."""

    def __init__(self) -> None:
        super().__init__()
        self.base: str | None = None
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(reversed(attrs))
        if tag == "base" and self.base is None:
            self.base = attributes.get("href")
        value = attributes.get(REFERRING.get(tag, ""))
        if value is not None and not value.startswith("#"):
            self.found.append(value)

    def urls(self, page: str) -> set[str]:
        base = urljoin(page, self.base or "")
        return {urldefrag(urljoin(base, reference)).url for reference in self.found}


def synthetic_page(seed: int) -> str:
    """A page as people and templates write them: well-formed in parts, careless in others."""
    pick = random.Random(seed)
    references = ["a.html", "../b/c", "/d?e=f&amp;g=h", "//f.org/i", "http://f.org/j#k", "?l", "#m", "n%20o", "./p"]
    names = ["div", "p", "span", "b", "li", "td", "section", "em", "h2"]
    parts = ["<!DOCTYPE html>\n<html lang=en><head><title>Page</title>"]
    if pick.random() < 0.3:
        parts.append('<base href="/base/">')
    parts.append("</head><body class='x'>")
    for _ in range(pick.randint(5, 120)):
        reference = f"{pick.choice(references)}{pick.choice(['', pick.randint(1, 99)])}"
        name = pick.choice(names)
        quote = pick.choice(["'", '"'])
        parts.append(
            pick.choice(
                [
                    f"<a class=x href={quote}{reference}{quote} title='t'>text</a>",
                    f"<A\n  HREF = {quote}{reference}{quote} >text</A>",
                    f"<a href={reference.replace('&amp;', '&')}>text",
                    f"<img alt='>' src={quote}{reference}{quote}/>",
                    f"<script src={quote}{reference}{quote}></script>",
                    f"<iframe src={quote}{reference}{quote}></iframe>",
                    f"<{name} data-x={quote}&lt;a href=no&gt;{quote}>some text &amp; more",
                    f"</{name}>",
                    f"<!-- <a href={quote}{reference}{quote}> -->",
                    "<script>if (a < b && c > d) document.write('<a href=no>')</script>",
                    "<style>p > a { color: red }</style>",
                    "<br><hr/>",
                    "1 < 2 and 3 > 2",
                ]
            )
        )
    return "\n".join([*parts, "</body></html>"])


@pytest.mark.parametrize("seed", range(60))
def test_both_readers_and_another_parser_find_the_same_links(seed: int) -> None:
    source = synthetic_page(seed)
    naive = NaiveLinks()
    naive.feed(source)
    by_tree = extract(source)
    by_scanner = extract(source, reader="scanner")
    assert set(urls(by_tree)) == naive.urls(PAGE)
    assert [(link.url, link.hop, link.element, link.rel) for link in by_tree.outlinks] == [
        (link.url, link.hop, link.element, link.rel) for link in by_scanner.outlinks
    ]


FRAGMENTS = st.sampled_from(
    "<a href=x>|<a href='|<base href=y>|<meta charset=utf-16>|<img srcset='a, b 2x'>|<template>|\0"
    "|<meta http-equiv=refresh content='1;url=z'>|<svg>|<script>|<!--|-->|<title>|é|'|>|<".split("|")
)


@given(st.one_of(st.binary(max_size=200), st.lists(FRAGMENTS, max_size=20).map(lambda parts: "".join(parts).encode())))
def test_no_page_makes_the_extractor_or_its_document_raise(data: bytes) -> None:
    for reader in ("tree", "scanner"):
        found = extract(data, reader=reader)
        document = found.document
        assert document is not None
        assert isinstance(document.title + document.text + document.html, str)
        assert document.meta is not None
        assert all(link.url.startswith(("http://", "https://")) and link.text is not None for link in found.outlinks)
