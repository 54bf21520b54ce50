"""The OpenAPI 3.1 description, made from the route table and the records it names.

Records become schemas through msgspec (JSON Schema 2020-12, which OpenAPI 3.1 takes as it is), so the description says
what the code checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from gossamer.version import __version__
from gossamer.web.asked import Problem, Route, Text

_ERRORS = {
    "400": "The request cannot be understood.",
    "403": "The request comes from a web page, or names another host.",
    "404": "There is no such thing.",
    "409": "The action is not possible in this state.",
    "413": "The body is too long.",
    "415": "The body is not JSON.",
    "422": "A value is not one that can be taken.",
}


def describe(routes: Sequence[Route]) -> dict[str, Any]:
    """The description of a table."""
    schemas, components = _schemas(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas, components)
    queries = {_name(route.query) for route in routes}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gossamer control API",
            "version": __version__,
            "description": "Watch and command one crawl, over the Unix socket `control.sock` in its job's folder.",
        },
        "servers": [{"url": "http://localhost"}],
        "paths": paths,
        "components": {"schemas": {name: schema for name, schema in components.items() if name not in queries}},
    }


def _schemas(routes: Iterable[Route]) -> tuple[dict[type, dict[str, Any]], dict[str, Any]]:
    """Type -> schema, and the named ones."""
    types: dict[type, None] = {Problem: None}
    for route in routes:
        types.update(dict.fromkeys([route.query, *([route.body] if route.body else [])]))
        if issubclass(route.answer, msgspec.Struct):
            types[route.answer] = None
    found, components = msgspec.json.schema_components(list(types), ref_template="#/components/schemas/{name}")
    return dict(zip(types, found, strict=True)), components


def _name(kind: type) -> str:
    return kind.__name__


def _operation(route: Route, schemas: dict[type, dict[str, Any]], components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.about,
        "parameters": [*_path_parameters(route), *_query_parameters(components[_name(route.query)])],
        "responses": {
            "200": {"description": "Done.", "content": _content(route, schemas)},
            **{
                status: {"description": about, "content": {"application/json": {"schema": schemas[Problem]}}}
                for status, about in _ERRORS.items()
            },
        },
    }
    if route.body is not None:
        is_required = bool(components[_name(route.body)].get("required"))
        operation["requestBody"] = {
            "required": is_required,
            "content": {"application/json": {"schema": schemas[route.body]}},
        }
    return operation


def _content(route: Route, schemas: dict[type, dict[str, Any]]) -> dict[str, Any]:
    if route.answer is Text:
        return {"text/plain": {"schema": {"type": "string"}}}
    return {"application/json": {"schema": schemas.get(route.answer, {"type": "object"})}}


def _path_parameters(route: Route) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in route.parameters
    ]


def _query_parameters(record: dict[str, Any]) -> list[dict[str, Any]]:
    required = set(record.get("required", ()))
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in record.get("properties", {}).items()
    ]
