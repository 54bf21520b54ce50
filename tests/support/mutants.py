"""Gossamer with a mistake seeded into how it settles a URI: the kill harness must catch each of them.

Run as `python mutants.py MISTAKE crawl …`; everything but the mistake is the real program. Right is: the records of a
URI, the positions they end at and the URI's finish are settled in one batch.

    finish-first    the URI is finished in one batch, its records' positions follow in another
    no-tail         the positions are never stored
    early-tail      the positions are stored in one batch, the finish follows some time later in another
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

import msgspec

from gossamer.cli.main import run
from gossamer.frontier import LocalFrontier
from gossamer.model.crawluri import CrawlURI
from gossamer.model.disposition import Disposition

GAP_SECONDS = 0.005

finish = LocalFrontier.finish


def finish_first(
    self: LocalFrontier, curi: CrawlURI, disposition: Disposition, discovered: Sequence[CrawlURI] = ()
) -> None:
    finish(self, curi, msgspec.structs.replace(disposition, spans=()), discovered)
    time.sleep(GAP_SECONDS)
    self.note_capture(disposition.spans)


def no_tail(self: LocalFrontier, curi: CrawlURI, disposition: Disposition, discovered: Sequence[CrawlURI] = ()) -> None:
    finish(self, curi, msgspec.structs.replace(disposition, spans=()), discovered)


def early_tail(
    self: LocalFrontier, curi: CrawlURI, disposition: Disposition, discovered: Sequence[CrawlURI] = ()
) -> None:
    self.note_capture(disposition.spans)
    time.sleep(GAP_SECONDS)
    finish(self, curi, msgspec.structs.replace(disposition, spans=()), discovered)


MISTAKES: dict[str, Callable[..., None]] = {
    "finish-first": finish_first,
    "no-tail": no_tail,
    "early-tail": early_tail,
}


if __name__ == "__main__":
    LocalFrontier.finish = MISTAKES[sys.argv.pop(1)]  # type: ignore[method-assign]
    sys.exit(run())
