#!/usr/bin/env python3
"""Writes the tables of area and clock in the data sheet, ../README.md, from results/."""

from pathlib import Path

from designs import designs
from synth import RESULTS, recorded

README = Path(__file__).resolve().parent.parent / "README.md"
LIBRARIES = {
    "Sky130 HD": "sky130_fd_sc_hd__tt_025C_1v80",
    "SG13G2": "sg13g2_stdcell_typ_1p20V_25C",
}
# What is compared: a core, and of these designs of the paper the fastest that is recorded. The paper unshared the
# ports on the critical path of Design 2; which of our two readings is faster the mapper decides.
ONE_BYTE = ("rc4_pipelined_c", "rc4_matthews")
TWO_BYTES = ("rc4_design2", "rc4_design2_unshared")
PAIRS = [
    ("rc4_unroll_1", ONE_BYTE),
    ("rc4_pipe_1", ONE_BYTE),
    ("rc4_spec_2", TWO_BYTES),
    ("rc4_spec_4_area", TWO_BYTES),
    ("rc4_spec_4", TWO_BYTES),
]
BEGIN, END = "<!-- syn/datasheet.py writes from here -->\n", "<!-- to here -->\n"


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def head(*cells: str) -> str:
    return line(*cells) + "|---|" + "--:|" * (len(cells) - 1) + "\n"


def synthesis(libraries: dict) -> str:
    """A line for each design, four columns for each library."""
    columns = [(f"{name}: kGE", "MHz", "FO4", "Gb/s") for name in libraries]
    text = head("design", *(cell for columns_here in columns for cell in columns_here))
    for design in designs():
        cells = []
        for found in libraries.values():
            row = found.get(design)
            cells += figures(row) if row else [""] * 4
        if any(cells):
            text += line(f"`{design}`", *cells)
    return text


def figures(row: dict[str, str]) -> list[str]:
    kge = float(row["area_ge"]) / 1000
    mhz, fo4, gbit = (float(row[name]) for name in ("clock_mhz", "period_fo4", "gbit_per_s"))
    return [f"{kge:.1f}", f"{mhz:.0f}", f"{fo4:.1f}", f"{gbit:.2f}"]


def ratios(libraries: dict) -> str:
    """Rate and area of a core over those of the fastest design of the paper, in each library. The mapper's noise
    leaves two digits."""
    columns = (cell for name in libraries for cell in (f"{name}: against", "rate", "area"))
    text = head("core", *columns)
    for core, others in PAIRS:
        cells = []
        for found in libraries.values():
            there = [design for design in others if design in found]
            if core not in found or not there:
                cells += ["", "", ""]
                continue
            other = max(there, key=lambda design: float(found[design]["gbit_per_s"]))
            ratio = [float(found[core][column]) / float(found[other][column]) for column in ("gbit_per_s", "area_ge")]
            cells += [f"`{other}`", *(f"{number:.2g}" for number in ratio)]
        text += line(f"`{core}`", *cells)
    return text


def without_gates(libraries: dict) -> str:
    """A sentence on the libraries whose rows have no clock gates; nothing if all have them."""
    names = [name for name, found in libraries.items() if any(row["clock_gates"] == "0" for row in found.values())]
    if not names:
        return ""
    return f"""
The rows of {" and ".join(names)} are of an older flow that made no clock gates there, because the library marks its gate
`dont_use`; they are larger and slower than they need be, ours and the paper's.
"""


def unproven(libraries: dict) -> str:
    """How many rows are of before the flow proved and simulated its netlists; nothing if none is."""
    rows = [row for found in libraries.values() for row in found.values()]
    older = sum(not row.get("registers_proven") for row in rows)
    if not older:
        return ""
    return f"""
Of the {len(rows)} rows {older} are of before the flow proved its netlists equal to the VHDL and simulated them at full size.
"""


def fpga() -> str:
    text = head("design", "LUT", "FF", "block RAM", "MHz", "median", "Mb/s")
    for design, row in recorded(RESULTS / "ecp5-85f" / "fpga.csv").items():
        mhz, median = (f"{float(row[name]):.1f}" for name in ("clock_mhz", "clock_mhz_median"))
        rate = f"{float(row['gbit_per_s']) * 1000:.0f}"
        text += line(f"`{design}`", row["lut"], row["ff"], row["bram"], mhz, median, rate)
    return text


def tables() -> str:
    libraries = {name: recorded(RESULTS / folder / "synthesis.csv") for name, folder in LIBRARIES.items()}
    return f"""{BEGIN}
{synthesis(libraries)}
The cores against the paper's designs in the same flow:

{ratios(libraries)}{without_gates(libraries)}{unproven(libraries)}
Lattice ECP5 LFE5U-85F, speed grade 6, placed and routed; the best of six seeds, and their median:

{fpga()}
{END}"""


def main() -> None:
    before, rest = README.read_text().split(BEGIN)
    README.write_text(before + tables() + rest.split(END)[1])


if __name__ == "__main__":
    main()
