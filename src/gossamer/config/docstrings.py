"""The docstring under each field of a settings group, read from the source when somebody asks for it.

Python keeps no such texts, and reading them while the classes are made would be paid for by every start of the program.
A job's first start asks, so the source is read by its layout, which the formatter keeps: a field stands on a line of
its own, four spaces in, and its docstring below it. A syntax tree of it all takes 4 ms. Without a source (a frozen
program) there are no texts, and nothing else is missing.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache

_CLASS = r"^class (\w+)"
_FIELD = r'^    (\w+): .*\n    """((?s:.+?))"""$'


def field_texts(kind: type) -> dict[str, str]:
    """Field name -> its docstring, for the fields that have one in the class itself."""
    return _texts_of_module(kind.__module__).get(kind.__name__, {})


@cache
def _texts_of_module(name: str) -> dict[str, dict[str, str]]:
    try:
        source = inspect.getsource(sys.modules[name])
    except OSError:
        return {}
    _, *parts = re.split(_CLASS, source, flags=re.MULTILINE)
    return {kind: _texts_of_class(body) for kind, body in zip(parts[::2], parts[1::2], strict=True)}


def _texts_of_class(body: str) -> dict[str, str]:
    return {field: inspect.cleandoc(text) for field, text in re.findall(_FIELD, body, re.MULTILINE)}
