"""Tables whose records stand in other rooms.

`attacks/runs` and `hardware/syn/results` hold them. The lab reads them there, so nothing is recorded twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pandas as pd

from lab.sources import attacks, synthesis


@dataclass(frozen=True)
class Source:
    """The records of another room that make a table."""

    files: str  # their pattern under the root
    table: Callable[[], pd.DataFrame]
    commands: Callable[[], list[str]]  # that made the records


# By study and experiment.
SOURCES: dict[tuple[str, str], Source] = {
    **{("attacks", name): Source(f"attacks/runs/{name}.jsonl", partial(attacks.recorded, name), partial(attacks.commands, name)) for name in attacks.TABLES},
    ("attacks", "aircrack"): Source("attacks/aircrack/compare.jsonl", attacks.aircrack, lambda: ["make wep-test"]),
    **{("sengupta2013", name): Source(f"hardware/syn/results/*/{name}.csv", partial(synthesis.recorded, name), partial(list, [f"make {target}"]))
       for name, target in synthesis.MADE_BY.items()},
}
