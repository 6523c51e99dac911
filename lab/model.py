"""The parts of a study: the claims of a paper, and the functions that measure, draw and judge them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from lab import wording
from lab.judge import Judge, Verdict
from lab.results import NotMeasured, Results
from lab.steady import Disturbed, Rule, Sound

if TYPE_CHECKING:
    from altair import TopLevelMixin

    from lab.bench import Bench


NUMBERED = re.compile(r"(table|figure|fig\.|graph) [0-9IVX]", re.IGNORECASE)


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
    title: str = ""  # what it is about in a few words, where its number does not say; else its label stands alone
    quoted: bool = False  # the caption is the paper's own, word for word
    verdict: str = ""  # the sentences of our verdict, with the names of its figures: see wording.py
    conditions: Mapping[str, str] = field(default_factory=dict)  # the sentence of each condition by its name, likewise

    @property
    def numbered(self) -> bool:
        """Whether it is a table, figure or graph that the paper numbers."""
        return bool(NUMBERED.match(self.label))


KINDS = ("statement", "system", "option", "outlook", "contradiction")


@dataclass(frozen=True)
class Experiment:
    """Measures something once: `run` returns a tidy table, which becomes `<id>.csv`."""

    id: str
    title: str
    run: Callable[[Bench], pd.DataFrame]
    claims: tuple[str, ...]
    takes: tuple[str, ...] = ()  # which of --key, --sizes, --threads, --file it obeys
    rules: tuple[Rule, ...] = ()  # the rules that its times must keep, unless the machine was disturbed


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
    alt: str  # a description for readers who cannot see the chart
    draw: Callable[[Results], TopLevelMixin]
    claims: tuple[str, ...]


Cell = float | int | str | bool | None  # the types of a cell


@dataclass(frozen=True)
class Column:
    """A column of a `Grid`: its head, and the unit of its figures (`lab.report.numbers` writes it with a prefix)."""

    title: str
    unit: str = ""
    digits: int = 3  # significant ones that are written


@dataclass(frozen=True)
class Grid:
    """A table of the paper in the paper's own shape; each cell is the paper's figure and ours.

    Ours is `True` or `False` if it confirms or refutes the paper's statement, and `None` without a
    figure.
    """

    corner: str  # head of the row's names
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[tuple[Cell, Cell], ...]], ...]  # a name, and a pair for each column
    note: str = ""  # a description of ours, and its differences from the paper's

    @classmethod
    def of(cls, corner: str, table: pd.DataFrame, name: str, columns: Mapping[Column, Any], pair: Callable[[dict, Any], tuple[Cell, Cell]], note: str = "") -> Grid:
        """A row for each row of a table: a template makes its name. `pair` makes a cell of the row and of what stands for the column."""
        rows = table.to_dict("records")
        return cls(corner, tuple(columns), tuple((name.format(**row), tuple(pair(row, key) for key in columns.values())) for row in rows), note)


@dataclass(frozen=True)
class Beside:
    """A table of the paper with ours in its cells."""

    claim: str
    build: Callable[[Results], Grid]
    title: str = ""  # where a claim has several


@dataclass(frozen=True)
class Diagram:
    """A drawing of structure, in the language of Graphviz: a circuit, a mechanism."""

    id: str
    title: str
    alt: str
    dot: str
    claims: tuple[str, ...]
    sources: tuple[str, ...] = ()  # files of this repository that build the drawn design


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
    beside: tuple[Beside, ...] = ()
    diagrams: tuple[Diagram, ...] = ()
    short: str = ""  # a few words for the navigation; else its name
    literature: bool = False  # of many authors since `year`, not one paper
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(__file__).parent / self.name)

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """The study's claims by their id, in the paper's order."""
        listed = wording.listed(self.name)["claim"]
        claims = {entry["id"]: Claim(**entry) for entry in listed}
        if len(claims) != len(listed):
            raise ValueError(f"{self.name}/claims.toml: an id stands twice")
        return claims

    def sound(self, results: Results) -> Sound:
        """Its results without those that a disturbance spoilt."""
        return Sound(results, {each.id: each.rules for each in self.experiments})

    def verdicts(self, results: Results) -> list[Verdict]:
        """One for each claim, in the paper's order; a claim whose experiment has no record says so."""
        sound = self.sound(results)
        found = [verdict for judge in self.judges for verdict in answers(judge, sound)]
        order = list(self.claims)
        return sorted(found, key=lambda verdict: order.index(verdict.claim))


def answers(judge: Judge, results: Results) -> list[Verdict]:
    """A judge's verdicts on its claims, or that an experiment has no record or a disturbed one."""
    try:
        found = judge.run(results)
    except NotMeasured as missing:
        return [Verdict(claim, text=str(missing), pending=True) for claim in judge.claims]
    except Disturbed as why:
        return [Verdict(claim, text=f"The machine was disturbed. No figure of this run is judged. {why}", disturbed=True) for claim in judge.claims]
    return [wording.said(results.study, each) for each in found]
