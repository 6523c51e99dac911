#!/usr/bin/env python3
"""Synthesises the cores for cell libraries: area, clock and throughput, into results/.

    synth.py [--design NAME]... [--target FO4]... [--again] [LIBERTY]...

A row is written as soon as its netlist is proven. A recorded row of the same Verilog, library and mapping stays, so that a
second call continues the first one.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import flow
import lec
import liberty
import rates
from designs import Design, designs
from recording import record, recorded

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER / "results"
BUILD = FOLDER.parent.parent / "target" / "hardware" / "syn"
DEFAULT_LIBRARY = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
GATE_KEYS = 10_000
NETLIST_OF = "netlist-of"  # a file beside the netlist, with the hash of its sources
# Where the entities of the paper's designs count: the columns of its table 5. The multiplexers of
# the shared ports are in its S-box.
COLUMNS = {
    "paper_ksa": "ksa_ge",
    "paper_prga": "prga_ge",
    "paper_sbox": "s_box_ge",
    "paper_kbox": "k_box_ge",
    "paper_control": "control_ge",
}


@dataclass(frozen=True)
class Row:
    """A line of the results. Areas (`ge`) are in NAND2 equivalents of the library."""

    design: str
    library: str
    fo4_ps: float
    area_ge: float
    sequential_ge: float
    combinational_ge: float
    flip_flops: int
    clock_gates: int
    period_ps: float
    period_fo4: float
    clock_mhz: float
    ksa_clocks: int
    bytes_per_clock: float
    gbit_per_s: float
    fo4_per_byte: float
    kbit_per_s_per_ge: float
    target_ps: int
    source: str  # what the netlist was made of, and the netlist: hashes
    netlist: str
    registers_proven: int
    gate_keys: int  # random keys that the gates were simulated with
    critical_from: str
    critical_to: str
    # A second run that keeps the hierarchy, as the paper's table 5 needs it; elsewhere empty.
    ksa_ge: float | str = ""
    prga_ge: float | str = ""
    s_box_ge: float | str = ""
    k_box_ge: float | str = ""
    control_ge: float | str = ""
    revision: str = ""


def elaborate(design: Design, library: liberty.Library) -> tuple[Path, str]:
    """Writes GHDL's Verilog of a design into a separate folder; returns the folder and the hash of the netlist's sources."""
    folder = library.path.parent / design.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / library.path.name).write_bytes(library.path.read_bytes())
    flow.elaborate(design.entity, design.generics, folder)
    return folder, fingerprint(folder / "rtl.v", library.path, text=f"{flow.MAPPING} {design.targets_fo4}")


def fingerprint(*files: Path, text: str = "") -> str:
    """The beginning of a hash of files and a text."""
    found = hashlib.sha256(text.encode())
    for file in files:
        found.update(file.read_bytes() if file.exists() else b"")
    return found.hexdigest()[:12]


def measure(design: Design, library: liberty.Library, fo4: float, rate: rates.Rate, keys: int = GATE_KEYS) -> Row:
    """Synthesises a design for every target, takes the fastest result, proves it equal to the VHDL, and
    simulates its gates."""
    folder, source = elaborate(design, library)
    statistics = flow.prepare(design.entity, library, folder, "generic", flat=True)
    flip_flops = check_flip_flops(design, library, statistics, design.flip_flops)
    results = []
    for target in design.targets_fo4:
        ps, name = round(target * fo4), f"fo4-{target:g}"
        (folder / f"{name}.il").write_bytes((folder / "generic.il").read_bytes())
        statistics = flow.map_gates(library, ps, folder, name)
        check_flip_flops(design, library, statistics, flip_flops)
        area = flow.area(statistics["modules"][f"\\{design.entity}"]["num_cells_by_type"], library)
        timing = flow.period(design.entity, library, folder, name, design.clock)
        found = f"asked for {ps} ps, got {timing.period_ps:.0f}, {area.total:.0f} GE"
        print(f"{design.name}: {found}", file=sys.stderr, flush=True)
        results.append((timing.period_ps, area.total, ps, name, area, timing))
    _, _, ps, name, area, timing = min(results)
    for suffix in (".v", "-ports.v", ".il"):
        (folder / f"netlist{suffix}").write_bytes((folder / f"{name}{suffix}").read_bytes())
    proven = lec.prove(design.entity, library, folder, "netlist", design.clock)
    (folder / NETLIST_OF).write_text(source)
    if keys:
        simulate_gates(design, library, folder, keys)
    split = split_area(design, library, ps, folder) if design.split else {}
    gbit = 8 * rate.bytes_per_clock / timing.period_ps * 1000
    return Row(
        design=design.name,
        library=library.name,
        fo4_ps=round(fo4, 2),
        area_ge=round(area.total),
        sequential_ge=round(area.sequential),
        combinational_ge=round(area.combinational),
        flip_flops=area.flip_flops,
        clock_gates=area.clock_gates,
        period_ps=round(timing.period_ps, 1),
        period_fo4=round(timing.period_ps / fo4, 2),
        clock_mhz=round(1e6 / timing.period_ps, 1),
        ksa_clocks=rate.ksa_clocks,
        bytes_per_clock=rate.bytes_per_clock,
        gbit_per_s=round(gbit, 3),
        fo4_per_byte=round(timing.period_ps / fo4 / rate.bytes_per_clock, 2),
        kbit_per_s_per_ge=round(gbit * 1e6 / area.total, 1),
        target_ps=ps,
        source=source,
        netlist=fingerprint(folder / "netlist-ports.v"),
        registers_proven=proven,
        gate_keys=keys,
        critical_from=timing.start,
        critical_to=timing.end,
        revision=revision(),
        **split,
    )


def netlist(design: Design, library: liberty.Library, row: dict[str, str] | None) -> Path:
    """The folder of a design's netlist, made if it is not there. It must be of the sources of the recorded row, and as fast."""
    folder, source = elaborate(design, library)
    if row and source != row["source"]:
        raise flow.FlowError("its recorded row is of other sources; run synth.py")
    made_of = folder / NETLIST_OF
    if not made_of.exists() or made_of.read_text() != source:
        no_rate = rates.Rate("", 0, 0, 0, 0, 0, 1.0)
        measure(design, library, flow.fo4(library, library.path.parent), no_rate, keys=0)
    if row:
        period = flow.period(design.entity, library, folder, "netlist", design.clock).period_ps
        if abs(period - float(row["period_ps"])) > 0.1:
            raise flow.FlowError(f"its netlist here takes {period:.1f} ps and the recorded one {row['period_ps']} ps")
    return folder


