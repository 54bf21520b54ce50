"""The oddities: one of each thing that a crawler meets in the wild, as pages of the odd folder.

Redirects, errors that pass, transfer and content codings, charsets, directives, the elements that carry links, links
that are none, and what is not HTML. Everything here is legal or common; what is hostile is not part of a demo site.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from random import Random
from urllib.parse import quote

from gossamer.demosite.answer import HTML, Answer, answer, chunked, gzipped, until_close
from gossamer.demosite.assets import pdf
from gossamer.demosite.oddfolder import FOLDER, OddFolder
from gossamer.demosite.plan import DemoPlan
from gossamer.demosite.resource import Resource, fixed, missing, moved

_INDEX_LINKS = 2000
_NEVER = '<a href="never/{}">not to be followed</a>'
_SCHEMES = """<body><a href="mailto:a@example.invalid">m</a> <a href="javascript:void('/odd/never/script')">j</a>
<a href="JavaScript:go(1)">J</a> <a href="tel:+1-555-0100">t</a> <a href="data:text/html,<a href=never/data>">d</a>
<a href="about:blank">b</a> <a href="#here">h</a> <a href="">self</a> <a>none</a> <a href="http://[::bad/">bad</a>
<a href="http://www.example.invalid/">elsewhere</a></body>"""
_SLOPPY = """<BODY><A HREF=sloppy-1?a=1&amp;b=2 CLASS=x>one</A> <a href="  sloppy-2
 ">two</a> <a href='slop\tpy-3'>three <a href="x\\..\\sloppy-4">four <p><a title='>' href="sloppy-5 x">five
