"""Every setting, in frozen groups under CrawlConfig: meaning, unit, default and why.

Each part of the program is handed its own group, never the whole. Durations are seconds and sizes bytes in Python; in
`gossamer.toml` and on the command line they may carry units ("30s", "1 GiB"). A group is checked when it is made:
whoever holds one may rely on every value. What cannot be used raises ConfigError, all mistakes at once.

What nearly everyone needs can be given flat: `CrawlConfig(max_pages=10, delay=0, scope="domain")`. A flat name is an
alias of one field of a group; giving the same field both ways is an error. A group may be a mapping, too. The values
are read from the groups only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, Unpack

from gossamer.config.foreign import counterpart_of
from gossamer.config.helping import Helpful
from gossamer.config.problems import InvalidSettings, Problem, not_a_setting, shown
from gossamer.config.record import fields_of, given_in, setting
from gossamer.config.secrets import SecretText
from gossamer.config.values import (
    Codings,
    Contact,
    Duration,
    Durations,
    FilePrefix,
    FormFields,
    Headers,
    Line,
    Loopback,
    MediaTypes,
    Nameservers,
    NoProxies,
    OptionalDuration,
    OptionalDurations,
    OptionalFile,
    OptionalFolder,
    OptionalProxyUrl,
    OptionalSize,
    Pattern,
    Patterns,
    PrivateAddresses,
    ProductToken,
    Secret,
    Size,
    StaticHosts,
    Text,
    WebPrefix,
    WebPrefixes,
    WebUrl,
)

ScopeKind = Literal["host", "domain", "prefix", "any"]

if TYPE_CHECKING:
    from gossamer.config.values import Setting


class Group(Helpful):
    """Settings that belong together."""

    @classmethod
    def _place(cls) -> tuple[str, ...]:
        return (cls.__name__.lower(),)

    @classmethod
    def _unknown(cls, name: str) -> str:
        homes = [FLAT_NAMES[name]] if name in FLAT_NAMES else []
        homes += [(group, name) for group, kind in GROUPS.items() if name in fields_of(kind)]
        return f"is not a setting; {'.'.join(homes[0])} is" if homes else super()._unknown(name)


class Entry(Helpful):
    """One entry of a list of settings that have several parts."""

    @classmethod
    def _place(cls) -> tuple[str, ...]:
        return _PLACES[cls]


class Politeness(Group):
    """How a host is spared."""

    delay: Duration = setting(default=1.0, ge=0)
    """Seconds from one request's start to the next's, per host. Between crawler4j's 0.2 and Heritrix's 3. 0 asks for no
    rest at all, for servers of one's own: only a Crawl-delay and what a server asks for still make one."""
    delay_factor: float = setting(default=1.0, ge=0)
    """The gap is at least this many times the last fetch's duration: a slow server is given as long as it took."""
    max_delay: Duration = setting(default=30.0, ge=0)
    """Longest gap that delay_factor may make."""
    connections_per_host: int = setting(default=1, ge=1, le=64)
    """Requests in flight per host; more than 1 helps only where the delay is shorter than a fetch."""
    max_crawl_delay: Duration = setting(default=300.0, ge=0)
    """Crawl-delay of robots.txt is honoured up to this. Heritrix's value."""
    max_retry_after: Duration = setting(default=6 * 3600.0, ge=0)
    """Retry-After is honoured up to this. urllib3's value."""
    host_schedule: Durations = setting(default=(60.0, 300.0, 900.0, 3600.0))
    """Seconds to wait after each failure in a row of a host that cannot be reached; after the last it is given up."""
    first_contact_schedule: OptionalDurations = setting(default=None)
    """The same for a host that never answered in this job; None = host_schedule. The foreground `crawl` uses (5, 15)."""
    throttle_start: Duration = setting(default=5.0, gt=0)
    """First rest after a 429 or 503 without Retry-After; doubles up to max_throttle."""
    max_throttle: Duration = setting(default=3600.0, gt=0)
    """Longest rest made by doubling."""
    max_tries: int = setting(default=5, ge=1, le=255)
    """Answered tries per URI before it is given up."""

    def _check_together(self) -> None:
        if self.throttle_start > self.max_throttle:
            raise ValueError("throttle_start must not be more than max_throttle")


