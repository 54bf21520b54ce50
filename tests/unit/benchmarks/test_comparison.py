from __future__ import annotations

from benchmarks.harness.comparison import Outcome, compare
from benchmarks.harness.warcs import Record


def response(uri: str, status: int = 200, content_type: str = "text/html") -> Record:
    return Record("response", uri, "", "", status, content_type, "f", 0)


def test_equal_sets_do_not_differ_and_robots_txt_counts_on_neither_side() -> None:
    reference = {
        "http://h/": Outcome(200, True),
        "http://h/a?": Outcome(404, True),
        "http://h/robots.txt": Outcome(200, False),
    }
    result = compare(reference, [response("http://h/"), response("http://h/a", 404), response("dns:h", 0)])
    assert result.is_equal
    assert result.rows() == [
        ("HTML pages", 1, 1, 0, 0, 0, 0),
        ("client errors", 1, 1, 0, 0, 0, 0),
        ("all", 2, 2, 0, 0, 0, 0),
    ]


def test_missing_twice_extra_and_changed_are_each_told() -> None:
    reference = {f"http://h/{name}": Outcome(200, True) for name in ("missing", "twice", "changed")}
    archived = [response("http://h/twice"), response("http://h/twice"), response("http://h/extra", 200, "image/png")]
    result = compare(reference, [*archived, response("http://h/changed", 301)])
    assert not result.is_equal
    assert (set(result.missing), set(result.twice)) == ({"http://h/missing"}, {"http://h/twice"})
    assert (set(result.extra), set(result.changed)) == ({"http://h/extra"}, {"http://h/changed"})
    assert result.rows()[-1] == ("all", 3, 3, 1, 1, 1, 1)


def test_an_answer_that_is_tried_again_does_not_count_as_twice() -> None:
    result = compare({"http://h/": Outcome(200, True)}, [response("http://h/", 503), response("http://h/")])
    assert result.is_equal
