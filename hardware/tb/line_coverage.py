#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures line and decision coverage of the VHDL under the quick tests, in programs by Debian's ghdl-gcc.

    line_coverage.py    runs them, records line_coverage.csv and writes the table in hardware/README.md

Most branches that gcov counts are GHDL's own: checks of bounds and of unchanged values. The last two branches of a line that begins
with `if` or `elsif` are the decision, and both must be taken.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

HARDWARE = Path(__file__).resolve().parent.parent
RTL, README, RESULTS = HARDWARE / "rtl", HARDWARE / "README.md", Path(__file__).with_name("line_coverage.csv")
TESTS = [*sorted(path.name for path in Path(__file__).parent.glob("test_rc4_*.py")), "test_paper.py", "test_registers.py"]
COMMAND = ["-m", "pytest", "-q", "--keys", "20", "-k", "not error_is_found and not read_while", *TESTS]  # none of another VHDL
# A wrapper that comes before ghdl on PATH and compiles with line-coverage counters.
GHDL = """#!/bin/sh
case "$1" in
-m) shift; exec ghdl-gcc -m -Wc,-fprofile-arcs -Wc,-ftest-coverage -Wl,--coverage "$@" ;;
*) exec ghdl-gcc "$@" ;;
esac
"""
BEGIN, END = "<!-- tb/line_coverage.py writes from here -->\n", "<!-- tb/line_coverage.py writes to here -->\n"


def run(folder):
    """Runs the tests; the programs and their counts stay in the folder."""
    shim = folder / "bin" / "ghdl"
    shim.parent.mkdir()
    shim.write_text(GHDL)
    shim.chmod(0o755)
    environment = os.environ | {"PATH": f"{shim.parent}:{os.environ['PATH']}", "COUNTED": str(folder)}
    subprocess.run([sys.executable, *COMMAND], cwd=Path(__file__).parent, env=environment, check=True)


DECISION = re.compile(r"\s*(?:els)?if\b")


def counted(folder):
    """Sums the counts of all programs: each line's runs, and each decision's true and false results."""
    lines, decisions = defaultdict(Counter), defaultdict(dict)
    for data in folder.glob("ghdl-*/*.gcda"):
        command = ["gcov", "--json-format", "--branch-probabilities", "--stdout", data.name]
        done = subprocess.run(command, cwd=data.parent, check=True, capture_output=True)
        for file in json.loads(done.stdout)["files"]:
            path = Path(file["file"])
            if not path.is_relative_to(RTL):
                continue
            text, name = path.read_text().splitlines(), path.relative_to(RTL)
            for line in file["lines"]:
                number = line["line_number"]
                lines[name][number] += line["count"]
                if DECISION.match(text[number - 1]) and len(line["branches"]) >= 2:
                    before = decisions[name].get(number, (0, 0))
                    decisions[name][number] = tuple(seen + branch["count"] for seen, branch in zip(before, line["branches"][-2:]))
    return lines, decisions


# Why a line is not reached, or a decision goes one way.
WHY = {
    "if s > 0 then": "more than 16 engines: in the full set alone",
    "one := one or any(s - 1);": "the same",
    "if m < KEY_BYTES then": "of the generics: a key of fewer words than a group has rounds",
    "elsif KEY_BYTES > 1 then": "the same: a key of one word is complete with it",
}


def recorded():
    """Returns the head of the record, and its rows."""
    with RESULTS.open() as file:
        return file.readline().removeprefix("# ").strip(), list(csv.DictReader(file))


def table():
    """The README's table: the totals of both folders, and each file with incomplete coverage."""
    what, rows = recorded()
    text = f"Recorded by {what}, each file in `tb/line_coverage.csv`.\n\n"
    text += "| files | lines | reached | decisions | both ways | what is missing |\n|---|--:|--:|--:|--:|---|\n"
    paper = [row for row in rows if row["file"].startswith("paper/")]
    ours = [row for row in rows if row not in paper]
    for name, of in (("rtl/*.vhd", ours), ("rtl/paper/*.vhd", paper), *((f"rtl/{row['file']}", [row]) for row in rows if row["missed"])):
        numbers = " | ".join(str(sum(int(row[column]) for row in of)) for column in ("lines", "reached", "decisions", "both"))
        missed = "; ".join(f"`{line}`: {WHY[line]}" for line in of[0]["missed"].splitlines()) if len(of) == 1 else ""
        text += f"| `{name}` | {numbers} | {missed} |\n"
    return BEGIN + text + END


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with TemporaryDirectory() as name:
        run(Path(name))
        lines, decisions = counted(Path(name))
    rows = []
    for path, counts in sorted(lines.items()):
        text = (RTL / path).read_text().splitlines()
        unreached = {number for number, count in counts.items() if not count}
        one_way = {number for number, ways in decisions[path].items() if 0 in ways}
        missed = [" ".join(text[number - 1].split()) for number in sorted(unreached | one_way)]
        for line in missed:
            if line not in WHY:
                sys.exit(f"line_coverage: {path}: no test reaches both ways of `{line}`, and WHY does not say why")
        ways = len(decisions[path])
        rows.append([path, len(counts), len(counts) - len(unreached), ways, ways - len(one_way), "\n".join(missed)])
    revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HARDWARE, check=True, capture_output=True, text=True).stdout.strip()
    with RESULTS.open("w", newline="") as file:
        file.write(f"# `make -C hardware coverage` at {revision}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["file", "lines", "reached", "decisions", "both", "missed"], *rows])
    before, rest = README.read_text().split(BEGIN)
    README.write_text(before + table() + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