def gates(design: Design, library: liberty.Library, folder: Path, name: str, trace: bool = False):
    """A program of the gates in `name`-ports.v, their registers woken at random."""
    sys.path.insert(0, str(FOLDER.parent / "tb"))
    import verilate

    flow.cell_models(library, folder)
    files = [folder / f"{name}-ports.v", folder / "cells.v"]
    n, key_bytes = design.generics.get("N", 256), design.generics["KEY_BYTES"]  # rc4_axis is of no other size
    # A trace is of some hundreds of clocks: the compiler would take minutes to save seconds.
    level = "-O0" if trace else "-O1"
    return verilate.build(design.entity, files, n, design.words, key_bytes, folder / f"{name}-gates", level, trace)


def measure_anew(
    design: Design, library: liberty.Library, fo4: float, known: dict[str, rates.Rate], before: dict[str, str] | None
) -> Row | None:
    """The row of a design, or nothing if the one before is of the same sources."""
    rate = rates.of(design.core or design.name, known)
    if before and before.get("source") == elaborate(design, library)[1]:
        print(f"{design.name}: recorded as it is", file=sys.stderr, flush=True)
        return None
    return measure(design, library, fo4, rate)


def simulate_gates(design: Design, library: liberty.Library, folder: Path, keys: int) -> None:
    """The gates on random keys: with stops, pauses, gaps and wipes."""
    try:
        gates(design, library, folder, "netlist").run("random", keys, 128, 1)
    except RuntimeError as error:
        raise flow.FlowError(str(error)) from None


def check_flip_flops(
    design: Design, library: liberty.Library, statistics: dict, expected: int | None
) -> int:
    """Counts the flip-flops; fails if the number is not the expected one."""
    cells = statistics["modules"][f"\\{design.entity}"]["num_cells_by_type"]
    found = sum(count for cell, count in cells.items() if cell in library.flip_flops)
    if expected not in (None, found):
        raise flow.FlowError(f"{design.name}: {found} flip-flops, expected {expected}")
    return found


def split_area(design: Design, library: liberty.Library, ps: int, folder: Path) -> dict:
    """The areas of table 5's columns, of a netlist that keeps the entities apart."""
    flow.prepare(design.entity, library, folder, "split", flat=False)
    modules = flow.map_gates(library, ps, folder, "split")["modules"]
    areas = dict.fromkeys(COLUMNS.values(), 0.0)
    for module, statistics in modules.items():
        cells = statistics["num_cells_by_type"]
        local = {cell: count for cell, count in cells.items() if cell in library.areas}
        entity = module.lstrip("\\")
        column = next((c for p, c in COLUMNS.items() if entity.startswith(p)), "control_ge")
        areas[column] += flow.area(local, library).total
    return {column: round(total) for column, total in areas.items()}


