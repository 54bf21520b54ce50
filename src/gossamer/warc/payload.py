"""Where the payload of a response begins, as the tools that verify payload digests see it.

WARC/1.1 defines the payload of an HTTP response as the entity body, which leaves open what a chunked body is. warcio
and FastWARC, run on such records, both hash the bytes after the first empty line as they stand in the record: transfer
coding and content coding left on. That is our rule, too.

So a WARC-Payload-Digest is written only where that empty line really ends the response's own headers. It does not
behind an interim response (1xx), and the two tools differ over line feeds without carriage return and over lines that
look empty; a digest there would be called wrong by one of them. Such records carry the block digest alone.
"""

from __future__ import annotations

import re

_HEAD_END = b"\r\n\r\n"
_LOOKS_EMPTY = re.compile(rb"\n[^!-~\n]*\n")
_BEGINS_EMPTY = re.compile(rb"\n[^!-~]")
"""Found first at the very end, it spares the search for the other, which takes three times as long."""


def has_plain_head(head: bytes) -> bool:
    """Whether `head`, a response up to its body, is one header block to every reader."""
    if not head.endswith(_HEAD_END) or not b"!" <= head[:1] <= b"~":
        return False
    first = _BEGINS_EMPTY.search(head)
    if first is not None and first.end() == len(head) - 1:
        return True
    first_empty_line = _LOOKS_EMPTY.search(head)
    return first_empty_line is not None and first_empty_line.end() == len(head)
