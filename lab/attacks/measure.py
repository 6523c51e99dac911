"""The trials of each attack, made anew: with --full the recorded trials, which took hours, else a few of them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pandas as pd

from lab.bench import Bench
from lab.sources import attacks

QUICK = 3.0  # seconds of a trial; a quick run omits longer trials
TRIALS = 4  # of a quick run
KEYS = 10_000  # of a quick run on weak keys


def trials(attack: str) -> Callable[[Bench], pd.DataFrame]:
    """An experiment: the trials of the records, with the same seeds."""
    def run(bench: Bench) -> pd.DataFrame:
        found = attacks.lines(attacks.file(attack))
        if not bench.full:
            found = [few(line) for line in found if line["seconds"] / line["trials"] * line.get("positions", 1) < QUICK]
        program = bench.programs / "trials"
        return attacks.TABLES[attack](attack, [bench.json([program, *attacks.options(attack, line)]) for line in found])
    return run


def few(line: dict) -> dict:
    """The record with the number of trials of a quick run."""
    return line | {"trials": TRIALS * line.get("positions", 1)}


def weak(bench: Bench) -> pd.DataFrame:
    """Weak keys and others."""
    line, = attacks.lines(attacks.file("weak"))
    line["keys"] = bench.pick(KEYS, line["keys"])
    return attacks.weak("weak", [bench.json([bench.programs / "trials", *attacks.options("weak", line)])])


def aircrack(bench: Bench) -> pd.DataFrame:
    """The records of `make wep-test`, whether the run is quick or full: aircrack-ng takes long."""
    bench.remember(["make", "wep-test"])
    return attacks.aircrack()


def model(bench: Bench) -> pd.DataFrame:
    """The assignments as expected, up to the whole of RC4."""
    done = bench.check([bench.programs / "trials", "state", "--model", "--json"], text=True)
    return pd.DataFrame([json.loads(line) for line in done.stdout.splitlines()])[["n", "expected_log2"]]
