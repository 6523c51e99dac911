#!/usr/bin/env python3
"""Places the netlists of synth.py, fits them to their wires and records clock, area and energy, into results/.

    placed.py [--design NAME]... [LIBERTY]...
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import flow
import lec
import liberty
import synth
from designs import Design, designs
from drive import Drive
from energy import Tables, energy, turns
from place import Layout, Technology, technology
from recording import record, recorded

CLOCKS = 512  # of a stream, whose energy is counted
# Target load of an output, in inverter inputs per inverter. 8 gave a shorter clock period than 4 for every netlist tried, and
# than 12 and 16 for the two netlists tried with those.
EFFORT = 8


@dataclass(frozen=True)
class Row:
    """A line of the results, of the netlist of a line of synthesis.csv."""

    design: str
    library: str
    netlist: str  # as in synthesis.csv
    side_um: float
    area_ge: float
    buffers: int
    effort: float
    wire_m: float
    period_ps: float
    period_fo4: float
    clock_mhz: float
    bytes_per_clock: float
    gbit_per_s: float
    fo4_per_byte: float
    registers_proven: int
    revision: str
    # Of a stream.
    flips_per_clock: float  # flip-flops that change
    clock_pj_per_clock: float  # of the clock's nets and what is at them
    pj_per_byte: float


def measure(design: Design, drive: Drive, tables: Tables, known: Technology, row: dict[str, str]) -> Row:
    """Places the netlist of a row of synthesis.csv."""
    library = drive.lib
    folder = library.path.parent / design.name
    flow.yosys(
        f"""
        read_liberty -lib -ignore_miss_func {library.path.name}
        read_verilog netlist-ports.v
        write_json placed-from.json
        """,
        folder,
        "placed-read",
    )
    module = json.loads((folder / "placed-from.json").read_text())["modules"][design.entity]
    layout = Layout(module, drive, known, design.clock)
    buffers = layout.fit(EFFORT)
    (folder / "placed-fit.v").write_text(layout.verilog(design.entity))
    (folder / "placed-fit.spef").write_text(layout.spef())
    clock = layout.ports[module["ports"][design.clock]["bits"][0]]
    period = flow.period(design.entity, library, folder, "placed-fit", clock, wires="placed-fit.spef").period_ps
    print(f"{design.name}: {buffers} buffers, {layout.wire_um() / 1e6:.2f} m, {period:.0f} ps", flush=True)
    proven = prove(design, library, folder, layout)
    area = flow.area(Counter(cell["type"] for cell in layout.cells.values()), library)
    rate, fo4 = float(row["bytes_per_clock"]), float(row["fo4_ps"])
    moved = activity(design, library, "placed", folder, layout, tables)
    return Row(
        design=design.name,
        library=library.name,
        netlist=row["netlist"],
        side_um=round(layout.side),
        area_ge=round(area.total),
        buffers=buffers,
        effort=EFFORT,
        wire_m=round(layout.wire_um() / 1e6, 2),
        period_ps=round(period, 1),
        period_fo4=round(period / fo4, 2),
        clock_mhz=round(1e6 / period, 1),
        bytes_per_clock=rate,
        gbit_per_s=round(8000 * rate / period, 3),
        fo4_per_byte=round(period / fo4 / rate, 2),
        registers_proven=proven,
        revision=synth.revision(),
        **moved,
    )


def write(design: Design, library: liberty.Library, folder: Path, layout: Layout) -> None:
    """Leaves the netlist as placed-ports.v, with the nets' numbers as their names."""
    ports = {bit for port in layout.module["ports"].values() for bit in port["bits"]}
    nets = {bit for cell in layout.cells.values() for bits in cell["connections"].values() for bit in bits}
    layout.module["netnames"] = {
        name: {"hide_name": 0, "bits": port["bits"], "attributes": {}} for name, port in layout.module["ports"].items()
    } | {f"n{bit}": {"hide_name": 0, "bits": [bit], "attributes": {}} for bit in nets - ports if isinstance(bit, int)}
    (folder / "placed.json").write_text(json.dumps({"modules": {design.entity: layout.module}}))
    flow.yosys(
        f"""
        read_liberty -lib -ignore_miss_func {library.path.name}
        read_json placed.json
        write_verilog -noattr -noexpr -nohex -nodec placed-ports.v
        """,
        folder,
        "placed-write",
    )


def prove(design: Design, library: liberty.Library, folder: Path, layout: Layout) -> int:
    """Leaves the netlist as placed-ports.v and proves it equal to the VHDL."""
    write(design, library, folder, layout)
    (folder / "placed.il").write_bytes((folder / "netlist.il").read_bytes())
    return lec.prove(design.entity, library, folder, "placed", design.clock)


def activity(
    design: Design, library: liberty.Library, netlist: str, folder: Path, layout: Layout, tables: Tables
) -> dict[str, float]:
    """The energy of a stream read without a pause, of what the gates do in Verilator."""
    model = synth.gates(design, library, folder, netlist, trace=True)
    found = model.run("activity", CLOCKS, 1, 1)
    bits = turned(layout, folder / f"{netlist}-gates" / "obj" / "activity.vcd", design.entity)
    spent = energy(layout, bits, found["clocks"], tables)
    return {
        "flips_per_clock": round(spent.registers_turned, 1),
        "clock_pj_per_clock": round(spent.clock, 2),
        "pj_per_byte": round((spent.clock + spent.data) * found["clocks"] / found["words"], 1),
    }


def turned(layout: Layout, vcd: Path, scope: str) -> dict[int, int]:
    """The transitions of each net in a simulation. A net that the simulation does not name is an error: its energy would be missing."""
    counted = turns(vcd, scope)
    found = {
        bit: counted[name, place]
        for name, net in layout.module["netnames"].items()
        for place, bit in enumerate(net["bits"])
        if isinstance(bit, int) and (name, place) in counted
    }
    if missing := layout.driver.keys() - found.keys():
        raise flow.FlowError(f"{vcd}: {len(missing)} of {len(layout.driver)} nets are not in the simulation")
    return found


def main() -> int:
    known = designs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[])
    parser.add_argument("--results", type=Path, default=synth.RESULTS, help="the folder to write")
    parser.add_argument("liberty", nargs="*", type=Path, metavar="LIBERTY")
    args = parser.parse_args()
    failed = False
    for source in args.liberty or [synth.DEFAULT_LIBRARY]:
        try:
            library = liberty.read(source, synth.BUILD / synth.stem(source))
            drive, tables = Drive(library), Tables(library)
        except liberty.LibraryError as error:
            print(f"placed: {error}", file=sys.stderr)
            return 1
        wires = technology(library.name)
        if not wires:
            print(f"placed: {library.name}: technologies.toml has no rows and wires of it, nothing is placed", file=sys.stderr)
            failed |= bool(args.design)
            continue
        file = args.results / library.name / "placed.csv"
        rows, done = recorded(file.with_name("synthesis.csv")), recorded(file)
        for name in args.design or [name for name in synth.in_order(known) if name in rows]:
            netlist = rows.get(name, {}).get("netlist")
            if not args.design and done.get(name, {}).get("netlist") == netlist:
                continue
            try:
                if not netlist:
                    raise flow.FlowError("it has no recorded netlist; run synth.py")
                synth.netlist(known[name], library, rows[name])
                record(file, measure(known[name], drive, tables, wires, rows[name]))
            except flow.FlowError as error:
                print(f"placed: {name}: {error}", file=sys.stderr)
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
