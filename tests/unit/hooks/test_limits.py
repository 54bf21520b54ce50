from __future__ import annotations

import asyncio

from gossamer.hooks.limits import Limits


async def test_only_a_call_whose_time_is_up_expires_and_each_at_its_own_time() -> None:
    limits = Limits()
    ended = asyncio.Event()
    order: list[str] = []
    long = limits.begin(3600.0, lambda: order.append("long"))
    later = limits.begin(0.02, ended.set)
    sooner = limits.begin(0.01, lambda: order.append("sooner"))
    over = limits.begin(0.01, lambda: order.append("over"))
    limits.end(over)
    await ended.wait()
    assert order == ["sooner"]
    assert (long.is_over, later.is_over, sooner.is_over, over.is_over) == (False, True, True, False)
    limits.end(long)
    limits.close()
    limits.close()


async def test_a_timer_that_was_forgotten_is_set_again_by_the_next_call() -> None:
    limits = Limits()
    limits.end(limits.begin(3600.0, lambda: None))
    limits.close()
    ended = asyncio.Event()
    assert not limits.begin(0.0, ended.set).is_over
    await ended.wait()
