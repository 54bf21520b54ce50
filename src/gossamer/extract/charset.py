"""Which encoding a document is in, and its text.

In the order of the WHATWG standards: a byte order mark, the charset of the HTTP header, what the document says of
itself (meta or XML declaration). UTF-16 and UTF-32 without any of these give themselves away by their zero bytes. If
nobody says anything, bytes that are valid UTF-8 are UTF-8, and others windows-1252, as browsers assume.

Only labels of the WHATWG Encoding Standard count (so never `utf-7` or one of Python's own codecs, whatever a server
writes); another label is as good as none. Names given out are Python codecs, chosen to decode what browsers decode:
`gb2312` comes out as `gb18030`, `iso-8859-1` as `windows-1252`. Nothing here raises; undecodable bytes become U+FFFD.

Links are resolved from the decoded text with their queries percent-encoded as UTF-8. A browser would use the page's own
encoding for the query; servers that still depend on that are rare, and the choice keeps one URL one URL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from gossamer.extract.scanner import Scanner, attributes_of

PRESCAN = 1024
"""Bytes, HTML 13.2.3.2."""
LATE_PRESCAN = 16_384
"""A browser that meets a later declaration starts over (HTML 13.2.3.5); nobody declares later than this in earnest."""

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)

# Encoding Standard 4.2, names and labels; the few labels that Python's codec of the same name would read differently
# from a browser are mapped to the codec that reads them alike.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso-8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e"
    " iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7"
    " iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8"
    " iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "windows-1250": "cp1250 windows-1250 x-cp1250",
    "windows-1251": "cp1251 windows-1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591"
    " iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "windows-1253": "cp1253 windows-1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5"
    " windows-1254 x-cp1254",
    "windows-1255": "cp1255 windows-1255 x-cp1255",
    "windows-1256": "cp1256 windows-1256 x-cp1256",
    "windows-1257": "cp1257 windows-1257 x-cp1257",
    "windows-1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso-2022-jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601"
    " windows-949",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    # Not in the standard, but found, and unmistakable.
    "utf-32-le": "utf-32 utf-32le",
    "utf-32-be": "utf-32be",
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}

_MARKS = tuple(mark for mark, _ in _BOMS)

_WIDE = ("utf-16", "utf-32")
# Which of the four bytes of a group are zero in text that is mostly ASCII.
_ZEROS = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
_META = Scanner({"meta"})

_XML_DECLARATION = re.compile(r"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'<>]{1,60})["']""")
_CONTENT_CHARSET = re.compile(r"""charset[ \t\n\f\r]*=[ \t\n\f\r]*(?:"([^"]*)"|'([^']*)'|([^ \t\n\f\r;"']+))""", re.I)


def codec_of(label: str | None) -> str | None:
    """The Python codec for a label of the Encoding Standard, or None if it is not one."""
    return _CODECS.get(label.strip(" \t\n\f\r").lower()) if label else None


def declared_in(head: str) -> Iterator[str]:
    """The labels that meta elements in the beginning of a document name, whatever they are worth."""
    for tag in _META.tags(head):
        attributes = attributes_of(tag.attributes)
        if "charset" in attributes:
            yield attributes["charset"]
        elif attributes.get("http-equiv", "").lower() == "content-type":
            label = label_in(attributes.get("content", ""))
            if label is not None:
                yield label


def label_in(content_type: str) -> str | None:
    """The label in the content of a `<meta http-equiv=content-type>`."""
    match = _CONTENT_CHARSET.search(content_type)
    return match[1] or match[2] or match[3] or "" if match else None


def detect(data: bytes, declared: str | None = None, inside: Callable[[str], Iterable[str]] = declared_in) -> str:
    """The Python codec of a document; `declared` is the charset parameter of its HTTP header, if any.

    `inside`: what reads the labels that the document itself names.
    """
    if data.startswith(_MARKS):
        return next(marked for mark, marked in _BOMS if data.startswith(mark))
    codec = codec_of(declared)
    is_wide = codec is not None and codec.startswith(_WIDE)
    wide = _wide_codec(data, is_declared=is_wide)
    if wide is not None:
        return wide
    if codec is not None and not is_wide:
        return codec
    codec = _declared_inside(data[:PRESCAN], inside)
    if codec is None:
        if data.isascii():
            return "utf-8"
        codec = _declared_inside(data[:LATE_PRESCAN], inside)
    if codec is None:
        return "utf-8" if is_utf8(data) else "windows-1252"
    # A document whose declaration could be read byte by byte is not in a wide encoding (HTML 13.2.3.2).
    return "utf-8" if codec.startswith(_WIDE) else codec


def decode(data: bytes, codec: str) -> str:
    """The text of a document in a codec given by `detect`, without its byte order mark."""
    return data.decode(codec, "replace").removeprefix("\ufeff")


def is_utf8(data: bytes) -> bool:
    """Whether bytes are valid UTF-8. Only the last of several characters beyond ASCII may be cut short."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and not data[: error.start].isascii()
    return True


def _wide_codec(data: bytes, *, is_declared: bool) -> str | None:
    """UTF-16 or UTF-32 by where the zero bytes of its ASCII characters stand; a few are enough if it is declared."""
    head = data[:512]
    if b"\0" not in head:
        return None
    head = head[: len(head) & ~3]
    quarter = len(head) // 4
    zeros = [head[offset::4].count(0) for offset in range(4)]
    is_zero = tuple(count * 4 >= quarter * 3 for count in zeros)
    if is_zero in _ZEROS:
        return _ZEROS[is_zero]
    if is_declared:
        return "utf-16-be" if zeros[0] + zeros[2] > zeros[1] + zeros[3] else "utf-16-le"
    return None


def _declared_inside(head: bytes, inside: Callable[[str], Iterable[str]]) -> str | None:
    """The first usable declaration in the beginning of a document."""
    text = head.decode("latin-1")
    declaration = _XML_DECLARATION.match(text)
    if declaration and (codec := codec_of(declaration[1])):
        return codec
    for label in inside(text):
        if codec := codec_of(label):
            return codec
    return None
