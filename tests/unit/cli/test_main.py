from __future__ import annotations

from pathlib import Path

import pytest

import gossamer
from gossamer.cli.exitcodes import ExitCode
from gossamer.cli.main import run

Captured = pytest.CaptureFixture[str]


def test_alone_it_explains_itself_in_a_screen_with_three_examples(capsys: Captured):
    assert run([]) == 0
    text = capsys.readouterr().out
    assert text.count("\n    gossamer ") == 3
    assert len(text.splitlines()) <= 24 and max(map(len, text.splitlines())) <= 80


def test_its_examples_are_called_as_it_was(capsys: Captured, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOSSAMER_COMMAND", "scripts/gossamer")
    run([])
    text = capsys.readouterr().out
    assert text.count("\n    scripts/gossamer ") == 3 and "`scripts/gossamer crawl --help`" in text
    assert max(map(len, text.splitlines())) <= 90


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        (["why"], "why [OPTIONS] [DIR] URL_OR_HOST"),
        (["frontier", "lookup"], "lookup [OPTIONS] [DIR] URL"),
        (["add"], "add [OPTIONS] [DIR] URL..."),
        (["toes"], "toes [OPTIONS] [DIR] [N]"),
    ],
)
def test_a_usage_line_shows_what_is_typed(command: list[str], usage: str, capsys: Captured):
    run([*command, "--help"])
    assert next(line for line in capsys.readouterr().out.splitlines() if "Usage:" in line).rstrip().endswith(usage)


def test_it_tells_its_version(capsys: Captured):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"gossamer {gossamer.__version__}\n"


@pytest.mark.parametrize("command", [[], ["crawl"], ["demo"], ["frontier"], ["frontier", "lookup"], ["warc", "check"]])
def test_every_command_has_help(command: list[str], capsys: Captured):
    assert run([*command, "--help"]) == 0
    assert "Usage: gossamer" in capsys.readouterr().out


def test_the_help_of_crawl_documents_the_exit_codes(capsys: Captured):
    run(["crawl", "--help"])
    text = capsys.readouterr().out
    assert all(f"{code.value:<4} {code.meaning}" in text for code in ExitCode)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crwl"], "No such command 'crwl'. Did you mean 'crawl'?\n  See: gossamer --help"),
        (["crawl", "--dela", "1"], "No such option: --dela"),
        (["crawl", "http://127.0.0.1/", "--delay", "soon"], "Invalid value for '--delay': 'soon' is not a duration"),
        (["crawl", "http://127.0.0.1/", "--max-bytes", "0"], "must be more than nothing"),
        (["crawl", "http://127.0.0.1/", "--toes", "many"], "Invalid value for '--toes'"),
        (["crawl", "http://127.0.0.1/", "--scope", "galaxy"], "Invalid value for '--scope'"),
        (["crawl", "http://127.0.0.1/", "--set", "limits"], "'limits' is not a setting"),
        (["crawl", "http://127.0.0.1/", "--set", "limits.max_page=3"], "limits.max_page is not a setting"),
        (["crawl", "http://127.0.0.1/", "--toes", "0"], "toes must be at least 1"),
        (["crawl", "http://127.0.0.1/", "--include", "("], "scope.include must be a regular expression"),
        (["crawl", "http://127.0.0.1/", "--allow-private", "x"], "fetching.allow_private must be host:port"),
        (["crawl", "http://127.0.0.1/", "--max-pages", "ten"], "must be a whole number, not 'ten'"),
        (["crawl"], "no seed was given"),
        (["crawl", "ftp://x/"], "not a seed: 'ftp://x/': only http and https can be crawled"),
        (["crawl", "--seeds", "nowhere"], "the seeds in nowhere cannot be read"),
        (["frontier", "queues", "nowhere"], "there is no folder nowhere"),
        (["frontier", "lookup", "mailto:a@b"], "'mailto:a@b' cannot be looked up: only http and https can be crawled"),
        (["warc", "check", "nowhere"], "nowhere: there is no such file"),
    ],
)
def test_bad_usage_is_one_clear_message_and_ends_with_2(
    arguments: list[str], message: str, capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("gossamer: ") and message in captured.err
    assert "Traceback" not in captured.err


def test_a_bad_settings_file_is_refused_with_its_line(capsys: Captured, tmp_path: Path):
    (tmp_path / "gossamer.toml").write_text("[politeness]\n\ndely = 3\n")
    assert run(["crawl", "http://127.0.0.1/", "--job", str(tmp_path)]) == 2
    assert f"{tmp_path}/gossamer.toml:3: politeness.dely is not a setting" in capsys.readouterr().err


def test_debugging_raises_what_happened(tmp_path: Path):
    with pytest.raises(Exception, match="is not a job folder"):
        run(["frontier", "queues", str(tmp_path), "--debug"])
