"""The paper's figures with our times in them, and pictures of the keystream's leaks."""

from __future__ import annotations

from functools import partial

import altair as alt
import pandas as pd

from lab import charts
from lab.charts import FAINT, GOLD, GREEN, OURS, PAPER, PURPLE, REBUILT, finding
from lab.handa2015 import tables
from lab.model import Diagram, Figure
from lab.report.numbers import number
from lab.results import Results
from lab.shapes import counted

CORES = [1, 2, 4, 6, 8]
CIPHERS = {"RC4": REBUILT, "RC4A": GREEN, "RC4A, equal keys": GOLD, "PARC4-I as printed": PAPER, "PARC4-I by the text": PURPLE, "PARC4-R": OURS}


def rate_rows(results: Results) -> alt.LayerChart:
    """The rate of each cipher at the largest size: one number for ten proportional lines."""
    size, paper, ours = tables.at_largest(results)
    rows = [(f"{'RC4A' if row.cores == 1 else 'PARC4-I'}, {counted(row.cores, 'core')}", "paper", 2 * size / row.overall_s) for row in paper.itertuples()]
    rows += [(f"{row.name}, {counted(row.threads, 'core')}", "ours", 2 * size / row.overall_s) for row in ours.query("work != 'parc4i-text'").itertuples(index=False)]
    table = pd.DataFrame(rows, columns=["name", "source", "rate"])
    order = list(table.sort_values("rate").name)
    chart = charts.rows(table, "name", "rate", "bytes a second, both ways", "B/s", order, [5e7, 1e8, 2e8, 5e8, 1e9, 2e9], width=430)
    best = table[table.source == "paper"].rate.max()
    one = table[(table.source == "ours") & table.name.str.contains("PARC4-I as printed, 1 ")].rate.max()
    return (charts.key() + chart).properties(
        title=finding(f"One core of ours does {one / best:.1f} times what the paper's eight do together", 70))


def figure_5(results: Results) -> alt.LayerChart:
    """Time of the largest size by cores."""
    size, paper, ours = tables.at_largest(results)
    named = ours.work.map({"parc4i": "ours: PARC4-I", "parc4r": "ours: PARC4-R", "seal": "ours: seal and open"})
    ours = ours.assign(series=named).dropna(subset="series").rename(columns={"threads": "cores"})
    table = pd.concat([paper.assign(series="paper"), ours])[["series", "cores", "overall_s"]]
    names = {"paper": PAPER, "ours: PARC4-I": OURS, "ours: PARC4-R": GREEN, "ours: seal and open": REBUILT}
    x = alt.X(**charts.between("cores", "cores", 1, 8, CORES, format="d", grid=False))
    y = alt.Y(**charts.scaled("overall_s", "encryption and decryption", "s", table.overall_s.tolist(), [0.1, 1, 10, 100]))
    single = table[table.cores == 1].set_index("series").overall_s
    faster = (single.drop("paper") < single["paper"]).sum()
    below = "ours" if faster == len(single) - 1 else f"{faster} of {len(single) - 1} of ours"
    return charts.curves(table, x, y, "series", names, 520, 280, 60, at_edge=False).properties(
        title=finding(f"{size:,} bytes: the paper's time falls with its cores; {below} is below it on one"))


def figure_6(results: Results) -> alt.LayerChart:
    """Speed-up by cores."""
    table = tables.speed_ups(results)
    table = table[(table.size_bytes == tables.largest(results)) & table.name.isin(["paper, PARC4-I", tables.NAMES["parc4i"]])]
    keep = {"paper, RC4A": ("paper, over RC4A", PAPER), "itself, 1 thread": ("ours, over PARC4-I on one core", OURS),
            tables.NAMES["rc4a-plain"]: ("ours, over RC4A by its definition", REBUILT), tables.NAMES["rc4a"]: ("ours, over the fastest RC4A", GREEN)}
    table = table[table.baseline.isin(keep)].assign(series=lambda t: t.baseline.map(lambda name: keep[name][0]))
    names = dict(keep.values())
    ideal = pd.DataFrame({"threads": [1, 8], "speed_up": [1, 8]})
    x = alt.X(**charts.between("threads", "cores", 1, 8, CORES, format="d", grid=False))
    y = alt.Y(**charts.between("speed_up", "speed-up", 0, 8.4, [0, 2, 4, 6, 8]))
    even = alt.Chart(ideal).mark_line(color=FAINT, strokeDash=[3, 3]).encode(x="threads:Q", y="speed_up:Q")
    return (even + charts.curves(table, x, y, "series", names, 520, 280, 60, at_edge=False)).properties(
        width=520, height=280, title=finding("A speed-up is as large as its baseline is slow (dotted: one for each core)"))


