"""AresResolver against a name server on loopback."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from gossamer.config.settings import Dns
from gossamer.fetch import ares
from gossamer.fetch.address import AddressRules
from gossamer.fetch.dns import AresResolver, DnsAnswer
from gossamer.model.fetchstatus import FetchStatus
from gossamer.testing import FakeClock

from .conftest import Runner
from .fetchers import fetch, fetching
from .nameserver import AAAA, CNAME, SERVFAIL, A, Zone, answering
from .servers import OK, repeating, serving


def resolver_at(server: str, clock: FakeClock, **settings: Any) -> AresResolver:
    return AresResolver(Dns(nameservers=(server,), **settings), clock)


def test_an_answer_has_addresses_records_and_their_ttl(run: Runner) -> None:
    async def main() -> None:
        zone = Zone(
            {"www.site.test": [(AAAA, 700, "2606:4700::1"), (A, 600, "93.184.216.34"), (A, 600, "93.184.216.35")]}
        )
        clock = FakeClock(wall=1_796_047_004.0)
        async with answering(zone) as server:
            resolver = resolver_at(server, clock)
            answer = await resolver.resolve("www.site.test")
            await resolver.close()
        assert answer.addresses == ("93.184.216.34", "93.184.216.35", "2606:4700::1")
        assert answer.ttl_seconds == 600 and answer.failure == "" and answer.server == "127.0.0.1"
        assert answer.text() == (
            b"20261130135644\n"
            b"www.site.test.\t600\tIN\tA\t93.184.216.34\n"
            b"www.site.test.\t600\tIN\tA\t93.184.216.35\n"
            b"www.site.test.\t700\tIN\tAAAA\t2606:4700::1\n"
        )

    run(main())


def test_an_alias_is_followed_and_recorded(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({"www.site.test": [(CNAME, 60, "edge.cdn.test"), (A, 300, "93.184.216.34")]})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock())
            answer = await resolver.resolve("www.site.test")
            await resolver.close()
        assert answer.addresses == ("93.184.216.34",) and answer.ttl_seconds == 60
        assert answer.records == (
            "www.site.test.\t60\tIN\tCNAME\tedge.cdn.test.",
            "edge.cdn.test.\t300\tIN\tA\t93.184.216.34",
        )

    run(main())


def test_an_answer_is_kept_for_its_ttl_within_the_bounds(run: Runner) -> None:
    async def main() -> None:
        zone = Zone(
            {
                "short.test": [(A, 0, "192.0.2.1")],
                "fair.test": [(A, 1000, "192.0.2.2")],
                "long.test": [(A, 2**31 - 1, "192.0.2.3")],
            }
        )
        clock = FakeClock()
        async with answering(zone) as server:
            resolver = resolver_at(server, clock, min_ttl=300.0, max_ttl=3600.0)
            for host, kept in (("short.test", 300), ("fair.test", 1000), ("long.test", 3600)):
                before = resolver.lookups
                first = await resolver.resolve(host)
                clock.advance(kept - 1)
                assert await resolver.resolve(host) is first and resolver.lookups == before + 1
                clock.advance(2)
                await resolver.resolve(host)
                assert resolver.lookups == before + 2
            await resolver.close()

    run(main())


def test_the_cache_forgets_the_names_used_least_lately(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({f"{n}.test": [(A, 600, "192.0.2.1")] for n in range(4)})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock(), cache_size=2)
            for host in ("0.test", "1.test", "0.test", "2.test", "0.test"):
                await resolver.resolve(host)
            assert resolver.lookups == 3
            await resolver.resolve("1.test")
            assert resolver.lookups == 4
            await resolver.close()

    run(main())


def test_look_ups_of_one_name_at_the_same_time_are_one_and_announced_once(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({"site.test": [(A, 600, "192.0.2.1")]})
        announced: list[DnsAnswer] = []
        async with answering(zone) as server:
            resolver = AresResolver(Dns(nameservers=(server,)), FakeClock(), announced.append)
            answers = await asyncio.gather(*(resolver.resolve("site.test") for _ in range(20)))
            assert {answer.addresses for answer in answers} == {("192.0.2.1",)}
            assert resolver.lookups == 1 and announced == [answers[0]]
            assert sorted(zone.asked) == [("site.test", A), ("site.test", AAAA)]
            await resolver.close()

    run(main())


def test_one_who_gives_up_waiting_does_not_take_the_answer_from_the_others(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({"site.test": [(A, 600, "192.0.2.1")]})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock())
            first = asyncio.create_task(resolver.resolve("site.test"))
            second = asyncio.create_task(resolver.resolve("site.test"))
            await asyncio.sleep(0)
            first.cancel()
            assert (await second).addresses == ("192.0.2.1",)
            assert first.cancelled() and resolver.lookups == 1
            await resolver.close()

    run(main())


def test_a_failure_says_why_and_is_not_kept(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({"broken.test": SERVFAIL, "empty.test": []})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock(), tries=1)
            for host in ("broken.test", "empty.test", "missing.test", "a" * 64 + ".test", "x." * 200, "a..test"):
                answer = await resolver.resolve(host)
                assert answer.addresses == () and answer.failure.isprintable() and answer.failure, host
            zone.names["broken.test"] = [(A, 600, "192.0.2.1")]
            assert (await resolver.resolve("broken.test")).addresses == ("192.0.2.1",)
            await resolver.close()

    run(main())


def test_a_name_server_that_is_silent_is_waited_for_only_so_long(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({"silent.test": None})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock(), timeout=0.1, tries=2)
            answer = await resolver.resolve("silent.test")
            assert answer.addresses == () and "imeout" in answer.failure
            assert zone.asked.count(("silent.test", A)) == 2
            await resolver.close()

    run(main())


def hosts_file_name() -> str | None:
    """A name that /etc/hosts gives a loopback address, other than localhost."""
    for line in Path("/etc/hosts").read_text().splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        if address.startswith("127."):
            for name in names:
                if not name.startswith("localhost"):
                    return name
    return None


@pytest.mark.skipif(hosts_file_name() is None, reason="/etc/hosts names nothing but localhost")
def test_the_hosts_file_is_honoured(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock())
            answer = await resolver.resolve(str(hosts_file_name()))
            assert answer.addresses[0].startswith("127.") and zone.asked == []
            await resolver.close()

    run(main())


def test_channels_wear_out_and_are_closed(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """c-ares' own cache has no bound, so no instance of it lives long."""
    monkeypatch.setattr(ares, "_LOOKUPS", 3)

    async def main() -> None:
        zone = Zone({f"{n}.test": [(A, 600, "192.0.2.1")] for n in range(20)})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock())
            answers = await asyncio.gather(*(resolver.resolve(f"{n}.test") for n in range(10)))
            for n in range(10, 20):
                answers.append(await resolver.resolve(f"{n}.test"))
            assert all(answer.addresses == ("192.0.2.1",) for answer in answers)
            assert resolver.lookups == 20
            await resolver.close()

    run(main())


