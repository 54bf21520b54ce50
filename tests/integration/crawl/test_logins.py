"""Whole crawls of sites that want to know who asks."""

from __future__ import annotations

import asyncio
import gzip
import logging
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from gossamer.config import (
    Cookies,
    CrawlConfig,
    Credential,
    Dns,
    Durability,
    Extraction,
    Fetching,
    Login,
    LoginForm,
    Politeness,
    Scope,
    Warc,
    parse_settings,
    shown_settings,
)
from gossamer.control import CrawlController
from gossamer.fetch.address import AddressRules
from gossamer.fetch.auth import Account, Authenticator
from gossamer.fetch.base import FetchRequest
from gossamer.fetch.dns import AresResolver
from gossamer.fetch.http import HttpFetcher
from gossamer.fetch.session import SessionFetcher
from gossamer.jobs import CrawlJob, run_job
from gossamer.util.clock import SystemClock
from tests.support.stubsite import Answering, Asked, Stub, StubSite

from .accounts import LOGIN, PASSWORD, Digest, Members, basic, page
from .conftest import Crawls

Serve = Callable[[Answering], StubSite]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as sites:
        yield lambda answering: sites.enter_context(StubSite(answering))


def account(url: str, **more: str) -> Login:
    return Login(credentials=(Credential(url=url, login=LOGIN, password=PASSWORD, **more),))


def member(site: StubSite, **more: Any) -> Login:
    form = LoginForm(page=f"{site.url}/login", fields={"user": LOGIN, "pass": PASSWORD}, **more)
    return Login(forms=(form,))


def fates(crawls: Crawls) -> dict[str, list[str]]:
    """Path -> the statuses in crawl.log, in order."""
    found: dict[str, list[str]] = {}
    for line in crawls.log_lines():
        found.setdefault(re.sub(r"^http://[^/]+", "", line[3]), []).append(line[1])
    return found


def everything_kept(folder: Path) -> bytes:
    """Every byte of the archive and the logs, decompressed."""
    return b"".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and (path.suffix in (".gz", ".log", ".jsonl") or "reports" in path.parts)
    )


# ---- Basic and Digest


def test_basic_is_answered_when_asked_and_unasked_from_then_on(crawls: Crawls, serve: Serve) -> None:
    site = serve(basic)
    crawls.run([f"{site.url}/"], connections=1, toes=1, login=account(f"{site.url}/in/"))
    assert site.paths == ["/", "/in/a", "/in/a", "/in/b", "/in/sub/c"]
    assert fates(crawls)["/in/a"] == ["401", "200"] and fates(crawls)["/in/sub/c"] == ["200"]
    assert "authorization" not in site.asked[0].headers and "authorization" not in site.asked[1].headers


@pytest.mark.parametrize(("uses", "asked"), [(1000, 5), (1, 7)], ids=["one nonce", "a nonce for each request"])
def test_digest_is_answered_and_a_stale_nonce_replaced(crawls: Crawls, serve: Serve, uses: int, asked: int) -> None:
    site = serve(Digest(uses=uses))
    crawls.run([f"{site.url}/"], connections=1, toes=1, login=account(f"{site.url}/"))
    assert len(site.paths) == asked
    assert [statuses[-1] for statuses in fates(crawls).values()] == ["404", "200", "200", "200", "200"]


DIGESTS = {
    "md5": Digest(),
    "sha-256": Digest("SHA-256"),
    "md5-sess": Digest("MD5-sess"),
    "sha-256-sess": Digest("SHA-256-sess"),
    "without qop": Digest(qop=False),
    "userhash": Digest("SHA-256", userhash=True),
}


def test_digest_of_every_kind_satisfies_a_server_that_checks_each_part(serve: Serve) -> None:
    async def statuses(site: StubSite) -> list[int | None]:
        settings = Fetching()
        http = HttpFetcher(settings, AresResolver(Dns(), SystemClock()), AddressRules(["127.0.0.0/8"]), SystemClock())
        fetcher = SessionFetcher(
            http, SystemClock(), credentials=Authenticator([Account(site.url, "/in/", LOGIN, PASSWORD)])
        )
        found = []
        for path in ("/in/a", "/in/a", "/in/b", "/in/sub/c"):
            exchange = await fetcher.fetch(FetchRequest(site.url + path))
            found.append(exchange.http_status)
            exchange.close()
        await fetcher.close()
        return found

    for name, digest in DIGESTS.items():
        assert asyncio.run(statuses(serve(digest))) == [401, 200, 200, 200], name


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("kind", ["basic", "md5", "sha-256"])
def test_the_servers_of_these_tests_let_curl_in(serve: Serve, kind: str) -> None:
    site, how = serve(basic if kind == "basic" else DIGESTS[kind]), "--basic" if kind == "basic" else "--digest"
    done = subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", how, "-u", f"{LOGIN}:{PASSWORD}", f"{site.url}/in/a"],
        capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert done.stdout == "200"


