"""`gossamer crawl`: crawl in the foreground, from options to exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gossamer.cli import exitcodes, options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.loading import loading
from gossamer.cli.output import Output, complain
from gossamer.cli.values import converter, parse_setting

if TYPE_CHECKING:
    from gossamer.cli.foreground import View
    from gossamer.cli.preparing import Prepared, Request
    from gossamer.jobs import CrawlOutcome
    from gossamer.model.events import SeedRejected

EPILOG = f"""\b
Times: 500ms, 30s, 5min, 1h30m. Sizes: 64MB, 1GiB.

\b
Exit codes:
{exitcodes.table()}

Ctrl-C once ends what is in flight, saves and exits; twice exits at once, and just as safely."""


def crawl(
    urls: options.Urls = None,
    seeds: options.Seeds = None,
    scope: options.Scope = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    depth: options.Depth = None,
    max_pages: options.MaxPages = None,
    max_time: options.MaxTime = None,
    max_bytes: options.MaxBytes = None,
    delay: options.Delay = None,
    connections: options.Connections = None,
    toes: options.Toes = None,
    contact: options.Contact = None,
    user_agent: options.UserAgent = None,
    no_robots: options.NoRobots = False,
    allow_private: options.AllowPrivate = None,
    tls: options.Tls = None,
    job: options.Job = None,
    recrawl: options.Recrawl = False,
    fresh: options.Fresh = False,
    settings: options.Set = None,
    is_json: options.Json = False,
    is_quiet: options.Quiet = False,
    is_debug: options.Debug = False,
) -> int:
    """Crawl from one or more URLs, politely, and archive everything fetched.

    The same command again goes on where it was. The job's folder holds the
    archive (warcs/), a log of every request (logs/crawl.log), the seeds and
    the settings (gossamer.toml), to which the options given here are written.
    """
    with loading():
        from gossamer.cli.logs import start_logging
        from gossamer.cli.preparing import Request

    start_logging(is_debug=is_debug, is_quiet=is_quiet)
    changes = {
        "scope.kind": scope.value if scope else None,
        "scope.include": tuple(include) if include else None,
        "scope.exclude": tuple(exclude) if exclude else None,
        "scope.max_depth": depth,
        "limits.max_pages": max_pages,
        "limits.max_time": max_time,
        "limits.max_bytes": max_bytes,
        "politeness.delay": delay,
        "politeness.connections_per_host": connections,
        "toes": toes,
        "fetching.contact": contact,
        "fetching.user_agent": user_agent,
        "robots.obey": False if no_robots else None,
        "fetching.allow_private": tuple(allow_private) if allow_private else None,
        "fetching.tls": tls.value if tls else None,
    }
    request = Request(
        urls=urls or (),
        seeds_file=seeds,
        folder=job,
        settings={name: value for name, value in changes.items() if value is not None} | _settings(settings or ()),
        is_fresh=fresh,
    )
    return run_request(request, is_recrawl=recrawl, is_json=is_json, is_quiet=is_quiet)


def run_request(
    request: Request,
    *,
    is_recrawl: bool = False,
    is_json: bool = False,
    is_quiet: bool = False,
    command: str = "crawl",
    checkpoint: str | None = None,
) -> ExitCode:
    """Prepare a job, crawl it, and tell how it went; `command` is the one that would go on with it.

    With `checkpoint` (a name, or `latest`) the job goes back to it first.
    """
    from gossamer.cli.preparing import needs_contact, prepare
    from gossamer.cli.report import Report

    prepared = prepare(request, _tell_rejected)
    notices = Output(sys.stderr)
    if not is_quiet:
        _tell_moves(prepared, notices)
        if needs_contact(prepared.config, prepared.seeds):
            notices.line(
                "gossamer: no contact is set: webmasters cannot reach you, and may block you."
                " Give --contact URL or mail address."
            )
    outcome = _run(prepared, _view(is_json=is_json, is_quiet=is_quiet), is_recrawl=is_recrawl, checkpoint=checkpoint)
    code = exitcodes.code_of_outcome(outcome)
    report = Report.of(outcome, prepared.rejected, code, command)
    output = Output(sys.stdout)
    if is_json:
        output.line(report.to_json())
    elif not is_quiet:
        output.line(report.to_text())
    elif code is not ExitCode.FINISHED:
        complain(report.headline())
    if is_json and output.is_lost and code is ExitCode.FINISHED:
        complain("the summary could not be written to standard output")
        return ExitCode.FAILED
    return code


def _settings(texts: Sequence[str]) -> dict[str, Any]:
    parse = converter(parse_setting)
    return dict(parse(text) for text in texts)


def _run(prepared: Prepared, view: View, *, is_recrawl: bool, checkpoint: str | None) -> CrawlOutcome:
    import time

    from gossamer.cli.foreground import run_in_foreground

    outcome = run_in_foreground(prepared, view, checkpoint)
    if outcome.was_finished and is_recrawl:
        prepared.directory.fresh(time.time())
        outcome = run_in_foreground(prepared, view)
    return outcome


def _view(*, is_json: bool, is_quiet: bool) -> View:
    """Progress goes to standard output; with `--json` that belongs to the object, and progress to standard error."""
    from gossamer.cli.plain import PlainView, SilentView

    output = Output(sys.stderr if is_json else sys.stdout)
    if is_quiet:
        return SilentView()
    if not output.is_terminal:
        return PlainView(output)
    from gossamer.cli.render import LiveView

    return LiveView(output)


def _tell_rejected(rejected: SeedRejected) -> None:
    where = f" (line {rejected.line})" if rejected.line is not None else ""
    complain(f"not a seed{where}: {rejected.text!r}: {rejected.reason}")


def _tell_moves(prepared: Prepared, notices: Output) -> None:
    if prepared.moved:
        notices.line(f"gossamer: starting over; what the job knew is now in {prepared.moved[0]}")
    if prepared.kept_settings is not None:
        notices.line(f"gossamer: the settings were changed; as they were they are in {prepared.kept_settings}")
