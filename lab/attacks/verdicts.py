"""A verdict on each attack: our success rate against the published one."""

from __future__ import annotations

import pandas as pd

from lab.judge import POINTS, RATIO, Check, Verdict, judge
from lab.results import Results
from lab.shapes import found
from lab.wording import ends


def at_least(row: pd.Series, rate: float) -> bool | None:
    """Whether the interval lies above a rate, below it, or about it."""
    return True if row.low >= rate else False if row.high < rate else None


def shared(row: pd.Series, rate: float) -> bool | None:
    """Whether the interval holds a share; trials too few to tell it within the tolerance decide nothing."""
    inside = bool(row.low <= rate <= row.high)
    return None if inside and 50 * (row.high - row.low) > POINTS else inside


@judge("key")
def key(results: Results) -> Verdict:
    """Keys of five bytes."""
    published = results.paper("key").iloc[0]
    table = results["key"].set_index("key_length")
    row = table.loc[int(published.key_length)]
    longest = table[table.rate >= 0.5].index.max()
    return Verdict("key",
        {"trials": row.trials, "found": found(row), "tests": row.tests, "longest": longest},
        (Check("found", at_least(row, published.rate), {"share": 100 * published.rate}),))


@judge("wep")
def wep(results: Results) -> Verdict:
    """Keys of 13 bytes at the published number of packets."""
    published = results.paper("wep").iloc[0]
    table = results["wep"].query("key_length == @published.key_length and sender == 'source'").set_index("packets")
    row = table.loc[int(published.packets)]
    others = "; ".join(f"{packets:,} with at most {other.max_prefixes:,}: {found(other)}" for packets, other in table.iterrows()
                       if packets != published.packets)
    return Verdict("wep",
        {"packets": published.packets, "found": found(row), "trials": row.trials, "prefixes": row.max_prefixes, "more": bool(others), "others": others},
        (Check("found", shared(row, published.rate)),))


@judge("aircrack")
def aircrack(results: Results) -> Verdict:
    """Both programs on the same files."""
    table = results["aircrack"]
    published = results.paper("aircrack").set_index("packets").rate
    theirs, ours = (table[table.program == program].set_index("packets") for program in ("aircrack-ng", "arcfour"))
    told = "; ".join(f"from {packets:,} packets {row.successes:.0f} of {row.trials:,.0f} keys ({100 * row.low:.1f} to {100 * row.high:.1f} %), ours "
                     f"{ours.successes[packets]:.0f}" for packets, row in theirs.iterrows())
    return Verdict("aircrack",
        {"version": table.version.iloc[0].rpartition(":")[2], "counts": told},
        (*(Check("theirs", shared(theirs.loc[packets], rate) if packets in theirs.index else None, {"share": 100 * rate, "packets": packets})
          for packets, rate in published.items()),
        Check("ours", bool((ours.successes >= theirs.successes).all()))))


@judge("broadcast")
def broadcast(results: Results) -> Verdict:
    """The curve as far as it is recorded."""
    published = results.paper("broadcast").iloc[0]
    table = results["broadcast"].sort_values("ciphertexts")
    last = table.iloc[-1]
    reached = last.ciphertexts >= published.ciphertexts
    told = ", ".join(f"{100 * row.rate:.1f} % from 2^{int(row.ciphertexts).bit_length() - 1}" for row in table.itertuples())
    return Verdict("broadcast", {"shares": told}, (Check("recovered", at_least(last, published.rate) if reached else None, {"share": 100 * published.rate}),))


@judge("cookie")
def cookie(results: Results) -> Verdict:
    """The published requests and list."""
    published = results.paper("cookie").iloc[0]
    every = results["cookie"].query("list == @published.list and alphabet == 'rfc6265'").set_index("requests").sort_index()
    table, bound = every[~every.known_everywhere], every[every.known_everywhere]
    row = table.loc[int(published.requests)]
    enough = table[table.rate >= published.rate].index.min()
    return Verdict("cookie",
        {"found": found(row), "trials": row.trials, "share": 100 * published.rate, "enough": enough / 2**27, "times": enough / published.requests,
         "bound": 100 * bound.rate[int(published.requests)]},
        (Check("found", shared(row, published.rate), {"share": 100 * published.rate}),))


@judge("state")
def state(results: Results) -> Verdict:
    """The model against the measurements, and its extrapolation."""
    published = results.paper("state").iloc[0]
    table, model = results["state"], results.rows("model").expected_log2
    whole, off = model[int(published.n)], (table.mean_log2 - table.expected_log2).abs()
    largest = table[table.known == 0].n.max()
    return Verdict("state",
        {"largest": largest, "tables": table.trials.sum(), **ends("", table.mean_log2), "factor": 2 ** off.max(), "whole": whole},
        (Check("found", bool((table.successes == table.trials).all())),
        Check("model", bool(off.max() <= 2)),
        Check("exponent", bool(abs(whole / published.log2 - 1) <= RATIO / 10), {"within": RATIO / 10})))


@judge("maximov")
def maximov(results: Results) -> Verdict:
    """No step of it is made here."""
    log2, whole = results.paper("maximov").log2.iloc[0], results.rows("model").expected_log2[256]
    return Verdict("maximov",
        {"attack": log2, "whole": whole})


@judge("weak")
def weak(results: Results) -> Verdict:
    """The class against other keys."""
    table = results["weak"]
    least = results.paper("weak").rate.iloc[0]

    def row(what: str, of: str, byte: int = 0) -> pd.Series:
        return table[(table.what == what) & (table.of == of) & (table.byte == byte)].iloc[0]
    kept, bit = row("table keeps its parities", "weak keys"), row("lowest bit as predicted", "weak keys", 2)
    other = row("lowest bit as predicted", "other keys", 2)
    before, after = (256 * row("Klein's vote is right", f"IV {order} the key").rate for order in ("before", "after"))
    return Verdict("weak",
        {"keys": kept["keys"], "kept": found(kept), "bit": found(bit), "other": found(other), "after": after, "before": before},
        (Check("kept", bool(kept.low > least)),
        Check("bit", bool(bit.low > other.high))))
