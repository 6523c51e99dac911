"""Chapters 4 and 5 and the appendix: where the profilers find the time."""

from __future__ import annotations

from math import floor

import pandas as pd

from lab.galvane2012 import tables
from lab.judge import POINTS, Check, Verdict, judge, near
from lab.results import Results


def shares(table: pd.DataFrame, names: tuple[str, ...]) -> list[Check]:
    """That functions or methods have the paper's shares of the time."""
    return [Check(f"{name} has the paper's {table.paper_percent.get(name, 0.0):.0f} % of the time, within {POINTS:.0f} points",
                  near(table.ours_percent.get(name, 0.0), table.paper_percent.get(name, 0.0))) for name in names]


def lines_alike(table: pd.DataFrame) -> tuple[Check, ...]:
    """That lines have the paper's shares of the time; bytecodes are another quantity and decide nothing."""
    named = table[table.paper_percent > 0].drop("line not printed", errors="ignore")
    return tuple(Check(f"{name} has the paper's {row.paper_percent:.0f} % of the time, within {POINTS:.0f} points, {how}", near(row[column], row.paper_percent))
                 for name, row in named.iterrows() for column, how in (("interpreted_percent", "without the JIT"), ("jit_percent", "with the JIT")))


@judge("c-functions-small", "c-functions-large", "c-lines")
def c_profile(results: Results) -> list[Verdict]:
    functions = tables.c_functions(results).set_index(["input", "function"])
    small, large = functions.loc["small"], functions.loc["large"]
    lines = tables.c_lines(results).set_index("statement")
    swap, lookup = lines.loc["swap"], lines.loc["lookup"]

    def both(table: pd.DataFrame, name: str) -> str:
        return f"{name} {table.ours_percent[name]:.0f} % (paper: {table.paper_percent[name]:.0f} %)"

    return [
        Verdict(
            "c-functions-small",
            "; ".join(both(small, name) for name in ("rc4_ksa", "rc4_prga", "rc4_keystream", "rc4_crypt"))
            + ".",
            (Check("the key schedule has most of the time", small.ours_percent["rc4_ksa"] > 50),
             *shares(small, ("rc4_ksa", "rc4_prga", "rc4_keystream", "rc4_crypt"))),
        ),
        Verdict(
            "c-functions-large",
            "; ".join(both(large, name) for name in ("rc4_prga", "rc4_crypt"))
            + "; key schedule and keystream's memory do not show, as in the paper. With -O3 the functions "
            "are "
            "inlined and the xor is vectorised: then nothing is left to tell apart.",
            (Check("the PRGA has most of the time", large.ours_percent["rc4_prga"] > 50),
             *shares(large, ("rc4_prga", "rc4_crypt"))),
        ),
        Verdict(
            "c-lines",
            f"By time (gprof) the swap has {swap.time_percent:.0f} % and the look-up "
            f"{lookup.time_percent:.0f} % of the "
            f"PRGA; by instructions (callgrind) {swap.instructions_per_byte:.0f} and "
            f"{lookup.instructions_per_byte:.0f} "
            f"of {lines.instructions_per_byte.sum():.0f} a byte. The swap reads "
            f"{swap.reads_per_byte:.0f} byte, since S[i] is in a register already, and writes "
            f"{swap.writes_per_byte:.0f}; the "
            f"look-up reads {lookup.reads_per_byte:.0f}. A profiler that samples attributes the wait for a load "
            "to the line that uses "
            "it, so shares of single lines say little on a processor that runs many at once.",
            tuple(Check(f"the {name} has {lines.paper_percent[name]:.0f} % of the PRGA's time, within {POINTS:.0f} points", near(lines.time_percent[name], lines.paper_percent[name]))
                  for name in ("swap", "lookup")),
        ),
    ]


