"""Settings as a program in Python may write them: what runs here is type-checked by `scripts/check`, too."""

from __future__ import annotations

from pathlib import Path

import gossamer


def test_units_lists_and_tables_are_taken_and_read_as_numbers_and_tuples() -> None:
    limits = gossamer.Limits(max_time="1h", max_bytes="5 MiB")
    seconds: float | None = limits.max_time
    count: int | None = limits.max_bytes
    assert (seconds, count) == (3600.0, 5 * 1024**2)
    politeness = gossamer.Politeness(delay=2, host_schedule=[1, "2 min"])
    schedule: tuple[float, ...] = politeness.host_schedule
    assert schedule == (1.0, 120.0)
    fetching = gossamer.Fetching(headers={"X-A": "b"}, allow_private=["10.0.0.0/8"], proxy="http://host.test:80")
    assert (fetching.headers, fetching.allow_private) == ((("X-A", "b"),), ("10.0.0.0/8",))
    scope = gossamer.Scope(exclude=["a"], public_suffixes="suffixes.dat")
    suffixes: Path | None = scope.public_suffixes
    assert (scope.exclude, suffixes) == (("a",), Path("suffixes.dat"))
    dns = gossamer.Dns(hosts={"a.test": "192.0.2.1"})
    assert dns.hosts == (("a.test", ("192.0.2.1",)),)
    credential = gossamer.Credential(url="https://host.test/", login="me", password="secret")
    login = gossamer.Login(credentials=[credential])
    assert login.credentials == (credential,)


def test_a_group_may_be_a_table() -> None:
    controller = gossamer.CrawlController(limits={"max_pages": 5}, scope={"kind": "domain"}, warc=False, delay="2s")
    assert controller.config.limits == gossamer.Limits(max_pages=5)
    assert controller.config.replace(limits={"max_time": "2s"}).limits.max_time == 2.0
    assert (controller.config.scope.kind, controller.config.politeness.delay) == ("domain", 2.0)


def test_an_entry_that_cannot_be_is_told_like_a_group() -> None:
    try:
        gossamer.LoginForm(page="ftp://host.test/", fields={})
    except gossamer.InvalidSettings as error:
        assert str(error) == (
            "login.forms.page must be a URL of http or https\nlogin.forms.fields must name at least one field of the form"
        )
    else:
        raise AssertionError