def test_a_huge_answer_is_bounded(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({"many.test": [(A, 600, f"192.0.2.{n}") for n in range(40)]})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock())
            assert len((await resolver.resolve("many.test")).addresses) == 16
            await resolver.close()

    run(main())


def test_literal_addresses_and_localhost_are_not_asked_for(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({})
        async with answering(zone) as server:
            resolver = resolver_at(server, FakeClock())
            assert (await resolver.resolve("127.0.0.1")).addresses == ("127.0.0.1",)
            assert (await resolver.resolve("[::1]")).addresses == ("::1",)
            assert (await resolver.resolve("localhost")).addresses == ("127.0.0.1", "::1")
            assert resolver.lookups == 0 and zone.asked == []
            await resolver.close()

    run(main())


def test_closing_ends_look_ups_under_way(run: Runner) -> None:
    async def main() -> None:
        zone = Zone({"silent.test": None})
        async with answering(zone) as server:
            resolver = AresResolver(Dns(nameservers=(server,)), FakeClock())
            waiting = asyncio.create_task(resolver.resolve("silent.test"))
            while not zone.asked:
                await asyncio.sleep(0)
            await resolver.close()
            await asyncio.wait([waiting])
            assert waiting.cancelled() or waiting.result().addresses == ()

    run(main())


def test_a_fetch_goes_by_the_name_servers_answer_and_checks_it(run: Runner) -> None:
    """A name that changes its mind, from outside to inside, is refused when it does."""

    async def main() -> None:
        zone = Zone({"site.test": [(A, 0, "127.0.0.1")], "rebinding.test": [(A, 0, "127.0.0.2")]})
        clock = FakeClock()
        async with serving(repeating(OK)) as web, answering(zone) as server:
            resolver = resolver_at(server, clock, min_ttl=0.0)
            async with fetching(resolver=resolver, rules=AddressRules(["127.0.0.1"])) as fetcher:
                assert (await fetch(fetcher, web.url(host="site.test"))).http_status == 200
                refused = await fetch(fetcher, web.url(host="rebinding.test"))
                assert refused.failure is FetchStatus.FORBIDDEN_ADDRESS
                assert refused.detail == "rebinding.test is at 127.0.0.2: loopback"
            assert web.connections == 1
            await resolver.close()

    run(main())
