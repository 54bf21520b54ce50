"""A site with a login form, a hidden token in it, and pages for members only."""

from __future__ import annotations

from tests.support.stubsite import Asked, Stub, StubSite

FORM = """<title>Login</title><form method=post action=/login><input name=username>
<input type=password name=password><input type=hidden name=token value=t0ken></form>"""
SESSION = "session=opened"


def add_members(site: StubSite) -> None:
    """Make it that site."""

    def for_members(body: str) -> None:
        path = "/members/" if "Members" in body else "/members/minutes"
        refused = Stub(status=302, headers={"Location": "/login"})
        site.answer(path, lambda asked: Stub(body) if is_member(asked) else refused)

    site.add("/login", FORM)
    site.add("/login", status=302, headers={"Location": "/members/", "Set-Cookie": f"{SESSION}; Path=/"}, method="POST")
    for_members("<title>Members</title><a href=/members/minutes>minutes</a> <a href=/logout>leave</a>")
    for_members("<title>Minutes</title>")


def is_member(asked: Asked) -> bool:
    return SESSION in asked.headers.get("cookie", "")
