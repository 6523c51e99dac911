"""Counts the kernel's instructions, and models the rates of three cards: `python3 gpu/model.py FILE`.

FILE is the SPIR-V of the example `spirv`. The command compares the counts with `model.csv`, and the table of the README
with both. With `--write` it writes them.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
COUNTS, CARDS, README = HERE / "model.csv", HERE / "cards.csv", HERE / "README.md"
BEGIN, END = "<!-- model -->\n", "<!-- end of model -->\n"
# Turns of each loop of the kernel, in its order, for a key of 5 unknown bytes. The first known byte rejects nearly all
# keys, and no byte is skipped before it.
TURNS = {"key, known bytes": 2, "key, unknown bytes": 5, "table": 64, "schedule": 64, "known bytes": 1, "skipped bytes": 0}
# These become no instruction, or are counted where they are used.
FREE = {"OpLabel", "OpBranch", "OpLoopMerge", "OpSelectionMerge", "OpPhi", "OpBitcast", "OpCopyObject", "OpCompositeConstruct", "OpCompositeExtract", "OpReturn", "OpUnreachable", "OpVariable"}
KINDS = ("instructions", "reads", "writes")


def disassembled(file: Path) -> list[str]:
    """The lines of the entry point, with all functions inlined as a driver does it."""
    better = file.with_suffix(".optimised")
    subprocess.run(["spirv-opt", "-O", file, "-o", better], check=True)
    text = subprocess.run(["spirv-dis", "--no-header", "--raw-id", better], check=True, capture_output=True, text=True).stdout
    shared = {match[1] for match in re.finditer(r"(%\d+) = OpVariable %\d+ Workgroup", text)}
    functions = re.findall(r"= OpFunction .*?OpFunctionEnd", text, re.DOTALL)
    if len(functions) != 1 or len(shared) != 1:
        sys.exit(f"{file}: {len(functions)} functions and {len(shared)} variables of workgroups; one of each was expected")
    lines = [line.strip() for line in functions[0].splitlines()[1:-1]]
    memory = shared.pop()
    return [line.replace(f" {memory} ", " SHARED ") for line in lines]


def blocks_of(lines: list[str]) -> dict[str, list[str]]:
    blocks: dict[str, list[str]] = {}
    for line in lines:
        if match := re.match(r"(%\d+) = OpLabel", line):
            body = blocks[match[1]] = []
        body.append(line)
    return blocks


def loops_of(blocks: dict[str, list[str]]) -> list[set[str]]:
    """The blocks of each loop, in the order of the kernel."""
    follow = {name: re.findall(r"%\d+", body[-1].split("Op")[1]) for name, body in blocks.items()}
    before = {name: [other for other, after in follow.items() if name in after] for name in blocks}
    places = {name: place for place, name in enumerate(blocks)}
    loops = []
    for header, body in blocks.items():
        if not any("OpLoopMerge" in line for line in body):
            continue
        loop = {header}
        left = [name for name in before[header] if places[name] >= places[header]]
        while left:
            name = left.pop()
            if name not in loop:
                loop.add(name)
                left += before[name]
        loops.append(loop)
    return loops


def count(body: list[str], pointers: set[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for line in body:
        operation = (re.search(r"Op\w+", line) or [""])[0]
        if operation == "OpAccessChain" and " SHARED " in line:
            pointers.add(line.split()[0])
        if operation == "OpLoad" and line.split()[-1] in pointers:
            found["reads"] += 1
        elif operation == "OpStore" and line.split()[1] in pointers:
            found["writes"] += 1
        elif operation not in FREE:
            found["instructions"] += 1
    return found


def counted(file: Path) -> list[dict[str, str]]:
    """A row for each loop, and one for what is outside loops: times a key, and the counts of a turn."""
    blocks = blocks_of(disassembled(file))
    loops = loops_of(blocks)
    if len(loops) != len(TURNS):
        sys.exit(f"{file}: {len(loops)} loops; {len(TURNS)} were expected")
    pointers: set[str] = set()
    of_block = {name: count(body, pointers) for name, body in blocks.items()}
    rows = [("once", 1, [name for name in blocks if not any(name in loop for loop in loops)])]
    for (name, turns), loop in zip(TURNS.items(), loops, strict=True):
        inner = [other for other in loops if other < loop]
        outer = [turn for other, turn in zip(loops, TURNS.values(), strict=True) if other > loop]
        for turn in outer:
            turns *= turn
        rows.append((name, turns, [block for block in loop if not any(block in other for other in inner)]))
    totals = [(name, times, sum((of_block[block] for block in inside), Counter())) for name, times, inside in rows]
    return [{"part": name, "times": str(times)} | {kind: str(total[kind]) for kind in KINDS} for name, times, total in totals]


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")))


def table(counts: list[dict[str, str]]) -> str:
    per_key = {kind: sum(int(row["times"]) * int(row[kind]) for row in counts) for kind in KINDS}
    text = f"A key of 5 bytes takes {per_key['instructions']:,} instructions, {per_key['reads']:,} reads and {per_key['writes']:,} writes.\n\n"
    text += "| card | by instructions | by memory | hashcat, published | mode of hashcat | source |\n|---|--:|--:|--:|---|---|\n"
    for card in read(CARDS):
        clock = int(card["units"]) * int(card["mhz"])
        instructions = clock * int(card["lanes"]) / per_key["instructions"]
        memory = clock * int(card["banks"]) / (per_key["reads"] + per_key["writes"])
        number = card["published"]
        source = f"[hashcat {number}](https://github.com/hashcat/hashcat/issues/{number})"
        published = f"{float(card['mhs']):,.0f} | {card['mode']} | {source}" if card["mhs"] else "none found | |"
        text += f"| {card['card']} | {instructions:,.0f} | {memory:,.0f} | {published} |\n"
    return text


def spliced(text: str, begin: str, new: str, end: str) -> str:
    """Returns the text with `new` between two marks."""
    before, rest = text.split(begin)
    return before + begin + new + end + rest.split(end)[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write model.csv and the table of the README")
    parser.add_argument("file", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    counts = counted(arguments.file)
    readme = README.read_text("utf-8")
    written = spliced(readme, BEGIN, table(counts), END)
    if arguments.write:
        with COUNTS.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, counts[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(counts)
        README.write_text(written, "utf-8")
        return 0
    faults = ["model.csv has other counts"] if read(COUNTS) != counts else []
    faults += ["README.md has another table"] if written != readme else []
    sys.stderr.writelines(f"{fault}; python3 gpu/model.py --write FILE writes it\n" for fault in faults)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
