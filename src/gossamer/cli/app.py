"""The commands of `gossamer`, put together. Commands import what they need when they run, so that help is quick."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from gossamer.cli import crawl, demo, frontier, job, orders, questions, reports, status, warc
from gossamer.cli.output import Output
from gossamer.cli.usage import Commands
from gossamer.cli.welcome import VERSION, welcome

# Typer exports only this leaf of the exceptions that its parser raises; its base is the family.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""What the operator typed cannot be understood."""
_BAD_NUMBER = re.compile(r"Input should be a valid integer.*")

app = Commands(
    name="gossamer",
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("crawl", epilog=crawl.EPILOG)(crawl.crawl)
app.command("demo")(demo.demo)
app.command("new")(job.new)
app.command("run")(job.run)
app.command("status")(status.status)
app.command("pause")(orders.pause)
app.command("resume")(orders.resume)
app.command("checkpoint")(orders.checkpoint)
app.command("terminate")(orders.terminate)
app.command("toes")(orders.toes)
app.command("set")(orders.set_)
app.command("add")(orders.add)
app.command("why")(questions.why)
app.command("log")(questions.log)
app.command("report")(reports.report)
app.add_typer(frontier.app, name="frontier")
app.add_typer(warc.app, name="warc")


@app.callback(invoke_without_command=True)
def gossamer_alone(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", metavar="", help="Show the version and exit.")] = False,
) -> None:
    """Crawl the web politely and archive what is found."""
    if version:
        Output(sys.stdout).line(VERSION)
        raise typer.Exit
    if context.invoked_subcommand is None:
        Output(sys.stdout).line(welcome())


def usage_message(error: Exception) -> str:
    """What is wrong and where the options are listed; empty if the help itself was shown instead."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    message = _BAD_NUMBER.sub(lambda _: f"must be a whole number{_given(error)}", message)
    if not message:
        return ""
    context = getattr(error, "ctx", None)
    return f"{message}\nSee: {context.command_path if context else 'gossamer'} --help"


def _given(error: BaseException) -> str:
    """`, not 'ten'`, if the exception behind this one knows what was typed."""
    cause = error.__cause__ or error.__context__
    # Typer's own validation, whose library is none of Gossamer's business here.
    found = cause.errors() if cause is not None and hasattr(cause, "errors") else ()
    return f", not {found[0]['input']!r}" if found else ""
