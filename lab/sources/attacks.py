"""The trials of `attacks/runs`, as tables."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lab.bench import ROOT
from lab.wilson import wilson

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
    "weak": ("keys",),
}
OPTION = {"most": "assignments"}


def file(attack: str) -> Path:
    """The records of an attack."""
    return RUNS / f"{attack}.jsonl"


def lines(path: Path) -> list[dict]:
    """Records, one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def options(attack: str, line: dict) -> list[str]:
    """The words after `trials` that make a record again. A trial may count several times, as every position of a plaintext does."""
    told = []
    for name in TOLD[attack]:
        option, value = f"--{OPTION.get(name, name).replace('_', '-')}", line[name]
        told += [option] * value if isinstance(value, bool) else [option, str(value)]
    made = ["--trials", str(line["trials"] // line.get("positions", 1))] if "trials" in line else []
    return [attack, *told, *made, "--seed", str(line["seed"]), "--json"]


def commands(attack: str) -> list[str]:
    """The commands that made the records."""
    return [shlex.join(["target/release/trials", *options(attack, line)]) for line in lines(file(attack))]


def recorded(attack: str) -> pd.DataFrame:
    """The table of the records."""
    return TABLES[attack](attack, lines(file(attack)))


def rates(attack: str, found: Sequence[dict]) -> pd.DataFrame:
    """Successes and trials, runs from several seeds together."""
    told = list(TOLD[attack])
    table = pd.DataFrame(found)[[*told, "trials", "successes"]]
    return with_interval(table.groupby(told, as_index=False, sort=True).sum())


def steps(_: str, found: Sequence[dict]) -> pd.DataFrame:
    """Entries assigned until the table was found."""
    return pd.DataFrame(found)[["n", "known", "trials", "successes", "mean_log2", "median_log2", "expected_log2"]]


def weak(_: str, found: Sequence[dict]) -> pd.DataFrame:
    """Weak keys and others; votes with the IV before the key and after it."""
    line, = found
    rows = [("table keeps its parities", of, 0, line[name]) for of, name in (("weak keys", "kept"), ("other keys", "kept_by_others"))]
    rows += [("lowest bit as predicted", of, t, value) for of, name in (("weak keys", "follows"), ("other keys", "follows_by_others"))
             for t, value in enumerate(line[name], 1)]
    rows += [("Klein's vote is right", of, 0, line["klein"][name]) for of, name in (("IV before the key", "iv_before"), ("IV after the key", "iv_after"))]
    return pd.DataFrame([{"what": what, "of": of, "byte": t, "keys": line["keys"], "rate": value["rate"], "low": value["wilson"][0], "high": value["wilson"][1]}
                         for what, of, t, value in rows])


def aircrack() -> pd.DataFrame:
    """Both programs on the same files."""
    rows = [{"packets": line["packets"], "program": program, "version": line["version"], "trials": line["captures"], "successes": line[program]["found"]}
            for line in lines(COMPARED) for program in ("arcfour", "aircrack-ng")]
    return with_interval(pd.DataFrame(rows))


def with_interval(table: pd.DataFrame) -> pd.DataFrame:
    """The share that succeeded, and Wilson's interval of 95 %."""
    bounds = [wilson(row.successes, row.trials) for row in table.itertuples()]
    return table.assign(rate=table.successes / table.trials, low=[max(low, 0.0) for low, _ in bounds], high=[min(high, 1.0) for _, high in bounds])


TABLES = {"key": rates, "wep": rates, "broadcast": rates, "cookie": rates, "state": steps, "weak": weak}