def revision() -> str:
    """The commit, and a plus where the cores differ from it."""
    changed = git("status", "--porcelain", "--", "../rtl")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=FOLDER, capture_output=True, text=True)
    return done.stdout.strip()


def first_line(*command: str) -> str:
    flow.need(command[0])
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def tools(library: liberty.Library, source: Path) -> dict[str, str]:
    """The library and the tools of a run."""
    return {
        "library": library.name,
        "library_file": source.name,
        "library_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        "ghdl": first_line("ghdl", "--version"),
        "yosys": version("pyosys"),
        "sta": first_line("sta", "-version"),
        "python": platform.python_version(),
        "conditions": "typical corner, ideal clock, no wires, before placement; inputs arrive "
        "at the clock edge",
    }


def stem(source: Path) -> str:
    """The name of a library's file, for a folder."""
    return re.sub(r"\.lib(\.gz)?$", "", source.name)


def in_order(known: dict[str, Design]) -> list[str]:
    """Returns the designs to record; the designs compared in the data sheet come first."""
    return sorted((name for name, design in known.items() if design.record), key=lambda name: not known[name].headline)


def write(results: Path, library: liberty.Library, source: Path, row: Row) -> None:
    """Adds a row to the library's results; the design's older row goes."""
    folder = results / library.name
    record(folder / "synthesis.csv", row)
    (folder / "run.json").write_text(json.dumps(tools(library, source), indent=2) + "\n")


def table(rows: list[Row]) -> str:
    """The rows for people."""
    head = ["design", "kGE", "seq.", "comb.", "ps", "FO4", "MHz", "B/clock", "Gb/s", "FO4/B"]
    lines = [head] + [
        [
            row.design,
            f"{row.area_ge / 1000:.1f}",
            f"{row.sequential_ge / 1000:.1f}",
            f"{row.combinational_ge / 1000:.1f}",
            f"{row.period_ps:.0f}",
            f"{row.period_fo4:.1f}",
            f"{row.clock_mhz:.0f}",
            f"{row.bytes_per_clock:.2f}",
            f"{row.gbit_per_s:.2f}",
            f"{row.fo4_per_byte:.1f}",
        ]
        for row in rows
    ]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(line[1:], widths[1:])])
        for line in lines
    )


def main() -> int:
    known = designs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[])
    parser.add_argument("--target", action="append", type=float, metavar="FO4", default=[])
    parser.add_argument("--again", action="store_true", help="also what is recorded as it is now")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="designs at a time")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write")
    parser.add_argument("liberty", nargs="*", type=Path, metavar="LIBERTY")
    args = parser.parse_args()
    for target in args.target:
        if not 0 < target < 1000:
            parser.error(f"--target {target}: it must be above 0 and below 1000")
    if args.jobs < 1:
        parser.error(f"--jobs {args.jobs}: it must be 1 or more")
    chosen = [known[name] for name in args.design or in_order(known)]
    if args.target:
        chosen = [Design(**(vars(design) | {"targets_fo4": args.target})) for design in chosen]
    failed = False
    for source in args.liberty or [DEFAULT_LIBRARY]:
        try:
            library = liberty.read(source, BUILD / stem(source))
            fo4 = flow.fo4(library, BUILD / stem(source))
            known_rates = rates.recorded()
            print(f"{library.name}: FO4 {fo4:.1f} ps", flush=True)
            before = {} if args.again else recorded(args.results / library.name / "synthesis.csv")
            rows = []
            with ThreadPoolExecutor(args.jobs) as pool:
                measured = {
                    pool.submit(measure_anew, design, library, fo4, known_rates, before.get(design.name)): design
                    for design in chosen
                }
                for done in as_completed(measured):
                    # A design that fails has no row; the other rows stay.
                    try:
                        row = done.result()
                    except flow.FlowError as error:
                        print(f"synth: {measured[done].name}: {error}", file=sys.stderr)
                        failed = True
                        continue
                    if row:
                        rows.append(row)
                        write(args.results, library, source, row)
            print(table(rows))
        except (flow.FlowError, liberty.LibraryError) as error:
            print(f"synth: {error}", file=sys.stderr)
            return 1
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
