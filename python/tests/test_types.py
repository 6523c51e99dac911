"""The stubs say what the compiled module has, and everything is typed; warnings are errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import arcfour

HERE = Path(__file__).parents[1]


def test_the_stubs_say_what_the_module_has() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", "pyproject.toml", "arcfour"],
        cwd=HERE,
        env={**os.environ, "MYPY_CACHE_DIR": f"{sys.prefix}/mypy-cache"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in result.stderr


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(arcfour.__file__).parent / "py.typed").exists()
