#!/usr/bin/env python3
"""Routes small cores with Debian's qflow and compares their clocks with the estimate that placed.py makes, into results/.

    calibrate.py [--design NAME]...

Both use the estimate's netlist, with its buffers and sizes. graywolf places it and qrouter routes it, in OSU's 180 nm. The routed DEF
gives the places of the cells and the length of each net's wire. Both take resistance and capacitance per length from technologies.toml.
"""

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import flow
import liberty
import rates
import synth
from designs import Design, designs
from drive import Drive
from place import Layout, distance, technology
from placed import EFFORT
from recording import record

NO_RATE = rates.Rate("", 0, 0, 0, 0, 0, 1.0)  # of no matter here
LIBRARY = "osu018_stdcells"  # what Debian's is called, which qflow knows
# Designs that qrouter has routed, in minutes each.
ROUTED = ("small_pipe", "small_bram_32", "small_pipe_32")
PLACED = re.compile(r"^- (\S+) (\S+) .*?\+ (?:PLACED|FIXED) \( (-?\d+) (-?\d+) \)", re.MULTILINE | re.DOTALL)
POINT = re.compile(r"\( (\S+) (\S+)(?: \d+)? \)")


@dataclass(frozen=True)
class Row:
    """A line of the results. Periods are OpenSTA's, in ps; wires in mm."""

    design: str
    library: str
    cells: int
    no_wires_ps: float
    estimate_ps: float  # as placed.py: coloquinte's places, the shortest trees
    estimate_wire_mm: float
    tree_ps: float  # graywolf's places, the shortest trees
    tree_wire_mm: float
    routed_ps: float  # the same places, wires as long as qrouter's
    routed_wire_mm: float
    ratio: float  # of the clock with the routed wires to the estimate
    revision: str


def routed_lengths(text: str, units: float) -> dict[str, float]:
    """The length in µm of each net's wire in a DEF file."""
    found = {}
    for net in re.split(r"^- ", text.split("\nNETS")[1].split("END NETS")[0], flags=re.MULTILINE)[1:]:
        name, length = net.split()[0], 0.0
        for path in re.split(r"\+ ROUTED|\bNEW\b", net)[1:]:
            points: list[tuple[float, float]] = []
            for x, y in POINT.findall(path):  # a star is the coordinate before
                points.append((points[-1][0] if x == "*" else float(x), points[-1][1] if y == "*" else float(y)))
            length += sum(distance(one, other) for one, other in pairwise(points))
        found[name] = length / units
    return found


def instances(blif: str, layout: Layout) -> dict[str, str]:
    """qflow's names of the cells: their kind and a number, in the order of the file. A cell is known by the net that it drives."""
    drivers = {layout.name(bit): pin for bit, pin in layout.driver.items()}
    count: Counter[str] = Counter()
    found = {}
    for line in re.findall(r"^\.gate (.*)", blif, re.MULTILINE):
        kind, *pins = line.split()
        count[kind] += 1
        nets = dict(pin.split("=") for pin in pins)
        for pin, net in nets.items():  # of an input the driver is another cell, with a pin of another name
            if net in drivers and drivers[net].pin == pin:
                found[drivers[net].cell] = f"{kind}_{count[kind]}"
    return found


def route(folder: Path, top: str) -> str:
    """Places and routes the netlist `top`.blif. Returns the DEF file."""
    layout = folder / "layout" / f"{top}.def"
    for step in ("place", "route"):
        try:
            flow.run(["qflow", "-T", "osu018", "-p", str(folder), step, top], folder, f"qflow-{step}.log", bad=re.compile("stopped (due to|on) error"))
        except flow.FlowError as error:
            raise flow.FlowError(f"{error}; and see {folder / 'log'}") from None
    text = layout.read_text()
    if "+ ROUTED" not in text:
        raise flow.FlowError(f"qflow: no net is routed; see {folder / 'log'}")
    return text


