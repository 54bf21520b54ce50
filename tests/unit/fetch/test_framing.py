"""Which body follows a head."""

from __future__ import annotations

import pytest

from gossamer.fetch.framing import UNBOUNDED, Framing, framing
from gossamer.fetch.head import ResponseHead


def head(
    *headers: tuple[bytes, bytes], status: int = 200, version: str = "1.1", is_strict: bool = True
) -> ResponseHead:
    made = ResponseHead()
    made.version, made.status, made.is_strict = version, status, is_strict
    made.headers = list(headers)
    return made


LENGTH = b"content-length"
CODING = b"transfer-encoding"
CONNECTION = b"connection"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (head((LENGTH, b"5")), Framing(5, True, False, True)),
        (head((LENGTH, b"5"), is_strict=False), Framing(5, True, False, False)),
        (head((LENGTH, b"5"), version="1.0"), Framing(5, True, False, False)),
        (head((LENGTH, b"5"), (CONNECTION, b"Keep-Alive"), version="1.0"), Framing(5, True, False, True)),
        (head((LENGTH, b"5"), (CONNECTION, b"x, Close")), Framing(5, True, False, False)),
        (head((LENGTH, b"5"), (CONNECTION, b"keep-alive"), (CONNECTION, b"close")), Framing(5, True, False, False)),
        (head((LENGTH, b"5"), (CONNECTION, b"close"), (CONNECTION, b"keep-alive")), Framing(5, True, False, False)),
        (head((LENGTH, b"5"), version="2.0"), Framing(5, True, False, False)),
        (head(), Framing()),
        (head((LENGTH, b"0005")), Framing(5, True, False, True)),
        (head((LENGTH, b"5"), (LENGTH, b"5"), is_strict=False), Framing(5, True, False, False)),
        (head((LENGTH, b"5, 05"), is_strict=False), Framing(5, True, False, False)),
        (head((LENGTH, b"5"), (LENGTH, b"7"), is_strict=False), Framing(7, False, False, False, "badLength")),
        (head((LENGTH, b"5"), (LENGTH, b"x"), is_strict=False), Framing(annotation="badLength")),
        (head((LENGTH, b"-5"), is_strict=False), Framing(annotation="badLength")),
        (head((LENGTH, b""), is_strict=False), Framing(annotation="badLength")),
        (head((LENGTH, b"\xb2"), is_strict=False), Framing(annotation="badLength")),
        (head((LENGTH, b"9" * 10_000), is_strict=False), Framing(UNBOUNDED, True, False, False)),
        (head((CODING, b"chunked")), Framing(UNBOUNDED, True, True, True)),
        (head((CODING, b"Gzip, Chunked")), Framing(UNBOUNDED, True, True, True)),
        (head((CODING, b"gzip"), (CODING, b"chunked")), Framing(UNBOUNDED, True, True, True)),
        (head((CODING, b"chunked"), (LENGTH, b"5")), Framing(UNBOUNDED, True, True, False)),
        (head((CODING, b"chunked, gzip")), Framing()),
        (head((CODING, b"gzip")), Framing()),
        (head((CODING, b"identity"), (LENGTH, b"5")), Framing(5, True, False, True)),
        (head(status=204), Framing(0, True, False, True)),
        (head(status=304), Framing(0, True, False, True)),
        (head((LENGTH, b"0"), status=304), Framing(0, True, False, True)),
        (head((LENGTH, b"5"), status=304), Framing(0, True, False, False)),
        (head((CODING, b"chunked"), status=204), Framing(0, True, False, False)),
    ],
)
def test_a_body_is_framed_as_its_head_says(given: ResponseHead, expected: Framing) -> None:
    assert framing(given, dict(given.headers)) == expected