class Limits(Group):
    """When the crawl stops. Totals of the job, over all its runs; may be raised later; None = no limit."""

    max_pages: int | None = setting(default=None, ge=1)
    """Pages fetched (2xx HTML, XHTML, plain text). Never exceeded."""
    max_time: OptionalDuration = setting(default=None, gt=0)
    """Seconds of running."""
    max_bytes: OptionalSize = setting(default=None, ge=1)
    """Wire bytes received; checked after each fetch, so exceeded by at most what is in flight."""
    min_free_space: OptionalSize = setting(default=None, ge=0)
    """Pause below this much free disk; None = max(1 GiB, 4 x the log cap)."""
    stop_grace: Duration = setting(default=30.0, ge=0)
    """Longest wait for what is in flight when the crawl is told to stop; then it is cut off, and fetched next time."""
    pause_grace: Duration = setting(default=30.0, ge=0)
    """Longest wait for what is in flight when the crawl is told to pause; then it is cut off, and fetched again."""


class Fetching(Group):
    """Requests and the bounds of what comes back."""

    user_agent: Line = ""
    """The whole User-Agent; empty = gossamer/VERSION with the contact."""
    contact: Contact = ""
    """A URL or e-mail address where a webmaster reaches you."""
    headers: Headers = setting(default=())
    """More headers for every request: pairs of name and value."""
    accept_encoding: Codings = "gzip, deflate, br, zstd"
    """What arrives is what is archived."""
    connect_timeout: Duration = setting(default=20.0, gt=0)
    """For the TCP and TLS handshakes together."""
    idle_timeout: Duration = setting(default=20.0, gt=0)
    """Longest silence while a response is awaited or under way. Heritrix's so-timeout."""
    wall_clock: Duration = setting(default=1200.0, gt=0)
    """Longest whole fetch. Heritrix's value."""
    min_rate: Size = setting(default=1024, ge=0)
    """Bytes a second, over min_rate_window, below which a response is cut."""
    min_rate_window: Duration = setting(default=60.0, gt=0)
    """Time over which min_rate is measured."""
    max_header_bytes: Size = setting(default=256 * 1024, ge=1024)
    """Bytes of a response's header; more is an error of the response. curl allows 300 KB."""
    max_header_lines: int = setting(default=2000, ge=10)
    """Header lines of a response; more is an error of the response."""
    max_body: Size = setting(default=100 * 1024 * 1024, ge=0)
    """Wire bytes of a body; beyond, see too_large."""
    too_large: Literal["truncate", "fail"] = "truncate"
    """truncate: a body beyond max_body is cut, marked, and used as far as it goes. fail: the URI ends as FAILED with
    BODY_TOO_LARGE, as soon as its Content-Length or what arrived says so. An archive is better off with a part."""
    spool_above: Size = setting(default=1024 * 1024, ge=0)
    """A response larger than this is recorded in a file instead of memory."""
    tls: Literal["open", "strict"] = "open"
    """open: if verification fails, connect again unverified and record it. strict: refuse."""
    allow_private: PrivateAddresses = setting(default=())
    """host:port, address or network (10.0.0.0/8) that may be connected to although private."""
    proxy: OptionalProxyUrl = None
    """http://user:password@host:port, socks5://… or socks4a://…, through which everything is fetched, robots.txt too.
    Names resolve there; literal private addresses stay refused. env:NAME takes all of it from the environment. None =
    no proxy; variables such as http_proxy are not looked at."""
    no_proxy: NoProxies = setting(default=())
    """What is asked directly in spite of a proxy: hosts, domains with all in them (.example.org), host:port, addresses,
    networks (10.0.0.0/8), * for everything."""
    max_connections: int = setting(default=512, ge=1)
    """Open sockets, idle ones included."""
    max_idle_connections_seconds: Duration = setting(default=60.0, ge=0)
    """A kept-alive connection is closed after this much idleness."""


