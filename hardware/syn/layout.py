#!/usr/bin/env python3
"""Lays out recorded netlists with OpenROAD, and records clock, area and energy with routed wires in results/.

    layout.py --openroad PROGRAM --platform FOLDER [--design NAME]... [--period NS] LIBERTY

The input is the netlist of synthesis.csv, without the sizes and buffers of placed.py. After
routing, the netlist is proven equal to the VHDL again, and its gates run a stream in Verilator.
energy.py computes the energy with the extracted wires and the whole clock tree.
"""

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import flow
import lec
import liberty
import place
import placed
import synth
import wiring
from designs import Design, designs
from drive import Drive
from energy import Tables
from recording import mapped_and_placed, record_each, recorded
from routed import Routed, figures, wires, with_pins

FOLDER = Path(__file__).resolve().parent
TECHNOLOGIES = FOLDER / "layout.toml"
# The designs to lay out unless others are named.
LAID_OUT = ("rc4_bram", "rc4_pipe_1", "rc4_matthews", "rc4_spec_2", "rc4_still_2", "rc4_design2_unshared")
# The part of the estimated period that the repair of timing aims at: a clock that it meets tells nothing about a shorter one.
AIM = 0.9
THREADS = 2  # of the search for access to pins, and of the detailed router
FIGURES = (
    "drc", "shorts", "close", "antennas", "wire_um", "side_um", "slack", "hold", "skew", "latency_first", "latency_last",
    "slew_violations", "load_violations",
)  # fmt: skip
WIRED = ("drc", "antennas")  # the figures of a routing
# The errors, the worst first: of several routings the one with the least is kept.
ERRORS = ("drc", "shorts", "close", "antennas", "load_violations", "slew_violations")
DELAY = re.compile(r"dly|delay", re.IGNORECASE)  # cells that synthesis leaves alone, and the repairs of timing take
NEAR = 2.0  # µm around a place where wires are wrong: nets there are routed anew
WRONG = re.compile(r"bbox = \( (\S+), (\S+) \) - \( (\S+), (\S+) \)")  # in the router's list
OVERLOADED = re.compile(r"^(\S+)/(\w+)(?: +-?[\d.]+){3} \(VIOLATED\)$", re.MULTILINE)  # pins in the report, with limit, value and slack
KEPT = ("odb", "def", "v", "drc")  # the files of a routing
# In a technology's LEF: the ratio for gates without a diode, where a ratio by area of the diodes follows.
PLAIN_RATIO = re.compile(r"^\s*ANTENNA(CUM|)AREARATIO .*\n(?=\s*ANTENNA\1DIFFAREARATIO\s)", re.MULTILINE)
FAILED = re.compile(r"^(\[ERROR|Error:)")


@dataclass(frozen=True)
class Row:
    """A line of the results, of the netlist of a line of synthesis.csv."""

    design: str
    library: str
    source: str  # as in synthesis.csv
    openroad: str  # what the program says of its commit
    target_ps: float
    side_um: float
    area_ge: float
    flip_flops: int
    clock_gates: int  # after one gate became several
    delay_cells: int  # that the repairs put in as buffers
    wire_m: float
    period_ps: float
    clock_mhz: float
    bytes_per_clock: float | None  # no rate of a small core is recorded, and its words are no bytes
    gbit_per_s: float | None
    skew_ps: float  # the worst between two registers that have a path
    latency_first_ps: float  # of the clock, to the first and the last flip-flop
    latency_last_ps: float
    hold_slack_ps: float
    drc_violations: int
    antenna_violations: int
    slew_violations: int
    load_violations: int
    registers_proven: int
    flips_per_clock: float
    clock_pj_per_clock: float
    pj_per_byte: float
    # As placed.py estimates the same netlist.
    estimate_ge: float
    estimate_ps: float
    estimate_wire_m: float
    estimate_pj_per_byte: float
    revision: str


def technology(library: str) -> dict:
    """The entry of layout.toml, with the values of every technology."""
    known = tomllib.loads(TECHNOLOGIES.read_text())
    if library not in known:
        raise flow.FlowError(f"layout.toml has no entry for {library}")
    return known["every"] | known[library]


def gdsii(library: str) -> dict:
    """The entry of layout.toml for GDSII."""
    found = tomllib.loads(TECHNOLOGIES.read_text())["gds"].get(library)
    if not found:
        raise flow.FlowError(f"layout.toml has no layers of GDSII for {library}")
    return found


def least_spaces(library: str) -> dict[str, float]:
    """Of each metal of a technology, in µm."""
    return {metal: space for metal, (_, space) in gdsii(library)["rules"].items()}


