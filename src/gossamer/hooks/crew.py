"""Crew: the crawlers of one crawl, one at each toe, from their `on_start` to their `on_finish`.

    enlist (as its toe begins) -> on_start -> visit, should_visit, on_fetch_failed … -> close: on_finish, threads end

A crawler outlives its toe: one that is cancelled and replaced goes on with the same crawler. Only a thread that does
not come back costs a crawler: it is abandoned, and a fresh one takes its place under its id; what it had as
`local_data` is kept. An exception of a hook is logged with its traceback and published as HookFailed, on which the
controller may stop the crawl. Used from the event loop only.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, NamedTuple

from gossamer.config import Hooks
from gossamer.hooks.crawler import GivenBack, WebCrawler
from gossamer.hooks.interrupt import is_ctrl_c
from gossamer.hooks.limits import Limits
from gossamer.hooks.member import HookStuck, Member, ShouldVisit, TurnNeverCame
from gossamer.hooks.recruits import Recruits
from gossamer.hooks.relay import Relay
from gossamer.hooks.thread import HookThread
from gossamer.model.events import HookFailed
from gossamer.util.bus import EventBus
from gossamer.util.clock import Clock
from gossamer.util.tasks import cancel_and_wait

log = logging.getLogger(__name__)

NEW_CRAWLER = "new crawler"
"""Stands for a hook where the making of a crawler failed."""
HURRY_SECONDS = 3.0
"""What `on_finish` may take when the end is wanted at once."""


class Abandoned(NamedTuple):
    """A thread that did not come back."""

    name: str
    hook: str
    url: str
    since: float
    """Monotonic time at which the hook was called."""
    thread: HookThread


class Crew:
    """The crawlers of one crawl, over all its reopenings."""

    def __init__(self, recruits: Recruits, settings: Hooks, bus: EventBus, clock: Clock) -> None:
        self._recruits = recruits
        self._settings = settings
        self._bus = bus
        self._clock = clock
        self._limits = Limits()
        self._relay = Relay()
        self._members: dict[int, Member] = {}
        self._finishing: list[Member] = []
        """Those that `close` has taken out of `_members`."""
        self._crawlers: dict[int, WebCrawler] = {}
        """By their identity."""
        self._beginnings: dict[int, asyncio.Task[bool]] = {}
        """By the identity of the crawler: one that several toes share begins once."""
        self._abandoned: list[Abandoned] = []
        self.replaced = 0
        """Crawlers whose thread was abandoned."""

    @property
    def halts_on_error(self) -> bool:
        """Whether the failure of a hook stops the crawl, so that its page is not done with."""
        return self._settings.halt_on_error

    @property
    def local_data(self) -> list[Any]:
        """That of every crawler, replaced ones included, in the order of their ids."""
        return [crawler.local_data for crawler in sorted(self._crawlers.values(), key=lambda crawler: crawler.id)]

    @property
    def abandoned(self) -> list[Abandoned]:
        """The threads that have not come back to this day."""
        self._abandoned = [one for one in self._abandoned if one.thread.is_alive]
        return list(self._abandoned)

    def owns_current_thread(self) -> bool:
        """Whether the caller is in a hook of this crew, in its thread."""
        members = [*self._finishing, *self._members.values()]  # in one step: the loop may change them meanwhile
        return any(member.thread.is_current for member in members)

    # ---- at work

    def enlist(self, serial: int) -> None:
        """Have a crawler for the toe with this serial number, and begin with its `on_start`."""
        if serial not in self._members:
            self._recruit(serial)

    async def call(self, serial: int, hook: str, url: str, *args: Any) -> BaseException | None:
        """Call a hook of the toe's crawler, if it was overridden; what it raised, which is logged and published.

        GivenBack means that the page is not done with, which is no failure.
        """
        member = self._members.get(serial)
        if member is None or not (member.has_begun or await member.is_ready()):
            return GivenBack()
        if not member.has(hook):
            return None
        since = self._clock.monotonic()
        error = await member.call(hook, *args)
        if error is None:
            return None
        if not isinstance(error, GivenBack):
            self.note_failure(member.number, hook, url, error)
        if isinstance(error, HookStuck | TurnNeverCame):
            self._replace(member, serial, Abandoned(member.thread.name, hook, url, since, member.thread))
        return error

    def should_visit(self, serial: int) -> ShouldVisit | None:
        """The hook of the toe's crawler, to be called in the loop for each link; None if it was not overridden."""
        member = self._members.get(serial)
        return None if member is None else member.should_visit

    def note_failure(self, number: int, hook: str, url: str, error: BaseException) -> None:
        """Log what a hook raised, with its traceback, and publish it."""
        log.error("crawler %d: %s failed%s", number, hook, f" on {url!r}" if url else "", exc_info=error)
        self._bus.publish(HookFailed(hook, url, number, error))

    # ---- the end

    async def close(self, seconds: float, hurry: asyncio.Event | None = None) -> None:
        """Call every `on_finish` and end the threads; one that takes longer than `seconds` is abandoned, and one that
        takes longer than HURRY_SECONDS once `hurry` is set. Idempotent.
        """
        members = list(self._members.values())
        self._finishing, self._members = self._finishing + members, {}
        for beginning in self._beginnings.values():
            beginning.cancel()
        crawlers = {id(member.crawler): member for member in reversed(members)}
        finishing = {
            asyncio.create_task(self._finish(member, seconds, is_called=crawlers[id(member.crawler)] is member))
            for member in members
        }
        await _wait(finishing, hurry or asyncio.Event())
        self._limits.close()

    async def _finish(self, member: Member, seconds: float, *, is_called: bool) -> None:
        since = self._clock.monotonic()
        has_ended = False
        try:
            is_given_up = is_called and await self._call_on_finish(member, seconds)
            has_ended = not is_given_up and await member.thread.end(seconds)
        finally:
            if not has_ended and member.thread.is_alive:
                self._abandon(Abandoned(member.thread.name, "on_finish", "", since, member.thread))

    async def _call_on_finish(self, member: Member, seconds: float) -> bool:
        """Whether its thread does not come back."""
        if not member.has("on_finish") or not member.has_begun:
            return False
        error = await member.call("on_finish", max_seconds=seconds)
        if error is not None:
            self.note_failure(member.number, "on_finish", "", error)
        return isinstance(error, HookStuck | TurnNeverCame) and member.thread.is_busy

    # ---- helpers

    def _recruit(self, serial: int) -> None:
        try:
            crawler = self._recruits.new(serial)
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            self.note_failure(serial, NEW_CRAWLER, "", error)
            return
        member = Member(serial, crawler, self._settings.max_time, self._limits, self._relay)
        self._members[serial] = member
        if id(crawler) not in self._crawlers:
            self._crawlers[id(crawler)] = crawler
            if member.has("on_start"):
                self._beginnings[id(crawler)] = asyncio.create_task(self._begin(member), name=f"on_start {serial}")
        member.beginning = self._beginnings.get(id(crawler))

    async def _begin(self, member: Member) -> bool:
        error = await member.call("on_start")
        if error is not None:
            self.note_failure(member.number, "on_start", "", error)
        return error is None

    def _replace(self, member: Member, serial: int, abandoned: Abandoned) -> None:
        if not abandoned.thread.is_busy:
            return  # an `async def` hook: it was cancelled, and its crawler can go on
        self._abandon(abandoned)
        self.replaced += 1
        if self._members.get(serial) is member:
            del self._members[serial]
            self._recruit(serial)

    def _abandon(self, abandoned: Abandoned) -> None:
        log.error("%s does not come back from %s %s; it is abandoned", abandoned.name, abandoned.hook, abandoned.url)
        self._abandoned.append(abandoned)
        abandoned.thread.abandon()


async def _wait(tasks: set[asyncio.Task[None]], hurry: asyncio.Event) -> None:
    """Until all have ended; those that have not are cancelled a little after `hurry` was set."""
    hurried = asyncio.create_task(hurry.wait())
    try:
        while (running := {task for task in tasks if not task.done()}) and not hurried.done():
            await asyncio.wait({*running, hurried}, return_when=asyncio.FIRST_COMPLETED)
        if running:
            await asyncio.wait(running, timeout=HURRY_SECONDS)
    finally:
        await cancel_and_wait(hurried, *tasks)
    for task in tasks:
        if not task.cancelled():
            task.result()
