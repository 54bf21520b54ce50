from __future__ import annotations

import ast
import inspect
from itertools import pairwise

import pytest

from gossamer.config import Credential, LoginForm, settings
from gossamer.config.docstrings import field_texts
from gossamer.config.settings import GROUPS, CrawlConfig

_CLASSES = {node.name: node for node in ast.parse(inspect.getsource(settings)).body if isinstance(node, ast.ClassDef)}


@pytest.mark.parametrize("kind", [*GROUPS.values(), CrawlConfig, Credential, LoginForm])
def test_the_texts_are_those_that_a_parser_of_python_finds(kind: type) -> None:
    body = _CLASSES[kind.__name__].body
    assert field_texts(kind) == {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }
