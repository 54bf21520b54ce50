"""The candidate chain: from the links of a page to the CrawlURIs that may join the crawl.

canonicalize -> unseen? -> scope -> asked (a program's own `should_visit`) -> prepare (class key, priority, depth). No
waiting, and little work for what was met before: most links of a page were on the page before it. Scope is decided here
and nowhere else.

`RecentUrls` remembers URLs that the frontier is known to hold, so that they cost one set look-up; it is only told of
URLs that are settled in the store, since a URL that is taken for known and is not would be lost for ever.
`RecentRefusals` does the same for the links out of scope that stand on every page of a site: of the URLs judged in a
crawl of five manuals, five of six had been refused before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, cast

from gossamer.model.attempt import Attempt
from gossamer.model.crawluri import (
    NOT_GIVEN,
    PRIORITY_EMBED,
    PRIORITY_ORDINARY,
    PRIORITY_SEED,
    USUAL_PRIORITIES,
    ClassKey,
    CrawlURI,
    Identity,
)
from gossamer.model.outlink import HOP_EMBED, HOP_LINK, HOP_REDIRECT, Outlink
from gossamer.process.chain import Flow
from gossamer.process.services import ToeServices
from gossamer.scope import RuleSequence, depth_after
from gossamer.url import InvalidUrl, Url, canonicalize, class_key, host_of, parse, split
from gossamer.util.recent import Recent

SHOULD_VISIT = "should_visit"
"""Stands for a rule where the user's own code refused a link."""
FALLBACK = "fallback"
"""Key in `CrawlURI.data` of a seed: the URL to try if this one cannot be fetched."""


