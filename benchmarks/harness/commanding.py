"""A crawl under a restless operator: thirty commands at random, and it must come out as if nothing had happened.

    gossamer crawl … --job DIR      pause, resume, toes, checkpoint by control.sock or as commands of the program;
    gossamer run DIR                terminate and kill -9, after each of which the job is run again
    audit                           the site's own truth, nothing twice, every record whole, log and archive of one mind;
                                    states by job.log and the control API; gaps and refetches by the server's log

Commands are dealt out over the crawl by how far it has come, some of them one upon another. Nothing here reads a
command line, and nothing raises for what the crawler does.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from gossamer.demosite import DemoPlan, DemoProcess, Request

from .audit import Audit, audit
from .comparison import HTML_TYPES, Outcome
from .crawl import GOSSAMER, CrawlCommand, begin, environment, tail_of
from .gaps import Gaps, gaps_of
from .states import Launch, StateTable, read_launches, state_problems

COMMANDS = ("pause", "resume", "toes", "checkpoint", "terminate", "kill")
_POLL_SECONDS = 0.05
_TICK_SECONDS = 0.005
_LAST = 0.85
"""So far has the crawl come at the last command: it must not end before."""
_HELD = ("PAUSING", "PAUSED")
_INTERRUPTED = 130
_REFUSALS = ("is not possible in state", "cannot", "is not running", "in use by process", "ended before it answered")
"""What the program's commands say when the state forbids them, or nobody is there."""
_BY_PROGRAM = 0.2
"""This part of the commands is given by the program's own commands, the rest straight to the socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandPlan:
    """What to do in each run."""

    site: DemoPlan
    commands: int = 30
    delay: float = 0.01
    """Seconds between two requests to a host."""
    toes: int = 20
    run_seconds: float = 300.0
    """A run that takes longer hangs."""
    still_seconds: float = 60.0
    """A crawl that is not held and asks the server for nothing for so long hangs."""


@dataclass(slots=True)
class CommandRun:
    """What came out of one run."""

    seed: int
    seconds: float = 0.0
    given: Counter[str] = field(default_factory=Counter)
    """Commands that were carried out, by name."""
    refused: Counter[str] = field(default_factory=Counter)
    """Commands that the state forbade (409), or that came when the crawl had ended."""
    launches: int = 0
    states: Counter[str] = field(default_factory=Counter)
    """How often job.log tells of each."""
    polled: Counter[str] = field(default_factory=Counter)
    """How often the control API was found in each."""
    refetched: int = 0
    """URLs that the server was asked for more than once, beyond the site's own retries."""
    slowest_pause: float = 0.0
    """Seconds from asking for a pause to the answer that says PAUSED, straight to the socket."""
    gaps: Gaps | None = None
    """None where the kernel does not tell when requests came."""
    audit: Audit | None = None
    problems: list[str] = field(default_factory=list)


class NotRunning(Exception):
    """Nobody listens at the socket, or nobody answered before the end."""


def command_crawl(
    plan: CommandPlan, seed: int, table: StateTable, folder: Path, tell: Callable[[str], None] = lambda text: None
) -> CommandRun:
    """One run in an empty folder, its choices made by `seed`."""
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with DemoProcess(plan.site, log=folder / "requests.jsonl") as demo:
        result = _Operator(plan, seed, table, folder, demo, tell).carry_out()
    result.seconds = time.monotonic() - started
    return result