class Dns(Group):
    """Name resolution through c-ares."""

    nameservers: Nameservers = setting(default=())
    """Addresses of the servers to ask; empty = the system's."""
    timeout: Duration = setting(default=5.0, gt=0)
    """Wait for the answer to one question."""
    tries: int = setting(default=3, ge=1, le=100)
    """Questions asked before a name counts as not resolved."""
    min_ttl: Duration = setting(default=300.0, ge=0)
    """An address is kept at least this long, whatever its TTL."""
    max_ttl: Duration = setting(default=86400.0, ge=0)
    """An address is kept at most this long, whatever its TTL."""
    cache_size: int = setting(default=100_000, ge=1)
    """Names kept."""
    hosts: StaticHosts = setting(default=())
    """Names with their addresses, asked of nobody: {"example.org" = "192.0.2.1"}. An address given here may be private,
    for exactly that name. Behind a proxy, which does the asking, this means nothing."""

    def _check_together(self) -> None:
        if self.min_ttl > self.max_ttl:
            raise ValueError("min_ttl must not be more than max_ttl")


class Robots(Group):
    """robots.txt, RFC 9309."""

    obey: bool = True
    """Fetch nothing that robots.txt forbids. Turn it off only where you have been asked to crawl."""
    product_token: ProductToken = "gossamer"
    """The name looked for in User-agent lines (RFC 9309 2.2.1)."""
    cache: Duration = setting(default=86400.0, gt=0, le=86400)
    """A robots.txt is asked for again after this. RFC 9309 2.4: not longer than 24 hours."""
    max_redirects: int = setting(default=5, ge=0, le=20)
    """Redirects of a robots.txt that are followed. RFC 9309 2.3.1.2: at least five."""
    max_size: Size = setting(default=512 * 1024, ge=500 * 1024)
    """Bytes of a robots.txt that are read. RFC 9309 2.5: at least 500 KiB."""
    obey_nofollow: bool = True
    """A page's own nofollow: its links are not followed."""
    obey_noindex: bool = True
    """A page's noindex: archived, no `visit`."""
    obey_rel_nofollow: bool = False
    """rel=nofollow on a link."""


class Extraction(Group):
    """What is read of a response to find links."""

    max_decoded: Size = setting(default=10 * 1024 * 1024, ge=1024)
    """Decoded bytes read; urllib3's bomb limit."""
    max_layers: int = setting(default=5, ge=0)
    """Content codings undone."""
    max_outlinks: int = setting(default=6000, ge=1)
    """Per page; the rest is counted. Heritrix's value."""
    engine: Literal["auto", "native", "python"] = "auto"
    """What reads pages: python, or the native extension, which finds the same links in a tenth of the time.

    auto: the extension where it is installed (`scripts/native`).
    """
    visit_types: MediaTypes = setting(default=("text/html", "application/xhtml+xml", "text/plain"))
    """Media types that count as pages, for `visit` and limits.max_pages: text/html, image/*, */*. What a browser shows
    as a page, and what crawler4j visits; whatever else is fetched is archived all the same."""

    def is_visited(self, content_type: str) -> bool:
        """Is a response of this media type (lower case, without parameters; empty if none was given) a page?"""
        kind = content_type.partition("/")[0]
        return any(wanted in (content_type, "*/*", f"{kind}/*") for wanted in self.visit_types)


class Hooks(Group):
    """How the hooks of a crawler written in Python are called."""

    halt_on_error: bool = False
    """An exception in a hook stops the crawl; the page it was raised for is not done with, and comes again when the
    crawl goes on. Otherwise that page is annotated, and the exception counted and logged."""
    max_time: Duration = setting(default=1200.0, gt=0)
    """A hook that takes longer is stuck: its thread is abandoned and its crawler replaced. As long as a fetch may
    take."""


class Scope(Group):
    """Which links belong to the crawl."""

    kind: ScopeKind = "host"
    """host: the seeds' hosts; domain: their registered domains; prefix: their folders; any: everything."""
    max_depth: int | None = setting(default=None, ge=0)
    """Link hops from a seed; None = no limit."""
    include: Patterns = setting(default=())
    """Regular expressions; if any is given a link must match one."""
    exclude: Patterns = setting(default=())
    """Regular expressions; a link that matches one is refused."""
    max_embed_hops: int = setting(default=2, ge=0)
    """Embeds this many hops beyond the scope are fetched. Heritrix's maxTransHops."""
    max_url_length: int = setting(default=8192, ge=64, le=65536)
    """Characters; a longer link is refused."""
    max_path_segments: int = setting(default=20, ge=1)
    """Parts of a path between slashes; a link with more is taken for a trap."""
    max_repeated_segments: int = setting(default=3, ge=1)
    """The same path segment this many times in a row is a trap."""
    max_seed_redirects: int = setting(default=5, ge=0)
    """A seed's redirect target becomes a seed, this many times."""
    follow_redirects: bool = True
    """A redirect's target is a link like others. Off: the redirect is archived, and that is all."""
    public_suffixes: OptionalFile = setting(default=None)
    """A file in the format of publicsuffix.org, used instead of the bundled list to tell registered domains (kind =
    domain) and whole suffixes in cookies; in the job's folder if it is no absolute path. Nothing is downloaded."""


