"""Headers: the header fields of a response as user code reads them: by name in any case, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


class Headers(Mapping[str, str]):
    """Name (lower case) -> the first value of each; `get_all` gives every one. Bytes are read as ISO-8859-1."""

    __slots__ = ("raw",)

    def __init__(self, raw: Sequence[tuple[bytes, bytes]]) -> None:
        self.raw = raw
        """As they came: names lower-cased, in order, repeats kept."""

    def __getitem__(self, name: str) -> str:
        wanted = _encoded(name)
        for key, value in self.raw:
            if key == wanted:
                return value.decode("latin-1")
        raise KeyError(name)

    def get_all(self, name: str) -> list[str]:
        """All values of one name, in order."""
        wanted = _encoded(name)
        return [value.decode("latin-1") for key, value in self.raw if key == wanted]

    def __iter__(self) -> Iterator[str]:
        return (name.decode("latin-1") for name in dict.fromkeys(key for key, _ in self.raw))

    def __len__(self) -> int:
        return len({key for key, _ in self.raw})

    def __repr__(self) -> str:
        return f"Headers({dict(self)!r})"


def _encoded(name: str) -> bytes:
    return name.lower().encode("latin-1", "replace")
