"""StatisticsTracker: what it saw, and no more than it can hold."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.model.crawluri import ClassKey, CrawlURI, Identity
from gossamer.model.disposition import Fate
from gossamer.model.events import CrawlStateChanged, UriFinished
from gossamer.stats import Share, StatisticsTracker
from gossamer.stats.tracker import LIVE_HOSTS, MAX_HOSTS, MAX_TYPES, MAX_WAITING
from gossamer.testing import FakeClock
from gossamer.util.bus import EventBus


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def bus() -> EventBus:
    return EventBus()


@pytest.fixture
def tracker(bus: EventBus, clock: FakeClock) -> StatisticsTracker:
    return StatisticsTracker(bus, clock)


def finished(**fields: Any) -> UriFinished:
    host = fields.pop("host", "example.org")
    curi = CrawlURI(url=f"https://{host}/", class_key=ClassKey(host), identity=Identity(b""))
    usual: dict[str, Any] = {
        "fate": Fate.SUCCEEDED,
        "status": 200,
        "reason": "",
        "content_type": "text/html",
        "wire_bytes": 1000,
        "fetch_seconds": 0.5,
        "is_page": True,
        "toe": 1,
    }
    return UriFinished(curi, **{**usual, **fields})


def test_every_fate_and_status_is_counted(bus: EventBus, tracker: StatisticsTracker) -> None:
    bus.publish(finished())
    bus.publish(finished(status=404, is_page=False))
    bus.publish(finished(fate=Fate.RETRY, status=503, is_page=False, reason="503"))
    bus.publish(finished(fate=Fate.FAILED, status=-2, is_page=False, reason="CONNECT_FAILED", wire_bytes=0))
    bus.publish(finished(fate=Fate.DISREGARDED, status=-9998, is_page=False, reason="robots", wire_bytes=0))
    seen = tracker.snapshot()
    assert (seen.finished, seen.succeeded, seen.failed, seen.disregarded, seen.retried) == (5, 2, 1, 1, 1)
    assert seen.pages == 1
    assert seen.wire_bytes == 3000
    assert seen.fetch_seconds == 2.5
    assert seen.statuses == {-9998: 1, -2: 1, 200: 1, 404: 1, 503: 1}
    assert seen.reasons == {"CONNECT_FAILED": 1, "robots": 1}
    assert seen.types == (Share("text/html", 3, 3000),)
    assert seen.hosts == (Share("example.org", 5, 3000),)
    assert seen.hosts_seen == 1


def test_rates_are_over_the_run_and_over_the_last_seconds(
    bus: EventBus, tracker: StatisticsTracker, clock: FakeClock
) -> None:
    bus.publish(CrawlStateChanged("RUNNING"))
    for _ in range(100):
        bus.publish(finished())
        clock.advance(1.0)
    clock.advance(100.0)
    for _ in range(20):
        clock.advance(1.0)
        for _ in range(3):
            bus.publish(finished(wire_bytes=10))
    seen = tracker.snapshot()
    assert seen.running_seconds == 220.0
    assert seen.pages_per_second == 160 / 220
    assert seen.bytes_per_second == 100_600 / 220
    assert seen.recent_pages_per_second == seen.recent_uris_per_second == 3.0
    assert seen.recent_bytes_per_second == 30.0


def test_a_pause_does_not_count_as_time(bus: EventBus, tracker: StatisticsTracker, clock: FakeClock) -> None:
    clock.advance(5)
    assert tracker.snapshot().running_seconds == 0
    for state, seconds in [("RUNNING", 10), ("PAUSING", 1), ("PAUSED", 1000), ("RUNNING", 4), ("FINISHED", 50)]:
        bus.publish(CrawlStateChanged(state))
        clock.advance(seconds)
    assert tracker.snapshot().running_seconds == 15


def test_memory_is_bounded_whatever_servers_say(bus: EventBus, tracker: StatisticsTracker) -> None:
    for number in range(MAX_HOSTS + 100):
        bus.publish(finished(host=f"h{number}.example", content_type=f"x/{number}" + "y" * 1000))
    seen = tracker.snapshot()
    assert seen.hosts_seen == MAX_HOSTS
    assert len(seen.hosts) == LIVE_HOSTS
    assert len(seen.types) == MAX_TYPES + 1
    assert seen.types[-1] == Share("other", MAX_HOSTS + 100 - MAX_TYPES, (MAX_HOSTS + 100 - MAX_TYPES) * 1000)
    assert max(len(share.name) for share in seen.types) == 100


def test_a_hostile_media_type_is_no_terminal_escape(bus: EventBus, tracker: StatisticsTracker) -> None:
    bus.publish(finished(content_type="text/html\x1b[2J\n"))
    bus.publish(finished(content_type=""))
    assert {share.name for share in tracker.snapshot().types} == {"text/html%1B[2J%0A", "no-type"}


def test_a_closed_tracker_listens_no_more(bus: EventBus, tracker: StatisticsTracker) -> None:
    bus.publish(finished())
    tracker.close()
    tracker.close()
    bus.publish(finished())
    assert tracker.snapshot().finished == 1


def test_events_that_wait_to_be_counted_are_few(bus: EventBus, tracker: StatisticsTracker, clock: FakeClock) -> None:
    for _ in range(3 * MAX_WAITING + 7):
        bus.publish(finished())
    assert len(tracker._waiting) <= MAX_WAITING
    assert tracker.snapshot().finished == 3 * MAX_WAITING + 7
    assert not tracker._waiting
    clock.advance(1.0)
    bus.publish(finished())
    clock.advance(1.0)
    bus.publish(finished())
    assert len(tracker._waiting) == 1
