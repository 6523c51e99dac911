#!/usr/bin/env python3
"""Counts the hits of rc4_spec's groups at N = 256, in the model of rc4_still, which has the same hits. Writes results/hits.csv.

The keys are random and have 16 bytes. Each gives as many bytes as in rates.py.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import get_type_hints

from designs import designs
from rates import KEYS, SEED, WORDS
from recording import read_rows, record

FOLDER = Path(__file__).resolve().parent
FILE = FOLDER / "results" / "hits.csv"
sys.path.append(str(FOLDER.parent / "tb"))
from still_model import Hits, Still

DESIGNS = {
    name: design.generics["K"]
    for name, design in designs().items()
    if design.record and design.entity == "rc4_spec" and "CORRECT" not in design.generics
}


@dataclass(frozen=True)
class Row:
    """A line of the file. still_model.Hits explains the counts."""

    design: str
    k: int
    keys: int
    groups: int
    own: int
    own_groups: int
    next_groups: int

    def rate(self, clocks: int) -> float:
        """Bytes a clock if the groups take this many clocks."""
        return self.k * self.groups / clocks

    @property
    def clocks(self) -> int:
        return Hits(self.groups, self.own, self.own_groups, self.next_groups).clocks


def recorded() -> list[Row]:
    """The lines of the file."""
    kinds = get_type_hints(Row)
    return [Row(**{name: kinds[name](text) for name, text in row.items()}) for row in read_rows(FILE)]


def measure(design: str, keys: int, words: int = WORDS) -> Row:
    """Counts the hits of random keys."""
    rng, k = Random(SEED), DESIGNS[design]
    total = dict.fromkeys(("groups", "own", "own_groups", "next_groups"), 0)
    for _ in range(keys):
        core = Still([rng.randrange(256) for _ in range(16)], 256, k)
        core.read(words)
        for name in total:
            total[name] += getattr(core.hits, name)
    return Row(design, k, keys, **total)


def main() -> int:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for design in DESIGNS:
        row = measure(design, KEYS)
        print(row, flush=True)
        record(FILE, row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