class Warc(Group):
    """The archive."""

    enabled: bool = True
    """Write an archive at all."""
    prefix: FilePrefix = "GOSSAMER"
    """How the names of archive files begin."""
    max_size: Size = setting(default=1024**3, ge=1)
    """A file is closed when it has grown beyond this."""
    pool_size: int = setting(default=2, ge=1, le=16)
    """Files written side by side, so that a large record holds up nobody."""
    level: int = setting(default=2, ge=0, le=3)
    """isal level: 2 costs 52 µs for 31 KB."""
    operator: Text = ""
    """Who runs the crawl; stands in every archive file."""
    description: Text = ""
    """What the crawl is for; stands in every archive file."""
    hide_cookies: bool = False
    """Leave cookies' values out of request records."""


class Cookies(Group):
    """Cookies (RFC 6265): one jar for the job, over all its runs."""

    enabled: bool = True
    """Send back to servers what they set. On, as in Heritrix and crawler4j: without cookies many sites answer with a
    wall, or write a session into every link."""
    load: OptionalFile = setting(default=None)
    """A cookies.txt (Netscape's format, as browsers' add-ons and curl write it) read at each start; in the job's folder
    if it is no absolute path. A cookie that a server has set since the file was written is kept."""
    save: OptionalFile = setting(default=None)
    """Where the jar is written as a cookies.txt when the crawl ends, for its owner's eyes only."""
    capacity: int = setting(default=3000, ge=1, le=1_000_000)
    """Cookies kept in all, those used last; at most 50 of a domain and 4 KiB each, which are the numbers of RFC 6265
    6.1. They are in memory."""


class Credential(Entry):
    """A user name and a password for what asks for them with 401 (Basic, Digest)."""

    url: WebPrefix
    """The beginning of the URLs that they are for, with the scheme: https://example.org/private/."""
    login: Text
    password: Secret
    realm: Text = ""
    """Only for this realm; empty = whichever asks."""


class LoginForm(Entry):
    """A form that is filled in and sent before the first URI of a site is fetched."""

    page: WebUrl
    """Where the form is."""
    fields: FormFields
    """Names and values to fill in. What else the form holds, hidden fields above all, is sent as it stands there."""
    applies_to: WebPrefixes = setting(default=())
    """Beginnings of URLs that need the login; empty = everything of the page's scheme, host and port."""
    action: WebUrl | None = None
    """Where the form is sent to; None = where it says, if that is the page's own host."""
    success: Pattern = ""
    """A regular expression that the answer must match; empty = any answer that does not show the form again."""
    success_cookie: Line = ""
    """A cookie that there must be afterwards; empty = none in particular."""
    lost: Pattern = ""
    """A redirect to a URL that matches this regular expression means that the session is over; empty = to the page."""


if TYPE_CHECKING:
    Credentials = Setting[tuple[Credential, ...], Sequence[Credential]]
    LoginForms = Setting[tuple[LoginForm, ...], Sequence[LoginForm]]
else:
    Credentials = tuple[Credential, ...]
    LoginForms = tuple[LoginForm, ...]

_PLACES: Mapping[type[Entry], tuple[str, str]] = {
    Credential: ("login", "credentials"),
    LoginForm: ("login", "forms"),
}


