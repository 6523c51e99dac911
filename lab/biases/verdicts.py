"""The conditions of each claim: the results of `arcfour bias verify` on its events."""

from __future__ import annotations

import math
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
    "zeros-far-on": r"Z256 = Z258 = 0",
    "roos": r"S\[\d+\] = .*K.*",
    "roos-output": r"Z1 = K\[2\] \+ 3.*",
    "glimpse": r"S\[j\] = i − Z_r",
    "fluhrer-mcgrew": r"\(.*\), .*i.*",
    "absab": r"ABSAB.*",
}


@judge(*EVENTS)
def events(results: Results) -> Iterator[Verdict]:
    """The results of each claim's events."""
    table = checks(results)
    for claim, pattern in EVENTS.items():
        yield answer(claim, table[table.event.str.fullmatch(pattern)])


def answer(claim: str, found: pd.DataFrame) -> Verdict:
    """The result of `arcfour bias verify` on each event: seen, missing although the sample must
    show it, or too small a sample."""
    met = {"seen": True, "missing": False}
    seen, missing = (found[found.verdict == verdict] for verdict in met)
    few = len(found) - len(seen) - len(missing)
    best = found.loc[found.sigma.abs().idxmax()]
    figures = {"event": best.event, "times": best.measured / best.chance, "log2": np.log2(best.trials), "published": best.published / best.chance,
               "sigma": best.sigma, "missed": len(missing) > 0, "missing": ", ".join(missing.event), "small": few > 0 and not len(missing), "few": few}
    away = ((found.measured - found.published) / np.sqrt(found.published * (1 - found.published) / found.trials)).abs()
    figures["away"] = away.max()
    if len(found) > 1:
        figures |= {"farthest": found.event[away.idxmax()], "seen": len(seen), "events": len(found)}
    return Verdict(claim, figures, tuple(Check("seen", met.get(event.verdict), {"event": event.event}) for event in found.itertuples()))


@judge("published-table")
def published_table(results: Results) -> Verdict:
    """Our counts and the published ones are of one distribution."""
    table = results["published-table"]
    chi_square, degrees = table.chi_square.sum(), int(table.degrees.sum())
    # Wilson and Hilferty's normal approximation, exact to more digits than are shown at such degrees of freedom.
    z = ((chi_square / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / math.sqrt(2 / (9 * degrees))
    p_value = math.erfc(z / math.sqrt(2)) / 2
    differ = int((table.verdict == "differs").sum())
    return Verdict("published-table",
        {"positions": len(table), "chi_square": chi_square, "degrees": degrees, "p_value": p_value, "some": differ > 0, "differ": differ, "least": table.p_value.min()},
        (Check("positions", differ == 0),
        Check("sum", p_value >= 0.001)))


@judge("dieharder")
def dieharder(results: Results) -> Verdict:
    """No test of such a battery finds RC4."""
    table = results["dieharder"]
    failed = int((table.assessment == "FAILED").sum())
    weak = int((table.assessment == "WEAK").sum())
    return Verdict("dieharder",
        {"values": len(table), "tests": table.test.nunique(), "failing": failed > 0, "failed": failed, "doubtful": weak > 0, "weak": weak, "many": weak > 1, "least": table.p_value.min()},
        (Check("failed", failed == 0), Check("least", table.p_value.min() >= FAILED, {"limit": FAILED})))