@judge("java-methods-small", "java-methods-large", "java-lines-small", "java-lines-large", "java-lines-v2", "java-lines-v3")
def java_profile(results: Results) -> list[Verdict]:
    methods = tables.java_methods(results).set_index(["input", "method"])
    lines = tables.java_lines(results).set_index(["claim", "statement"])
    small, large = methods.loc["small"], methods.loc["large"]

    def row(table: pd.DataFrame, name: str, column: str = "ours_percent") -> float:
        return float(table[column].get(name, 0.0))

    def both(table: pd.DataFrame, names: tuple[str, ...]) -> str:
        return ", ".join(
            f"{name} {row(table, name):.0f} % (paper: {row(table, name, 'paper_percent'):.0f} %)"
            for name in names
        )

    loop = ["i", "j", "swap", "lookup", "loop"]
    v1, v2, v3 = (lines.loc[claim] for claim in ("java-lines-large", "java-lines-v2", "java-lines-v3"))
    found = [
        Verdict(
            "java-methods-small",
            f"{both(small, ('ksa', 'prga', 'posValue', 'encrypt'))}. The key schedule's 256 rounds should "
            "outweigh 100 bytes of output. In our measurement they do, because most calls of posValue also come from the schedule.",
            (Check("key schedule and PRGA have nine tenths of the time between them", row(small, "ksa") + row(small, "prga") > 90),
             *shares(small, ("ksa", "prga"))),
        ),
        Verdict(
            "java-methods-large",
            f"{both(large, ('prga', 'posValue', 'encrypt'))}. With the JIT, which inlines it, posValue has "
            f"{row(large, 'posValue', 'ours_jit_percent'):.0f} % of the samples and prga "
            f"{row(large, 'prga', 'ours_jit_percent'):.0f} %.",
            (Check("the PRGA has most of the time", row(large, "prga") > 50),
             *shares(large, ("prga", "posValue", "encrypt"))),
        ),
    ]
    schedule = ["ksa j", "ksa loop", "ksa table"]
    t = lines.loc["java-lines-small"]
    key_bytecodes, key_paper = (
        t[column].reindex(schedule).sum() for column in ("bytecodes_percent", "paper_percent")
    )
    found.append(
        Verdict(
            "java-lines-small",
            f"The key schedule's lines, its swap aside, are {key_bytecodes:.0f} % of the bytecodes executed "
            "and "
            f"{t.jit_percent.reindex(schedule).sum():.0f} % of the time with the JIT (paper: "
            f"{key_paper:.0f} %), "
            f"posValue {row(t, 'posValue', 'bytecodes_percent'):.0f} % and "
            f"{row(t, 'posValue', 'jit_percent'):.0f} % "
            f"(paper: {row(t, 'posValue', 'paper_percent'):.0f} %). Our V1 keeps its table from one "
            "encryption "
            "to the next; the paper's line 77 seems to allocate it each time.",
            lines_alike(t),
        )
    )
    inside = v1.bytecodes_percent.reindex(loop).sum()
    found.append(
        Verdict(
            "java-lines-large",
            f"The PRGA's loop is {inside:.0f} % of the bytecodes, posValue "
            f"{row(v1, 'posValue', 'bytecodes_percent'):.0f} % and the xor "
            f"{row(v1, 'xor', 'bytecodes_percent'):.0f} % "
            f"(paper, of the time: over 60 %, {row(v1, 'posValue', 'paper_percent'):.0f} % and "
            f"{row(v1, 'xor', 'paper_percent'):.0f} %). A call costs more than other bytecodes: by the "
            "recorder "
            f"posValue has {row(large, 'posValue'):.0f} % of the time.",
            (Check("the PRGA's loop has more than 60 % of the time with the JIT", v1.jit_percent.reindex(loop).sum() > 60), *lines_alike(v1)),
        )
    )
    for claim, table, version in (("java-lines-v2", v2, "V2"), ("java-lines-v3", v3, "V3")):
        names = ", ".join(
            f"{name} {table.bytecodes_percent[name]:.0f} and {table.jit_percent[name]:.0f} % (paper: "
            f"{table.paper_percent[name]:.0f} %)"
            for name in ("lookup", "i", "j", "swap", "xor")
        )
        inside = table.bytecodes_percent.reindex(loop).sum()
        found.append(
            Verdict(
            claim,
            f"With the JIT the look-up has {table.jit_percent['lookup']:.0f} % of the time, against {table.paper_percent['lookup']:.0f} % in the paper; the PRGA's loop "
                "has "
                f"{inside:.0f} % of the bytecodes. Shares of bytecodes and of time in {version}: {names}. The swap is as long as the look-up, and the paper's "
                "profiler "
                "hardly saw it: hprof stopped the program at safepoints only. Ours is no better without the "
                f"JIT: the Flight Recorder attributes {table.interpreted_percent['keystream array']:.0f} % to the "
                "line "
                "that allocates the keystream, once an encryption, as the last one that made a call. That "
                "is why bytecodes are counted.",
            (Check("the PRGA's loop has more than 60 % of the time with the JIT", table.jit_percent.reindex(loop).sum() > 60), *lines_alike(table)),
        )
        )
    return found


