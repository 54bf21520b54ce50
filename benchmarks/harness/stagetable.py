"""Which stage of a crawl a place in its code belongs to, for profiles by stage."""

from __future__ import annotations

from collections.abc import Sequence

STAGES = {
    "gossamer.fetch.decode": "parse",
    "gossamer.fetch": "fetch",
    "gossamer.process.fetching": "fetch",
    "gossamer.extract": "parse",
    "gossamer.process.extracting": "parse",
    "gossamer.url": "URLs",
    "gossamer.process.candidate": "links",
    "gossamer.scope": "links",
    "gossamer.robots": "robots",
    "gossamer.process.robotsgate": "robots",
    "gossamer.frontier": "frontier",
    "gossamer.storage.rocks": "frontier",
    "gossamer.warc": "WARC",
    "gossamer.process.archivist": "WARC",
    "gossamer.stats": "log and statistics",
    "gossamer.model.events": "log and statistics",
    "gossamer.util.bus": "log and statistics",
    "gossamer.hooks": "hooks",
    "gossamer.process.hooking": "hooks",
    "gossamer.process": "toes and chains",
    "gossamer.control": "control",
    "gossamer.jobs": "control",
    "gossamer.web": "control",
    "gossamer.cli": "control",
    "importlib._bootstrap": "imports",
    "concurrent.futures.thread": "work in threads",
}
"""Module, or package with all in it -> stage; the longest name that fits counts.

Work in threads is what a thread of Python ended just before a sample: large bodies parsed, archived, synced. What is
under way in a thread at a sample stands with its own stage.
"""
LOOP = ("gossamer.process.toe:Toe.run", "gossamer.util.loop:run_in_loop")
"""Where Python is when libuv comes back from its work: a signal that came meanwhile is noted there."""
REST = "event loop and rest"
"""libuv with its polling, and what a toe frees when it is done with a page: the parsed document above all."""
STORES_THREADS = "store's threads"
"""Those that know no Python: flushes and compaction."""
ORDER = tuple(dict.fromkeys((*STAGES.values(), REST, STORES_THREADS)))


def judge(stack: Sequence[str]) -> tuple[str, str]:
    """The stage of a stack, innermost frame first, and the function that is charged."""
    function = next((frame for frame in stack if frame.startswith("gossamer")), stack[0])
    if function in LOOP:
        return REST, function
    for frame in stack:
        stage = stage_of(frame.partition(":")[0])
        if stage is not None:
            return stage, function
    return REST, function


def stage_of(module: str) -> str | None:
    """The stage of a module; None if it has none of its own."""
    while module:
        if module in STAGES:
            return STAGES[module]
        module = module.rpartition(".")[0]
    return None
