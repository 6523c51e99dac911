"""Our numbers beside the paper's, for reading."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from lab.model import Table
from lab.results import Results
from lab.sengupta2013.cores import CORES, READINGS, compared, name
from lab.shapes import recorded

FO4_PS_PER_NM = 0.36  # assumed for the paper's libraries, whose FO4 it does not give
LIBRARIES = {"sky130_fd_sc_hd": "Sky130", "sg13g2_stdcell": "SG13G2", "osu018": "OSU 180 nm"}
NANOMETRES = {"Sky130": 130, "SG13G2": 130, "OSU 180 nm": 180}  # the process each is named for
N = 256
PARTS = ("ksa", "prga", "s_box", "k_box", "sequential", "combinational")


def library(full: str) -> str:
    """A library's name for people."""
    return next((short for start, short in LIBRARIES.items() if full.startswith(start)), full)


def here(design: str) -> str:
    """A design in our flow: the paper's are said to be rebuilt."""
    rebuilt = design in READINGS or (design in CORES and CORES[design].paper)
    return name(design) + (", rebuilt" if rebuilt else "")


def bare(table: pd.DataFrame, more: Collection[str] = ()) -> pd.DataFrame:
    """Without the wrappers and the core for a RAM, which the paper's designs do not compare with, unless they are among `more`."""
    return table[table.design.map(compared) | table.design.isin(more)]


def synthesised(results: Results) -> pd.DataFrame:
    """The paper's designs and ours under one another: areas, and clocks in FO4."""
    paper = results.paper("table-5")
    period = 1000 / paper.clock_ghz
    fo4 = FO4_PS_PER_NM * paper.technology_nm
    paper = paper.assign(
        source="paper", process=[f"paper, {nm} nm" for nm in paper.technology_nm], id="", period_ps=period,
        period_fo4=period / fo4, clock_mhz=1000 * paper.clock_ghz, area_ge=paper.total_ge,
    )
    ours = bare(results["synthesis"]).rename(columns={"design": "id"})
    ours = ours.assign(source="ours", process=ours["library"].map(library), design=ours.id.map(here))
    both = pd.concat([paper, ours], ignore_index=True)
    both["fo4_per_byte"] = both.period_fo4 / both.bytes_per_clock
    both["bytes_per_1000_fo4"] = 1000 / both.fo4_per_byte
    both["mbit_per_s_per_ge"] = 1000 * both.gbit_per_s / both.area_ge
    both["bytes_per_mega_fo4_ge"] = 1e6 * both.bytes_per_1000_fo4 / 1000 / both.area_ge
    return both


def placed(results: Results, more: Collection[str] = ()) -> pd.DataFrame:
    """The placed designs of all libraries whose netlist is the one that the synthesis recorded last: those that are compared, and more."""
    now = results["synthesis"][["design", "library", "netlist"]]
    table = bare(results["placed"], more).merge(now, on=["design", "library", "netlist"])
    return table.assign(process=table["library"].map(library))


def table_5(results: Results) -> pd.DataFrame:
    """Areas by the columns of table 5, clock, rate."""
    both = synthesised(results)
    columns = {"design": both.design, "made in": both.process}
    columns |= {f"{part.replace('_', '-')} (GE)": both[f"{part}_ge"].round() for part in PARTS}
    columns |= {
        "total (GE)": both.area_ge.round(), "clock (MHz)": both.clock_mhz.round(1), "clock (FO4)": both.period_fo4.round(1),
        "KSA (clocks)": both.ksa_clocks, "bytes per clock": both.bytes_per_clock.round(3), "Gb/s": both.gbit_per_s,
    }
    return pd.DataFrame(columns)


def throughput(results: Results) -> pd.DataFrame:
    """Throughput per clock, per second, per FO4, per gate."""
    both = synthesised(results).sort_values("fo4_per_byte")
    return pd.DataFrame({
        "design": both.design, "made in": both.process, "bytes per clock": both.bytes_per_clock.round(3),
        "Gb/s": both.gbit_per_s.round(2), "FO4 per byte": both.fo4_per_byte.round(1),
        "Mb/s per gate": both.mbit_per_s_per_ge.round(3),
        "bytes per 1,000,000 FO4 and gate": both.bytes_per_mega_fo4_ge.round(3),
    })


def table_6(results: Results) -> pd.DataFrame:
    """Clocks, the paper's and counted."""
    paper = results.paper("table-6").assign(source="paper", words_per_clock=lambda t: 1 / t.prga_clocks_per_byte)
    ours = results["clocks"].assign(source="simulated", design=lambda t: t.design.map(name))
    columns = {"design": "design", "source": "source", "ksa_clocks": "KSA (clocks)", "words_per_clock": "bytes per clock", "prga_lag_clocks": "PRGA lag (clocks)",
               "words_compared": "bytes compared"}
    table = pd.concat([paper, ours], ignore_index=True)[list(columns)].rename(columns=columns)
    for length in (16, 1500, 1_000_000):
        clocks = table["KSA (clocks)"] + table["PRGA lag (clocks)"] + length / table["bytes per clock"]
        table[f"clocks per byte, {length:,} bytes with a new key"] = (clocks / length).round(3)
    return table.round(3)


def unrolling(results: Results) -> pd.DataFrame:
    """Cases the paper expects, comparisons and gates there are."""
    table = results["unrolling"]
    return pd.DataFrame({
        "K": table.k, "pairs to compare, after the paper": table.paper_pairs,
        "cases, after the paper": [f"{2**pairs:,}" for pairs in table.paper_pairs],
        "comparisons built": table.comparisons, "gates, N = 16": table.gates,
        "gates over those of K = 1": (table.gates / table.gates.iloc[0]).round(2),
        "equal to serial rounds": ["proven" if proof == True else "" for proof in table.proven],
    })


def software(results: Results) -> pd.DataFrame:
    """Programs beside the paper's circuit."""
    table = results["software"]
    best = results.paper("table-5").gbit_per_s.max()
    return table.assign(**{"share of the paper's 65 nm (%)": (100 * table.gbit_per_s / best).round(1)}).round(3)


WRONG = {"wrong (%)": lambda table: (100 * table.wrong / table.met.clip(lower=1)).round(2)}
NAMED = {"design": lambda table: table.design.replace("small", "Pipelined-C, N = 8").map(name)}
TABLES = (
    Table("table-5", "Areas and clocks, beside Table 5", table_5, ("table-5", "figure-12")),
    Table("throughput", "Throughput per clock, per second, per FO4 and per gate", throughput, ("throughput", "table-5")),
    Table("table-6", "Clocks, beside Table 6", table_6, ("table-6", "ksa")),
    Table("unrolling", "K rounds at once: cases, comparisons, gates", unrolling, ("unrolling",)),
    Table("printed", "The paper's rules as printed, on random states", recorded("cases", more=WRONG),
          ("table-1", "table-2", "table-3", "table-4", "figure-2", "figure-3", "figure-4", "figure-5")),
    Table("fpga", "On FPGAs", recorded("fpga", more=NAMED), ("throughput",)),
    Table("software", "Our programs, on one core and on two", software, ("software",)),
)
