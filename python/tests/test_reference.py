"""The reference as pages: pdoc writes one for every module, with every name that it offers."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MODULES = ("arcfour", "arcfour.campaign", "arcfour.statistics", "arcfour.compat.cryptography")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    command = [sys.executable, "-m", "pdoc", "--output-directory", str(folder), *MODULES]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", MODULES)
def test_every_name_has_its_place(name: str, pages: Path) -> None:
    module = importlib.import_module(name)
    text = (pages / (name.replace(".", "/") + ".html")).read_text("utf-8")
    for member in module.__all__:
        value = getattr(module, member)
        if not member.startswith("_") and not inspect.ismodule(value):
            assert f'id="{member}"' in text, member
