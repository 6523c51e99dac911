"""What the tests share."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> Iterator[None]:
    """Interrupts are not ignored, as they are where a shell began the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def vectors(name: str) -> Iterator[list[str]]:
    """The rows of a file of ../vectors."""
    for line in (ROOT / "vectors" / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split()


def outcome(call: Callable[[], Any]) -> object:
    """What it returns, or the type of what it raises."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001  # any of them is compared
        return type(error)


@pytest.fixture
def kit() -> Path:
    """The container's test kit: a sealed file per fault."""
    return ROOT / "container" / "testkit"
