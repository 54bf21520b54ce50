"""Jobs: a job is a folder (`directory`); one run of it in the foreground is a crawl (`run`)."""

from gossamer.jobs.directory import CRAWLS, JobDirectory, default_folder
from gossamer.jobs.run import CrawlOutcome, run_job

__all__ = ["CRAWLS", "CrawlOutcome", "JobDirectory", "default_folder", "run_job"]
