from __future__ import annotations

from pathlib import Path

from benchmarks.harness.strace import Call, batch_positions, is_between_append_and_batch, read_trace

TRACE = """\
11  write(5</j/warcs/a.warc.gz.open>, ""..., 9) = 9
11  write(6</j/logs/crawl.log>, ""..., 9) = 9
11  write(7</j/state/000004.log>, ""..., 9) = 9
12  fdatasync(5</j/warcs/a.warc.gz.open> <unfinished ...>
11  write(8<socket:[33]>, ""..., 9) = 9
11  writev(5</j/warcs/a.warc.gz.open>, [{iov_base=""..., iov_len=9}], 1) = 9
12  <... fdatasync resumed>) = 0
11  rename("/j/state/a.tmp", "/j/state/a") = 0
11  write(7</j/state/000004.log>, ""..., 9) = ?
11  +++ killed by SIGKILL +++
"""


def trace(tmp_path: Path, text: str = TRACE) -> list[Call]:
    path = tmp_path / "trace"
    path.write_text(text, encoding="utf-8")
    return read_trace(path)


def test_calls_are_read_in_the_order_they_ended_with_what_they_changed(tmp_path: Path) -> None:
    assert [(c.thread, c.name, c.place, c.is_done) for c in trace(tmp_path)] == [
        (11, "write", "warc", True),
        (11, "write", "crawl.log", True),
        (11, "write", "store log", True),
        (11, "write", "socket", True),
        (11, "writev", "warc", True),
        (12, "fdatasync", "warc", True),
        (11, "rename", "store", True),
        (11, "write", "store log", False),
    ]


def test_a_kill_at_the_batch_after_an_append_is_between_them(tmp_path: Path) -> None:
    assert is_between_append_and_batch(trace(tmp_path))
    assert not is_between_append_and_batch(trace(tmp_path, "".join(TRACE.splitlines(keepends=True)[:5])))


def test_batches_are_counted_within_thread_and_call(tmp_path: Path) -> None:
    assert batch_positions(trace(tmp_path)) == [("write", 3), ("write", 5)]
