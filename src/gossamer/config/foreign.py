"""Names that crawler4j has for settings, and what is said to who gives one: the counterpart, with its unit.

Written in Java's manner or in Python's, since both are tried. docs/coming-from-crawler4j.md has the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping

_COUNTERPARTS: Mapping[str, str] = {
    "crawlstoragefolder": "folder=… (a path; without one nothing is kept)",
    "resumablecrawling": "folder=…, which always goes on; fresh=True of CrawlController starts over",
    "politenessdelay": "delay=… (seconds per host; crawler4j's were milliseconds, for the whole crawl)",
    "maxdepthofcrawling": "max_depth=… (a number; None for crawler4j's -1)",
    "maxpagestofetch": "max_pages=… (pages fetched; None for crawler4j's -1)",
    "useragentstring": "user_agent=… (text), with contact=… (an address)",
    "defaultheaders": "fetching=Fetching(headers=…)",
    "maxconnectionsperhost": "politeness=Politeness(connections_per_host=…)",
    "maxtotalconnections": "fetching=Fetching(max_connections=…)",
    "sockettimeout": "fetching=Fetching(idle_timeout=…) (seconds; crawler4j's were milliseconds)",
    "connectiontimeout": "fetching=Fetching(connect_timeout=…) (seconds; crawler4j's were milliseconds)",
    "maxoutgoinglinkstofollow": "extraction=Extraction(max_outlinks=…)",
    "maxdownloadsize": "fetching=Fetching(max_body=…) (bytes)",
    "followredirects": "scope=Scope(follow_redirects=…)",
    "includebinarycontentincrawling": "visit_types=… (media types)",
    "processbinarycontentincrawling": "visit_types=… (media types)",
    "includehttpspages": 'scope=Scope(exclude=["^https:"]) for false',
    "shutdownonemptyqueue": "run_while_empty=…, which says the opposite",
    "proxyhost": 'proxy="http://host:port"',
    "proxyport": 'proxy="http://host:port"',
    "proxyusername": 'proxy="http://user:env:PASSWORD@host:port"',
    "proxypassword": 'proxy="http://user:env:PASSWORD@host:port"',
    "authinfos": "login=Login(credentials=…, forms=…)",
    "respectnofollow": "robots=Robots(obey_nofollow=…)",
    "respectnoindex": "robots=Robots(obey_noindex=…)",
    "haltonerror": "halt_on_error=…",
    "numberofcrawlers": "toes=…",
}


def counterpart_of(name: str) -> str | None:
    """What to write instead of a name of crawler4j's; None if it has no such name."""
    return _COUNTERPARTS.get(name.replace("_", "").lower())
