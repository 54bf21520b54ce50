from __future__ import annotations

import string
import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gossamer.config.lines import key_lines, line_of

DOCUMENT = '''\
# a comment with = and [brackets]
toes = 5  # and one behind

"quoted key" = 1
a . "b.c" . 'd' = 2
text = """
[not.a.table]
not_a_key = 1 # not a comment
quotes \\""" inside ""\\""
"""
literal = \'\'\'
x = 1
\'\'\'\'
list = [
  "]", # ]
  '[', [1, 2],
  { x = "}" },
]
inline = { p = 1, q = [ "}" ] }

[group]
one = 1
  two = "# not a comment"
[ group . "sub \\u0041" ]
three = 3
[[many]]
four = 4
[[many]]
five = 5'''


def test_every_key_is_found_on_its_line() -> None:
    tomllib.loads(DOCUMENT)
    assert key_lines(DOCUMENT) == {
        ("toes",): 2,
        ("quoted key",): 4,
        ("a", "b.c", "d"): 5,
        ("text",): 6,
        ("literal",): 11,
        ("list",): 14,
        ("inline",): 19,
        ("group",): 21,
        ("group", "one"): 22,
        ("group", "two"): 23,
        ("group", "sub A"): 24,
        ("group", "sub A", "three"): 25,
        ("many",): 26,
        ("many", "four"): 27,
        ("many", "five"): 29,
    }


def test_a_key_without_a_place_has_the_line_of_what_is_around_it() -> None:
    lines = key_lines(DOCUMENT)
    assert line_of(("inline", "q"), lines) == 19
    assert line_of(("group", "absent", "deeper"), lines) == 21
    assert line_of(("absent",), lines) == 1


def test_an_empty_document_has_no_keys() -> None:
    assert key_lines("") == {}
    assert key_lines("\n# only this") == {}


_names = st.text(string.ascii_letters + string.digits + "-_", min_size=1, max_size=6)
_texts = st.text(st.sampled_from("ab #=[]{}.,\n"), max_size=12)


@st.composite
def _values(draw: st.DrawFn, depth: int = 0) -> str:
    kind = draw(st.integers(0, 6 if depth < 2 else 4))
    text = draw(_texts)
    match kind:
        case 0:
            return str(draw(st.integers(-9, 9)))
        case 1:
            return '"' + text.replace("\n", "\\n") + '\\""'
        case 2:
            return "'" + text.replace("\n", "") + "'"
        case 3:
            return '"""' + text + '\\"""""'
        case 4:
            return "'''" + text + "''''"
        case 5:
            items = draw(st.lists(_values(depth + 1), max_size=3))
            return "[" + "".join(f"\n {item}, # {text!r}\n" for item in items) + "]"
        case _:
            items = [f"k{n} = {draw(st.integers(0, 9))}" for n in range(draw(st.integers(0, 2)))]
            return "{ " + ", ".join(items) + " }"


@st.composite
def _documents(draw: st.DrawFn) -> tuple[str, dict[tuple[str, ...], int]]:
    """A valid document, and the line of each of its keys by construction."""
    text, lines = "", {}
    for table in ["", *draw(st.lists(_names, unique=True, max_size=3))]:
        if table:
            lines[(f"t_{table}",)] = text.count("\n") + 1
            text += f"[t_{table}] # {draw(_names)}\n"
        for key in draw(st.lists(_names, unique=True, max_size=4)):
            text += draw(st.sampled_from(["", "\n", "# x = 1\n", "   "]))
            path = (f"t_{table}", key) if table else (key,)
            lines[path] = text.count("\n") + 1
            text += f"{key} = {draw(_values())}\n"
    return text, lines


@given(_documents())
def test_keys_of_any_valid_document_are_found_where_they_were_put(document: tuple[str, dict[Any, int]]) -> None:
    text, expected = document
    tomllib.loads(text)
    assert key_lines(text) == expected
