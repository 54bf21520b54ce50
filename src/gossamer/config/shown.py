"""A configuration as it may be shown to anybody who may ask: without passwords, and without what headers say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gossamer.config.proxies import shown_proxy
from gossamer.config.record import Record, fields_of, given_in
from gossamer.config.secrets import SecretText, bare, is_reference
from gossamer.config.settings import CrawlConfig, Entry

HIDDEN = "(hidden)"


def shown_settings(config: CrawlConfig) -> dict[str, Any]:
    """Plain values for JSON, group by group, the folder left out."""
    settings = {name: _plain(getattr(config, name)) for name in fields_of(config) if name != "folder"}
    settings["fetching"]["headers"] = [[name, HIDDEN] for name, _ in config.fetching.headers]
    if config.fetching.proxy is not None:
        settings["fetching"]["proxy"] = shown_proxy(bare(config.fetching.proxy))
    return settings


def has_secrets(config: CrawlConfig) -> bool:
    """Would a file with these settings hold a password?"""
    proxy = config.fetching.proxy
    if proxy is not None and "@" in bare(proxy):
        return True
    return any(
        not is_reference(secret.reveal()) for secret in _secrets([*config.login.credentials, *config.login.forms])
    )


def _secrets(entries: list[Entry]) -> list[SecretText]:
    values = [value for entry in entries for value in given_in(entry).values()]
    values += [part for value in values if isinstance(value, dict) for part in value.values()]
    return [value for value in values if isinstance(value, SecretText)]


def _plain(value: object) -> Any:
    """What JSON knows."""
    if isinstance(value, Record):
        return {name: _plain(getattr(value, name)) for name in fields_of(value)}
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path | SecretText) else value
