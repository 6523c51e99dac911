"""The stubs say what the compiled module has, and everything is typed; warnings are errors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import arcfour

HERE = Path(__file__).parents[1]
# The package as it is where `cryptography`, which some classes then derive from, is not installed.
STUBTEST = """
import sys
sys.modules["cryptography"] = None
from mypy.stubtest import main
sys.exit(main())
"""
PYRIGHT = (sys.executable, "-m", "pyright")


def test_the_stubs_say_what_the_module_has() -> None:
    result = subprocess.run(
        [sys.executable, "-c", STUBTEST, "--mypy-config-file", "pyproject.toml", "arcfour"],
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


def test_pyright_knows_every_type() -> None:
    """It looks at the installed package, and not at the types of numpy and dask."""
    folder = Path(sys.executable).parent
    result = subprocess.run(
        [*PYRIGHT, "--verifytypes", "arcfour", "--ignoreexternal", "--outputjson"],
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        check=False,
        capture_output=True,
        text=True,
    )
    found = json.loads(result.stdout)["typeCompleteness"]
    assert found["exportedSymbolCounts"]["withKnownType"] > 100
    faults = [
        f"{symbol['name']}: {fault['message']}"
        for symbol in found["symbols"]
        for fault in symbol["diagnostics"]
        if symbol["name"].startswith("arcfour")
    ]
    assert (found["completenessScore"], faults) == (1, [])
