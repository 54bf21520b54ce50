"""WARC/1.1 records: from an exchange, a DNS answer or a new file to what is written about it.

A captured exchange becomes three records, tied by WARC-Concurrent-To: `response`, exactly the bytes that came over the
wire; `request`, as sent but for secrets (see `secrets`); `metadata`, why and how it was fetched. A response cut short
says so in WARC-Truncated. Where nothing came back there is nothing to archive, and no record is made.

A Record is a head and a block, not yet compressed. Small blocks are bytes; a response above STREAM_ABOVE stays in its
Recording and is hashed and compressed piece by piece, in a thread.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import msgspec

from gossamer.config import Warc
from gossamer.model.attempt import Attempt
from gossamer.model.exchange import Exchange, Recording, TlsFacts, Truncation
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.percent import one_word
from gossamer.warc.fields import (
    RecordIds,
    header_value,
    new_sha1,
    one_line,
    sha1_digest,
    sha1_labels,
    sha1_of,
    warc_date,
    warc_fields,
)
from gossamer.warc.payload import has_plain_head
from gossamer.warc.secrets import without_secrets

STREAM_ABOVE = 256 * 1024
"""Bytes of a response above which it is compressed in a thread: beyond, it would hold up the loop for over 1 ms."""
PIECE = 256 * 1024

_HTTP_REQUEST = "application/http;msgtype=request"
_HTTP_RESPONSE = "application/http;msgtype=response"
_WARC_FIELDS = "application/warc-fields"
_RECORD_END = b"\r\n\r\n"

_CUT_BY_FAILURE = {
    FetchStatus.TIMED_OUT: Truncation.TIME,
    FetchStatus.CONNECTION_LOST: Truncation.DISCONNECT,
    FetchStatus.HEADERS_TOO_LARGE: Truncation.LENGTH,
}

_HTTP_VERSION = re.compile(r"HTTP/[0-9]\.[0-9]")
_TLS_VERSIONS = {"TLSv1": "tls/1.0", "TLSv1.1": "tls/1.1", "TLSv1.2": "tls/1.2", "TLSv1.3": "tls/1.3"}
# WARC-Cipher-Suite wants IANA's names. OpenSSL uses them for TLS 1.3 only; these are the older ones offered by default.
_IANA_CIPHERS = {
    "ECDHE-ECDSA-AES128-GCM-SHA256": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305": "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-RSA-CHACHA20-POLY1305": "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
}


class Record(msgspec.Struct, frozen=True, gc=False):
    """One record, ready to be compressed."""

    record_id: str
    """`urn:uuid:…`."""
    head: bytes
    """The version line and header lines, in ASCII, and the empty line that ends them."""
    block: bytes | Recording

    def pieces(self) -> Iterator[bytes]:
        """The whole record, piece by piece."""
        yield self.head
        if isinstance(self.block, bytes):
            yield self.block
        else:
            yield from self.block.chunks(0, PIECE)
        yield _RECORD_END

    def to_bytes(self) -> bytes:
        """The whole record, for one whose block is small."""
        block = self.block
        return b"".join((self.head, block if isinstance(block, bytes) else block.read(), _RECORD_END))


class Capture(msgspec.Struct, frozen=True, gc=False):
    """The records of one exchange, in the order in which they are written."""

    records: tuple[Record, ...] = ()
    payload_digest: str = ""
    """`sha1:BASE32` of the body as transferred; empty if no body was reached."""


_NOTHING = Capture()


class DnsLookup(Protocol):
    """One answer of the resolver."""

    @property
    def host(self) -> str: ...

    @property
    def server(self) -> str:
        """Address of the name server, or empty."""

    @property
    def looked_up(self) -> float:
        """Wall time of the answer."""

    @property
    def records(self) -> Sequence[str]:
        """Lines in presentation form: name, TTL, class, type and data, with tabs between."""


class RecordBuilder:
    """Makes the records of one crawl. It may be used from several threads at once."""

    def __init__(self, settings: Warc) -> None:
        self._settings = settings
        self._hides_cookies = settings.hide_cookies
        self._ids = RecordIds()

    def capture(self, exchange: Exchange, attempt: Attempt, warcinfo_id: str = "") -> Capture:
        """The records of one exchange; none if not one byte came back.

        `warcinfo_id` is that of the file they go to: the response names it, the records beside it do without.
        Reads a recording above STREAM_ABOVE through, to hash it: call it in a thread then.
        """
        raw = exchange.raw
        if raw is None or not (length := len(raw)):
            return _NOTHING
        body_start = exchange.body_start
        block: bytes | Recording
        if length > STREAM_ABOVE:
            block, raw_head = raw, raw.read(0, body_start)
            block_digest, payload_digest = _digests_of(raw, body_start)
        else:
            block = raw.read()
            raw_head = block[:body_start]
            block_digest, payload_digest = sha1_digest(block), sha1_digest(memoryview(block)[body_start:])
        sent = without_secrets(exchange.request, hide_cookies=self._hides_cookies)
        facts = _facts(exchange, attempt)
        of_block, of_payload, of_sent, of_facts = sha1_labels(
            block_digest, payload_digest, sha1_digest(sent), sha1_digest(facts)
        )
        response_id, request_id, metadata_id = self._ids.take()
        peer = _peer_lines(exchange.ip, exchange.version, exchange.tls)
        shared = _dated(exchange.started_wall, exchange.url, peer)
        own = shared + _warcinfo_line(warcinfo_id)
        if has_plain_head(raw_head):
            own += f"WARC-Payload-Digest: {of_payload}\r\n"
        cut = exchange.truncated or (_CUT_BY_FAILURE.get(exchange.failure) if exchange.failure else None)
        if cut is not None:
            own += f"WARC-Truncated: {cut.value}\r\n"
        beside = f"{shared}WARC-Concurrent-To: <{response_id}>\r\n"
        # What is no HTTP at all must not be called that; tools would look for headers in it.
        is_http = exchange.http_status is not None
        content_type = _HTTP_RESPONSE if is_http else "application/octet-stream"
        response = _record(response_id, "response", own, content_type, of_block, block, length)
        request = _record(request_id, "request", beside, _HTTP_REQUEST, of_sent, sent, len(sent))
        metadata = _record(metadata_id, "metadata", beside, _WARC_FIELDS, of_facts, facts, len(facts))
        return Capture((response, request, metadata), of_payload if is_http else "")

    def dns(self, lookup: DnsLookup, warcinfo_id: str = "") -> Record:
        """A `resource` record of one look-up (WARC/1.1 6.4: text/dns, RFC 4027), laid out as Heritrix does."""
        when = time.strftime("%Y%m%d%H%M%S", time.gmtime(lookup.looked_up))
        lines = (when, *("\t".join(map(header_value, line.split("\t"))) for line in lookup.records))
        shared = _dated(lookup.looked_up, f"dns:{lookup.host}", _address_line(lookup.server))
        shared += _warcinfo_line(warcinfo_id)
        block = "".join(f"{line}\n" for line in lines).encode("ascii")
        return self._single("resource", shared, "text/dns", block)

    def warcinfo(self, file_name: str, when_wall: float, facts: Mapping[str, str]) -> Record:
        """The record that opens a file: who crawls, with what, and how (WARC/1.1 6.2)."""
        settings = self._settings
        fields = {
            "format": "WARC File Format 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "operator": settings.operator,
            "description": settings.description,
            **facts,
        }
        shared = f"WARC-Date: {warc_date(when_wall)}\r\nWARC-Filename: {header_value(file_name)}\r\n"
        block = warc_fields((name, value) for name, value in fields.items() if value)
        return self._single("warcinfo", shared, _WARC_FIELDS, block)

    def _single(self, kind: str, lines: str, content_type: str, block: bytes) -> Record:
        """One that stands by itself."""
        return _record(self._ids.take()[0], kind, lines, content_type, sha1_of(block), block, len(block))


def _record(
    record_id: str,
    kind: str,
    lines: str,
    content_type: str,
    digest: str,
    block: bytes | Recording,
    length: int,
) -> Record:
    """A record with the header lines that every kind has, and `lines` of its own."""
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{record_id}>\r\n{lines}"
        f"Content-Type: {content_type}\r\nWARC-Block-Digest: {digest}\r\nContent-Length: {length}\r\n\r\n"
    )
    return Record(record_id, head.encode("ascii"), block)


def _digests_of(raw: Recording, body_start: int) -> tuple[bytes, bytes]:
    """Block and payload digest of a recording, in one pass."""
    block, payload = new_sha1(), new_sha1()
    block.update(raw.read(0, body_start))
    for piece in raw.chunks(body_start, PIECE):
        block.update(piece)
        payload.update(piece)
    return block.digest(), payload.digest()


def _dated(when_wall: float, uri: str, further: str) -> str:
    return f"WARC-Date: {warc_date(when_wall)}\r\nWARC-Target-URI: {one_word(uri)}\r\n{further}"


def _warcinfo_line(warcinfo_id: str) -> str:
    return f"WARC-Warcinfo-ID: <{warcinfo_id}>\r\n" if warcinfo_id else ""


def _address_line(address: str) -> str:
    return f"WARC-IP-Address: {header_value(address)}\r\n" if address else ""


@lru_cache(maxsize=256)
def _peer_lines(address: str, version: str, tls: TlsFacts | None) -> str:
    """Who answered, and how: the same for all that comes from one host."""
    return _address_line(address) + _protocol_lines(version, tls)


def _protocol_lines(version: str, tls: TlsFacts | None) -> str:
    """WARC-Protocol and WARC-Cipher-Suite, as the IIPC's proposals have them: one line for each protocol."""
    lines = []
    if _HTTP_VERSION.fullmatch(version):
        lines.append(f"WARC-Protocol: {version.lower()}\r\n")
    if tls is not None:
        if tls.version in _TLS_VERSIONS:
            lines.append(f"WARC-Protocol: {_TLS_VERSIONS[tls.version]}\r\n")
        cipher = tls.cipher if tls.cipher.startswith("TLS_") else _IANA_CIPHERS.get(tls.cipher)
        if cipher:
            lines.append(f"WARC-Cipher-Suite: {header_value(cipher)}\r\n")
    return "".join(lines)


def _facts(exchange: Exchange, attempt: Attempt) -> bytes:
    """The metadata record's block: how the crawl came here and what it noticed. Links are not repeated in it."""
    curi, tls = attempt.curi, exchange.tls
    annotations = exchange.annotations + attempt.annotations
    lines = (
        "seed: yes" if curi.is_seed else "",
        f"via: {curi.via}" if curi.via else "",
        f"hopsFromSeed: {curi.hops}" if curi.hops else "",
        f"sourceTag: {curi.seed}" if curi.seed else "",
        f"fetchTimeMs: {round(exchange.duration_seconds * 1000)}",
        f"charsetForLinkExtraction: {attempt.charset}" if attempt.charset else "",
        f"annotations: {','.join(annotations)}" if annotations else "",
        f"failure: {exchange.detail}" if exchange.detail else "",
        f"tlsFailure: {tls.failure}" if tls is not None and tls.failure else "",
    )
    # Nearly always all of them are as they should be, and one look at the whole tells.
    kept = filter(None, lines if "".join(lines).isprintable() else map(one_line, lines))
    return "\r\n".join([*kept, ""]).encode("utf-8", "replace")
