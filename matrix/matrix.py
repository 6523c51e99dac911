"""The tests of other people's RC4 code, run on ours: matrix.py [--quick] [--write] PROGRAMS PROVIDER.

PROGRAMS is the folder with `arcfour` and `libarcfour.so`, PROVIDER the folder with
`arcfour-provider.so`. The rows are compared with results.csv, or written there, and into the
README, by --write.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from dataclasses import asdict, fields
from pathlib import Path

import clients
from row import Row

import interfaces
import vectors

HERE = Path(__file__).parent
RESULTS, README = HERE / "results.csv", HERE / "README.md"
BEGIN, END = "<!-- written by make matrix -->\n", "<!-- as far as here -->\n"


def rows(programs: Path, provider: Path, *, quick: bool) -> list[Row]:
    """Run everything, or what needs nothing but the packages of the Python tests."""
    ours = interfaces.all_of(programs, provider, quick=quick)
    found = [
        row for tests in vectors.sets(quick=quick) for interface in ours if (row := tests.run(interface))
    ]
    return sorted([*found, *clients.rows(programs, provider, quick=quick)], key=lambda row: row.name)


def as_text(found: list[Row]) -> str:
    """Return the rows as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in found)
    return out.getvalue()


def as_table(text: str) -> str:
    """Return CSV as a table in Markdown."""
    lines = ["| interface | tests | of | run | failed |", "|---|---|---|--:|--:|"]
    for row in csv.DictReader(io.StringIO(text)):
        lines.append("| {interface} | {tests} | {version} | {run} | {failed} |".format(**row))
    return "\n".join(lines) + "\n"


def spliced(readme: str, table: str) -> str:
    """Put the table into the README."""
    before, rest = readme.split(BEGIN)
    return before + BEGIN + table + END + rest.split(END)[1]


def main() -> int:
    """Run the matrix; return 1 if a test failed, or the record says something else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only what needs no download")
    parser.add_argument("--write", action="store_true", help="write the record and the README")
    parser.add_argument("programs", type=Path)
    parser.add_argument("provider", type=Path)
    arguments = parser.parse_args()
    if arguments.quick and arguments.write:
        parser.error("--quick runs a part, which is no record")

    found = rows(arguments.programs.resolve(), arguments.provider.resolve(), quick=arguments.quick)
    for row in found:
        sys.stdout.write(f"{row.failed:4} of {row.run:5} failed: {row.name}\n")
    text = as_text(found)
    if arguments.write:
        RESULTS.write_text(text, "utf-8")
        README.write_text(spliced(README.read_text("utf-8"), as_table(text)), "utf-8")
    faults = [f"{row.name}: failed" for row in found if row.failed or not row.run]
    recorded = RESULTS.read_text("utf-8")
    if as_table(recorded) not in README.read_text("utf-8"):
        faults.append("the table of the README is not that of results.csv")
    lines = recorded.splitlines()
    faults += [f"not in results.csv: {line}" for line in text.splitlines() if line not in lines]
    if not arguments.quick:
        faults += [f"not run: {line}" for line in lines if line not in text.splitlines()]
    sys.stderr.writelines(f"matrix: {fault}\n" for fault in faults)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
