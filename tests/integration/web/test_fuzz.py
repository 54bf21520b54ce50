"""The control API against requests made from its own description: whatever comes, no fault, and an error that it declares.

Over a loopback port, since the fuzzer does not speak to Unix sockets; routes, guard and server are those of the socket.
`/terminate` is left out: it would end the crawl that answers.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from gossamer.web.application import application
from gossamer.web.control import ControlApi
from gossamer.web.server import HttpServer

from .conftest import RunningJob


@pytest.fixture(scope="module")
def fuzzed(crawled: RunningJob) -> Iterator[str]:
    """Where the crawl answers over TCP."""
    api = ControlApi(crawled.job)
    server = HttpServer(application(api.routes(), api.allowed))
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)

    def in_loop(coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, crawled.loop).result(10)

    in_loop(server.start(listener))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    in_loop(server.close())
    listener.close()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_finds_a_fault(crawled: RunningJob, fuzzed: str, mode: GenerationMode):
    schema = schemathesis.openapi.from_dict(crawled.client.get("/openapi.json")).exclude(path="/terminate")
    asked = set()
    session = requests.Session()

    def check(case: schemathesis.Case) -> None:
        if isinstance(case.body, dict) and "wait_seconds" in case.body:
            case.body["wait_seconds"] = 0
        response = case.call(base_url=fuzzed, session=session)
        assert response.status_code in DECLARED, f"{case.as_curl_command()}: {response.text}"
        asked.add(case.operation.label)

    with session:
        for found in schema.get_all_operations():
            operation = found.ok()
            strategy = operation.as_strategy(generation_mode=mode)
            try:
                fuzz(strategy, check)
            except Unsatisfiable:  # nothing about it could be wrong
                assert mode is GenerationMode.NEGATIVE
    assert len(asked) >= (len(ControlApi(crawled.job).routes()) - 1 if mode is GenerationMode.POSITIVE else 9)


def fuzz(strategy: Any, check: Callable[[schemathesis.Case], None]) -> None:
    """Check some requests."""

    @settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, phases=PHASES)
    @given(case=strategy)
    def run(case: schemathesis.Case) -> None:
        check(case)

    run()


DECLARED = frozenset({200, 400, 403, 404, 405, 409, 413, 415, 422})
PHASES = (Phase.explicit, Phase.generate)
