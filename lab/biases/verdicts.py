"""A verdict on each claim: what `arcfour bias verify` saw of its events, quoted from its tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from lab.biases.tables import checks
from lab.judge import Check, Verdict, judge
from lab.results import Results

FAILED = 1e-6  # dieharder fails a p-value below this, and one above 1 less this
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


@judge(*EVENTS)
def events(results: Results) -> Iterator[Verdict]:
    """What became of the events of each claim."""
    table = checks(results)
    for claim, pattern in EVENTS.items():
        yield answer(claim, table[table.event.str.fullmatch(pattern)])


def answer(claim: str, found: pd.DataFrame) -> Verdict:
    """What `arcfour bias verify` says of each event: seen, missing though the sample must show it, or too small a sample."""
    met = {"seen": True, "missing": False}
    seen, missing = (found[found.verdict == verdict] for verdict in met)
    few = len(found) - len(seen) - len(missing)
    tail = ("The sample must show, and does not: " + ", ".join(missing.event) + "." if len(missing)
            else f"For {few} the sample is too small." if few else "No event is missing.")
    best = found.loc[found.sigma.abs().idxmax()]
    return Verdict(claim, (
        f"{len(seen)} of {len(found)} events seen in 2^{np.log2(best.trials):.1f} trials; the clearest, {best.event}: "
        f"relative bias {best.relative_bias:+.5f} where {best.published / best.chance - 1:+.5f} is published, "
        f"{best.sigma:+.1f} sigma. {tail}"),
        tuple(Check(f"{event.event} is seen", met.get(event.verdict)) for event in found.itertuples()))


@judge("dieharder")
def dieharder(results: Results) -> Verdict:
    """No test of such a battery finds RC4."""
    table = results["dieharder"]
    failed = int((table.assessment == "FAILED").sum())
    weak = int((table.assessment == "WEAK").sum())
    return Verdict("dieharder", (
        f"Of {len(table)} p-values, {failed} failed and {weak} are weak; the smallest is {table.p_value.min():.3g}. "
        "Biases of 2^-8 in single digraphs are far below what such a battery looks at."), (
        Check("no test of the battery fails", failed == 0), Check(f"no p-value is below {FAILED:.0e}, its limit", table.p_value.min() >= FAILED)))


JUDGES = (events, dieharder)
