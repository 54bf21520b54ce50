"""Forms: the one on a page that has certain fields, and what a browser would send of it (HTML 4.10.21). Pure.

Read by the scanner, so in linear time whatever the page is. Sent is what stands in the form: hidden fields, texts that
are filled in, boxes that are ticked, chosen options, and the first button that has a name, as if it had been pressed.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from gossamer.extract.charset import decode, detect
from gossamer.extract.html import MAX_BASES
from gossamer.extract.scanner import Scanner, attributes_of
from gossamer.url.parse import InvalidUrl, resolve

_MOST_FIELDS = 1000
_LONGEST_VALUE = 64 * 1024
_SCANNER = Scanner({"form", "/form", "input", "button", "select", "/select", "option", "base"})
_TICKED = frozenset({"checkbox", "radio"})
_BUTTONS = frozenset({"submit", "image"})
_NOT_SENT = frozenset({"button", "reset", "file"})


class Form(msgspec.Struct):
    """One form."""

    action: str
    """Where it is sent, absolute."""
    method: str
    """GET or POST."""
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    """Names and values as they stand there; of several with one name the first."""
    names: set[str] = msgspec.field(default_factory=set)
    """Every field, those too that would not be sent as they are."""
    has_button: bool = False


def find_form(data: bytes, url: str, charset: str | None, wanted: Collection[str]) -> Form | None:
    """The first form of a page (content-decoded, from `url`) that has all the `wanted` fields; None if none has."""
    base: str | None = None
    form: Form | None = None
    select = ""
    bases = 0
    for tag in _SCANNER.tags(decode(data, detect(data, charset))):
        if tag.name == "/form":
            if form is not None and form.names.issuperset(wanted):
                return form
            form = None
        elif tag.name == "/select":
            select = ""
        elif tag.name == "base":
            if base is None and bases < MAX_BASES:  # the first with an href counts (HTML 4.2.3)
                bases += 1
                base = attributes_of(tag.attributes).get("href")
        elif tag.name == "form":
            if form is None:  # one inside another is none (HTML 13.2.6.4.7)
                form = _begun(attributes_of(tag.attributes), url, base)
        elif form is not None and len(form.names) < _MOST_FIELDS:
            attributes = attributes_of(tag.attributes)
            if tag.name == "select":
                select = attributes.get("name", "")
                form.names.add(select)
            else:
                _add(form, tag.name, attributes, select)
    return form if form is not None and form.names.issuperset(wanted) else None


def _begun(attributes: dict[str, str], url: str, base: str | None) -> Form:
    action = attributes.get("action", "").strip()
    method = "POST" if attributes.get("method", "").strip().lower() == "post" else "GET"
    if not action:
        return Form(url, method)
    return Form(_resolved(url if base is None else _resolved(url, base, url), action, url), method)


def _resolved(base: str, reference: str, otherwise: str) -> str:
    try:
        return resolve(base, reference)
    except InvalidUrl:
        return otherwise


def _add(form: Form, element: str, attributes: dict[str, str], select: str) -> None:
    if element == "option":
        # The first stands for all until one is chosen; its value may be its text, which is not read.
        if select and "value" in attributes and (select not in form.fields or "selected" in attributes):
            form.fields[select] = attributes["value"][:_LONGEST_VALUE]
        return
    name = attributes.get("name", "")
    kind = attributes.get("type", "submit" if element == "button" else "text").strip().lower()
    if not name or kind in _NOT_SENT or "disabled" in attributes:
        return
    form.names.add(name)
    if kind in _BUTTONS:
        if form.has_button:
            return
        form.has_button = True
    elif kind in _TICKED and "checked" not in attributes:
        return
    value = attributes.get("value", "on" if kind in _TICKED else "")
    form.fields.setdefault(name, value[:_LONGEST_VALUE])
