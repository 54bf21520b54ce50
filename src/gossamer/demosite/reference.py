"""The ways a link can be written: relative, from the root, in full, without scheme, with detours.

Every form resolves, by the WHATWG URL Standard, to the URL of `target` on `origin`.
"""

from __future__ import annotations

from random import Random


def relative(folder: str, target: str) -> str:
    """`target` (an absolute path) as seen from `folder` (an absolute path that ends in a slash)."""
    if target.startswith(folder):
        return target[len(folder) :] or "./"
    here, there = folder.split("/")[1:-1], target.split("/")[1:]
    common = 0
    while common < min(len(here), len(there) - 1) and here[common] == there[common]:
        common += 1
    return "../" * (len(here) - common) + "/".join(there[common:]) or "./"


def written(random: Random, folder: str, target: str, origin: str) -> str:
    """`target` in one of the forms, as often as they are met in manuals."""
    dice = random.random()
    if dice < 0.80:
        return relative(folder, target)
    if dice < 0.90:
        return target
    if dice < 0.93:
        return origin + target
    if dice < 0.95:
        return origin.partition(":")[2] + target
    if dice < 0.98:
        return "./" + relative(folder, target)
    return relative(folder, target[: target.rindex("/") + 1] + "detour/../" + target[target.rindex("/") + 1 :])
