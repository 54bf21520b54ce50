"""Prerequisites: what must be asked for before a URI may be: robots.txt, the steps of a login (hop P).

They are in no queue and have no seen record. Each is fetched on behalf of a URI, which goes back to its place
meanwhile, and is archived and logged under that URI's path.
"""

from __future__ import annotations

from gossamer.model.crawluri import ClassKey, CrawlURI
from gossamer.model.outlink import HOP_PREREQUISITE


def prerequisite_of(curi: CrawlURI, url: str, class_key: ClassKey | None = None) -> CrawlURI:
    """What is asked for at `url` on behalf of `curi`; `class_key` = the host that is asked, None = the URI's own."""
    return CrawlURI(
        url=url,
        class_key=class_key or curi.class_key,
        identity=curi.identity,
        via=curi.target,
        hops=curi.hops + HOP_PREREQUISITE,
        seed=curi.seed,
    )
