#!/usr/bin/env python3
"""Maps rc4_axis and its cores several times and records each period, into results/: the wrapper's cost beside the mapper's noise.

    wrapper.py [--mappings N] [--design NAME]... LIBERTY...

Mapping 0 is synth.py's. For the others abc gets the same gates in another order, shuffled by the mapping's number. A recorded row of the
same Verilog, library and mapping stays.
"""

import argparse
import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import flow
import liberty
import synth
from designs import Design, designs
from recording import read_rows, record

MAPPINGS = 5
# A cell of yosys' text, with its attributes.
CELL = re.compile(r"(?:^  attribute .*\n)*^  cell .*\n(?:^    .*\n)*^  end\n", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """A line of the results."""

    design: str
    mapping: int  # also the seed of the order of the gates
    period_ps: float
    area_ge: float
    critical_from: str
    critical_to: str
    source: str  # as in synthesis.csv
    revision: str


def shuffled(text: str, mapping: int) -> str:
    """A design in yosys' text with its cells in another order; as it is for mapping 0."""
    cells = CELL.findall(text)
    if mapping:
        random.Random(mapping).shuffle(cells)
    order = iter(cells)
    return CELL.sub(lambda _: next(order), text)


def measure(design: Design, library: liberty.Library, fo4: float, mapping: int, folder: Path, source: str) -> Row:
    """Maps what `generic.il` in the folder holds."""
    name = f"mapping-{mapping}"
    (folder / f"{name}.il").write_text(shuffled((folder / "generic.il").read_text(), mapping))
    statistics = flow.map_gates(library, round(design.targets_fo4[0] * fo4), folder, name)
    area = flow.area(statistics["modules"][f"\\{design.entity}"]["num_cells_by_type"], library)
    timing = flow.period(design.entity, library, folder, name, design.clock)
    print(f"{library.name}: {design.name}, mapping {mapping}: {timing.period_ps:.0f} ps", flush=True)
    return Row(design.name, mapping, round(timing.period_ps, 1), round(area.total), timing.start, timing.end, source, synth.revision())


def main() -> int:
    known = designs()
    pairs = [name for design in known.values() if design.core and design.record for name in (design.core, design.name)]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mappings", type=int, default=MAPPINGS, metavar="N", help=f"of each design; {MAPPINGS} unless given")
    parser.add_argument("--design", action="append", choices=pairs, metavar="NAME", default=[])
    parser.add_argument("--results", type=Path, default=synth.RESULTS, help="the folder to write")
    parser.add_argument("liberty", nargs="+", type=Path, metavar="LIBERTY")
    args = parser.parse_args()
    if args.mappings < 1:
        parser.error(f"--mappings {args.mappings}: it must be 1 or more")
    for path in args.liberty:
        try:
            folder = synth.BUILD.parent / "wrapper" / synth.stem(path)
            library = liberty.read(path, folder)
            fo4 = flow.fo4(library, folder)
            file = args.results / library.name / "wrapper.csv"
            before = {(row["design"], int(row["mapping"])): row for row in read_rows(file)}
            for design in (known[name] for name in args.design or pairs):
                work, source = synth.elaborate(design, library)
                open_ = [m for m in range(args.mappings) if before.get((design.name, m), {}).get("source") != source]
                if open_:
                    flow.prepare(design.entity, library, work, "generic", flat=True)
                for mapping in open_:
                    record(file, measure(design, library, fo4, mapping, work, source), key=("design", "mapping"))
        except (flow.FlowError, liberty.LibraryError) as error:
            print(f"wrapper: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
