#!/usr/bin/env python3
"""Places and routes the key search on a Lattice ECP5-85F, counts its clocks, and scales it to the device, into results/.

    search.py [--design NAME]... [--seeds NUMBER]
"""

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import flow
import fpga
import synth
from designs import Design, designs
from devices import devices
from recording import record

DEVICE = devices()["ecp5-85f"]
FILE = synth.RESULTS / DEVICE.name / "search.csv"
BATCHES = 12  # of keys, whose clocks are counted
FULL = 0.8  # of the device's LUTs; the block RAMs can all be used


@dataclass(frozen=True)
class Row:
    """A line of the results."""

    design: str
    engines: int
    lut: int
    ff: int
    bram: int
    clock_mhz: float
    clock_mhz_median: float
    seed: int
    seeds: int
    clocks_per_key: float  # of one engine, that is of one block RAM
    mkeys_per_s: float
    device_engines: int  # by area: the share of control included
    device_mkeys_per_s: float
    revision: str


def clocks_per_key(design: Design, folder: Path) -> float:
    """The clocks an engine takes for a key, counted in a simulation of the VHDL."""
    sys.path.insert(0, str(flow.HARDWARE / "tb"))
    from simulate import simulate

    file = folder / "clocks.json"
    file.unlink(missing_ok=True)
    simulate("rc4_search", "search", design.generics, ["clocks"], k=1, batches=BATCHES, clocks=file)
    return json.loads(file.read_text())["clocks_per_key"]


def measure(design: Design, seeds: int) -> Row:
    """Routes a search and scales it."""
    routed = fpga.route(replace(DEVICE.of(design.name), seeds=seeds), design)
    if not routed.clocks:
        raise flow.FlowError(f"{design.name}: the device is too small for it")
    each = clocks_per_key(design, synth.BUILD / DEVICE.name / design.name)
    engines = design.generics["ENGINES"]
    seed, clock = routed.best
    lut, bram = routed.count(DEVICE.lut), routed.count(DEVICE.bram)
    fit = min(FULL * routed.available[DEVICE.lut] / lut, routed.available[DEVICE.bram] / bram)
    return Row(
        design=design.name,
        engines=engines,
        lut=lut,
        ff=routed.ff,
        bram=bram,
        clock_mhz=round(clock, 1),
        clock_mhz_median=round(median(routed.clocks.values()), 1),
        seed=seed,
        seeds=len(routed.clocks),
        clocks_per_key=round(each, 1),
        mkeys_per_s=round(engines * clock / each, 3),
        device_engines=int(fit * engines),
        device_mkeys_per_s=round(int(fit * engines) * clock / each, 1),
        revision=synth.revision(),
    )


def main() -> int:
    known = {name: design for name, design in designs().items() if design.entity == "rc4_search"}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[])
    parser.add_argument("--seeds", type=int, default=3, help="of the placement, how many")
    args = parser.parse_args()
    if args.seeds < 1:
        parser.error(f"--seeds {args.seeds}: it must be 1 or more")
    for name in args.design or known:
        try:
            row = measure(known[name], args.seeds)
        except flow.FlowError as error:
            print(f"search: {error}", file=sys.stderr)
            return 1
        print(row, flush=True)
        record(FILE, row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
