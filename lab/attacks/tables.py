"""Success of each attack, for reading."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from lab.model import Table
from lab.results import Results
from lab.shapes import found


def success(results: Results, name: str) -> pd.DataFrame:
    """Counts and shares, under the names that the command's options have."""
    table = results[name]
    return table.drop(columns=["rate", "low", "high"]).rename(columns=lambda column: column.replace("_", " ")).assign(**{"found (95 % interval)": table.apply(found, axis=1)})


def build_state(results: Results) -> pd.DataFrame:
    """Measured and expected steps."""
    table = results["state"]
    return pd.DataFrame({"entries": table.n, "known": table.known, "trials": table.trials, "found": table.successes,
                         **{f"assigned, {name} (power of 2)": table[f"{name}_log2"].round(1) for name in ("mean", "median", "expected")}})


def build_model(results: Results) -> pd.DataFrame:
    """The road to 256 entries."""
    table = results["model"]
    return pd.DataFrame({"entries": table.n, "assigned, expected (power of 2)": table.expected_log2.round(1),
                         "years at 10⁹ a second (power of 10)": np.round(table.expected_log2 * np.log10(2) - 9 - np.log10(365.25 * 86400), 1)})


SHOWN = (0, 1, 2, 3, 4, 8, 16, 32, 64)


def build_weak(results: Results) -> pd.DataFrame:
    """Some of the bytes."""
    table = results["weak"]
    table = table[table.byte.isin(SHOWN)]
    return pd.DataFrame({"what": table.what, "of": table.of, "byte": table.byte.astype(str).replace("0", "–"), "keys": table["keys"], "share (95 % interval)": table.apply(found, axis=1)})


TABLES = (
    Table("key", "Keys found from the table after the key schedule", partial(success, name="key"), ("key",)),
    Table("wep", "WEP keys found", partial(success, name="wep"), ("wep",)),
    Table("aircrack", "Both programs on the same capture files", partial(success, name="aircrack"), ("aircrack",)),
    Table("broadcast", "Bytes recovered", partial(success, name="broadcast"), ("broadcast",)),
    Table("cookie", "Cookies found", partial(success, name="cookie"), ("cookie",)),
    Table("state", "Entries assigned until the table was found", build_state, ("state",)),
    Table("model", "Entries assigned, as expected", build_model, ("state", "maximov")),
    Table("weak", "Weak keys, and the IV after the key", build_weak, ("weak",)),
)
