"""Gossamer: a web crawler and archiver that loses nothing."""

from gossamer.version import __version__

__all__ = ["__version__"]
