"""What a study is made of: the claims of a paper, and what measures, draws and judges them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import altair as alt

    from lab.bench import Bench
    from lab.results import Results


class Status(StrEnum):
    """The closed list of verdicts on a claim."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    FAILS = "does not hold"
    UNTESTABLE = "cannot be tested here"


@dataclass(frozen=True)
class Claim:
    """A table, figure or statement of the paper, as `claims.toml` of the study lists it."""

    id: str  # unique in the study, used in file names and links: "table-4"
    label: str  # as the paper numbers it: "Table 4", "Graph 7", "§5.2"
    caption: str  # the paper's caption, or the statement in one sentence
    how: str  # how it is reproduced here, in one sentence
    where: str = ""  # section of the paper
    unit: str = ""  # of the numbers in claims/<id>.csv


@dataclass(frozen=True)
class Experiment:
    """Measures something once: `run` returns a tidy table, which becomes `<id>.csv`."""

    id: str
    title: str
    run: Callable[[Bench], pd.DataFrame]
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table of ours beside the paper's, for reading: columns named with their units."""

    id: str
    title: str
    build: Callable[[Results], pd.DataFrame]
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """A chart drawn from results and claims; `draw` computes nothing that needs measuring."""

    id: str
    title: str
    alt: str  # what a reader who cannot see the chart should know
    draw: Callable[[Results], alt.TopLevelMixin]
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What we say of a claim; `text` quotes figures out of the results, never typed in."""

    claim: str
    status: Status
    text: str


@dataclass(frozen=True)
class Study:
    """A paper (or a body of literature) and everything that reproduces it."""

    name: str  # the folder under lab/
    title: str
    authors: str
    year: int
    summary: str  # two or three sentences for the head of its page
    experiments: tuple[Experiment, ...]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    verdicts: Callable[[Results], list[Verdict]]
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(__file__).parent / self.name)

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """The study's claims by their id, in the paper's order."""
        listed = tomllib.loads((self.folder / "claims.toml").read_text("utf-8"))["claim"]
        claims = {entry["id"]: Claim(**entry) for entry in listed}
        if len(claims) != len(listed):
            raise ValueError(f"{self.name}/claims.toml: an id stands twice")
        return claims

    def paper(self, claim: str) -> pd.DataFrame:
        """The paper's own numbers for a claim: `claims/<id>.csv`, as printed."""
        return pd.read_csv(self.folder / "claims" / f"{claim}.csv", comment="#")
