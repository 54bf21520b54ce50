"""Crawl: the open parts of one running crawl, and the order in which they are closed.

Made by `control.assembly`, held by the CrawlController, which alone decides when to open and close it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.control.committer import Committer
from gossamer.control.limits import LimitWatch
from gossamer.control.seeding import Seeding
from gossamer.fetch.base import Fetcher
from gossamer.fetch.dns import Resolver
from gossamer.frontier import LocalFrontier
from gossamer.process import CandidateMaker, ToePool
from gossamer.stats import CrawlLog, StatisticsTracker
from gossamer.storage import FolderLock
from gossamer.warc import WarcPool


@dataclass(slots=True)
class Crawl:
    """Everything that must be closed at the end."""

    frontier: LocalFrontier
    toes: ToePool
    fetcher: Fetcher
    resolver: Resolver
    pool: WarcPool | None
    crawl_log: CrawlLog | None
    committer: Committer
    tracker: StatisticsTracker
    maker: CandidateMaker
    limits: LimitWatch
    seeding: Seeding
    lock: FolderLock | None
    was_finished: bool = False
    """The job had FINISHED before, and no seed is new."""

    async def close(self, *, is_clean: bool) -> None:
        """Close everything, the toes having ended.

        Clean: the archive's files are closed and renamed, everything is durable, and the store is marked so that the
        next start need not check anything. Not clean (a storage error): handles are dropped, nothing more is written.
        """
        try:
            await self.fetcher.close()
            await self.resolver.close()
            if is_clean:
                if self.pool is not None:
                    await self.pool.close_all()
                await self.committer.commit()
                self.frontier.mark_clean()
        finally:
            self.tracker.close()
            if self.crawl_log is not None:
                self.crawl_log.close()
            if self.pool is not None:
                self.pool.drop()
            self.frontier.close()
            if self.lock is not None:
                self.lock.release()
