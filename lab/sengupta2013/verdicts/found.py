"""The results by name, and the figures that several verdicts need."""

from __future__ import annotations

from math import nan
from typing import Any

import pandas as pd

from lab.judge import Check
from lab.results import Results
from lab.sengupta2013 import tables


# The copies of Design 2 whose ports are shared, whichever way their schedule goes; and all.
SHARED = ("rc4_design2", "rc4_design2_ksa1")
DESIGN_2 = (*SHARED, "rc4_design2_unshared")


def fastest(rows: pd.DataFrame, designs: tuple[str, ...]) -> str:
    """The fastest of these designs that is among the rows."""
    return rows.gbit_per_s[rows.index.intersection(designs)].idxmax()


class Found:
    """The results, asked by name."""

    def __init__(self, results: Results):
        self.results = results
        self.rules = results.rows("cases")
        self.clocks = results.rows("clocks")
        self.synthesised = tables.synthesised(results)
        self.unrolling = results.rows("unrolling")
        self.software = results["software"]
        self.waves = results["waveform"]
        self.placed = tables.placed(results)
        self.paper6 = results.paper("table-6").set_index("design")
        self.paper5 = self.synthesised[self.synthesised.source == "paper"].set_index(["design", "technology_nm"])
        ours = self.synthesised[self.synthesised.source == "ours"]
        # The first library that has most of the designs is the one the text speaks of.
        self.process = ours.groupby("process", sort=False).size().idxmax()
        self.ours = ours[ours.process == self.process].set_index("id")

    def has(self, *designs: str) -> bool:
        """Whether all of these are synthesised."""
        return set(designs) <= set(self.ours.index)

    @property
    def fo4(self) -> str:
        """What the libraries of our flow have for it."""
        ours = self.synthesised[self.synthesised.source == "ours"].drop_duplicates("process")
        return ", ".join(f"{row.process} has {row.fo4_ps / tables.NANOMETRES[row.process]:.3g}" for row in ours.itertuples())

    def missing(self, *designs: str) -> str:
        """The names of those that are not."""
        return ", ".join(tables.name(design) for design in designs if design not in self.ours.index)

    def cell(self, design: str, column: str) -> float:
        """A figure of a synthesised core; not a number, where a quick run leaves it out."""
        return self.ours[column].get(design, nan)

    def rule(self, claim: str) -> tuple[int, int]:
        """How often a claim's rules were met, and wrong."""
        each = self.rules.loc[claim]
        return int(each.met.sum()), int(each.wrong.sum())


def as_serial(found: Found, claim: str) -> Check:
    """That a claim's rules are right."""
    return Check("serial", found.rule(claim)[1] == 0)


def right(found: Found, claim: str) -> dict[str, Any]:
    """A claim's rules on random states, for its template."""
    met, wrong = found.rule(claim)
    return {"right": wrong == 0, "wrong": wrong, "states": met}


def built(found: Found, *designs: str) -> dict[str, Any]:
    """The cores that have a circuit and how much of their keystream is RC4's, for its template."""
    return {"designs": " and ".join(tables.name(design) for design in designs), "bytes": found.clocks.loc[list(designs)].words_compared.min()}


def begins(found: Found, design: str, signal: str) -> int:
    """The first clock in which a stage works, or a port is high."""
    rows = found.waves[(found.waves.design == design) & found.waves.signal.str.startswith(signal) & (found.waves.value == 1)]
    return int(rows.clock.min())