<a href="sloppy-2" href="never/second-href">two again</a> <a data-href="never/data-href">none</a> < a href=never/no>"""
_ELEMENTS = """<body><map name=m><area href="area" alt=area></map><iframe src="iframe"></iframe>
<img src="TOPstatic/icon.png" srcset="TOPstatic/icon.png 2x" alt=""><script src="TOPstatic/site.js"></script>
<link rel=alternate href="alternate"></body>"""


def fill(folder: OddFolder, plan: DemoPlan, top: str, manual_paths: Sequence[str]) -> None:
    """Put every oddity into `folder`.

    `top` is the folder of the manual on the same host, `manual_paths` are some of its pages.
    """
    _redirects(folder)
    _failures(folder, plan)
    _transfers(folder, plan)
    _charsets(folder)
    _directives(folder)
    _markup(folder, top)
    _others(folder, plan, manual_paths)
    fronts = (path for path in manual_paths if path.endswith("/index.html"))
    folder.index("loop-a", "no-such-page", *(path.rpartition("/")[0] for path in fronts if path.count("/") > 1))


def _redirects(folder: OddFolder) -> None:
    chain = ((301, "moved-1", "moved-2"), (302, "moved-2", "moved-3"), (307, "moved-3", "goal"))
    for status, name, following in chain:
        folder.add(name, moved(status, f"{following}#s1", folder.url(following)))
    folder.add("goal", folder.plain("The end of a chain of redirects"))
    folder.add("permanent", moved(308, "./goal", folder.url("goal")))
    folder.add("loop-a", moved(302, FOLDER + "loop-b", folder.url("loop-b")))
    folder.add("loop-b", moved(303, folder.url("loop-a"), folder.url("loop-a")))
    folder.add("away", moved(302, "http://www.example.invalid/", "http://www.example.invalid/"))


def _failures(folder: OddFolder, plan: DemoPlan) -> None:
    for status in (403, 404, 410):
        folder.add(f"status-{status}", missing(status))
    well = folder.plain("Well again").answer(0)
    retry_after = (b"Retry-After", b"%d" % plan.retry_after_seconds)
    folder.add("broken-once", _well_after(answer(500, HTML, b"<h1>500</h1>"), well))
    folder.add("busy-once", _well_after(answer(503, HTML, b"<h1>503</h1>", retry_after), well))


def _well_after(first: Answer, then: Answer) -> Resource:
    return Resource(lambda visit: then if visit else first, tries=2)


def _transfers(folder: OddFolder, plan: DemoPlan) -> None:
    for name in ("slow", "gzip", "chunked", "gzip-chunked", "until-close"):
        plain = folder.plain(f"Sent {name}", [f"by-{name}"]).answer(0)
        sent = {
            "slow": lambda p: Answer(p.status, p.headers, p.body, plan.slow_seconds),
            "gzip": gzipped,
            "chunked": chunked,
            "gzip-chunked": lambda p: chunked(gzipped(p), 512),
            "until-close": until_close,
        }[name]
        folder.coded(name, sent(plain), f"by-{name}")


def _charsets(folder: OddFolder) -> None:
    """Each page links to a name that only the right charset yields."""
    rows = (
        ("utf-16", "utf-16-le", "text/html", "", "größe"),
        ("latin-1", "latin-1", "text/html; charset=ISO-8859-1", "", "café"),
        ("shift-jis", "shift_jis", "text/html", '<meta charset="Shift_JIS">', "日本語"),
        (
            "windows-1251",
            "cp1251",
            "text/html",
            '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
            "страница",
        ),
    )
    for name, codec, header, meta, word in rows:
        html = f"<html><head>{meta}<title>{word}</title></head><body><a href='{word}.html'>{word}</a></body></html>"
        mark = codecs.BOM_UTF16_LE if codec == "utf-16-le" else b""
        folder.coded(name, answer(200, header, mark + html.encode(codec)), quote(word) + ".html")


def _directives(folder: OddFolder) -> None:
    folder.page("nofollow", f'<meta name="robots" content="nofollow">{_NEVER.format("nofollow")}')
    noindex = '<title>noindex</title><meta name=robots content="NOINDEX"><a href=by-noindex>on</a>'
    folder.coded("noindex", answer(200, HTML, noindex.encode()), "by-noindex", is_noindex=True)
    header = (b"X-Robots-Tag", b"noindex, nofollow")
    folder.coded("header", answer(200, HTML, _NEVER.format("header").encode(), header), is_noindex=True)


def _markup(folder: OddFolder, top: str) -> None:
    folder.page("comment", f"<!-- {_NEVER.format('comment')} --><a href=by-comment>on</a>", "by-comment")
    folder.page("schemes", _SCHEMES)
    base = '<base href="deeper/"><a href="by-base">on</a> <a href="../by-base-up">up</a>'
    folder.page("base", base, "deeper/by-base", "by-base-up")
    folder.page("sloppy", _SLOPPY, "sloppy-1?a=1&b=2", "sloppy-2", "sloppy-3", "sloppy-4", "sloppy-5%20x")
    assets = (f"{top}static/icon.png", f"{top}static/site.js")
    folder.page("elements", _ELEMENTS.replace("TOP", top), "area", "iframe", "alternate", *assets)
    frames = "<frameset cols='*,*'><frame src='frame-1'><frame src='frame-2'></frameset>"
    folder.page("frames", frames, "frame-1", "frame-2")
    folder.page("refresh", "<meta http-equiv=refresh content='5; url=by-refresh'>", "by-refresh")
    folder.coded("empty", answer(200, HTML, b""))


def _others(folder: OddFolder, plan: DemoPlan, manual_paths: Sequence[str]) -> None:
    entries = (manual_paths[i % len(manual_paths)] for i in range(_INDEX_LINKS))
    rows = (f'<li><a href="{path}#e{i}">entry {i}</a></li>\n' for i, path in enumerate(entries))
    folder.page("general-index", f"<ul>\n{''.join(rows)}</ul>", *manual_paths)
    folder.add("document.pdf", fixed("application/pdf", pdf(Random(plan.seed))))
    folder.add("notes.txt", fixed("text/plain; charset=utf-8", folder.filler[:5000].encode()))
    xhtml = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head>'
        '<body><p><a href="by-xhtml">on</a></p></body></html>\n'
    )
    made = answer(200, "application/xhtml+xml", xhtml.encode())
    folder.coded("xhtml", made, "by-xhtml", content_type="application/xhtml+xml")
