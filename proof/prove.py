"""Proves kernels: `prove.py --elf target/release/arcfour` exits with 1 if a claim fails."""

import argparse
import csv
import re
import sys
import time
from pathlib import Path

import aarch64_stream
import machine_code
import prove_c
import records
import x86_lanes
import x86_rc4a
import x86_schedule
import x86_single
import x86_stream
from elftools.common.exceptions import ELFError
from obligation import ALONE, SOLVERS, solvers
from prove_c import SECOND_HEAD

HERE = Path(__file__).resolve().parent
RECORD, SECOND = HERE / "proofs.csv", HERE / "second.csv"
README = HERE / "README.md"
TABLE = re.compile("<!-- make proof-record -->.*?<!-- end -->", re.DOTALL)
PORTABLE_TABLE = re.compile("<!-- make proof-record, portable -->.*?<!-- end of portable -->", re.DOTALL)
# The proof of each kernel, by the name of its function.
KERNELS = {
    "x86_64::stream::xor_turns": lambda code: x86_stream.Stream(code, reads=True),
    "x86_64::stream::fill_turns": lambda code: x86_stream.Stream(code, reads=False),
    "x86_64::stream::schedule_turns": x86_schedule.Schedule,
    "aarch64::xor_turns": aarch64_stream.Stream,
    "x86_64::lanes::xor_turns": lambda code: x86_lanes.Keystream(code, reads=True),
    "x86_64::lanes::fill_turns": lambda code: x86_lanes.Keystream(code, reads=False),
    "x86_64::lanes::schedule_turns": x86_lanes.Schedule,
    "x86_64::rc4a::xor_turns": lambda code: x86_rc4a.Rc4a(code, reads=True),
    "x86_64::rc4a::fill_turns": lambda code: x86_rc4a.Rc4a(code, reads=False),
} | {f"single::{compiler}::x86_64::{function}": proof for compiler in ("gcc", "clang") for function, proof in {
    "turns_x86": lambda code: x86_single.Stream(code, reads=True), "schedule_x86": x86_single.Schedule,
    "five_x86": lambda code: x86_single.Five(code, reads=True)}.items()} | {"single::clang::aarch64::blocks_aarch64": aarch64_stream.Single}


def kernels(*elfs):
    """Returns the kernels in these files, and the file of each."""
    families = {machine_code.family(elf): elf for elf in elfs}
    return {kernel: elf for kernel in KERNELS for family, elf in families.items() if kernel.startswith(family)}


def proof(elf, kernel):
    return KERNELS[kernel](machine_code.extract(elf, kernel))


def lines(code, obligation):
    """Returns the instructions of an obligation's path."""
    text = {item.addr.offset: f"{item.mnem} {item.body}" for item in code.instructions()}
    return [f"    {address - code.base:#06x}  {text[address]}" for address in obligation.trace]


def check(prover, ask):
    """Asks the solvers about every obligation. `ask` has a function for each solver by name.

    Returns the number of obligations, the names of those that z3 gave up, and lines about those that
    failed. With two solvers it also asks whether the assumptions can be true.
    """
    count, given_up, wrong = 0, [], []
    for obligation in prover.obligations():
        count += 1
        for name, answers in ask.items():
            answer = answers(obligation)
            if (name, answer) == ("z3", "unknown"):
                given_up.append(obligation.name)
            elif answer != "unsat":
                wrong += [f"{prover.code.name}, {obligation.name}: {name} answers {answer}; the claims that fail, and the path:",
                          *(f"  {says}" for says in obligation.failing(SOLVERS[name])), *lines(prover.code, obligation)]
        if len(ask) > 1 and (answer := SOLVERS["bitwuzla"](obligation.cover())) != "sat":
            wrong.append(f"{prover.code.name}, {obligation.name}: the assumptions contradict each other: {answer}")
    return count, given_up, wrong


def table():
    """Returns the README's table from the records of `prove.py` and `mutate.py`."""
    rows = {name: {next(iter(row.values())): row for row in csv.DictReader((HERE / f"{name}.csv").read_text().splitlines())}
            for name in ("proofs", "second", "mutations")}
    columns = ("mutants", "tried", "refuted", "stopped", "survived")
    lines = ["| kernel | instructions | obligations | by Z3 too | seconds | mutants | tried | refuted | stopped | equivalent |",
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for kernel, row in rows["proofs"].items():
        second, tally = rows["second"][kernel], rows["mutations"].get(kernel, dict.fromkeys(columns, ""))
        cells = [row["instructions"], row["obligations"], second["by z3 too"], row["seconds"], *(tally[name] for name in columns)]
        lines.append(f"| `{kernel}` | {' | '.join(cells)} |")
    return "\n".join(["<!-- make proof-record -->", *lines, "<!-- end -->"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elf", action="append", default=[], type=Path, help="a program, library or object file with kernels")
    parser.add_argument("--both", action="store_true", help="ask z3 too, and check that the assumptions can be true")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}, or with --both {SECOND.name}")
    parser.add_argument("--show", metavar="OBLIGATION", help="print one obligation: its path, and the question to the solver")
    parser.add_argument("--write", action="store_true", help="write the README's tables from the records")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=", ".join(KERNELS))
    given = parser.parse_args()
    if given.write:
        README.write_text(PORTABLE_TABLE.sub(lambda _: prove_c.table(), TABLE.sub(lambda _: table(), README.read_text())))
        return False
    if not given.elf:
        parser.error("--elf is missing")
    if unknown := set(given.kernels) - set(KERNELS):
        parser.error(f"unknown kernel: {', '.join(sorted(unknown))}; the kernels are {', '.join(KERNELS)}")
    rows, second, failed, ask = [], [], False, solvers(given.both)
    try:
        held = kernels(*given.elf)
    except (OSError, ELFError) as error:
        parser.exit(1, f"{', '.join(map(str, given.elf))}: {error}\n")
    if missing := set(given.kernels) - set(held):
        parser.exit(1, f"no file of --elf has the kernel {', '.join(sorted(missing))}\n")
    chosen = given.kernels or held
    for kernel in chosen:
        start = time.process_time()
        try:
            prover = proof(held[kernel], kernel)
        except (OSError, LookupError, ValueError, ELFError) as error:
            parser.exit(1, f"{held[kernel]}: {error}\n")
        if given.show:
            for obligation in prover.obligations():
                if obligation.name == given.show:
                    print(*lines(prover.code, obligation), obligation.smt2(), sep="\n")
            continue
        count, given_up, wrong = check(prover, ask)
        seconds = time.process_time() - start
        print(*wrong, *(f"{kernel}, {name}: z3 gives up after {ALONE} seconds" for name in given_up),
              f"{kernel}: {count} obligations, {'NOT proven' if wrong else 'proven'}, {seconds:.0f} seconds", sep="\n", flush=True)
        failed |= bool(wrong)
        rows.append([kernel, len(prover.code.instructions()), count, f"{seconds:.0f}"])
        second.append([kernel, count, count - len(given_up), f"{seconds:.0f}"])
    if given.record and not failed:
        if given.both:
            records.put(SECOND, SECOND_HEAD, second, KERNELS)
        else:
            records.put(RECORD, ["kernel", "instructions", "obligations", "seconds"], rows, KERNELS)
    return failed


if __name__ == "__main__":
    sys.exit(main())
