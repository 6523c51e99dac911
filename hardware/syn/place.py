"""Places a netlist in rows of cells and fits it to its wires: buffers, sizes, and the wires as SPEF.

Coloquinte places. A net's wire is a tree of minimum length between its pins. Its resistance and
capacitance are in technologies.toml. A net that overloads its driver gets a tree of buffers, each
for pins that are close together. The cells are then placed again, and every gate gets the size for
its load. Clock nets have no wires in the timing and get no buffers, and ports have no places.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import coloquinte
import lec
from drive import Drive

TECHNOLOGIES = Path(__file__).resolve().parent / "technologies.toml"
UTILISATION = 0.65
UNITS_PER_UM = 50  # the placer's whole numbers
SEED = 1
Place = tuple[float, float]  # in µm


@dataclass(frozen=True)
class Technology:
    """An entry of technologies.toml, which explains the fields."""

    row_um: float
    site_um: float
    ohm_per_um: float
    ff_per_um: float
    source: str


def technology(library: str) -> Technology | None:
    """Returns the data on a library's rows and wires, or None."""
    entry = tomllib.loads(TECHNOLOGIES.read_text()).get(library)
    return Technology(**entry) if entry else None


@dataclass(frozen=True)
class Pin:
    cell: str
    pin: str


class Layout:
    """A netlist in yosys' JSON and the positions of its cells. Only this class changes them."""

    def __init__(self, module: dict, drive: Drive, technology: Technology, clock: str):
        self.module, self.drive, self.technology = module, drive, technology
        module["cells"] = {plain(name, number): cell for number, (name, cell) in enumerate(module["cells"].items())}
        self.cells = module["cells"]
        self.places: dict[str, Place] = {}
        self.side = 0.0
        self.fresh = lec.fresh(module)
        self.clocks = self.clock_nets(module["ports"][clock]["bits"][0])
        self.find_nets()

    def clock_nets(self, clock: int) -> set[int]:
        """Returns the nets of the clock and of the clock gates' outputs."""
        gates = self.drive.lib.clock_gates
        outputs = (cell["connections"][gates[cell["type"]]["out"]] for cell in self.cells.values() if cell["type"] in gates)
        return {clock, *(bit for bits in outputs for bit in bits)}

    def find_nets(self) -> None:
        """The driver of each net and the pins that it drives; a port that drives is no pin."""
        self.driver: dict[int, Pin] = {}
        self.sinks: dict[int, list[Pin]] = {}
        for name, cell in self.cells.items():
            for pin, bits in cell["connections"].items():
                for bit in bits:
                    if not isinstance(bit, int):
                        continue
                    if cell["port_directions"][pin] == "output":
                        self.driver[bit] = Pin(name, pin)
                    else:
                        self.sinks.setdefault(bit, []).append(Pin(name, pin))

    def nets(self) -> Iterator[tuple[int, Pin | None, list[Pin]]]:
        """Yields every net with a wire: its driver, None for a port, and its sinks. Constants have no wire."""
        tied = {cell[0] for cell in (self.drive.lib.tie_low, self.drive.lib.tie_high) if cell}
        for bit, sinks in self.sinks.items():
            driver = self.driver.get(bit)
            if bit not in self.clocks and not (driver and self.cells[driver.cell]["type"] in tied):
                yield bit, driver, sinks

    def width_um(self, name: str) -> float:
        """A cell's width."""
        area = self.drive.lib.areas[self.cells[name]["type"]]
        sites = max(1, round(area / self.technology.row_um / self.technology.site_um))
        return sites * self.technology.site_um

    def width(self, name: str) -> int:
        """Returns the width in the placer's units."""
        return round(self.width_um(name) * UNITS_PER_UM)

    def place(self) -> None:
        """Places all cells in a square of rows."""
        names = list(self.cells)
        index = {name: k for k, name in enumerate(names)}
        widths = [self.width(name) for name in names]
        row = round(self.technology.row_um * UNITS_PER_UM)
        rows = int((sum(widths) * row / UTILISATION) ** 0.5 / row) + 1
        side = rows * row
        circuit = coloquinte.Circuit(len(names))
        circuit.cell_width = widths
        circuit.cell_height = [row] * len(names)
        circuit.cell_is_fixed = [False] * len(names)
        for _, driver, sinks in self.nets():
            ends = [index[pin.cell] for pin in ([driver] if driver else []) + sinks]
            if len(ends) > 1:
                circuit.add_net(ends, [widths[k] // 2 for k in ends], [row // 2] * len(ends))
        circuit.setup_rows(coloquinte.Rectangle(0, side, 0, side), row, False, False)
        circuit.cell_x = [side // 2] * len(names)
        circuit.cell_y = [side // 2] * len(names)
        parameters = coloquinte.ColoquinteParameters(3, SEED)
        circuit.place_global(parameters)
        circuit.legalize(parameters)
        circuit.place_detailed(parameters)
        self.side = side / UNITS_PER_UM
        for name, x, y, width in zip(names, circuit.cell_x, circuit.cell_y, widths, strict=True):
            self.places[name] = ((x + width / 2) / UNITS_PER_UM, (y + row / 2) / UNITS_PER_UM)

    def fit(self, effort: float) -> int:
        """Places the netlist, then again with buffers and sizes for its wires. Returns the number of buffers."""
        self.place()
        buffers = self.add_buffers(effort)
        self.place()
        self.fit_sizes(effort)
        return buffers

    def at(self, driver: Pin | None, sinks: list[Pin]) -> list[Place]:
        """The places of a net's pins, the driver first; a port is taken to be among them."""
        points = [self.places[pin.cell] for pin in sinks]
        return [self.places[driver.cell] if driver else middle(points), *points]

    def load(self, points: list[Place], sinks: list[Pin]) -> float:
        """Capacitance in fF of a net's wire and of the pins it drives."""
        length = sum(piece for _, _, piece in tree(points))
        return length * self.technology.ff_per_um + sum(self.capacitance(pin) for pin in sinks)

    def net_load(self, bit: int) -> float:
        """Returns the load of a net by its number, or 0 without sinks."""
        sinks = self.sinks.get(bit, [])
        return self.load(self.at(self.driver.get(bit), sinks), sinks) if sinks else 0.0

    def exceeds(self, limit: float, driver: Pin | None, sinks: list[Pin]) -> bool:
        """Returns true if a net exceeds this load. The wire counts only if the pins alone do not exceed it."""
        pins = sum(self.capacitance(pin) for pin in sinks)
        return pins > limit or self.load(self.at(driver, sinks), sinks) > limit

    def capacitance(self, pin: Pin) -> float:
        return self.drive.pins[self.cells[pin.cell]["type"]].inputs[pin.pin]

    def add_buffers(self, effort: float) -> int:
        """Trees of buffers for the nets that are too much for the strongest cell of their driver's kind."""
        count = len(self.cells)
        for bit, driver, sinks in list(self.nets()):
            kind = self.cells[driver.cell]["type"] if driver else self.drive.buffer
            limit = self.drive.limit(self.drive.sizes[kind][-1], effort)
            while self.exceeds(limit, driver, sinks):
                groups = list(self.split(sinks, self.drive.limit(self.drive.buffer, effort)))
                if len(groups) >= len(sinks):
                    break
                sinks = [self.add_buffer(bit, group) for group in groups]
        self.find_nets()
        return len(self.cells) - count

    def split(self, sinks: list[Pin], limit: float) -> Iterator[list[Pin]]:
        """Groups of pins that lie together, each as much as one buffer drives."""
        if len(sinks) == 1 or not self.exceeds(limit, None, sinks):
            yield sinks
            return
        points = [self.places[pin.cell] for pin in sinks]
        spread = [max(axis) - min(axis) for axis in zip(*points, strict=True)]
        axis = spread.index(max(spread))
        inorder = sorted(sinks, key=lambda pin: self.places[pin.cell][axis])
        yield from self.split(inorder[: len(sinks) // 2], limit)
        yield from self.split(inorder[len(sinks) // 2 :], limit)

    def add_buffer(self, bit: int, sinks: list[Pin]) -> Pin:
        """A buffer between a net and some of the pins on it, in their middle."""
        kind = self.drive.buffer
        pins = self.drive.pins[kind]
        (source,), (target,) = pins.inputs, pins.outputs
        name, out = f"buffer_{next(self.fresh)}", next(self.fresh)
        self.cells[name] = {
            "type": kind,
            "parameters": {},
            "attributes": {},
            "port_directions": {source: "input", target: "output"},
            "connections": {source: [bit], target: [out]},
        }
        for pin in sinks:
            bits = self.cells[pin.cell]["connections"]
            bits[pin.pin] = [out if old == bit else old for old in bits[pin.pin]]
        self.places[name] = middle([self.places[pin.cell] for pin in sinks])
        return Pin(name, source)

    def fit_sizes(self, effort: float) -> None:
        """Every gate and flip-flop takes the size that its load wants; none becomes weaker."""
        for _ in range(3):  # a larger gate is a larger load for the one before it
            for _, driver, sinks in self.nets():
                if driver:
                    cell = self.cells[driver.cell]
                    load = self.load(self.at(driver, sinks), sinks)
                    cell["type"] = self.drive.strong_enough(cell["type"], load, effort)

    def length(self, driver: Pin | None, sinks: list[Pin]) -> float:
        """The length of a net's tree in µm."""
        return sum(piece for _, _, piece in tree(self.at(driver, sinks)))

    def wire_um(self) -> float:
        """The length of all trees."""
        return sum(self.length(driver, sinks) for _, driver, sinks in self.nets())

    def name(self, bit: int | str) -> str:
        """A net's name in the files for OpenSTA: of a port's bit the port's, p0 to the last."""
        return self.ports.get(bit, f"n{bit}") if isinstance(bit, int) else f"1'b{bit}"

    @cached_property
    def ports(self) -> dict[int, str]:
        """The first port of each net at a port."""
        found: dict[int, str] = {}
        for number, (_, bit) in enumerate(port_bits(self.module)):
            if isinstance(bit, int):
                found.setdefault(bit, f"p{number}")
        return found

    def verilog(self, top: str, delays: dict[Pin, tuple[float, float]] | None = None) -> str:
        """The netlist for OpenSTA, its ports bit by bit. For a simulation, outputs take these times to rise and to fall."""
        ports = [(direction, f"p{number}", self.name(bit)) for number, (direction, bit) in enumerate(port_bits(self.module))]
        lines = [f"module {top}({', '.join(port for _, port, _ in ports)});"]
        lines += [f"{direction} {port};" for direction, port, _ in ports]
        lines += [f"assign {port} = {net};" for direction, port, net in ports if net != port and direction == "output"]
        for name, cell in self.cells.items():
            pins = []
            for pin, net in ((pin, self.name(bits[0])) for pin, bits in cell["connections"].items() if bits):
                if delays and Pin(name, pin) in delays:
                    rise, fall = delays[Pin(name, pin)]
                    lines.append(f"wire {net}_soon; assign #({rise:.0f}, {fall:.0f}) {net} = {net}_soon;")
                    net += "_soon"
                pins.append(f".{pin}({net})")
            lines.append(f"{cell['type']} {name} ({', '.join(pins)});")
        return "\n".join([*lines, "endmodule", ""])

    def spef(self) -> str:
        """The wires of that netlist."""
        lines = [SPEF_HEAD]
        for bit, driver, sinks in self.nets():
            if not driver:
                continue
            nodes = [f"{pin.cell}:{pin.pin}" for pin in (driver, *sinks)]
            pieces = list(tree(self.at(driver, sinks)))
            farads = [0.0] * len(nodes)
            for one, other, length in pieces:
                farads[one] += length * self.technology.ff_per_um / 2
                farads[other] += length * self.technology.ff_per_um / 2
            lines.append(f"*D_NET {self.name(bit)} {sum(farads):.4f}\n*CONN")
            lines += [f"*I {node} {'I' if k else 'O'}" for k, node in enumerate(nodes)]
            lines.append("*CAP")
            lines += [f"{k + 1} {node} {some:.4f}" for k, (node, some) in enumerate(zip(nodes, farads, strict=True))]
            lines.append("*RES")
            for k, (one, other, length) in enumerate(pieces):
                ohm = max(0.01, length * self.technology.ohm_per_um)
                lines.append(f"{k + 1} {nodes[one]} {nodes[other]} {ohm:.3f}")
            lines.append("*END\n")
        return "\n".join(lines)


def port_bits(module: dict) -> Iterator[tuple[str, int | str]]:
    """Direction and net of every bit of every port."""
    return ((port["direction"], bit) for port in module["ports"].values() for bit in port["bits"])


SPEF_HEAD = """*SPEF "IEEE 1481-1998"
*DESIGN "placed"
*DATE ""
*VENDOR ""
*PROGRAM ""
*VERSION ""
*DESIGN_FLOW ""
*DIVIDER /
*DELIMITER :
*BUS_DELIMITER [ ]
*T_UNIT 1 NS
*C_UNIT 1 FF
*R_UNIT 1 OHM
*L_UNIT 1 HENRY
"""


def plain(name: str, number: int) -> str:
    """A cell's name without signs; a register keeps its own, which the proof of equality goes by."""
    return name if name.isidentifier() else f"u{number}"


def middle(points: list[Place]) -> Place:
    x, y = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    return x, y


def tree(points: list[Place]) -> Iterator[tuple[int, int, float]]:
    """The shortest tree between points along both axes, from the first one on (Prim): pairs of points and the
    distance between them."""
    left = {k: (distance(points[0], point), 0) for k, point in enumerate(points) if k}
    while left:
        nearest = min(left, key=lambda k: left[k][0])
        length, parent = left.pop(nearest)
        yield parent, nearest, length
        for k, (best, _) in left.items():
            now = distance(points[nearest], points[k])
            if now < best:
                left[k] = (now, nearest)


def distance(one: Place, other: Place) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])
