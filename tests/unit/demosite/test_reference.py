from __future__ import annotations

from random import Random
from urllib.parse import urljoin

import pytest

from gossamer.demosite.reference import relative, written


@pytest.mark.parametrize(
    ("folder", "target", "expected"),
    [
        ("/", "/a.html", "a.html"),
        ("/", "/", "./"),
        ("/a/", "/", "../"),
        ("/a/", "/a/", "./"),
        ("/a/", "/a/b.html", "b.html"),
        ("/a/b/", "/a/", "../"),
        ("/a/b/", "/c/d.html", "../../c/d.html"),
        ("/a/b/", "/a/c/d.html", "../c/d.html"),
    ],
)
def test_a_relative_reference_goes_up_to_the_common_folder_and_down_again(
    folder: str, target: str, expected: str
) -> None:
    assert relative(folder, target) == expected


def test_every_written_form_means_the_target() -> None:
    random = Random(1)
    forms = set()
    for _ in range(500):
        folder = random.choice(["/", "/a/", "/a/b/", "/c/"])
        target = random.choice(["/", "/a/", "/a/x.html", "/a/b/y.html", "/c/d/z.html"])
        form = written(random, folder, target, "http://h:1")
        forms.add(form)
        assert urljoin(f"http://h:1{folder}page.html", form) == f"http://h:1{target}"
    assert any(form.startswith("//") for form in forms) and any("detour" in form for form in forms)
