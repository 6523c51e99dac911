"""What is published: the metadata, and a source distribution that has all it needs."""

from __future__ import annotations

import email
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import markdown2
import pytest
from trove_classifiers import classifiers

HERE = Path(__file__).parents[1]
ROOT = HERE.parent
LICENCES = ("LICENSE-APACHE", "LICENSE-MIT")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, by the build backend."""
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "maturin", "sdist", "--out", str(folder)]
    done = subprocess.run(command, cwd=HERE, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


def describes(found: email.message.Message) -> None:
    """Check metadata of a distribution."""
    assert found["Name"] == "arcfour"
    assert found["Version"] == metadata.version("arcfour")
    assert found["License-Expression"] == "MIT OR Apache-2.0"
    assert sorted(found.get_all("License-File") or []) == sorted(LICENCES)
    assert found["Requires-Python"] == ">=3.11"
    named = found.get_all("Classifier") or []
    assert set(named) <= classifiers
    assert f"Programming Language :: Python :: 3.{sys.version_info.minor}" in named
    text = str(found.get_payload() or found["Description"])
    assert text.index("RC4 is broken") < text.index(">>>")
    assert not [link for link in links(text) if not link.startswith("https://")]


def links(text: str) -> list[str]:
    """Where the links and pictures of a text in Markdown lead."""
    html = markdown2.markdown(text, extras=["tables", "fenced-code-blocks"])
    return re.findall(r'(?:href|src)="([^"]*)"', html)


def test_the_installed_package() -> None:
    found = metadata.distribution("arcfour")
    describes(email.message_from_string(found.read_text("METADATA") or ""))
    for name in LICENCES:
        assert found.read_text(f"licenses/{name}") == (ROOT / name).read_text("utf-8")


def test_the_source_distribution(sdist: Path) -> None:
    """It has the licences, the lock file, and nothing that was built or lies outside of it."""
    with tarfile.open(sdist) as archive:
        top = f"arcfour-{metadata.version('arcfour')}"
        members = {Path(member.name).relative_to(top): member for member in archive.getmembers()}
        assert all(member.isfile() for member in members.values())
        names = {str(name) for name in members}
        assert {*LICENCES, "PKG-INFO", "pyproject.toml"} <= names
        assert any(name.endswith("Cargo.lock") for name in names)
        assert not {name for name in names if name.endswith((".so", ".pyc", ".pyd"))}
        for name in LICENCES:
            text = archive.extractfile(members[Path(name)])
            assert text is not None
            assert text.read() == (ROOT / name).read_bytes()
        info = archive.extractfile(members[Path("PKG-INFO")])
        assert info is not None
        describes(email.message_from_binary_file(info))


TRIAL = """
from arcfour import ARC4, statistics
assert ARC4.new(b"Key").encrypt(b"Plaintext").hex() == "bbf316e8d940af0ad3"
assert statistics.single_byte(1000, 2).sum() == 2000
"""


def made(machine: str) -> Path:
    """The wheel for a machine, as `make wheel` made it."""
    (wheel,) = (ROOT / "target" / "wheels").glob(
        f"arcfour-*-cp311-abi3-*manylinux_2_17_{machine}*.whl"
    )
    return wheel


@pytest.mark.full
@pytest.mark.parametrize(("machine", "number"), [("x86_64", 62), ("aarch64", 183)])
def test_wheels(machine: str, number: int) -> None:
    """Their code is for the machine, by ELF's number, and for systems with glibc 2.17 and later.

    Nothing names the folder of the build.
    """
    with zipfile.ZipFile(made(machine)) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    (code,) = (content for name, content in contents.items() if name.endswith(".so"))
    assert [name for name, content in contents.items() if bytes(ROOT) in content] == []
    assert int.from_bytes(code[18:20], "little") == number
    wanted = re.findall(rb"GLIBC_2\.(\d+)", code)
    assert wanted
    assert max(map(int, wanted)) <= 17


@pytest.mark.full
@pytest.mark.skipif(platform.machine() != "x86_64", reason="runs the wheel for x86-64")
def test_the_wheel_runs(tmp_path: Path) -> None:
    for python in pythons():
        tries(str(made("x86_64")), tmp_path / python, python)


@pytest.mark.full
@pytest.mark.timeout(3600)  # a release build, on a slow machine too
def test_it_builds_outside_the_repository(sdist: Path, tmp_path: Path) -> None:
    """In an empty environment and another folder, by pip: cargo is all that it needs."""
    tries(str(sdist), tmp_path, sys.executable)


def pythons() -> list[str]:
    """The versions that the metadata names and this machine has, this one among them."""
    text = (HERE / "pyproject.toml").read_text("utf-8")
    names = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)
    commands = [f"python{name}" for name in names]
    return [name for name in commands if runs(name)]


def runs(python: str) -> bool:
    """Whether there is such a program, and no stand-in for one."""
    return (
        bool(shutil.which(python)) and subprocess.run([python, "-V"], check=False).returncode == 0
    )


def tries(distribution: str, folder: Path, interpreter: str) -> None:
    """Install a distribution in a new environment, and use it."""
    folder.mkdir(exist_ok=True)
    subprocess.run([interpreter, "-m", "venv", str(folder / "venv")], check=True)
    python = str(folder / "venv" / "bin" / "python")
    for command in (["-m", "pip", "install", "--quiet", distribution], ["-c", TRIAL]):
        done = subprocess.run(
            [python, *command], cwd=folder, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
