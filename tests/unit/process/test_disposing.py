"""The fate table: what came back, what becomes of the URI, who is charged, whether it is a page."""

from __future__ import annotations

import msgspec
import pytest

from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import ClassKey, CrawlURI, DocId, Identity
from gossamer.model.disposition import Charge, Fate
from gossamer.model.exchange import Exchange, Truncation
from gossamer.model.fetchstatus import Fault, FetchStatus
from gossamer.model.page import Page
from gossamer.process.disposing import MAX_SELF_REDIRECTS, dispose, retry_after_seconds

MAX_TRIES = 5
NOW = 1_800_000_000.0

CURI = CrawlURI(url="http://a.test/", class_key=ClassKey("a.test"), identity=Identity(b"i" * 20), docid=DocId(1))


def answered(status: int, attempts: int = 0, truncated: Truncation | None = None, **headers: str) -> Attempt:
    curi = msgspec.structs.replace(CURI, attempts=attempts)
    exchange = Exchange(
        curi.url,
        http_status=status,
        truncated=truncated,
        started=10.0,
        headers=[(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
    )
    attempt = Attempt(curi, 1, exchange=exchange)
    if 200 <= status < 300:
        attempt.page = Page(curi, exchange, b"", "text/html", "utf-8", None, [])
    return attempt


def failed(failure: FetchStatus, attempts: int = 0) -> Attempt:
    curi = msgspec.structs.replace(CURI, attempts=attempts)
    return Attempt(curi, 1, exchange=Exchange(curi.url, failure=failure))


def refused(refusal: FetchStatus) -> Attempt:
    return Attempt(CURI, 1, refusal=refusal)


@pytest.mark.parametrize(
    ("status", "fate", "charge"),
    [
        (200, Fate.SUCCEEDED, Charge.NONE),
        (204, Fate.SUCCEEDED, Charge.NONE),
        (301, Fate.SUCCEEDED, Charge.NONE),
        (304, Fate.SUCCEEDED, Charge.NONE),
        (401, Fate.SUCCEEDED, Charge.NONE),
        (404, Fate.SUCCEEDED, Charge.NONE),
        (410, Fate.SUCCEEDED, Charge.NONE),
        (451, Fate.SUCCEEDED, Charge.NONE),
        (999, Fate.SUCCEEDED, Charge.NONE),
        (408, Fate.RETRY, Charge.URI),
        (421, Fate.RETRY, Charge.URI),
        (425, Fate.RETRY, Charge.URI),
        (429, Fate.RETRY, Charge.THROTTLED),
        (503, Fate.RETRY, Charge.THROTTLED),
        (500, Fate.RETRY, Charge.URI),
        (502, Fate.RETRY, Charge.URI),
    ],
)
def test_the_first_answer_of_a_status_has_its_fate(status: int, fate: Fate, charge: Charge) -> None:
    disposition = dispose(answered(status), MAX_TRIES, NOW)
    assert (disposition.fate, disposition.charge, disposition.status) == (fate, charge, status)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_after_the_last_answered_try_the_uri_fails(status: int) -> None:
    assert dispose(answered(status, attempts=MAX_TRIES - 2), MAX_TRIES, NOW).fate is Fate.RETRY
    last = dispose(answered(status, attempts=MAX_TRIES - 1), MAX_TRIES, NOW)
    assert (last.fate, last.reason) == (Fate.FAILED, f"HTTP {status}")


@pytest.mark.parametrize("status", [408, 421, 425])
def test_a_status_that_another_try_may_cure_is_tried_once_more_and_then_kept(status: int) -> None:
    assert dispose(answered(status, attempts=1), MAX_TRIES, NOW).fate is Fate.SUCCEEDED


def test_only_a_2xx_page_that_succeeded_counts_as_a_page() -> None:
    assert dispose(answered(200), MAX_TRIES, NOW).is_page
    assert not dispose(answered(404), MAX_TRIES, NOW).is_page
    assert not dispose(answered(301), MAX_TRIES, NOW).is_page
    assert not dispose(answered(200, truncated=Truncation.DISCONNECT), MAX_TRIES, NOW).is_page


@pytest.mark.parametrize("truncated", [Truncation.DISCONNECT, Truncation.TIME])
def test_a_body_cut_by_the_server_is_tried_once_more_and_then_kept_as_it_is(truncated: Truncation) -> None:
    first = dispose(answered(200, truncated=truncated), MAX_TRIES, NOW)
    assert (first.fate, first.charge, first.reason) == (Fate.RETRY, Charge.URI, "cut")
    assert dispose(answered(200, attempts=1, truncated=truncated), MAX_TRIES, NOW).fate is Fate.SUCCEEDED


def test_a_body_cut_at_our_own_limit_is_not_tried_again() -> None:
    assert dispose(answered(200, truncated=Truncation.LENGTH), MAX_TRIES, NOW).fate is Fate.SUCCEEDED


@pytest.mark.parametrize("failure", [status for status in FetchStatus if status.fault is Fault.HOST])
def test_a_fault_of_the_host_is_charged_to_the_host_however_often(failure: FetchStatus) -> None:
    disposition = dispose(failed(failure, attempts=200), MAX_TRIES, NOW)
    assert (disposition.fate, disposition.charge) == (Fate.RETRY, Charge.HOST)
    assert not disposition.requested


@pytest.mark.parametrize("failure", [FetchStatus.TIMED_OUT, FetchStatus.CONNECTION_LOST, FetchStatus.EMPTY_RESPONSE])
def test_a_fault_of_the_uri_is_charged_to_the_uri_until_its_tries_are_spent(failure: FetchStatus) -> None:
    assert dispose(failed(failure), MAX_TRIES, NOW).charge is Charge.URI
    assert dispose(failed(failure, attempts=MAX_TRIES - 1), MAX_TRIES, NOW).fate is Fate.FAILED


def test_protocol_rubbish_is_tried_once_more_at_most() -> None:
    assert dispose(failed(FetchStatus.MALFORMED_RESPONSE), MAX_TRIES, NOW).fate is Fate.RETRY
    assert dispose(failed(FetchStatus.MALFORMED_RESPONSE, attempts=1), MAX_TRIES, NOW).fate is Fate.FAILED


@pytest.mark.parametrize("failure", [FetchStatus.HEADERS_TOO_LARGE, FetchStatus.FORBIDDEN_ADDRESS])
def test_what_no_other_try_can_cure_fails_at_once(failure: FetchStatus) -> None:
    assert dispose(failed(failure), MAX_TRIES, NOW).fate is Fate.FAILED


@pytest.mark.parametrize(
    ("refusal", "fate"),
    [
        (FetchStatus.ROBOTS_FORBIDDEN, Fate.DISREGARDED),
        (FetchStatus.OUT_OF_SCOPE, Fate.DISREGARDED),
        (FetchStatus.OVER_QUOTA, Fate.DISREGARDED),
        (FetchStatus.ROBOTS_UNREACHABLE, Fate.FAILED),
        (FetchStatus.HOST_UNREACHABLE, Fate.FAILED),
        (FetchStatus.CONNECT_FAILED, Fate.FAILED),
        (FetchStatus.FORBIDDEN_ADDRESS, Fate.FAILED),
        (FetchStatus.CRASHED, Fate.RETRY),
    ],
)
def test_a_refusal_before_the_request_has_its_fate_and_costs_the_host_no_rest(refusal: FetchStatus, fate: Fate) -> None:
    disposition = dispose(refused(refusal), MAX_TRIES, NOW)
    assert (disposition.fate, disposition.reason, disposition.requested) == (fate, refusal.name, False)


def test_a_redirect_to_its_own_identity_is_followed_five_times_and_fails_then() -> None:
    attempt = answered(302)
    attempt.self_redirect = "http://a.test/?sid=1"
    assert (dispose(attempt, MAX_TRIES, NOW).fate, dispose(attempt, MAX_TRIES, NOW).charge) == (Fate.RETRY, Charge.NONE)
    attempt.curi = msgspec.structs.replace(CURI, redirects=MAX_SELF_REDIRECTS)
    last = dispose(attempt, MAX_TRIES, NOW)
    assert (last.fate, last.reason) == (Fate.FAILED, "TOO_MANY_REDIRECTS")


def test_nothing_known_of_an_attempt_is_an_error_and_no_fate() -> None:
    with pytest.raises(ValueError, match="nothing is known"):
        dispose(Attempt(CURI, 1), MAX_TRIES, NOW)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("99999999999", 99_999_999_999.0),
        ("-1", None),
        ("abc", None),
        ("", None),
        ("1.5", None),
        ("١٢", None),
        ("Fri, 15 Jan 2027 08:01:00 GMT", 60.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 251_602_300_799.0),
        ("Fri, 99 Dec 99999 23:59:59 GMT", None),
        ("120, 240", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date_and_rubbish_is_none(value: str, seconds: float | None) -> None:
    exchange = Exchange("http://a.test/", headers=[(b"retry-after", value.encode())])
    assert retry_after_seconds(exchange, NOW) == seconds
