"""Names of files."""

from __future__ import annotations

from gossamer.warc.naming import highest_serial, warc_name


def test_a_name_tells_prefix_time_serial_and_host() -> None:
    name = warc_name("GOSSAMER", 1_700_000_000.25, 3, "box.example")
    assert name == "warcs/GOSSAMER-20231114221320250-00003-box.example.warc.gz"


def test_nothing_in_a_name_can_leave_the_folder() -> None:
    name = warc_name("../../etc/x y", 0, 1, "..\n/\x1b[0m")
    assert name == "warcs/etc_x_y-19700101000000000-00001-0m.warc.gz"
    assert warc_name("", 0, 1, "..").count("unnamed") == 2


def test_the_highest_serial_is_found_in_any_form_of_a_name() -> None:
    names = [
        "GOSSAMER-20231114221320250-00007-box.warc.gz.open",
        "warcs/OTHER-20231114221320250-123456-box.warc.gz",
        "notes-99999999.txt",
    ]
    assert highest_serial(names) == 123456
    assert highest_serial([]) == 0
