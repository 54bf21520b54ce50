"""What a style sheet fetches."""

from __future__ import annotations

import pytest

from gossamer.extract.css import MAX_REFERENCES, references_of_sheet
from gossamer.extract.dispatch import PageExtractor
from gossamer.extract.headers import ContentType


def found(source: str) -> list[str]:
    return [reference for reference, _, _ in references_of_sheet(source)]


@pytest.mark.parametrize(
    ("source", "references"),
    [
        ("a{background:url(a.png)}", ["a.png"]),
        ("a{background:URL( 'a b.png' )} b{src:url(\"c.woff2\") format('woff2'),url(d.ttf)}", ["a b.png", "c.woff2", "d.ttf"]),
        ("@import 'one.css'; @IMPORT \"two.css\" print; @import url(three.css);", ["one.css", "two.css", "three.css"]),
        ("/* url(no.png) */ a{b:url(yes.png)} /* url(open.png)", ["yes.png"]),
        ('a{content:"url(no.png)"} a{content:\'@import "no.css"\'} b{c:url(yes.png)}', ["yes.png"]),
        (r"a{b:url(a\(1\).png)} c{d:url('\61 b\26 c')}", ["a(1).png", "ab&c"]),
        (r"a{b:url('\0 x')} a{b:url('\d800 y')}", ["\ufffdx", "\ufffdy"]),
        ("@import'a.css';@import\"b.css\";c{d:url(e)}", ["a.css", "b.css", "e"]),
        ("a{b:url()} a{b:url('')} a{b:url(a b)} a{b:myurl(x)}", []),
        ("a{b:url(unclosed", []),
        ("@namespace url(http://w.test/1999/xhtml); @NAMESPACE svg url( 'no' ); a{b:url(yes.png)}", ["yes.png"]),
        ("@namespace 'no'; @namespace; @namespace a{b:url(yes.png)} @namespaces{c:url(d)}", ["yes.png", "d"]),
    ],
)  # fmt: skip
def test_urls_and_imports_are_found_as_a_browser_finds_them(source: str, references: list[str]) -> None:
    assert found(source) == references


def test_a_sheets_references_are_embeds_relative_to_the_sheet_and_nothing_else_is_a_link() -> None:
    sheet = b"@import 'b.css'; a{b:url(/i.png)} c{d:url(data:image/gif;base64,AA)} e{f:url(//o.test/x)} g{h:url(#svg)}"
    extractor = PageExtractor(100, "gossamer")
    extraction = extractor.extract(sheet, "http://host.test/css/a.css", ContentType("text/css", None), [])
    assert [(link.url, link.hop, link.element) for link in extraction.outlinks] == [
        ("http://host.test/css/b.css", "E", "css@import"),
        ("http://host.test/i.png", "E", "css@url"),
        ("http://o.test/x", "E", "css@url"),
    ]
    assert extractor.extract(sheet, "http://host.test/a.txt", ContentType("text/plain", None), []).outlinks == []


@pytest.mark.parametrize(
    "piece", ["url(", "url( ", 'url("', "url('a\" ", "/*", "\\", 'url("\\"', '"\\', "@import ", "url(\\", "'"]
)
def test_a_sheet_made_to_hurt_is_read_in_one_pass(piece: str) -> None:
    assert len(found(piece * 100_000 + "\\")) <= MAX_REFERENCES  # with the square of it this would take hours


def test_a_sheet_gives_so_many_and_no_more() -> None:
    assert len(found("url(a)" * (MAX_REFERENCES + 5))) == MAX_REFERENCES
