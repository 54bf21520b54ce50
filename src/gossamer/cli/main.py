"""`gossamer`: where a run of the program begins and ends.

Arguments go in, an exit code comes out. Whatever a command raises becomes one message on standard error, and a trace
only with `--debug`. The commands, and the libraries they stand on, are loaded when there is one to run.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from gossamer.cli.exitcodes import ExitCode, code_of_error
from gossamer.cli.failures import message_of
from gossamer.cli.loading import loading
from gossamer.cli.output import Output, complain
from gossamer.cli.welcome import VERSION, welcome
from gossamer.util.program import program

COMPLETION = "_GOSSAMER_COMPLETE"
"""Set by a shell that asks for completions; what is to be completed stands in its environment, too."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code. `arguments` are those after the program's name; None = the process's."""
    open_standard_streams()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments in ([], ["--version"]) and COMPLETION not in os.environ:
        Output(sys.stdout).line(VERSION if arguments else welcome())
        return ExitCode.FINISHED
    # Asked to end before or after a crawl handles its signals itself, both do the same.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run_command(arguments)
    except (Exception, KeyboardInterrupt) as error:
        if "--debug" in arguments and not isinstance(error, KeyboardInterrupt):
            raise
        complain(message_of(error))
        return code_of_error(error)


def open_standard_streams() -> None:
    """Have the descriptors 0, 1 and 2, whatever the program was started with.

    One that is closed (cron, `>&-`) would be given to the next file that is opened, and what a library writes to it
    would land in that: the store, or the archive.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free descriptor is taken, and those below are open by now.
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            stream = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def _run_command(arguments: Sequence[str]) -> int:
    with loading():
        from gossamer.cli.app import UsageError, app, usage_message

    try:
        return app(arguments, prog_name=program(), standalone_mode=False) or ExitCode.FINISHED
    except UsageError as error:
        if message := usage_message(error):
            complain(message)
        return ExitCode.USAGE
