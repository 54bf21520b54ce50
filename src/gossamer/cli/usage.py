"""The first line of a command's help as people read it: `gossamer why [OPTIONS] [DIR] URL`.

What a command takes after its options, a folder that may be left out among them, is one list to the parser; it would
show it as `{[DIR] URL}...`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

F = TypeVar("F", bound=Callable[..., Any])


class PlainCommand(TyperCommand):
    """A command whose usage shows its arguments as they are called."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [_plain(piece) for piece in super().collect_usage_pieces(ctx)]


def _plain(piece: str) -> str:
    """`{[DIR] URL}...` and `[[DIR] [N]]...` without what stands around them."""
    bare = piece.removesuffix("...")
    is_wrapped = bare.startswith(("{[", "[[")) and bare[-1:] in "}]"
    return bare[1:-1] if is_wrapped else piece


class Commands(typer.Typer):
    """A set of such commands."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[F], F]:
        return super().command(name, **({"cls": PlainCommand} | settings))
