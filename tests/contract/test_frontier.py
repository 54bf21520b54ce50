"""The contract of Frontier, over all its implementations."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from gossamer.config import Politeness
from gossamer.errors import FrontierClosed, StateError
from gossamer.frontier import FrontierTarget, RobotsRecord
from gossamer.frontier.visits import LEAST_SECONDS
from gossamer.model.crawluri import ClassKey
from gossamer.model.disposition import Charge, Disposition, Fate

from .conftest import Kit, MakeKit, settle

POLITE = Politeness(delay=2.0, delay_factor=1.0, max_delay=30.0, host_schedule=(60.0, 300.0), throttle_start=5.0)


# ---- what is known


async def test_a_url_is_queued_once_and_keeps_its_doc_id(kit: Kit) -> None:
    """S11."""
    first = kit.uri("/1")
    assert kit.frontier.docid_of(first.identity) is None
    assert kit.frontier.schedule([first, first]) == 1
    assert kit.frontier.schedule([first]) == 0
    docid = kit.frontier.docid_of(first.identity)
    assert docid == (await kit.next()).docid


async def test_doc_ids_rise_with_the_order_of_scheduling(kit: Kit) -> None:
    """S11."""
    uris = [kit.uri(f"/{n}", host=f"h{n % 3}.example") for n in range(20)]
    kit.frontier.schedule(uris)
    docids = [kit.frontier.docid_of(uri.identity) for uri in uris]
    assert docids == sorted(set(docids))


async def test_unseen_tells_which_are_not_known_and_changes_nothing(kit: Kit) -> None:
    kit.schedule("/1")
    identities = [kit.uri("/1").identity, kit.uri("/2").identity]
    assert kit.frontier.unseen(identities) == [False, True]
    assert kit.frontier.unseen(identities) == [False, True]
    assert kit.frontier.unseen([]) == []


async def test_a_noted_url_is_known_but_never_queued(kit: Kit) -> None:
    """S11."""
    uri = kit.uri("/noted")
    docid = kit.frontier.note_seen(uri.identity)
    assert kit.frontier.note_seen(uri.identity) == docid
    assert kit.frontier.schedule([uri]) == 0
    assert kit.frontier.is_empty()
    seen = kit.frontier.seen(uri.identity)
    assert seen is not None and (seen.docid, seen.fate) == (docid, None)


async def test_a_doc_id_of_the_users_own_must_rise(kit: Kit) -> None:
    """S11."""
    assert kit.frontier.note_seen(kit.uri("/1").identity, 1000) == 1000
    for docid in (1000, 999, 1):
        with pytest.raises(ValueError, match="rise"):
            kit.frontier.note_seen(kit.uri("/2").identity, docid)
    kit.schedule("/3")
    assert (await kit.next()).docid == 1001


async def test_a_candidate_may_bring_its_doc_id_which_must_rise_or_nothing_is_queued(kit: Kit) -> None:
    """S11."""
    assert kit.frontier.schedule([kit.uri("/1", docid=50), kit.uri("/2"), kit.uri("/1", docid=7)]) == 2
    assert [(await kit.next()).docid] == [50]
    assert kit.frontier.docid_of(kit.uri("/2").identity) == 51
    assert kit.frontier.schedule([kit.uri("/2", docid=3)]) == 0
    for docid in (51, 1):
        with pytest.raises(ValueError, match="rise"):
            kit.frontier.schedule([kit.uri("/3"), kit.uri("/4", docid=docid)])
    assert kit.frontier.docid_of(kit.uri("/3").identity) is None
    assert kit.frontier.counts().discovered == 2
    kit.frontier.validate()


async def test_what_became_of_a_url_is_remembered(kit: Kit) -> None:
    kit.schedule("/1")
    curi = await kit.next()
    kit.finish(curi, fate=Fate.FAILED, status=-21, reason="MALFORMED_RESPONSE")
    seen = kit.frontier.seen(curi.identity)
    assert seen is not None
    assert (seen.fate, seen.status, seen.reason, seen.attempts) == (Fate.FAILED, -21, "MALFORMED_RESPONSE", 1)
    assert seen.when == kit.clock.wall()
    assert kit.frontier.seen(kit.uri("/never").identity) is None


async def test_a_forced_url_is_queued_again_under_its_doc_id(kit: Kit) -> None:
    kit.schedule("/1")
    curi = await kit.next()
    assert kit.frontier.schedule([kit.uri("/1")], force=True) == 0, "it waits already"
    kit.finish(curi)
    assert kit.frontier.schedule([kit.uri("/1")], force=True) == 1
    assert kit.frontier.schedule([kit.uri("/1", force=True)]) == 0
    again = await kit.next()
    assert again.docid == curi.docid
    kit.finish(again)
    assert kit.frontier.schedule([kit.uri("/1", force=True)]) == 1
    assert kit.frontier.counts().discovered == 3


async def test_identities_differ_by_url_and_share_a_part_by_host(kit: Kit) -> None:
    one, two, other = kit.uri("/1").identity, kit.uri("/2").identity, kit.uri("/1", host="b.example").identity
    assert len({one, two, other}) == 3
    assert len(one) == 20
    assert one[:4] == two[:4] != other[:4]


# ---- order


async def test_a_queue_is_ordered_by_priority_attempts_depth_and_doc_id(kit: Kit) -> None:
    """S12."""
    kit.schedule("/late")
    kit.schedule("/deep", depth=3)
    kit.schedule("/tried", attempts=1)
    kit.schedule("/sitemap", priority=144)
    kit.schedule("/seed", priority=96, depth=9)
    kit.schedule("/later")
    assert await kit.all_paths() == ["/seed", "/late", "/later", "/deep", "/tried", "/sitemap"]


async def test_a_url_that_comes_before_those_read_is_not_missed(kit: Kit) -> None:
    kit.schedule(*[f"/{n}" for n in range(40)])
    for _ in range(20):
        kit.finish(await kit.next())
    kit.schedule("/first", priority=1)
    kit.schedule("/second", priority=2)
    assert (await kit.all_paths())[:3] == ["/first", "/second", "/20"]


async def test_many_that_come_before_those_read_are_not_missed(kit: Kit) -> None:
    kit.schedule(*[f"/{n}" for n in range(40)])
    held = await kit.next()
    for n in range(60):
        kit.schedule(f"/before{n:02}", priority=100 - n)
    kit.finish(held)
    assert await kit.all_paths() == [f"/before{n:02}" for n in reversed(range(60))] + [f"/{n}" for n in range(1, 40)]


async def test_queues_take_turns(kit: Kit) -> None:
    for host in ("a.example", "b.example", "c.example"):
        kit.schedule(*[f"/{n}" for n in range(120)], host=host)
    hosts = []
    for _ in range(250):
        curi = await kit.next()
        hosts.append(curi.class_key)
        kit.frontier.finish(curi, Disposition(fate=Fate.SUCCEEDED, status=200))
    assert set(hosts) == {"a.example", "b.example", "c.example"}, "no host waits until another has no more"


async def test_active_queues_give_one_url_each_in_turn(kit: Kit) -> None:
    for host in ("a.example", "b.example", "c.example"):
        kit.schedule("/1", "/2", host=host)
    out = [await kit.next() for _ in range(3)]
    for curi in out:
        kit.finish(curi)
    assert [(await kit.next()).class_key for _ in range(3)] == [curi.class_key for curi in out]


# ---- handing out


async def test_one_url_of_a_host_at_a_time(kit: Kit) -> None:
    kit.schedule("/1", "/2")
    first = await kit.next()
    waiter = kit.waiter()
    await settle()
    assert not waiter.done()
    kit.finish(first)
    await settle()
    assert waiter.result().url.endswith("/2")


async def test_schedule_wakes_exactly_as_many_as_can_work(kit: Kit) -> None:
    """S14."""
    waiters = [kit.waiter() for _ in range(5)]
    await settle()
    kit.schedule("/1", "/2")
    kit.schedule("/1", host="b.example")
    await settle()
    assert [waiter.done() for waiter in waiters] == [True, True, False, False, False]
    for waiter in waiters[2:]:
        waiter.cancel()


async def test_those_who_wait_are_served_in_order(kit: Kit) -> None:
    waiters = [kit.waiter() for _ in range(3)]
    await settle()
    for n in range(3):
        kit.schedule("/", host=f"h{n}.example")
    await settle()
    assert [waiter.result().class_key for waiter in waiters] == ["h0.example", "h1.example", "h2.example"]


async def test_next_batch_waits_for_one_and_takes_what_else_is_there(kit: Kit) -> None:
    """S13."""
    for n in range(3):
        kit.schedule("/", host=f"h{n}.example")
    assert len(await kit.frontier.next_batch(2)) == 2
    assert len(await kit.frontier.next_batch(5)) == 1
    task = asyncio.ensure_future(kit.frontier.next_batch(5))
    await settle()
    assert not task.done()
    kit.schedule("/", host="h9.example")
    await settle()
    assert len(task.result()) == 1


async def test_a_waiter_cancelled_in_the_tick_of_the_hand_over_loses_nothing(kit: Kit) -> None:
    waiter = kit.waiter()
    await settle()
    kit.schedule("/1")
    assert kit.frontier.counts().in_process == 1
    waiter.cancel()
    await settle()
    assert waiter.cancelled()
    assert kit.frontier.counts().in_process == 0
    assert (await kit.next()).url.endswith("/1")


async def test_what_a_cancelled_waiter_was_given_goes_to_the_next(kit: Kit) -> None:
    first, second = kit.waiter(), kit.waiter()
    await settle()
    kit.schedule("/1")
    first.cancel()
    await settle()
    assert second.result().url.endswith("/1")
    kit.frontier.validate()


async def test_a_cancelled_waiter_is_given_nothing(kit: Kit) -> None:
    first, second = kit.waiter(), kit.waiter()
    await settle()
    first.cancel()
    await settle()
    kit.schedule("/1")
    await settle()
    assert second.result().url.endswith("/1")


async def test_a_url_given_back_is_at_its_place_and_not_charged(kit: Kit) -> None:
    """S13."""
    kit.schedule("/1", "/2")
    curi = await kit.next()
    kit.give_back(curi)
    kit.give_back(curi)
    assert kit.frontier.counts().in_process == 0
    again = await kit.next()
    assert again == curi


async def test_a_hand_out_writes_every_field_that_was_scheduled(kit: Kit) -> None:
    """S12."""
    uri = kit.uri(
        "/1",
        fetch_url="http://a.example/other",
        via="http://a.example/",
        hops="LL",
        element="a@href",
        anchor="text ä",
        depth=2,
        discovered=17.5,
        data={"mine": [1, 2]},
    )
    kit.frontier.schedule([uri])
    curi = await kit.next()
    for field in uri.__struct_fields__:
        if field != "docid":
            assert getattr(curi, field) == getattr(uri, field)


# ---- finish


async def test_discoveries_come_with_the_finish_of_their_page(kit: Kit) -> None:
    """S3: queued = 0 and in process = 0 is proof."""
    kit.schedule("/1")
    curi = await kit.next()
    assert not kit.frontier.is_empty()
    kit.finish(curi, kit.uri("/1"), kit.uri("/2"), kit.uri("/2"), kit.uri("/", host="b.example"))
    counts = kit.frontier.counts()
    assert (counts.discovered, counts.queued, counts.in_process, counts.succeeded) == (3, 2, 0, 1)
    assert sorted(await kit.all_paths()) == ["/", "/2"]
    assert kit.frontier.is_empty()


async def test_more_than_500_discoveries_in_one_finish_are_refused(kit: Kit) -> None:
    kit.schedule("/")
    curi = await kit.next()
    links = [kit.uri(f"/{n}") for n in range(501)]
    with pytest.raises(ValueError, match="501"):
        kit.frontier.finish(curi, Disposition(fate=Fate.SUCCEEDED, status=200), links)
    assert kit.frontier.counts().in_process == 1
    kit.finish(curi, *links[:500])
    assert kit.frontier.counts().queued == 500


async def test_counters_count_what_they_say(kit: Kit) -> None:
    kit.schedule("/1", "/2", "/3", "/4")
    kit.finish(await kit.next(), is_page=True, wire_bytes=100)
    kit.finish(await kit.next(), fate=Fate.DISREGARDED, status=-9998, requested=False, reason="robots")
    kit.finish(await kit.next(), fate=Fate.FAILED, status=-5, wire_bytes=7, reason="CRASHED")
    kit.fail(await kit.next(), Charge.URI, status=500, wire_bytes=5)
    counts = kit.frontier.counts()
    assert (counts.discovered, counts.queued, counts.succeeded, counts.disregarded) == (4, 1, 1, 1)
    assert (counts.failed, counts.retried, counts.pages, counts.wire_bytes, counts.queues) == (1, 1, 1, 112, 1)
    assert counts.reasons == {"robots": 1, "CRASHED": 1}


async def test_a_finish_that_comes_twice_is_harmless(kit: Kit) -> None:
    kit.schedule("/1", "/2")
    curi = await kit.next()
    kit.finish(curi)
    kit.finish(curi)
    kit.finish(curi, fate=Fate.RETRY, status=500, charge=Charge.URI)
    counts = kit.frontier.counts()
    assert (counts.succeeded, counts.queued, counts.in_process) == (1, 1, 0)


async def test_a_finish_after_giving_back_is_no_finish(kit: Kit) -> None:
    kit.schedule("/1")
    curi = await kit.next()
    kit.give_back(curi)
    kit.finish(curi, kit.uri("/2"))
    counts = kit.frontier.counts()
    assert (counts.succeeded, counts.queued) == (0, 2)


# ---- retries


async def test_a_fault_of_the_uri_puts_it_behind_the_fresh_ones(kit: Kit) -> None:
    kit.schedule("/1", "/2")
    kit.schedule("/low", priority=144)
    kit.fail(await kit.next(), Charge.URI, status=500)
    assert (await kit.next()).url.endswith("/2")
    kit.schedule("/3", host="b.example")
    counts = kit.frontier.counts()
    assert counts.queued == 4


async def test_a_retried_uri_counts_its_attempts(kit: Kit) -> None:
    kit.schedule("/1")
    for attempts in range(3):
        curi = await kit.next()
        assert curi.attempts == attempts
        kit.fail(curi, Charge.URI, status=500)
    kit.finish(await kit.next())
    seen = kit.frontier.seen(kit.uri("/1").identity)
    assert seen is not None and seen.attempts == 4


async def test_a_retry_that_nobody_pays_for_stays_where_it_was(kit: Kit) -> None:
    kit.schedule("/1", "/2")
    curi = await kit.next()
    kit.fail(curi, Charge.NONE, requested=False)
    assert await kit.next() == curi


async def test_a_redirect_to_the_same_identity_is_queued_with_its_new_fetch_url(kit: Kit) -> None:
    kit.schedule("/1", "/2")
    curi = await kit.next()
    requeued = kit.uri("/1", fetch_url="http://a.example/1?cookie", redirects=1, depth=4)
    kit.finish(curi, fate=Fate.RETRY, status=302, requeued=requeued)
    kit.finish(await kit.next())
    again = await kit.next()
    assert (again.docid, again.fetch_url, again.redirects) == (curi.docid, "http://a.example/1?cookie", 1)
    assert again.identity == curi.identity


async def test_a_fault_of_the_host_keeps_the_uri_in_place_and_rests_the_queue(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1", "/2")
    kit.schedule("/1", host="b.example")
    curi = await kit.next()
    kit.fail(curi, Charge.HOST, requested=False)
    assert (await kit.next()).class_key == "b.example"
    waiter = kit.waiter()
    await kit.advance(59.9)
    assert not waiter.done()
    await kit.advance(0.2)
    assert waiter.result() == curi
    assert waiter.result().attempts == 0


async def test_a_host_that_stays_unreachable_is_given_up_by_its_schedule(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1", "/2")
    for rest in (60.0, 300.0):
        curi = await kit.next()
        kit.fail(curi, Charge.HOST, requested=False)
        assert not kit.frontier.unreachable(curi.class_key)
        await kit.advance(rest)
    curi = await kit.next()
    kit.fail(curi, Charge.HOST, requested=False)
    assert kit.frontier.unreachable(curi.class_key)
    for _ in range(2):
        ended = await kit.next()
        kit.finish(ended, fate=Fate.FAILED, status=-25, requested=False, reason="HOST_UNREACHABLE")
    assert kit.frontier.is_empty()


async def test_a_host_that_never_answered_has_its_own_schedule(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=Politeness(delay=0, delay_factor=0, first_contact_schedule=(5.0,), host_schedule=(60.0,)))
    kit.schedule("/1")
    kit.schedule("/1", host="b.example")
    kit.schedule("/2", host="b.example")
    never, answers = await kit.next(), await kit.next()
    kit.finish(answers)
    kit.fail(never, Charge.HOST, requested=False)
    kit.fail(await kit.next(), Charge.HOST, requested=False)
    waiter = kit.waiter()
    await kit.advance(5)
    kit.fail(waiter.result(), Charge.HOST, requested=False)
    assert kit.frontier.unreachable(never.class_key)
    assert not kit.frontier.unreachable(answers.class_key)


async def test_an_answer_forgives_a_host_its_failures(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1", "/2", "/3")
    kit.fail(await kit.next(), Charge.HOST, requested=False)
    await kit.advance(60)
    kit.finish(await kit.next())
    await kit.advance(2)
    kit.fail(await kit.next(), Charge.HOST, requested=False)
    waiter = kit.waiter()
    await kit.advance(60)
    assert waiter.done()


async def test_uris_out_together_charge_their_host_once(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=Politeness(delay=0, delay_factor=0, connections_per_host=3, host_schedule=(60.0, 300.0)))
    kit.schedule("/1", "/2", "/3")
    out = [await kit.next() for _ in range(3)]
    for curi in out:
        kit.fail(curi, Charge.HOST, requested=False)
    report = kit.frontier.why(out[0].class_key)
    assert report is not None and report.failures == 1
    await kit.advance(60)
    assert (await kit.next()).url.endswith("/1")


async def test_throttling_obeys_retry_after_within_bounds(make_kit: MakeKit) -> None:
    """P9."""
    kit = make_kit(politeness=Politeness(delay=0, delay_factor=0, max_retry_after=100.0))
    kit.schedule("/1")
    curi = await kit.next()
    kit.fail(curi, Charge.THROTTLED, status=429, retry_after_seconds=40.0)
    waiter = kit.waiter()
    await kit.advance(39.9)
    assert not waiter.done()
    await kit.advance(0.1)
    assert waiter.result().attempts == 1
    kit.fail(waiter.result(), Charge.THROTTLED, status=503, retry_after_seconds=1e9)
    waiter = kit.waiter()
    await kit.advance(100)
    assert waiter.done()


async def test_throttling_without_retry_after_doubles_until_a_success(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=Politeness(delay=0, delay_factor=0, throttle_start=10.0, max_throttle=1000.0))
    kit.schedule("/1", "/2")
    for rest in (10.0, 20.0, 40.0):
        curi = await kit.next()
        kit.fail(curi, Charge.THROTTLED, status=429)
        waiter = kit.waiter()
        await kit.advance(rest * 0.89)
        assert not waiter.done()
        await kit.advance(rest * 0.22)
        assert waiter.done()
        kit.give_back(waiter.result())
    kit.finish(await kit.next())
    kit.fail(await kit.next(), Charge.THROTTLED, status=429)
    waiter = kit.waiter()
    await kit.advance(11)
    assert waiter.done()


# ---- politeness


async def test_a_host_rests_from_the_start_of_one_request_to_the_next(make_kit: MakeKit) -> None:
    """P9."""
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1", "/2")
    curi = await kit.next()
    started = kit.clock.monotonic()
    kit.frontier.started(curi, started)
    await kit.advance(0.5)
    kit.finish(curi, started=started, fetch_seconds=0.5)
    waiter = kit.waiter()
    await kit.advance(1.4)
    assert not waiter.done()
    await kit.advance(0.2)
    assert waiter.done()


async def test_a_slow_host_is_given_as_long_as_it_took(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1", "/2", "/3")
    kit.finish(await kit.next(), fetch_seconds=10.0)
    waiter = kit.waiter()
    await kit.advance(9.9)
    assert not waiter.done()
    await kit.advance(0.2)
    kit.finish(waiter.result(), fetch_seconds=1000.0)
    waiter = kit.waiter()
    await kit.advance(30.1)
    assert waiter.done()


async def test_crawl_delay_is_honoured_within_bounds(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=Politeness(delay=1, max_crawl_delay=50.0))
    kit.schedule("/1", "/2", "/3")
    kit.finish(await kit.next(), crawl_delay_seconds=20.0)
    waiter = kit.waiter()
    await kit.advance(19)
    assert not waiter.done()
    await kit.advance(1.1)
    kit.finish(waiter.result(), crawl_delay_seconds=1e9)
    waiter = kit.waiter()
    await kit.advance(50.1)
    assert waiter.done()


async def test_where_no_request_was_made_no_host_rests(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1", "/2")
    kit.finish(await kit.next(), fate=Fate.DISREGARDED, status=-9998, requested=False)
    assert (await kit.next()).url.endswith("/2")


async def test_a_host_rests_also_after_a_url_that_was_given_back(make_kit: MakeKit) -> None:
    """P9."""
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1")
    curi = await kit.next()
    kit.frontier.started(curi, kit.clock.monotonic())
    kit.give_back(curi)
    waiter = kit.waiter()
    await kit.advance(1.9)
    assert not waiter.done()
    await kit.advance(0.2)
    assert waiter.result() == curi


async def test_a_host_without_urls_still_rests_when_one_comes(make_kit: MakeKit) -> None:
    """P9."""
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1")
    kit.finish(await kit.next())
    kit.schedule("/2")
    waiter = kit.waiter()
    await kit.advance(1.9)
    assert not waiter.done()
    await kit.advance(0.2)
    assert waiter.done()


async def test_with_several_connections_and_no_delay_heads_go_out_freely(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=Politeness(delay=0, delay_factor=0, connections_per_host=3))
    kit.schedule("/1", "/2", "/3", "/4")
    out = [await kit.next() for _ in range(3)]
    assert [curi.url[-1] for curi in out] == ["1", "2", "3"]
    waiter = kit.waiter()
    await settle()
    assert not waiter.done()
    kit.finish(out[1])
    await settle()
    assert waiter.result().url.endswith("/4")


async def test_with_several_connections_the_delay_holds_between_any_two_starts(make_kit: MakeKit) -> None:
    """P9."""
    kit = make_kit(politeness=Politeness(delay=2, delay_factor=0, connections_per_host=3))
    kit.schedule("/1", "/2", "/3", "/4")
    first = await kit.next()
    waiter = kit.waiter()
    await kit.advance(10)
    assert not waiter.done(), "the first was not sent yet"
    kit.frontier.started(first, kit.clock.monotonic())
    await kit.advance(1.9)
    assert not waiter.done()
    await kit.advance(0.2)
    assert waiter.done()
    kit.finish(first, started=kit.clock.monotonic() - 2.1)
    third = kit.waiter()
    await kit.advance(5)
    assert not third.done(), "the second was not sent yet"
    kit.frontier.started(waiter.result(), kit.clock.monotonic())
    await kit.advance(2.1)
    assert third.done()


async def test_a_url_that_ends_without_a_request_lets_the_next_one_go(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=Politeness(delay=2, delay_factor=0, connections_per_host=2))
    kit.schedule("/1", "/2", "/3")
    kit.finish(await kit.next(), fate=Fate.DISREGARDED, status=-5000, requested=False)
    kit.give_back(await kit.next())
    assert (await kit.next()).url.endswith("/2")


# ---- max_pages


async def test_no_more_is_handed_out_than_could_still_count(make_kit: MakeKit) -> None:
    """S14."""
    kit = make_kit(max_pages=2)
    for n in range(4):
        kit.schedule("/", host=f"h{n}.example")
    first, second = await kit.next(), await kit.next()
    waiter = kit.waiter()
    await settle()
    assert not waiter.done()
    kit.finish(first, is_page=True)
    await settle()
    assert not waiter.done()
    kit.finish(second, status=404)
    await settle()
    assert waiter.done()
    assert not kit.frontier.is_page_limit_reached
    kit.finish(waiter.result(), is_page=True)
    assert kit.frontier.is_page_limit_reached
    assert kit.frontier.counts().pages == 2
    assert not kit.frontier.is_empty()


# ---- targets


async def test_hold_and_pause_hand_out_nothing_until_run(kit: Kit) -> None:
    """S9."""
    kit.schedule("/1")
    for target in (FrontierTarget.HOLD, FrontierTarget.PAUSE):
        kit.frontier.seek(target)
        waiter = kit.waiter()
        await settle()
        assert not waiter.done()
        kit.frontier.seek(FrontierTarget.RUN)
        await settle()
        kit.give_back(waiter.result())


async def test_pause_is_reached_when_nothing_is_in_process(kit: Kit) -> None:
    """S9."""
    kit.schedule("/1", "/2")
    curi = await kit.next()
    kit.frontier.seek(FrontierTarget.PAUSE)
    assert kit.frontier.reached is FrontierTarget.HOLD
    reached = asyncio.ensure_future(kit.frontier.wait_reached(FrontierTarget.PAUSE))
    await settle()
    assert not reached.done()
    kit.finish(curi)
    await settle()
    assert reached.result() is FrontierTarget.PAUSE is kit.frontier.reached


async def test_empty_and_run_follow_what_is_queued(kit: Kit) -> None:
    """S9."""
    assert kit.frontier.reached is FrontierTarget.EMPTY
    running = asyncio.ensure_future(kit.frontier.wait_reached(FrontierTarget.RUN))
    await settle()
    kit.schedule("/1")
    await settle()
    assert running.result() is FrontierTarget.RUN
    empty = asyncio.ensure_future(kit.frontier.wait_reached(FrontierTarget.EMPTY, FrontierTarget.PAUSE))
    curi = await kit.next()
    await settle()
    assert not empty.done()
    kit.finish(curi)
    await settle()
    assert empty.result() is FrontierTarget.EMPTY


async def test_what_is_snoozed_with_urls_is_not_empty(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1", "/2")
    kit.finish(await kit.next())
    assert not kit.frontier.is_empty()
    await kit.advance(2)
    kit.finish(await kit.next())
    assert kit.frontier.is_empty(), "the host rests, but has nothing left"


async def test_finish_sends_all_waiters_away(kit: Kit) -> None:
    """S9."""
    waiters = [kit.waiter() for _ in range(3)]
    await settle()
    kit.frontier.seek(FrontierTarget.FINISH)
    await settle()
    for waiter in waiters:
        assert isinstance(waiter.exception(), FrontierClosed)
    kit.schedule("/1")
    with pytest.raises(FrontierClosed):
        await kit.frontier.next()
    assert kit.frontier.reached is FrontierTarget.FINISH


async def test_finish_is_reached_when_nothing_is_in_process_and_is_final(kit: Kit) -> None:
    """S9."""
    kit.schedule("/1")
    curi = await kit.next()
    kit.frontier.seek(FrontierTarget.FINISH)
    assert kit.frontier.reached is FrontierTarget.HOLD
    kit.finish(curi)
    assert await kit.frontier.wait_reached(FrontierTarget.FINISH) is FrontierTarget.FINISH
    for target in (FrontierTarget.RUN, FrontierTarget.PAUSE, FrontierTarget.EMPTY):
        with pytest.raises(StateError):
            kit.frontier.seek(target)


async def test_closing_sends_all_waiters_away(kit: Kit) -> None:
    waiter = kit.waiter()
    await settle()
    kit.frontier.close()
    await settle()
    assert isinstance(waiter.exception(), FrontierClosed)
    with pytest.raises(FrontierClosed):
        await kit.frontier.next()


# ---- robots.txt


def record(authority: str = "http://a.example", outcome: str = "rules", **fields: object) -> RobotsRecord:
    return RobotsRecord(authority=authority, fetched=1.0, outcome=outcome, **fields)  # type: ignore[arg-type]


def asked(kit: Kit, **fields: object) -> Disposition:
    told = {"fate": Fate.SUCCEEDED, "status": 200, "requested": True, "started": kit.clock.monotonic()}
    return Disposition(**(told | fields))  # type: ignore[arg-type]


async def test_robots_are_fetched_by_one_toe_while_the_queue_waits(kit: Kit) -> None:
    """P8."""
    kit.schedule("/1", "/2")
    curi = await kit.next()
    assert kit.frontier.robots("http://a.example") is None
    assert kit.frontier.begin_robots("http://a.example", curi.class_key)
    assert not kit.frontier.begin_robots("http://a.example", curi.class_key)
    kit.give_back(curi)
    waiter = kit.waiter()
    await settle()
    assert not waiter.done()
    assert not kit.frontier.is_empty()
    kit.frontier.note_robots(record(body=b"User-agent: *"), curi.class_key, asked(kit, wire_bytes=77))
    await settle()
    assert waiter.result() == curi
    stored = kit.frontier.robots("http://a.example")
    assert stored is not None and stored.body == b"User-agent: *"
    assert kit.frontier.counts().wire_bytes == 77
    kit.frontier.validate()


async def test_robots_are_read_as_they_were_noted_last(kit: Kit) -> None:
    kit.schedule("/1")
    curi = await kit.next()
    for body in (b"User-agent: *", b"User-agent: a\n" * 1000, b""):
        assert kit.frontier.begin_robots("http://a.example", curi.class_key)
        kit.frontier.note_robots(record(body=body), curi.class_key, asked(kit))
        for _ in range(2):
            assert kit.frontier.robots("http://a.example") == record(body=body)


async def test_after_robots_the_host_rests_as_after_any_request(make_kit: MakeKit) -> None:
    """P9."""
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1")
    curi = await kit.next()
    kit.frontier.begin_robots("http://a.example", curi.class_key)
    kit.frontier.note_robots(record(), curi.class_key, asked(kit))
    kit.give_back(curi)
    waiter = kit.waiter()
    await kit.advance(1.9)
    assert not waiter.done()
    await kit.advance(0.2)
    assert waiter.done()


async def test_unreachable_robots_keep_the_queue_asleep_until_their_next_try(kit: Kit) -> None:
    """P8."""
    kit.schedule("/1")
    curi = await kit.next()
    kit.frontier.begin_robots("http://a.example", curi.class_key)
    told = asked(kit, fate=Fate.RETRY, status=-2, requested=False)
    next_try = kit.clock.wall() + 300
    kit.frontier.note_robots(record(outcome="unreachable", tries=1, next_try=next_try), curi.class_key, told)
    kit.give_back(curi)
    waiter = kit.waiter()
    await kit.advance(299)
    assert not waiter.done()
    await kit.advance(2)
    assert waiter.result() == curi
    assert kit.frontier.begin_robots("http://a.example", curi.class_key)


async def test_an_abandoned_claim_frees_the_queue_once(kit: Kit) -> None:
    kit.schedule("/1", "/2")
    curi = await kit.next()
    kit.frontier.begin_robots("http://a.example", curi.class_key)
    kit.give_back(curi)
    kit.frontier.abandon_robots("http://a.example", curi.class_key)
    kit.frontier.abandon_robots("http://a.example", curi.class_key)
    assert await kit.next() == curi
    assert kit.frontier.begin_robots("http://a.example", curi.class_key)


async def test_two_authorities_of_a_queue_are_claimed_apart(kit: Kit) -> None:
    kit.schedule("/1")
    curi = await kit.next()
    assert kit.frontier.begin_robots("http://a.example", curi.class_key)
    assert kit.frontier.begin_robots("https://a.example", curi.class_key)
    kit.give_back(curi)
    kit.frontier.abandon_robots("http://a.example", curi.class_key)
    waiter = kit.waiter()
    await settle()
    assert not waiter.done()
    kit.frontier.abandon_robots("https://a.example", curi.class_key)
    await settle()
    assert waiter.done()


async def test_another_host_that_is_asked_for_a_robots_txt_gives_no_uri_meanwhile_and_rests_after_it(
    make_kit: MakeKit,
) -> None:
    """P9: robots.txt that redirects to another host is a request to that host."""
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1")
    curi = await kit.next()
    kit.schedule("/2", host="b.example")
    assert kit.frontier.begin_robots("http://a.example", curi.class_key, ClassKey("b.example"))
    kit.give_back(curi)
    waiter = kit.waiter()
    await settle()
    assert not waiter.done(), "both are held"
    kit.frontier.note_robots(record(), curi.class_key, asked(kit), ClassKey("b.example"))
    await settle()
    assert waiter.result() == curi, "its own host was not asked"
    waiter = kit.waiter()
    await kit.advance(1.9)
    assert not waiter.done()
    await kit.advance(0.2)
    assert waiter.result().class_key == "b.example"


async def test_a_host_of_which_the_crawl_has_nothing_can_be_asked_and_rests_too(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    kit.schedule("/1")
    kit.schedule("/2", host="b.example")
    first, second = await kit.next(), await kit.next()
    elsewhere = ClassKey("elsewhere.example")
    assert kit.frontier.begin_robots("http://a.example", first.class_key, elsewhere)
    assert not kit.frontier.begin_robots("http://b.example", second.class_key, elsewhere), "it is being asked"
    kit.give_back(second)
    kit.frontier.note_robots(record(), first.class_key, asked(kit), elsewhere)
    waiter = kit.waiter()
    await kit.advance(0.5)
    assert await waiter == second
    assert not kit.frontier.begin_robots("http://b.example", second.class_key, elsewhere), "it rests"
    kit.give_back(second)
    waiter = kit.waiter()
    await kit.advance(1.4)
    assert not waiter.done()
    await kit.advance(0.2 + LEAST_SECONDS)
    assert await waiter == second
    assert kit.frontier.begin_robots("http://b.example", second.class_key, elsewhere)
    kit.frontier.abandon_robots("http://b.example", second.class_key)
    kit.give_back(second)
    kit.give_back(first)


@pytest.mark.parametrize("delay", [2.0, 0.0])
async def test_visitors_of_a_busy_host_each_get_their_turn_and_the_gap_holds(make_kit: MakeKit, delay: float) -> None:
    """P9: three hosts whose robots.txt are to be had at a fourth, which always has URIs of its own."""
    kit = make_kit(politeness=Politeness(delay=delay, delay_factor=0.0))
    busy, visitors = ClassKey("b.example"), ["a1.example", "a2.example", "a3.example"]
    kit.schedule(*(f"/{number}" for number in range(200)), host=busy)
    for host in visitors:
        kit.schedule("/", host=host)
    asked_at: list[float] = []
    own = 0

    async def fetch(seconds: float = 0.5) -> float:
        asked_at.append(kit.clock.monotonic())
        began = kit.clock.monotonic()
        await kit.clock.sleep(seconds)
        return began

    async def toe() -> None:
        nonlocal own
        while True:
            curi = await kit.frontier.next()
            if curi.class_key == busy:
                own += 1
                kit.frontier.started(curi, kit.clock.monotonic())
                kit.finish(curi, started=await fetch())
            elif kit.frontier.begin_robots(f"http://{curi.class_key}", curi.class_key, busy):
                visit = kit.uri("/robots.txt", host=busy)
                kit.frontier.started(visit, kit.clock.monotonic())
                told = asked(kit, started=await fetch())
                kit.frontier.note_robots(record(f"http://{curi.class_key}"), curi.class_key, told, busy)
                visitors.remove(curi.class_key)
                kit.finish(curi, requested=False)
            else:
                kit.give_back(curi)

    toes = [asyncio.ensure_future(toe()) for _ in range(5)]
    for _ in range(600):
        if not visitors:
            break
        await kit.advance(0.05)
    for task in toes:
        task.cancel()
    await asyncio.gather(*toes, return_exceptions=True)
    assert not visitors
    assert own <= 10, "its own URIs were always first"
    gaps = [later - earlier for earlier, later in itertools.pairwise(asked_at)]
    assert min(gaps) >= max(delay, 0.5) - 1e-6, "with one connection, requests do not overlap either"
    kit.frontier.validate()


# ---- reports


async def test_queues_with_urls_are_listed_in_key_order_each_with_its_reason(make_kit: MakeKit) -> None:
    kit = make_kit(politeness=POLITE)
    for host in ("c.example", "a.example", "b.example"):
        kit.schedule("/1", "/2", host=host)
    busy = await kit.next()
    resting = await kit.next()
    kit.finish(resting)
    reports = {report.class_key: report for report in kit.frontier.queues()}
    assert list(reports) == ["a.example", "b.example", "c.example"]
    assert all(report.why.endswith(".") for report in reports.values())
    assert (reports[busy.class_key].state, reports[busy.class_key].in_process) == ("busy", 1)
    assert (reports[resting.class_key].state, reports[resting.class_key].queued) == ("snoozed", 1)
    assert reports[resting.class_key].wake == pytest.approx(kit.clock.wall() + 2)


async def test_why_knows_only_queues_that_there_were(kit: Kit) -> None:
    kit.schedule("/1")
    kit.finish(await kit.next())
    report = kit.frontier.why(kit.uri().class_key)
    assert report is not None and (report.queued, report.state) == (0, "exhausted")
    assert kit.frontier.why(kit.uri(host="never.example").class_key) is None
    assert list(kit.frontier.queues()) == []
