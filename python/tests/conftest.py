"""What the tests share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


def vectors(name: str) -> Iterator[list[str]]:
    """The rows of a file of ../vectors."""
    for line in (ROOT / "vectors" / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split()


@pytest.fixture
def kit() -> Path:
    """The container's test kit: a sealed file per fault."""
    return ROOT / "container" / "testkit"
