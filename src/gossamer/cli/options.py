"""Every option and argument of the commands, as types: what it is called, what it takes, and what the help says of it.

None means that the operator said nothing, so that the job's own setting stands.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.values import converter, parse_positive_duration, parse_positive_size
from gossamer.util.sizes import parse_duration

WHAT = "What to crawl"
FAR = "How far"
POLITE = "How politely"
JOB = "The job"
OUTPUT = "Output"


class ScopeChoice(StrEnum):
    """What `--scope` takes: the values of `config.ScopeKind`, spelt here so `--help` need not load the settings."""

    HOST = "host"
    DOMAIN = "domain"
    PREFIX = "prefix"
    ANY = "any"


class TlsChoice(StrEnum):
    """What `--tls` takes."""

    OPEN = "open"
    STRICT = "strict"


Urls = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="URL", show_default=False, help="Where to begin. A bare example.com means https, or else http."
    ),
]
Seeds = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|-", rich_help_panel=WHAT, help="Read more URLs, one a line, from a file or standard input."
    ),
]
Scope = Annotated[
    ScopeChoice | None,
    typer.Option(
        rich_help_panel=WHAT,
        help="Follow links within the seeds' hosts (default), their registered domains, their folders, or anywhere.",
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        metavar="REGEX", rich_help_panel=WHAT, help="Follow only links that match this, or another --include."
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="REGEX", rich_help_panel=WHAT, help="Follow no link that matches this, or another --exclude."),
]
Depth = Annotated[
    int | None, typer.Option(metavar="N", rich_help_panel=FAR, help="Follow links this many steps from a seed.")
]
MaxPages = Annotated[int | None, typer.Option(metavar="N", rich_help_panel=FAR, help="Stop after so many pages.")]
MaxTime = Annotated[
    float | None,
    typer.Option(
        parser=converter(parse_positive_duration), metavar="TIME", rich_help_panel=FAR, help="Stop after this time."
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        parser=converter(parse_positive_size),
        metavar="SIZE",
        rich_help_panel=FAR,
        help="Stop after so much was received.",
    ),
]
Delay = Annotated[
    float | None,
    typer.Option(
        parser=converter(parse_duration),
        metavar="TIME",
        rich_help_panel=POLITE,
        help="Least time from one request to a host to the next. Default: 1s.",
    ),
]
Connections = Annotated[
    int | None, typer.Option(metavar="N", rich_help_panel=POLITE, help="Requests at once to a host. Default: 1.")
]
Toes = Annotated[
    int | None, typer.Option(metavar="N", rich_help_panel=POLITE, help="Requests at once in all. Default: 50.")
]
Contact = Annotated[
    str | None,
    typer.Option(
        metavar="URL|MAIL", rich_help_panel=POLITE, help="Where a webmaster reaches you; every request says it."
    ),
]
UserAgent = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", rich_help_panel=POLITE, help="The whole User-Agent, instead of gossamer's with the contact."
    ),
]
NoRobots = Annotated[
    bool,
    typer.Option(
        "--no-robots", metavar="", rich_help_panel=POLITE, help="Ignore robots.txt. That is not polite; ask first."
    ),
]
AllowPrivate = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST:PORT|CIDR", rich_help_panel=POLITE, help="Connect to this although its address is private."
    ),
]
Tls = Annotated[
    TlsChoice | None,
    typer.Option(
        rich_help_panel=POLITE, help="With a bad certificate: go on and record it (open, default), or refuse (strict)."
    ),
]
Job = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", rich_help_panel=JOB, help="The job's folder. Default: crawls/HOST, of the first URL's host."
    ),
]
Recrawl = Annotated[
    bool,
    typer.Option(
        "--recrawl", metavar="", rich_help_panel=JOB, help="If the job has finished, crawl everything once more."
    ),
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh", metavar="", rich_help_panel=JOB, help="Start over: what the job knew moves aside, its archive stays."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="GROUP.KEY=VALUE", rich_help_panel=JOB, help="Any other setting, as in gossamer.toml."
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", metavar="", rich_help_panel=OUTPUT, help="Print one JSON object instead of text."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", metavar="", rich_help_panel=OUTPUT, help="Print nothing but errors.")
]
Debug = Annotated[
    bool,
    typer.Option("--debug", metavar="", rich_help_panel=OUTPUT, help="Show traces of errors, and more of the log."),
]
DemoPages = Annotated[
    int, typer.Option(metavar="N", min=1, max=1_000_000, rich_help_panel=WHAT, help="How many pages the site has.")
]
DemoJob = Annotated[
    Path | None,
    typer.Option(
        "--job",
        metavar="DIR",
        rich_help_panel=JOB,
        help="The job's folder. Default: a new temporary one, which is kept.",
    ),
]
Folder = Annotated[
    Path, typer.Argument(metavar="DIR", show_default=False, help="The job's folder. Default: the one you stand in.")
]
QueueLimit = Annotated[int, typer.Option(metavar="N", min=0, help="Show so many queues at most; 0 shows all.")]
Archives = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH",
        show_default=False,
        help="WARC files, folders of them, or job folders. Default: the folder you stand in.",
    ),
]

NewFolder = Annotated[Path, typer.Argument(metavar="DIR", show_default=False, help="The folder to make.")]
Checkpoint = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|latest", rich_help_panel=JOB, help="Go back to this checkpoint first; the archive stays."
    ),
]
Watch = Annotated[bool, typer.Option("--watch", "-w", metavar="", help="Look again and again, until the job ends.")]
NoWait = Annotated[bool, typer.Option("--no-wait", metavar="", help="Do not wait until it is done.")]
NamePlace = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DIR] [NAME]", show_default=False, help="The job's folder; a name. Default: here; the time."
    ),
]
ListCheckpoints = Annotated[bool, typer.Option("--list", metavar="", help="Take none; show those there are.")]
RemoveCheckpoint = Annotated[
    str | None, typer.Option("--remove", metavar="NAME", help="Take none; delete this one, and its copy of the state.")
]
CountPlace = Annotated[
    list[str] | None,
    typer.Argument(metavar="[DIR] [N]", show_default=False, help="The job's folder; how many toes it shall have."),
]
SettingsPlace = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DIR] GROUP.KEY=VALUE...",
        show_default=False,
        help="The job's folder; settings. Without any, those that may be changed are shown.",
    ),
]
UrlsPlace = Annotated[
    list[str] | None,
    typer.Argument(metavar="[DIR] URL...", show_default=False, help="The job's folder; URLs to be crawled."),
]
AddedSeeds = Annotated[
    str | None,
    typer.Option("--from", metavar="FILE|-", help="Read more URLs, one a line, from a file or standard input."),
]
AsSeeds = Annotated[
    bool, typer.Option("--as-seeds", metavar="", help="They are seeds: they widen the scope, and stay the job's.")
]
Force = Annotated[bool, typer.Option("--force", metavar="", help="Crawl them even if known, or out of scope.")]
WhyPlace = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DIR] URL_OR_HOST",
        show_default=False,
        help="The job's folder, unless one stands in it; then a URL, or a host as `frontier queues` shows it.",
    ),
]
LookupPlace = Annotated[
    list[str] | None,
    typer.Argument(metavar="[DIR] URL", show_default=False, help="The job's folder; the URL that is asked about."),
]
LogPlace = Annotated[
    list[str] | None,
    typer.Argument(metavar="[DIR] [crawl|job|progress]", show_default=False, help="The job's folder; which log."),
]
Lines = Annotated[
    int, typer.Option("--lines", "-n", metavar="N", min=1, max=10_000, help="Show so many of the last lines.")
]
Follow = Annotated[bool, typer.Option("--follow", "-f", metavar="", help="Go on until the job ends.")]
ReportPlace = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DIR] [hosts|status|types|seeds|frontier|toes]",
        show_default=False,
        help="The job's folder; which report. Default: frontier.",
    ),
]
RowLimit = Annotated[int, typer.Option("--limit", metavar="N", min=0, help="Show so many rows at most; 0 shows all.")]
Csv = Annotated[bool, typer.Option("--csv", metavar="", rich_help_panel=OUTPUT, help="Print CSV instead of a table.")]
