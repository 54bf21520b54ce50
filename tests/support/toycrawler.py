"""A crawler small enough to be seen right at a glance, with a switch for mistakes: it shows that the kill harness works.

It keeps its state in one append-only file, `state/000001.log`, a line of JSON for each settled URL with the ends of the
WARC file and of crawl.log; at its start it cuts both there. Called like `gossamer crawl`, with one more option:

    none           as it should be
    finish-first   the URL is settled before its record is written
    no-tail        the ends are not stored, so nothing is cut
    double         each record is written twice, under one id
    silent         no line in crawl.log
    forgets        a third of the links are dropped after a restart
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.robotparser import RobotFileParser

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import BufferWARCWriter

from benchmarks.harness.weburl import authority_of, resolve

MISTAKES = ("none", "finish-first", "no-tail", "double", "silent", "forgets")


class ToyCrawler:
    def __init__(self, job: Path, seed: str, mistake: str) -> None:
        for name in ("state", "warcs", "logs"):
            (job / name).mkdir(parents=True, exist_ok=True)
        self.mistake = mistake
        self.host = authority_of(seed)
        self.connection = HTTPConnection(self.host)
        self.known: dict[str, bool] = {seed: False}
        self.is_resumed = False
        self.warc, self.log = job / "warcs" / "toy.warc.gz.open", job / "logs" / "crawl.log"
        self.store = job / "state" / "000001.log"
        self.recover()

    def recover(self) -> None:
        whole = b""
        ends = (0, 0)
        if self.store.exists():
            self.is_resumed = True
            text = self.store.read_bytes()
            whole = text[: text.rfind(b"\n") + 1]
        for line in whole.splitlines():
            entry = json.loads(line)
            for link in entry["found"]:
                self.known.setdefault(link, False)
            self.known[entry["url"]] = True
            ends = (entry["warc"], entry["log"])
        self.files = [
            os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND) for path in (self.warc, self.log, self.store)
        ]
        if self.mistake != "no-tail":
            os.ftruncate(self.files[0], ends[0])
            os.ftruncate(self.files[1], ends[1])
        os.ftruncate(self.files[2], len(whole))

    def run(self) -> None:
        rules = self.store.with_name("robots.txt")
        if not rules.exists():
            rules.write_bytes(self.get("/robots.txt")[1])
        robots = RobotFileParser()
        robots.parse(rules.read_text(encoding="utf-8").splitlines())
        while waiting := [url for url, done in self.known.items() if not done]:
            for url in waiting:
                if robots.can_fetch("toy", url):
                    self.crawl(url)
                else:
                    self.known[url] = True
        closed = self.warc.with_suffix("")
        self.warc.rename(closed)

    def get(self, target: str) -> tuple[int, bytes, list[tuple[str, str]]]:
        self.connection.request("GET", target)
        response = self.connection.getresponse()
        return response.status, response.read(), response.getheaders()

    def crawl(self, url: str) -> None:
        status, body, headers = self.get("/" + url.split("/", 3)[3])
        fields = {name.lower(): value for name, value in headers}
        found = []
        if status in (301, 302):
            found = [resolve(url, fields["location"]) or url]
        elif status == 200 and fields["content-type"].startswith("text/html"):
            base = re.search(r'<base href="([^"]*)', body.decode())
            folder = resolve(url, base[1]) if base else url
            found = [
                resolve(folder or url, href) or url for href in re.findall(r'(?:href|src)="([^"]*)', body.decode())
            ]
        found = [link for link in dict.fromkeys(found) if authority_of(link) == self.host]
        if self.mistake == "forgets" and self.is_resumed:
            found = found[::3]
        record = self.record(url, status, body, headers) * (2 if self.mistake == "double" else 1)
        mime = fields.get("content-type", "-").partition(";")[0]
        line = f"2026-11-30T00:00:00.000Z {status} {len(body)} {url} L - {mime} #001 0+0 - - -\n".encode()
        if self.mistake == "silent":
            line = b""
        ends = [os.fstat(fd).st_size + len(data) for fd, data in zip(self.files, (record, line), strict=False)]
        entry = json.dumps({"url": url, "found": found, "warc": ends[0], "log": ends[1]}).encode() + b"\n"
        steps = [(0, record), (1, line), (2, entry)]
        for file, data in [steps[2], *steps[:2]] if self.mistake == "finish-first" else steps:
            os.write(self.files[file], data)
        for link in found:
            self.known.setdefault(link, False)
        self.known[url] = True

    @staticmethod
    def record(url: str, status: int, body: bytes, headers: list[tuple[str, str]]) -> bytes:
        writer = BufferWARCWriter(gzip=True)
        http = StatusAndHeaders(f"{status} X", headers, protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=http))
        return writer.get_contents()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mistake", choices=MISTAKES, default="none")
    parser.add_argument("command", choices=("crawl",))
    parser.add_argument("seed")
    parser.add_argument("--job", type=Path)
    options, _ = parser.parse_known_args()
    ToyCrawler(options.job, options.seed, options.mistake).run()


if __name__ == "__main__":
    sys.exit(main())
