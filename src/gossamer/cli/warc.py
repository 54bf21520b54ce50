"""`gossamer warc`: questions about archive files, Gossamer's own and others'."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.cli import options
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.output import Output
from gossamer.cli.usage import Commands
from gossamer.errors import ConfigError
from gossamer.util.sizes import format_size

if TYPE_CHECKING:
    from gossamer.warc import ArchiveReport, FileReport

app = Commands(help="Look at archive files.", no_args_is_help=True)

_TYPES = ("warcinfo", "response", "request", "metadata", "revisit", "resource", "conversion", "continuation")


@app.callback()
def _group() -> None:
    """Look at archive files."""


@app.command("check")
def check(paths: options.Archives = None, is_json: options.Json = False, is_debug: options.Debug = False) -> int:
    """Read every record: gzip members, lengths, digests, ids. Ends with 1 if anything is bad."""
    from gossamer.cli.logs import start_logging
    from gossamer.warc import check_files

    start_logging(is_debug=is_debug)
    files = _files_of(paths or [Path()])
    report = check_files(_shown_as_read(files))
    output = Output(sys.stdout)
    if is_json:
        import json

        output.line(json.dumps(_as_json(report), ensure_ascii=False, indent=2))
    else:
        _print(output, report)
    return ExitCode.FINISHED if report.is_good else ExitCode.FAILED


def _files_of(paths: Sequence[Path]) -> list[Path]:
    """The WARC files that `paths` mean, each once. Raises ConfigError if one of them means none."""
    files: dict[Path, None] = {}
    for path in paths:
        found = sorted(_warcs_in(path)) if path.is_dir() else [path]
        if not found or not all(file.is_file() for file in found):
            raise ConfigError(f"{path}: {'there is no WARC file in it' if path.is_dir() else 'there is no such file'}")
        files.update(dict.fromkeys(found))
    return list(files)


def _warcs_in(folder: Path) -> Iterator[Path]:
    for place in (folder, folder / "warcs"):
        if place.is_dir():
            yield from (path for path in place.iterdir() if path.name.removesuffix(".open").endswith(".warc.gz"))


def _shown_as_read(files: Sequence[Path]) -> Iterator[Path]:
    from gossamer.cli.render import busy

    with busy("checking file", len(files)) as status:
        for file in files:
            status.step(str(file))
            yield file


def _print(output: Output, report: ArchiveReport) -> None:
    from gossamer.cli.render import Column, table

    kinds = {kind for file in report.files for kind in file.records}
    types = [kind for kind in _TYPES if kind in kinds] + sorted(kinds.difference(_TYPES))
    columns = [Column("file"), Column("size", True), *(Column(kind, True) for kind in types), Column("verdict")]
    rows = [_row(file, types) for file in report.files]
    if len(rows) > 1:
        rows.append(_total(report, types))
    output.line(table(output, columns, rows, is_last_total=len(rows) > 1))
    sentences = [f"{file.path}: {sentence}" for file in report.files for sentence in _bad(file)]
    sentences += report.findings
    if sentences:
        from gossamer.util.terminal import printable

        output.line()
        for sentence in sentences:
            output.line(printable(sentence))


def _row(file: FileReport, types: Sequence[str]) -> list[str]:
    verdict = "good" if file.is_good else "BAD"
    if file.is_open:
        verdict += ", still open"
    return [file.path, format_size(file.size), *(f"{file.records.get(kind, 0):,}" for kind in types), verdict]


def _total(report: ArchiveReport, types: Sequence[str]) -> list[str]:
    sums = (sum(file.records.get(kind, 0) for file in report.files) for kind in types)
    size = format_size(sum(file.size for file in report.files))
    verdict = "good" if report.is_good else "BAD"
    return [f"{len(report.files)} files", size, *(f"{count:,}" for count in sums), verdict]


def _bad(file: FileReport) -> Iterator[str]:
    if file.damage:
        yield f"at byte {file.damage_offset}: {file.damage}; what lies behind was not looked at"
        if file.is_open:
            yield "this file is still open: its job is writing it, or will mend its end when it starts again"
    yield from file.findings
    hidden = file.wrong_digests + file.repeated_ids - len(file.findings)
    if hidden > 0:
        yield f"and {hidden:,} more"
    if file.without_digest:
        yield f"{file.without_digest:,} records have no digest: only their length and CRC could be checked"


def _as_json(report: ArchiveReport) -> dict[str, Any]:
    import msgspec

    files = [msgspec.to_builtins(file) | {"is_good": file.is_good} for file in report.files]
    return {"is_good": report.is_good, "shared_ids": report.shared_ids, "findings": report.findings, "files": files}
