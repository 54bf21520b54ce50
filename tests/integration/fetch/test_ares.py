"""When c-ares is loaded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

PROGRAM = """
import sys, gossamer
outcome = gossamer.crawl(sys.argv[1], delay=0, folder=sys.argv[2])
print(outcome.exit_status.name, outcome.seeds[0].status, *({"aiodns", "pycares"} & sys.modules.keys()))
"""


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Of a server on loopback with an empty folder."""
    served = tmp_path / "served"
    served.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(served))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_a_crawl_of_literal_addresses_never_loads_c_ares(port: int, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{port}/"
    program = [sys.executable, "-c", PROGRAM, url, str(tmp_path / "job")]
    told = subprocess.run(program, capture_output=True, text=True, check=True).stdout.split()
    assert told == ["FINISHED", "200"]
