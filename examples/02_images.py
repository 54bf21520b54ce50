"""Save every image of a site once, whatever it is called: python examples/02_images.py images https://example.org/

Nothing that a server says becomes a file name: an image is named after its content, and its kind is read from its first
bytes. So the same image under ten addresses is one file, and `../../.bashrc` is none.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import gossamer

KINDS = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
}


def kind_of(content: bytes) -> str | None:
    """The file extension that the first bytes tell; None if this is no image that we know."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((kind for start, kind in KINDS.items() if content.startswith(start)), None)


class Images(gossamer.WebCrawler):
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def visit(self, page: gossamer.Page) -> None:
        kind = kind_of(page.content)
        if kind is None or page.is_truncated:
            return
        file = self.folder / f"{hashlib.sha256(page.content).hexdigest()}.{kind}"
        if not file.exists():
            file.write_bytes(page.content)
            print(f"{file}: {len(page.content)} bytes, from {page.url}")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", type=Path)
parser.add_argument("url", nargs="+")
given = parser.parse_args()

with gossamer.script():
    given.folder.mkdir(exist_ok=True)
    # Pages are fetched and their links followed whatever is visited; here only images are.
    controller = gossamer.CrawlController(max_depth=3, visit_types=["image/*"])
    controller.add_seeds(given.url)
    controller.start(lambda: Images(given.folder))
