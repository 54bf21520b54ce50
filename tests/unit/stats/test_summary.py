"""The final summary joins what others know."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gossamer.frontier import FrontierCounts
from gossamer.stats import ArchiveFile, Share, Snapshot, summarize


def test_a_summary_joins_counts_statistics_and_files(tmp_path: Path) -> None:
    file = tmp_path / "X.warc.gz"
    file.write_bytes(b"12345")
    counts = FrontierCounts(
        pages=10, succeeded=12, failed=2, disregarded=3, queued=1, queues=4, wire_bytes=999,
        reasons={"robots": 3, "CONNECT_FAILED": 1, "TIMED_OUT": 1},
    )  # fmt: skip
    snapshot = Snapshot(running_seconds=2.0, pages=4, pages_per_second=2.0, types=(Share("text/html", 4, 40),))
    summary = summarize(counts, snapshot, exit_status="FINISHED", reason="Nothing is left to do.", archive=[file])
    assert (summary.pages, summary.run_pages, summary.hosts, summary.queued) == (10, 4, 4, 1)
    assert list(summary.reasons) == ["robots", "CONNECT_FAILED", "TIMED_OUT"]
    assert summary.archive == (ArchiveFile(str(file), 5),)
    assert msgspec.json.decode(msgspec.json.encode(summary))["run_types"] == [
        {"name": "text/html", "uris": 4, "wire_bytes": 40}
    ]
