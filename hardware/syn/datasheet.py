#!/usr/bin/env python3
"""Writes the tables of results/: area and clock in the data sheet, ../README.md, the rest in RESULTS.md and README.md."""

import argparse
from pathlib import Path
from statistics import median

import hits
from designs import designs
from fpga_tables import fpga, search, search_cells, tried_settings
from pages import LIBRARIES, head, line
from ratios import TWO_BYTES, fastest, ratios
from recording import read_rows, recorded
from routed_tables import correction, crowding, layouts, worst_layout
from synth import RESULTS

FLOW = Path(__file__).resolve().parent / "README.md"
DETAILS = FLOW.with_name("RESULTS.md")
README = FLOW.parent.parent / "README.md"
BEGIN, END = "<!-- syn/datasheet.py writes from here -->\n", "<!-- to here -->\n"


def synthesis(libraries: dict, with_wires: bool = False) -> str:
    """A line for each design, with four columns for each library. Rows with wires add two: the clock corrected by the layouts, and the energy."""
    names = ("MHz", *(["corrected"] if with_wires else []), "FO4", "Gb/s", *(["pJ/byte"] if with_wires else []))
    text = head("design", *(cell for library in libraries for cell in (f"{library}: kGE", *names)))
    worst = {library: worst_layout(library) for library in libraries}
    for design in designs():
        cells = []
        for library, found in libraries.items():
            row = found.get(design)
            cells += figures(row, with_wires, worst[library]) if row else [""] * (len(names) + 1)
        if any(cells):
            text += line(f"`{design}`", *cells)
    return text


def figures(row: dict[str, str], with_wires: bool, worst: tuple[float, str] | None) -> list[str]:
    kge = float(row["area_ge"]) / 1000
    mhz, fo4, gbit = (float(row[name]) for name in ("clock_mhz", "period_fo4", "gbit_per_s"))
    rest = [f"{fo4:.1f}", f"{gbit:.2f}"]
    if not with_wires:
        return [f"{kge:.1f}", f"{mhz:.0f}", *rest]
    spent = f"{float(row['pj_per_byte']):.0f}" if row["pj_per_byte"] else ""
    return [f"{kge:.1f}", f"{mhz:.0f}", f"{mhz / worst[0]:.0f}" if worst else "", *rest, spent]


def flips(libraries: dict) -> str:
    """Returns the lines about the rotor's energy, for libraries with both rows."""
    rotor = "rc4_spec_2"
    lines = []
    for library, found in libraries.items():
        table = fastest(found, TWO_BYTES)
        if rotor in found and table:
            ours, theirs = (float(found[name]["flips_per_clock"]) for name in (rotor, table))
            lines.append(f"On {library} `{rotor}` flips {ours:.0f} flip-flops in a clock and `{table}` {theirs:.0f}.")
    return "".join(f"{line}\n" for line in lines)


def mappings() -> str:
    """The clock period of the wrapper relative to its core: medians of several mappings, with the noise. Empty without records."""
    lines = []
    for library, folder in LIBRARIES.items():
        periods: dict[str, dict[str, float]] = {}
        for row in read_rows(RESULTS / folder / "wrapper.csv"):
            periods.setdefault(row["design"], {})[row["mapping"]] = float(row["period_ps"])
        costs = []
        for name, design in designs().items():
            ours, theirs = periods.get(name, {}), periods.get(design.core or "", {})
            both = ours.keys() & theirs.keys()
            if len(both) > 2:
                pair = [[found[mapping] for mapping in both] for found in (ours, theirs)]
                ratio = median(pair[0]) / median(pair[1])
                noise = " and ".join(f"{max(found) / min(found):.2f}" for found in pair)
                costs.append(f"`{name}` {ratio:.2f} × `{design.core}` ({len(both)} mappings, slowest over fastest {noise})")
        if costs:
            lines.append(f"On {library}, median clock periods over mappings that order the gates differently (`wrapper.py`): {'. '.join(costs)}.\n")
    return "".join(["\n", *lines] if lines else [])


GOAL = 15.0  # Gb/s