def ent_small(results: Results, claim: str, cipher: str) -> alt.LayerChart:
    """Entropy by notation, the paper's as a line."""
    table = results["ent-small"].query("cipher == @cipher")
    table["low"], table["high"] = table.entropy_mean - 2 * table.entropy_std, table.entropy_mean + 2 * table.entropy_std
    table = table[table.content == table.content.iloc[0]]
    printed = results.paper(claim).assign(name=lambda t: [f"the paper: {value:.3f}" for value in t.entropy_bits_per_byte])
    scale = alt.Scale(domain=[2.5, 8], nice=False)
    base = alt.Chart(table).encode(y=charts.names("notation", dict.fromkeys(table.notation)))
    x = alt.X("low:Q", title="ENT's entropy (bits per byte), mean ± 2 standard deviations", scale=scale, axis=alt.Axis(values=[3, 4, 5, 6, 7, 8]))
    rule = alt.Chart(printed).mark_rule(color=PAPER, strokeWidth=2, strokeDash=[6, 3]).encode(x=alt.X("entropy_bits_per_byte:Q", scale=scale))
    name = alt.Chart(printed).mark_text(color=PAPER, align="left", dx=6, fontWeight="bold", baseline="middle").encode(
        x=alt.X("entropy_bits_per_byte:Q", scale=scale), y=alt.value(-9), text="name:N")
    chart = base.mark_rule(strokeWidth=4, color=OURS).encode(x=x, x2="high:Q") + base.mark_point(size=70, color=OURS).encode(x=alt.X("entropy_mean:Q", scale=scale)) + rule + name
    return chart.properties(width=430, height=charts.ROW * table.notation.nunique(), title=finding(
        f"The paper's entropy of {printed['bytes'].iloc[0]} bytes is that of numbers written in decimal, not of the cipher", 66))


def structure(results: Results) -> alt.TopLevelMixin:
    """How often each cipher's rounds have the property, as a table with shaded cells."""
    table = tables.counts(results)
    table = table[(table.quantity == "all-equal") & (table.cipher != "rc4")]
    table["name"] = table.cipher.map(tables.CIPHERS)
    table["share"] = table.frequency
    table["said"] = [f"{100 * share:.2f} %" if share > 1e-3 else f"{hits:,} of {trials:,}" for share, hits, trials in zip(table.frequency, table.hits, table.trials, strict=True)]
    table["chance_said"] = [f"chance: {number(chance)}" for chance in table.chance]
    table["equal"] = table.share > 0.5
    order = list(table.sort_values("share", ascending=False).name)
    base = alt.Chart(table).encode(y=charts.names("name", order))
    cells = base.mark_rect().encode(x=alt.value(0), x2=alt.value(170), color=charts.coloured("equal", {True: "#F5CDB0", False: "#EEEEEE"}))
    said = base.mark_text(align="left", dx=10, fontSize=12).encode(x=alt.value(0), text="said:N")
    chance = base.mark_text(align="left", dx=10, fontSize=12).encode(x=alt.value(180), text="chance_said:N")
    return charts.scrolled((cells + said + chance).properties(
        width=330, height=30 * len(table), title=finding("Rounds whose bytes are all equal: nearly all of PARC4-I's", 60)))


def broadcast(results: Results) -> alt.LayerChart:
    """Recovery of a plaintext under many keys."""
    table = results["broadcast"].assign(series=lambda t: t.cipher.map(tables.CIPHERS), percent=lambda t: 100 * t.hits / t.trials)
    counts = sorted(table.ciphertexts.unique())
    x = alt.X(**charts.between("ciphertexts", "ciphertexts", int(counts[0]), int(counts[-1]), counts[::2], charts.DOUBLING, format="d"))
    y = alt.Y(**charts.between("percent", "bytes recovered (%)", 0, 104, charts.PERCENT))
    return charts.curves(table, x, y, "series", CIPHERS).properties(title=finding(
        "One plaintext under many keys: PARC4-I gives the second round's bytes away as RC4 its second byte; RC4A and PARC4-R do not", 70))


def one_message(results: Results) -> alt.LayerChart:
    """Reading of one message."""
    table = tables.one_message(results).rename(columns={"read (%)": "read"})
    table["said"] = [f"{read:.1f} %" for read in table.read]
    table["whose"] = ["ours" if cipher == "PARC4-R" else "the paper's" if cipher.startswith("PARC4-I") else "others" for cipher in table.cipher]
    base = alt.Chart(table).encode(y=charts.names("cipher", tables.CIPHERS.values()))
    bars = base.mark_bar(height=16).encode(
        x=alt.X(**charts.between("read", "bytes read (%)", 0, 112, charts.PERCENT)),
        color=charts.coloured("whose", {"the paper's": PAPER, "others": REBUILT, "ours": OURS}))
    worst = table.loc[table.read.idxmax()]
    return (bars + base.mark_text(align="left", dx=6).encode(x="read:Q", text="said:N")).properties(
        width=430, height=charts.ROW * len(table), title=finding(f"One English message read from its ciphertext alone: {worst.read:.0f} % of it under {worst.cipher}", 70))


