"""The odd folder: how the pages below `/odd/` are made and kept.

A page is written together with the links an ideal crawler follows from it; a link to a name that is not there yet
makes a plain page of that name. What must never be followed lies below `/odd/never/`, which answers 200 so that a
mistake shows in the log.
"""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.demosite.answer import HTML, Answer, answer
from gossamer.demosite.resource import Resource, fixed

FOLDER = "/odd/"


class OddFolder:
    """Path -> resource, for everything below `/odd/`."""

    def __init__(self, origin: str, filler: str) -> None:
        """`filler` is HTML without links that gives pages some weight."""
        self.origin = origin
        self.filler = filler
        self._resources: dict[str, Resource] = {}

    def find(self, target: str) -> Resource | None:
        """What stands at a request target, percent-encoded as it comes; None if nothing does."""
        if target.startswith(FOLDER + "never/"):
            return fixed(HTML, b"<title>Nobody should ever ask for this</title>")
        return self._resources.get(target)

    def paths(self) -> list[str]:
        """Every request target there is, in the order they were added."""
        return list(self._resources)

    def url(self, target: str) -> str:
        """The absolute URL of a name in this folder, or of an absolute path."""
        return self.origin + (target if target.startswith("/") else FOLDER + target)

    def add(self, name: str, resource: Resource) -> None:
        """Keep `resource` under `name`."""
        self._resources[FOLDER + name] = resource

    def page(self, name: str, html: str, *links: str, header: tuple[bytes, bytes] | None = None) -> None:
        """Add a page made of `html`, which means these links."""
        whole = f"<!DOCTYPE html>\n<html><head><title>{name}</title></head>\n{html}\n</html>\n"
        self.coded(name, answer(200, HTML, whole.encode(), *([header] if header else [])), *links)

    def coded(
        self, name: str, made: Answer, *links: str, content_type: str = "text/html", is_noindex: bool = False
    ) -> None:
        """Add an answer as it stands, which means these links."""
        urls = tuple(self.url(link) for link in links)
        self.add(name, Resource(lambda _: made, lambda: urls, content_type=content_type, is_noindex=is_noindex))
        for link in links:
            if not link.startswith("/") and FOLDER + link not in self._resources:
                self.add(link, self.plain(f"Found on {name}"))

    def plain(self, title: str, targets: Sequence[str] = ()) -> Resource:
        """An ordinary page with a list of links."""
        items = "".join(f'<li><a href="{target}">{target}</a></li>\n' for target in targets)
        head = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body>\n"
        made = answer(200, HTML, f"{head}<ul>\n{items}</ul>\n{self.filler}</body></html>\n".encode())
        urls = tuple(self.url(target) for target in targets)
        return Resource(lambda _: made, lambda: urls)

    def index(self, *more: str) -> None:
        """Add the folder's own page: it lists what no other page leads to, and `more`."""
        led_to = {url for resource in self._resources.values() for url in resource.links()}
        names = [path.removeprefix(FOLDER) for path in self._resources if self.origin + path not in led_to]
        self.add("", self.plain("Oddities", [*names, *more]))
