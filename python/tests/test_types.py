"""The stubs say what the compiled module has, and everything is typed; warnings are errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import arcfour

HERE = Path(__file__).parents[1]

# Stubtest keeps no cache, so it would read all of NumPy's types each time. That ours agree with
# those is mypy's to say.
SETTINGS = """\
[mypy]
mypy_path = python
[mypy-numpy.*,distributed.*,tqdm.*]
follow_imports = skip
ignore_missing_imports = true
"""


def test_the_stubs_say_what_the_module_has(tmp_path: Path) -> None:
    settings = tmp_path / "mypy.ini"
    settings.write_text(SETTINGS)
    result = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", settings, "arcfour"],
        cwd=HERE,
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in result.stderr


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(arcfour.__file__).parent / "py.typed").exists()
