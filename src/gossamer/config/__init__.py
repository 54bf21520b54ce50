"""Settings: what can be set, how a file gives it and is written, what may change later, and the documentation."""

from gossamer.config.changes import check_changes, check_seeds
from gossamer.config.load import FILE_NAME, load, parse_settings
from gossamer.config.named import with_named
from gossamer.config.problems import InvalidSettings, Problem
from gossamer.config.secrets import secret_text
from gossamer.config.settings import (
    Cookies,
    CrawlConfig,
    Credential,
    Dns,
    Durability,
    Extraction,
    Fetching,
    Hooks,
    Limits,
    Login,
    LoginForm,
    Politeness,
    Robots,
    Scope,
    ScopeKind,
    Settings,
    Warc,
)
from gossamer.config.shown import has_secrets, shown_settings
from gossamer.config.write import render

__all__ = [
    "FILE_NAME",
    "Cookies",
    "CrawlConfig",
    "Credential",
    "Dns",
    "Durability",
    "Extraction",
    "Fetching",
    "Hooks",
    "InvalidSettings",
    "Limits",
    "Login",
    "LoginForm",
    "Politeness",
    "Problem",
    "Robots",
    "Scope",
    "ScopeKind",
    "Settings",
    "Warc",
    "check_changes",
    "check_seeds",
    "has_secrets",
    "load",
    "parse_settings",
    "render",
    "secret_text",
    "shown_settings",
    "with_named",
]
