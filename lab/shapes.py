"""Shapes of tables that several studies have: as recorded, a column for each value, shares with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from lab.results import Results


def counted(count: float, noun: str) -> str:
    """`1 core`, `2 cores`."""
    return f"{count:.0f} {noun}{'s' * (count > 1)}"


def quiet_runs(timed: pd.DataFrame) -> str:
    """How many quiet runs the times of a verdict rest on."""
    least, most = timed.quiet.min(), timed.quiet.max()
    if not least:
        return f"up to {most} quiet runs, and of all runs where none was quiet"
    return f"{least} quiet runs" if least == most else f"{least} to {most} quiet runs"


def recorded(experiment: str, drop: Sequence[str] = (), names: Mapping[str, str] | None = None, more: Mapping[str, Any] | None = None) -> Callable[[Results], pd.DataFrame]:
    """The table of an experiment as it is recorded, without some columns, with names for people and with further columns."""
    return lambda results: results[experiment].drop(columns=list(drop)).rename(columns=dict(names or {})).assign(**dict(more or {}))


def wide(table: pd.DataFrame, index: str | list[str], columns: str, values: str, name: str | Callable[[Any], str] = "{}") -> pd.DataFrame:
    """A column for each value of `columns`, rows and columns in the order of the table; `name` makes a column's title."""
    title = name.format if isinstance(name, str) else name
    made = table.pivot(index=index, columns=columns, values=values)
    made = made.reindex(index=table.set_index(index).index.unique(), columns=list(dict.fromkeys(table[columns])))
    return made.rename(columns=title).rename_axis(columns=None)


def found(row: pd.Series) -> str:
    """`53.3 % (50.2 to 56.4)`: a share with its interval."""
    return f"{100 * row.rate:.1f} % ({100 * row.low:.1f} to {100 * row.high:.1f})"
