"""The energy of a placed netlist, from the transitions of its nets in a simulation of the gates.

A net that switches charges or discharges its wire and pins, C·V²/2. Its driver takes the internal
power of the library's tables for that load. Clock nets count in the same way, with a tree without
buffers as their wire. Each flip-flop and clock gate takes the power of its clock pin's tables,
whether it keeps its value or not. The simulation has no delays, so no net switches twice in a
clock. OpenSTA 2.0.17 cannot compute this energy, because it ignores activities that are set on
pins.
"""

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import liberty
from drive import Table, table, templates
from place import Layout

POWER = re.compile(r'\b(?:rise|fall)_power\s*\(\s*"?([\w.]+)"?\s*\)\s*\{')
SLEW = 0.1  # ns, of every edge


@dataclass(frozen=True)
class Energy:
    """Picojoules a clock, and what moved."""

    clock: float  # clock nets, and the cells at them
    data: float  # everything else
    registers_turned: float  # flip-flops that changed, a clock


class Tables:
    """The tables of internal power of a library: for a cell and a pin the mean over edges, causes and conditions."""

    def __init__(self, library: liberty.Library):
        text = re.sub(r"/\*.*?\*/", "", library.path.read_text(), flags=re.DOTALL)
        known = templates(text)
        self.tables: dict[tuple[str, str], list[Table]] = {}
        for cell, body in liberty.groups(text, "cell"):
            for pin, inside in liberty.groups(body, "pin"):
                found = [table(inside, start, known).scaled(library.units, library.units.pf) for start in POWER.finditer(inside)]
                if found:
                    self.tables[cell, pin] = found

    def of(self, cell: str, pin: str, load_ff: float) -> float:
        """Picojoules of one edge at this pin, with this load; none where the library has no table."""
        return mean([at(found, SLEW, load_ff / 1000) for found in self.tables.get((cell, pin), [])] or [0.0])


def at(found: Table, slew: float, load: float) -> float:
    """A table's value, between its points along straight lines, beyond them the last."""
    low, part = between(found.slews, slew)
    rows = [found.values[low], found.values[min(low + 1, len(found.slews) - 1)]]
    column, share = between(found.loads, load)
    one, other = ((row[column] * (1 - share) + row[min(column + 1, len(found.loads) - 1)] * share) for row in rows)
    return one * (1 - part) + other * part


def between(points: list[float], x: float) -> tuple[int, float]:
    """The place below x, and how far x is from it to the next one."""
    k = bisect_left(points, x)
    if k == 0 or k == len(points):
        return (0 if k == 0 else k - 1), 0.0
    return k - 1, (x - points[k - 1]) / (points[k] - points[k - 1])


def turns(vcd: Path, scope: str) -> Counter:
    """Counts the changes of each bit of a module's nets, by name and place. A net that never changes has zeros."""
    names: dict[str, list[str]] = {}
    found: Counter = Counter()  # by code and place
    held: dict[str, str] = {}
    with vcd.open() as lines:
        inside: list[str] = []
        for line in lines:
            match line.split():
                case ["$scope", _, name, _]:
                    inside.append(name)
                case ["$upscope", _]:
                    inside.pop()
                case ["$var", _, size, code, name, *_] if inside[-1] == scope:
                    names.setdefault(code, []).append(name)
                    found.update({(code, place): 0 for place in range(int(size))})
                case ["$enddefinitions", *_]:
                    break
        for line in lines:
            if line[0] in "01":
                code, bits = line[1:].rstrip("\n"), line[0]
            elif line[0] == "b":
                bits, code = line[1:].split()
            else:
                continue
            before = held.get(code)
            held[code] = bits
            if before is None:
                continue
            if len(bits) == 1 == len(before):
                found[code, 0] += bits != before
                continue
            width = max(len(bits), len(before))
            for place, (new, old) in enumerate(zip(reversed(bits.zfill(width)), reversed(before.zfill(width)), strict=True)):
                found[code, place] += new != old
    return Counter({(name, place): count for (code, place), count in found.items() for name in names.get(code, [])})


def by_net(layout: Layout, turned: dict[int, int], tables: Tables) -> dict[int, float]:
    """The picojoules that each net takes for these counts of transitions, with its driver and the pins on it."""
    cells, drive = layout.cells, layout.drive
    found = {}
    for bit, edges in turned.items():
        if not edges:
            continue
        driver, sinks = layout.driver.get(bit), layout.sinks.get(bit, [])
        load = layout.net_load(bit)
        edge = load * drive.volt**2 / 2 / 1000
        if driver:
            edge += tables.of(cells[driver.cell]["type"], driver.pin, load)
        edge += sum(tables.of(cells[pin.cell]["type"], pin.pin, 0.0) for pin in sinks)
        found[bit] = edge * edges
    return found


def energy(layout: Layout, turned: dict[int, int], clocks: int, tables: Tables) -> Energy:
    """The energy per clock of a netlist with these counts of transitions in `clocks` clocks."""
    picojoules = {"clock": 0.0, "data": 0.0}
    for bit, spent in by_net(layout, turned, tables).items():
        picojoules["clock" if bit in layout.clocks else "data"] += spent
    flips = 0
    for cell in layout.cells.values():
        if cell["type"] in layout.drive.lib.flip_flops:
            outputs = [cell["connections"].get(pin) for pin in layout.drive.lib.flip_flops[cell["type"]].outputs]
            flips += max((turned.get(bits[0], 0) for bits in outputs if bits), default=0)
    return Energy(picojoules["clock"] / clocks, picojoules["data"] / clocks, flips / clocks)
