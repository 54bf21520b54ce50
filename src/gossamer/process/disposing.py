"""The fate of an attempt: the one place where it is decided. Pure.

The table of docs/architecture.md, "Fate": what came back -> SUCCEEDED, FAILED, DISREGARDED or RETRY, who is charged,
and whether it is a page. How long the host rests is worked out by the frontier from the facts given here.
"""

from __future__ import annotations

import email.utils
from typing import NamedTuple

from gossamer.model.attempt import Attempt
from gossamer.model.disposition import Charge, Disposition, Fate
from gossamer.model.exchange import Exchange
from gossamer.model.fetchstatus import Fault, FetchStatus

MAX_SELF_REDIRECTS = 5
"""Redirects to the same identity (cookie walls) that are followed, and times that a login makes a URI be asked for
again: what a server could go on with for ever."""

RUBBISH_TRIES = 2
"""Protocol rubbish and cut bodies are tried once more: a second time rarely differs."""

RETRIED_ONCE = frozenset({408, 421, 425})
"""Request Timeout, Misdirected Request, Too Early: another try, on another connection, may do (RFC 9110 15.5)."""

THROTTLING = frozenset({429, 503})

_BY_RULE = frozenset(
    {
        FetchStatus.ROBOTS_FORBIDDEN,
        FetchStatus.OUT_OF_SCOPE,
        FetchStatus.BLOCKED_BY_USER,
        FetchStatus.OVER_QUOTA,
        FetchStatus.TOO_MANY_HOPS,
        FetchStatus.DELETED,
    }
)
"""Refusals that are no error: somebody wanted it so."""


def retry_after_seconds(exchange: Exchange, now: float) -> float | None:
    """Retry-After in seconds from `now` (wall clock), RFC 9110 10.2.3; None if absent or unreadable; never negative."""
    value = exchange.header(b"retry-after")
    if value is None:
        return None
    text = value.decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        moment = email.utils.parsedate_to_datetime(text)
        return max(0.0, moment.timestamp() - now)
    except (ValueError, OverflowError, TypeError):
        return None


class Decision(NamedTuple):
    """Fate, charge and reason of one attempt; the rest of the Disposition is facts."""

    fate: Fate
    reason: str = ""
    charge: Charge = Charge.NONE


_ARCHIVED = Decision(Fate.SUCCEEDED)


def dispose(attempt: Attempt, max_tries: int, now: float) -> Disposition:
    """The disposition of an attempt whose chains are through. `max_tries` answered tries; `now` is wall clock."""
    exchange = attempt.exchange
    fate, reason, charge = decide(attempt, max_tries)
    if exchange is None:
        return Disposition(fate=fate, status=attempt.status, charge=charge, reason=reason, when=now)
    return Disposition(
        fate=fate,
        status=attempt.status,
        charge=charge,
        reason=reason,
        is_page=attempt.page is not None and fate is Fate.SUCCEEDED,
        requested=exchange.started > 0,
        started=exchange.started,
        fetch_seconds=exchange.duration_seconds,
        crawl_delay_seconds=attempt.crawl_delay_seconds,
        retry_after_seconds=retry_after_seconds(exchange, now) if charge is Charge.THROTTLED else None,
        wire_bytes=exchange.wire_bytes,
        when=now,
    )


def decide(attempt: Attempt, max_tries: int) -> Decision:
    """The fate alone; of a redirect only once it is known whether it leads to itself."""
    if attempt.refusal is not None:
        return _decide_refusal(attempt, attempt.refusal, max_tries)
    exchange = attempt.exchange
    if exchange is None:
        raise ValueError(f"nothing is known of {attempt.curi.target!r}: no refusal and no exchange")
    if exchange.failure is not None:
        return _decide_failure(attempt, exchange.failure, max_tries)
    status = exchange.http_status or 0
    if 200 <= status < 300 and exchange.truncated is None and attempt.self_redirect is None:
        return _ARCHIVED
    return _decide_answer(attempt, exchange, status, max_tries)


def _decide_refusal(attempt: Attempt, refusal: FetchStatus, max_tries: int) -> Decision:
    if refusal in (FetchStatus.CRASHED, FetchStatus.TOE_DIED):
        return _retry_or_fail(attempt, refusal.name, max_tries)
    return Decision(Fate.DISREGARDED if refusal in _BY_RULE else Fate.FAILED, refusal.name)


def _decide_failure(attempt: Attempt, failure: FetchStatus, max_tries: int) -> Decision:
    if failure.fault is Fault.HOST:
        return Decision(Fate.RETRY, failure.name, Charge.HOST)
    if failure.fault is Fault.NETWORK:
        return Decision(Fate.RETRY, failure.name, Charge.NONE)
    if not failure.is_retried:
        return Decision(Fate.FAILED, failure.name)
    tries = min(max_tries, RUBBISH_TRIES) if failure is FetchStatus.MALFORMED_RESPONSE else max_tries
    return _retry_or_fail(attempt, failure.name, tries)


def _decide_answer(attempt: Attempt, exchange: Exchange, status: int, max_tries: int) -> Decision:
    """Of one that is no plain success."""
    if status in THROTTLING:
        if attempt.curi.attempts + 1 < max_tries:
            return Decision(Fate.RETRY, f"HTTP {status}", Charge.THROTTLED)
        return Decision(Fate.FAILED, f"HTTP {status}")
    if 500 <= status < 600:
        return _retry_or_fail(attempt, f"HTTP {status}", max_tries)
    is_second_try_due = attempt.curi.attempts + 1 < min(max_tries, RUBBISH_TRIES)
    if is_second_try_due and (status in RETRIED_ONCE or exchange.is_cut):
        return Decision(Fate.RETRY, f"HTTP {status}" if not exchange.is_cut else "cut", Charge.URI)
    if attempt.again and attempt.curi.redirects < MAX_SELF_REDIRECTS:
        return Decision(Fate.RETRY, attempt.again, Charge.NONE)
    if attempt.self_redirect is not None:
        if attempt.curi.redirects < MAX_SELF_REDIRECTS:
            return Decision(Fate.RETRY, "self redirect", Charge.NONE)
        return Decision(Fate.FAILED, FetchStatus.TOO_MANY_REDIRECTS.name)
    return Decision(Fate.SUCCEEDED, f"HTTP {status}" if status >= 400 else "")


def _retry_or_fail(attempt: Attempt, reason: str, tries: int) -> Decision:
    if attempt.curi.attempts + 1 < tries:
        return Decision(Fate.RETRY, reason, Charge.URI)
    return Decision(Fate.FAILED, reason)
