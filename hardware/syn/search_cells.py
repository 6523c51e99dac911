#!/usr/bin/env python3
"""Synthesises the key search for a cell library: area, clock and keys a second, into results/search.csv.

    search_cells.py [--design NAME]... [LIBERTY]...

The tables of the keys are RAMs, and a cell library has no RAM. So the RAMs and the registers at their outputs are removed, and their
pins become ports. The figures leave out their area and their time, and state their bits.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import flow
import lec
import liberty
import synth
from designs import Design, designs
from recording import record, recorded

FILE = synth.RESULTS / "search.csv"
ROUTED = synth.RESULTS / "ecp5-85f" / "search.csv"  # where search.py has counted the clocks a key
TABLE = "rc4_search_table"
TAG = 1  # bits of a cell beside its word
KEYS = 8  # that share a table, and so a block RAM


@dataclass(frozen=True)
class Row:
    """A line of the results. The area (`ge`) is in NAND2 equivalents of the library, without the RAMs."""

    design: str
    library: str
    engines: int
    area_ge: float
    flip_flops: int
    ram_bits: int
    period_ps: float
    period_fo4: float
    clock_mhz: float
    clocks_per_key: float  # of one engine, as recorded of the routed search
    mkeys_per_s: float
    kkeys_per_s_per_kge: float
    registers_proven: int
    revision: str


def take_out_tables(design: Design, folder: Path) -> None:
    """Removes the tables from rtl.v: the nets at each table's instance become ports.

    The other memories become registers, whose names the proof uses. Undefined values become zero,
    because later passes would choose them differently on each side of the proof.
    """
    flow.yosys(
        f"""
        read_verilog rtl.v
        hierarchy -check -top {design.entity}
        blackbox {TABLE}*
        proc
        flatten
        expose -evert t:{TABLE}*
        delete */o:*.clk_i
        opt -full
        wreduce
        opt -full
        memory
        setundef -undriven -zero
        opt -full
        write_verilog -noattr -renameprefix made rtl.v
        """,
        folder,
        "tables",
    )


def measure(design: Design, library: liberty.Library, fo4: float, clocks_per_key: float) -> Row:
    """Synthesises a search for its first target, and proves the netlist equal to its Verilog."""
    folder, _ = synth.elaborate(design, library)
    take_out_tables(design, folder)
    flow.prepare(design.entity, library, folder, "netlist", flat=True)
    statistics = flow.map_gates(library, round(design.targets_fo4[0] * fo4), folder, "netlist")
    area = flow.area(statistics["modules"][f"\\{design.entity}"]["num_cells_by_type"], library)
    timing = flow.period(design.entity, library, folder, "netlist", design.clock)
    proven = lec.prove(design.entity, library, folder, "netlist", design.clock)
    n, engines = design.generics["N"], design.generics["ENGINES"]
    mkeys = engines * 1e6 / timing.period_ps / clocks_per_key
    return Row(
        design=design.name,
        library=library.name,
        engines=engines,
        area_ge=round(area.total),
        flip_flops=area.flip_flops,
        ram_bits=engines * KEYS * n * (n.bit_length() - 1 + TAG),
        period_ps=round(timing.period_ps, 1),
        period_fo4=round(timing.period_ps / fo4, 2),
        clock_mhz=round(1e6 / timing.period_ps, 1),
        clocks_per_key=clocks_per_key,
        mkeys_per_s=round(mkeys, 3),
        kkeys_per_s_per_kge=round(1e6 * mkeys / area.total, 1),
        registers_proven=proven,
        revision=synth.revision(),
    )


def main() -> int:
    known = {name: design for name, design in designs().items() if design.entity == "rc4_search"}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[])
    parser.add_argument("liberty", nargs="*", type=Path, metavar="LIBERTY", default=[synth.DEFAULT_LIBRARY])
    args = parser.parse_args()
    counted = recorded(ROUTED)
    try:
        for source in args.liberty:
            library = liberty.read(source, synth.BUILD / synth.stem(source))
            fo4 = flow.fo4(library, library.path.parent)
            for name in args.design or known:
                if name not in counted:
                    raise flow.FlowError(f"{name}: its clocks a key are not recorded; run search.py first")
                row = measure(known[name], library, fo4, float(counted[name]["clocks_per_key"]))
                print(row, flush=True)
                record(FILE, row, key=("design", "library"))
    except (flow.FlowError, liberty.LibraryError) as error:
        print(f"search_cells: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
