"""Routed wires as KLayout reads them from a DEF file: the shapes of some nets, and wires of different nets that touch."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import flow
from die import klayout

Box = tuple[float, ...]  # left, low, right, high, in µm
Shape = tuple[str, int, int, int, int]  # layer, left, low, right, high, in units of the DEF file
NET = "net"
SIGNAL = re.compile(r"^ *- (\S+) ([^;+]*)\+ USE SIGNAL", re.MULTILINE)  # a net of a DEF file that is no clock, and its pins
END = re.compile(r"\( (\S+) (\S+) \)")


def read(text: str, folder: Path, tech_lef: Path) -> tuple[Any, dict[str, int]]:
    """The wires and vias of a DEF file's nets, without cells, pins and the power grid. And KLayout's numbers of the layers that have some."""
    db, _ = klayout()
    units = re.search(r"^UNITS DISTANCE MICRONS (\d+)", text, re.MULTILINE)
    if not units:
        raise flow.FlowError(f"{folder}: a DEF file without units")
    text = re.sub(r"^DIEAREA .*", "", text, flags=re.MULTILINE)
    for part in ("COMPONENTS", "PINS", "SPECIALNETS"):
        text = re.sub(rf"^{part} .*?^END {part}$", "", text, flags=re.DOTALL | re.MULTILINE)
    file = folder / "nets.def"
    file.write_text(text)
    options = db.LoadLayoutOptions()
    config = options.lefdef_config
    config.lef_files = [str(tech_lef)]
    config.read_lef_with_def = config.produce_cell_outlines = False
    config.net_property_name = NET
    config.dbu = 1 / int(units[1])
    die = db.Layout()
    try:
        die.read(str(file), options)
    except RuntimeError as error:
        raise flow.FlowError(f"KLayout: {str(error).splitlines()[0]}") from None
    die.top_cell().flatten(True)
    return die, {die.get_info(index).name: index for index in die.layer_indexes()}


def without(text: str, nets: Iterable[str]) -> str:
    """A DEF file without the wires of some nets."""
    gone = set(nets)
    return re.sub(r"^( *- (\S+) [^;]*?)\+ ROUTED [^;]*;$", lambda net: f"{net[1]};" if net[2] in gone else net[0], text, flags=re.MULTILINE)


def nets_of(routed: Path, pins: Iterable[tuple[str, str]]) -> list[str]:
    """The nets of a DEF file, but clocks, that have one of some pins: cell and pin."""
    wanted = set(pins)
    return [name for name, ends in SIGNAL.findall(routed.read_text()) if wanted & set(END.findall(ends))]


def shapes(routed: Path, tech_lef: Path, layers: list[str], nets: Iterable[str]) -> list[Shape]:
    """All that a DEF file has on some layers, but the wires and vias of some nets, as rectangles without overlaps."""
    die, numbers = read(without(routed.read_text(), nets), routed.parent, tech_lef)
    found = []
    for layer in layers:
        if layer in numbers:
            for each in merged(die, numbers[layer]).decompose_trapezoids_to_region().each():
                box = each.bbox()
                found.append((layer, box.left, box.bottom, box.right, box.top))
    return found


def merged(die: Any, number: int) -> Any:
    """All shapes of a layer, as KLayout's region."""
    db, _ = klayout()
    region = db.Region(die.top_cell().shapes(number))
    region.remove_properties()  # shapes with different ones are not merged
    return region.merged()


def close(routed: Path, tech_lef: Path, spaces: dict[str, float]) -> list[Box]:
    """Where a DEF file has less space between wires than their layer's least, in µm. Two edges of one wire count too: OpenROAD's router finds no error
    in a step of 30 nm beside a via, as in rc4_design2_unshared."""
    die, numbers = read(routed.read_text(), routed.parent, tech_lef)
    found: list[Box] = []
    for layer, space in spaces.items():
        if layer in numbers:
            for pair in merged(die, numbers[layer]).space_check(round(space / die.dbu)).each():
                box = pair.bbox().to_dtype(die.dbu)
                found.append((box.left, box.bottom, box.right, box.top))
    return found


def nets_near(routed: Path, tech_lef: Path, boxes: Iterable[Box], distance: float) -> set[str]:
    """The nets of a DEF file with wires in some boxes, or at most `distance` beside them, in µm."""
    db, _ = klayout()
    die, numbers = read(routed.read_text(), routed.parent, tech_lef)
    areas = [db.DBox(*box).enlarged(distance, distance).to_itype(die.dbu) for box in boxes]
    return {shape.property(NET) for number in numbers.values() for area in areas for shape in die.top_cell().shapes(number).each_touching(area)} - {None}


def shorts(routed: Path, tech_lef: Path, layers: list[str], cuts: list[str]) -> int:
    """How many nets too few KLayout finds: nets whose wires or vias touch are one. `cuts` are the layers of vias from each layer to the next."""
    db, _ = klayout()
    die, numbers = read(routed.read_text(), routed.parent, tech_lef)
    top = die.top_cell()
    found = db.LayoutToNetlist(db.RecursiveShapeIterator(die, top, []))
    made = {}
    for name in [*layers, *cuts]:
        made[name] = found.make_layer(numbers[name] if name in numbers else die.layer(db.LayerInfo(name)), name)
        found.connect(made[name])
    for low, cut, high in zip(layers, cuts, layers[1:], strict=False):
        found.connect(made[low], made[cut])
        found.connect(made[cut], made[high])
    for layer in layers:
        names = die.layer(db.LayerInfo(f"{layer} names"))
        for wire in top.shapes(numbers[layer]).each() if layer in numbers else ():
            if name := wire.property(NET):
                top.shapes(names).insert(db.Text(name, db.Trans(wire.bbox().center())))
        found.connect(made[layer], found.make_text_layer(names, f"{layer} names"))
    found.extract_netlist()
    circuit = found.netlist().circuit_by_name(top.name)
    return sum(len(set(net.name.split(","))) - 1 for net in circuit.each_net())
