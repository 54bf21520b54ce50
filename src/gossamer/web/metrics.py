"""The figures of a crawl in Prometheus' text format, version 0.0.4.

One job is one target, so no label names it; hosts and URLs, which strangers choose, never become labels. A counter ends
in `_total`, a unit stands in the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gossamer.control import CrawlState, Progress
from gossamer.util.bus import EventBus

Sample = tuple[str, float]


def render(state: CrawlState, progress: Progress | None, bus: EventBus) -> str:
    """The whole text; without `progress` (nothing is open) only the state."""
    blocks = [
        _block(
            "state",
            "gauge",
            "1 for the state the crawl is in.",
            [(f'{{state="{one.name}"}}', float(one is state)) for one in CrawlState],
        ),
        _block("subscriber_errors_total", "counter", "Events whose subscriber failed.", [("", bus.errors)]),
        _block("subscriber_dropped_total", "counter", "Events a subscriber was too slow for.", [("", bus.dropped)]),
    ]
    if progress is not None:
        blocks += _figures(progress)
    return "\n".join(blocks) + "\n"


def _figures(progress: Progress) -> Iterator[str]:
    counts, run = progress.counts, progress.statistics
    yield _block("uris_discovered_total", "counter", "URLs ever scheduled.", [("", counts.discovered)])
    yield _block(
        "uris_finished_total",
        "counter",
        "URIs settled, by fate.",
        [
            ('{fate="succeeded"}', counts.succeeded),
            ('{fate="failed"}', counts.failed),
            ('{fate="disregarded"}', counts.disregarded),
        ],
    )
    yield _block("uris_retried_total", "counter", "Attempts that ended in a retry.", [("", counts.retried)])
    yield _block("uris_queued", "gauge", "URIs not settled.", [("", counts.queued)])
    yield _block("uris_retired", "gauge", "Of these, URIs in retired queues.", [("", counts.retired)])
    yield _block("uris_in_process", "gauge", "URIs that toes hold.", [("", counts.in_process)])
    yield _block("pages_total", "counter", "Pages fetched, as max_pages counts them.", [("", counts.pages)])
    yield _block("received_bytes_total", "counter", "Bytes received.", [("", counts.wire_bytes)])
    yield _block("queues_total", "counter", "Queues ever made.", [("", counts.queues)])
    yield _block(
        "queues",
        "gauge",
        "Queues, by where they are.",
        [
            ('{place="active"}', counts.active_queues),
            ('{place="snoozed"}', counts.snoozed_queues),
            ('{place="inactive"}', counts.inactive_queues),
        ],
    )
    yield _block("toes", "gauge", "Toes there shall be.", [("", progress.toes)])
    yield _block("toes_busy", "gauge", "Toes that hold a URI.", [("", progress.busy_toes)])
    yield _block("toes_replaced_total", "counter", "Toes that died and were replaced.", [("", progress.replaced_toes)])
    yield _block("toes_stuck_total", "counter", "Toes that were stuck and cut off.", [("", progress.stuck_toes)])
    yield _block("congestion", "gauge", "How many times more toes would be useful.", [("", progress.congestion)])
    yield _block(
        "running_seconds_total", "counter", "Time the job has run, over all runs.", [("", progress.running_seconds)]
    )
    yield _block(
        "run_attempts_total",
        "counter",
        "Attempts of this run, by status.",
        [(f'{{status="{int(status)}"}}', count) for status, count in sorted(run.statuses.items())],
    )
    yield _block(
        "run_hook_errors_total",
        "counter",
        "Failures of a crawler's hooks in this run.",
        [(f'{{hook="{hook}"}}', count) for hook, count in sorted(run.hook_errors.items())],
    )
    yield _block("run_fetch_seconds_total", "counter", "Time spent in fetches of this run.", [("", run.fetch_seconds)])


def _block(name: str, kind: str, about: str, samples: Iterable[Sample]) -> str:
    lines = [f"# HELP gossamer_{name} {about}", f"# TYPE gossamer_{name} {kind}"]
    lines += [f"gossamer_{name}{labels} {value:.15g}" for labels, value in samples]
    return "\n".join(lines)
