#!/usr/bin/env python3
"""Mutation testing of small cores: puts mutations into their netlists and counts those that the tests and proofs detect.

    mutation.py [CORE...]    records all cores and parts, or these, in mutation.csv and survivors.csv, and writes the table in README.md

yosys' `mutate` picks the mutations: a bit of a cell's port is stuck, inverted or mixed with another. One netlist has all mutants of a core,
and a port selects one. A mutant is killed
  by the keystream   tb/verilated.cpp finds a wrong word, or a port that breaks its promise,
  by the clocks      the mutant takes other clocks than the core, or
  by a proof         the proof of the wipe or of the invariant fails.
For every other mutant the solver looks for a state that shows a difference, with any registers and any inputs. If there is no such state,
the mutant is equivalent and does not count. The other mutants survive. A survivor is harmless if wipe and invariant hold for it, so that
the core's output is right.
"""

import argparse
import csv
import json
import sys

from proofs import BUILT, HERE, WIPED_AXIS, bare_axis, elaborated, flow, forgotten, invariant, sat

sys.path.insert(0, str(HERE.parent / "tb"))
import verilate

COUNT = 100  # mutants a core
# The core, N, K and KEY_BYTES.
CORES = [("rc4_unroll", 8, 2, 3), ("rc4_pipe", 8, 1, 3), ("rc4_spec", 8, 1, 3), ("rc4_spec", 16, 2, 3), ("rc4_bram", 8, 1, 3)]
CORES += [("rc4_still", 8, 1, 3), ("rc4_still", 16, 2, 3)]
# rc4_axis, without its core, and its parts: only the proofs kill their mutants.
PARTS = [("rc4_skid", {"BITS": 4}), ("rc4_meter", {"K": 2}), ("rc4_axis", {"K": 2, "KEY_BYTES": 2})]
WIPE = {"rc4_unroll": 1, "rc4_pipe": 12, "rc4_spec": 12, "rc4_still": 12, "rc4_bram": 9}  # clocks at N = 8
INVARIANT = {name: f"{name.removeprefix('rc4_')}.sv" for name in WIPE.keys() | {"rc4_skid", "rc4_meter", "rc4_axis"}}
RESULTS, SURVIVORS, README = HERE / "mutation.csv", HERE / "survivors.csv", HERE / "README.md"
NONE = 1  # the port's value for no error


def mutants(folder, entity):
    """Puts the mutations into flat.il, as mutants.il and mutants.v. Returns each by its number."""
    flow.yosys(
        f"""
        read_rtlil flat.il
        opt_expr
        async2sync
        dffunmap
        opt_clean
        write_rtlil flat.il
        mutate -list {COUNT} -seed 1 -none -ctrl mutant 8 {NONE} -o errors.ys
        script errors.ys
        write_rtlil mutants.il
        write_verilog -noattr mutants.v
        """,
        folder,
        "mutants",
    )
    found = {}
    for line in (folder / "errors.ys").read_text().splitlines():
        words = line.split(" -src")[0].split()
        number = int(words[words.index("-ctrl") + 3])
        if "none" not in words:
            what = " ".join(word for word in words[words.index("-mode") :] if word not in ("-module", entity))
            found[number] = what.replace(",", ";")
    return found


def single(folder, number, entity):
    """A folder in which flat.il has this one error."""
    there = folder / f"mutant-{number}"
    there.mkdir(exist_ok=True)
    flow.yosys(
        f"""
        read_rtlil ../mutants.il
        cd {entity}
        delete -input w:mutant
        connect -set mutant 8'd{number}
        cd ..
        opt_expr
        opt_clean
        write_rtlil flat.il
        """,
        there,
        "single",
    )
    return there


def equivalent(folder, number, entity):
    """True if the mutant is equivalent: same next state and outputs as the core, from every state."""
    there = folder / f"mutant-{number}"
    flow.yosys("read_rtlil ../mutants.il\nwrite_json cut.json", there, "cut")
    design = json.loads((there / "cut.json").read_text())
    module = design["modules"][entity]
    for name, cell in list(module["cells"].items()):
        if cell["type"] == "$dff":
            module["ports"][f"{name}.q"] = {"direction": "input", "bits": cell["connections"]["Q"]}
            module["ports"][f"{name}.d"] = {"direction": "output", "bits": cell["connections"]["D"]}
            del module["cells"][name]
    (there / "cut.json").write_text(json.dumps(design))
    choose = "\n".join(
        f"cd {copy}\ndelete -input w:mutant\nconnect -set mutant 8'd{value}\ncd .."
        for copy, value in ((entity, NONE), ("other", number))
    )
    flow.yosys(
        f"""
        read_json cut.json
        copy {entity} other
        {choose}
        miter -equiv -flatten {entity} other both
        hierarchy -top both
        opt -full
        write_rtlil bench.il
        """,
        there,
        "equivalent",
    )
    return sat(there, "both", "-prove trigger 0")


