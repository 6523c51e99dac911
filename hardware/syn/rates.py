#!/usr/bin/env python3
"""Counts the clocks of the cores at N = 256, in Verilator, into results/rates.csv.

    rates.py [--design NAME]...

The keys are random, and the reader never pauses. The figures are the clocks of the key schedule, the clocks from
the last word of the key to the first of the keystream, and the words a clock over all keys.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import get_type_hints

from designs import Design, designs
from flow import FlowError
from recording import read_rows, record_each

FOLDER = Path(__file__).resolve().parent
FILE = FOLDER / "results" / "rates.csv"
sys.path.insert(0, str(FOLDER.parent / "tb"))
KEYS, WORDS, SEED = 64, 16384, 2013


@dataclass(frozen=True)
class Rate:
    """A line of the file: what a core did over `keys` random keys and `words` words of each."""

    design: str
    keys: int
    words: int
    ksa_clocks: int
    first_low: int  # clocks to the first word, the fewest and the most
    first_high: int
    bytes_per_clock: float


def recorded() -> dict[str, Rate]:
    """The lines of the file by design."""
    kinds = get_type_hints(Rate)
    return {row["design"]: Rate(**{name: kinds[name](text) for name, text in row.items()}) for row in read_rows(FILE)}


def of(design: str, known: dict[str, Rate]) -> Rate:
    """The rate of a core. One that was not counted is a FlowError."""
    if design not in known:
        raise FlowError("no rate is recorded; run rates.py" if design in counted() else "only a core with N = 256 has a rate, and a row")
    return known[design]


def counted() -> dict[str, Design]:
    """The designs that have a rate: the ciphers at full size."""
    return {name: design for name, design in designs().items() if design.generics.get("N") == 256 and "TEXT_BYTES" not in design.generics}


def measure(name: str, entity: str, generics: dict, words: int) -> Rate:
    """Builds a core and counts."""
    import verilate

    more = {key: value for key, value in generics.items() if key not in ("N", "K", "KEY_BYTES")}
    try:
        model = verilate.core(entity, generics["N"], words, generics["KEY_BYTES"], more=more)
        found = model.run("clocks", KEYS, WORDS, SEED)
    except RuntimeError as error:
        raise FlowError(str(error)) from None
    return Rate(
        design=name,
        keys=found["keys"],
        words=WORDS,
        ksa_clocks=found["ksa_clocks"],
        first_low=found["first_low"],
        first_high=found["first_high"],
        bytes_per_clock=round(found["words_read"] / found["clocks_read"], 4),
    )


def main() -> int:
    known = counted()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[])
    args = parser.parse_args()
    names = args.design or [name for name in known if known[name].record]
    return record_each("rates", FILE, names, lambda name: measure(name, known[name].entity, known[name].generics, known[name].words))


if __name__ == "__main__":
    sys.exit(main())
