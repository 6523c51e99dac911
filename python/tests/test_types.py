"""The stubs say what the compiled module has, and everything is typed; warnings are errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import arcfour
import pytest

HERE = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ["mypy.stubtest", "--mypy-config-file", "pyproject.toml", "arcfour"],
        ["mypy", "--no-incremental", "--package", "arcfour"],
        ["mypy", "--no-incremental", "tests"],
        ["ruff", "check", "--no-cache", "."],
        ["ruff", "format", "--no-cache", "--check", "."],
    ],
    ids=" ".join,
)
def test_static(command: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=HERE, check=False, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in result.stderr


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(arcfour.__file__).parent / "py.typed").exists()


def test_stubtest_sees_a_wrong_stub(tmp_path: Path) -> None:
    """The check above can fail."""
    stub = tmp_path / "arcfour"
    stub.mkdir()
    for path in Path(arcfour.__file__).parent.glob("*.py*"):
        if path.suffix in {".py", ".pyi"}:
            text = path.read_text().replace("drop: int = 0) -> Cipher", "drops: int) -> Cipher")
            (stub / path.name).write_text(text)
    result = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "arcfour"],
        cwd=HERE,
        env={"MYPYPATH": str(tmp_path), "PATH": ""},
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert "arcfour._native.new is inconsistent" in result.stdout
