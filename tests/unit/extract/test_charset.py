"""Which encoding a document is in: WHATWG's order, WHATWG's labels, and never an exception."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.charset import _LABELS, codec_of, decode, detect

TEXT = "<html><p>Grüße aus Köln, ein ziemlich gewöhnlicher Text</p><a href=/ä>x</a></html>"


@pytest.mark.parametrize(
    ("data", "declared", "codec"),
    [
        (b"\xef\xbb\xbfabc", "iso-8859-1", "utf-8"),
        (b"\xff\xfea\0", "utf-8", "utf-16-le"),
        (b"\xfe\xff\0a", None, "utf-16-be"),
        (b"\xff\xfe\0\0a\0\0\0", None, "utf-32-le"),
        (b"\0\0\xfe\xff\0\0\0a", None, "utf-32-be"),
        (b"<meta charset=koi8-r>", "windows-1251", "windows-1251"),
        (b"<meta charset=koi8-r>", None, "koi8-r"),
        (b"<meta charset='koi8-r'>", "no-such-thing", "koi8-r"),
        (b"<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset = \"shift_jis\"'>", None, "cp932"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=gb2312>", None, "gb18030"),
        (b"<meta name='charset' content='koi8-r'><p title='<meta charset=koi8-r>'>", None, "utf-8"),
        (b"<meta charset=bogus><meta charset=euc-kr>", None, "cp949"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?><html/>", None, "iso-8859-2"),
        (b"<meta charset=utf-16>", None, "utf-8"),
        (b"<meta charset=utf-7>+ADw-", None, "utf-8"),
        (b"plain", None, "utf-8"),
        ("é".encode(), None, "utf-8"),
        (b"\xe9t\xe9", None, "windows-1252"),
        (b"\xe9t\xe9", "utf-16", "windows-1252"),
        (b"", None, "utf-8"),
    ],
)
def test_mark_header_and_meta_decide_in_this_order(data: bytes, declared: str | None, codec: str) -> None:
    assert detect(data, declared) == codec


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_wide_encodings_are_known_with_or_without_a_mark(codec: str, mark: str) -> None:
    data = (mark + TEXT).encode(codec)
    assert detect(data) == codec
    assert decode(data, codec) == TEXT


def test_a_declared_wide_encoding_needs_only_a_few_zero_bytes() -> None:
    text = "漢字 漢字漢字漢字漢字漢字漢字\n" * 5
    assert detect(text.encode("utf-16-le"), "utf-16") == "utf-16-le"
    assert detect(text.encode("utf-16-be"), "utf-16") == "utf-16-be"


def test_a_late_declaration_counts_only_for_what_is_not_ascii() -> None:
    late = b"<!--" + b"x" * 3000 + b"--><meta charset=koi8-r>"
    assert detect(late) == "utf-8"
    assert detect(late + b"\xc1") == "koi8-r"


def test_utf_8_cut_within_a_character_is_still_utf_8() -> None:
    assert detect("漢字".encode()[:-1]) == "utf-8"
    assert detect("漢字".encode()[:-1] + b"x") == "windows-1252"
    assert detect(b"caf\xe9") == "windows-1252"


def test_labels_are_those_of_the_standard_in_any_case() -> None:
    assert codec_of(" Latin1\n") == "windows-1252"
    assert codec_of("US-ASCII") == "windows-1252"
    assert codec_of("gbk") == "gb18030"
    for label in ("utf-7", "base64", "rot13", "unicode_escape", "idna", "punycode", "", None):
        assert codec_of(label) is None


def test_every_codec_named_exists() -> None:
    for codec in _LABELS:
        codecs.lookup(codec)


@given(st.binary(max_size=300), st.one_of(st.none(), st.text(max_size=20)))
def test_no_bytes_make_detection_or_decoding_raise(data: bytes, declared: str | None) -> None:
    decode(data, detect(data, declared))


@given(
    st.sampled_from([b"\xef\xbb\xbf", b"\xff\xfe", b"<\0", b"<meta charset=", b"<?xml ", b""]), st.binary(max_size=60)
)
def test_not_even_bytes_that_begin_well(start: bytes, rest: bytes) -> None:
    for data in (start + rest, rest + start, start + rest + b">"):
        decode(data, detect(data))