def lost(libraries: dict) -> str:
    """The bytes that hits cost for each K, and the rates without this cost; empty without a record."""
    rows = hits.recorded()
    if not rows:
        return ""
    text = head("design", "bytes a clock", "lost to hits in the same group", "lost to hits in the next group", "next group free", "next group free, same group one clock")
    for row in rows:
        rate = row.rate(row.clocks)
        costs = (rate * clocks / row.groups for clocks in (2 * row.own, row.next_groups))
        text += line(f"`{row.design}`", *(f"{each:.2f}" for each in (rate, *costs, row.rate(row.groups + 2 * row.own), row.rate(row.groups + row.own_groups))))
    best = head("design", "library", "MHz", "Gb/s", f"MHz for {GOAL:.0f} Gb/s")
    for row in rows[-2:]:
        rate = row.rate(row.groups + row.own_groups)
        for library, found in libraries.items():
            if row.design in found:
                mhz = float(found[row.design]["clock_mhz"])
                best += line(f"`{row.design}`", library, f"{mhz:.0f}", f"{8 * rate * mhz / 1000:.1f}", f"{1000 * GOAL / 8 / rate:.0f}")
    return f"""
**What hits cost.** A clock of a hit stops all rounds and so costs K bytes. K is the sum of the first three columns. `hits.py` counts the hits in
the model, under {rows[0].keys} random keys. The last two columns are the rates of cores that do not exist. In both a hit in the next group costs
no clock. In the second all hits in the same group together cost one clock.

{text}
The second of these cores at the post-placement clock of `rc4_spec`, and the clock that {GOAL:.0f} Gb/s would need:

{best}"""


def periods() -> str:
    """What buffers, sizes and wires add to a period, and the clock that the goal wants; empty without a record."""
    text = ""
    for library, folder in LIBRARIES.items():
        rows, placed = (recorded(RESULTS / folder / name) for name in ("paths.csv", "placed.csv"))
        rows = {name: row for name, row in rows.items() if row["netlist"] == placed[name]["netlist"]}
        if not rows:
            continue
        columns = ("pre-placement, ns", "buffers and sizes add", "wires add", "post-placement, ns", "share of the wires", "cells on the path", "buffers among them")
        text += f"\n**Where the period goes** on {library} (`paths.py`), and the clock that {GOAL:.0f} Gb/s wants:\n\n"
        text += head("design", *columns, "MHz", f"MHz for {GOAL:.0f} Gb/s")
        for name, row in rows.items():
            mapped, fitted, period = (float(row[column]) / 1000 for column in ("mapped_ps", "fitted_ps", "period_ps"))
            times = (f"{time:.2f}" for time in (mapped, fitted - mapped, period - fitted, period))
            wanted = 1000 * GOAL / 8 / float(placed[name]["bytes_per_clock"])
            text += line(f"`{name}`", *times, f"{100 * (1 - fitted / period):.0f} %", row["cells"], row["buffers"], f"{1000 / period:.0f}", f"{wanted:.0f}")
    return text


def accounts() -> str:
    """Where the energy of a byte goes; empty before it is counted."""
    text = ""
    for library, folder in LIBRARIES.items():
        rows = read_rows(RESULTS / folder / "account.csv")
        if not rows:
            continue
        kinds = {"cells_pj": "cells", "buffers_pj": "buffers", "glitches_pj": "glitches"}
        names = list(dict.fromkeys(row["design"] for row in rows))
        text += f"\n**Where the energy of a byte goes** on {library}, post-placement, in pJ (`account.py`):\n\n"
        text += head("part", *(f"`{name}`: {kind}" for name in names for kind in kinds.values()))
        found = {(row["design"], row["part"]): row for row in rows}
        for part in dict.fromkeys(row["part"] for row in rows):
            text += line(part, *(f"{float(found[name, part][kind]):.1f}" for name in names for kind in kinds))
        text += line("sum", *(f"{sum(float(row[kind]) for row in rows if row['design'] == name):.1f}" for name in names for kind in kinds))
        text += """
Each column includes the wires. Buffers are what the placement inserted. The rest is sums, bypasses, hits, control and output. The data sheet's
energy is without glitches.
"""
    return text