def of_core(entity, n, k, key_bytes):
    """Returns the mutants of a core with their verdicts."""
    built, more = BUILT.get(entity, (entity, {}))
    generics = {"N": n, "K": k, "KEY_BYTES": key_bytes} | more
    folder = elaborated(built, generics, f"mutation-{entity}-{n}-{k}")
    found = mutants(folder, built)
    model = verilate.build(built, [folder / "mutants.v"], n, k, key_bytes, folder, mutants=True)

    def says(number, *mode):
        try:
            return model.run(*mode, number)
        except verilate.WrongKeystream:
            return None

    sound = says(NONE, "clocks", 40, 60, 1)
    assert sound and says(NONE, "random", 1500, 60, 1), f"{entity} is wrong without an error"

    def verdict(number):
        if not says(number, "random", 50, 60, 1) or not says(number, "random", 1500, 60, 2):
            return "keystream"
        if says(number, "clocks", 40, 60, 1) != sound:
            return "clocks"
        there = single(folder, number, built)
        if equivalent(folder, number, built):
            return "equivalent"
        if n == 8 and not forgotten(built, there, WIPE[entity]):
            return "proof"
        if n == 8:
            return "harmless" if invariant(built, INVARIANT[entity], {"N": n, "K": k, "L": key_bytes}, there) else "proof"
        return "survivor"

    return {what: verdict(number) for number, what in found.items()}


def of_part(entity, generics):
    """Returns the mutants of a part with their verdicts."""
    folder = (bare_axis if entity == "rc4_axis" else elaborated)(entity, generics, f"mutation-{entity}")
    parameters = {"L" if name == "KEY_BYTES" else name: value for name, value in generics.items()}

    def wiped(there):
        if entity == "rc4_axis":
            return all(forgotten(entity, there, clocks, registers, command, {}) for command, clocks, registers in WIPED_AXIS)
        return forgotten(entity, there, 1, quiet={"rst_i": 0})

    def verdict(number):
        there = single(folder, number, entity)
        if not invariant(entity, INVARIANT[entity], parameters, there):
            return "proof"
        if equivalent(folder, number, entity):
            return "equivalent"
        return "harmless" if wiped(there) else "proof"

    return {what: verdict(number) for number, what in mutants(folder, entity).items()}


def recorded(file):
    """The rows of a file, or none before the first run."""
    return list(csv.DictReader(file.open())) if file.exists() else []


BEGIN, END = "<!-- mutation.py writes from here -->\n", "<!-- to here -->\n"


def table():
    """Returns the recorded table for the README."""
    text = "| core | N, K | mutants | wrong keystream | other clocks | refuted by a proof | equivalent | survive, harmless | survive | score |\n"
    text += "|---|---|" + "--:|" * 8 + "\n"
    for row in recorded(RESULTS):
        counts = (row[name] for name in ("mutants", "keystream", "clocks", "proof", "equivalent", "harmless", "survivor"))
        size = f"{row['n']}, {row['k']}" if row["n"] else ""
        text += f"| `{row['core']}` | {size} | {' | '.join(counts)} | {row['score']} % |\n"
    return BEGIN + text + END


def main():
    runs = {(entity, n, k): lambda core=(entity, n, k, length): of_core(*core) for entity, n, k, length in CORES}
    runs |= {(entity, "", ""): lambda part=(entity, generics): of_part(*part) for entity, generics in PARTS}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("core", nargs="*", metavar="CORE", help="unless given, all")
    chosen, names = parser.parse_args().core, sorted({name for name, *_ in runs})
    for name in chosen:
        if name not in names:
            parser.error(f"{name}: no core; it must be one of {', '.join(names)}")
    for what, run in runs.items():
        if chosen and what[0] not in chosen:
            continue
        verdicts = run()
        ends = list(verdicts.values())
        count = {end: ends.count(end) for end in ("keystream", "clocks", "proof", "equivalent", "harmless", "survivor")}
        killed = count["keystream"] + count["clocks"] + count["proof"]
        name = dict(zip(("core", "n", "k"), map(str, what)))
        row = {**name, "mutants": len(ends), **count, "score": f"{100 * killed / (len(ends) - count['equivalent']):.1f}"}
        left = [{**name, "end": end, "error": error} for error, end in verdicts.items() if end in ("harmless", "survivor")]
        print(*row.values(), flush=True)
        # What is recorded of the others stays.
        for file, new, names in ((RESULTS, [row], row), (SURVIVORS, left, [*name, "end", "error"])):
            found = [old for old in recorded(file) if (old["core"], old["n"], old["k"]) != tuple(name.values())] + new
            found.sort(key=lambda row: (row["core"], row["n"]))
            with file.open("w", newline="") as out:
                writer = csv.DictWriter(out, names, lineterminator="\n")
                writer.writeheader()
                writer.writerows(found)
        before, rest = README.read_text().split(BEGIN)
        README.write_text(before + table() + rest.split(END)[1])


if __name__ == "__main__":
    main()
