"""How long a host rests: pure functions of the settings and of what the last attempt showed.

The gap counts from one request's start to the next one's start. It is the largest of the delay, `delay_factor` times
the fetch (up to `max_delay`) and robots.txt's Crawl-delay (up to `max_crawl_delay`). A delay of 0 asks for no rest at
all, so the factor has no part in it: only a Crawl-delay has. A host that asks for rest with
429 or 503 gets what its Retry-After says, within bounds, or a rest that doubles each time, with jitter so that many
hosts behind one machine do not come back in step. A host that cannot be reached is tried by a schedule and then given
up. One good answer and all is forgiven.

All in seconds. Nobody reads a clock here.
"""

from __future__ import annotations

from gossamer.config import Politeness

JITTER = 0.1
"""A doubled rest varies by this part of it, up and down; StormCrawler's 10 %."""


def gap_seconds(politeness: Politeness, fetch_seconds: float, crawl_delay: float | None) -> float:
    """From the start of the last request to the start of the next."""
    gap = politeness.delay
    if gap > 0:
        gap = max(gap, min(politeness.delay_factor * fetch_seconds, politeness.max_delay))
    if crawl_delay is not None:
        gap = max(gap, min(max(crawl_delay, 0.0), politeness.max_crawl_delay))
    return gap


def throttled_seconds(politeness: Politeness, throttles: int, retry_after: float | None, luck: float) -> float:
    """The rest after the `throttles`-th 429 or 503 in a row, counted from 1; `luck` is random in [0, 1)."""
    if retry_after is not None:
        return min(max(retry_after, politeness.delay), max(politeness.max_retry_after, politeness.delay))
    doubled = politeness.throttle_start * 2.0 ** min(max(throttles, 1) - 1, 64)
    jittered = doubled * (1.0 + JITTER * (2.0 * luck - 1.0))
    return min(jittered, politeness.max_throttle)


def unreachable_seconds(politeness: Politeness, failures: int, has_answered: bool) -> float | None:
    """The rest after the `failures`-th host failure in a row, counted from 1; None = give the host up."""
    schedule = _schedule(politeness, has_answered)
    return schedule[failures - 1] if failures <= len(schedule) else None


def tries_allowed(politeness: Politeness, has_answered: bool) -> int:
    """How often in a row a host may fail until it is given up, that last time included."""
    return len(_schedule(politeness, has_answered)) + 1


def _schedule(politeness: Politeness, has_answered: bool) -> tuple[float, ...]:
    if not has_answered and politeness.first_contact_schedule is not None:
        return politeness.first_contact_schedule
    return politeness.host_schedule


def longest_seconds(politeness: Politeness) -> float:
    """No rest made here is longer: a stored wake time further ahead than this comes from another clock."""
    return max(
        politeness.delay,
        politeness.max_delay,
        politeness.max_crawl_delay,
        politeness.max_retry_after,
        politeness.max_throttle,
        *politeness.host_schedule,
        *(politeness.first_contact_schedule or ()),
    )