class Login(Group):
    """User names, passwords and forms. They are never sent to another host, nor over TLS that could not be verified."""

    credentials: Credentials = setting(default=())
    """Tables [[login.credentials]] with url (the beginning of the URLs they are for), login, password and, if it
    matters, realm. Sent when a server asks (401; Basic, Digest), and unasked from then on. A value env:NAME is taken
    from the environment."""
    forms: LoginForms = setting(default=())
    """Tables [[login.forms]] with page (the URL of the form), fields (a table of names and values, env:NAME from the
    environment) and, if they matter, applies_to, action, success, success_cookie, lost. The page is asked for whatever
    robots.txt says, since its owner gave you the login."""
    max_logins: int = setting(default=1000, ge=1)
    """Times that a form is sent in one run, the first included. Enough for sessions of half an hour over three weeks; a
    site that forgets its sessions must not make the crawl knock for ever. Keep ways to log out out of the crawl by
    scope.exclude: each costs two logins."""


class Durability(Group):
    """How much a power loss may cost. kill -9 costs nothing whatever is set here."""

    commit_interval: Duration = setting(default=1.0, gt=0)
    """What was done this long ago survives a power loss."""
    commit_bytes: Size = setting(default=64 * 1024 * 1024, ge=1)
    """A commit is made earlier when this much was received since the last."""
    log_cap: Size = setting(default=64 * 1024 * 1024, ge=1)
    """RocksDB's write-ahead log is kept below this."""
    block_cache: Size = setting(default=64 * 1024 * 1024, ge=1)
    """Memory in which RocksDB keeps blocks that it has read."""
    max_log_size: Size = setting(default=1024**3, ge=1)
    """From this size on crawl.log is closed and goes on in crawl-2.log, and so on; closed ones may be moved away."""
    checkpoint_interval: OptionalDuration = setting(default=None, ge=1)
    """Take a checkpoint this often, if anything was fetched since the last; None = only when told to."""
    keep_checkpoints: int | None = setting(default=None, ge=1)
    """When one was taken, keep so many and remove the older; None = all. Those that were given a name always stay."""


class Settings(TypedDict, total=False):
    """What CrawlConfig can be given: groups, and fields of groups under their flat names."""

    folder: Path | str | None
    toes: int
    pause_at_start: bool
    run_while_empty: bool
    metrics: str
    politeness: Politeness | Mapping[str, object]
    limits: Limits | Mapping[str, object]
    fetching: Fetching | Mapping[str, object]
    dns: Dns | Mapping[str, object]
    robots: Robots | Mapping[str, object]
    extraction: Extraction | Mapping[str, object]
    scope: Scope | ScopeKind | Mapping[str, object]
    warc: Warc | bool | Mapping[str, object]
    cookies: Cookies | bool | Mapping[str, object]
    login: Login | Mapping[str, object]
    durability: Durability | Mapping[str, object]
    hooks: Hooks | Mapping[str, object]
    max_depth: int | None
    max_pages: int | None
    delay: float | str
    user_agent: str
    contact: str
    obey_robots: bool
    allow_private: Sequence[str]
    proxy: str | SecretText | None
    visit_types: Sequence[str]
    halt_on_error: bool


FLAT_NAMES: Mapping[str, tuple[str, str]] = {
    "max_depth": ("scope", "max_depth"),
    "max_pages": ("limits", "max_pages"),
    "delay": ("politeness", "delay"),
    "user_agent": ("fetching", "user_agent"),
    "contact": ("fetching", "contact"),
    "obey_robots": ("robots", "obey"),
    "allow_private": ("fetching", "allow_private"),
    "proxy": ("fetching", "proxy"),
    "visit_types": ("extraction", "visit_types"),
    "halt_on_error": ("hooks", "halt_on_error"),
    # These are names of groups as well: anything but a group stands for its main field.
    "scope": ("scope", "kind"),
    "warc": ("warc", "enabled"),
    "cookies": ("cookies", "enabled"),
}


