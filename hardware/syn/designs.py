"""The designs that the scripts of this folder measure, read from designs.toml."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parent / "designs.toml"


@dataclass(frozen=True)
class Design:
    """An entry of designs.toml, which explains the fields."""

    name: str
    entity: str
    generics: dict[str, int]
    words: int
    targets_fo4: list[float]
    core: str | None = None
    clock: str = "clk_i"
    flip_flops: int | None = None
    split: bool = False
    headline: bool = False
    no_rw_check: bool = False
    record: bool = True


def designs() -> dict[str, Design]:
    """Every entry of designs.toml by its name, in the order of the file."""
    table = tomllib.loads(FILE.read_text())
    return {name: Design(name=name, **entry) for name, entry in table.items()}
