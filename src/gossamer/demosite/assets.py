"""What is not a page: style sheet, script, images, a document that is not HTML.

The style sheet and the script name only files that pages link to as well, so that a crawler which reads them finds
nothing that another misses.
"""

from __future__ import annotations

import struct
import zlib
from random import Random

STYLE = (
    b'@charset "utf-8";\n:root { --ink: #223; --paper: #fffdf8 }\nbody { font: 16px/1.5 serif; color: var(--ink); '
    b"background: var(--paper) }\nnav { float: left; width: 14em }\nmain { margin-left: 15em; max-width: 46em }\n"
    b"pre { overflow: auto; padding: .5em; background: #f3f0e8 }\n.logo { background: url(icon.png) no-repeat }\n"
)
SCRIPT = (
    b"(function () {\n  'use strict';\n  var nav = document.querySelector('nav');\n"
    b"  if (nav && nav.scrollIntoView) { nav.dataset.ready = 'yes'; }\n}());\n"
)


def png(random: Random, side: int = 24) -> bytes:
    """A valid grey PNG of side x side random pixels."""
    rows = b"".join(b"\0" + random.randbytes(side) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_part(kind, content) for kind, content in parts)


def _png_part(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def pdf(random: Random, size: int = 60_000) -> bytes:
    """Bytes that begin and end like a PDF, with every byte value in between."""
    return b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + random.randbytes(size) + b"\ntrailer << >>\n%%EOF\n"
