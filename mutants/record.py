"""Runs cargo-mutants over a crate with the crate's own tests, and records every mutant: record.py PACKAGE [K/N | left]

The record is a table beside this file. A mutant that survives must have a reason there. Reasons stay when a run is recorded anew.
K/N tries every Nth mutant, from number K on. The record keeps the outcomes of the others, or names them as not tried.
`left` tries those that the record does not have, or names as not tried.
`record.py --check` reads the records, and fails on a mutant without a reason; `--score` writes the scores into README.md.
"""

from __future__ import annotations

import csv
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
COLUMNS = ["file", "function", "line", "mutant", "outcome", "reason"]
NOT_TRIED = "not tried"
OUTCOMES = {"CaughtMutant": "killed", "MissedMutant": "survived", "Timeout": "stopped", "Unviable": "does not compile"}
MEMORY = 6 << 30  # bytes of address space: a mutant that fills memory without end fails before the machine does
MARKS = ("<!-- score -->\n", "<!-- score end -->\n")


def cargo_mutants(package: str, *options: str) -> list[str]:
    """The command for the mutants of a crate."""
    return ["cargo", "mutants", "--package", package, "--no-shuffle", *options]


def listed(package: str) -> dict[str, dict[str, str]]:
    """A row for each mutant, by its full name, in the order of the code, without an outcome and a reason."""
    done = subprocess.run(cargo_mutants(package, "--list", "--json"), cwd=HERE.parent, check=True, capture_output=True, text=True)
    found = {}
    for mutant in json.loads(done.stdout):
        place, change = mutant["name"].split(": ", 1)
        function, line = (mutant["function"] or {}).get("function_name", ""), place.split(":")[1]
        found[mutant["name"]] = dict(zip(COLUMNS, (mutant["file"], function, line, change, NOT_TRIED, ""), strict=True))
    return found


def choice(package: str, shard: list[str], old: list[dict[str, str]]) -> list[str]:
    """The options of cargo-mutants for all mutants of a crate, for a shard, or for those that a record leaves."""
    if shard != ["left"]:
        return ["--sharding", "round-robin", "--shard", *shard] if shard else []
    left = [name for name, row in merged(listed(package), {}, old).items() if row["outcome"] == NOT_TRIED]
    if not left:
        sys.exit(f"the record of {package} leaves no mutant")
    return [f"--re=^{re.escape(name)}$" for name in left]


def run(package: str, chosen: list[str], out: Path) -> dict[str, str]:
    """Tries the mutants that the options choose, and returns their outcomes by full name."""
    options = ["--minimum-test-timeout", "60", "--cargo-arg=--locked", "--output", str(out), *chosen]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # A mutant changes one expression, so most of the last build can be used again.
    environment = os.environ | {"CARGO_INCREMENTAL": "1", "RUSTC_WRAPPER": ""}  # a cache of compiled crates refuses incremental ones
    done = subprocess.run(cargo_mutants(package, *options), cwd=HERE.parent, check=False, env=environment)
    if done.returncode not in {0, 2, 3}:  # 2: some survived; 3: some were stopped
        sys.exit(f"cargo mutants ended with {done.returncode}")
    return tried(out / "mutants.out" / "outcomes.json")


def tried(outcomes: Path) -> dict[str, str]:
    """The outcomes of a run by the mutants' full names."""
    table = json.loads(outcomes.read_text("utf-8"))["outcomes"]
    return {outcome["scenario"]["Mutant"]["name"]: OUTCOMES[outcome["summary"]] for outcome in table if outcome["scenario"] != "Baseline"}


def merged(rows: dict[str, dict[str, str]], new: dict[str, str], old: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """The rows with their new outcomes. The others keep their old ones, and all keep their reasons."""
    kept = dict(named(old))
    for full_name, (name, row) in zip(rows, named(list(rows.values())), strict=True):
        before = kept.get(name, row)
        row["outcome"], row["reason"] = new.get(full_name, before["outcome"]), before["reason"]
    return rows


def named(table: list[dict[str, str]]) -> Iterator[tuple[tuple[str, str, str, int], dict[str, str]]]:
    """The rows with names that stay when lines move. A function may have equal mutants, which are numbered in their order."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for row in table:
        change = row["file"], row["function"], row["mutant"]
        seen[change] += 1
        yield (*change, seen[change]), row


def read(record: Path) -> list[dict[str, str]]:
    """The rows of a record; none if there is no record yet."""
    if not record.exists():
        return []
    with record.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(record: Path, table: list[dict[str, str]]) -> None:
    """Replaces a record."""
    with record.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def check() -> None:
    """Fails on a mutant that survived without a reason."""
    open_ones = [f"{record.name}: {row['file']}:{row['line']}: {row['mutant']}" for record in sorted(HERE.glob("*.csv")) for row in read(record)
                 if row["outcome"] == "survived" and not row["reason"]]
    if open_ones:
        sys.exit("mutants that survive without a reason:\n" + "\n".join(open_ones))


def score() -> None:
    """Writes the table of scores into README.md."""
    lines = ["| crate | mutants | tried | killed | stopped | survived, with a reason | do not compile |\n", "|---|--:|--:|--:|--:|--:|--:|\n"]
    for record in sorted(HERE.glob("*.csv")):
        count = Counter(row["outcome"] for row in read(record))
        lines.append(f"| [`{record.stem}`]({record.name}) | {count.total()} | {count.total() - count[NOT_TRIED]} | {count['killed']} | {count['stopped']} | {count['survived']} | {count['does not compile']} |\n")
    page = HERE / "README.md"
    before, rest = page.read_text("utf-8").split(MARKS[0])
    _, after = rest.split(MARKS[1])
    page.write_text(before + MARKS[0] + "".join(lines) + MARKS[1] + after, "utf-8")


def main() -> None:
    """As the first lines of this file say."""
    match sys.argv[1:]:
        case ["--check"]:
            check()
        case ["--score"]:
            score()
        case [package, *shard] if not package.startswith("-") and len(shard) <= 1:
            record = HERE / f"{package}.csv"
            chosen = choice(package, shard, read(record))
            with tempfile.TemporaryDirectory() as folder:
                outcomes = run(package, chosen, Path(folder))
            write(record, list(merged(listed(package), outcomes, read(record)).values()))
            score()
            check()
        case _:
            sys.exit("usage: record.py PACKAGE [K/N | left] | --check | --score")


if __name__ == "__main__":
    main()
