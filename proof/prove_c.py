"""Proves the portable code of capi/single/arcfour.c, function by function.

With `--rust` it also proves the library's portable code. It exits with 1 if a claim fails.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

import c_lanes
import c_stream
import records
import rust_loops
import rust_portable
from c_turns import CONTRACTS
from llvm_ir import Module
from obligation import ALONE, SOLVERS, solvers

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "capi" / "single" / "arcfour.c"
RECORD, SECOND = HERE / "portable.csv", HERE / "portable_second.csv"
SECOND_HEAD = ["name", "obligations", "by z3 too", "seconds"]
HEAD = ["function", "what it does", "obligations", "seconds"]
PROOFS = (c_stream.Wipe, c_stream.Schedule, c_stream.Bytes, c_stream.Blocks, c_stream.XorPortable, c_stream.Xor, c_stream.Skip,
          c_stream.Key, c_lanes.Jobs, c_lanes.Lanes)
RUST_PROOFS = (*rust_portable.PROOFS, *rust_loops.PROOFS)
SLOW = (c_lanes.Lanes, rust_loops.LaneSteps)  # each takes longer than all other functions of its language
# Without the macros of GNU compilers, the C file has no assembly.
FLAGS = ["-std=c99", "-O0", "-DARCFOUR1_PORTABLE", "-U__GNUC__", "-U__clang__", "-fno-discard-value-names", "-Xclang",
         "-disable-O0-optnone", "-Xclang", "-opaque-pointers", "--target=x86_64-linux-gnu"]


def compiled(text):
    """Compiles a C text by clang into a module."""
    command = ["clang", *FLAGS, "-I", str(SOURCE.parent), "-x", "c", "-S", "-emit-llvm", "-o", "-", "-"]
    return Module(subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout, CONTRACTS)


def titles():
    """Returns the names of the functions in the table."""
    return [kind.title() for kind in (*PROOFS, *RUST_PROOFS)]


def table():
    """Returns the README's table, with its marks, from the records."""
    rows, second = ({row[0]: row[1:] for row in records.read(path)[1:]} for path in (RECORD, SECOND))
    lines = [f"| `{name}` | {what} | {count} | {second[name][1]} | {seconds} |" for name, (what, count, seconds) in rows.items()]
    return "\n".join(["<!-- make proof-record, portable -->", "| function | what it does | obligations | by Z3 too | seconds |", "|---|---|--:|--:|--:|",
                      *lines, "<!-- end of portable -->"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the steps of five streams, which take minutes")
    parser.add_argument("--both", action="store_true", help="ask z3 too, and whether the assumptions can be true")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}, or with --both {SECOND.name}")
    parser.add_argument("--rust", type=Path, help="the library as rustc writes it with `--emit=llvm-ir`, not optimised")
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help=", ".join(titles()))
    given = parser.parse_args()
    if unknown := set(given.functions) - set(titles()):
        parser.error(f"unknown function: {', '.join(sorted(unknown))}; the functions are {', '.join(titles())}")
    module, rows, second, failed, ask = compiled(SOURCE.read_text()), [], [], False, solvers(given.both)
    todo = [(kind, module) for kind in PROOFS]
    if given.rust:
        library = rust_loops.library(given.rust.read_text())
        todo += [(kind, library) for kind in RUST_PROOFS]
    for kind, module in todo:
        if (given.quick and kind in SLOW) or (given.functions and kind.title() not in given.functions):
            continue
        start = time.process_time()
        obligations, wrong, given_up, begun = list(kind(module).obligations()), [], 0, {}
        for obligation in obligations:
            for name, answers in ask.items():
                answer = answers(obligation)
                if (name, answer) == ("z3", "unknown"):
                    given_up += 1
                    print(f"{kind.title()}, {obligation.name}: z3 gives up after {ALONE} seconds", flush=True)
                elif answer != "unsat":
                    wrong.append(f"{obligation.name}: {name} answers {answer}: {', '.join(obligation.failing(SOLVERS[name]))}")
            if given.both:
                # No state takes a path that panics. But some state takes a path from the same begin.
                name = obligation.name.partition(", branch")[0]
                begun[name] = begun.get(name, False) or SOLVERS["bitwuzla"](obligation.cover()) == "sat"
        wrong += [f"{name}: the assumptions contradict each other" for name, possible in begun.items() if not possible]
        count, seconds = len(obligations), time.process_time() - start
        print(*wrong, f"{kind.title()}: {count} obligations, {'NOT proven' if wrong else 'proven'}, {seconds:.0f} seconds",
              sep="\n", flush=True)
        rows.append([kind.title(), kind.__doc__.splitlines()[0].partition(": ")[2].rstrip("."), count, f"{seconds:.0f}"])
        second.append([kind.title(), count, count - given_up, f"{seconds:.0f}"])
        failed |= bool(wrong)
    if given.record and not failed:
        if given.both:
            records.put(SECOND, SECOND_HEAD, second, titles())
        else:
            records.put(RECORD, HEAD, rows, titles())
    return failed


if __name__ == "__main__":
    sys.exit(main())
