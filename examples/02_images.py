"""Save every image of a site once, whatever it is called: python examples/02_images.py images https://example.org/

Nothing that a server says becomes a file name: an image is named after its content, and its kind is read from its first
bytes. So the same image under ten addresses is one file, and `../../.bashrc` is none.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import gossamer

KINDS = {
    b"\x89PNG\r\n\x1a\n": "png",
    b"\xff\xd8\xff": "jpg",
    b"GIF87a": "gif",
    b"GIF89a": "gif",
}
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "images")


def kind_of(content: bytes) -> str | None:
    """The file extension that the first bytes tell; None if this is no image that we know."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((kind for start, kind in KINDS.items() if content.startswith(start)), None)


class Images(gossamer.WebCrawler):
    def visit(self, page: gossamer.Page) -> None:
        kind = kind_of(page.content)
        if kind is None or page.is_truncated:
            return
        file = FOLDER / f"{hashlib.sha256(page.content).hexdigest()}.{kind}"
        if not file.exists():
            file.write_bytes(page.content)
            print(f"{file}: {len(page.content)} bytes, from {page.url}")


FOLDER.mkdir(exist_ok=True)
# Pages are fetched and their links followed whatever is visited; here only images are.
controller = gossamer.CrawlController(max_depth=3, visit_types=["image/*"])
controller.add_seeds(sys.argv[2:] or ["https://example.org/"])
controller.start(Images)