class CrawlConfig(Group):
    """All settings of one crawl: `CrawlConfig(folder="crawl", max_pages=100, delay="2s")`. Frozen; see `replace`.

    What nearly everyone needs can be given flat: max_depth, max_pages, delay, scope ("host", "domain", "prefix",
    "any"), user_agent, contact, obey_robots, allow_private, proxy, warc, cookies (True or False), visit_types,
    halt_on_error. The rest by group, as a class or a table: `limits=Limits(max_time="8h")`,
    `limits={"max_time": "8h"}`; `help(gossamer.Limits)` has its settings. A mistake raises InvalidSettings, which is a
    ConfigError.
    """

    folder: OptionalFolder = setting(default=None)
    """The job folder; None = a temporary one, removed at the end."""
    toes: int = setting(default=50, ge=1, le=10_000)
    """Workers: how many URIs are in flight at once."""
    pause_at_start: bool = False
    """Begin paused, so that what was prepared can be looked at before the first request."""
    run_while_empty: bool = False
    """Wait for URIs to be added when there is nothing left to fetch, instead of ending."""
    metrics: Loopback = ""
    """Show figures for Prometheus at this address and port, of this machine only: 127.0.0.1:9464; empty = nowhere."""
    politeness: Politeness = Politeness()
    limits: Limits = Limits()
    fetching: Fetching = Fetching()
    dns: Dns = Dns()
    robots: Robots = Robots()
    extraction: Extraction = Extraction()
    scope: Scope = Scope()
    warc: Warc = Warc()
    cookies: Cookies = Cookies()
    login: Login = Login()
    durability: Durability = Durability()
    hooks: Hooks = Hooks()

    def __init__(self, /, **settings: Unpack[Settings]) -> None:
        """From groups and flat settings. Raises InvalidSettings, which names all mistakes."""
        self._take_all(dict(settings), {})

    def replace(self, **settings: Unpack[Settings]) -> CrawlConfig:
        """The same configuration with some settings changed. Raises ConfigError."""
        config = CrawlConfig.__new__(CrawlConfig)
        config._take_all(dict(settings), given_in(self))
        return config

    @classmethod
    def _place(cls) -> tuple[str, ...]:
        return ()

    def _take_all(self, settings: dict[str, Any], base: Mapping[str, Any]) -> None:
        direct, problems = _grouped(settings, base)
        try:
            super().__init__(**{**base, **direct})
        except InvalidSettings as exc:
            problems += exc.problems
        if problems:
            raise InvalidSettings(problems)


GROUPS: Mapping[str, type[Group]] = {
    name: type(field.default) for name, field in fields_of(CrawlConfig).items() if isinstance(field.default, Group)
}
"""The groups of CrawlConfig by their names."""


def _grouped(settings: dict[str, Any], base: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Put flat settings into their groups: those given beside them, else those of `base`, else the defaults.

    What comes back: the settings of CrawlConfig itself, groups among them, not yet checked but for the groups; and what
    is wrong with the rest, which is left out.
    """
    direct: dict[str, Any] = {}
    flat: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    for name, value in settings.items():
        if name in GROUPS and isinstance(value, GROUPS[name]):
            direct[name] = value
        elif name in GROUPS and isinstance(value, Mapping):
            try:
                direct[name] = GROUPS[name](**{str(setting): given for setting, given in value.items()})
            except InvalidSettings as exc:
                problems += exc.problems
        elif name in FLAT_NAMES:
            group, field = FLAT_NAMES[name]
            flat.setdefault(group, {})[field] = value
        elif name in GROUPS:
            problems.append(Problem((name,), f"must be {GROUPS[name].__name__}(…), not {shown(value)}"))
        elif name in fields_of(CrawlConfig):
            direct[name] = value
        else:
            problems.append(Problem((name,), _unknown(name)))
    for group, changes in flat.items():
        twice = given_in(direct[group]).keys() & changes.keys() if group in direct else ()
        problems += [Problem((group, field), "is given twice, flat and in its group") for field in sorted(twice)]
        try:
            direct[group] = changed(direct.get(group) or base.get(group) or GROUPS[group](), changes)
        except InvalidSettings as exc:
            problems += exc.problems
    return direct, problems


G = TypeVar("G", bound=Group)


def changed(group: G, changes: Mapping[str, Any]) -> G:
    """The same group with some settings changed. Raises ConfigError."""
    return type(group)(**(given_in(group) | dict(changes)))


def _unknown(name: str) -> str:
    """The rest of the sentence about a name that CrawlConfig does not have."""
    if (counterpart := counterpart_of(name)) is not None:
        return f"is crawler4j's; here it is {counterpart}"
    home, _, field = name.rpartition(".")
    for group, kind in GROUPS.items():
        if field in fields_of(kind) and home in ("", group):
            whose = "is a setting of a group:" if not home else "is what a file calls it; give it as"
            return f"{whose} {group}={kind.__name__}({field}=…)"
    return not_a_setting(name, [*fields_of(CrawlConfig), *FLAT_NAMES])
