#!/usr/bin/env python3
"""Draws a placed core with KLayout into results/: a rectangle a cell, in the colour of its part.

    die.py [--design NAME]... [LIBERTY]

The placement is made again from the recorded netlist, as placed.py made it for the recorded row. A register belongs to the entity in
its name. A gate belongs to the entity of most of its sinks.
"""

import argparse
import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType

import flow
import liberty
import synth
from designs import Design, designs
from drive import Drive
from place import Layout, technology
from recording import mapped_and_placed

PIXELS = 900
# What the parts are: the entity in a register's name, or a kind of cell; and the colours.
PARTS = {
    "registers of the table": 0x0072B2,
    "gates of the table": 0x9CCBE8,
    "key": 0xD55E00,
    "control, sums and output": 0x009E73,
    "buffers and clock gates": 0x8A857D,
}
TABLE, READS, KEY, CONTROL, BUFFERS = PARTS
ENTITIES = {"rotor": TABLE, "table": TABLE, "s_box": TABLE, "key_box": KEY}


def lay_out(design: Design, library: liberty.Library, folder: Path, effort: float) -> Layout:
    """The placement of a recorded row."""
    known = technology(library.name)
    if not known:
        raise flow.FlowError(f"technologies.toml has no rows and wires of {library.name}")
    flow.yosys(
        f"read_liberty -lib -ignore_miss_func {library.path.name}\nread_verilog netlist-ports.v\nwrite_json die-from.json",
        folder,
        "die-read",
    )
    module = json.loads((folder / "die-from.json").read_text())["modules"][design.entity]
    layout = Layout(module, Drive(library), known, design.clock)
    layout.fit(effort)
    return layout


def parts(layout: Layout) -> dict[str, str]:
    """The part of the core that each cell is of."""
    library = layout.drive.lib
    names = {bit: name for name, net in layout.module["netnames"].items() if not net["hide_name"] for bit in net["bits"]}
    drives: dict[str, list[str]] = {}
    for bit, driver in layout.driver.items():
        drives.setdefault(driver.cell, []).extend(pin.cell for pin in layout.sinks.get(bit, []))

    @cache
    def entity(cell: str) -> str:
        kind = layout.cells[cell]["type"]
        if kind in library.flip_flops:
            bits = [bit for pin, bits in layout.cells[cell]["connections"].items() if layout.cells[cell]["port_directions"][pin] == "output" for bit in bits]
            return next((ENTITIES.get(names[bit].split(".")[0], CONTROL) for bit in bits if bit in names), CONTROL)
        found = Counter(entity(sink) for sink in drives.get(cell, []))
        return found.most_common(1)[0][0] if found else CONTROL

    buffers = {layout.drive.buffer, *layout.drive.sizes[layout.drive.buffer], *library.clock_gates}
    shown = {}
    for cell in layout.cells:
        kind, part = layout.cells[cell]["type"], entity(cell)
        if kind in buffers:
            part = BUFFERS
        elif part == TABLE and kind not in library.flip_flops:
            part = READS
        shown[cell] = part
    return shown


def klayout() -> tuple[ModuleType, ModuleType]:
    """Returns KLayout's modules for layouts and for views. Only pictures and layouts need them, and no test of the quick set."""
    try:
        from klayout import db, lay
    except ImportError as error:
        raise flow.FlowError(f"KLayout cannot be loaded ({error}); `make hardware-die`, `-layout` and `-gds` install it") from None
    return db, lay


def draw(layout: Layout, file: Path) -> None:
    """A PNG of the placement."""
    db, lay = klayout()
    die = db.Layout()
    top = die.create_cell("die")
    layers = {part: die.layer(number, 0, part) for number, part in enumerate(PARTS, 1)}
    for cell, part in parts(layout).items():
        x, y = layout.places[cell]
        width, height = layout.width_um(cell), layout.technology.row_um
        box = db.DBox(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        top.shapes(layers[part]).insert(box)
    view = lay.LayoutView()
    for option, value in (("background-color", "#ffffff"), ("grid-visible", "false")):
        view.set_config(option, value)
    view.show_layout(die, False)
    view.clear_layers()
    for number, colour in enumerate(PARTS.values(), 1):
        properties = lay.LayerProperties()
        properties.source = f"{number}/0"
        properties.fill_color = properties.frame_color = colour
        properties.dither_pattern = 0
        view.insert_layer(view.end_layers(), properties)
    view.max_hier()
    view.zoom_box(db.DBox(0, 0, layout.side, layout.side))
    file.parent.mkdir(parents=True, exist_ok=True)
    view.save_image(str(file), PIXELS, PIXELS)


def main() -> int:
    known = designs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[], help="unless given: rc4_pipe_1")
    parser.add_argument("--results", type=Path, default=synth.RESULTS, help="the folder to write")
    parser.add_argument("liberty", nargs="?", type=Path, metavar="LIBERTY", default=synth.DEFAULT_LIBRARY)
    args = parser.parse_args()
    try:
        klayout()
        library = liberty.read(args.liberty, synth.BUILD / synth.stem(args.liberty))
    except (flow.FlowError, liberty.LibraryError) as error:
        print(f"die: {error}", file=sys.stderr)
        return 1
    failed = False
    for name in args.design or ["rc4_pipe_1"]:
        try:
            mapped, placed = mapped_and_placed(args.results / library.name, name)
            folder = synth.netlist(known[name], library, mapped)
            layout = lay_out(known[name], library, folder, float(placed["effort"]))
        except (flow.FlowError, liberty.LibraryError) as error:
            print(f"die: {name}: {error}", file=sys.stderr)
            failed = True
            continue
        draw(layout, args.results / library.name / f"die-{name}.png")
        counted = Counter(parts(layout).values())
        print(f"{layout.side:.0f} µm square:", ", ".join(f"{counted[part]} {part} (#{colour:06x})" for part, colour in PARTS.items()), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
