#!/usr/bin/env python3
"""Splits the periods of placed netlists: what buffers and larger gates add, and what wires add. Writes paths.csv into results/.

    paths.py [--design NAME]... [LIBERTY]...

placed.py leaves the netlist with its wires. Its period must be the recorded one.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import flow
import liberty
import synth
from designs import Design, designs
from recording import mapped_and_placed, record_each, recorded

CLOCK = re.compile(r"create_clock .*\[get_ports (\w+)\]")
# In OpenSTA's report: the output of a cell on the path.
CELL = re.compile(r"[v^] (\w+)/\w+ \(\w+\)$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """A line of the results, of the netlist of a line of placed.csv."""

    design: str
    library: str
    netlist: str  # as in synthesis.csv
    mapped_ps: float  # the period in synthesis.csv
    fitted_ps: float  # of the placed netlist, with its buffers and sizes, but without wires
    period_ps: float  # as in placed.csv
    cells: int  # on the critical path with wires: flip-flop and gates
    buffers: int  # among these cells, the buffers of the placement


def measure(design: Design, library: liberty.Library, before: dict[str, str], row: dict[str, str]) -> Row:
    """Times the placed netlist of a row of placed.csv without and with its wires."""
    folder = library.path.parent / design.name
    script = folder / "placed-fit.tcl"
    clock = CLOCK.search(script.read_text()) if script.exists() else None
    if not clock:
        raise flow.FlowError("its placed netlist is not here; run placed.py")
    (folder / library.path.name).write_bytes(library.path.read_bytes())
    fitted = flow.period(design.entity, library, folder, "placed-fit", clock[1]).period_ps
    period = flow.period(design.entity, library, folder, "placed-fit", clock[1], wires="placed-fit.spef").period_ps
    if f"{period:.1f}" != row["period_ps"]:
        raise flow.FlowError(f"its placed netlist has a period of {period:.1f} ps, and {row['period_ps']} ps is recorded; run placed.py")
    cells = on_path((folder / "placed-fit.sta.log").read_text())
    return Row(
        design=design.name,
        library=library.name,
        netlist=row["netlist"],
        mapped_ps=float(before["period_ps"]),
        fitted_ps=round(fitted, 1),
        period_ps=round(period, 1),
        cells=len(cells),
        buffers=sum(cell.startswith("buffer_") for cell in cells),
    )


def on_path(log: str) -> list[str]:
    """The cells of the path in OpenSTA's report: the flip-flop where it starts, and the gates."""
    cells = CELL.findall(log.split("data arrival time")[0])
    return cells[:-1] if f"Endpoint: {cells[-1]} " in log else cells


def measure_recorded(library: liberty.Library, names: list[str]) -> int:
    """Records the rows of a library, of all its placed designs if no names are given. Returns the exit code."""
    folder = synth.RESULTS / library.name

    def one(name: str) -> Row:
        return measure(designs()[name], library, *mapped_and_placed(folder, name))

    return record_each("paths", folder / "paths.csv", names or recorded(folder / "placed.csv"), one)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=designs(), metavar="NAME", default=[])
    parser.add_argument("liberty", nargs="*", type=Path, metavar="LIBERTY")
    args = parser.parse_args()
    code = 0
    for source in args.liberty or [synth.DEFAULT_LIBRARY]:
        try:
            library = liberty.read(source, synth.BUILD / synth.stem(source))
        except liberty.LibraryError as error:
            print(f"paths: {error}", file=sys.stderr)
            return 1
        code |= measure_recorded(library, args.design)
    return code


if __name__ == "__main__":
    sys.exit(main())
