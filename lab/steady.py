"""Rules that all recorded times must keep. Times that break a rule come from a disturbed machine.

A gate around each run cannot detect a slow quarter of an hour. The results can. Work that is linear
in the size costs the same a byte at every size, and encryption with a keystream is its decryption.
Two threads share the work of one, and RC4 takes the same time for all key lengths after the
schedule. An experiment names the rules of its table; a table that breaks one is not recorded, and
no verdict rests on it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from lab.results import Results

WITHIN = 0.10  # by how much times that must agree may differ
LARGE = 10_000_000  # bytes from which on a cost per byte has nothing of a start-up in it
REFUSED = Path(__file__).parent / "refused.csv"

Rule = Callable[[pd.DataFrame], Iterator[str]]


def linear(by: Sequence[str], times: Sequence[str], size: str = "size_bytes", unit: int = 1, least: int = LARGE, where: str = "") -> Rule:
    """A byte costs the same at every size from `least` bytes on, in each series of rows that agree in `by`."""
    def check(table: pd.DataFrame) -> Iterator[str]:
        rows = table.query(where) if where else table
        large = rows[rows[size] * unit >= least]
        costs = large.assign(**{column: large[column] / large[size] for column in times})
        yield from differ(costs, by, times, "a byte costs more at one size than at another")
    return check


def same(by: Sequence[str], times: Sequence[str], what: str, where: str = "") -> Rule:
    """Rows that agree in `by` take the same time, whatever else they differ in, which is `what`."""
    def check(table: pd.DataFrame) -> Iterator[str]:
        yield from differ(table.query(where) if where else table, by, times, f"the time depends on {what}")
    return check


def both_ways(one: str, other: str, where: str = "") -> Rule:
    """Encryption and decryption take the same time, in every row."""
    def check(table: pd.DataFrame) -> Iterator[str]:
        rows = table.query(where) if where else table
        apart = rows[[one, other]].max(axis=1, skipna=False) / rows[[one, other]].min(axis=1)
        yield from fault(apart.to_dict(), f"{one} and {other} differ in a row")
    return check


def threads(by: Sequence[str], seconds: str, count: str = "threads", unit: float = 1.0, begin: float = 0.001) -> Rule:
    """More threads take no longer than one, except `begin` seconds to start them."""
    def check(table: pd.DataFrame) -> Iterator[str]:
        found: dict[str, float] = {}
        for name, rows in groups(table, by):
            times = rows.set_index(count)[seconds] * unit
            if 1 in times.index:
                found |= {f"{name}, {count} {more}": (times[more] - begin) / times[1] for more in times.index if more > 1}
        yield from fault(found, "several threads take longer than one")
    return check


def differ(table: pd.DataFrame, by: Sequence[str], times: Sequence[str], says: str) -> Iterator[str]:
    """One fault at most for each column of times: the worst of the groups that differ."""
    for column in times:
        yield from fault({name: rows[column].max(skipna=False) / rows[column].min() for name, rows in groups(table, by)}, f"{says} ({column})")


def groups(table: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Rows that agree in these columns, by what they agree in."""
    for name, rows in table.groupby(list(by), dropna=False) if by else [((), table)]:
        yield ", ".join(f"{column} {value}" for column, value in zip(by, name, strict=True)), rows


def fault(factors: Mapping, says: str) -> Iterator[str]:
    """The fault, if a factor is too large."""
    wrong = {name: factor for name, factor in factors.items() if not factor <= 1 + WITHIN}  # `not`: NaN is a fault too
    if wrong:
        worst = max(wrong, key=lambda name: wrong[name])
        where = f" ({worst})" if isinstance(worst, str) and worst else ""
        yield f"{says}: {len(wrong)} of {len(factors)} by more than {WITHIN:.0%}, the worst by {wrong[worst] - 1:.0%}{where}"


def faults(table: pd.DataFrame, rules: Sequence[Rule]) -> list[str]:
    """The faults of a table; empty if it keeps its rules."""
    return [each for rule in rules for each in rule(table)]


class Disturbed(RuntimeError):
    """A recorded table breaks one of its rules."""


class Sound(Results):
    """Results that refuse to return a disturbed table."""

    def __init__(self, results: Results, rules: Mapping[str, Sequence[Rule]]):
        self.study, self.folder = results.study, results.folder
        self.results, self.rules = results, rules
        self.found: dict[str, list[str]] = {}

    def __getitem__(self, experiment: str) -> pd.DataFrame:
        table = self.results[experiment]
        if experiment not in self.found:
            self.found[experiment] = faults(table, self.rules.get(experiment, ()))
        if self.found[experiment]:
            raise Disturbed(f"In `{experiment}`, {'; '.join(self.found[experiment])}.")
        return table


def accept(study: str, experiment: str) -> None:
    """Take an experiment that was recorded anew off the list."""
    left = sorted(refused() - {(study, experiment)})
    REFUSED.write_text("".join(f"{','.join(line)}\n" for line in [("study", "experiment"), *left]), "utf-8")


def refused() -> set[tuple[str, str]]:
    """The recorded experiments that break their rules and are to be measured again: study and experiment."""
    with REFUSED.open(encoding="utf-8", newline="") as lines:
        return {(row["study"], row["experiment"]) for row in csv.DictReader(lines)}
