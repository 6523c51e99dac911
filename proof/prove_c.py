"""Proves the portable code of capi/single/arcfour.c, function by function.

With `--rust` it also proves the library's portable code. It exits with 1 if a claim fails.
"""

import argparse
import csv
import subprocess
import sys
import time
from pathlib import Path

import c_lanes
import c_stream
import rust_portable
from c_turns import CONTRACTS
from llvm_ir import Module
from obligation import SOLVERS

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "capi" / "single" / "arcfour.c"
RECORD = HERE / "portable.csv"
HEAD = ["function", "what it does", "obligations", "seconds"]
PROOFS = (c_stream.Wipe, c_stream.Schedule, c_stream.Bytes, c_stream.Blocks, c_stream.XorPortable, c_stream.Xor, c_stream.Skip,
          c_stream.Key, c_lanes.Jobs, c_lanes.Lanes)
# Without the macros of GNU compilers, the C file has no assembly.
FLAGS = ["-std=c99", "-O0", "-DARCFOUR1_PORTABLE", "-U__GNUC__", "-U__clang__", "-fno-discard-value-names", "-Xclang",
         "-disable-O0-optnone", "-Xclang", "-opaque-pointers", "--target=x86_64-linux-gnu"]


def compiled(text):
    """Compiles a C text by clang into a module."""
    command = ["clang", *FLAGS, "-I", str(SOURCE.parent), "-x", "c", "-S", "-emit-llvm", "-o", "-", "-"]
    return Module(subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout, CONTRACTS)


def refuted(obligations, solver=SOLVERS["bitwuzla"]):
    """Returns the failed obligations by name, each with its failed claims."""
    return {obligation.name: obligation.failing(solver) for obligation in obligations if solver(obligation.smt2()) != "unsat"}


def table():
    """Returns the README's table, with its marks, from the record."""
    with RECORD.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return "\n".join(["<!-- prove_c.py --record -->", f"| {' | '.join(HEAD)} |", "|---|---|--:|--:|",
                      *(f"| `{row['function']}` | {' | '.join(list(row.values())[1:])} |" for row in rows), "<!-- end of C -->"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out `lanes_portable`, which takes longer than all other functions")
    parser.add_argument("--both", action="store_true", help="ask z3 too, and whether the assumptions can be true")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--rust", type=Path, help="the library as rustc writes it with `--emit=llvm-ir`, not optimised")
    given = parser.parse_args()
    if given.record and (given.quick or not given.rust):
        parser.error("--record needs every function: remove --quick, and give the library's functions by --rust")
    module, rows, failed = compiled(SOURCE.read_text()), [], False
    todo = [(kind, module) for kind in (PROOFS[:-1] if given.quick else PROOFS)]
    if given.rust:
        library = Module(given.rust.read_text())
        todo += [(kind, library) for kind in rust_portable.PROOFS]
    for kind, module in todo:
        start = time.process_time()
        obligations = list(kind(module).obligations())
        wrong = [f"{name}: {', '.join(says)}" for solver in (SOLVERS if given.both else ["bitwuzla"])
                 for name, says in refuted(obligations, SOLVERS[solver]).items()]
        if given.both:
            wrong += [f"{obligation.name}: the assumptions contradict each other" for obligation in obligations
                      if SOLVERS["bitwuzla"](obligation.cover()) != "sat"]
        count, seconds = len(obligations), time.process_time() - start
        print(*wrong, f"{kind.title()}: {count} obligations, {'NOT proven' if wrong else 'proven'}, {seconds:.0f} seconds", sep="\n")
        rows.append([kind.title(), kind.__doc__.splitlines()[0].partition(": ")[2].rstrip("."), count, f"{seconds:.0f}"])
        failed |= bool(wrong)
    if given.record and not failed:
        with RECORD.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])
    return failed


if __name__ == "__main__":
    sys.exit(main())
