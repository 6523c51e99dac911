"""A verdict on each claim: what `arcfour bias verify` saw of its events, quoted from its tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lab.biases.tables import checks
from lab.model import Status, Verdict
from lab.results import Results

# The events of each claim, by what their names match.
EVENTS = {
    "second-zero": r"Z2 = 0",
    "first-byte": r"Z1 = (0|129)",
    "zeros": r"Z(3|4|5|128|255|256|257) = 0",
    "map": r"Z3 = 131",
    "key-length": r"Z(16|32|48|64|80|96|112) = (240|224|208|192|176|160|144)",
    "equalities": r"Z[12] = Z[234]",
    "two-zeros": r"Z1 = Z2 = 0",
    "roos": r"S\[\d+\] = .*K.*",
    "roos-output": r"Z1 = K\[2\] \+ 3.*",
    "glimpse": r"S\[j\] = i − Z_r",
    "fluhrer-mcgrew": r"\(.*\), .*i.*",
    "absab": r"ABSAB.*",
}


def verdicts(results: Results) -> list[Verdict]:
    """All verdicts, in the order of claims.toml."""
    table = checks(results)
    found = [judge(claim, table[table.event.str.fullmatch(pattern)]) for claim, pattern in EVENTS.items()]
    return [*found, dieharder(results)]


def judge(claim: str, events: pd.DataFrame) -> Verdict:
    """What became of the events of a claim."""
    seen = events[events.verdict == "seen"]
    missing = events[events.verdict == "missing"]
    if len(missing):
        status = Status.FAILS if seen.empty else Status.PARTLY
        tail = "The sample must show, and does not: " + ", ".join(missing.event) + "."
    elif seen.empty:
        status = Status.UNTESTABLE
        tail = "The sample is too small for a verdict."
    else:
        status = Status.HOLDS if len(seen) == len(events) else Status.PARTLY
        few = len(events) - len(seen)
        tail = f"For {few} the sample is too small." if few else "No event is missing."
    best = events.loc[events.sigma.abs().idxmax()]
    return Verdict(claim, status, (
        f"{len(seen)} of {len(events)} events seen in 2^{np.log2(best.keystreams):.0f} keystreams; the clearest, {best.event}: "
        f"relative bias {best.relative_bias:+.5f} where {best.published / best.chance - 1:+.5f} is published, "
        f"{best.sigma:+.1f} sigma. {tail}"))


def dieharder(results: Results) -> Verdict:
    """No test of such a battery finds RC4."""
    table = results["dieharder"]
    failed = int((table.assessment == "FAILED").sum())
    weak = int((table.assessment == "WEAK").sum())
    return Verdict("dieharder", Status.HOLDS if failed == 0 else Status.FAILS, (
        f"Of {len(table)} p-values, {failed} failed and {weak} are weak; the smallest is {table.p_value.min():.3g}. "
        "Biases of 2^-8 in single digraphs are far below what such a battery looks at."))
