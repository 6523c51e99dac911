"""The parts of a Liberty library that the flow needs: the names and areas of a few cells."""

import gzip
import re
import zlib
from dataclasses import dataclass
from math import inf
from pathlib import Path

GROUP = re.compile(r"\b(cell|pin|ff)\s*\(([^)]*)\)\s*\{")
NAME = re.compile(r'\blibrary\s*\(\s*"?([^")]+?)"?\s*\)')
# Guesses of wires by the number of loads; without them no tool adds wires to what it times.
WIRE_LOADS = re.compile(r"^\s*default_wire_load\w*\s*:.*$", re.MULTILINE)
DONT_USE = re.compile(r'^\s*dont_use\s*:\s*"?true"?\s*;[^\n]*$', re.MULTILINE)
# Liberty's units of time in ns, and of capacitance in pF.
TIMES = {"1ps": 1e-3, "10ps": 1e-2, "100ps": 0.1, "1ns": 1.0}
CAPACITANCES = {"ff": 1e-3, "pf": 1.0}
# Cells no synthesis should take: delays, isolation, power gating, probes.
NEVER = re.compile(r"dly|delay|lpflow|probe|macro", re.IGNORECASE)


class LibraryError(Exception):
    """The library cannot be used."""


@dataclass(frozen=True)
class FlipFlop:
    """The pins of a flip-flop by their parts."""

    data: str
    clock: str
    outputs: dict[str, bool]  # and whether it is inverted
    tied: tuple[str, ...]  # asynchronous ones, which must be high to do nothing


@dataclass(frozen=True)
class Units:
    """What the numbers of a library count. An energy has the unit of capacitance times 1 V²."""

    ns: float
    pf: float


@dataclass(frozen=True)
class Library:
    """One library, unpacked at `path`, and the cells the flow asks for by function."""

    path: Path
    name: str
    units: Units
    areas: dict[str, float]
    functions: dict[str, dict[str, str]]  # of each output pin
    flip_flops: dict[str, FlipFlop]
    clock_gates: dict[str, dict[str, str]]  # and their pins: clock, enable, out
    unused: tuple[str, ...]  # cells that synthesis must leave alone
    inverter: str
    inverter_in: str
    inverter_out: str
    nand2: str
    tie_low: tuple[str, str] | None  # cell and pin of the constants, where there are any
    tie_high: tuple[str, str] | None


def block(text: str, start: int) -> str:
    """Returns the text of the group that opens just before `start`."""
    depth, end = 1, start
    for brace in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        end = brace.start()
        if depth == 0:
            return text[start:end]
    raise LibraryError("a brace is not closed")


def groups(text: str, kind: str) -> list[tuple[str, str]]:
    """Name and text of every group of this kind."""
    return [
        (g.group(2).strip(' "'), block(text, g.end()))
        for g in GROUP.finditer(text)
        if g.group(1) == kind
    ]


def value(text: str, attribute: str) -> str | None:
    found = re.search(rf'\b{attribute}\s*:\s*"?([^";\n]*)"?', text)
    return found.group(1).strip() if found else None


def units(text: str) -> Units:
    """The units of a library's numbers. Without an attribute a unit is ns, pF or V."""

    def said(name: str, unless: str) -> str:
        found = re.search(rf"\b{name}\s*[:(]([^;)\n]*)", text)
        return re.sub(r'[\s"]', "", found[1]).lower() if found else unless

    time, volt, load = said("time_unit", "1ns"), said("voltage_unit", "1v"), said("capacitive_load_unit", "1,pf")
    if time not in TIMES:
        raise LibraryError(f"time_unit is {time}; it must be {', '.join(TIMES)}")
    if volt != "1v":
        raise LibraryError(f"voltage_unit is {volt}; it must be 1V")
    count, _, unit = load.partition(",")
    try:
        capacitance = float(count) * CAPACITANCES[unit]
    except (ValueError, KeyError):
        raise LibraryError(f"capacitive_load_unit is {load}; it must be a number, of {' or '.join(CAPACITANCES)}") from None
    if not 0 < capacitance < inf:
        raise LibraryError(f"capacitive_load_unit is {load}; it must be above 0")
    return Units(TIMES[time], capacitance)


def area(name: str, cell: str) -> float:
    """The area of a cell; 0 where the library has none."""
    found = value(cell, "area") or "0"
    try:
        return float(found)
    except ValueError:
        raise LibraryError(f"{name}: the area is {found}; it must be a number") from None