class _Operator:
    def __init__(
        self,
        plan: CommandPlan,
        seed: int,
        table: StateTable,
        folder: Path,
        demo: DemoProcess,
        tell: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._random = Random(seed)
        self._table = table
        self._folder = folder
        self._job = folder / "job"
        self._demo = demo
        self._tell = tell
        self._result = CommandRun(seed)
        truth = demo.site.expected()
        self._expected = {url: Outcome(e.status, e.content_type in HTML_TYPES) for url, e in truth.items()}
        self._retried = {url for url, e in truth.items() if e.tries > 1}
        self._progress = _Progress(folder / "requests.jsonl")
        self._deadline = time.monotonic() + plan.run_seconds
        self._process: subprocess.Popen[bytes]
        self._killed: set[str] = set()
        self._state = ""
        """As last polled."""

    def carry_out(self) -> CommandRun:
        moments = sorted(self._random.uniform(0.0, _LAST) * len(self._expected) for _ in range(self._plan.commands))
        self._start()
        watch = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(watch,), daemon=True)
        watcher.start()
        try:
            for moment in moments:
                if not self._wait_until(moment):
                    break
                self._command(self._random.choice((*COMMANDS, "pause")))  # or most resumes would be refused
            self._let_end()
        finally:
            watch.set()
            watcher.join()
            _kill(self._process)
            self._process.wait()
        self._judge()
        return self._result

    # ---- the process

    def _start(self) -> None:
        if self._result.launches:
            line = [*GOSSAMER, "run", str(self._job), "--quiet"]
        else:
            delay = ("--delay", f"{self._plan.delay * 1000:g}ms")
            line = CrawlCommand(seeds=tuple(self._demo.seeds), toes=self._plan.toes, options=delay).line(self._job)
        self._result.launches += 1
        self._process = begin(line, self._folder / f"output-{self._result.launches}.txt")

    def _reap(self, *expected: int) -> None:
        """Wait for the process to end, with one of these codes."""
        code = self._process.wait(max(0.1, self._deadline - time.monotonic()))
        if code not in expected:
            output = tail_of(self._folder / f"output-{self._result.launches}.txt", 1500)
            self._problem(f"exit code {code}, not {' or '.join(map(str, expected))}:\n{output}")

    def _wait_until(self, moment: float) -> bool:
        """Wait until the crawl has come so far, or a moment if it is held; False if it has ended."""
        patience = time.monotonic() + self._random.uniform(0.0, 0.3)
        while self._process.poll() is None and not self._hangs():
            if self._progress.count() >= moment:
                return True
            if self._state in _HELD and time.monotonic() >= patience:
                return True
            time.sleep(_TICK_SECONDS)
        return False

    def _hangs(self) -> bool:
        """Whether this run takes too long, or the crawl stands still without being held."""
        now = time.monotonic()
        still = now - self._progress.last
        return now > self._deadline or (self._state not in _HELD and still > self._plan.still_seconds)

    def _let_end(self) -> None:
        """No more commands: the crawl comes to its end by itself, unless it is paused."""
        while self._process.poll() is None:
            self._progress.count()
            if self._hangs():
                still = time.monotonic() - self._progress.last
                self._problem(f"it hangs in state {self._state}: {still:.0f} s without a request")
                return
            if self._state in _HELD:
                self._ask("resume", "/resume")
            time.sleep(_POLL_SECONDS)
        self._reap(0)

    # ---- commands

    def _command(self, name: str) -> None:
        toes = self._random.randint(1, 50)
        is_by_program = self._random.random() < _BY_PROGRAM
        if name == "kill":
            self._kill_and_run()
        elif name == "terminate":
            self._terminate_and_run(is_by_program)
        elif is_by_program:
            self._by_program(name, [str(toes)] if name == "toes" else [])
        else:
            self._until_listening()
            body = {"pause": {"wait_seconds": 60.0}, "toes": {"size": toes}, "checkpoint": {}}.get(name)
            started = time.monotonic()
            answer = self._ask(name, f"/{name}", body)
            if name == "pause" and answer is not None and answer["state"] == "PAUSED":
                self._result.slowest_pause = max(self._result.slowest_pause, time.monotonic() - started)

    def _kill_and_run(self) -> None:
        if self._random.random() < 0.3:
            time.sleep(self._random.uniform(0.0, 0.5))
        _kill(self._process)
        code = self._process.wait()
        if code != -signal.SIGKILL:
            self._reap(0)
            return  # it had come to its end by itself
        self._result.given["kill"] += 1
        self._killed |= set(list(self._launches())[-1:])
        self._state = ""
        self._start()

    def _terminate_and_run(self, is_by_program: bool) -> None:
        if is_by_program:
            self._by_program("terminate", [])
        else:
            self._until_listening()
            self._ask("terminate", "/terminate")
        try:
            self._reap(_INTERRUPTED, 0)
        except subprocess.TimeoutExpired:
            self._problem("it did not end when it was told to")
            return
        if self._process.returncode == _INTERRUPTED:
            self._state = ""
            self._start()

    def _by_program(self, name: str, arguments: list[str]) -> None:
        """A command of the program, which may be refused or find nobody; then where the program says the crawl is."""
        self._until_listening()
        ran = self._run_program(name, str(self._job), *arguments)
        (self._result.refused if ran.returncode else self._result.given)[name] += 1
        is_refusal = ran.returncode == 1 and any(words in ran.stderr for words in _REFUSALS)
        if ran.returncode and not is_refusal:
            self._problem(f"`gossamer {name}` ended with {ran.returncode}: {ran.stderr[-500:]}")
        status = self._run_program("status", str(self._job))
        if status.returncode:
            self._problem(f"`gossamer status` ended with {status.returncode}: {status.stderr[-500:]}")
        elif (answer := json.loads(status.stdout))["is_running"] and answer["state"] not in self._table.states:
            self._problem(f"`gossamer status` tells of a state {answer['state']!r}")

    def _run_program(self, *words: str) -> subprocess.CompletedProcess[str]:
        line = [*GOSSAMER, *words, "--json"]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=120, env=environment())

    def _ask(self, name: str, path: str, body: object = None) -> Any:
        """An order straight to the socket; what was answered, None if it was refused or nobody was there."""
        try:
            status, answer = ask(self._job / "control.sock", "POST", path, body)
        except NotRunning:
            self._result.refused[name] += 1
            return None
        if status == 200:
            self._result.given[name] += 1
            return answer
        self._result.refused[name] += 1
        if status != 409:
            self._problem(f"POST {path}: {status} {answer}")
        elif name in answer.get("allowed", ()):
            self._problem(f"POST {path}: refused, and allowed at once: {answer}")
        return None

    def _until_listening(self) -> None:
        """A crawl that was just started takes no orders yet."""
        while self._process.poll() is None and time.monotonic() < self._deadline:
            with contextlib.suppress(NotRunning):
                ask(self._job / "control.sock", "GET", "/")
                return
            time.sleep(_TICK_SECONDS)

    # ---- watching

    def _watch(self, is_over: threading.Event) -> None:
        """Ask for the state, again and again."""
        while not is_over.wait(_POLL_SECONDS):
            try:
                status, answer = ask(self._job / "control.sock", "GET", "/")
            except NotRunning:
                continue
            state = str(answer.get("state"))
            self._result.polled[state] += 1
            self._state = state
            if status != 200 or state not in self._table.states:
                self._problem(f"GET /: {status} {answer}")
            elif set(answer["allowed"]) != self._table.actions(state):
                self._problem(f"GET /: in state {state} it allows {answer['allowed']}")

    # ---- judging

    def _judge(self) -> None:
        result, requests = self._result, self._demo.requests
        launches = self._launches()
        result.states = Counter(state for launch in launches.values() for state in launch.states)
        result.problems += state_problems(launches, self._table, self._killed)
        result.audit = audit(self._job, self._expected)
        result.problems += result.audit.problems
        result.gaps = gaps_of(requests, self._plan.delay)
        if result.gaps is not None and not result.gaps.is_kept:
            result.problems.append(f"requests came {result.gaps.early * 1000:.2f} ms too early")
        result.refetched = sum(count > 1 for url, count in self._counts(requests).items() if url not in self._retried)
        touched = self._demo.site.forbidden() & {request.url for request in requests}
        result.problems += [f"asked for, though robots.txt forbids it: {url}" for url in sorted(touched)]

    def _counts(self, requests: list[Request]) -> Counter[str]:
        return Counter(request.url for request in requests if request.target != "/robots.txt")

    def _launches(self) -> dict[str, Launch]:
        path = self._job / "logs" / "job.log"
        return read_launches(path.read_text(encoding="utf-8")) if path.exists() else {}

    def _problem(self, text: str) -> None:
        self._result.problems.append(text)
        self._tell(f"run {self._result.seed}: {text}")


class _Progress:
    """How many requests the server has answered, by the file that it writes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._count = 0
        self.last = time.monotonic()
        """When the count was last seen to grow."""

    def count(self) -> int:
        for line in self._new_lines():
            if b'"method": "GET"' in line:
                self._count += 1
                self.last = time.monotonic()
        return self._count

    def _new_lines(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._offset += len(line)
                yield line


def ask(control: Path, method: str, path: str, body: object = None) -> tuple[int, Any]:
    """One request to a control socket: status and JSON. Raises NotRunning if nobody is there."""
    connection = http.client.HTTPConnection("localhost", timeout=120)
    try:
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(120)
        connection.sock.connect(str(control))
        headers = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (OSError, http.client.HTTPException) as error:
        raise NotRunning(str(error)) from error
    finally:
        connection.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
