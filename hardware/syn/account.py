#!/usr/bin/env python3
"""Counts where the energy of a byte goes in a placed core, by its parts, with glitches. Records it in results/.

    account.py [--design NAME]... LIBERTY

The core is placed as for its row in placed.csv. Icarus simulates the placed gates with a delay for each output, of OpenSTA. A net's
transitions between two clock edges are what the net needs, 0 or 1, and glitches. A delay is the mean over a gate's inputs, and
includes the mean delay of the wire. A pulse shorter than the delay does not pass.
"""

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from statistics import mean

import die
import flow
import liberty
import synth
from designs import Design, designs
from drive import Drive
from energy import Tables, by_net
from place import Layout, Pin
from placed import CLOCKS
from rates import SEED
from recording import mapped_and_placed, record

sys.path.append(str(Path(__file__).resolve().parents[2] / "ports" / "python"))
from rc4 import RC4

DESIGNS = ("rc4_spec_2", "rc4_still_2", "rc4_design2_unshared")
CLOCK, TABLE, WRITES, READS, REST = "clock", "cells of the table", "gates of the writes", "reads of the table", "the rest"
PARTS = (CLOCK, TABLE, WRITES, READS, REST)
# The signals that are the table, and those that take what is read from it.
CELLS, TAKEN = {"s_n", "s"}, {"part2", "part5", "x_cell"}
SAME = 0.05  # how far the energy without glitches may be from the recorded one, which is of another key
DUMPED = "all nets from here"
IOPATH = re.compile(r"\(IOPATH (?:\(\w+ \w+\)|\w+) (\w+) \(([^)]*)\)(?: \(([^)]*)\))?\)")
WIRE = re.compile(r"\(INTERCONNECT (\w+)/(\w+) \S+ \(([^)]*)\)(?: \(([^)]*)\))?\)")


@dataclass(frozen=True)
class Row:
    """A line of the results: a part of a core, in picojoules a byte."""

    design: str
    part: str
    cells_pj: float
    buffers_pj: float  # buffers that placed.py put in, and what they drive
    glitches_pj: float  # of both
    revision: str


def signals(design: Design, folder: Path) -> dict[tuple[str, int], set[str]]:
    """The signals of the VHDL that each bit of a net is. GHDL names registers anew, and the netlist has only these names."""
    flow.yosys(
        f"""
        read_verilog rtl.v
        hierarchy -check -top {design.entity}
        proc
        flatten
        write_json account-names.json
        """,
        folder,
        "account-names",
    )
    nets = json.loads((folder / "account-names.json").read_text())["modules"][design.entity]["netnames"]
    of_bit: dict[int, set[str]] = {}
    for name, net in nets.items():
        for bit in net["bits"]:
            of_bit.setdefault(bit, set()).add(name.split(".")[-1])
    return {(name, place): of_bit[bit] for name, net in nets.items() for place, bit in enumerate(net["bits"])}


def parts(layout: Layout, known: dict[tuple[str, int], set[str]]) -> dict[str, str]:
    """The part of each cell. A register belongs to the part that its signals tell, a gate to the part of most of its sinks."""
    library = layout.drive.lib
    names = {bit: (name, place) for name, net in layout.module["netnames"].items() for place, bit in enumerate(net["bits"]) if (name, place) in known}
    drives: dict[str, list[str]] = {}
    for bit, driver in layout.driver.items():
        drives.setdefault(driver.cell, []).extend(pin.cell for pin in layout.sinks.get(bit, []))

    def of_register(cell: dict) -> str:
        bits = [bit for pin, bits in cell["connections"].items() if cell["port_directions"][pin] == "output" for bit in bits]
        found = {signal for bit in bits if bit in names for signal in known[names[bit]]}
        return TABLE if found & CELLS else READS if found & TAKEN else REST

    @cache
    def part(name: str) -> str:
        cell = layout.cells[name]
        if cell["type"] in library.flip_flops:
            return of_register(cell)
        found = Counter(part(sink) for sink in drives.get(name, []))
        most = found.most_common(1)[0][0] if found else REST
        return WRITES if most == TABLE else most

    return {name: part(name) for name in layout.cells}


