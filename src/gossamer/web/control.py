"""The control API: what can be asked of a crawl and ordered from it, as a table of routes over its controller.

Used in the crawl's own event loop, so every answer is of one moment and no lock is needed. What could be long is
bounded or left to a thread. An order that the crawl's state does not allow changes nothing and is answered with those
that it allows. No route runs code or reads a file that the request names: logs and checkpoints are chosen from lists.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gossamer
from gossamer.config import shown_settings
from gossamer.control import (
    CHANGEABLE,
    Added,
    CrawlController,
    CrawlEvent,
    CrawlState,
    Progress,
    list_checkpoints,
    look,
)
from gossamer.control.crawl import Crawl
from gossamer.control.state import allowed
from gossamer.errors import StateError
from gossamer.frontier import QueueReport
from gossamer.frontier.report import held_up
from gossamer.jobs import CrawlJob
from gossamer.model.crawluri import ClassKey
from gossamer.model.events import CrawlStateChanged
from gossamer.seeds import InvalidSeed, parse_seed
from gossamer.url import Url, canonicalize, class_key, host_of, parse
from gossamer.util.tasks import blocking
from gossamer.web import answers
from gossamer.web.asked import Asked, Refusal, Route, Text
from gossamer.web.metrics import render
from gossamer.web.openapi import describe
from gossamer.web.tails import last_lines

_ACTIONS = {"pause": CrawlEvent.PAUSE, "resume": CrawlEvent.RESUME, "terminate": CrawlEvent.STOP}
_SETTLED = frozenset({CrawlState.PAUSED.name, CrawlState.STOPPING.name, CrawlState.FINISHED.name})


def allowed_actions(state: CrawlState) -> tuple[str, ...]:
    """What an operator may order in a state; a second `terminate` cuts off what is in flight."""
    possible = allowed(state)
    return tuple(action for action, event in _ACTIONS.items() if event in possible)


class ControlApi:
    """The routes of one crawl."""

    def __init__(self, job: CrawlJob) -> None:
        """`job` has been launched."""
        assert job.controller is not None and job.launch_id is not None
        self._job = job
        self._controller: CrawlController = job.controller
        self._launch: str = job.launch_id
        self._folder = job.directory.path

    def allowed(self) -> tuple[str, ...]:
        """What an operator may order now."""
        return allowed_actions(self._controller.state)

    def routes(self) -> list[Route]:
        """The whole table; the description of it is its last row."""
        table = [*self._views(), *self._orders()]
        description: dict[str, Any] = {}

        async def openapi(asked: Asked) -> dict[str, Any]:
            return description

        table.append(Route(method="GET", path="/openapi.json", about="This description.", answer=dict, handler=openapi))
        description.update(describe(table))
        return table

    def metrics_route(self) -> Route:
        """The one that a scraper needs."""
        return Route(
            method="GET", path="/metrics", about="Figures for Prometheus.", answer=Text, handler=self._get_metrics
        )

    def _views(self) -> list[Route]:
        def view(path: str, about: str, answer: type, handler: Any, **more: Any) -> Route:
            return Route(method="GET", path=path, about=about, answer=answer, handler=handler, **more)

        return [
            view("/", "Where the crawl is, and what may be done.", answers.CrawlView, self._get_crawl),
            view("/statistics", "Counts and rates.", answers.Statistics, self._get_statistics),
            view("/toes", "What each toe does.", answers.Toes, self._get_toes),
            view("/queues", "Queues, and why each waits.", answers.Queues, self._get_queues, query=answers.QueuesQuery),
            view("/hosts", "The busiest hosts of this run.", answers.Hosts, self._get_hosts),
            view(
                "/logs/{name}",
                "The end of a log: crawl, job or progress.",
                answers.LogTail,
                self._get_log,
                query=answers.LogQuery,
            ),
            view(
                "/why",
                "What became of a URL, or why a queue waits.",
                answers.Why,
                self._get_why,
                query=answers.WhyQuery,
            ),
            view("/settings", "Every setting, without secrets.", answers.SettingsView, self._get_settings),
            view("/checkpoints", "The checkpoints of the job.", answers.Checkpoints, self._get_checkpoints),
            self.metrics_route(),
        ]

    def _orders(self) -> list[Route]:
        def order(path: str, about: str, answer: type, handler: Any, body: type | None = None) -> Route:
            return Route(method="POST", path=path, about=about, answer=answer, handler=handler, body=body)

        return [
            order("/pause", "Take no new URIs.", answers.CrawlView, self._post_pause, answers.PauseOrder),
            order("/resume", "Go on after a pause.", answers.CrawlView, self._post_resume),
            order(
                "/terminate", "Finish what is in flight and end; again: at once.", answers.CrawlView, self._post_stop
            ),
            order("/checkpoint", "Take a checkpoint.", answers.Taken, self._post_checkpoint, answers.CheckpointOrder),
            order("/toes", "Have so many toes.", answers.Toes, self._post_toes, answers.ToesOrder),
            order("/settings", "Change settings.", answers.SettingsView, self._post_settings, answers.SettingsOrder),
            order("/uris", "Add URLs.", Added, self._post_uris, answers.UrisOrder),
            order("/uris/delete", "Delete waiting URIs.", answers.Counted, self._post_delete, answers.DeleteOrder),
            order("/queues/{key}/retire", "Take a queue out of the crawl.", answers.Counted, self._post_retire),
            order(
                "/queues/{key}/revive", "Bring a queue and its failed URIs back.", answers.Counted, self._post_revive
            ),
        ]

    # ---- views

    async def _get_crawl(self, asked: Asked) -> answers.CrawlView:
        controller = self._controller
        return answers.CrawlView(
            gossamer=gossamer.__version__,
            job=_safe(self._folder.resolve().name),
            folder=_safe(str(self._folder.resolve())),
            launch=self._launch,
            pid=os.getpid(),
            state=controller.state.name,
            meaning=controller.state.value,
            reason=", ".join(sorted(controller.pause_reasons)) or controller.reason,
            pause_reasons=tuple(sorted(controller.pause_reasons)),
            exit_status=controller.exit_status.name if controller.exit_status else None,
            allowed=self.allowed(),
        )

    async def _get_statistics(self, asked: Asked) -> answers.Statistics:
        progress = self._progress()
        return answers.Statistics(
            state=progress.state.name,
            pause_reasons=progress.pause_reasons,
            running_seconds=progress.running_seconds,
            toes=progress.toes,
            busy_toes=progress.busy_toes,
            replaced_toes=progress.replaced_toes,
            stuck_toes=progress.stuck_toes,
            congestion=progress.congestion,
            counts=progress.counts,
            run=progress.statistics,
            refusals=progress.refusals,
        )

    async def _get_toes(self, asked: Asked) -> answers.Toes:
        toes, now = self._crawl().toes, self._controller.clock.monotonic()
        return answers.Toes(
            size=toes.size,
            busy=toes.busy,
            replaced=toes.replaced,
            toes=tuple(
                answers.ToeView(
                    serial=report.serial,
                    step=report.step.value,
                    processor=report.processor,
                    uri=report.uri,
                    seconds=max(0.0, now - report.since),
                    settled=report.settled,
                )
                for report in toes.reports()
            ),
            abandoned=tuple(
                answers.AbandonedView(name=one.name, hook=one.hook, uri=one.url, seconds=max(0.0, now - one.since))
                for one in (self._controller.crew.abandoned if self._controller.crew is not None else ())
            ),
        )

    async def _get_queues(self, asked: Asked) -> answers.Queues:
        query: answers.QueuesQuery = asked.query
        found, next_after = self._crawl().frontier.queues_page(query.after, query.limit)
        return answers.Queues(queues=tuple(self._paused(queue) for queue in found), next_after=next_after)

    async def _get_hosts(self, asked: Asked) -> answers.Hosts:
        statistics = self._progress().statistics
        return answers.Hosts(hosts=statistics.hosts, hosts_seen=statistics.hosts_seen)

    async def _get_log(self, asked: Asked) -> answers.LogTail:
        name = asked.path["name"]
        path = self._log_files().get(name)
        if path is None:
            raise Refusal(404, f"there is no such log; there are: {', '.join(self._log_files())}")
        try:
            lines, is_whole = await blocking(last_lines, path, asked.query.lines)
        except FileNotFoundError:
            lines, is_whole = [], True
        return answers.LogTail(name=name, lines=tuple(lines), is_whole=is_whole)

    def _log_files(self) -> dict[str, Path]:
        crawl, directory = self._controller.crawl, self._job.directory
        log = crawl.crawl_log if crawl is not None else None
        return {
            "crawl": directory.path / log.file if log is not None else directory.crawl_log,
            "job": directory.job_log,
            "progress": directory.logs / "progress.log",
        }

    async def _get_why(self, asked: Asked) -> answers.Why:
        query: answers.WhyQuery = asked.query
        if (query.url is None) == (query.queue is None):
            raise Refusal(422, "give either `url` or `queue`")
        if query.url is not None:
            return self._why_url(query.url)
        queue = self._queue(query.queue or "")
        return answers.Why(url=None, is_seen=True, seen=None, queue=queue, scope=None)

    def _why_url(self, text: str) -> answers.Why:
        try:
            seed = parse_seed(text)
        except InvalidSeed as error:
            raise Refusal(422, f"that is no URL: {error.reason}") from error
        answer = self._what_became_of(parse(seed.url))
        if not answer.is_seen and seed.fallback_url:
            fallback = self._what_became_of(parse(seed.fallback_url))
            return fallback if fallback.is_seen else answer
        return answer

    def _what_became_of(self, url: Url) -> answers.Why:
        crawl = self._crawl()
        canonical = canonicalize(url.href)
        seen = crawl.frontier.seen(crawl.frontier.identify(canonical, host_of(canonical)))
        is_waiting = seen is not None and seen.is_told_by_its_queue
        queue = crawl.frontier.why(ClassKey(class_key(url))) if is_waiting else None
        queue = self._paused(queue) if queue is not None else None
        rule = crawl.maker.refusal_of(url.href)
        verdict = answers.ScopeVerdict(is_accepted=rule is None, rule=rule or "")
        return answers.Why(url=url.href, is_seen=seen is not None, seen=seen, queue=queue, scope=verdict)

    async def _get_settings(self, asked: Asked) -> answers.SettingsView:
        return answers.SettingsView(settings=shown_settings(self._controller.config), changeable=CHANGEABLE)

    async def _get_checkpoints(self, asked: Asked) -> answers.Checkpoints:
        found = await blocking(list_checkpoints, self._job.directory.checkpoints)
        return answers.Checkpoints(
            checkpoints=tuple(
                answers.CheckpointView(
                    name=one.name,
                    taken=one.manifest.taken if one.manifest else None,
                    version=one.manifest.version if one.manifest else "",
                    queued=one.manifest.counts.queued if one.manifest else 0,
                    succeeded=one.manifest.counts.succeeded if one.manifest else 0,
                    problem=_safe(one.problem),
                )
                for one in found
            )
        )

    async def _get_metrics(self, asked: Asked) -> Text:
        controller = self._controller
        return Text(render(controller.state, look(controller), controller.bus))

    # ---- orders

    async def _post_pause(self, asked: Asked) -> answers.CrawlView:
        reached = self._reached(lambda: self._controller.state.name in _SETTLED)
        async with reached:
            self._job.pause()
            await reached.wait(asked.body.wait_seconds)
        return await self._get_crawl(asked)

    async def _post_resume(self, asked: Asked) -> answers.CrawlView:
        self._job.resume()
        return await self._get_crawl(asked)

    async def _post_stop(self, asked: Asked) -> answers.CrawlView:
        self._job.terminate("stopped by the operator")
        return await self._get_crawl(asked)

    async def _post_checkpoint(self, asked: Asked) -> answers.Taken:
        taken = await self._job.checkpoint(asked.body.name)
        return answers.Taken(
            name=taken.name,
            path=_safe(str(taken.path)),
            counts=taken.counts,
            stall_seconds=taken.stall_seconds,
            seconds=taken.seconds,
        )

    async def _post_toes(self, asked: Asked) -> answers.Toes:
        self._controller.set_toes(asked.body.size)
        return await self._get_toes(asked)

    async def _post_settings(self, asked: Asked) -> answers.SettingsView:
        self._controller.change_settings(asked.body.settings)
        return await self._get_settings(asked)

    async def _post_uris(self, asked: Asked) -> Added:
        order: answers.UrisOrder = asked.body
        return await self._controller.request_add(order.urls, as_seeds=order.as_seeds, force=order.force)

    async def _post_delete(self, asked: Asked) -> answers.Counted:
        order: answers.DeleteOrder = asked.body
        return answers.Counted(count=await self._controller.delete_matching(order.queue, order.uri))

    async def _post_retire(self, asked: Asked) -> answers.Counted:
        return answers.Counted(count=int(self._controller.retire(self._queue(asked.path["key"]).class_key)))

    async def _post_revive(self, asked: Asked) -> answers.Counted:
        return answers.Counted(count=self._controller.revive(self._queue(asked.path["key"]).class_key))

    # ---- helpers

    def _queue(self, key: str) -> QueueReport:
        try:
            queue = self._crawl().frontier.why(ClassKey(key))
        except ValueError:  # not even the key of a queue
            queue = None
        if queue is None:
            alike, _ = self._crawl().frontier.queues_page(f"{key}:", 1)
            known = [one.class_key for one in alike if one.class_key.startswith(f"{key}:")]
            hint = f"; there is {known[0]}" if known else ""
            raise Refusal(404, f"there never was such a queue{hint}")
        return self._paused(queue)

    def _paused(self, queue: QueueReport) -> QueueReport:
        """The report, with the pause, if there is one, as the cause."""
        reasons = ", ".join(sorted(self._controller.pause_reasons))
        return held_up(queue, f"The crawl is paused ({reasons}).") if reasons else queue

    def _crawl(self) -> Crawl:
        if self._controller.crawl is None:
            raise StateError(f"the crawl is {self._controller.state.name}: nothing is open")
        return self._controller.crawl

    def _progress(self) -> Progress:
        self._crawl()
        progress = look(self._controller)
        assert progress is not None
        return progress

    def _reached(self, is_reached: Callable[[], bool]) -> _Reached:
        return _Reached(self._controller, is_reached)


class _Reached:
    """Waits for a state of the crawl that is announced while this is entered, or holds already."""

    def __init__(self, controller: CrawlController, is_reached: Callable[[], bool]) -> None:
        self._controller = controller
        self._is_reached = is_reached
        self._event = asyncio.Event()

    async def __aenter__(self) -> None:
        self._unsubscribe = self._controller.bus.subscribe(CrawlStateChanged, lambda event: self._look())

    async def __aexit__(self, *_: object) -> None:
        self._unsubscribe()

    async def wait(self, seconds: float) -> None:
        """Wait, at most so long."""
        self._look()
        if seconds > 0:
            try:
                async with asyncio.timeout(seconds):
                    await self._event.wait()
            except TimeoutError:
                return

    def _look(self) -> None:
        if self._is_reached():
            self._event.set()


def _safe(text: str) -> str:
    """A path's text, whose bytes need not be UTF-8, as text that JSON can hold."""
    return os.fsencode(text).decode("utf-8", "replace")