@judge(*(f"figure-11-{number}" for number in tables.FIGURES_11))
def appendix(results: Results) -> list[Verdict]:
    lines = tables.java_lines(results).set_index(["claim", "statement"])
    found = []
    for figure in tables.FIGURES_11:
        table = lines.loc[f"figure-11-{figure}"]
        named = table[table.paper_percent > 0].drop("line not printed", errors="ignore")
        near_it = {column: int((named[column] - named.paper_percent).abs().le(POINTS).sum()) for column in ("interpreted_percent", "jit_percent")}
        most = named.paper_percent.idxmax() if len(named) else None
        text = "No line has a share of the time." if most is None else (
            f"Of the {len(named)} kinds of lines printed, {near_it['interpreted_percent']} have the paper's share of the time within {POINTS:.0f} points without the JIT "
            f"and {near_it['jit_percent']} with it. The largest there, {most}, has {named.paper_percent[most]:.0f} % in the paper, "
            f"{named.interpreted_percent[most]:.0f} % without the JIT, {named.jit_percent[most]:.0f} % with it, and {named.bytecodes_percent[most]:.0f} % of the bytecodes. "
            "Without the JIT the recorder attributes a sample to the line of the last call, so our times by line are "
            "no better than hprof's were."
        )
        found.append(Verdict(
            f"figure-11-{figure}",
            text,
            lines_alike(table),
        ))
    return found


@judge("lines-79-85-86", "few-lines")
def own_figures(results: Results) -> list[Verdict]:
    """What §5.1.2 says of the appendix, beside the appendix."""
    small = results.paper("figure-11-6").groupby("line").self_percent.sum()
    said = results.paper("lines-79-85-86").set_index("line").percent
    large = results.paper("figure-11-5").groupby("line").self_percent.sum()
    few = large.sort_values(ascending=False).head(len(tables.LINES_11[5]))
    return [
        Verdict(
            "lines-79-85-86",
            "The text gives " + ", ".join(f"line {line} {said[line]:.0f} %" for line in said.index) + "; figure 11.6 prints " + ", ".join(f"{small[line]:.2f} %" for line in said.index)
            + ". The first two look swapped.",
            tuple(Check(f"line {line}: the text's {said[line]:.0f} % is the figure's, rounded (a half up)", floor(small[line] + 0.5) == said[line]) for line in said.index),
        ),
        Verdict(
            "few-lines",
            f"In figure 11.5 the {len(few)} lines that have most, {', '.join(map(str, few.index))}, have {few.sum():.1f} % between them, and all lines printed {large.sum():.1f} %.",
            (Check(f"more than 96 % of V4's time for large inputs is on {len(few)} lines", few.sum() > 96),),
        ),
    ]


JUDGES = (c_profile, java_profile, appendix, own_figures)
