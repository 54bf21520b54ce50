"""Crawl: the open parts of one running crawl, and the order in which they are closed.

Made by `control.assembly`, held by the CrawlController, which alone decides when to open and close it.
"""

from __future__ import annotations

import logging

import msgspec

from gossamer.control.adding import Adding
from gossamer.control.checkpoint import Checkpointer
from gossamer.control.committer import Committer
from gossamer.control.limits import LimitWatch
from gossamer.control.monitor import Monitor
from gossamer.control.network import NetworkWatch
from gossamer.control.remembering import JobCookies
from gossamer.control.seeding import Seeding
from gossamer.errors import StorageError
from gossamer.fetch.base import Fetcher
from gossamer.fetch.dns import Resolver
from gossamer.frontier import LocalFrontier
from gossamer.process import CandidateMaker, ToePool
from gossamer.stats import CrawlLog, ProgressLog, StatisticsTracker
from gossamer.storage import FolderLock
from gossamer.util.tasks import blocking
from gossamer.warc import WarcPool

log = logging.getLogger(__name__)


class Crawl(msgspec.Struct):
    """Everything that must be closed at the end."""

    frontier: LocalFrontier
    toes: ToePool
    fetcher: Fetcher
    resolver: Resolver
    pool: WarcPool | None
    crawl_log: CrawlLog
    committer: Committer
    tracker: StatisticsTracker
    progress_log: ProgressLog
    maker: CandidateMaker
    limits: LimitWatch
    monitor: Monitor
    seeding: Seeding
    adding: Adding
    checkpointer: Checkpointer
    lock: FolderLock
    cookies: JobCookies | None = None
    network: NetworkWatch | None = None
    """Where there is a proxy that can fail."""
    was_finished: bool = False
    """The job had FINISHED before, and no seed is new."""

    async def close(self, *, is_clean: bool, is_reopened: bool = False) -> None:
        """Close everything, the toes having ended.

        Clean: the archive's files are closed and renamed, everything is durable, and the store is marked so that the
        next start need not check anything. Not clean (a storage error): handles are dropped, nothing more is written.
        One that `is_reopened` leaves the folder's lock and the statistics to the crawl that comes after it.
        """
        await self.checkpointer.wait_idle()
        try:
            await self.fetcher.close()
            await self.resolver.close()
            if is_clean:
                if self.pool is not None:
                    await self.pool.close_all()
                await self.committer.commit()
                if self.cookies is not None and not is_reopened:
                    self.cookies.save()
                self.limits.keep_time()
                self.frontier.mark_clean()
                await self._flush()
        finally:
            self.crawl_log.close()
            if self.pool is not None:
                self.pool.drop()
            self.frontier.close()
            if not is_reopened:
                self.release()

    async def _flush(self) -> None:
        """So that the next opening is quick. In a thread: the loop may be that of somebody's own program."""
        try:
            await blocking(self.frontier.flush)
        except StorageError as error:  # everything is durable as it is
            log.warning("the next start takes a little longer: %s", error)

    def release(self) -> None:
        """Give up the folder, and stop counting; idempotent."""
        self.tracker.close()
        self.lock.release()