def with_glitches() -> str:
    """The energies of a byte with glitches; empty before they are counted."""
    energies: dict[str, dict[str, tuple[float, float]]] = {}
    for library, folder in LIBRARIES.items():
        for row in read_rows(RESULTS / folder / "account.csv"):
            of_core = energies.setdefault(row["design"], dict.fromkeys(LIBRARIES, (0.0, 0.0)))
            total, glitches = of_core[library]
            part = float(row["glitches_pj"])
            of_core[library] = total + float(row["cells_pj"]) + float(row["buffers_pj"]) + part, glitches + part
    if not energies:
        return ""
    text = "\nThese energies leave glitches out. The energies with glitches are an estimate with one delay for each gate ([by parts](syn/RESULTS.md)):\n\n"
    text += head("core", *(cell for library in LIBRARIES for cell in (f"{library}: pJ/byte", "by glitches")))
    for name, of_core in energies.items():
        text += line(f"`{name}`", *(f"{energy:.0f}" if total else "" for total, part in of_core.values() for energy in (total, part)))
    return text


def placed(folder: Path, netlists: dict) -> dict:
    """The rows with wires that are of the netlists recorded now."""
    found = recorded(folder / "placed.csv")
    return {name: row for name, row in found.items() if row["netlist"] == netlists.get(name, {}).get("netlist")}


def noise(libraries: dict) -> str:
    """The mapper's noise in the clock, shown by a design with less logic than another."""
    small, large = "rc4_design2_ksa1", "rc4_design2"
    ratios = {library: float(found[small]["period_ps"]) / float(found[large]["period_ps"]) for library, found in libraries.items() if {small, large} <= found.keys()}
    if not ratios:
        return ""
    said = " and ".join(f"{ratio:.2f} × as long on {library}" for library, ratio in ratios.items())
    return f"""**Noise.** `{small}` is `{large}` with less logic. Its post-placement period is {said}. So differences between two clocks up to
{100 * max(abs(ratio - 1) for ratio in ratios.values()):.0f} % are noise.
"""


def wires(libraries: dict) -> str:
    """The post-placement section of the data sheet; empty before any design is placed."""
    if not any(libraries.values()):
        return ""
    return f"""**Post-placement**, an estimate with wires from a placement:

{synthesis(libraries, with_wires=True)}
{correction(libraries)}{crowding(libraries)}The cores relative to the paper's designs and to each other:

{ratios(libraries)}{with_glitches()}{layouts()}
"""


def mapped() -> dict:
    """The rows without wires of each library."""
    return {name: recorded(RESULTS / folder / "synthesis.csv") for name, folder in LIBRARIES.items()}


def placements() -> dict:
    """The rows with wires of each library."""
    libraries = mapped()
    return {name: placed(RESULTS / folder, libraries[name]) for name, folder in LIBRARIES.items()}


def tables() -> str:
    """The tables of the data sheet."""
    return f"""{BEGIN}
{wires(placements())}**FPGAs**, placed and routed by nextpnr: the best clock over the seeds, and the median. Of more seeds the best is higher by chance, so compare
medians. Do not compare LUT counts between vendors, who define
a LUT differently. The rows of Intel are mapped only: neither Debian nor PyPI has a router for Cyclone V.

{fpga()}{search()}{search_cells()}
{END}"""


def details() -> str:
    """The tables that explain the data sheet's figures."""
    estimates, libraries = placements(), mapped()
    return f"""{BEGIN}
{flips(estimates)}{lost(estimates)}{periods()}{accounts()}
{noise(estimates)}
**Pre-placement**, no wires, an upper bound of the clock:

{synthesis(libraries)}
The cores relative to other designs, pre-placement:

{ratios(libraries)}{mappings()}
{END}"""


def trials() -> str:
    """The tried settings for FPGAs."""
    return f"{BEGIN}\n{tried_settings()}\n{END}"


def put(file: Path, text: str) -> None:
    """Writes a text between the two marks of a file."""
    before, rest = file.read_text().split(BEGIN)
    file.write_text(before + text + rest.split(END)[1])


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    put(README, tables())
    put(DETAILS, details())
    put(FLOW, trials())


if __name__ == "__main__":
    main()
