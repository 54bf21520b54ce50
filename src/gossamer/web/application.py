"""The route table as an ASGI application. The only module that knows Starlette.

Guard first, then the route, then its query and body, each checked against the route's records before its handler runs.
Whatever is wrong is answered as JSON with a sentence; a fault of Gossamer itself is logged and answered without one.
Answers are JSON only: what a page or a server wrote is a string in it, and no browser takes it for markup.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from gossamer.errors import ConfigError, StateError, StorageError
from gossamer.web.asked import Asked, Problem, Refusal, Route, Text
from gossamer.web.guard import refusal_of

log = logging.getLogger(__name__)

MAX_BODY = 4 * 1024 * 1024
BODY_SECONDS = 30.0
"""Longest wait for a body."""
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
}


def application(routes: Sequence[Route], allowed: Callable[[], Sequence[str]]) -> ASGIApp:
    """The application that serves `routes`; `allowed` names the actions that are possible now."""
    by_path: dict[str, dict[str, Route]] = {}
    for route in routes:
        by_path.setdefault(route.path, {})[route.method] = route
    app = Starlette(
        routes=[StarletteRoute(path, _Endpoint(methods, allowed)) for path, methods in by_path.items()],
        exception_handlers={HTTPException: _on_http_exception},
    )
    app.router.redirect_slashes = False
    return _Guarded(app)


class _Guarded:
    """Answers what the guard refuses, and passes the rest on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refusal = refusal_of(scope["headers"])
        if refusal is not None:
            await _problem(403, refusal)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class _Endpoint:
    """All methods of one path, as an ASGI application of its own (so Starlette does not choose the methods)."""

    def __init__(self, routes: dict[str, Route], allowed: Callable[[], Sequence[str]]) -> None:
        self._routes = routes
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        response = await self._respond(request)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        route = self._routes.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            possible = sorted({*self._routes, *(["HEAD"] if "GET" in self._routes else [])})
            response = _problem(405, f"{request.method[:20]} is not possible here", possible)
            response.headers["allow"] = ", ".join(possible)
            return response
        try:
            asked = Asked(dict(request.path_params), _query(request, route), await _body(request, route))
            return _answer(await route.handler(asked))
        except Refusal as refusal:
            return _problem(refusal.status, str(refusal))
        except StateError as error:
            # The events of the state table are not what an operator may order: those are told beside it.
            return _problem(409, str(error).partition("; possible:")[0], self._allowed())
        except (msgspec.ValidationError, ConfigError) as error:
            return _problem(422, str(error))
        except StorageError as error:
            return _problem(507, str(error))
        except Exception:
            log.exception("the control API failed on %s %s", route.method, route.path)
            return _problem(500, "a fault of Gossamer; its log says more")


def _query(request: Request, route: Route) -> Any:
    given = request.query_params.multi_items()
    query = dict(given)
    if len(query) != len(given):
        raise Refusal(422, "a query parameter is given twice")
    return msgspec.convert(query, route.query, strict=False)


async def _body(request: Request, route: Route) -> Any:
    if route.body is None:
        return None
    try:
        async with asyncio.timeout(BODY_SECONDS):
            raw = await _read(request)
    except TimeoutError:
        raise Refusal(408, f"the body did not come within {BODY_SECONDS:g} s") from None
    except ClientDisconnect:
        raise Refusal(400, "the body ended too early") from None
    if raw and request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "the body must be JSON: Content-Type: application/json")
    try:
        return msgspec.json.decode(raw or b"{}", type=route.body)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal(400, f"the body is not JSON: {error}") from error


async def _read(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise Refusal(413, f"a body may have {MAX_BODY} bytes")
    return bytes(body)


def _answer(answer: Any) -> Response:
    if isinstance(answer, Text):
        return Response(answer, 200, _HEADERS, media_type="text/plain; version=0.0.4; charset=utf-8")
    return Response(msgspec.json.encode(answer), 200, _HEADERS, media_type="application/json")


def _problem(status: int, message: str, allowed: Sequence[str] = ()) -> Response:
    # Parts of a message may be the request's own; a lone surrogate in them could not be written.
    safe = message.encode("utf-8", "replace").decode("utf-8")
    body = msgspec.json.encode(Problem(error=safe, allowed=tuple(allowed)))
    return Response(body, status, _HEADERS, media_type="application/json")


async def _on_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _problem(error.status_code, "there is nothing here" if error.status_code == 404 else error.detail)
