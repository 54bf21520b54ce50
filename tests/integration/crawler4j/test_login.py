"""What crawler4j's tests BasicAuthTest and FormAuthInfoTest ask for."""

from __future__ import annotations

from pathlib import Path

import gossamer
from tests.support.stubsite import Asked, Stub, StubSite

from .conftest import crawl

BASIC = "Basic dXNlcjpwYXNz"
"""user:pass"""


def test_basic_credentials_go_to_the_host_they_are_for_and_to_no_other(site: StubSite) -> None:
    def answer(asked: Asked) -> Stub:
        if asked.headers["host"].startswith("first.test") and asked.headers.get("authorization") != BASIC:
            return Stub(status=401, headers={"WWW-Authenticate": 'Basic realm="first"'})
        return Stub("<title>Hello, world!</title>")

    site.add("/", '<a href="/some/index.html">a link!</a>')
    site.answer("/some/index.html", answer)
    first, second = f"http://first.test:{site.port}/", f"http://second.test:{site.port}/"
    credential = gossamer.Credential(url=first, login="user", password="pass")
    found = crawl(
        first,
        second,
        dns=gossamer.Dns(hosts={"first.test": "127.0.0.1", "second.test": "127.0.0.1"}),
        login=gossamer.Login(credentials=(credential,)),
    )
    assert found.urls == {first, second, f"{first}some/index.html", f"{second}some/index.html"}
    authorized = [asked for asked in site.asked if "authorization" in asked.headers]
    assert {(asked.headers["host"], asked.path) for asked in authorized} == {
        (f"first.test:{site.port}", "/some/index.html")
    }


def test_a_form_is_sent_once_and_its_cookie_opens_what_it_guards(site: StubSite, tmp_path: Path) -> None:
    site.add("/", '<a href="/login.php">Login</a> <a href="/profile.php">Profile</a>')
    form = (
        '<form action="/login.php" method="POST"><input name="username"><input type="password" name="password"></form>'
    )
    site.add("/login.php", form)
    site.add("/login.php", "welcome", method="POST", headers={"Set-Cookie": "secret=hash; Path=/"})
    site.answer(
        "/profile.php",
        lambda asked: Stub("<title>Profile</title>", 200 if asked.headers.get("cookie") == "secret=hash" else 403),
    )
    fields = {"username": "foofy", "password": "superS3cret"}
    login = gossamer.Login(forms=(gossamer.LoginForm(page=f"{site.url}/login.php", fields=fields),))
    jar = tmp_path / "cookies.txt"
    found = crawl(f"{site.url}/", login=login, cookies=gossamer.Cookies(save=jar))
    assert found.visited["/profile.php"].title == "Profile"
    posts = [asked.body for asked in site.asked if asked.method == "POST"]
    assert posts == ["username=foofy&password=superS3cret"]
    assert site.counts["/"] == site.counts["/profile.php"] == 1
    cookies = [line.split("\t") for line in jar.read_text().splitlines() if line.count("\t") == 6]
    assert [(name, value) for *_, name, value in cookies] == [("secret", "hash")]
