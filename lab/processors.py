"""Main ratios of a study on each processor that has a record of them.

`results/STUDY` is of the newest record. Records of other processors stand in `results/STUDY/processors/NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from lab.results import Results


@dataclass(frozen=True)
class Ratio:
    """A ratio of times out of the table of one experiment."""

    says: str
    experiment: str
    of: Callable[[pd.DataFrame], float]


def beside(ratios: Sequence[Ratio]) -> Callable[[Results], pd.DataFrame]:
    """A row for each ratio, a column for each processor."""
    def build(results: Results) -> pd.DataFrame:
        table = pd.DataFrame({"ratio": [ratio.says for ratio in ratios]})
        for at, ratio in enumerate(ratios):
            for place in (results, *results.elsewhere()):
                if ratio.experiment in place:
                    table.loc[at, place.record(ratio.experiment).cpu] = ratio.of(place[ratio.experiment])
        return table
    return build
