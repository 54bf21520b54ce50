"""The composition root: the one place that knows all concrete classes and puts a crawl together.

`new_controller` makes a controller that knows how to open its crawl. Opening happens in PREPARING: lock the folder,
open the store and recover, go on with the archive and the log, make the chains, announce the seeds. If anything fails
on the way, what was opened is closed again and the error goes to the caller.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial

from gossamer import __version__
from gossamer.config import CrawlConfig
from gossamer.control.adding import Adding
from gossamer.control.checkpoint import Checkpointer
from gossamer.control.committer import Committer
from gossamer.control.controller import CrawlController
from gossamer.control.crawl import Crawl
from gossamer.control.keeping import JobRecord
from gossamer.control.limits import LimitWatch
from gossamer.control.monitor import Monitor
from gossamer.control.network import NetworkWatch
from gossamer.control.paths import JobPaths
from gossamer.control.remembering import JobCookies, remembering
from gossamer.control.restoring import finish_restoring
from gossamer.control.seeding import Noted, Seeding, scope_of
from gossamer.control.space import wait_for_space
from gossamer.control.suffixes import suffixes_of
from gossamer.extract import PageExtractor
from gossamer.fetch.address import AddressRules
from gossamer.fetch.base import Fetcher
from gossamer.fetch.dns import AresResolver, Resolver
from gossamer.fetch.hosts import Borrowed, StaticHosts
from gossamer.fetch.http import HttpFetcher
from gossamer.fetch.request import default_user_agent
from gossamer.frontier import FAMILIES, LocalFrontier
from gossamer.hooks import Crew, Recruits
from gossamer.process import (
    HOOKING,
    Archivist,
    Asking,
    CandidateMaker,
    Candidates,
    Chain,
    Extracting,
    Failing,
    Fetching,
    LocalServices,
    LoginGate,
    Logins,
    LoginWatch,
    Processor,
    RobotsGate,
    Toe,
    ToePool,
    Visiting,
    Writer,
)
from gossamer.scope import RuleSequence
from gossamer.seeds import Seed
from gossamer.stats import CrawlLog, ProgressLog, StatisticsTracker
from gossamer.storage import FolderLock, RocksKV
from gossamer.url import Suffixes
from gossamer.util.bus import EventBus
from gossamer.util.clock import Clock
from gossamer.util.tasks import blocking
from gossamer.warc import ArchiveFiles, RecordBuilder, WarcPool


def new_controller(
    config: CrawlConfig,
    seeds: Sequence[Seed],
    paths: JobPaths,
    clock: Clock,
    *,
    record: JobRecord | None = None,
    resolver: Resolver | None = None,
    recruits: Recruits | None = None,
    noted: Sequence[Noted] = (),
) -> CrawlController:
    """A controller for one run of the job at `paths`, in NASCENT.

    `record` keeps what an operator changes while it runs; without it that is forgotten with the run. `resolver` is
    asked for addresses instead of the DNS; it is not closed, and what it says is checked like any other answer but not
    archived. `recruits` are the crawlers of a program that has its own; `noted` are URLs that count as known from the
    start.
    """
    bus = EventBus()
    crew = None if recruits is None else Crew(recruits, config.hooks, bus, clock)

    async def open_crawl(controller: CrawlController, before: Crawl | None) -> Crawl:
        async with AsyncExitStack() as opened:
            opening = _Opening(controller, seeds, noted, paths, opened, record, resolver)
            crawl = await opening.open(controller, before)
            opened.pop_all()
        return crawl

    return CrawlController(
        open_crawl,
        config,
        bus,
        clock,
        wait_for_space=lambda: wait_for_space(paths, config.limits, clock),
        record=record,
        crew=crew,
    )


class _Opening:
    """Opens one crawl, step by step; `opened` knows how to close what is open if a later step fails."""

    def __init__(
        self,
        controller: CrawlController,
        seeds: Sequence[Seed],
        noted: Sequence[Noted],
        paths: JobPaths,
        opened: AsyncExitStack,
        record: JobRecord | None,
        resolver: Resolver | None,
    ) -> None:
        self._config = controller.config
        self._seeds = seeds
        self._noted = noted
        self._paths = paths
        self._clock = controller.clock
        self._bus = controller.bus
        self._crew = controller.crew
        self._opened = opened
        self._record = record
        self._resolver = resolver

    async def open(self, controller: CrawlController, before: Crawl | None) -> Crawl:
        """Open it; one that was open `before` in the same run hands over its lock and its statistics."""
        config, clock, paths = self._config, self._clock, self._paths
        on_storage_error = controller.on_storage_error
        lock = self._opened.enter_context(FolderLock(paths.folder)) if before is None else before.lock
        await blocking(finish_restoring, paths)
        files = ArchiveFiles(paths.folder)
        store, frontier = await self._open_frontier(files)
        suffixes = suffixes_of(config.scope.public_suffixes, paths.folder)
        cookies = self._cookies(store, suffixes)
        records = RecordBuilder(config.warc)
        pool = self._open_archive(frontier, records) if config.warc.enabled else None
        crawl_log = CrawlLog(paths.folder, frontier.open_files(), frontier, config.durability.max_log_size)
        self._opened.callback(crawl_log.close)
        services = LocalServices(frontier, clock, pool, crawl_log)
        resolver = self._open_resolver(services)
        rules = self._address_rules()
        http = self._open_fetcher(resolver, rules)
        network = self._network_watch(http, controller, services)
        fetcher = remembering(http, config.login, clock, cookies)
        maker = self._maker(services, scope_of(config.scope, self._seeds, frontier, suffixes))
        toes = self._toes(controller, services, fetcher, maker, records, self._logins(frontier, cookies))
        seeding = Seeding(self._seeds, frontier, maker, clock, partial(_exempt, rules), suffixes, self._noted)
        announced = await seeding.announce()
        keep = (lambda: None) if cookies is None else cookies.keep
        committer = Committer(
            frontier, clock, config.durability, self._bus, self._syncing(files), on_storage_error, keep
        )
        return Crawl(
            frontier=frontier,
            toes=toes,
            fetcher=fetcher,
            resolver=resolver,
            pool=pool,
            crawl_log=crawl_log,
            committer=committer,
            tracker=StatisticsTracker(self._bus, clock) if before is None else before.tracker,
            progress_log=ProgressLog(paths.logs / "progress.log") if before is None else before.progress_log,
            maker=maker,
            limits=LimitWatch(config.limits, config.durability, frontier, self._bus, clock, paths.folder),
            monitor=Monitor(toes, clock, config.fetching.wall_clock, HOOKING),
            seeding=seeding,
            adding=Adding(frontier, maker, seeding, self._record),
            checkpointer=Checkpointer(
                paths, frontier, pool, committer, clock, on_storage_error, config.durability.keep_checkpoints
            ),
            lock=lock,
            cookies=cookies,
            network=network,
            was_finished=not frontier.recovery.is_first and not announced and frontier.is_empty(),
        )

    def _syncing(self, files: ArchiveFiles) -> Callable[[Sequence[str]], None]:
        """What a commit does before it syncs the store."""
        record = self._record

        def sync(names: Sequence[str]) -> None:
            if record is not None:
                record.sync()
            files.sync_all(names)

        return sync

    def _cookies(self, store: RocksKV, suffixes: Suffixes) -> JobCookies | None:
        """The jar, where something is kept in it."""
        config = self._config
        if not config.cookies.enabled and not config.login.forms:
            return None
        return JobCookies(config, self._paths.folder, store, self._clock, suffixes)

    def _address_rules(self) -> AddressRules:
        """Where may be connected to: the world, and what the operator named himself."""
        rules = AddressRules(self._config.fetching.allow_private)
        for host, addresses in self._config.dns.hosts:
            rules.exempt_given(host, addresses)
        for seed in self._seeds:
            _exempt(rules, seed)
        return rules

    def _network_watch(
        self, http: HttpFetcher, controller: CrawlController, services: LocalServices
    ) -> NetworkWatch | None:
        """Who is told when the proxy fails; None if there is none."""
        if http.proxy is None:
            return None
        network = NetworkWatch(http, self._clock, controller)
        services.network_trouble = network.trouble
        return network

    def _maker(self, services: LocalServices, scope: RuleSequence) -> CandidateMaker:
        asker = None if self._crew is None else Asking(self._crew)
        return CandidateMaker(services, scope, self._config.scope.max_seed_redirects, asker)

    def _toes(
        self,
        controller: CrawlController,
        services: LocalServices,
        fetcher: Fetcher,
        maker: CandidateMaker,
        records: RecordBuilder,
        logins: Logins | None,
    ) -> ToePool:
        """The pool, empty still, whose toes all run the same chains."""
        archivist = Archivist(services, records)
        writer = Writer(services, archivist, maker, self._bus, self._config.politeness.max_tries)
        chains = self._chains(services, fetcher, archivist, maker, logins)

        def new_toe(serial: int) -> Toe:
            if self._crew is not None:
                self._crew.enlist(serial)
            return Toe(serial, services, chains, writer, controller.on_trouble)

        return ToePool(new_toe)

    def _chains(
        self,
        services: LocalServices,
        fetcher: Fetcher,
        archivist: Archivist,
        maker: CandidateMaker,
        logins: Logins | None,
    ) -> tuple[Chain, Chain]:
        """What every toe runs a URI through, in order."""
        config = self._config
        before: list[Processor] = []
        after: list[Processor] = []
        if logins is not None:
            before = [LoginGate(logins, services, fetcher, archivist)]
            after = [LoginWatch(logins, config.login.max_logins)]
        extractor = PageExtractor(config.extraction.max_outlinks, config.robots.product_token, config.extraction.engine)
        return (
            Chain(
                "fetch",
                [
                    RobotsGate(services, fetcher, archivist, config.robots, config.politeness),
                    *before,
                    Fetching(fetcher, services),
                    *after,
                    Extracting(
                        extractor, config.extraction, config.robots, follows_redirects=config.scope.follow_redirects
                    ),
                ],
            ),
            Chain("disposition", self._disposition(maker)),
        )

    def _disposition(self, maker: CandidateMaker) -> list[Processor]:
        if self._crew is None:
            return [Candidates(maker)]
        max_tries = self._config.politeness.max_tries
        visiting = Visiting(self._crew, max_tries, is_noindex_obeyed=self._config.robots.obey_noindex)
        return [visiting, Candidates(maker), Failing(self._crew, max_tries)]

    def _logins(self, frontier: LocalFrontier, cookies: JobCookies | None) -> Logins | None:
        """The forms of the job; None if it has none."""
        forms = self._config.login.forms
        if not forms or cookies is None:
            return None

        def remember(name: str, text: str) -> None:
            cookies.keep()
            frontier.put_note(name, text)

        return Logins(forms, cookies.jar, frontier.note, remember)

    async def _open_frontier(self, files: ArchiveFiles) -> tuple[RocksKV, LocalFrontier]:
        durability = self._config.durability
        store = await blocking(
            partial(
                RocksKV,
                self._paths.state,
                FAMILIES,
                log_cap=durability.log_cap,
                block_cache=durability.block_cache,
            )
        )
        self._opened.callback(store.close)
        frontier = LocalFrontier(
            store,
            self._clock,
            self._config.politeness,
            files=files,
            max_pages=self._config.limits.max_pages,
        )
        self._opened.callback(frontier.close)
        return store, frontier

    def _open_archive(self, frontier: LocalFrontier, records: RecordBuilder) -> WarcPool:
        facts = {
            "software": f"Gossamer/{__version__}",
            "http-header-user-agent": self._config.fetching.user_agent
            or default_user_agent(self._config.fetching.contact),
            "robots": "obey" if self._config.robots.obey else "ignore",
        }
        pool = WarcPool(
            self._config.warc,
            self._paths.folder,
            frontier,
            records,
            self._clock,
            hostname=socket.gethostname(),
            facts=facts,
        )
        self._opened.callback(pool.drop)
        warcs = {file: tail for file, tail in frontier.open_files().items() if file.startswith("warcs/")}
        pool.start(warcs, frontier.known_files())
        return pool

    def _open_resolver(self, services: LocalServices) -> Resolver:
        config = self._config.dns
        resolver: Resolver
        if self._resolver is None:
            resolver = AresResolver(config, self._clock, services.note_dns)
        else:
            resolver = Borrowed(self._resolver)
        if config.hosts:
            resolver = StaticHosts(config.hosts, resolver)
        self._opened.push_async_callback(resolver.close)
        return resolver

    def _open_fetcher(self, resolver: Resolver, rules: AddressRules) -> HttpFetcher:
        fetcher = HttpFetcher(
            self._config.fetching,
            resolver,
            rules,
            self._clock,
            self._paths.spool,
            unchunked_limit=self._config.extraction.max_decoded,
        )
        self._opened.push_async_callback(fetcher.close)
        return fetcher


def _exempt(rules: AddressRules, seed: Seed) -> None:
    """Let a seed be connected to that names a private address literally, and its fallback."""
    for url in filter(None, (seed.url, seed.fallback_url)):
        if seed.text.startswith(("http:", "https:")):
            rules.exempt_seed(seed.text)
        else:
            rules.exempt_seed(f"{url.partition(':')[0]}://{seed.text}")
