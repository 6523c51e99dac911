"""A verdict on each claim, out of the measured and the printed figures."""

from __future__ import annotations

import numpy as np

from lab.intervals import Draws, Estimate, decided, estimate
from lab.judge import Check, Verdict, alike, faster, judge
from lab.results import Results
from lab.search.tables import circuits, ours

STEPS = 256  # of a key schedule


def rate(results: Results, cores: int) -> np.ndarray:
    """Keys of 5 bytes that these cores try in a second, and from the runs drawn again. A record without runs has no spread."""
    row = results["rates"].query("key_length_bytes == 5 and cores == @cores").iloc[0]
    return row["keys"] / Draws(results, "rates")((5, int(cores)), Estimate(*3 * [row.seconds]), lambda seconds: [seconds])


@judge("rates")
def rates(results: Results) -> Verdict:
    """Each published core against ours."""
    paper = results.paper("rates").query("kind == 'CPU'")
    best = paper.assign(core=paper.keys_per_s / paper.units).sort_values("core").iloc[-1]
    one, cores = ours(results), results["rates"].cores.max()
    return Verdict("rates",
        {"one": one / 1e6, "cores": cores, "all": ours(results, cores) / 1e6, "device": best.device, "best": best.core / 1e6, "times": one / best.core},
        (Check("published", best.core <= 2.0e6),
        decided("ours", estimate(rate(results, 1) / 1e6), lambda millions: millions <= 2)))


@judge("hashcat")
def hashcat(results: Results) -> Verdict:
    """Who is through first on the same cores; a published rate of a graphics card, which the slogan is about."""
    table = results["hashcat"]
    whole = table.query("not planted").pivot(index="document", columns="engine", values="seconds")
    found = table.query("planted").pivot(index="document", columns="engine", values="seconds")
    keys = table["keys"].iloc[0]
    own, theirs = "arcfour find", "hashcat"
    told = "; ".join(
        f"of the {document} file in {row[own]:.1f} s and {row[theirs]:.1f} s ({row[theirs] / row[own]:.1f} times as long)"
        for document, row in whole.iterrows())
    first = "; ".join(f"in the {document} file after {row[own]:.1f} s and {row[theirs]:.1f} s" for document, row in found.iterrows())
    cores = table.cores.iloc[0]
    card = results.paper("rates").query("kind == 'GPU' and tries.str.endswith('RC4, 40 bits')").iloc[0]
    return Verdict("hashcat",
        {"cores": cores, "keys": keys, "whole": told, "planted": first, "device": card.device, "card": card.keys_per_s / 1e6, "times": card.keys_per_s / ours(results, cores)},
        (decided("card", estimate(card.keys_per_s / rate(results, cores)), lambda ratio: ratio > 1, cores=cores),
        Check("cores", any(faster(row[theirs], row[own]) for _, row in whole.iterrows())),))


@judge("engines")
def engines(results: Results) -> Verdict:
    """The printed figures, and clocks a key."""
    row = results.paper("engines").iloc[0]
    clocks = row.engines * row.clock_mhz * 1e6 / row.keys_per_s
    hours = 2**40 / row.keys_per_s / 3600
    told = ", ".join(f"{each.design} {each.ksa_clocks:.0f}" for each in circuits().itertuples())
    return Verdict("engines",
        {"hours": hours, "clocks": clocks, "steps": STEPS, "circuits": told, "engines": 2 * ours(results) / (row.keys_per_s / row.engines)},
        (Check("hours", alike(hours, row.hours_for_40_bits)),
        Check("clocks", alike(clocks, 3 * STEPS))))


@judge("tsoi")
def tsoi(results: Results) -> Verdict:
    """The printed figures, and our core beside the Pentium 4 that they imply."""
    row = results.paper("tsoi").iloc[0]
    clocks = row.engines * row.clock_mhz * 1e6 / row.keys_per_s
    pentium = row.keys_per_s / row.times
    return Verdict("tsoi",
        {"clocks": clocks, "steps": STEPS, "cycles": row.pentium_ghz * 1e9 / pentium, "core": ours(results) / pentium, "fpga": ours(results) / row.keys_per_s},
        (Check("clocks", alike(clocks, 3 * STEPS)), Check("pentium", None)))


@judge("forty-bits")
def forty_bits(results: Results) -> Verdict:
    """All of 40 bits on this machine."""
    row = results.paper("forty-bits").iloc[0]
    cores = results["rates"].cores.max()
    hours = 2**40 / rate(results, cores) / 3600
    return Verdict("forty-bits",
        {"hours": hours[0], "cores": cores, "years": 2**56 / ours(results, cores) / 3600 / 8766},
        (decided("hours", estimate(hours), lambda each: each < row.hours, hours=row.hours),))