def delays(layout: Layout, design: Design, folder: Path) -> dict[Pin, tuple[float, float]]:
    """The delays of the gates and flip-flops. Clock gates have none: the clock is ideal."""
    (folder / "account.v").write_text(layout.verilog(design.entity))
    (folder / "account.spef").write_text(layout.spef())
    flow.sta(
        f"""
        {flow.in_ns(layout.drive.lib)}
        read_verilog account.v
        link_design {design.entity}
        read_spef account.spef
        create_clock -name clk -period 1000 [get_ports {layout.ports[layout.module["ports"][design.clock]["bits"][0]]}]
        write_sdf -no_timestamp -digits 6 account.sdf
        """,
        folder,
        "account",
    )
    found = read_sdf((folder / "account.sdf").read_text())
    # Cells without an input are constants.
    late = {
        pin
        for pin in layout.driver.values()
        if (cell := layout.cells[pin.cell])["type"] not in layout.drive.lib.clock_gates and "input" in cell["port_directions"].values()
    }
    if missing := late - found.keys():
        raise flow.FlowError(f"OpenSTA gave no delay for {len(missing)} of {len(late)} outputs; see {folder / 'account.sdf'}")
    return {pin: found[pin] for pin in late}


def read_sdf(text: str) -> dict[Pin, tuple[float, float]]:
    """Picoseconds to rise and to fall of each output in an SDF file."""
    wires: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for cell, pin, *edges in WIRE.findall(text):
        wires.setdefault((cell, pin), []).append(picoseconds(*edges))
    found = {}
    for block in text.split("(INSTANCE ")[1:]:
        name = block.split(")", 1)[0].strip()
        arcs: dict[str, list[tuple[float, float]]] = {}
        for pin, rise, fall in IOPATH.findall(block):
            if rise and fall:  # a reset has one edge
                arcs.setdefault(pin, []).append(picoseconds(rise, fall))
        for pin, each in arcs.items():
            wire = wires.get((name, pin), [(0.0, 0.0)])
            rise, fall = (mean(edge[k] for edge in each) + mean(edge[k] for edge in wire) for k in (0, 1))
            found[Pin(name, pin)] = rise, fall
    return found


def picoseconds(rise: str, fall: str) -> tuple[float, float]:
    """The longest of an SDF file's nanoseconds; without a fall it is as the rise."""
    both = [1000 * float(text.split(":")[-1]) for text in (rise, fall or rise)]
    return both[0], both[1]


def bench(layout: Layout, design: Design, key: list[int], half: int) -> str:
    """Loads a key and reads the stream; writes its words, and all nets of the last clocks."""
    ports = layout.module["ports"]
    flat = [(name, number) for name, port in ports.items() for number, _ in enumerate(port["bits"])]
    wires = ", ".join(f".p{at}({name}[{number}])" for at, (name, number) in enumerate(flat))
    declared = "\n".join(f"  {'reg' if port['direction'] == 'input' else 'wire'} [{len(port['bits']) - 1}:0] {name};" for name, port in ports.items())
    n = design.generics["N"]
    load = "\n".join(f"    key_i = {word}; key_valid_i = 1; @(posedge clk_i); while (!key_ready_o) @(posedge clk_i); @(negedge clk_i);" for word in key)
    return f"""`timescale 1ps/1ps
module bench;
{declared}
  {design.entity} dut({wires});
  initial begin clk_i = 0; forever #{half} clk_i = ~clk_i; end
  always @(posedge clk_i) if (z_valid_o === 1 && z_ready_i === 1) $display("%h", z_o);
  initial begin
    {"".join(f"{name} = 0; " for name, port in ports.items() if port["direction"] == "input" and name != design.clock)}
    ce_i = 1; rst_i = 1;
    repeat (3) @(negedge clk_i);
    rst_i = 0;
{load}
    key_valid_i = 0; z_ready_i = 1;
    repeat ({8 * n}) @(negedge clk_i);
    $display("{DUMPED}");
    $dumpfile("account.vcd"); $dumpvars(1, dut);
    repeat ({CLOCKS}) @(negedge clk_i);
    $finish;
  end
endmodule
"""


def transitions(vcd: Path, half: int) -> tuple[Counter, Counter]:
    """The transitions of each net, all of them and the needed ones: between two rising edges of the clock, 0 or 1."""
    names: dict[str, str] = {}
    now: dict[str, str] = {}
    before: dict[str, str] = {}
    every: Counter = Counter()
    needed: Counter = Counter()
    moved: set[str] = set()
    clock = None
    with vcd.open() as lines:
        for line in lines:
            if line.startswith("$var"):
                names[line.split()[3]] = line.split()[4]
            elif line[0] == "#":
                at = (int(line[1:]) + half) // (2 * half)
                if at != clock:
                    needed.update(code for code in moved if now[code] != before[code])
                    before |= {code: now[code] for code in moved}
                    moved.clear()
                    clock = at
            elif line[0] in "01":
                code = line[1:].strip()
                if code in now:
                    every[code] += now[code] != line[0]
                    moved.add(code)
                else:
                    before[code] = line[0]
                now[code] = line[0]
            elif line[0] in "xz" and line[1:].strip():
                raise flow.FlowError(f"{vcd}: the net {names[line[1:].strip()]} has no value")
    every, needed = (Counter({names[code]: count for code, count in found.items()}) for found in (every, needed))
    return every, needed


