from __future__ import annotations

import io
from pathlib import Path

import pytest

from gossamer.api.gathering import MAX_TOLD, Gathering, noted_of, seed_of, seeds_of
from gossamer.errors import ConfigError


def test_a_seed_given_twice_is_one_and_keeps_its_first_doc_id() -> None:
    gathering = Gathering()
    gathering.add_seed(seed_of("https://example.org/a", 5))
    gathering.add_seed(seed_of("https://example.org/a#top", 5))
    assert [seed.docid for seed in gathering.seeds.values()] == [5]


def test_doc_ids_of_seeds_and_noted_urls_rise_together() -> None:
    gathering = Gathering()
    gathering.note_seen(noted_of("https://example.org/a", 5))
    with pytest.raises(ValueError, match="doc id 5 does not rise above 5"):
        gathering.add_seed(seed_of("https://example.org/b", 5))
    gathering.add_seed(seed_of("https://example.org/b", 6))
    gathering.add_seed(seed_of("example.org/c", None))
    assert [seed.url for seed in gathering.seeds.values()] == ["https://example.org/b", "https://example.org/c"]


def test_seeds_are_read_from_a_file_by_name_or_open_or_from_any_iterable(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# two\nexample.org\n\nhttps://example.net/ # mine\n")
    expected = ["https://example.org/", "https://example.net/"]
    assert [seed.url for seed in seeds_of(file)] == expected
    assert [seed.url for seed in seeds_of(str(file))] == expected
    with file.open("rb") as stream:
        assert [seed.url for seed in seeds_of(stream)] == expected
    assert [seed.url for seed in seeds_of(iter(["example.org", "https://example.net/"]))] == expected
    assert seeds_of([]) == []


def test_of_many_bad_lines_the_first_are_told_and_the_rest_counted() -> None:
    with pytest.raises(ConfigError) as refused:
        seeds_of(io.BytesIO(b"x y\n" * (MAX_TOLD + 7)))
    lines = str(refused.value).splitlines()
    assert len(lines) == MAX_TOLD + 1
    assert lines[0].startswith("line 1: 'x y' is not a seed") and lines[-1] == "… and 7 more"
