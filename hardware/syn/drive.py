"""The drive strengths of a library's cells, from its delay tables, to size gates and buffers."""

import re
from dataclasses import dataclass
from functools import cached_property
from math import prod
from statistics import median

import liberty
from liberty import Library, Units

TEMPLATE = re.compile(r'(?:lu_table|power_lut)_template\s*\(\s*"?([\w.]+)"?\s*\)\s*\{(.*?)\}', re.DOTALL)
DELAY = re.compile(r'\bcell_(?:rise|fall)\s*\(\s*"?([\w.]+)"?\s*\)\s*\{')
INDEX = re.compile(r"\bindex_(\d)\s*\((.*?)\)", re.DOTALL)
VALUES = re.compile(r"\bvalues\s*\((.*?)\)\s*;", re.DOTALL)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class Template:
    """What the tables of a library that name it have in common."""

    indexes: dict[int, list[float]]  # of tables without their own
    load_first: bool  # the first index is the load, and the second one the slew


@dataclass(frozen=True)
class Table:
    """A value by slew and load; one slew or one load, 0, where it does not depend on it."""

    slews: list[float]
    loads: list[float]
    values: list[list[float]]  # a row for each slew

    def scaled(self, units: Units, unit: float) -> "Table":
        """The table with slews in ns, loads in pF, and values times a unit."""
        return Table(
            [slew * units.ns for slew in self.slews],
            [load * units.pf for load in self.loads],
            [[value * unit for value in row] for row in self.values],
        )


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
        known = templates(text)
        self.volt = float(liberty.value(text, "nom_voltage") or 0)
        self.pins: dict[str, Pins] = {}
        does: dict[tuple, list[str]] = {}
        for cell, body in liberty.groups(text, "cell"):
            pins = pins_of(body, known, library.units)
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


def numbers(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(text)]


def indexes(text: str) -> dict[int, list[float]]:
    return {int(number): numbers(found) for number, found in INDEX.findall(text)}


def templates(text: str) -> dict[str, Template]:
    """The templates of a library's tables by their names."""
    return {name: Template(indexes(body), "capacitance" in (liberty.value(body, "variable_1") or "")) for name, body in TEMPLATE.findall(text)}


def table(text: str, start: re.Match, known: dict[str, Template]) -> Table:
    """A table of a cell's text, which begins at a match that names its template."""
    body, template = liberty.block(text, start.end()), known.get(start.group(1), Template({}, False))
    index = [points for _, points in sorted((template.indexes | indexes(body)).items())]
    found = VALUES.search(body)
    values = numbers(found[1]) if found else []
    if len(index) > 2 or len(values) != prod(map(len, index)):
        sizes = " by ".join(str(len(points)) for points in index) or "1"
        raise liberty.LibraryError(f"a table of the template {start.group(1)} has {len(values)} values; it must have {sizes}, of slew and load")
    first, second = [*index, [0.0], [0.0]][:2]
    rows = [values[k : k + len(second)] for k in range(0, len(values), len(second))]
    if template.load_first:
        return Table(second, first, [list(column) for column in zip(*rows, strict=True)])
    return Table(first, second, rows)


def pins_of(cell: str, known: dict[str, Template], units: Units) -> Pins:
    """The pins of a cell's text."""
    inputs: dict[str, float] = {}
    outputs: dict[str, float] = {}
    for pin, text in liberty.groups(cell, "pin"):
        direction = liberty.value(text, "direction")
        if direction == "input":
            inputs.setdefault(pin, 1000 * units.pf * float(liberty.value(text, "capacitance") or 0))
        elif direction == "output":
            delays = [table(text, start, known).scaled(units, units.ns) for start in DELAY.finditer(text)]
            slopes = [slope(each) for each in delays if len(each.loads) > 1]
            if slopes:
                outputs[pin] = max(slopes)
    return Pins(inputs, outputs)


def slope(delays: Table) -> float:
    """Delay by load in ps/fF, the same as ns/pF, at the middle slew and from the middle load up."""
    loads, middle = delays.loads, delays.values[len(delays.slews) // 2]
    half = len(loads) // 2
    return median([(middle[-1] - middle[k]) / (loads[-1] - loads[k]) for k in range(half, len(loads) - 1)])