class RecentUrls:
    """A bounded set of URLs lately known to be seen: two generations, the older dropped when the younger is full."""

    def __init__(self, capacity: int = 100_000) -> None:
        self._half = max(1, capacity // 2)
        self._young: set[str] = set()
        self._old: set[str] = set()

    def lacking(self, links: Iterable[Outlink]) -> list[Outlink]:
        """Those of `links` whose URL is not in it."""
        young, old = self._young, self._old
        return [link for link in links if (url := link.url) not in young and url not in old]

    def add(self, urls: Iterable[str]) -> None:
        self._young.update(urls)
        if len(self._young) > self._half:
            self._old = self._young
            self._young = set()

    def clear(self) -> None:
        self._young.clear()
        self._old.clear()


class RecentRefusals(Recent[str, str]):
    """URL -> which rule lately refused an ordinary link to it for good, of one revision of the scope."""

    __slots__ = ("_revision",)

    def __init__(self, capacity: int = 30_000) -> None:
        super().__init__(max(1, capacity // 2))
        self._revision = 0

    def check(self, revision: int) -> None:
        """Forget everything if the scope has another revision than when it was remembered."""
        if revision != self._revision:
            self.clear()
            self._revision = revision


class Asker(Protocol):
    """Has a say on links that are new and in scope: the user's own `should_visit`."""

    def priority_of(self, attempt: Attempt, link: Outlink, url: Url, depth: int, priority: int) -> int | None:
        """The priority that it shall have, which is `priority` if nothing else is said; None if it is refused."""


class CandidateMaker:
    """Judges links and makes CrawlURIs of those that are new and in scope."""

    def __init__(
        self, services: ToeServices, scope: RuleSequence, max_seed_redirects: int, asker: Asker | None = None
    ) -> None:
        self._services = services
        self._scope = scope
        self._max_seed_redirects = max_seed_redirects
        self._asker = asker
        self.recent = RecentUrls()
        self._refused = RecentRefusals()
        self.refusals: Counter[str] = Counter()
        """Links refused, by the rule that refused them."""

    def identify(self, href: str) -> Identity:
        """The identity of a parsed URL."""
        canonical = canonicalize(href)
        return self._services.identify(canonical, host_of(canonical))

    def set_scope(self, scope: RuleSequence) -> None:
        """Judge by other rules from now on."""
        self._scope = scope
        self._refused.clear()

    def refusal_of(self, href: str) -> str | None:
        """The rule that refuses a URL which no page led to; None if it is in scope."""
        verdict = self._scope.decide(parse(href))
        return None if verdict.is_accepted else verdict.rule

    def candidates(self, attempt: Attempt, links: list[Outlink]) -> list[CrawlURI]:
        """Those of `links` that are unknown and in scope, in order.

        A redirect to the URI's own identity becomes `attempt.self_redirect` instead.
        """
        if links and links[0].hop == HOP_REDIRECT and self.identify(links[0].url) == attempt.curi.identity:
            attempt.self_redirect = links[0].url
            return []
        fresh = self._fresh(links)
        if not fresh:
            return []
        canonicals = [(canonical := canonicalize(link.url), host_of(canonical)) for link in fresh]
        identities = self._services.identify_all(canonicals)
        found: list[CrawlURI] = []
        known: list[str] = []
        taken: set[Identity] = set()
        ways: dict[str, _Way] = {}
        for link, identity, is_unseen in zip(fresh, identities, self._services.unseen(identities), strict=True):
            if not is_unseen:
                known.append(link.url)
            elif identity not in taken:
                taken.add(identity)
                way = ways.get(link.hop)
                if way is None:
                    way = ways[link.hop] = _Way(
                        attempt, link.hop, self._max_seed_redirects, self._services.clock.wall()
                    )
                candidate = self._judge(attempt, way, link, identity)
                if candidate is not None:
                    found.append(candidate)
        self.recent.add(known)
        return found

    def _fresh(self, links: list[Outlink]) -> list[Outlink]:
        """Those that were not met lately."""
        self._refused.check(self._scope.revision)
        rule_of = self._refused.get
        fresh: list[Outlink] = []
        for link in self.recent.lacking(links):
            rule = rule_of(link.url)
            if rule is None or link.hop != HOP_LINK:
                fresh.append(link)
            else:
                self.refusals[rule] += 1
        return fresh

    def _judge(self, attempt: Attempt, way: _Way, link: Outlink, identity: Identity) -> CrawlURI | None:
        try:
            url = split(link.url)
        except InvalidUrl:
            self.refusals["unparseable"] += 1
            return None
        priority = way.given.get(link.url, way.priority)
        if not way.is_seed:
            verdict = self._scope.decide(url, way.depth, way.hops, way.via)
            if not verdict.is_accepted:
                self.refusals[verdict.rule] += 1
                if verdict.is_lasting and link.hop == HOP_LINK:
                    self._refused.put(link.url, verdict.rule)
                return None
            if self._asker is not None:
                wanted = self._asker.priority_of(attempt, link, url, way.depth, priority)
                if wanted is None:
                    self.refusals[SHOULD_VISIT] += 1
                    return None
                priority = wanted
        # By position: names cost a microsecond more for every link.
        return CrawlURI(
            url.href,
            _class_key_of(url),
            identity,
            NOT_GIVEN,
            priority,
            0,  # attempts
            way.stored_depth,
            None,  # fetch_url
            way.via,
            attempt.curi.docid,
            way.hops,
            link.element,
            link.rel,
            link.text or None,
            way.seed,
            way.is_seed,
            way.redirects,
            0.0,  # not_before
            False,  # force
            way.discovered,
        )

    def fallback(self, curi: CrawlURI) -> list[CrawlURI]:
        """The URL to try instead of a seed that failed (http for https), if it has one and that is unknown."""
        other = (curi.data or {}).get(FALLBACK)
        if other is None:
            return []
        identity = self.identify(other)
        if not self._services.unseen([identity])[0]:
            return []
        now = self._services.clock.wall()
        return [
            CrawlURI(
                url=other,
                class_key=curi.class_key,
                identity=identity,
                priority=curi.priority,
                is_seed=True,
                discovered=now,
            )
        ]

    def admit_seeds(self, candidates: list[CrawlURI]) -> None:
        """Widen the scope by the candidates that are seeds (redirect targets of seeds); call once they are settled."""
        for curi in candidates:
            if curi.is_seed:
                self._scope.add_seed(parse(curi.url))


class _Way:
    """What the links of one page and one hop have in common, worked out for the first of them that is new."""

    __slots__ = (
        "depth",
        "discovered",
        "given",
        "hops",
        "is_seed",
        "priority",
        "redirects",
        "seed",
        "stored_depth",
        "via",
    )

    def __init__(self, attempt: Attempt, hop: str, max_seed_redirects: int, now: float) -> None:
        parent, page = attempt.curi, attempt.page
        is_redirect = hop == HOP_REDIRECT
        self.via = parent.target
        self.hops = parent.hops + hop
        self.depth = depth_after(parent.depth, parent.hops, hop)
        self.stored_depth = min(self.depth, 0xFFFF)
        self.redirects = parent.redirects + 1 if is_redirect else 0
        self.is_seed = is_redirect and parent.is_seed and parent.redirects < max_seed_redirects
        self.seed = parent.seed or parent.url
        self.discovered = now
        self.given = _NOTHING_SAID if page is None else page.priorities
        """As `add_link` said, by URL."""
        self.priority = _PRIORITIES.get(hop, PRIORITY_ORDINARY)
        """Of the others: of a redirect's target as somebody said of what redirected, else by how it came about."""
        if is_redirect and parent.priority not in USUAL_PRIORITIES:
            self.priority = parent.priority


_PRIORITIES = {HOP_EMBED: PRIORITY_EMBED, HOP_REDIRECT: PRIORITY_SEED}
_class_key_of = cast("Callable[[Url], ClassKey]", class_key)
"""Typed once, for a NewType is one more call for each link."""
_NOTHING_SAID: Mapping[str, int] = {}


class Candidates:
    """The processor: links of the attempt in, `attempt.candidates` out."""

    name = "candidates"

    def __init__(self, maker: CandidateMaker) -> None:
        self._maker = maker

    async def process(self, attempt: Attempt) -> Flow:
        if attempt.outlinks:
            attempt.candidates = self._maker.candidates(attempt, attempt.outlinks)
        return Flow.PROCEED