def measure(design: Design) -> Row:
    """Estimates and routes a design."""
    flow.need("qflow", "graywolf", "qrouter")
    library = liberty.read(synth.DEFAULT_LIBRARY, synth.BUILD / synth.stem(synth.DEFAULT_LIBRARY))
    known = technology(library.name)
    if not known:
        raise flow.FlowError(f"technologies.toml has no rows and wires of {library.name}")
    synth.measure(design, library, flow.fo4(library, library.path.parent), NO_RATE, keys=0)
    folder = library.path.parent / design.name
    flow.yosys(f"read_liberty -lib -ignore_miss_func {library.path.name}\nread_verilog netlist-ports.v\nwrite_json calibrate.json", folder, "calibrate-read")
    module = json.loads((folder / "calibrate.json").read_text())["modules"][design.entity]
    layout = Layout(module, Drive(library), known, design.clock)
    layout.fit(EFFORT)
    clock = layout.ports[module["ports"][design.clock]["bits"][0]]

    def period(name: str, wires: bool = True) -> float:
        (folder / f"{name}.v").write_text(layout.verilog(design.entity))
        (folder / f"{name}.spef").write_text(layout.spef())
        return flow.period(design.entity, library, folder, name, clock, wires=f"{name}.spef" if wires else "").period_ps

    no_wires, estimate, wire = period("calibrate", wires=False), period("calibrate"), layout.wire_um()
    project = folder / "qflow"
    for name in ("source", "synthesis", "layout", "log"):
        (project / name).mkdir(parents=True, exist_ok=True)
    flow.yosys(
        f"""
        read_liberty -lib -ignore_miss_func {library.path.name}
        read_verilog calibrate.v
        setundef -zero
        write_blif -gates calibrate.blif
        """,
        folder,
        "calibrate-blif",
    )
    # qflow would take the three constants at its head for cells.
    blif = re.sub(r"^\.names \S+\n(?:1\n)?", "", (folder / "calibrate.blif").read_text(), flags=re.MULTILINE)
    (project / "synthesis" / f"{design.entity}.blif").write_text(blif)
    # What its own synthesis would have left.
    (project / "source" / f"{design.entity}.v").write_bytes((folder / "calibrate.v").read_bytes())
    (project / "synthesis" / f"{design.entity}_powerground").write_text('set vddnet="vdd"\nset gndnet="gnd"\n')
    text = route(project, design.entity)
    found = re.search(r"UNITS DISTANCE MICRONS (\d+)", text)
    units = float(found[1]) if found else 100.0
    places = {name: (float(x) / units, float(y) / units) for name, _, x, y in PLACED.findall(text.split("\nNETS")[0])}
    theirs = instances(blif, layout)
    missing = [cell for cell in layout.cells if theirs.get(cell) not in places]
    if missing:
        raise flow.FlowError(f"qflow: {len(missing)} of {len(layout.cells)} cells are not placed, the first {missing[0]}")
    corner = {cell: places[theirs[cell]] for cell in layout.cells}
    layout.places = {cell: (x + layout.width_um(cell) / 2, y + known.row_um / 2) for cell, (x, y) in corner.items()}
    trees, tree_wire = period("calibrate-tree"), layout.wire_um()
    lengths = routed_lengths(text, units)
    total = 0.0
    for bit, driver, sinks in layout.nets():
        there, shortest = lengths.get(layout.name(bit), 0.0), layout.length(driver, sinks)
        total += there
        if there and shortest:
            layout.stretch[bit] = there / shortest
    routed = period("calibrate-routed")
    return Row(
        design=design.name,
        library=library.name,
        cells=len(layout.cells),
        no_wires_ps=round(no_wires, 1),
        estimate_ps=round(estimate, 1),
        estimate_wire_mm=round(wire / 1000, 2),
        tree_ps=round(trees, 1),
        tree_wire_mm=round(tree_wire / 1000, 2),
        routed_ps=round(routed, 1),
        routed_wire_mm=round(total / 1000, 2),
        ratio=round(routed / estimate, 3),
        revision=synth.revision(),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=designs(), metavar="NAME", default=[], help=f"unless given: {', '.join(ROUTED)}")
    parser.add_argument("--results", type=Path, default=synth.RESULTS, help="the folder to write")
    args = parser.parse_args()
    for name in args.design or ROUTED:
        try:
            row = measure(designs()[name])
        except (flow.FlowError, liberty.LibraryError) as error:
            print(f"calibrate: {error}", file=sys.stderr)
            return 1
        print(row, flush=True)
        record(args.results / LIBRARY / "calibration.csv", row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
