"""What a crawl tells about itself: crawl.log, the running statistics, the final summary. Spectators, all of them."""

from gossamer.stats.crawllog import CrawlLog, LogLedger, crawl_log_line, dns_log_line
from gossamer.stats.progresslog import ProgressLog, ProgressSnapshot, congestion_ratio
from gossamer.stats.summary import ArchiveFile, Counts, Summary, summarize
from gossamer.stats.tracker import Share, Snapshot, StatisticsTracker

__all__ = [
    "ArchiveFile",
    "Counts",
    "CrawlLog",
    "LogLedger",
    "ProgressLog",
    "ProgressSnapshot",
    "Share",
    "Snapshot",
    "StatisticsTracker",
    "Summary",
    "congestion_ratio",
    "crawl_log_line",
    "dns_log_line",
    "summarize",
]
