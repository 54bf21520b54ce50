"""SessionFetcher: a fetcher with a memory: what one response gave, the next request brings along.

It stands in front of another fetcher and adds to a request what the jar and the credentials hold for its URL, and shows
them what came back. Each URL is looked up by itself, so nothing follows a redirect to another host. Whether the server
has proved who it is is known only when there is a connection, so the headers are asked for at that moment. A request
to a site without cookies and credentials passes as it is.
"""

from __future__ import annotations

from msgspec.structs import replace

from gossamer.fetch.auth import Answer, Authenticator
from gossamer.fetch.base import Fetcher, FetchRequest
from gossamer.fetch.cookies import CookieJar
from gossamer.model.exchange import Exchange
from gossamer.util.clock import Clock


class SessionFetcher:
    """Implements `fetch.base.Fetcher`."""

    def __init__(
        self, fetcher: Fetcher, clock: Clock, jar: CookieJar | None = None, credentials: Authenticator | None = None
    ) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._jar = jar
        self._credentials = credentials

    async def fetch(self, request: FetchRequest) -> Exchange:
        """Ask once. Raises what the fetcher raises."""
        jar, credentials = self._jar, self._credentials
        has_cookies = jar is not None and jar.reaches(request.url)
        answer = None if credentials is None else credentials.begin(request)
        if has_cookies or answer is not None:
            request = replace(request, secrets=_Secrets(request.url, self._clock, jar if has_cookies else None, answer))
        exchange = await self._fetcher.fetch(request)
        if exchange.http_status is not None:
            self._learn(exchange, answer)
        return exchange

    async def close(self) -> None:
        await self._fetcher.close()

    def _learn(self, exchange: Exchange, answer: Answer | None) -> None:
        if self._jar is not None:
            lines = exchange.header_values(b"set-cookie")
            if lines:
                is_verified = exchange.tls is not None and exchange.tls.is_verified
                self._jar.receive(exchange.url, lines, self._clock.wall(), is_verified=is_verified)
        if self._credentials is not None and answer is not None:
            exchange.is_asked_again = self._credentials.learn(answer, exchange)


class _Secrets:
    """The headers of one request that only some servers may see."""

    __slots__ = ("_answer", "_clock", "_jar", "_url")

    def __init__(self, url: str, clock: Clock, jar: CookieJar | None, answer: Answer | None) -> None:
        self._url = url
        self._clock = clock
        self._jar = jar
        self._answer = answer

    def __call__(self, is_verified: bool) -> list[tuple[str, str]]:
        headers = []
        if self._jar is not None:
            cookies = self._jar.header(self._url, self._clock.wall(), is_verified=is_verified)
            if cookies:
                headers.append(("Cookie", cookies))
        if self._answer is not None:
            self._answer.is_withheld = not is_verified
            if is_verified and (value := self._answer.header()):
                headers.append(("Authorization", value))
        return headers
