"""What a study is made of: the claims of a paper, and what measures, draws and judges them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from lab.judge import Judge, Verdict
from lab.results import NotMeasured, Results

if TYPE_CHECKING:
    import altair as alt

    from lab.bench import Bench


@dataclass(frozen=True)
class Claim:
    """A table, figure or statement of the paper, as `claims.toml` of the study lists it."""

    id: str  # unique in the study, used in file names and links: "table-4"
    label: str  # as the paper numbers it: "Table 4", "Graph 7", "§5.2"
    caption: str  # the paper's caption, or the statement in one sentence
    how: str  # how it is reproduced here, in one sentence
    where: str = ""  # section of the paper
    unit: str = ""  # of the numbers in claims/<id>.csv
    kind: str = "statement"  # what it is in the paper: a key of KINDS, for those that are not numbered
    argument: bool = False  # our answer is reasoning and not a measurement


KINDS = ("statement", "system", "option", "outlook", "contradiction")


@dataclass(frozen=True)
class Experiment:
    """Measures something once: `run` returns a tidy table, which becomes `<id>.csv`."""

    id: str
    title: str
    run: Callable[[Bench], pd.DataFrame]
    claims: tuple[str, ...]
    takes: tuple[str, ...] = ()  # which of --key, --sizes, --threads, --file it obeys


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
    judges: tuple[Judge, ...]
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

    def verdicts(self, results: Results) -> list[Verdict]:
        """One for each claim, in the paper's order; a claim whose experiment has no record says so."""
        found: list[Verdict] = []
        for judge in self.judges:
            try:
                found += judge.run(results)
            except NotMeasured as missing:
                found += [Verdict(claim, str(missing), pending=True) for claim in judge.claims]
        order = list(self.claims)
        return sorted(found, key=lambda verdict: order.index(verdict.claim))
