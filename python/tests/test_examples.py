"""The examples in the documentation."""

from __future__ import annotations

import doctest
from pathlib import Path

import arcfour
import pytest
from arcfour import ARC4, campaign, openssl, statistics
from arcfour.compat import cryptography

HERE = Path(__file__).parents[1]


@pytest.mark.parametrize(("name", "examples"), [("README.md", 11), ("DESCRIPTION.md", 2)])
def test_texts(name: str, examples: int) -> None:
    result = doctest.testfile(str(HERE / name), module_relative=False)
    assert result.attempted >= examples
    assert result.failed == 0


@pytest.mark.parametrize("module", [arcfour, ARC4, openssl, statistics, campaign, cryptography])
def test_modules(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
