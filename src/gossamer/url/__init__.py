"""URLs: parsed as browsers do, brought to an identity form, turned into SURTs, sorted by domain. Pure."""

from gossamer.url.canonicalize import canonicalize
from gossamer.url.domain import Suffixes, bundled_suffixes, class_key, is_public_suffix, registered_domain
from gossamer.url.parse import (
    InvalidUrl,
    Url,
    host_of,
    is_crawlable,
    is_ip_host,
    origin_of,
    parse,
    resolve,
    resolve_all,
    split,
)
from gossamer.url.surt import surt, surt_prefix

__all__ = [
    "InvalidUrl",
    "Suffixes",
    "Url",
    "bundled_suffixes",
    "canonicalize",
    "class_key",
    "host_of",
    "is_crawlable",
    "is_ip_host",
    "is_public_suffix",
    "origin_of",
    "parse",
    "registered_domain",
    "resolve",
    "resolve_all",
    "split",
    "surt",
    "surt_prefix",
]
