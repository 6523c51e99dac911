"""The published figures of each event, with ours in the same cells."""

from __future__ import annotations

from lab.biases.tables import checks
from lab.biases.verdicts import EVENTS
from lab.model import Beside, Column, Grid
from lab.results import Results


def events(claim: str, pattern: str):
    """The events of a claim: how many times as often as chance, and how clearly."""
    def build(results: Results) -> Grid:
        table = checks(results)
        found = table[table.event.str.fullmatch(pattern)]
        rows = tuple((row.event, ((row.published / row.chance, row.measured / row.chance), (round(row.expected_sigma, 1), round(row.sigma, 1)))) for row in found.itertuples())
        return Grid("event", (Column("probability over chance", digits=5), Column("z-score: expected, and seen", "σ")), rows,
                    f"In {found.trials.max():,} trials.")
    return Beside(claim, build)


BESIDE = tuple(events(claim, pattern) for claim, pattern in EVENTS.items())
