"""What ends a program without a word, and what does not."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pytest

import gossamer
from gossamer import errors
from gossamer.cli.exitcodes import code_of_error

PRINTS = "import gossamer\nwith gossamer.script():\n    for _ in range(100_000): print('x' * 100)\n"
LOSES_ITS_OWN_PIPE = (
    "import gossamer, os\nwith gossamer.script():\n    print('said')\n"
    "    read, write = os.pipe(); os.close(read); os.write(write, b'x')\n"
)


def test_a_program_that_nobody_reads_any_more_ends_without_a_word() -> None:
    program = subprocess.Popen([sys.executable, "-c", PRINTS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout is not None and program.stderr is not None
    program.stdout.readline()
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait() == 1
    program.stderr.close()


def test_a_pipe_of_the_programs_own_that_breaks_is_told() -> None:
    ended = subprocess.run([sys.executable, "-c", LOSES_ITS_OWN_PIPE], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "said\n")
    assert "Broken pipe" in ended.stderr and "Traceback" not in ended.stderr


class Written(io.RawIOBase):
    """Standard output that keeps what each call of the system would have been given."""

    def __init__(self) -> None:
        self.calls: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.calls.append(bytes(data))
        return len(data)


@pytest.mark.parametrize("unbuffered", [True, False])
def test_a_line_is_written_whole_and_at_once_so_that_threads_do_not_write_into_each_others(
    monkeypatch: pytest.MonkeyPatch, unbuffered: bool
) -> None:
    written = Written()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "utf-8", write_through=unbuffered))
    with gossamer.script():
        print("http://host.test/", 200, sep="\t")
        print("http://host.test/second")
    assert written.calls == [b"http://host.test/\t200\n", b"http://host.test/second\n"]


@pytest.mark.parametrize("stream", [None, io.StringIO()])
def test_a_program_without_a_standard_output_of_pythons_own_runs_as_well(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stdout", stream)
    with gossamer.script():
        print("said")


@pytest.mark.parametrize(
    "kind", [errors.ConfigError, errors.JobInUse, errors.DiskFull, errors.StorageError, errors.GossamerError]
)
def test_an_error_ends_a_script_with_the_code_that_the_program_has_for_it(
    kind: type[errors.GossamerError], capsys: pytest.CaptureFixture[str]
) -> None:
    error = kind("what happened")
    with pytest.raises(SystemExit) as ended, gossamer.script():
        raise error
    assert ended.value.code == code_of_error(error)
    assert capsys.readouterr().err.endswith(": what happened\n")
