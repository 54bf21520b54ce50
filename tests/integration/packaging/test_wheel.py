"""The wheel that is published: complete, installable where nothing is installed, and honest about what it needs."""

from __future__ import annotations

import ast
import email.message
import email.parser
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from gossamer.version import __version__

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "gossamer"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=ROOT, check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.parser.Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the wheel; what it needs is lent from this one by path.

    Lent packages bring no entry points and no editable installs along: what runs is what the wheel holds.
    """
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(home), "install", "--quiet", "--no-deps", "--no-index", str(wheel)],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n" + sysconfig.get_path("platlib") + "\n")
    return home / "bin"


def _run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env={"PATH": ""}, capture_output=True, text=True, timeout=60)


def test_the_installed_program_runs_and_tells_its_version(environment: Path, tmp_path: Path) -> None:
    ran = _run(environment / "gossamer", "--version", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"gossamer {__version__}\n", "")
    as_module = _run(environment / "python", "-m", "gossamer", "--version", cwd=tmp_path)
    assert as_module.stdout == ran.stdout


def test_what_runs_comes_from_the_wheel(environment: Path, tmp_path: Path) -> None:
    ran = _run(environment / "python", "-c", "import gossamer; print(gossamer.__file__)", cwd=tmp_path)
    assert Path(ran.stdout.strip()).is_relative_to(environment.parent)


def test_every_module_of_the_wheel_can_be_imported(environment: Path, tmp_path: Path) -> None:
    modules = [
        ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for file in SOURCE.rglob("*.py")
        if file.name != "__main__.py"
    ]
    ran = _run(environment / "python", "-W", "error", "-c", f"import {', '.join(sorted(modules))}", cwd=tmp_path)
    assert ran.stderr == ""
    assert ran.returncode == 0


def test_the_wheel_holds_the_package_the_licence_and_no_stranger(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"gossamer", f"gossamer-{__version__}.dist-info"}
    packaged = {name for name in names if name.startswith("gossamer/")}
    assert packaged == {
        str(file.relative_to(SOURCE.parent))
        for file in SOURCE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert "gossamer/py.typed" in packaged
    assert any(name.endswith("/licenses/LICENSE") for name in names)


def test_the_metadata_says_what_it_is(metadata: email.message.Message) -> None:
    assert metadata["Name"] == "gossamer"
    assert metadata["Version"] == __version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"


OURS = {"gossamer", "gossamer_native"}
"""The second is the extension, which is optional and requires nothing."""


def _imported_modules() -> Iterator[str]:
    """Top-level names of everything the source imports, inside functions, too."""
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]


def test_the_wheel_requires_exactly_what_the_source_imports(metadata: email.message.Message) -> None:
    owners = packages_distributions()
    foreign = {name for name in _imported_modules() if name not in sys.stdlib_module_names | OURS}
    required = {
        canonicalize_name(Requirement(text).name)
        for text in metadata.get_all("Requires-Dist", [])
        if "extra ==" not in text
    }
    imported = set()
    for name in foreign:
        # A distribution that is one extension module lists no package; it is called like its module. And a module may
        # come with several distributions where tools beside Gossamer are installed: one of them is enough.
        candidates = {canonicalize_name(owner) for owner in owners.get(name, [name])}
        imported |= candidates & required or candidates
    assert required - imported == set(), "required and never imported"
    assert imported - required == set(), "imported and not required"


def test_every_requirement_is_met_by_the_lock_and_has_hashes(metadata: email.message.Message) -> None:
    text = (ROOT / "requirements.lock").read_text()
    entries = [entry for entry in text.replace("\\\n", " ").splitlines() if "==" in entry]
    locked = {}
    for entry in entries:
        requirement = Requirement(entry.partition("--hash")[0].strip())
        assert "--hash=sha256:" in entry, requirement.name
        locked[canonicalize_name(requirement.name)] = str(requirement.specifier).removeprefix("==")
    for required in map(Requirement, metadata.get_all("Requires-Dist", [])):
        assert required.specifier.contains(locked[canonicalize_name(required.name)]), f"scripts/lock: {required}"


def test_no_file_of_the_packaging_names_an_index() -> None:
    files = [
        "pyproject.toml",
        "requirements.lock",
        ".ci/run",
        *(f"scripts/{file.name}" for file in (ROOT / "scripts").iterdir()),
    ]
    for name in files:
        text = (ROOT / name).read_text()
        for word in ("index-url", "--find-links ", "trusted-host", "pypi"):
            assert word not in text.replace("--no-emit-index-url", "").replace("--no-emit-find-links", ""), (
                f"{name}: {word}"
            )