def test_credentials_go_to_no_other_place_or_realm(crawls: Crawls, serve: Serve) -> None:
    other = serve(basic)
    site = serve(
        lambda asked: Stub("", 302, [("Location", f"{other.url}/in/a")]) if asked.path == "/" else basic(asked)
    )
    credentials = (
        *account(f"{site.url}/in/", realm="another").credentials,
        *account(f"{site.url}/in/sub/").credentials,
    )
    crawls.run(
        [f"{site.url}/", f"{site.url}/in/a", f"{other.url}/in/b"],
        login=Login(credentials=credentials), fetching=Fetching(allow_private=("127.0.0.0/8",)),
    )  # fmt: skip
    assert not any("authorization" in asked.headers for asked in site.asked + other.asked)
    assert "/in/a" in other.paths


def test_a_login_that_is_refused_is_offered_once_and_said_once(
    crawls: Crawls, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    site = serve(basic)
    login = Login(credentials=(Credential(url=site.url, login=LOGIN, password="wr0ng"),))
    crawls.run([f"{site.url}/"], login=login, connections=1)
    assert sum("authorization" in asked.headers for asked in site.asked) == 1
    assert fates(crawls)["/in/a"] == ["401", "401"] and fates(crawls)["/in/b"] == ["401"]
    said = [record.getMessage() for record in caplog.records if "login.credentials" in record.getMessage()]
    assert len(said) == 1 and "wr0ng" not in said[0]


def test_robots_that_want_a_password_are_asked_for_again(crawls: Crawls, serve: Serve) -> None:
    def guarded(asked: Asked) -> Stub:
        reply = basic(Asked(asked.method, "/in/a", asked.headers))
        if reply.status == 200 and asked.path == "/robots.txt":
            return Stub("User-agent: *\nDisallow: /in/b", content_type="text/plain")
        return reply if reply.status != 200 else basic(asked)

    site = serve(guarded)
    crawls.run([f"{site.url}/"], login=account(site.url))
    assert "/in/a" in site.paths and "/in/b" not in site.paths


# ---- forms


def test_a_form_is_sent_with_its_hidden_fields_before_anything_else(crawls: Crawls, serve: Serve) -> None:
    members = Members()
    site = serve(members)
    crawls.run([f"{site.url}/"], connections=1, login=member(site))
    assert [(asked.method, asked.path) for asked in site.asked][:4] == [
        ("GET", "/robots.txt"), ("GET", "/login"), ("POST", "/login"), ("GET", "/"),
    ]  # fmt: skip
    assert members.logins == 1
    assert all(fates(crawls)[path] == ["200"] for path in ("/", "/in/a", "/in/b", "/in/sub/c"))
    assert fates(crawls)["/login"] == ["200", "302"]


@pytest.mark.parametrize("connections", [1, 4])
def test_a_session_that_ends_is_begun_anew(crawls: Crawls, serve: Serve, connections: int) -> None:
    members = Members(lasting=2)
    site = serve(members)
    crawls.run([f"{site.url}/"], connections=connections, login=member(site))
    assert all(fates(crawls)[path][-1] == "200" for path in ("/in/a", "/in/b", "/in/sub/c"))
    assert members.logins == 2


def test_a_way_to_log_out_costs_no_page(crawls: Crawls, serve: Serve) -> None:
    members = Members()
    site = serve(lambda asked: page("/logout", "/in/a", "/in/b") if asked.path == "/" else members(asked))
    crawls.run([f"{site.url}/"], connections=1, toes=1, login=member(site))
    found = fates(crawls)
    assert found["/logout"] == ["302", "302"] and found["/in/a"][-1] == found["/in/b"][-1] == "200"
    assert members.logins <= 3


def test_a_login_that_fails_is_tried_twice_and_its_urls_fail_for_now(
    crawls: Crawls, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    members = Members(password="another")
    site = serve(members)
    outcome = crawls.run([f"{site.url}/"], login=member(site))
    assert members.logins == 2 and fates(crawls)["/"] == ["-29"] and outcome.progress.counts.failed == 1
    assert "it shows the form again; given up" in caplog.text and PASSWORD not in caplog.text


def test_a_login_that_only_seems_to_succeed_does_not_go_on_for_ever(crawls: Crawls, serve: Serve) -> None:
    members = Members(lasting=0)
    site = serve(members)
    crawls.run([f"{site.url}/in/{number}" for number in range(20)], connections=1, login=member(site))
    assert members.logins == 10
    assert sum(statuses == ["-29"] for path, statuses in fates(crawls).items() if path.startswith("/in/")) == 15


def test_a_login_survives_a_restart(crawls: Crawls, serve: Serve) -> None:
    members = Members()
    site = serve(members)
    crawls.run([f"{site.url}/"], login=member(site))
    crawls.run([f"{site.url}/", f"{site.url}/in/new"], login=member(site))
    assert members.logins == 1 and fates(crawls)["/in/new"] == ["404"]


@pytest.mark.parametrize(
    ("more", "is_in"),
    [({"success": "Location|/$"}, True), ({"success": "Welcome"}, False), ({"success_cookie": "sid"}, True),
     ({"success_cookie": "other"}, False)],
)  # fmt: skip
def test_what_counts_as_success_can_be_said(crawls: Crawls, serve: Serve, more: dict[str, str], is_in: bool) -> None:
    members = Members()
    site = serve(members)
    crawls.run([f"{site.url}/"], login=member(site, **more))
    assert (members.logins, fates(crawls)["/"]) == ((1, ["200"]) if is_in else (2, ["-29"]))


def test_a_form_that_leads_to_another_host_is_not_sent(
    crawls: Crawls, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    thief = serve(lambda asked: Stub())
    form = f'<form method=post action="{thief.url}/x"><input name=user><input name=pass></form>'
    site = serve(lambda asked: Stub(form) if asked.path == "/login" else Stub())
    crawls.run([f"{site.url}/"], login=member(site))
    assert thief.asked == [] and "would be sent to another host" in caplog.text


# ---- cookies


def counting(asked: Asked) -> Stub:
    """Sets a cookie, and tells by the path what came."""
    body = page("/a", "/b").body if asked.path == "/" else ""
    return Stub(body, headers={"Set-Cookie": f"last={asked.path.strip('/') or 'root'}; Path=/"})


def test_cookies_go_back_to_their_site_over_restarts_and_to_no_other(crawls: Crawls, serve: Serve) -> None:
    site, other = serve(counting), serve(lambda asked: Stub())
    crawls.run([f"{site.url}/"], connections=1, toes=1)
    assert [asked.cookies for asked in site.asked] == [
        {}, {"last": "robots.txt"}, {"last": "root"}, {"last": "a"},
    ]  # fmt: skip
    crawls.run([f"{site.url}/", f"{site.url}/c"], connections=1, toes=1)
    assert site.asked[-1].path == "/c" and site.asked[-1].cookies == {"last": "b"}
    localhost = other.url.replace("127.0.0.1", "localhost")
    crawls.run([f"{site.url}/", f"{site.url}/c", f"{localhost}/"])
    assert all(asked.cookies == {} for asked in other.asked)


def test_cookies_can_be_turned_off(crawls: Crawls, serve: Serve) -> None:
    site = serve(counting)
    crawls.run([f"{site.url}/"], cookies=False)
    assert all("cookie" not in asked.headers for asked in site.asked)


def test_a_cookies_txt_is_read_and_written(crawls: Crawls, serve: Serve, tmp_path: Path) -> None:
    site = serve(counting)
    (tmp_path / "in.txt").write_text("127.0.0.1\tFALSE\t/\tFALSE\t0\tmine\tyes\n")
    settings = Cookies(load=tmp_path / "in.txt", save=Path("out.txt"))
    crawls.run([f"{site.url}/"], cookies=settings, connections=1, toes=1)
    assert [asked.cookies.get("mine") for asked in site.asked] == ["yes"] * 4
    out = crawls.directory.path / "out.txt"
    assert out.stat().st_mode & 0o777 == 0o600
    assert "127.0.0.1\tFALSE\t/\tFALSE\t0\tlast\tb\n" in out.read_text()


def test_a_kill_costs_a_login_at_most(crawls: Crawls, serve: Serve) -> None:
    """What was committed is there again; the crawl goes on with the session it had."""
    members, gate = Members(), threading.Event()

    def holding(asked: Asked) -> Stub:
        if asked.path == "/in/b" and not gate.is_set():
            gate.wait(30)
        return members(asked)

    site = serve(holding)
    settings = crawls.directory
    settings.create()
    settings.write_settings(
        CrawlConfig(login=member(site), delay=0, durability=Durability(commit_interval=0.05), toes=1)
    )
    settings.seeds_file.write_text(f"{site.url}/\n")
    command = [sys.executable, "-m", "gossamer", "run", str(settings.path)]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not any(asked.path == "/in/b" for asked in site.asked):
            assert first.poll() is None
            time.sleep(0.01)
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
    gate.set()
    count = len(site.asked)
    asyncio.run(run_job(settings, *CrawlJob(settings).validate()))
    again = [(asked.method, asked.path) for asked in site.asked[count:]]
    assert ("POST", "/login") not in again and ("GET", "/in/b") in again
    assert members.logins == 1 and fates(crawls)["/in/b"] == ["200"]


# ---- secrets


def test_no_secret_of_any_kind_is_kept_or_told(
    crawls: Crawls, serve: Serve, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """The settings file holds them, for its owner alone; nothing else does."""
    caplog.set_level(logging.DEBUG)
    members, digest = Members(), Digest()
    site = serve(lambda asked: digest(asked) if asked.path == "/in/a" else members(asked))
    login = Login(credentials=account(site.url).credentials, forms=member(site).forms)
    seen: list[str] = []

    def watch(controller: CrawlController) -> None:
        seen.append(repr(controller.config) + str(controller.config) + str(shown_settings(controller.config)))

    crawls.run(
        [f"{site.url}/"], login=login, watch=watch, warc=Warc(hide_cookies=True),
        fetching=Fetching(proxy="http://me:pr0xypass@127.0.0.1:9", no_proxy=("127.0.0.1",)),
    )  # fmt: skip
    session = next(iter(members.sessions))
    assert fates(crawls)["/in/a"][-1] == "200" and members.logins == 1
    kept = everything_kept(crawls.directory.path).decode("latin-1")
    requests = "\n".join(re.findall(r"WARC-Type: request.*?(?=WARC/1\.1)", kept, re.DOTALL))
    assert "Authorization: [withheld]" in requests and "pass=[withheld]" in requests and "sid=[withheld]" in requests
    for secret in (PASSWORD, "pass%3Aw", "pr0xypass", "response="):
        assert secret not in kept and secret not in caplog.text and not any(secret in text for text in seen)
    assert session not in requests
    # hand the settings over as they are written: readable again, by nobody else
    assert crawls.directory.settings_file.exists() is False
    config = CrawlConfig(login=login)
    crawls.directory.write_settings(config)
    assert crawls.directory.settings_file.stat().st_mode & 0o777 == 0o600
    assert parse_settings(crawls.directory.settings_file.read_bytes()) == config


def test_a_secret_may_come_from_the_environment(crawls: Crawls, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    site = serve(basic)
    login = Login(credentials=(Credential(url=site.url, login=LOGIN, password="env:SITE_PASSWORD"),))
    with pytest.raises(Exception, match="SITE_PASSWORD, which is not set"):
        crawls.run([f"{site.url}/"], login=login)
    monkeypatch.setenv("SITE_PASSWORD", PASSWORD)
    crawls.run([f"{site.url}/"], login=login)
    assert fates(crawls)["/in/a"][-1] == "200"


# ---- the rest


def test_redirects_can_be_left_alone(crawls: Crawls, serve: Serve) -> None:
    site = serve(lambda asked: Stub("", 301, [("Location", "/there")]) if asked.path == "/" else Stub())
    crawls.run([f"{site.url}/"], scope=Scope(follow_redirects=False))
    assert site.paths == ["/"]


def test_a_body_that_is_too_large_can_be_a_failure(crawls: Crawls, serve: Serve) -> None:
    site = serve(lambda asked: page("/big") if asked.path == "/" else Stub("x" * 5000))
    crawls.run([f"{site.url}/"], fetching=Fetching(max_body=1000, too_large="fail"))
    assert fates(crawls)["/big"] == ["-28"] and fates(crawls)["/"] == ["200"]


def test_names_can_be_given_their_addresses(crawls: Crawls, serve: Serve) -> None:
    site = serve(lambda asked: Stub())
    url = site.url.replace("127.0.0.1", "site.example")
    crawls.run([f"{url}/"], dns=Dns(hosts={"site.example": "127.0.0.1"}))
    assert site.paths == ["/"] and site.asked[-1].headers["host"] == url.removeprefix("http://")


def test_which_types_are_pages_is_a_setting(crawls: Crawls, serve: Serve) -> None:
    site = serve(lambda asked: page("/i") if asked.path == "/" else Stub("x", content_type="image/png"))
    outcome = crawls.run([f"{site.url}/"], extraction=Extraction(visit_types=("image/*",)))
    assert outcome.progress.counts.pages == 1


def test_politeness_holds_between_the_steps_of_a_login(crawls: Crawls, serve: Serve) -> None:
    site = serve(Members())
    crawls.run([f"{site.url}/"], login=member(site), politeness=Politeness(delay=0.1, delay_factor=0))
    assert {"/robots.txt", "/login"} <= fates(crawls).keys()
    assert crawls.smallest_gap_sent() >= 0.1 - 0.001
