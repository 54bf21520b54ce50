"""The index."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.config import Warc
from gossamer.model.attempt import Attempt
from gossamer.warc import RecordBuilder, cdxj_lines
from gossamer.warc.cdx import url_key
from gossamer.warc.writer import WarcFile


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.com/A/b?z=1&a=2", "com,example)/a/b?a=2&z=1"),
        ("https://example.org:8443/", "org,example:8443)/"),
        ("http://1.2.3.4/x/", "4,3,2,1)/x"),
        ("http://example.org/?", "org,example)/"),
        ("http://www2.example.org./index.html", "org,example)/index.html"),
        ("http://[::1]/q", "::1)/q"),
        ("dns:example.org", "dns:example.org"),
    ],
)
def test_spellings_of_one_page_have_one_key(url: str, key: str) -> None:
    assert url_key(url) == key


def test_each_capture_has_one_line(tmp_path: Path, attempt: Callable[..., Attempt]) -> None:
    (tmp_path / "warcs").mkdir()
    builder = RecordBuilder(Warc())
    file = WarcFile(tmp_path, "warcs/X.warc.gz", 0, 2, create=True)
    file.append([builder.warcinfo("X.warc.gz", 0.0, {})])
    tried = attempt(b"hello", head=b"HTTP/1.1 404 No\r\nContent-Type: text/HTML; charset=x\r\n\r\n")
    spans = file.append(builder.capture(tried.exchange, tried).records)
    (line,) = cdxj_lines(tmp_path / "warcs" / "X.warc.gz.open")
    file.drop()
    key, moment, fields = line.split(" ", 2)
    assert (key, moment) == ("org,example)/page", "20231114221320")
    assert json.loads(fields) == {
        "url": "https://example.org/page",
        "mime": "text/HTML",
        "status": "404",
        "digest": tried.digest or "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N",
        "length": str(spans[0].end - spans[0].start),
        "offset": str(spans[0].start),
        "filename": "X.warc.gz",
    }
