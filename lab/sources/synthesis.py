"""What the flows of `hardware/syn` recorded, as tables."""

from __future__ import annotations

import pandas as pd

from lab.bench import ROOT

RESULTS = ROOT / "hardware" / "syn" / "results"
# The task that records each file of that name.
MADE_BY = {"synthesis": "hardware-synth", "placed": "hardware-synth", "fpga": "hardware-fpga"}


def recorded(name: str) -> pd.DataFrame:
    """The files of that name together. The folder of a row is its library, or its device."""
    table = pd.concat([pd.read_csv(path).assign(folder=path.parent.name) for path in sorted(RESULTS.glob(f"*/{name}.csv"))], ignore_index=True)
    return table.rename(columns={"folder": "device"}).assign(rows="recorded") if name == "fpga" else table
