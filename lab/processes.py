"""What a byte costs in each process that was timed, in cycles of the clock that was read beside it.

A program may have several speeds on one processor: where its data lie, or what the core predicts, may differ from
process to process. The median hides that, and the spread does not tell it from a slow spell. Cycles do not change
with the clock, so processes that differ in cycles have different speeds.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from lab.results import NotMeasured, Results

Cost = Callable[[tuple, dict], float]  # nanoseconds a byte, of the name of a cell and of what its process printed


def cycles(results: Results, experiment: str, cost: Cost) -> pd.DataFrame:
    """Cycles a byte of each accepted process, under the name of its cell."""
    results[experiment]
    runs = results.runs(experiment)
    if runs is None or "ghz_before" not in runs:
        raise NotMeasured(f"No clock stands beside the runs of this record: `python -m lab run {results.study}:{experiment} --full` reads it.")
    rows = []
    for run in runs[runs.counts].itertuples():
        cell = ast.literal_eval(run.cell)
        rows.append({"cell": cell, "cycles": cost(cell, json.loads(run.measured)) * (run.ghz_before + run.ghz_after) / 2})
    return pd.DataFrame(rows)


def speeds(found: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """A row for each program: its processes, and how far they lie apart."""
    rows = []
    for name, costs in found.items():
        low, tenth, middle, ninth, high = pd.Series(costs, dtype=float).quantile([0, 0.1, 0.5, 0.9, 1])
        rows.append({"program": name, "processes": len(costs), "least": low, "lower tenth": tenth, "median": middle, "upper tenth": ninth, "most": high})
    table = pd.DataFrame(rows)
    return table.rename(columns={name: f"{name} (cycles/byte)" for name in table.columns[2:]})
