"""The control API over its socket, of a crawl that really runs. P13: the control surface is closed by default."""

from __future__ import annotations

import http.client
import json
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from gossamer.cli.client import ControlClient
from gossamer.demosite import DemoThread
from gossamer.errors import ConfigError, JobNotRunning, StateError
from gossamer.web.control import ControlApi

from .conftest import RunningJob


def ask(job: RunningJob, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Any]:
    """(status, JSON) of one request with exactly these headers."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(str(job.directory.control_socket))
        head = {"Host": "localhost", "Connection": "close", "Content-Length": str(len(body))} | headers
        lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in head.items())]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        raw = response.read()
        return response.status, json.loads(raw) if raw else None


JSON = {"Content_Type": "application/json"}


# ---- looking


def test_the_crawl_says_where_it_is(crawled: RunningJob):
    answer = crawled.client.get("/")
    assert (answer["state"], answer["exit_status"], answer["allowed"]) == ("EMPTY", None, ["pause", "terminate"])
    assert answer["launch"] == crawled.job.launch_id and len(answer["launch"]) == 14
    assert answer["job"] == "job"


def test_statistics_are_exact(crawled: RunningJob):
    answer = crawled.client.get("/statistics")
    expected = len(crawled.site.site.expected())
    assert answer["counts"]["succeeded"] == answer["run"]["statuses"]["200"] == expected
    assert answer["counts"]["queued"] == answer["busy_toes"] == 0


def test_every_toe_says_what_it_does(crawled: RunningJob):
    answer = crawled.client.get("/toes")
    assert [toe["serial"] for toe in answer["toes"]] == [1, 2, 3]
    assert {toe["step"] for toe in answer["toes"]} == {"waiting for a URI"}


def test_hosts_and_queues_and_why(crawled: RunningJob):
    authority = crawled.site.site.authorities[0]
    assert [host["name"] for host in crawled.client.get("/hosts")["hosts"]] == [authority]
    assert crawled.client.get("/queues") == {"queues": [], "next_after": None}
    assert crawled.client.get("/why", queue=authority)["queue"]["state"] == "exhausted"
    fetched = crawled.client.get("/why", url=crawled.site.seeds[0])
    assert (fetched["seen"]["fate"], fetched["seen"]["status"]) == ("succeeded", 200)
    refused = crawled.client.get("/why", url="https://elsewhere.invalid/")
    assert refused["is_seen"] is False and refused["scope"] == {"is_accepted": False, "rule": "out-of-scope"}


def test_logs_are_chosen_from_a_list(crawled: RunningJob):
    tail = crawled.client.get("/logs/crawl", lines=2)
    assert len(tail["lines"]) == 2 and tail["lines"] == crawled.directory.crawl_log.read_text().splitlines()[-2:]
    assert any("launched" in line for line in crawled.client.get("/logs/job")["lines"])
    for path in ("/logs/..%2F..%2Fgossamer.toml", "/logs/../gossamer.toml", "/logs/%2Fetc%2Fpasswd", "/logs/nothing"):
        assert ask(crawled, "GET", path)[0] == 404


def test_secrets_are_not_shown(crawled: RunningJob):
    answer = crawled.client.get("/settings")
    assert answer["settings"]["fetching"]["headers"] == [["Cookie", "(hidden)"]]
    assert "s3cret" not in json.dumps(answer)
    assert "politeness.delay" in answer["changeable"]


def test_the_description_names_every_route(crawled: RunningJob):
    described = crawled.client.get("/openapi.json")
    named = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert named | {("GET", "/openapi.json")} == {(r.method, r.path) for r in ControlApi(crawled.job).routes()}
    assert described["openapi"] == "3.1.0"


def test_the_documentation_names_every_route(crawled: RunningJob):
    text = Path(__file__).parents[3].joinpath("docs", "control-api.md").read_text()
    for route in ControlApi(crawled.job).routes():
        assert f"| {route.method} | `{route.path}` |" in text, f"{route.method} {route.path}"


# ---- P13


def test_the_socket_is_its_owners_alone(crawled: RunningJob):
    assert stat.S_IMODE(crawled.directory.control_socket.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Sec_Fetch_Site": "cross-site"}]
)
def test_web_pages_are_refused(crawled: RunningJob, headers: dict[str, str]):
    assert ask(crawled, "GET", "/", **headers)[0] == 403
    assert ask(crawled, "POST", "/terminate", **headers)[0] == 403


def test_what_is_no_json_is_refused(crawled: RunningJob):
    assert ask(crawled, "POST", "/toes", b'{"size": 3}', Content_Type="text/plain")[0] == 415
    assert ask(crawled, "POST", "/toes", b'{"size": ', **JSON)[0] == 400
    assert ask(crawled, "POST", "/toes", b"\xff", **JSON)[0] == 400
    assert ask(crawled, "POST", "/toes", b"", **JSON)[0] == 422
    assert ask(crawled, "POST", "/toes", b'{"size": 0}', **JSON)[0] == 422
    assert ask(crawled, "POST", "/toes", b'{"size": 3, "more": 1}', **JSON)[0] == 422
    assert ask(crawled, "POST", "/toes", b"[" * 100_000, **JSON)[0] in (400, 422)


def test_a_body_is_bounded(crawled: RunningJob):
    body = b'{"size": 3' + b" " * (5 * 1024 * 1024) + b"}"
    try:
        status = ask(crawled, "POST", "/toes", body, **JSON)[0]
    except ConnectionError:  # it was answered, and closed, before all of it was sent
        status = 413
    assert status == 413


def test_query_parameters_are_checked(crawled: RunningJob):
    for path in (
        "/queues?limit=0",
        "/queues?limit=x",
        "/queues?what=1",
        "/queues?limit=1&limit=2",
        "/why",
        "/why?url=%00",
    ):
        assert ask(crawled, "GET", path)[0] == 422, path


def test_other_methods_and_paths_are_told_so(crawled: RunningJob):
    status, answer = ask(crawled, "PUT", "/toes")
    assert (status, answer["allowed"]) == (405, ["GET", "HEAD", "POST"])
    assert ask(crawled, "GET", "/nothing")[0] == 404
    assert ask(crawled, "HEAD", "/")[0] == 200


# ---- orders


def test_pause_and_resume(running: RunningJob):
    assert running.client.post("/pause", {"wait_seconds": 20})["state"] == "PAUSED"
    assert running.client.get("/")["allowed"] == ["resume", "terminate"]
    assert running.client.post("/resume")["state"] == "RUNNING"
    running.wait_until_empty()


def test_what_is_not_possible_is_answered_with_what_is(crawled: RunningJob):
    status, answer = ask(crawled, "POST", "/resume")
    assert (status, answer["allowed"]) == (409, ["pause", "terminate"])
    assert answer["error"] == "'resume' is not possible in state EMPTY"
    with pytest.raises(StateError, match="Possible now: pause, terminate"):
        crawled.client.post("/resume")


def test_toes_settings_and_a_checkpoint(running: RunningJob):
    assert running.client.post("/toes", {"size": 7})["size"] == 7
    changed = running.client.post("/settings", {"settings": {"politeness.delay": "2s", "max_pages": 100}})
    assert changed["settings"]["politeness"]["delay"] == 2.0
    assert running.directory.settings().limits.max_pages == 100
    with pytest.raises(ConfigError, match="cannot be changed while the crawl runs"):
        running.client.post("/settings", {"settings": {"warc.level": 1}})
    taken = running.client.post("/checkpoint", {"name": "first"})
    assert taken["name"] == "first"
    with pytest.raises(ConfigError, match="already"):
        running.client.post("/checkpoint", {"name": "first"})
    assert [one["name"] for one in running.client.get("/checkpoints")["checkpoints"]] == ["first"]


def test_uris_are_added_and_deleted_and_a_queue_rests(running: RunningJob, site: DemoThread):
    running.wait_until_empty()
    running.client.post("/pause", {"wait_seconds": 20})
    seed, authority = site.seeds[0], site.site.authorities[0]
    added = running.client.post("/uris", {"urls": [f"{seed}new1", f"{seed}new2", "http://x.invalid/", "no url"]})
    assert (added["added"], added["refused"], added["invalid"]) == (2, {"out-of-scope": 1}, 1)
    (queue,) = running.client.get("/queues")["queues"]
    assert (queue["class_key"], queue["queued"]) == (authority, 2)
    assert running.client.get("/queues", after=authority)["queues"] == []
    assert running.client.post("/uris/delete", {"uri": "new1$"}) == {"count": 1}
    with pytest.raises(ConfigError):
        running.client.post("/uris/delete", {"uri": "("})
    assert running.client.post(f"/queues/{authority}/retire") == {"count": 1}
    assert running.client.get("/why", queue=authority)["queue"]["state"] == "retired"
    assert running.client.post(f"/queues/{authority}/revive") == {"count": 0}
    with pytest.raises(ConfigError, match="never was such a queue"):
        running.client.post("/queues/nothing.invalid/retire")
    running.client.post("/resume")
    running.wait_until_empty()
    assert running.client.get("/why", url=f"{seed}new2")["seen"]["status"] == 404


def test_terminate_ends_the_crawl_and_removes_the_socket(running: RunningJob):
    assert running.client.post("/terminate")["state"] == "STOPPING"
    running.close()
    assert not running.directory.control_socket.exists()
    with pytest.raises(JobNotRunning, match="is not running"):
        running.client.get("/")


# ---- the other door


def test_metrics_have_a_port_of_their_own_and_nothing_else_has(tmp_path: Path, site: DemoThread):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    job = RunningJob(tmp_path / "job", site, metrics=f"127.0.0.1:{port}")
    try:
        job.wait_until_empty()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        text = response.read().decode()
        assert response.status == 200 and response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert 'gossamer_state{state="EMPTY"} 1' in text.splitlines()
        expected = len(site.site.expected())
        assert f'gossamer_uris_finished_total{{fate="succeeded"}} {expected}' in text.splitlines()
        connection.request("POST", "/terminate")
        assert connection.getresponse().status == 404
        connection.close()
    finally:
        job.close()


def test_a_folder_without_a_socket_name_does_not_stop_the_crawl(tmp_path: Path, site: DemoThread):
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "control.sock").write_text("not a socket")
    job = RunningJob(folder, site)
    assert job.job.is_running
    job.close()


def test_nobody_there_is_told_apart_from_no_job(tmp_path: Path):
    with pytest.raises(ConfigError, match="no folder"):
        ControlClient(tmp_path / "nothing").get("/")
    with pytest.raises(ConfigError, match="not a job folder"):
        ControlClient(tmp_path).get("/")
