"""`scripts/`: an environment made once, on first use, from the lock alone.

The scripts are the real ones, and so are venv and pip; the project they stand in is a tiny one whose build needs no
package, so that nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"

BACKEND = """
import zipfile
INFO = "gossamer-1.dist-info"
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "gossamer-1-py3-none-any.whl"
    import pathlib
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        wheel.writestr("gossamer.pth", str(pathlib.Path("src").absolute()))
        wheel.writestr(INFO + "/METADATA", "Metadata-Version: 2.1\\nName: gossamer\\nVersion: 1\\n")
        wheel.writestr(INFO + "/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(INFO + "/RECORD", "")
    return name
"""
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "gossamer"
version = "1"
"""
MAIN = "import locked, os, sys; print(locked.VALUE, os.getcwd(), sys.argv[1:])"


def _add_package(wheels: Path, version: int, value: str | None = None, package: str = "locked") -> str:
    """A wheel of a package; returns its line for the lock."""
    file = wheels / f"{package}-{version}-py3-none-any.whl"
    info = f"{package}-{version}.dist-info"
    contents = {
        f"{package}.py": f"VALUE = {value or version}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = []
    with zipfile.ZipFile(file, "w") as wheel:
        for name, text in contents.items():
            wheel.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(text)}\n")
        wheel.writestr(f"{info}/RECORD", "".join(rows) + f"{info}/RECORD,,\n")
    return f"{package}=={version} --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


class Project:
    """A tiny project with the real scripts."""

    def __init__(self, home: Path) -> None:
        self.root = home / "a project"
        self.wheels = home / "wheels"
        self.elsewhere = home / "elsewhere"
        for folder in (self.root / "src" / "gossamer", self.wheels, self.elsewhere):
            folder.mkdir(parents=True)
        shutil.copytree(SCRIPTS, self.root / "scripts")
        (self.root / "pyproject.toml").write_text(PYPROJECT)
        (self.root / "backend.py").write_text(BACKEND)
        (self.root / "src" / "gossamer" / "__init__.py").write_text("")
        (self.root / "src" / "gossamer" / "__main__.py").write_text(MAIN)
        self.lock(1)

    def lock(self, version: int) -> None:
        (self.root / "requirements.lock").write_text(_add_package(self.wheels, version))

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        environment = os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)} | environment
        return subprocess.Popen(
            [self.root / "scripts" / "gossamer", *arguments], cwd=self.elsewhere, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *arguments: str, **environment: str) -> tuple[str, str, int]:
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=300)
        return out, err, process.returncode


def _path_without_python(folder: Path) -> str:
    """A PATH with all that the scripts need but a Python that is new enough."""
    folder.mkdir()
    for name in ("awk", "bash", "cat", "cksum", "dirname", "env", "mv", "readlink"):
        (folder / name).symlink_to(shutil.which(name) or name)
    (folder / "python3").write_text("#!/bin/sh\nexit 1\n")
    (folder / "python3").chmod(0o755)
    return str(folder)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.slow
def test_the_environment_is_made_once_from_what_is_locked(project: Project, tmp_path: Path) -> None:
    # A package that is not the locked one is refused, and the next start tries again.
    right = project.wheels / "locked-1-py3-none-any.whl"
    right.rename(project.wheels / "right")
    _add_package(project.wheels, 1, value="'something else'")
    out, err, code = project.run()
    assert (out, code) == ("", 1)
    assert "DO NOT MATCH THE HASHES" in err
    assert "could not install the packages of requirements.lock" in err
    (project.wheels / "right").rename(right)

    # The extension that was built here before comes along.
    built = project.root / "native" / "target" / "wheels"
    built.mkdir(parents=True)
    _add_package(built, 7, package="gossamer_native")

    # Two at once: both run, one makes it.
    both = [project.start("crawl", "two words", "*"), project.start("--version")]
    ended = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    assert [out for out, _ in ended] == [
        f"1 {project.elsewhere} ['crawl', 'two words', '*']\n",
        f"1 {project.elsewhere} ['--version']\n",
    ]
    assert sorted(len(err.splitlines()) for _, err in ended) == [0, 1]
    assert "making its environment" in "".join(err for _, err in ended)
    python = project.root / ".venv" / "bin" / "python"
    assert subprocess.check_output([python, "-c", "import gossamer_native as n; print(n.VALUE)"], text=True) == "7\n"

    # From then on it is quiet, needs no other Python, and takes no module from the folder one stands in.
    (project.elsewhere / "locked.py").write_text("VALUE = 'hijacked'")
    nowhere = _path_without_python(tmp_path / "bin")
    assert project.run("x", PATH=nowhere) == (f"1 {project.elsewhere} ['x']\n", "", 0)

    # A changed pyproject only installs the project again, without a word.
    with (project.root / "pyproject.toml").open("a") as file:
        file.write("description = 'changed'\n")
    assert project.run() == (f"1 {project.elsewhere} []\n", "", 0)

    # A changed lock is noticed.
    project.lock(2)
    assert project.run(PATH=nowhere)[2] == 1


def test_a_python_that_is_too_old_or_missing_is_named(project: Project, tmp_path: Path) -> None:
    out, err, code = project.run(PATH=_path_without_python(tmp_path / "bin"))
    assert (out, code) == ("", 1)
    assert err.startswith("gossamer: needs Python 3.11 or newer; none was found")


def test_without_cargo_the_extension_is_not_built_and_that_is_said(project: Project, tmp_path: Path) -> None:
    (project.root / "native").mkdir()
    environment = os.environ | {"PATH": _path_without_python(tmp_path / "bin")}
    ran = subprocess.run([project.root / "scripts" / "native"], env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "there is no cargo (Rust) on the PATH; nothing else needs it" in ran.stderr
    assert not (project.root / ".venv").exists()
