"""What a site with members answers: Basic, Digest, a form with a token, sessions that end."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from urllib.parse import parse_qs

from tests.support.stubsite import NOT_FOUND, Asked, Stub

LOGIN, PASSWORD = "me", "pass:wörd&=1"


def page(*links: str) -> Stub:
    return Stub("<title>x</title>" + "".join(f'<a href="{link}">x</a>' for link in links))


PAGES = {"/": page("/in/a", "/in/b", "/in/sub/c"), "/in/a": page(), "/in/b": page(), "/in/sub/c": page()}


def plain(asked: Asked) -> Stub:
    return PAGES.get(asked.path, NOT_FOUND)


def basic(asked: Asked) -> Stub:
    if not asked.path.startswith("/in/"):
        return plain(asked)
    wanted = "Basic " + base64.b64encode(f"{LOGIN}:{PASSWORD}".encode()).decode()
    if asked.headers.get("authorization") == wanted:
        return plain(asked)
    return Stub("no", 401, [("WWW-Authenticate", 'Newauth x=1, Basic realm="members, only", charset="UTF-8"')])


class Digest:
    """Checks every answer by itself: nonce, its count, the response."""

    def __init__(self, algorithm: str = "MD5", *, qop: bool = True, uses: int = 1000, userhash: bool = False) -> None:
        self.algorithm, self.qop, self.uses, self.userhash = algorithm, qop, uses, userhash
        self.nonces: dict[str, int] = {}
        self.stale = 0

    def __call__(self, asked: Asked) -> Stub:
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
        return Stub("no", 401, [("WWW-Authenticate", "Basic realm=fallback"), ("WWW-Authenticate", said)])

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

    def __call__(self, asked: Asked) -> Stub:
        path = asked.path.partition("?")[0]
        if path == "/login":
            return self.send() if asked.method == "GET" else self.receive(asked)
        if path.startswith("/in/") or path == "/logout":
            session = asked.cookies.get("sid", "")
            left = self.sessions.get(session, 0)
            if not left or path == "/logout":
                self.sessions.pop(session, None)
                return Stub("", 302, [("Location", f"/login?next={asked.path}")])
            self.sessions[session] = left - 1
        return plain(asked)

    def send(self) -> Stub:
        token = secrets.token_hex(8)
        self.tokens.add(token)
        return Stub(
            '<form action="/search"><input name=q></form><form method=POST action="/login">'
            f'<input type=hidden name=token value="{token}"><input name=user><input type=password name=pass>'
            "<input type=checkbox name=stay value=1 checked><button name=go value=in>Log in</button></form>"
        )

    def receive(self, asked: Asked) -> Stub:
        self.logins += 1
        said = {name: values[0] for name, values in parse_qs(asked.body).items()}
        is_good = said.pop("token", "") in self.tokens and said == {
            "user": LOGIN, "pass": self.password, "stay": "1", "go": "in",
        }  # fmt: skip
        if not is_good:
            return self.send()
        session = secrets.token_hex(8)
        self.sessions[session] = self.lasting
        return Stub("", 302, [("Location", "/"), ("Set-Cookie", f"sid={session}; Path=/; HttpOnly")])
