"""The trials of each attack: with --full those recorded in `attacks/runs`, else a few of the same made anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from lab.bench import ROOT, Bench
from lab.intervals import wilson

RUNS = ROOT / "attacks" / "runs"
COMPARED = ROOT / "attacks" / "aircrack" / "compare.jsonl"
# The options of each attack, by the names in its record. The option has hyphens instead, except
# one.
TOLD = {
    "key": ("key_length", "tests"),
    "wep": ("key_length", "packets", "max_prefixes", "sender"),
    "broadcast": ("ciphertexts",),
    "cookie": ("requests", "list", "alphabet", "known_everywhere"),
    "state": ("n", "known", "most"),
}
OPTION = {"most": "assignments"}
QUICK = 3.0  # seconds of a trial; a quick run omits longer trials
TRIALS = 4  # of a quick run


def lines(path: Path) -> list[dict]:
    """The records of the attack."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def command(bench: Bench, attack: str, line: dict, trials: int) -> list[str | Path]:
    """The commands of the trials."""
    told = []
    for name in TOLD[attack]:
        option, value = f"--{OPTION.get(name, name).replace('_', '-')}", line[name]
        told += [option] * value if isinstance(value, bool) else [option, str(value)]
    return [bench.programs / "trials", attack, *told, "--trials", str(trials), "--seed", str(line["seed"]), "--json"]


def trials(bench: Bench, attack: str) -> list[dict]:
    """The record of each run, or of a few trials made anew."""
    found = lines(RUNS / f"{attack}.jsonl")
    if bench.full:
        for line in found:
            # A trial may count several times, as every position of a plaintext does.
            bench.remember(command(bench, attack, line, line["trials"] // line.get("positions", 1)))
        return found
    short = [line for line in found if line["seconds"] / line["trials"] * line.get("positions", 1) < QUICK]
    return [bench.json(command(bench, attack, line, TRIALS)) for line in short]


def recorded(attack: str) -> Callable[[Bench], pd.DataFrame]:
    """An experiment: successes and trials, runs from several seeds together."""
    def run(bench: Bench) -> pd.DataFrame:
        told = list(TOLD[attack])
        table = pd.DataFrame(trials(bench, attack))[[*told, "trials", "successes"]]
        table = table.groupby(told, as_index=False, sort=True).sum()
        return with_interval(table)
    return run


def with_interval(table: pd.DataFrame) -> pd.DataFrame:
    """The share that succeeded, and Wilson's interval of 95 %."""
    bounds = [wilson(row.successes, row.trials) for row in table.itertuples()]
    return table.assign(rate=table.successes / table.trials, low=[max(low, 0.0) for low, _ in bounds], high=[min(high, 1.0) for _, high in bounds])


def aircrack(bench: Bench) -> pd.DataFrame:
    """The records of `make wep-test`: both programs on the same files."""
    rows = [{"packets": line["packets"], "program": program, "version": line["version"], "trials": line["captures"], "successes": line[program]["found"]}
            for line in lines(COMPARED) for program in ("arcfour", "aircrack-ng")]
    bench.remember(["make", "wep-test"])
    return with_interval(pd.DataFrame(rows))


def states(bench: Bench) -> pd.DataFrame:
    """Entries assigned until the table was found."""
    table = pd.DataFrame(trials(bench, "state"))
    return table[["n", "known", "trials", "successes", "mean_log2", "median_log2", "expected_log2"]]


def model(bench: Bench) -> pd.DataFrame:
    """The same as expected, up to the whole of RC4."""
    done = bench.check([bench.programs / "trials", "state", "--model", "--json"], text=True)
    return pd.DataFrame([json.loads(line) for line in done.stdout.splitlines()])[["n", "expected_log2"]]


def weak(bench: Bench) -> pd.DataFrame:
    """Weak keys and others; votes with the IV before the key and after it."""
    line, = lines(RUNS / "weak.jsonl")
    keys = bench.pick(10_000, line["keys"])
    argv = [bench.programs / "trials", "weak", "--keys", str(keys), "--seed", str(line["seed"]), "--json"]
    if bench.full:
        bench.remember(argv)
    else:
        line = bench.json(argv)
    rows = [("table keeps its parities", of, 0, line[name]) for of, name in (("weak keys", "kept"), ("other keys", "kept_by_others"))]
    rows += [("lowest bit as predicted", of, t, value) for of, name in (("weak keys", "follows"), ("other keys", "follows_by_others"))
             for t, value in enumerate(line[name], 1)]
    rows += [("Klein's vote is right", of, 0, line["klein"][name]) for of, name in (("IV before the key", "iv_before"), ("IV after the key", "iv_after"))]
    return pd.DataFrame([{"what": what, "of": of, "byte": t, "keys": keys, "rate": value["rate"], "low": value["wilson"][0], "high": value["wilson"][1]}
                         for what, of, t, value in rows])
