"""Simulates the cores for the study, with the tests of `hardware/tb`; the Python of .venv/hardware runs it.

    simulation.py clocks ENTITY GENERICS K WORDS FILE   writes the clocks as JSON
    simulation.py waves ENTITY GENERICS K WORDS FILE    writes every vector and bit at every clock as CSV

GENERICS is JSON. Either way the keystream is compared with the Python port's.
"""

import csv
import json
import os
import sys
from pathlib import Path

TB = Path(__file__).resolve().parents[2] / "hardware" / "tb"
sys.path.insert(0, str(TB))
os.chdir(TB)

from simulate import simulate
from vcd.reader import TokenKind, tokenize

CLOCK = "clk_i"


def clocked(path: Path) -> list[dict[str, str]]:
    """The value of every signal just before each rising edge of the clock."""
    scope: list[str] = []
    names: dict[str, list[str]] = {}
    values: dict[str, str] = {}
    edges = []
    before = {}  # the values when the time last moved on
    with path.open("rb") as file:
        for token in tokenize(file):
            match token.kind:
                case TokenKind.SCOPE:
                    scope.append(token.scope.ident)
                case TokenKind.UPSCOPE:
                    scope.pop()
                case TokenKind.VAR:
                    # The outermost scope is the core.
                    names.setdefault(token.var.id_code, []).append(".".join([*scope[1:], token.var.reference]))
                case TokenKind.CHANGE_TIME:
                    before = dict(values)
                case TokenKind.CHANGE_SCALAR | TokenKind.CHANGE_VECTOR:
                    change = token.data
                    value = str(change.value)
                    for name in names.get(change.id_code, ()):
                        if name == CLOCK and value == "1" and before.get(CLOCK) == "0":
                            edges.append(before)
                        values[name] = value
    return edges


def main() -> None:
    what, entity, generics, k, words, file = sys.argv[1:]
    generics = json.loads(generics)
    counts = Path(file).with_suffix(".json")
    options = {"k": int(k), "words": int(words), "clocks": counts}
    build = simulate(entity, "throughput", generics, vcd=what == "waves", **options)
    if what == "waves":
        edges = clocked(build / "waves.vcd")
        with open(file, "w", newline="") as sink:
            writer = csv.DictWriter(sink, sorted(set().union(*edges)), restval="")
            writer.writeheader()
            writer.writerows(edges)


if __name__ == "__main__":
    main()
