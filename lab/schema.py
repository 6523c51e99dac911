"""The schema of a study's recorded tables, `schema.toml`: what a cell of each column holds, and what tells the rows of a table apart."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pandas as pd
from pandas.api import types

HOLDS: dict[str, Callable[[pd.Series], bool]] = {
    "text": lambda cells: types.infer_dtype(cells) == "string",
    "flag": lambda cells: types.infer_dtype(cells) == "boolean",
    "whole": lambda cells: types.is_numeric_dtype(cells) and bool((cells % 1 == 0).all()),
    "number": types.is_numeric_dtype,
}


@cache
def schema(study: str) -> dict:
    """The columns by what they hold, those that may be empty, and by which columns the rows of a table differ."""
    return tomllib.loads((Path(__file__).parent / study / "schema.toml").read_text("utf-8"))


def faults(study: str, experiment: str, table: pd.DataFrame) -> Iterator[str]:
    """What in a table is against the schema of its study."""
    said = schema(study)
    for column in table:
        kind = next((kind for kind in HOLDS if column in said[kind]), None)
        cells = table[column].dropna()
        if kind is None:
            yield f"{experiment}: the schema does not know the column {column}"
        elif len(cells) and not HOLDS[kind](cells):
            yield f"{experiment}: a cell of {column} holds no {kind}"
        if len(cells) < len(table) and column not in said["empty"]:
            yield f"{experiment}: a cell of {column} is empty"
    rows = said["rows"].get(experiment)
    if rows is None:
        yield f"{experiment}: the schema does not say what tells its rows apart"
    elif table.duplicated(rows).any():
        yield f"{experiment}: two rows agree in {', '.join(rows)}"
