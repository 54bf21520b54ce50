"""A configuration as it may be shown to anybody who may ask: without passwords, and without what headers say."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr

from gossamer.config.proxies import shown_proxy
from gossamer.config.secrets import bare, is_reference
from gossamer.config.settings import CrawlConfig, Entry

HIDDEN = "(hidden)"


def shown_settings(config: CrawlConfig) -> dict[str, Any]:
    """Plain values for JSON, group by group, the folder left out."""
    settings = config.model_dump(mode="json", exclude={"folder"})
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
        not is_reference(secret.get_secret_value())
        for secret in _secrets([*config.login.credentials, *config.login.forms])
    )


def _secrets(entries: list[Entry]) -> list[SecretStr]:
    values = [value for entry in entries for value in entry.__dict__.values()]
    values += [part for value in values if isinstance(value, dict) for part in value.values()]
    return [value for value in values if isinstance(value, SecretStr)]
