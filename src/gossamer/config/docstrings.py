"""The docstring under each field of a settings group, read from the source when somebody asks for it.

pydantic can do this while it makes the classes, but then every start of the program pays for it, a third of a second.
Without a source (a frozen program) there are no texts, and nothing else is missing.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache


@cache
def field_texts(kind: type) -> dict[str, str]:
    """Field name -> its docstring, for the fields that have one in the class itself."""
    return _texts_of_module(kind.__module__).get(kind.__name__, {})


@cache
def _texts_of_module(name: str) -> dict[str, dict[str, str]]:
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except OSError:
        return {}
    return {node.name: _texts_of_class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts_of_class(node: ast.ClassDef) -> dict[str, str]:
    texts: dict[str, str] = {}
    for field, text in zip(node.body, node.body[1:], strict=False):
        match field, text:
            case (ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(docstring)))):
                texts[name] = inspect.cleandoc(docstring)
    return texts
