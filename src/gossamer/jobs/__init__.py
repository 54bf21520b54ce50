"""Jobs: a job is a folder (`directory`), launched again and again (`job`); one launch in the foreground is `run`.

`joblog` and `history` keep what happened, `outcome` is how a launch ended, and `stored` reads what became of URLs
without launching anything.
"""

from gossamer.jobs.directory import CRAWLS, JobDirectory, default_folder
from gossamer.jobs.history import History, LaunchRecord
from gossamer.jobs.job import CrawlJob
from gossamer.jobs.outcome import CrawlOutcome
from gossamer.jobs.run import Surface, for_foreground, run_job

__all__ = [
    "CRAWLS",
    "CrawlJob",
    "CrawlOutcome",
    "History",
    "JobDirectory",
    "LaunchRecord",
    "Surface",
    "default_folder",
    "for_foreground",
    "run_job",
]
