"""Where a payload begins to every reader."""

from __future__ import annotations

import pytest

from gossamer.warc.payload import has_plain_head


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\nA: b\r\n folded\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: caf\xe9\r\n\r\n",
        b"HTTP/1.1 200 OK\nA: b\r\n\r\n",
        b"ICY 200 OK\r\nA: b\r\n\r\n",
    ],
)
def test_a_head_with_one_empty_line_at_its_end_is_plain(head: bytes) -> None:
    assert has_plain_head(head)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nConte",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\nA: b\n\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n\n",
        b"HTTP/1.1 200 OK\nA: b\n\r\n",
        b"HTTP/1.1 200 OK\n\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n \t\r\nC: d\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\xa0\r\nC: d\r\n\r\n",
        b"\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\rA: b\r\r",
    ],
)
def test_a_head_over_which_readers_differ_is_not_plain(head: bytes) -> None:
    assert not has_plain_head(head)
