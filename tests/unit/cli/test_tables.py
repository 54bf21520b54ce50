"""Tables for people, programs and spreadsheets."""

from __future__ import annotations

import csv
import io
import json

from gossamer.cli.output import Output
from gossamer.cli.tables import Table, toes_table

HOSTILE = Table(("type", "count"), [("=cmd|' /C calc'!A0", 3), ("text\x1b[31m/html", 1234)])


def test_csv_holds_no_formula_and_no_escape():
    rows = list(csv.reader(io.StringIO(HOSTILE.to_csv())))
    assert rows == [["type", "count"], ["'=cmd|' /C calc'!A0", "3"], ["text/html", "1234"]]


def test_negative_numbers_stay_numbers_in_csv():
    assert Table(("status",), [(-9998,)]).to_csv() == "status\n-9998"


def test_json_is_a_list_of_objects():
    assert json.loads(HOSTILE.to_json())[1] == {"type": "text\x1b[31m/html", "count": 1234}


def test_text_is_free_of_escapes_and_numbers_have_separators():
    text = HOSTILE.to_text(Output(io.StringIO()))
    assert "\x1b" not in text and "1,234" in text


def test_an_empty_table_says_so():
    assert Table(("a",), [], "Nothing.").to_text(Output(io.StringIO())) == "Nothing."


def test_a_toe_is_a_row():
    toe = {"serial": 1, "step": "in a processor", "processor": "fetch", "uri": None, "seconds": 1.26, "settled": 4}
    assert toes_table({"toes": [toe]}).rows == [[1, "in a processor: fetch", 1.3, 4, "-"]]


def test_a_thread_that_did_not_come_back_is_a_row_behind_the_toes():
    lost = {"name": "crawler 3", "hook": "visit", "uri": "https://a.example/", "seconds": 1300.04}
    rows = toes_table({"toes": [], "abandoned": [lost]}).rows
    assert rows == [["(crawler 3)", "abandoned in visit", 1300.0, "-", "https://a.example/"]]
