"""crawl.log: twelve words, whatever anybody puts into them; and a file the store can cut."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import DiskFull, StorageError
from gossamer.fetch.recording import SpooledRecording
from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.exchange import Exchange, Truncation
from gossamer.model.fetchstatus import FetchStatus
from gossamer.stats import CrawlLog, crawl_log_line, dns_log_line
from gossamer.storage import appendfile
from gossamer.warc import ArchiveFiles

NOW = 1_700_000_001.5
URL = "https://example.org/a"


def curi(**fields: Any) -> CrawlURI:
    return CrawlURI(**{"url": URL, "class_key": ClassKey("example.org"), "identity": Identity(b""), **fields})


def exchange(**fields: Any) -> Exchange:
    raw = SpooledRecording(10_000)
    raw.append(b"HTTP/1.1 200 OK\r\n\r\nhello")
    answered: dict[str, Any] = {
        "raw": raw,
        "body_start": 19,
        "http_status": 200,
        "started_wall": 1_700_000_000.25,
        "duration_seconds": 0.1234,
    }
    return Exchange(URL, **{**answered, **fields})


def test_a_line_has_the_columns_of_heritrix() -> None:
    attempt = Attempt(
        curi(via="https://example.org/", hops="LL", seed="https://example.org/"),
        7,
        exchange=exchange(),
        content_type="text/html",
        digest="sha1:IFBMMJ75VLBYUGHEEQTDGJE4JCH2Z3H7",
    )
    assert crawl_log_line(attempt, NOW) == (
        "2023-11-14T22:13:21.500Z   200          5 https://example.org/a LL https://example.org/ text/html #007 "
        "20231114221320250+123 sha1:IFBMMJ75VLBYUGHEEQTDGJE4JCH2Z3H7 https://example.org/ -"
    )


def test_what_there_is_not_is_a_dash() -> None:
    refused = Attempt(curi(), 1, refusal=FetchStatus.ROBOTS_FORBIDDEN)
    assert crawl_log_line(refused, NOW) == (
        "2023-11-14T22:13:21.500Z -9998          - https://example.org/a - - - #001 - - - -"
    )
    unanswered = Attempt(curi(), 1, exchange=exchange(raw=None, http_status=None, failure=FetchStatus.TIMED_OUT))
    assert crawl_log_line(unanswered, NOW).split()[1:3] == ["-4", "-"]


def test_a_failure_says_what_happened_in_one_word() -> None:
    detail = "192.0.2.1:80: connection refused, twice"
    failed = exchange(raw=None, http_status=None, failure=FetchStatus.CONNECT_FAILED, detail=detail)
    line = crawl_log_line(Attempt(curi(), 1, exchange=failed), NOW)
    assert line.split()[-1] == "192.0.2.1:80:_connection_refused%2C_twice"
    hostile = exchange(raw=None, http_status=None, failure=FetchStatus.MALFORMED_RESPONSE, detail="\x1b[2J " * 500)
    word = crawl_log_line(Attempt(curi(), 1, exchange=hostile), NOW).split()[-1]
    assert word.isprintable() and word.isascii() and len(word) < 1000


def test_the_url_that_was_fetched_is_the_one_logged() -> None:
    attempt = Attempt(curi(fetch_url="https://example.org/a?sid=1"), 1, exchange=exchange())
    assert crawl_log_line(attempt, NOW).split()[3] == "https://example.org/a?sid=1"


@pytest.mark.parametrize(
    ("why", "word"),
    [
        (Truncation.LENGTH, "lenTrunc"),
        (Truncation.TIME, "timeTrunc"),
        (Truncation.DISCONNECT, "midFetchAbort"),
    ],
)
def test_annotations_tell_what_was_unusual(why: Truncation, word: str) -> None:
    attempt = Attempt(
        curi(attempts=2),
        1,
        exchange=exchange(truncated=why, annotations=["tolerant"]),
        dropped_outlinks=12,
        annotations=["odd, and spaced"],
    )
    assert crawl_log_line(attempt, NOW).split()[11] == f"3t,{word},tolerant,dol:12,odd%2C%20and%20spaced"


def test_headers_too_large_are_annotated() -> None:
    attempt = Attempt(curi(), 1, exchange=exchange(http_status=None, failure=FetchStatus.HEADERS_TOO_LARGE))
    assert crawl_log_line(attempt, NOW).split()[11] == "headerTrunc"


def test_a_long_hop_path_is_shortened() -> None:
    attempt = Attempt(curi(hops="R" * 10 + "L" * 50), 1)
    assert crawl_log_line(attempt, NOW).split()[4] == "10+" + "L" * 50


def test_a_look_up_has_a_line_of_its_own() -> None:
    assert dns_log_line("example.org", NOW, 0.02, 3) == (
        "2023-11-14T22:13:21.500Z     1          - dns:example.org P - text/dns #003 20231114221321480+20 - - -"
    )
    assert dns_log_line("a b\n", NOW, 0.0, 3, is_found=False).split()[1:4] == ["-1", "-", "dns:a%20b%0A"]


@given(
    url=st.text(min_size=1),
    via=st.none() | st.text(),
    hops=st.text(max_size=80),
    seed=st.none() | st.text(),
    content_type=st.text(),
    annotations=st.lists(st.text(), max_size=4),
)
def test_a_line_is_always_twelve_printable_words(
    url: str, via: str | None, hops: str, seed: str | None, content_type: str, annotations: list[str]
) -> None:
    attempt = Attempt(
        curi(url=url, via=via, hops=hops, seed=seed),
        1,
        exchange=exchange(),
        content_type=content_type,
        annotations=annotations,
    )
    line = crawl_log_line(attempt, NOW)
    assert re.fullmatch(r"[ -~]+", line)
    assert len(line.split()) == 12


class Ledger:
    def __init__(self, *known: str) -> None:
        self.registered: list[str] = []
        self.closed: list[str] = []
        self._known = known

    def register_file(self, file: str) -> None:
        self.registered.append(file)

    def mark_closed(self, file: str) -> None:
        self.closed.append(file)

    def known_files(self) -> list[str]:
        return [*self._known, *self.registered]


def test_the_store_names_the_log_before_it_exists(tmp_path: Path) -> None:
    class Looking(Ledger):
        def register_file(self, file: str) -> None:
            assert not (tmp_path / file).exists()
            super().register_file(file)

    ledger = Looking()
    log = CrawlLog(tmp_path, {}, ledger)
    assert ledger.registered == [log.file] == ["logs/crawl.log"]
    assert (tmp_path / "logs" / "crawl.log").exists()
    log.close()


def test_a_line_appended_is_a_span_of_the_file(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path, {}, Ledger())
    spans = [log.append("first line"), log.append("second")]
    assert [(span.file, span.start, span.end, span.record_id) for span in spans] == [
        ("logs/crawl.log", 0, 11, ""),
        ("logs/crawl.log", 11, 18, ""),
    ]
    assert all(ArchiveFiles(tmp_path).is_whole(span) for span in spans)
    log.rollback(11)
    assert log.position == 11
    log.append("third")
    log.sync()
    log.close()
    assert (tmp_path / "logs" / "crawl.log").read_text() == "first line\nthird\n"


def test_a_restarted_log_is_cut_where_the_store_says(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path, {}, Ledger())
    settled = log.append("settled")
    log.append("not settled")
    log.close()
    ledger = Ledger()
    again = CrawlLog(tmp_path, {"logs/crawl.log": settled.end, "warcs/X.warc.gz": 5}, ledger)
    again.append("next")
    again.close()
    assert ledger.registered == []
    assert (tmp_path / "logs" / "crawl.log").read_text() == "settled\nnext\n"


def test_a_log_named_but_not_made_is_made(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path, {"logs/crawl.log": 0}, Ledger())
    assert log.append("x").start == 0
    log.close()


def test_a_log_the_store_does_not_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "crawl.log").write_text("of another store\n")
    ledger = Ledger()
    log = CrawlLog(tmp_path, {}, ledger)
    log.append("mine")
    log.close()
    assert ledger.registered == ["logs/crawl-2.log"]
    assert (tmp_path / "logs" / "crawl.log").read_text() == "of another store\n"
    again = CrawlLog(tmp_path, {"logs/crawl.log": 17, "logs/crawl-2.log": 5}, Ledger())
    assert again.file == "logs/crawl-2.log"
    again.close()


def test_a_full_log_goes_on_in_the_next_file_and_is_closed_in_the_store(tmp_path: Path) -> None:
    ledger = Ledger()
    log = CrawlLog(tmp_path, {}, ledger, max_size=10)
    spans = []
    for line in ("first", "second", "third"):
        log.turn_over()
        spans.append(log.append(line))
    log.close()
    assert [(span.file, span.start) for span in spans] == [
        ("logs/crawl.log", 0),
        ("logs/crawl.log", 6),
        ("logs/crawl-2.log", 0),
    ]
    assert ledger.registered == ["logs/crawl.log", "logs/crawl-2.log"]
    assert ledger.closed == ["logs/crawl.log"]
    assert (tmp_path / "logs" / "crawl.log").read_text() == "first\nsecond\n"
    assert (tmp_path / "logs" / "crawl-2.log").read_text() == "third\n"


def test_logs_that_were_moved_away_leave_their_numbers_behind(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path, {}, Ledger("logs/crawl.log", "logs/crawl-7.log", "logs/crawl-x.log", "warcs/A.warc.gz"))
    assert log.file == "logs/crawl-8.log"
    log.close()


def test_a_log_whose_successor_was_made_when_the_program_was_killed_is_closed_by_the_next_run(tmp_path: Path) -> None:
    ledger = Ledger()
    CrawlLog(tmp_path, {}, ledger).close()
    (tmp_path / "logs" / "crawl-2.log").touch()
    log = CrawlLog(tmp_path, {"logs/crawl.log": 0, "logs/crawl-2.log": 0}, ledger)
    assert log.file == "logs/crawl-2.log"
    assert ledger.closed == ["logs/crawl.log"]
    log.close()


def test_a_log_that_cannot_turn_over_goes_on_and_turns_over_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger()
    log = CrawlLog(tmp_path, {}, ledger, max_size=1)
    log.append("first")

    def full(*arguments: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", full)
        with pytest.raises(DiskFull):
            log.turn_over()
    assert log.append("second").file == "logs/crawl.log"
    log.turn_over()
    assert log.append("third").file == "logs/crawl-2.log"
    assert ledger.registered == ["logs/crawl.log", "logs/crawl-2.log"]
    log.close()


def test_a_log_that_lost_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        CrawlLog(tmp_path, {"logs/crawl.log": 10}, Ledger())


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = CrawlLog(tmp_path, {}, Ledger())
    log.append("before")

    def full(descriptor: int, data: bytes, offset: int) -> int:
        if len(data) > 2:
            return os.pwrite(descriptor, data[:2], offset)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(appendfile, "write_at", full)
        with pytest.raises(DiskFull):
            log.append("after")
    assert (tmp_path / "logs" / "crawl.log").read_text() == "before\n"
    assert log.append("later").start == 7
    log.close()


def test_a_line_feed_cannot_be_logged(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path, {}, Ledger())
    with pytest.raises(ValueError, match="line feed"):
        log.append("one\ntwo")
    assert log.position == 0
    log.close()