def blocks(results: Results) -> alt.LayerChart:
    """Reading of blocks."""
    table = results["blocks"]
    half = tables.half(table.read_sd, table.trials)
    table["percent"], table["low"], table["high"] = 100 * table.read_fraction, 100 * (table.read_fraction - half), 100 * (table.read_fraction + half)
    names = dict(zip(dict.fromkeys(table.attack), (OURS, GREEN, PURPLE), strict=False))
    counts = sorted(table.blocks.unique())
    x = alt.X(**charts.between("blocks", "blocks of 256 bytes under one keystream", int(counts[0]), int(counts[-1]), counts, charts.DOUBLING, format="d", labelOverlap=True))
    y = alt.Y(**charts.between("percent", "bytes read (%)", 0, 104, charts.PERCENT))
    base = alt.Chart(table).encode(x=x, color=charts.coloured("attack", names))
    ends = charts.at_ends(table, "blocks", "percent", "attack", names, 0, 104, 280)
    return (base.mark_rule().encode(y=alt.Y("low:Q", title="bytes read (%)"), y2="high:Q") + base.mark_line().encode(y=y) + base.mark_point(size=45).encode(y=y) + ends).properties(
        width=430, height=280, title=finding("Blocks that share a keystream are read without the key, a handful being enough"))


FIGURES = (
    Figure("rates", "What each does in a second",
           "Rows of bytes a second on a log scale: the paper's RC4A and PARC4-I on 4, 6 and 8 cores, and ours on one and two, most of them to the right.",
           rate_rows, ("table-1", "table-2", "table-3", "table-4")),
    Figure("figure-5", "Execution time by cores", "Time for the largest input against the number of cores: the paper's line falls, ours lie below it.", figure_5, ("figure-5",)),
    Figure("figure-6", "Speed-up by cores",
           "Speed-up against the number of cores: the paper's, just below the diagonal, and ours on two cores by baseline.", figure_6, ("figure-6", "speed-up")),
    *(Figure(f"ent-small-{number}", f"Entropy of short files: {name}",
             "Rows of notations with the entropy that ENT reports for short files; the paper's figure lies on the decimal notations, far from raw bytes.",
             partial(ent_small, claim=f"figure-{number}", cipher=cipher), (f"figure-{number}",)) for number, cipher, name in ((3, "rc4a", "RC4A"), (4, "parc4i", "PARC4-I"))),
    Figure("structure", "Equal bytes in a round",
           "One row per cipher. All bytes of a round are equal in 99 % of rounds for both readings of PARC4-I and for RC4A with equal keys, and in almost none for RC4A and PARC4-R.",
           structure, ("distinct", "secure")),
    Figure("broadcast", "One plaintext under many keys",
           "Share of the second round's bytes recovered against the number of ciphertexts: RC4, PARC4-I and RC4A with equal keys rise, the last two by the share "
           "of their bytes that are RC4's; RC4A and PARC4-R stay at chance.", broadcast, ("secure",)),
    Figure("one-message", "One message without the key",
           "Share of one English message read from its ciphertext alone, by cipher: most of it for PARC4-I, next to nothing for RC4A and PARC4-R.", one_message, ("secure",)),
    Figure("blocks", "Blocks under one keystream",
           "Share of an English text read from blocks that share a keystream, rising to all of it; faster when the four equal bytes are used too.", blocks, ("figure-1",)),
)
ADDITIVE = """
  key [label="key"]; gen [label="keystream generator\\n(four tables, one key schedule)"];
  key -> gen;
  subgraph cluster_blocks { label="blocks of 256 bytes, on several cores"; style="rounded,dashed";
    x1 [label="⊕", shape=circle]; x2 [label="⊕", shape=circle]; x3 [label="⊕", shape=circle]; }
  p1 [label="block 1", shape=note]; p2 [label="block 2", shape=note]; p3 [label="… block n", shape=note];
  c1 [label="cipher block 1", shape=note]; c2 [label="cipher block 2", shape=note]; c3 [label="… cipher block n", shape=note];
  gen -> {x1 x2 x3} [color="#B84A00", label=" the same 256 bytes"];
  p1 -> x1 -> c1; p2 -> x2 -> c2; p3 -> x3 -> c3;
"""
PARALLEL = """
  file [label="file", shape=note]; cut [label="cut in blocks\\nof 256 bytes"]; join [label="join"]; out [label="encrypted file", shape=note];
  ksa [label="key schedule:\\nfour tables alike", color="#B84A00", style="rounded,bold"];
  subgraph cluster_cores { label="threads"; style="rounded,dashed"; a [label="PRGA, 64 rounds of 4 bytes"]; b [label="PRGA, 64 rounds of 4 bytes"]; c [label="…"]; }
  file -> cut; cut -> {a b c}; ksa -> {a b c} [color="#B84A00"]; {a b c} -> join; join -> out;
"""
DIAGRAMS = (
    Diagram("additive", "The parallel additive structure: one keystream for every block",
            "A key makes one keystream of 256 bytes, which is xored with every block of the text, whichever core has it.", ADDITIVE, ("figure-1",), ("lab/handa2015/parallel/src/parc4i.rs",)),
    Diagram("parallel", "PARC4-I over threads",
            "A file is cut in blocks of 256 bytes; each thread runs the generator on its block from the same four tables; the blocks are joined.", PARALLEL, ("figure-2",),
            ("lab/handa2015/parallel/src/parc4i.rs", "lab/handa2015/c/parc4i.c")),
)
