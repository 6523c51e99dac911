"""The checks beside the published values."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lab.model import Table
from lab.results import Results
from lab.shapes import recorded

CHECKED = ("first-checks", "state-checks", "long-checks")


def checks(results: Results) -> pd.DataFrame:
    """Every check of every campaign."""
    return pd.concat([results[name] for name in CHECKED], ignore_index=True)


def build_checks(results: Results) -> pd.DataFrame:
    """The list for reading: relative biases, and the sample a detection takes."""
    table = checks(results)
    return pd.DataFrame({
        "event": table.event,
        "source": table.source,
        "published (relative bias)": (table.published / table.chance - 1).map("{:+.5f}".format),
        "measured (relative bias)": table.relative_bias.map("{:+.5f}".format),
        "sigma": table.sigma.map("{:+.1f}".format),
        "expected sigma": table.expected_sigma.map("{:+.1f}".format),
        "trials": np.log2(table.trials).map("2^{:.1f}".format),
        "5 sigma needs": np.log2(table.trials_for_5_sigma).map("2^{:.1f}".format),
        "verdict": table.verdict,
    })


CLAIMS = ("second-zero", "first-byte", "zeros", "map", "key-length", "equalities", "two-zeros", "zeros-far-on", "roos", "roos-output",
          "glimpse", "fluhrer-mcgrew", "absab")
CHECKS = Table("checks", "Published and measured biases", build_checks, CLAIMS)
DIEHARDER = Table("dieharder", "dieharder on a keystream of RC4", recorded("dieharder", names={"p_value": "p-value"}), ("dieharder",))