def tcl(value: object) -> str:
    """A value as a word of Tcl."""
    if isinstance(value, (list, tuple)):
        return "{" + " ".join(str(each) for each in value) + "}"
    return "{" + str(value) + "}"


def script(part: str, values: dict[str, object]) -> str:
    """Returns the script for OpenROAD: the variables, then a part of the flow."""
    return "".join(f"set {name} {tcl(value)}\n" for name, value in values.items()) + f"source {tcl(FOLDER / f'{part}.tcl')}\n"


def version(openroad: Path) -> str:
    """The commit in what the program says of itself, as git describes it."""
    try:
        said = subprocess.run([openroad, "-version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise flow.FlowError(f"{openroad}: cannot run OpenROAD: {error}") from None
    found = re.search(r"\bv?[\w.]+-\d+-g[0-9a-f]{7,}\b", said)
    if not found:
        raise flow.FlowError(f"{openroad}: its -version names no commit")
    return found[0]


def settings(design: Design, library: liberty.Library, folder: Path, platform: Path, period_ps: float) -> dict[str, object]:
    """The variables of the flow."""
    gate = next(iter(library.clock_gates.values()), {"clock": "", "enable": "", "out": ""})
    known = technology(library.name)
    del known["tech_lef"], known["plans"], known["routings"], known["rewirings"], known["cuts"], known["pitches_um"]
    own = {name: known.pop(f"{name}s") for name in ("reserve", "utilisation", "placement", "estimate")}
    return known | {name: values.get(design.name, known[name]) for name, values in own.items()} | {
        "flow": FOLDER,
        "platform": platform.resolve(),
        "liberty": library.path.resolve(),
        "netlist": (folder / "netlist-ports.v").resolve(),
        "top": design.entity,
        "clock_port": design.clock,
        "period": period_ps / 1000,
        "gates": tuple(library.clock_gates),
        "gate_pins": (gate["clock"], gate["enable"], gate["out"]),
        "threads": THREADS,
    }


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes a list for a part of the flow."""
    path.write_text("".join(f"{line}\n" for line in lines))


def one_ratio(lef: Path) -> str:
    """A technology's LEF with one ratio of antennas a layer. OpenROAD holds nets with diodes to the ratio for nets without, if a layer has both. In
    rc4_bram on SG13G2, 26 nets were antennas by that ratio, and none by the ratio that depends on the area of diodes."""
    try:
        return PLAIN_RATIO.sub("", lef.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise flow.FlowError(f"{lef}: cannot read the technology: {error}") from None


def antennas(log: str, name: str) -> tuple[list[str], list[str]]:
    """The nets that OpenROAD found to be antennas before the figure `name` of the log, and the inputs at them."""
    parts = re.split(r"^layout: (\w+) .*", log, flags=re.MULTILINE)
    said = dict(zip(parts[1::2], parts[::2], strict=False))[name]
    return re.findall(r"^Net (\S+)$", said, re.MULTILINE), re.findall(r"^  (\S+/\w+) \(\w+\)$", said, re.MULTILINE)


class Flow:
    """OpenROAD in the folders of a layout."""

    def __init__(self, openroad: Path, values: dict[str, Any], lef: Path) -> None:
        self.openroad, self.values, self.lef = openroad.resolve(), values, lef

    def run(self, part: str, where: Path) -> str:
        """Runs a part of the flow in a folder; returns the log."""
        (where / f"{part}.run.tcl").write_text(script(part, self.values))
        command = [str(self.openroad), "-no_init", "-no_splash", "-log", f"{part}.progress.log", "-exit", f"{part}.run.tcl"]
        return flow.run(command, where, f"{part}.log", bad=FAILED)

    def route(self, where: Path, inputs: list[str], rewirings: int) -> str:
        """Routes, with diodes at some inputs. Then rewires; returns what `rewire` does."""
        write_lines(where / "antennas.txt", inputs)
        return self.rewire(where, self.run("route", where), rewirings, [], [])

    def rewire(self, where: Path, log: str, rewirings: int, loads: list[str], close: list[wiring.Box]) -> str:
        """Routes antennas anew, with one more diode at each input, then two more, then four. Routes nets where wires are wrong, and first of all
        `loads`, nets that get a buffer at their driver, and nets where wires are too `close`. Ends when all is well or more is wrong than before.
        Returns the log with the figures of the wires."""
        for rewiring in range(rewirings):
            left = sum(figures(log, WIRED).values())
            if not (left or loads or close):
                break
            self.prepare(where, log, 2**rewiring, loads, close)
            tried = self.run("rewire", where)
            if sum(figures(tried, WIRED).values()) > left and not (loads or close):
                break
            log, loads, close = tried, [], []
            for kind in KEPT:
                (where / f"rewired.{kind}").replace(where / f"routed.{kind}")
        return log

    def prepare(self, where: Path, log: str, diodes: int, loads: list[str], close: list[wiring.Box]) -> None:
        """Writes what a rewiring needs: the inputs that get diodes, the nets that get buffers, all nets to route, and the shapes of all others."""
        nets, at = antennas(log, "antennas")
        routed = where / "routed.def"
        wrong = [tuple(map(float, box)) for box in WRONG.findall((where / "routed.drc").read_text())]
        chosen = sorted({*nets, *loads, *wiring.nets_near(routed, self.lef, [*wrong, *close], NEAR)})
        write_lines(where / "antennas.txt", at * diodes)
        write_lines(where / "loads.txt", loads)
        write_lines(where / "nets.txt", chosen)
        shapes = wiring.shapes(routed, self.lef, self.values["layers"], chosen)
        write_lines(where / "blockages.txt", (" ".join(map(str, shape)) for shape in shapes))

    def look(self, where: Path, log: str, cuts: list[str], spaces: dict[str, float]) -> tuple[dict[str, float], list[str], list[wiring.Box]]:
        """The figures of routed wires, the nets with too large a load or too slow an edge, and the places where wires are too close."""
        report = self.run("report", where)
        routed = where / "routed.def"
        shorts = wiring.shorts(routed, self.lef, self.values["layers"], cuts)
        close = wiring.close(routed, self.lef, spaces)
        overloaded = wiring.nets_of(routed, OVERLOADED.findall(report))
        return figures(f"{log}layout: shorts {shorts}\nlayout: close {len(close)}\n{report}", FIGURES), overloaded, close


def errors(found: dict[str, float]) -> list[float]:
    """How bad a layout is: its errors, and the time by which its worst hold time is missed."""
    return [*(found[name] for name in ERRORS), max(0.0, -found["hold"])]


def lay_out(design: Design, library: liberty.Library, folder: Path, openroad: Path, platform: Path, period_ps: float) -> dict[str, float]:
    """Runs OpenROAD in a separate folder: once to place, then to route until no error is left. Keeps the best routing, and returns its figures."""
    made = folder / "layout"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    known, spaces = technology(library.name), least_spaces(library.name)
    lef = platform / known["tech_lef"]
    (made / "tech.lef").write_text(one_ratio(lef))
    steps = Flow(openroad, settings(design, library, folder, platform, period_ps), lef)
    steps.run("place", made)
    inputs: list[str] = []
    for _ in range(known["plans"]):
        write_lines(made / "antennas.txt", inputs)
        inputs = antennas(steps.run("plan", made), "planned_antennas")[1]
    routings: dict[Path, dict[str, float]] = {}
    for number in range(1, known["routings"] + 1):
        where = made / f"routing_{number}"
        where.mkdir()
        log = steps.route(where, inputs, known["rewirings"])
        routings[where], loads, close = steps.look(where, log, known["cuts"], spaces)
        if loads or close:
            relieved = made / f"relieved_{number}"
            shutil.copytree(where, relieved)
            log = steps.rewire(relieved, log, known["rewirings"], loads, close)
            routings[relieved], *_ = steps.look(relieved, log, known["cuts"], spaces)
        if not all(any(errors(found)) for found in routings.values()):
            break
        inputs += antennas((where / "route.log").read_text(), "near_antennas")[1]
    best = min(routings, key=lambda where: errors(routings[where]))
    shutil.copytree(best, made, dirs_exist_ok=True)
    return routings[best]


def check(design: Design, library: liberty.Library, folder: Path) -> tuple[int, dict]:
    """Proves the routed netlist equal to the VHDL. Returns the number of registers, and yosys' JSON."""
    (folder / "routed-ports.v").write_text(with_pins((folder / "layout" / "routed.v").read_text()))
    (folder / "routed.il").write_bytes((folder / "netlist.il").read_bytes())
    proven = lec.prove(design.entity, library, folder, "routed", design.clock)
    flow.yosys(
        f"""
        read_liberty -lib -ignore_miss_func {library.path.name}
        read_verilog routed-ports.v
        write_json routed.json
        """,
        folder,
        "routed-read",
    )
    return proven, json.loads((folder / "routed.json").read_text())["modules"][design.entity]


def estimated(design: Design, drive: Drive, tables: Tables, folder: Path) -> dict[str, str]:
    """The estimate of a netlist that is not among the recorded ones."""
    wires = place.technology(drive.lib.name)
    if not wires:
        raise flow.FlowError(f"technologies.toml has no rows and wires of {drive.lib.name}")
    of_no_matter = {"netlist": "", "bytes_per_clock": "1", "fo4_ps": "1"}
    row = placed.measure(design, drive, tables, wires, {**of_no_matter, "netlist": synth.fingerprint(folder / "netlist-ports.v")})
    return {name: str(value) for name, value in asdict(row).items()}


def measure(
    design: Design,
    drive: Drive,
    tables: Tables,
    openroad: Path,
    platform: Path,
    mapped: dict[str, str] | None,
    placement: dict[str, str] | None,
    aim_ps: float | None,
) -> Row:
    """Lays out the netlist of a design and measures the result; small designs have no recorded rows of the netlist and its placement."""
    library = drive.lib
    commit = version(openroad)
    wiring.klayout()  # an error now, and not after the first routing
    folder = synth.netlist(design, library, mapped)
    estimate = placement or estimated(design, drive, tables, folder)
    period_ps = aim_ps or AIM * float(estimate["period_ps"])
    found = lay_out(design, library, folder, openroad, platform, period_ps)
    proven, module = check(design, library, folder)
    layout = Routed(module, drive, design.clock, wires((folder / "layout" / "routed.spef").read_text()))
    cells = Counter(cell["type"] for cell in layout.cells.values())
    area = flow.area(cells, library)
    period = period_ps - 1000 * found["slack"]
    rate = float(mapped["bytes_per_clock"]) if mapped else None
    return Row(
        design=design.name,
        library=library.name,
        source=synth.elaborate(design, library)[1],
        openroad=commit,
        target_ps=round(period_ps, 1),
        side_um=round(found["side_um"]),
        area_ge=round(area.total),
        flip_flops=area.flip_flops,
        clock_gates=area.clock_gates,
        delay_cells=sum(count for kind, count in cells.items() if DELAY.search(kind)),
        wire_m=round(found["wire_um"] / 1e6, 2),
        period_ps=round(period, 1),
        clock_mhz=round(1e6 / period, 1),
        bytes_per_clock=rate,
        gbit_per_s=round(8000 * rate / period, 3) if rate else None,
        skew_ps=round(1000 * abs(found["skew"]), 1),
        latency_first_ps=round(1000 * found["latency_first"], 1),
        latency_last_ps=round(1000 * found["latency_last"], 1),
        hold_slack_ps=round(1000 * found["hold"], 1),
        drc_violations=round(found["drc"] + found["shorts"] + found["close"]),
        antenna_violations=round(found["antennas"]),
        slew_violations=round(found["slew_violations"]),
        load_violations=round(found["load_violations"]),
        registers_proven=proven,
        estimate_ge=float(estimate["area_ge"]),
        estimate_ps=float(estimate["period_ps"]),
        estimate_wire_m=float(estimate["wire_m"]),
        estimate_pj_per_byte=float(estimate["pj_per_byte"]),
        revision=synth.revision(),
        **placed.activity(design, layout.drive.lib, "routed", folder, layout, tables),
    )


def main() -> int:
    known = designs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--openroad", type=flow.program, required=True, metavar="PROGRAM", help="OpenROAD")
    parser.add_argument("--platform", type=flow.folder, required=True, metavar="FOLDER", help="the files of the technology that layout.toml names")
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[], help=f"unless given: {', '.join(LAID_OUT)}")
    parser.add_argument("--period", type=float, metavar="NS", help=f"the clock to repair for; unless given, {AIM} of the estimate")
    parser.add_argument("--results", type=Path, default=synth.RESULTS, help="the folder to write")
    parser.add_argument("liberty", type=Path, metavar="LIBERTY")
    args = parser.parse_args()
    if args.period is not None and not (math.isfinite(args.period) and 0.1 <= args.period <= 1000):
        parser.error(f"--period {args.period}: it must be 0.1 to 1000")
    try:
        library = liberty.read(args.liberty, synth.BUILD / synth.stem(args.liberty))
        drive, tables = Drive(library), Tables(library)
    except liberty.LibraryError as error:
        print(f"layout: {error}", file=sys.stderr)
        return 1
    results = args.results / library.name

    def one(name: str) -> Row:
        mapped, placement = mapped_and_placed(results, name) if name in recorded(results / "synthesis.csv") else (None, None)
        return measure(known[name], drive, tables, Path(args.openroad), args.platform, mapped, placement, 1000 * args.period if args.period else None)

    return record_each("layout", results / "routed.csv", args.design or LAID_OUT, one)


if __name__ == "__main__":
    sys.exit(main())
