"""Times of a record by the cells that name a row, with the times of its runs drawn again."""

from __future__ import annotations

from typing import Any

import numpy as np

from lab.intervals import Draws, extremes
from lab.results import Results

CLOCKS = ("us", "process_us")  # of an encryption: the program's own, and the script's; in this order in a run


def drawn(results: Results, experiment: str, *names: str, clock: str = "us") -> dict[Any, np.ndarray]:
    """Microseconds by these columns. The runner gives each row's cell the number of the row."""
    draws = Draws(results, experiment)
    found = {}
    for number, row in enumerate(results[experiment].to_dict("records")):
        name = tuple(row[each] for each in names)
        recorded = extremes(row[clock], row[f"{clock}_min"], row[f"{clock}_max"])
        found[name if len(names) > 1 else name[0]] = draws(number, recorded, lambda run: [run[CLOCKS.index(clock)]])
    return found
