"""The counts for each claim. `arcfour bias` counts and judges; this module makes tables of its output."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path

import pandas as pd

from lab.bench import ROOT, Bench
from lab.biases.campaigns import KEY_LENGTHS, count
from lab.results import NotMeasured

# The digraphs of Fluhrer and McGrew (2000, table 1): as a cell of `arcfour bias show`, and at which i.
RULES = {
    "0,0": lambda i: i != 255,
    "0,1": lambda i: i > 1,
    "0,i+1": lambda i: i not in (0, 255),
    "i+1,255": lambda i: i != 254,
    "255,i+1": lambda i: i not in (1, 254),
    "255,i+2": lambda i: 1 <= i <= 252,
    "255,255": lambda i: i != 254,
}


def first_bytes(bench: Bench) -> pd.DataFrame:
    """Every byte value at the first 257 positions."""
    shown = show(bench, count(bench, "first"), "single")
    return pd.DataFrame({"r": shown["at"], "value": shown.x,
                         "count": shown["count"], "trials": shown.trials})


# Vanhoef and Piessens' counts of 2^47 keys, which are downloaded by hand from their page.
PUBLISHED = ROOT / "target" / "singlestats.txt"
PUBLISHED_AT = "https://www.rc4nomore.com/resources/singlestats.txt"
PUBLISHED_SHA256 = "205913d36bec516b17cb4e1df6511bbe0020c07135d59dbefef3794253716b89"


def published_table(bench: Bench) -> pd.DataFrame:
    """Our single bytes beside the counts of Vanhoef and Piessens, position by position."""
    if not PUBLISHED.exists():
        raise NotMeasured(f"Download {PUBLISHED_AT} to {PUBLISHED.relative_to(ROOT)}, which this compares with.")
    digest = sha256(PUBLISHED.read_bytes()).hexdigest()
    if digest != PUBLISHED_SHA256:
        raise NotMeasured(f"{PUBLISHED.relative_to(ROOT)} has the SHA-256 {digest}, not {PUBLISHED_SHA256}: it is another table.")
    return pd.DataFrame(judged(bench, "compare", count(bench, "first"), PUBLISHED))


def key_lengths(bench: Bench) -> pd.DataFrame:
    """Z_r = 256 - r for keys of several lengths."""
    tables = []
    for length in KEY_LENGTHS:
        shown = show(bench, count(bench, f"length-{length}"), "single").rename(columns={"at": "r"})
        spikes = shown[shown.x == 256 - shown.r]
        tables.append(spikes[["r", "count", "trials"]].assign(key_length_bytes=length))
    return pd.concat(tables)


def digraphs(bench: Bench) -> pd.DataFrame:
    """The digraphs of Fluhrer and McGrew, by i."""
    counts = count(bench, "long")
    tables = []
    for cell, holds in RULES.items():
        shown = show(bench, counts, "long-term", "--cell", cell).rename(columns={"at": "i"})
        tables.append(shown[shown.i.map(holds)][["i", "x", "y", "count", "trials", "chance"]].assign(digraph=f"({cell})"))
    return pd.concat(tables)


def dieharder(bench: Bench) -> pd.DataFrame:
    """Some tests on the keystream of one key: birthdays, ranks, runs, Marsaglia and Tsang's gcd."""
    rows = []
    for test in bench.pick((0, 15), (0, 2, 8, 15, 16)):
        command = f"{bench.programs}/arcfour keystream --key-hex 0102030405 | dieharder -d {test} -g 200 -c , -D 504"
        done = bench.check(["bash", "-c", command], text=True)
        for line in done.stdout.splitlines():
            words = [word.strip() for word in line.split(",")]
            if len(words) >= 6 and words[-1] in ("PASSED", "WEAK", "FAILED"):
                rows.append({"test": words[0], "ntuple": int(words[1]), "t_samples": int(words[2]),
                             "p_samples": int(words[3]), "p_value": float(words[4]), "assessment": words[5]})
    return pd.DataFrame(rows)


def show(bench: Bench, counts: Path, groups: str, *more: str) -> pd.DataFrame:
    """Cells of a file of counts, each with the number `at` which its group stands."""
    shown = bench.csv([bench.programs / "arcfour", "bias", "show", counts, groups, "--csv", *more])
    return shown.assign(at=shown.group.str.partition(":")[2].astype(int))


def verify(bench: Bench, campaign: str) -> pd.DataFrame:
    """The checks of `arcfour bias verify`; a missing bias is a result, not a failure."""
    report = judged(bench, "verify", count(bench, campaign))
    table = pd.DataFrame(report["checks"])
    return table.assign(keystreams=report["keystreams"], positions_tested=report["positions_tested"],
                        positions_not_uniform=len(report["positions_not_uniform"]))


def judged(bench: Bench, action: str, *files: Path):
    """The JSON output of `arcfour bias` on files, for every verdict."""
    command = [str(bench.programs / "arcfour"), "bias", action, *map(str, files), "--json"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if not done.stdout:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)
