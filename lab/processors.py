"""Main ratios of a study on each processor that has a record of them.

`results/STUDY` is of the newest record. Records of other processors stand in `results/STUDY/processors/NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from lab.results import Record, Results


@dataclass(frozen=True)
class Ratio:
    """A cell over another of the same column, out of the table of one experiment."""

    says: str
    experiment: str
    column: str
    one: Mapping[str, object]  # the row of each, by its cells
    other: Mapping[str, object]

    def of(self, table: pd.DataFrame) -> float:
        """The ratio in a table of the experiment."""
        one, other = (table.loc[(table[list(row)] == pd.Series(row)).all(axis=1), self.column].item() for row in (self.one, self.other))
        return float(one / other)


def processor(record: Record) -> str:
    """The processor of a record. In older records, several kinds share a name without a number."""
    return record.cpu if any(letter.isdigit() for letter in record.cpu) else f"{record.cpu} (family not recorded)"


def beside(ratios: Sequence[Ratio]) -> Callable[[Results], pd.DataFrame]:
    """A row for each ratio, a column for each processor."""
    def build(results: Results) -> pd.DataFrame:
        table = pd.DataFrame({"ratio": [ratio.says for ratio in ratios]})
        for at, ratio in enumerate(ratios):
            for place in (results, *results.elsewhere()):
                if ratio.experiment in place:
                    table.loc[at, processor(place.record(ratio.experiment))] = ratio.of(place[ratio.experiment])
        return table
    return build
