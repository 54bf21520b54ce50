"""warcio, FastWARC, pywb's and webrecorder's indexers read every kind of record that Gossamer writes, without complaint.

P7 (archive fidelity): what they read as the block is what the server sent; digests are verified by tools not ours.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator as FastWarcIterator
from warcio.archiveiterator import ArchiveIterator

from gossamer.config import Warc
from gossamer.fetch.recording import SpooledRecording
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.exchange import Exchange, TlsFacts, Truncation
from gossamer.model.fetchstatus import FetchStatus
from gossamer.util.clock import SystemClock
from gossamer.warc import RecordBuilder, WarcPool, cdxj_lines, check_file
from gossamer.warc.records import STREAM_ABOVE

HTML = b"<!DOCTYPE html><title>t</title><a href=/x>x</a>" * 20
LONG_URL = "https://example.org/" + "p" * 8000

# name -> (bytes on the wire up to the body, body, fields of the Exchange)
RESPONSES: dict[str, tuple[bytes, bytes, dict[str, Any]]] = {
    "plain": (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", HTML, {}),
    "chunked": (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: t\r\n\r\n",
        {"unchunked": b"hello world"},
    ),
    "gzip": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", gzip.compress(HTML), {}),
    "deflate": (b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n", zlib.compress(HTML), {}),
    "gzip-chunked": (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(gzip.compress(HTML)), gzip.compress(HTML)),
        {},
    ),
    "gzip-cut": (
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 500\r\n\r\n",
        gzip.compress(os.urandom(400))[:200],
        {"truncated": Truncation.DISCONNECT},
    ),
    "chunked-cut": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"ffff\r\nhello",
        {"truncated": Truncation.TIME},
    ),
    "too-long": (b"HTTP/1.1 200 OK\r\n\r\n", HTML, {"truncated": Truncation.LENGTH}),
    "empty-body": (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b"", {}),
    "no-content": (b"HTTP/1.1 204 No Content\r\n\r\n", b"", {"http_status": 204}),
    "redirect": (b"HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n", b"", {"http_status": 301}),
    "warc-in-body": (b"HTTP/1.1 200 OK\r\n\r\n", b"WARC/1.0\r\nWARC-Type: response\r\n\r\n\r\n\r\nWARC/1.1\r\n", {}),
    "gzip-magic-in-body": (b"HTTP/1.1 200 OK\r\n\r\n", b"\x1f\x8b\x08\0" * 50, {}),
    "latin-1-header": (b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nX-N\xe4me: \xff\r\n\r\n", HTML, {}),
    "no-reason": (b"HTTP/1.1 200\r\nA: b\r\n\r\n", HTML, {}),
    "no-colon": (b"HTTP/1.1 200 OK\r\nrubbish\r\nA: b\r\n\r\n", HTML, {}),
    "folded": (b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", HTML, {}),
    "icy": (b"ICY 200 OK\r\nA: b\r\n\r\n", HTML, {}),
    "http-1.0": (b"HTTP/1.0 200 OK\r\nA: b\r\n\r\n", HTML, {"version": "HTTP/1.0"}),
    "bare-lf": (b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n", HTML, {}),
    "empty-looking-line": (b"HTTP/1.1 200 OK\r\n \t\r\nA: b\r\n\r\n", HTML, {}),
    "interim": (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", HTML, {}),
    "leading-line-break": (b"\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", HTML, {}),
    "nul-in-header": (b"HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n", HTML, {}),
    "headers-cut": (
        b"HTTP/1.1 200 OK\r\nConte",
        b"",
        {"http_status": None, "failure": FetchStatus.CONNECTION_LOST},
    ),
    "no-http": (b"SSH-2.0-OpenSSH_9.6\r\n", b"", {"http_status": None, "failure": FetchStatus.MALFORMED_RESPONSE}),
    "large": (b"HTTP/1.1 200 OK\r\n\r\n", os.urandom(3 * STREAM_ABOVE), {}),
    "large-chunked": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"%x\r\n" % (2 * STREAM_ABOVE) + b"z" * (2 * STREAM_ABOVE) + b"\r\n0\r\n\r\n",
        {},
    ),
    "tls": (
        b"HTTP/1.1 200 OK\r\n\r\n",
        HTML,
        {"tls": TlsFacts("TLSv1.3", "TLS_AES_128_GCM_SHA256", False, "self-signed certificate")},
    ),
    "long-url": (b"HTTP/1.1 200 OK\r\n\r\n", HTML, {"url": LONG_URL}),
    "hostile-url": (b"HTTP/1.1 200 OK\r\n\r\n", HTML, {"url": "http://example.org/\r\nWARC-Type: warcinfo\r\n é"}),
    "ipv6": (b"HTTP/1.1 200 OK\r\n\r\n", HTML, {"ip": "2001:db8::7"}),
}
KINDS = {
    "response": len(RESPONSES),
    "request": len(RESPONSES),
    "metadata": len(RESPONSES),
    "warcinfo": 1,
    "resource": 1,
}


class Ledger:
    def register_file(self, file: str) -> None: ...

    def mark_closed(self, file: str) -> None: ...

    def note_capture(self, spans: object) -> None: ...


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """One closed file with every kind of record, and what the server sent, by record id of the response."""
    import asyncio

    folder = tmp_path_factory.mktemp("job")
    sent: dict[str, bytes] = {}

    async def write() -> None:
        builder = RecordBuilder(Warc(operator="The Library", description="Every kind"))
        facts = {"software": "gossamer", "robots": "obey", "http-header-user-agent": "gossamer (+https://example.org)"}
        pool = WarcPool(Warc(), folder, Ledger(), builder, SystemClock(), hostname="box", facts=facts)
        pool.start({})
        for name, (head, body, more) in RESPONSES.items():
            raw = SpooledRecording(STREAM_ABOVE)
            raw.append(head + body)
            url = f"https://example.org/{name}?a=1"
            fields = {
                "request": b"GET / HTTP/1.1\r\nHost: example.org\r\nAuthorization: Basic c2VjcmV0\r\n\r\n",
                "http_status": 200,
                "ip": "192.0.2.7",
                "started_wall": 1_700_000_000.25,
                "body_start": len(head),
                "detail": "what happened",
                "annotations": ["tolerant"],
            }
            exchange = Exchange(**{"url": url, "raw": raw, **fields, **more})
            curi = CrawlURI(url=url, class_key=ClassKey("x"), identity=Identity(b""), via="https://example.org/é")
            async with pool.lease() as lease:
                spans = await lease.append_exchange(builder, exchange, Attempt(curi, 1, exchange=exchange))
            sent[spans[0].record_id] = head + body
            exchange.close()
        answer = SimpleNamespace(
            host="example.org", server="192.0.2.53", looked_up=1.0, records=("example.org.\t300\tIN\tA\t192.0.2.7",)
        )
        async with pool.lease() as lease:
            lease.append([builder.dns(answer)])
        await pool.close_all()

    asyncio.run(write())
    (path,) = (folder / "warcs").iterdir()
    return path, sent


def run(module_or_program: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(module_or_program, capture_output=True, text=True, timeout=60, check=False)


def test_gossamers_own_check_finds_it_good(archive: tuple[Path, dict[str, bytes]]) -> None:
    report = check_file(archive[0])
    assert report.is_good
    assert report.records == KINDS


def test_gzip_finds_it_good(archive: tuple[Path, dict[str, bytes]]) -> None:
    assert run(["gzip", "-t", str(archive[0])]).returncode == 0


def test_warcio_reads_what_was_sent_and_finds_every_digest_right(archive: tuple[Path, dict[str, bytes]]) -> None:
    path, sent = archive
    kinds: dict[str, int] = {}
    checked = 0
    with path.open("rb") as file:
        for record in ArchiveIterator(file, no_record_parse=True):
            block = record.raw_stream.read()
            kinds[record.rec_type] = kinds.get(record.rec_type, 0) + 1
            record_id = record.rec_headers.get_header("WARC-Record-ID").strip("<>")
            assert block == sent.get(record_id, block)
        file.seek(0)
        for record in ArchiveIterator(file, check_digests=True):
            record.content_stream().read()
            assert record.digest_checker.passed is True, record.digest_checker.problems
            checked += record.rec_headers.get_header("WARC-Payload-Digest") is not None
    assert kinds == KINDS
    assert checked >= len(RESPONSES) - 6


def test_warcios_own_check_has_no_complaint(archive: tuple[Path, dict[str, bytes]]) -> None:
    checked = run([sys.executable, "-c", "from warcio.cli import main; main()", "check", str(archive[0])])
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_fastwarc_reads_what_was_sent_and_finds_every_digest_right(archive: tuple[Path, dict[str, bytes]]) -> None:
    path, sent = archive
    data = path.read_bytes()
    blocks = 0
    for record in FastWarcIterator(io.BytesIO(data), parse_http=False):
        assert record.verify_block_digest()
        assert record.reader.read() == sent.get(record.record_id.removeprefix("<").removesuffix(">"), b"") or (
            record.headers.get("WARC-Type") != "response"
        )
        blocks += 1
    assert blocks == sum(KINDS.values())
    payloads = 0
    for record in FastWarcIterator(io.BytesIO(data), parse_http=True):
        if record.headers.get("WARC-Payload-Digest"):
            assert record.verify_payload_digest(), record.headers.get("WARC-Target-URI")
            payloads += 1
    assert payloads >= len(RESPONSES) - 6


def test_fastwarcs_own_check_has_no_complaint(archive: tuple[Path, dict[str, bytes]]) -> None:
    program = "from fastwarc.cli import main; main()"
    assert run([sys.executable, "-c", program, "check", "-q", "-p", str(archive[0])]).returncode == 0


def test_no_record_but_one_of_its_own_kind_is_made_by_a_hostile_url(archive: tuple[Path, dict[str, bytes]]) -> None:
    with archive[0].open("rb") as file:
        urls = {record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(file)}
    assert "http://example.org/%0D%0AWARC-Type:%20warcinfo%0D%0A%20%C3%A9" in urls


def test_no_secret_is_in_the_archive(archive: tuple[Path, dict[str, bytes]]) -> None:
    data = gzip.decompress(archive[0].read_bytes())
    assert b"c2VjcmV0" not in data
    assert data.count(b"Authorization: [withheld]") == len(RESPONSES)


COMPARED = ("url", "mime", "status", "digest", "length", "offset")


def test_webrecorders_indexer_finds_the_same_captures_as_ours(archive: tuple[Path, dict[str, bytes]]) -> None:
    done = run([sys.executable, "-c", "from cdxj_indexer.main import main; main()", str(archive[0])])
    assert (done.returncode, done.stderr) == (0, "")
    theirs = _by_offset(done.stdout.splitlines())
    ours = _by_offset(cdxj_lines(archive[0]))
    assert theirs.keys() == ours.keys()
    for offset, (key, moment, fields) in ours.items():
        their_key, their_moment, their_fields = theirs[offset]
        assert (fields["url"], fields["length"], moment) == (their_fields["url"], their_fields["length"], their_moment)
        if "digest" in fields:
            assert fields["digest"] == their_fields["digest"]
        if "hostile" not in fields["url"] and "WARC-Type" not in fields["url"]:
            assert key == their_key
        if fields.get("status") == "200" and not {"bare-lf", "empty-looking"} & set(
            fields["url"].split("/")[3].split("?")
        ):
            assert fields["status"] == their_fields["status"]


def test_pywbs_indexer_has_no_complaint(archive: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    pytest.importorskip("pywb")
    out = tmp_path / "index.cdxj"
    program = "from pywb.indexer.cdxindexer import main; main()"
    done = run([sys.executable, "-c", program, "-j", "-o", str(out), str(archive[0])])
    assert done.returncode == 0, done.stderr
    lines = out.read_text().splitlines()
    theirs = {json.loads(line.split(" ", 2)[2])["offset"] for line in lines if line.startswith("org,example)")}
    ours = {json.loads(line.split(" ", 2)[2])["offset"] for line in cdxj_lines(archive[0]) if line.startswith("org,")}
    assert theirs == ours


def _by_offset(lines: Any) -> dict[str, tuple[str, str, dict[str, str]]]:
    found = {}
    for line in lines:
        key, moment, fields = line.split(" ", 2)
        found[json.loads(fields)["offset"]] = (key, moment, json.loads(fields))
    return found


def test_a_capture_is_found_by_its_line_in_the_index(archive: tuple[Path, dict[str, bytes]]) -> None:
    path, _sent = archive
    data = path.read_bytes()
    for line in cdxj_lines(path):
        fields = json.loads(line.split(" ", 2)[2])
        start, length = int(fields["offset"]), int(fields["length"])
        record = gzip.decompress(data[start : start + length])
        assert f"WARC-Target-URI: {fields['url']}\r\n".encode() in record