def functions(cell: str) -> dict[str, str]:
    """The function of every output pin of a cell, without blanks and outer brackets."""
    found = {}
    for pin, text in groups(cell, "pin"):
        function = value(text, "function")
        if function is not None:
            plain = function.replace(" ", "").replace("*", "&")
            while re.fullmatch(r"\([^()]*\)", plain) or re.fullmatch(r"\(!\([^()]*\)\)", plain):
                plain = plain[1:-1]
            found[pin] = plain
    return found


def inputs(cell: str) -> list[str]:
    return [pin for pin, text in groups(cell, "pin") if value(text, "direction") == "input"]


def gate_pins(cell: str) -> dict[str, str]:
    """The pins of a clock gate by their parts: clock, enable, out."""
    return {
        part: pin
        for pin, text in groups(cell, "pin")
        for part in ("clock", "enable", "out")
        if value(text, f"clock_gate_{part}_pin") == "true"
    }


def flip_flop_pins(cell: str) -> FlipFlop | None:
    """Returns the pins of a rising-edge flip-flop with a pin as its next state, else None."""
    found = re.search(r"\bff\s*\(([^)]*)\)\s*\{", cell)
    if not found:
        return None
    held, _, inverted = (name.strip(' "') for name in found.group(1).partition(","))
    body = block(cell, found.end())
    data, clock = (re.sub(r'[ "()]', "", value(body, name) or "") for name in ("next_state", "clocked_on"))
    pins = inputs(cell)
    outputs = {pin: function != held for pin, function in functions(cell).items() if function and function in (held, inverted)}
    if data not in pins or clock not in pins or not outputs:
        return None
    return FlipFlop(data, clock, outputs, tuple(pin for pin in pins if pin not in (data, clock)))


def read(path: Path, folder: Path) -> Library:
    """Reads a library, `.gz` or plain, and leaves it unpacked in `folder`."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise LibraryError(f"{path}: cannot read the library: {error}") from None
    named = NAME.search(text)
    if not named:
        raise LibraryError(f"{path}: no `library (...)`: this is no Liberty file")
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    try:
        unit = units(plain)
        cells = dict(groups(plain, "cell"))
        areas = {name: area(name, body) for name, body in cells.items()}
    except LibraryError as error:
        raise LibraryError(f"{path}: {error}") from None
    unused = tuple(
        name
        for name, body in cells.items()
        if NEVER.search(name) or value(body, "dont_use") == "true"
    )

    def smallest(wanted: re.Pattern[str], pins: int) -> tuple[str, str] | None:
        """The smallest cell of `pins` inputs with this function, and its output."""
        fits = [
            (areas[name], "clk" in name, name, pin)
            for name, body in cells.items()
            if name not in unused and len(inputs(body)) == pins
            for pin, function in functions(body).items()
            if wanted.fullmatch(function)
        ]
        return min(fits)[2:] if fits else None

    inverter = smallest(re.compile(r"!\(?\w+\)?|\w+'"), 1)
    nand2 = smallest(re.compile(r"!\(\w+&\w+\)|!\(\w+\w+\)|!\w+\|!\w+|\(!\w+\)\|\(!\w+\)"), 2)
    if not inverter or not nand2:
        raise LibraryError(f"{path}: no inverter or no NAND2; the flow needs both")
    clock_gates = {
        name: gate_pins(body)
        for name, body in cells.items()
        if value(body, "clock_gating_integrated_cell") == "latch_posedge"
    }
    folder.mkdir(parents=True, exist_ok=True)
    unpacked = folder / f"{path.name.removesuffix('.gz').removesuffix('.lib')}.lib"
    # A mapper must not take a clock gate by itself, so libraries mark it; yosys then finds none.
    for name in clock_gates:
        cell = next(re.finditer(rf'\bcell\s*\(\s*"?{name}"?\s*\)\s*\{{', text))
        body = block(text, cell.end())
        text = text.replace(body, DONT_USE.sub("", body), 1)
    unpacked.write_text(WIRE_LOADS.sub("", text))
    return Library(
        path=unpacked,
        name=named.group(1),
        units=unit,
        areas=areas,
        functions={name: functions(body) for name, body in cells.items()},
        flip_flops={name: pins for name, body in cells.items() if (pins := flip_flop_pins(body))},
        clock_gates=clock_gates,
        unused=unused,
        inverter=inverter[0],
        inverter_in=inputs(cells[inverter[0]])[0],
        inverter_out=inverter[1],
        nand2=nand2[0],
        tie_low=smallest(re.compile("0"), 0),
        tie_high=smallest(re.compile("1"), 0),
    )
