"""Records, read back by the rules of the standard."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config import Warc
from gossamer.fetch.recording import SpooledRecording
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.exchange import Exchange, TlsFacts, Truncation
from gossamer.model.fetchstatus import FetchStatus
from gossamer.warc.records import STREAM_ABOVE, Record, RecordBuilder

BUILDER = RecordBuilder(Warc())
INFO = "urn:uuid:00000000-0000-4000-8000-000000000000"


def parse(record: Record) -> tuple[dict[str, list[str]], bytes]:
    """Header fields and block of a record, checked for its length and its end."""
    data = record.to_bytes()
    assert data == b"".join(record.pieces())
    head, _, rest = data.partition(b"\r\n\r\n")
    version, *lines = head.decode("ascii").split("\r\n")
    assert version == "WARC/1.1"
    fields: dict[str, list[str]] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        fields.setdefault(name, []).append(value)
    assert rest.endswith(b"\r\n\r\n")
    block = rest[:-4]
    assert fields["Content-Length"] == [str(len(block))]
    assert fields["WARC-Record-ID"] == [f"<{record.record_id}>"]
    assert fields["WARC-Block-Digest"] == [label(block)]
    return fields, block


def label(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def test_an_exchange_becomes_three_records_tied_together(attempt: Callable[..., Attempt]) -> None:
    tried = attempt(b"<p>hello")
    assert tried.exchange is not None
    capture = BUILDER.capture(tried.exchange, tried, INFO)
    (response, raw), (request, sent), (metadata, facts) = map(parse, capture.records)
    assert tried.exchange.raw is not None
    assert raw == tried.exchange.raw.read()
    assert sent == tried.exchange.request
    assert facts.decode().splitlines() == [
        "via: https://example.org/",
        "hopsFromSeed: L",
        "sourceTag: https://example.org/",
        "fetchTimeMs: 250",
    ]
    assert [f["WARC-Type"] for f in (response, request, metadata)] == [["response"], ["request"], ["metadata"]]
    assert request["WARC-Concurrent-To"] == metadata["WARC-Concurrent-To"] == response["WARC-Record-ID"]
    assert response["WARC-Warcinfo-ID"] == [f"<{INFO}>"]
    assert "WARC-Warcinfo-ID" not in request | metadata
    for fields in (response, request, metadata):
        assert fields["WARC-Target-URI"] == ["https://example.org/page"]
        assert fields["WARC-Date"] == ["2023-11-14T22:13:20.123456Z"]
        assert fields["WARC-IP-Address"] == ["192.0.2.7"]
    assert response["Content-Type"] == ["application/http;msgtype=response"]
    assert response["WARC-Payload-Digest"] == [label(b"<p>hello")] == [capture.payload_digest]


def test_a_chunked_body_is_archived_and_hashed_as_transferred(attempt: Callable[..., Attempt]) -> None:
    body = b"5\r\nhello\r\n0\r\n\r\n"
    tried = attempt(body, head=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", unchunked=b"hello")
    response, block = parse(BUILDER.capture(tried.exchange, tried).records[0])
    assert block.endswith(body)
    assert response["WARC-Payload-Digest"] == [label(body)]


def test_behind_an_interim_response_no_payload_digest_is_claimed(attempt: Callable[..., Attempt]) -> None:
    head = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
    tried = attempt(b"hello", head=head)
    capture = BUILDER.capture(tried.exchange, tried)
    response, block = parse(capture.records[0])
    assert block == head + b"hello"
    assert "WARC-Payload-Digest" not in response
    assert capture.payload_digest == label(b"hello")


def test_a_large_response_is_streamed_and_the_same_in_every_byte(attempt: Callable[..., Attempt]) -> None:
    body = bytes(range(256)) * (STREAM_ABOVE // 128)
    tried = attempt(body)
    capture = BUILDER.capture(tried.exchange, tried)
    assert not isinstance(capture.records[0].block, bytes)
    response, block = parse(capture.records[0])
    assert block == tried.exchange.raw.read()
    assert response["WARC-Payload-Digest"] == [label(body)] == [capture.payload_digest]


@pytest.mark.parametrize("why", list(Truncation))
def test_a_body_that_is_not_whole_is_marked(attempt: Callable[..., Attempt], why: Truncation) -> None:
    tried = attempt(b"cut", truncated=why)
    response, _ = parse(BUILDER.capture(tried.exchange, tried).records[0])
    assert response["WARC-Truncated"] == [why.value]


def test_headers_that_never_ended_are_marked_and_not_called_http(attempt: Callable[..., Attempt]) -> None:
    tried = attempt(b"", head=b"SSH-2.0-OpenSSH", http_status=None, failure=FetchStatus.CONNECTION_LOST)
    capture = BUILDER.capture(tried.exchange, tried)
    response, block = parse(capture.records[0])
    assert block == b"SSH-2.0-OpenSSH"
    assert response["WARC-Truncated"] == ["disconnect"]
    assert response["Content-Type"] == ["application/octet-stream"]
    assert "WARC-Payload-Digest" not in response
    assert capture.payload_digest == ""


def test_where_nothing_came_back_there_is_no_record(attempt: Callable[..., Attempt]) -> None:
    for raw in (None, SpooledRecording(1024)):
        tried = attempt(raw=raw, http_status=None, failure=FetchStatus.EMPTY_RESPONSE)
        assert BUILDER.capture(tried.exchange, tried).records == ()


def test_the_protocols_and_the_cipher_are_named(attempt: Callable[..., Attempt]) -> None:
    tried = attempt(tls=TlsFacts("TLSv1.2", "ECDHE-RSA-AES128-GCM-SHA256", False, "self-signed\r\nX: y"))
    response, _ = parse(BUILDER.capture(tried.exchange, tried).records[0])
    assert response["WARC-Protocol"] == ["http/1.1", "tls/1.2"]
    assert response["WARC-Cipher-Suite"] == ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]
    _, facts = parse(BUILDER.capture(tried.exchange, tried).records[2])
    assert b"tlsFailure: self-signed??X: y\r\n" in facts


def test_a_protocol_that_is_none_is_not_named(attempt: Callable[..., Attempt]) -> None:
    tried = attempt(version="HTTP/1.1\r\nX: y", tls=TlsFacts("odd", "odd", True))
    response, _ = parse(BUILDER.capture(tried.exchange, tried).records[0])
    assert "WARC-Protocol" not in response
    assert "WARC-Cipher-Suite" not in response


def test_no_credentials_reach_a_request_record(attempt: Callable[..., Attempt]) -> None:
    tried = attempt(request=b"GET / HTTP/1.1\r\nAuthorization: Basic secret\r\nCookie: a=secret\r\n\r\n")
    hiding = RecordBuilder(Warc(hide_cookies=True))
    _, sent = parse(hiding.capture(tried.exchange, tried).records[1])
    assert b"secret" not in sent


def test_a_dns_answer_becomes_a_resource_record() -> None:
    answer = SimpleNamespace(
        host="example.org",
        server="192.0.2.53",
        looked_up=1_700_000_000.0,
        records=("example.org.\t300\tIN\tA\t192.0.2.7", "evil.\t1\tIN\tCNAME\tx\r\nWARC/1.1"),
    )
    fields, block = parse(BUILDER.dns(answer, INFO))
    assert fields["WARC-Warcinfo-ID"] == [f"<{INFO}>"]
    assert fields["WARC-Type"] == ["resource"]
    assert fields["WARC-Target-URI"] == ["dns:example.org"]
    assert fields["Content-Type"] == ["text/dns"]
    assert fields["WARC-IP-Address"] == ["192.0.2.53"]
    assert block == (b"20231114221320\nexample.org.\t300\tIN\tA\t192.0.2.7\nevil.\t1\tIN\tCNAME\tx?WARC/1.1\n")


def test_a_warcinfo_record_says_who_crawls_and_with_what() -> None:
    builder = RecordBuilder(Warc(operator="The Library", description="héritage"))
    fields, block = parse(
        builder.warcinfo("X-1.warc.gz", 0.0, {"software": "gossamer/1", "robots": "obey\r\nx: y", "empty": ""})
    )
    assert fields["WARC-Type"] == ["warcinfo"]
    assert fields["WARC-Filename"] == ["X-1.warc.gz"]
    assert "WARC-Warcinfo-ID" not in fields
    lines = block.decode().splitlines()
    assert "format: WARC File Format 1.1" in lines
    assert "operator: The Library" in lines
    assert "description: héritage" in lines
    assert "robots: obey??x: y" in lines
    assert "software: gossamer/1" in lines
    assert not any(line.startswith("empty") for line in lines)


@given(
    url=st.text(min_size=1),
    ip=st.text(),
    via=st.none() | st.text(),
    detail=st.text(),
    annotations=st.lists(st.text(), max_size=3),
    request=st.binary(),
    raw=st.binary(min_size=1, max_size=2000),
    body_start=st.integers(0, 2000),
)
def test_nothing_from_outside_breaks_out_of_its_place(
    url: str, ip: str, via: str | None, detail: str, annotations: list[str], request: bytes, raw: bytes, body_start: int
) -> None:
    recording = SpooledRecording(10_000)
    recording.append(raw)
    body_start = min(body_start, len(raw))
    exchange = Exchange(url, request, recording, body_start, 200, ip=ip, detail=detail, annotations=annotations)
    curi = CrawlURI(url=url, class_key=ClassKey("x"), identity=Identity(b""), via=via)
    capture = BUILDER.capture(exchange, Attempt(curi, 1, exchange=exchange))
    blocks = []
    for record in capture.records:
        fields, block = parse(record)
        blocks.append(block)
        repeated = {name for name, values in fields.items() if len(values) > 1} - {"WARC-Protocol"}
        assert not repeated
        assert all(name.startswith("WARC-") or name in ("Content-Type", "Content-Length") for name in fields)
    assert blocks[0] == raw
    assert capture.payload_digest == label(raw[body_start:])
