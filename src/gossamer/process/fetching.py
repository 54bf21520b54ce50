"""Fetching: the attempt's one request. What comes of it, good or bad, is in `attempt.exchange`."""

from __future__ import annotations

from functools import partial

from gossamer.fetch.base import Fetcher, FetchRequest
from gossamer.model.attempt import Attempt
from gossamer.model.fetchstatus import Fault
from gossamer.process.chain import Flow
from gossamer.process.services import ToeServices


class Fetching:
    """Asks for the URI, and tells the frontier when the request was sent: politeness counts from there."""

    name = "fetch"

    def __init__(self, fetcher: Fetcher, services: ToeServices) -> None:
        self._fetcher = fetcher
        self._services = services

    async def process(self, attempt: Attempt) -> Flow:
        curi = attempt.curi
        request = FetchRequest(curi.target, on_sent=partial(self._services.started, curi))
        attempt.exchange = exchange = await self._fetcher.fetch(request)
        if exchange.failure is not None and exchange.failure.fault is Fault.NETWORK:
            self._services.network_trouble(exchange.detail)
            return Flow.GIVE_BACK
        if exchange.is_asked_again:
            attempt.again = "auth"
        return Flow.PROCEED if exchange.failure is None else Flow.SKIP
