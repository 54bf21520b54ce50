"""What ends a program without a word, and what does not."""

from __future__ import annotations

import subprocess
import sys

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
