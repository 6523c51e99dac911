"""Runs cargo-mutants over a crate with the crate's own tests, and records every mutant: record.py PACKAGE

The record is a table beside this file. A mutant that survives must have a reason there. Reasons stay when a run is recorded anew.
`record.py --check` reads the records, and fails on a mutant without a reason; `--score` writes the scores into README.md.
"""

from __future__ import annotations

import csv
import json
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
OUTCOMES = {"CaughtMutant": "killed", "MissedMutant": "survived", "Timeout": "stopped", "Unviable": "does not compile"}
MEMORY = 6 << 30  # bytes of address space: a mutant that fills memory without end fails before the machine does
MARKS = ("<!-- score -->\n", "<!-- score end -->\n")


def run(package: str, out: Path) -> Path:
    """Tries every mutant of a crate, and returns the file of outcomes."""
    command = ["cargo", "mutants", "--package", package, "--no-shuffle", "--minimum-test-timeout", "60", "--cargo-arg=--locked", "--output", str(out)]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    done = subprocess.run(command, cwd=HERE.parent, check=False)
    if done.returncode not in {0, 2, 3}:  # 2: some survived; 3: some were stopped
        sys.exit(f"cargo mutants ended with {done.returncode}")
    return out / "mutants.out" / "outcomes.json"


def rows(outcomes: Path) -> list[dict[str, str]]:
    """A row for each mutant, in the order of the code, without a reason."""
    found = []
    for outcome in json.loads(outcomes.read_text("utf-8"))["outcomes"]:
        if outcome["scenario"] == "Baseline":
            continue
        mutant = outcome["scenario"]["Mutant"]
        place, change = mutant["name"].split(": ", 1)
        function, line = (mutant["function"] or {}).get("function_name", ""), place.split(":")[1]
        found.append(dict(zip(COLUMNS, (mutant["file"], function, line, change, OUTCOMES[outcome["summary"]], ""), strict=True)))
    return found


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
    lines = ["| crate | mutants | killed | stopped | survived, with a reason | do not compile |\n", "|---|--:|--:|--:|--:|--:|\n"]
    for record in sorted(HERE.glob("*.csv")):
        count = Counter(row["outcome"] for row in read(record))
        lines.append(f"| [`{record.stem}`]({record.name}) | {count.total()} | {count['killed']} | {count['stopped']} | {count['survived']} | {count['does not compile']} |\n")
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
        case [package] if not package.startswith("-"):
            record = HERE / f"{package}.csv"
            reasons = {name: row["reason"] for name, row in named(read(record))}
            with tempfile.TemporaryDirectory() as folder:
                table = rows(run(package, Path(folder)))
            for name, row in named(table):
                row["reason"] = reasons.get(name, "")
            write(record, table)
            score()
            check()
        case _:
            sys.exit("usage: record.py PACKAGE | --check | --score")


if __name__ == "__main__":
    main()
