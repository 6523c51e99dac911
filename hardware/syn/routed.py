"""A routed netlist: the figures in OpenROAD's log, the wires in its SPEF file, and the loads of its nets for energy.py."""

import math
import re

import flow
import lec
from drive import Drive
from place import Layout

FIGURE = re.compile(r"^layout: (\w+) (\S+)$", re.MULTILINE)
# Cells without pins: taps and fillers.
NO_PINS = re.compile(r"^ *\S+ \S+ \(\);\n", re.MULTILINE)
UNIT = re.compile(r"^\*C_UNIT (\S+) (\w+)$", re.MULTILINE)
NAME = re.compile(r"^(\*\d+) (\S+)$", re.MULTILINE)
WIRE = re.compile(r"^\*D_NET (\S+) (\S+)$", re.MULTILINE)
FEMTOFARADS = {"FF": 1.0, "PF": 1000.0}


def figures(log: str, wanted: tuple[str, ...]) -> dict[str, float]:
    """The numbers that layout.tcl writes into the log; each must be there, and be a number."""
    found = dict(FIGURE.findall(log))
    numbers = {}
    for name in wanted:
        if name not in found:
            raise flow.FlowError(f"OpenROAD's log has no figure {name}")
        try:
            numbers[name] = float(found[name])
        except ValueError:
            numbers[name] = math.nan
        if not math.isfinite(numbers[name]):
            raise flow.FlowError(f"OpenROAD's log says {name} is {found[name]}; it must be a number")
    return numbers


def wires(spef: str) -> dict[str, float]:
    """The capacitance in fF of each net's wire in a SPEF file, by the net's name in Verilog."""
    unit = UNIT.search(spef)
    if not unit or unit[2] not in FEMTOFARADS:
        raise flow.FlowError("the SPEF file has no unit of capacitance, FF or PF")
    scale = float(unit[1]) * FEMTOFARADS[unit[2]]
    names: dict[str, str] = {}
    for number, name in NAME.findall(spef.split("*D_NET")[0]):
        names.setdefault(number, name)  # of a port a second line follows, with its direction
    return {names.get(net, net).replace("\\", ""): float(load) * scale for net, load in WIRE.findall(spef)}


def with_pins(verilog: str) -> str:
    """A netlist without taps and fillers, which no library times."""
    return NO_PINS.sub("", verilog)


class Routed(Layout):
    """A netlist in yosys' JSON with the extracted capacitance of each wire, in fF by the net's name. Cells have no places here."""

    def __init__(self, module: dict, drive: Drive, clock: str, wire_ff: dict[str, float]):
        self.module, self.drive, self.cells = module, drive, module["cells"]
        self.clocks = set(lec.clock_nets(module, drive.lib, module["ports"][clock]["bits"][0]))
        self.find_nets()
        self.wire_ff = {
            bit: wire_ff[name]
            for net, entry in module["netnames"].items()
            for place, bit in enumerate(entry["bits"])
            for name in (net, f"{net}[{place}]")
            if name in wire_ff
        }
        bare = [bit for bit in self.sinks if bit in self.driver and bit not in self.wire_ff]
        if bare:
            raise flow.FlowError(f"{len(bare)} of {len(self.sinks)} nets have no extracted wire")

    def net_load(self, bit: int) -> float:
        return self.wire_ff.get(bit, 0.0) + sum(self.capacitance(pin) for pin in self.sinks.get(bit, []))

