from __future__ import annotations

from gossamer.util.recent import Recent


def test_what_is_used_stays_and_what_is_not_goes() -> None:
    recent: Recent[int, str] = Recent(10)
    recent.put(-1, "used")
    recent.put(-2, "unused")
    for n in range(100):
        recent.put(n, "x")
        assert recent.get(-1) == "used"
    assert recent.get(-2) is None


def test_it_never_holds_more_than_twice_its_capacity() -> None:
    recent: Recent[int, int] = Recent(10)
    for n in range(1000):
        recent.put(n % 37, n)
        recent.get(n % 11)
        assert len(recent) <= 20


def test_the_latest_value_is_the_one_that_is_got() -> None:
    recent: Recent[str, int] = Recent(3)
    recent.put("a", 1)
    for n in range(2):
        recent.put(f"x{n}", 0)
    recent.put("a", 2)
    for n in range(2):
        recent.put(f"y{n}", 0)
    assert recent.get("a") == 2


def test_what_is_forgotten_is_gone_wherever_it_was() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.put("old", 0)
    recent.put("older", 1)
    recent.put("young", 2)
    for key in ("old", "young", "never"):
        recent.forget(key)
        assert recent.get(key) is None
    assert recent.get("older") == 1


def test_entries_put_in_one_step_are_kept_like_any_other_and_exceed_the_capacity_by_no_more() -> None:
    recent: Recent[int, int] = Recent(10)
    for start in range(0, 1_000, 7):
        recent.update({number: number for number in range(start, start + 7)})
        assert [recent.get(number) for number in range(start, start + 7)] == list(range(start, start + 7))
        assert len(recent) <= 2 * (10 + 7)
