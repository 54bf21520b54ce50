"""URLs: parsed as browsers do, brought to an identity form, turned into SURTs, sorted by domain. Pure."""

from gossamer.url.canonicalize import canonicalize
from gossamer.url.domain import class_key, registered_domain
from gossamer.url.parse import InvalidUrl, Url, host_of, is_crawlable, is_ip_host, parse, resolve, resolve_all
from gossamer.url.surt import surt, surt_prefix

__all__ = [
    "InvalidUrl",
    "Url",
    "canonicalize",
    "class_key",
    "host_of",
    "is_crawlable",
    "is_ip_host",
    "parse",
    "registered_domain",
    "resolve",
    "resolve_all",
    "surt",
    "surt_prefix",
]
