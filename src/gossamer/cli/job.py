"""`gossamer new` and `gossamer run`: make a job's folder, look at what is in it, and crawl it when it is right."""

from __future__ import annotations

import sys
from pathlib import Path

from gossamer.cli import options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.loading import loading
from gossamer.cli.output import Output
from gossamer.errors import ConfigError
from gossamer.util.program import program


def new(
    folder: options.NewFolder,
    urls: options.Urls = None,
    settings: options.Set = None,
    is_json: options.Json = False,
    is_debug: options.Debug = False,
) -> int:
    """Make the folder of a job, with settings and seeds to be edited, and crawl nothing yet."""
    import json

    from gossamer.cli.values import converter, parse_setting
    from gossamer.config import CrawlConfig, with_named
    from gossamer.jobs import JobDirectory
    from gossamer.seeds import InvalidSeed, parse_seed

    directory = JobDirectory(folder)
    if directory.is_job():
        raise ConfigError(f"{folder} is a job already; `{program()} run {folder}` goes on with it")
    try:
        seeds = [parse_seed(url) for url in urls or ()]
    except InvalidSeed as error:
        raise ConfigError(f"not a seed: {error.text!r}: {error.reason}") from error
    changes = dict(converter(parse_setting)(text) for text in settings or ())
    config = with_named(CrawlConfig(), changes)
    directory.create()
    directory.write_seeds(seeds)
    directory.write_settings(config)
    output = Output(sys.stdout)
    if is_json:
        output.line(json.dumps({"folder": str(folder), "seeds": [seed.url for seed in seeds]}))
    else:
        output.line(f"{folder} is made. Its settings are in {directory.settings_file.name}, its seeds, one a line, in")
        output.line(f"{directory.seeds_file.name}. Then: {program()} run {folder}")
    return ExitCode.FINISHED


def run(
    folder: options.Folder = Path(),
    checkpoint: options.Checkpoint = None,
    is_json: options.Json = False,
    is_quiet: options.Quiet = False,
    is_debug: options.Debug = False,
) -> int:
    """Crawl a job in the foreground, going on where it was, or where a checkpoint was taken."""
    with loading():
        from gossamer.cli.client import check_is_job
        from gossamer.cli.crawl import run_request
        from gossamer.cli.logs import start_logging
        from gossamer.cli.preparing import Request

    start_logging(is_debug=is_debug, is_quiet=is_quiet)
    check_is_job(folder)
    request = Request(folder=folder)
    return run_request(request, is_json=is_json, is_quiet=is_quiet, command="run", checkpoint=checkpoint)
