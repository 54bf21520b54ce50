"""A site with members: Basic, Digest, a form with a token, sessions that end. Served from a thread, on loopback."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

LOGIN, PASSWORD = "me", "pass:wörd&=1"


@dataclass
class Asked:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: str = ""

    @property
    def cookies(self) -> dict[str, str]:
        return {name: morsel.value for name, morsel in SimpleCookie(self.headers.get("cookie", "")).items()}


@dataclass
class Reply:
    status: int = 200
    body: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    kind: str = "text/html; charset=utf-8"


Answer = Callable[[Asked], Reply]


class Site:
    """Answers as a function says; keeps what it was asked."""

    def __init__(self, answer: Answer) -> None:
        site = self
        self.answer = answer
        self.asked: list[Asked] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, body.decode())
                site.asked.append(asked)
                reply = site.answer(asked)
                content = reply.body.encode()
                self.send_response(reply.status)
                for name, value in [("Content-Type", reply.kind), *reply.headers]:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET  # noqa: N815 (the standard library's name)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked if asked.path != "/robots.txt"]

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def page(*links: str) -> Reply:
    return Reply(body="<title>x</title>" + "".join(f'<a href="{link}">x</a>' for link in links))


PAGES = {"/": page("/in/a", "/in/b", "/in/sub/c"), "/in/a": page(), "/in/b": page(), "/in/sub/c": page()}


def plain(asked: Asked) -> Reply:
    return PAGES.get(asked.path, Reply(404))


def basic(asked: Asked) -> Reply:
    if not asked.path.startswith("/in/"):
        return plain(asked)
    wanted = "Basic " + base64.b64encode(f"{LOGIN}:{PASSWORD}".encode()).decode()
    if asked.headers.get("authorization") == wanted:
        return plain(asked)
    return Reply(401, "no", [("WWW-Authenticate", 'Newauth x=1, Basic realm="members, only", charset="UTF-8"')])


class Digest:
    """Checks every answer by itself: nonce, its count, the response."""

    def __init__(self, algorithm: str = "MD5", *, qop: bool = True, uses: int = 1000, userhash: bool = False) -> None:
        self.algorithm, self.qop, self.uses, self.userhash = algorithm, qop, uses, userhash
        self.nonces: dict[str, int] = {}
        self.stale = 0

    def __call__(self, asked: Asked) -> Reply:
        if not asked.path.startswith("/in/"):
            return plain(asked)
        verdict = self.check(asked)
        if verdict == "good":
            return plain(asked)
        self.stale += verdict == "stale"
        nonce = secrets.token_hex(8)
        self.nonces[nonce] = 0
        said = f'Digest realm="x \\"y\\"", nonce="{nonce}", opaque="op,aque", algorithm={self.algorithm}'
        said += ', qop="auth-int,auth"' if self.qop else ""
        said += ", stale=true" if verdict == "stale" else ""
        said += ", userhash=true" if self.userhash else ""
        return Reply(401, "no", [("WWW-Authenticate", "Basic realm=fallback"), ("WWW-Authenticate", said)])

    def check(self, asked: Asked) -> str:
        header = asked.headers.get("authorization", "")
        if not header.startswith("Digest "):
            return "none"
        parts = {
            name: quoted.replace('\\"', '"') or bare
            for name, quoted, bare in re.findall(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^ ,"]+))', header)
        }
        assert parts["opaque"] == "op,aque" and parts["uri"] == asked.path and parts["realm"] == 'x "y"'
        nonce = parts["nonce"]
        if nonce not in self.nonces or self.nonces[nonce] >= self.uses:
            return "stale"
        hashed = hashlib.sha256 if self.algorithm.startswith("SHA-256") else hashlib.md5

        def h(text: str) -> str:
            return hashed(text.encode()).hexdigest()

        assert parts["username"].encode("latin-1").decode() == (h(f'{LOGIN}:x "y"') if self.userhash else LOGIN)
        secret, request = h(f'{LOGIN}:x "y":{PASSWORD}'), h(f"{asked.method}:{asked.path}")
        if self.algorithm.endswith("-sess"):
            secret = h(f"{secret}:{nonce}:{parts['cnonce']}") if int(parts["nc"], 16) == 1 else self.session
            self.session = secret
        if self.qop:
            assert int(parts["nc"], 16) > 0
            wanted = h(f"{secret}:{nonce}:{parts['nc']}:{parts['cnonce']}:auth:{request}")
        else:
            assert "nc" not in parts
            wanted = h(f"{secret}:{nonce}:{request}")
        if parts["response"] != wanted:
            return "wrong"
        self.nonces[nonce] += 1
        return "good"


class Members:
    """A form with a token, a session cookie, and sessions that end after some pages."""

    def __init__(self, lasting: int = 1000, password: str = PASSWORD) -> None:
        self.lasting, self.password = lasting, password
        self.tokens: set[str] = set()
        self.sessions: dict[str, int] = {}
        self.logins = 0

    def __call__(self, asked: Asked) -> Reply:
        path = asked.path.partition("?")[0]
        if path == "/login":
            return self.send() if asked.method == "GET" else self.receive(asked)
        if path.startswith("/in/") or path == "/logout":
            session = asked.cookies.get("sid", "")
            left = self.sessions.get(session, 0)
            if not left or path == "/logout":
                self.sessions.pop(session, None)
                return Reply(302, "", [("Location", f"/login?next={asked.path}")])
            self.sessions[session] = left - 1
        return plain(asked)

    def send(self) -> Reply:
        token = secrets.token_hex(8)
        self.tokens.add(token)
        return Reply(
            body='<form action="/search"><input name=q></form><form method=POST action="/login">'
            f'<input type=hidden name=token value="{token}"><input name=user><input type=password name=pass>'
            "<input type=checkbox name=stay value=1 checked><button name=go value=in>Log in</button></form>"
        )

    def receive(self, asked: Asked) -> Reply:
        self.logins += 1
        said = {name: values[0] for name, values in parse_qs(asked.body).items()}
        is_good = said.pop("token", "") in self.tokens and said == {
            "user": LOGIN, "pass": self.password, "stay": "1", "go": "in",
        }  # fmt: skip
        if not is_good:
            return self.send()
        session = secrets.token_hex(8)
        self.sessions[session] = self.lasting
        return Reply(302, "", [("Location", "/"), ("Set-Cookie", f"sid={session}; Path=/; HttpOnly")])
