"""The drive strengths of a library's cells, from its delay tables, to size gates and buffers."""

import re
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import liberty
from liberty import Library

TEMPLATE = re.compile(r'(?:lu_table|power_lut)_template\s*\(\s*"?([\w.]+)"?\s*\)\s*\{(.*?)\}', re.DOTALL)
DELAY = re.compile(r'\bcell_(?:rise|fall)\s*\(\s*"?([\w.]+)"?\s*\)\s*\{')
NUMBER = re.compile(r"-?\d[\d.eE+-]*")


@dataclass(frozen=True)
class Pins:
    """The pins of a cell."""

    inputs: dict[str, float]  # and their capacitances in fF
    outputs: dict[str, float]  # and their resistances in ps/fF: what a load adds to the delay


class Drive:
    """The cells of a library by function and drive strength."""

    def __init__(self, library: Library):
        self.lib = library
        text = re.sub(r"/\*.*?\*/", "", library.path.read_text(), flags=re.DOTALL)
        rows = loads_in_rows(text)
        self.volt = float(liberty.value(text, "nom_voltage") or 0)
        self.pins: dict[str, Pins] = {}
        does: dict[tuple, list[str]] = {}
        for cell, body in liberty.groups(text, "cell"):
            pins = pins_of(body, rows)
            self.pins[cell] = pins  # a diode against antennas has no output, but loads its net
            if pins.outputs:
                functions = tuple(sorted(liberty.functions(body).items()))
                does.setdefault((functions, *sorted(pins.inputs), cell in library.flip_flops), []).append(cell)
        self.sizes: dict[str, list[str]] = {}
        for same in does.values():
            same.sort(key=self.resistance, reverse=True)
            for cell in same:
                self.sizes[cell] = [other for other in same if other == cell or self.free(other)]

    def free(self, cell: str) -> bool:
        """Returns true if a cell may replace another: synthesis uses it, and it is not for clocks."""
        return cell not in self.lib.unused and "clk" not in cell.lower()

    def resistance(self, cell: str) -> float:
        return max(self.pins[cell].outputs.values())

    def limit(self, cell: str, effort: float) -> float:
        """The load in fF that this cell drives as fast as the library's inverter drives `effort` of its kind."""
        inverter = self.lib.inverter
        unit = self.pins[inverter].inputs[self.lib.inverter_in] * self.resistance(inverter)
        return effort * unit / self.resistance(cell)

    def strong_enough(self, cell: str, load: float, effort: float) -> str:
        """The weakest equivalent cell that is no weaker and drives this load, else the strongest."""
        sizes = self.sizes[cell]
        stronger = sizes[sizes.index(cell) :]
        return next((other for other in stronger if self.limit(other, effort) >= load), stronger[-1])

    @cached_property
    def buffer(self) -> str:
        """The smallest buffer of a sixth of the inverter's resistance, else the strongest."""
        buffers = [cell for cell in self.sizes if self.is_buffer(cell) and self.free(cell)]
        sixth = self.resistance(self.lib.inverter) / 6
        strong = [cell for cell in buffers if self.resistance(cell) <= sixth]
        return min(strong, key=self.lib.areas.__getitem__) if strong else min(buffers, key=self.resistance)

    def is_buffer(self, cell: str) -> bool:
        pins = self.pins[cell]
        return len(pins.inputs) == 1 and set(self.lib.functions[cell].values()) == set(pins.inputs)


def loads_in_rows(text: str) -> set[str]:
    """Returns the templates of tables with the loads in rows; in other tables they are columns."""
    return {name for name, body in TEMPLATE.findall(text) if "capacitance" in (liberty.value(body, "variable_1") or "")}


def pins_of(cell: str, load_in_rows: set[str]) -> Pins:
    """The pins of a cell's text."""
    inputs: dict[str, float] = {}
    outputs: dict[str, float] = {}
    for pin, text in liberty.groups(cell, "pin"):
        direction = liberty.value(text, "direction")
        if direction == "input":
            inputs.setdefault(pin, 1000 * float(liberty.value(text, "capacitance") or 0))
        elif direction == "output":
            slopes = [slope(text, table, load_in_rows) for table in DELAY.finditer(text)]
            if slopes:
                outputs[pin] = max(slopes)
    return Pins(inputs, outputs)


def slope(text: str, table: re.Match, load_in_rows: set[str]) -> float:
    """Delay by load in ps/fF, ns/pF in the file, at the middle slew and from the middle load up."""
    body = liberty.block(text, table.end())
    index = [[float(n) for n in NUMBER.findall(found)] for found in re.findall(r"index_\d\s*\((.*?)\)", body)]
    values = [float(n) for n in NUMBER.findall(re.findall(r"values\s*\((.*?)\)\s*;", body, re.DOTALL)[0])]
    width = len(index[-1])
    delays = [values[k : k + width] for k in range(0, len(values), width)]
    if table.group(1) in load_in_rows:
        delays = [list(column) for column in zip(*delays, strict=True)]
        index.reverse()
    loads, middle = index[-1], delays[len(delays) // 2]
    half = len(loads) // 2
    return median([(middle[-1] - middle[k]) / (loads[-1] - loads[k]) for k in range(half, len(loads) - 1)])
