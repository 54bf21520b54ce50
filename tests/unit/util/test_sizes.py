from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.util.sizes import format_duration, format_size, parse_duration, parse_size

durations = st.floats(min_value=0, max_value=3.2e9, allow_nan=False)
sizes = st.integers(min_value=0, max_value=2**63 - 1)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5 min", 300),
        ("1h30m", 5400),
        ("1 h 30 min", 5400),
        ("1 day 12 hours", 129600),
        ("2w", 1209600),
        ("500ms", 0.5),
        ("1s500ms", 1.5),
        ("0.25s", 0.25),
        ("1.5h", 5400),
        ("90", 90),
        ("0", 0),
        ("  10 S ", 10),
        ("0.1s", 0.1),
    ],
)
def test_a_duration_is_read_as_people_write_it(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "s",
        "-1s",
        "1x",
        "1h30",
        "30m1h",
        "1m1m",
        "1s1s",
        "1,5s",
        "1e3s",
        "inf",
        "nan",
        "1 2s",
        "１s",
        "1..5s",
        ".5s",
    ],
)
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r'write a duration like "30s"'):
        parse_duration(text)


def test_a_duration_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="too long a duration"):
        parse_duration("9" * 400)


def test_an_unknown_unit_of_time_is_named() -> None:
    with pytest.raises(ValueError, match="'y' is not a unit of time"):
        parse_duration("1y")


@given(durations)
def test_an_exact_duration_reads_back_as_the_same_number(seconds: float) -> None:
    assert parse_duration(format_duration(seconds, exact=True)) == seconds


@given(st.integers(min_value=0, max_value=10**9))
def test_an_exact_duration_of_whole_seconds_has_whole_parts(seconds: int) -> None:
    assert "." not in format_duration(float(seconds), exact=True)


@given(durations)
def test_a_duration_shown_to_a_person_has_two_parts_and_is_near(seconds: float) -> None:
    text = format_duration(seconds)
    assert sum(c.isalpha() for c in text.replace("ms", "s")) <= 2
    near = parse_duration(text)
    # Two parts of a duration of days are days and hours: what is left out is less than an hour in a day.
    assert math.isclose(near, seconds, rel_tol=1 / 24 + 1e-9, abs_tol=0.05)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.5, "500ms"),
        (0.9996, "1s"),
        (1.04, "1s"),
        (9.949, "9.9s"),
        (9.96, "10s"),
        (59.96, "1m"),
        (3599.7, "1h"),
        (3661, "1h1m"),
        (90061, "1d1h"),
        (86400 * 30, "30d"),
    ],
)
def test_a_duration_is_shown_short(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize("seconds", [-1.0, math.nan, math.inf])
def test_what_is_no_duration_cannot_be_shown(seconds: float) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        format_duration(seconds)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("0", 0),
        ("1024", 1024),
        ("64MB", 64_000_000),
        ("64 MiB", 67_108_864),
        ("1.5 GiB", 1_610_612_736),
        ("1 gib", 1_073_741_824),
        ("512b", 512),
        ("1kB", 1000),
        ("0.1 GiB", 107_374_182),
        ("2 PB", 2 * 10**15),
    ],
)
def test_a_size_is_read_as_people_write_it(text: str, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("text", ["", "GiB", "-1", "1 XB", "1GiB2MiB", "1e3", "1,5 GB", "one MB"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r'write a size like "512 KiB"'):
        parse_size(text)


def test_a_bare_letter_is_refused_because_it_may_mean_two_things() -> None:
    with pytest.raises(ValueError, match=r"'M' may mean MB \(by 1000\) or MiB \(by 1024\)"):
        parse_size("64M")


@given(sizes)
def test_an_exact_size_reads_back_as_the_same_number(count: int) -> None:
    assert parse_size(format_size(count, exact=True)) == count


@given(sizes)
def test_a_size_shown_to_a_person_is_short_and_near(count: int) -> None:
    text = format_size(count)
    assert len(text) <= len("1023.9 KiB")
    assert math.isclose(parse_size(text), count, rel_tol=0.051, abs_tol=0.5)


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (812, "812 B"), (1024, "1 KiB"), (1023 * 1024 + 1023, "1 MiB"), (1536 * 1024**2, "1.5 GiB")],
)
def test_a_size_is_shown_with_one_decimal_at_most(count: int, text: str) -> None:
    assert format_size(count) == text


def test_a_negative_size_cannot_be_shown() -> None:
    with pytest.raises(ValueError, match="is not a size"):
        format_size(-1)
