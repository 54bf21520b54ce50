from __future__ import annotations

import io
from pathlib import Path

from gossamer.demosite import Request, RequestLog, largest_concurrency, read_log, smallest_gap


def request(started: float, finished: float | None) -> Request:
    return Request("127.0.0.1:80", "GET", "/", (("host", "x"),), 1, started, finished, 200)


def test_the_smallest_gap_is_from_start_to_start_in_order_of_time() -> None:
    assert smallest_gap([request(5.0, 6.0), request(1.0, 4.0), request(2.5, 3.0)]) == 1.5
    assert smallest_gap([request(1.0, 2.0)]) is None


def test_a_gap_counts_from_the_arrival_of_a_request_where_it_is_known() -> None:
    late = request(1.75, 2.0)
    late.arrived = 1.0
    assert smallest_gap([late, request(2.0, 3.0)]) == 1.0


def test_concurrency_counts_requests_under_way_at_one_moment() -> None:
    assert largest_concurrency([]) == 0
    assert largest_concurrency([request(1.0, 2.0), request(2.0, 3.0)]) == 1
    assert largest_concurrency([request(1.0, 2.1), request(2.0, 3.0), request(2.0, None)]) == 3


def test_what_is_written_is_read_back_in_order_of_start_without_a_torn_line(tmp_path: Path) -> None:
    sink = io.StringIO()
    log = RequestLog(sink)
    requests = [request(2.0, 3.0), request(1.0, None)]
    for one in requests:
        log.begin(one)
        log.end(one)
    path = tmp_path / "log"
    path.write_text(sink.getvalue() + '{"authority": "torn', encoding="utf-8")
    assert read_log(path) == [requests[1], requests[0]]
    assert log.requests == requests


def test_a_log_that_keeps_nothing_still_writes() -> None:
    sink = io.StringIO()
    log = RequestLog(sink, keep=False)
    log.begin(request(1.0, 2.0))
    log.end(request(1.0, 2.0))
    assert log.requests == [] and sink.getvalue().count("\n") == 1