def simulate(layout: Layout, design: Design, folder: Path, period_ps: float) -> tuple[Counter, Counter, int]:
    """Runs the gates with delays; returns the transitions by the nets' names, and the words of the dumped clocks."""
    rng = Random(SEED)
    n, key_bytes = design.generics["N"], design.generics["KEY_BYTES"]
    key = [rng.randrange(n) for _ in range(key_bytes)]
    half = round(period_ps * 0.55)
    (folder / "account-gates.v").write_text(layout.verilog(design.entity, delays(layout, design, folder)))
    (folder / "account-bench.v").write_text(bench(layout, design, key, half))
    flow.cell_models(layout.drive.lib, folder)
    flow.run(["iverilog", "-g2012", "-s", "bench", "-o", "account.out", "account-bench.v", "account-gates.v", "cells.v"], folder, "account-iverilog.log")
    said = flow.run(["vvp", "-n", "account.out"], folder, "account-vvp.log")
    groups = [re.findall(r"^[0-9a-fxz]+$", part, re.MULTILINE) for part in said.split(DUMPED)]
    model, bits = RC4(key, n), (n - 1).bit_length()
    for group in groups[0] + groups[1]:
        expected = sum(model.prga() << bits * r for r in range(design.words))
        if group != f"{expected:0{-(-bits * design.words // 4)}x}":
            raise flow.FlowError(f"{design.name}: the gates with delays give a wrong keystream; see {folder / 'account-vvp.log'}")
    return *transitions(folder / "account.vcd", half), len(groups[1]) * design.words


def measure(design: Design, drive: Drive, tables: Tables, synthesised: dict[str, str], placement: dict[str, str]) -> list[Row]:
    """Places a core and counts its energy by parts."""
    folder = synth.netlist(design, drive.lib, synthesised)
    layout = die.lay_out(design, drive.lib, folder, float(placement["effort"]))
    part = parts(layout, signals(design, folder))
    every, needed, words = simulate(layout, design, folder, float(placement["period_ps"]))
    nets = layout.driver.keys() | layout.clocks
    # The clock comes back to its value in each clock.
    counts = {bit: (every if bit in layout.clocks else needed)[layout.name(bit)] for bit in nets}
    needs, takes = by_net(layout, counts, tables), by_net(layout, {bit: every[layout.name(bit)] for bit in nets}, tables)
    spent = {(name, kind): 0.0 for name in PARTS for kind in ("cells", "buffers", "glitches")}
    for bit, energy in takes.items():
        driver = layout.driver.get(bit)
        name = CLOCK if bit in layout.clocks or not driver else part[driver.cell]
        spent[name, "buffers" if driver and driver.cell.startswith("buffer_") else "cells"] += needs.get(bit, 0.0)
        spent[name, "glitches"] += energy - needs.get(bit, 0.0)
    total = sum(needs.values()) / words
    if abs(total / float(placement["pj_per_byte"]) - 1) > SAME:
        raise flow.FlowError(f"{design.name}: without glitches a byte takes {total:.1f} pJ and the recorded one {placement['pj_per_byte']} pJ")
    each = {of: round(energy / words, 1) for of, energy in spent.items()}
    return [Row(design.name, name, each[name, "cells"], each[name, "buffers"], each[name, "glitches"], synth.revision()) for name in PARTS]


def main() -> int:
    known = designs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[], help=f"unless given: {', '.join(DESIGNS)}")
    parser.add_argument("--results", type=Path, default=synth.RESULTS, help="the folder to write")
    parser.add_argument("liberty", type=Path, metavar="LIBERTY")
    args = parser.parse_args()
    try:
        library = liberty.read(args.liberty, synth.BUILD / synth.stem(args.liberty))
        drive, tables = Drive(library), Tables(library)
    except liberty.LibraryError as error:
        print(f"account: {error}", file=sys.stderr)
        return 1
    results = args.results / library.name
    failed = False
    for name in args.design or DESIGNS:
        try:
            for row in measure(known[name], drive, tables, *mapped_and_placed(results, name)):
                print(row, flush=True)
                record(results / "account.csv", row, key=("design", "part"))
        except flow.FlowError as error:
            print(f"account: {name}: {error}", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
