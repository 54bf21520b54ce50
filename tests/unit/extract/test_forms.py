from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.extract.forms import find_form

URL = "https://a.example/account/login?next=/"


def test_a_form_is_found_by_its_fields_and_read_as_a_browser_would_send_it() -> None:
    page = b"""
      <form action=/search><input name=q></form>
      <!-- <form action=/trap method=post><input name=user><input name=pass></form> -->
      <form method=" POST " action="do&amp;it"><input type=hidden name=csrf value="t&quot;1"><input name=user value=x>
      <input type=password name=pass><input type=checkbox name=a checked><input type=checkbox name=b value=2>
      <input type=radio name=r value=1><input type=radio name=r value=2 checked><input type=file name=f>
      <select name=s><option value=1><option value=2 selected></select><input name=off disabled value=1>
      <input type=submit name=go value=Go><button name=other value=no>x</button></form>
    """
    form = find_form(page, URL, None, ["user", "pass"])
    assert form is not None
    assert (form.action, form.method) == ("https://a.example/account/do&it", "POST")
    assert form.fields == {"csrf": 't"1', "user": "x", "pass": "", "a": "on", "r": "2", "s": "2", "go": "Go"}


def test_a_base_and_a_missing_action_are_honoured() -> None:
    form = find_form(b"<base href=/b/><form action=x><input name=u>", URL, None, ["u"])
    assert form is not None and (form.action, form.method) == ("https://a.example/b/x", "GET")
    form = find_form(b"<base href=/b/><form><input name=u>", URL, None, ["u"])
    assert form is not None and form.action == URL


def test_the_first_base_with_an_href_counts_and_none_is_looked_for_for_ever() -> None:
    form = find_form(b"<base target=_top><base href=/b/><base href=/c/><form action=x><input name=u>", URL, None, ["u"])
    assert form is not None and form.action == "https://a.example/b/x"
    form = find_form(b"<base>" * 10_000 + b"<base href=/b/><form action=/x><input name=u>", URL, None, ["u"])
    assert form is not None and form.action == "https://a.example/x"


def test_a_form_without_the_fields_is_none() -> None:
    assert find_form(b"<form><input name=u></form><input name=p>", URL, None, ["u", "p"]) is None
    assert find_form(b"", URL, None, ["u"]) is None


@given(
    st.lists(
        st.sampled_from(
            ["<form ", ">", "<input name=u ", "</form>", "action='", "<select name=u>", "\0", "<option value="]
        )
    )
)
def test_no_page_is_too_odd(pieces: list[str]) -> None:
    find_form("".join(pieces).encode(), URL, "utf-8", ["u"])


def test_a_page_full_of_fields_is_read_in_linear_time() -> None:
    page = b"<form>" + b"".join(b"<input name=n%d value=v>" % number for number in range(50_000))
    assert find_form(page, URL, None, ["missing"]) is None
