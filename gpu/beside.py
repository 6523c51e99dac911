"""Measures the kernel on Mesa's lavapipe in turn with hashcat on pocl: `python3 gpu/beside.py ARCFOUR --write`.

Both run on the processor. ARCFOUR is the command with the feature `gpu`; `arcfour bench gpu` compares records before it
measures. Writes every sample to `lavapipe.csv`, and the table of the README. Without `--write` it compares the table with
the samples.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from model import README, spliced

HERE = Path(__file__).parent
SAMPLES = HERE / "lavapipe.csv"
BEGIN, END = "<!-- lavapipe -->\n", "<!-- end of lavapipe -->\n"
# Our search, hashcat's mode for the same keys and test, and what both search.
PAIRS = [("RC4, 5 bytes", "10410", "keys of PDF files with R 2"), ("Office 97", "9710", "keys of Office 97")]
HEAD = ["day", "processor", "round", "search", "ours", "hashcat"]
ROUNDS = 5


def printed(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def ours(arcfour: str) -> dict[str, float]:
    """Million keys a second of each search, on lavapipe."""
    adapters = printed([arcfour, "backends"])
    number = re.search(r"^\s*(\d+)\b.*llvmpipe", adapters, re.MULTILINE)
    if not number:
        sys.exit(f"no lavapipe among the adapters of this build:\n{adapters}")
    line = printed([arcfour, "bench", "gpu", "--device", number[1]])
    return {what: float(rate) for what, rate in re.findall(r"; ([^;]+) ([\d.]+) M keys/s", line)}


def hashcats(mode: str) -> float:
    """Million keys a second of hashcat's own benchmark."""
    lines = printed(["hashcat", "--benchmark", "--hash-type", mode, "--force", "--machine-readable"]).splitlines()
    return next(int(line.rpartition(":")[2]) for line in lines if line.startswith(f"1:{mode}:")) / 1e6


def measured(arcfour: str) -> list[list[str]]:
    day = str(datetime.now(UTC).date())
    fields = dict(re.findall(r"^(\S.*?)\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    family = f"family {fields['cpu family']}, model {fields['model']}"
    processor = f"{fields['model name']}, {family}, {len(os.sched_getaffinity(0))} cores"
    rows = []
    for turn in range(1, ROUNDS + 1):
        rates = ours(arcfour)
        rows += [[day, processor, str(turn), search, f"{rates[search]:.3f}", f"{hashcats(mode):.3f}"] for search, mode, _ in PAIRS]
        print(*rows[-len(PAIRS):], sep="\n", flush=True)
    return rows


def table() -> str:
    with SAMPLES.open(newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [f"{rows[0]['processor']}, {rows[0]['day']}: {rows[-1]['round']} rounds, in million keys a second.\n",
             "| searched | kernel on lavapipe | hashcat on pocl | ratio | ratio in the rounds |", "|---|--:|--:|--:|--:|"]
    for search, mode, what in PAIRS:
        pairs = [(float(row["ours"]), float(row["hashcat"])) for row in rows if row["search"] == search]
        ratios = sorted(one / other for one, other in pairs)
        ends = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
        rates = (median(rate) for rate in zip(*pairs, strict=True))
        lines.append(f"| {what}, hashcat's mode {mode} | {' | '.join(f'{rate:.3f}' for rate in rates)} | {median(ratios):.3f} | {ends} |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("arcfour", nargs="?", help="the command, with --write")
    parser.add_argument("--write", action="store_true", help="measure, and write the samples and the table")
    arguments = parser.parse_args()
    if arguments.write != bool(arguments.arcfour):
        parser.error("--write needs the command ARCFOUR, and the command needs --write")
    if arguments.write:
        with SAMPLES.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([HEAD, *measured(arguments.arcfour)])
    readme = README.read_text("utf-8")
    written = spliced(readme, BEGIN, table(), END)
    if arguments.write:
        README.write_text(written, "utf-8")
    elif written != readme:
        sys.exit(f"{README} has another table than {SAMPLES.name}: write it anew by --write")


if __name__ == "__main__":
    main()
