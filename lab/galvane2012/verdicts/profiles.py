"""Where the time goes: by function, method and line in chapters 4 and 5, and in the figures of the appendix."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import floor

import pandas as pd

from lab.galvane2012 import tables
from lab.intervals import decided, sampled
from lab.judge import POINTS, Check, Verdict, judge, near
from lab.results import Results

LOOP = ["i", "j", "swap", "lookup", "loop"]
SCHEDULE = ["ksa j", "ksa loop", "ksa table"]
SAME = 0.005  # by how much two prints of one figure may differ, as shares of it


def share(table: pd.DataFrame, name: str, column: str = "ours_percent") -> float:
    """A share of the time; 0 where the profiler saw nothing."""
    return float(table[column].get(name, 0.0))


def beside(table: pd.DataFrame, names: tuple[str, ...]) -> str:
    """Our shares beside the paper's."""
    return ", ".join(f"{name} {share(table, name):.0f} % (paper: {share(table, name, 'paper_percent'):.0f} %)" for name in names)


def shares(table: pd.DataFrame, names: tuple[str, ...], samples: float) -> list[Check]:
    """That functions or methods have the paper's shares of the time. A share within the tolerance of 0 could not fail: it decides nothing."""
    theirs = {name: share(table, name, "paper_percent") for name in names}
    return [decided("share", sampled(share(table, name), samples), partial(near, theirs=theirs[name]), name=name, share=theirs[name]) for name in names if theirs[name] > POINTS]


def lines_alike(table: pd.DataFrame, samples: Mapping[bool, float]) -> tuple[Check, ...]:
    """That lines have the paper's shares of the time, where these exceed the tolerance; bytecodes are another quantity and decide nothing."""
    return tuple(decided("line", sampled(row[column], samples[jit]), partial(near, theirs=row.paper_percent), name=name, share=row.paper_percent, how=how)
                 for name, row in printed(table).query("paper_percent > @POINTS").iterrows()
                 for jit, column, how in ((False, "interpreted_percent", "without the JIT"), (True, "jit_percent", "with the JIT")))


def printed(table: pd.DataFrame) -> pd.DataFrame:
    """The lines that the paper prints."""
    return table[table.paper_percent > 0].drop("line not printed", errors="ignore")


@judge("c-functions-small", "c-functions-large", "c-lines")
def c_profile(results: Results) -> list[Verdict]:
    """V0 by gprof and callgrind."""
    samples = results["c-profile"].groupby(["input", "function"]).samples.sum()
    functions = tables.c_functions(results).set_index(["input", "function"])
    small, large = functions.loc["small"], functions.loc["large"]
    lines = tables.c_lines(results).set_index("statement")
    swap, lookup = lines.loc["swap"], lines.loc["lookup"]
    in_small, in_large = ("rc4_ksa", "rc4_prga", "rc4_keystream", "rc4_crypt"), ("rc4_prga", "rc4_crypt")
    return [
        Verdict("c-functions-small", {"shares": beside(small, in_small)},
                (decided("schedule", sampled(small.ours_percent["rc4_ksa"], samples["small"].sum()), most), *shares(small, in_small, samples["small"].sum()))),
        Verdict("c-functions-large", {"shares": beside(large, in_large)},
                (decided("prga", sampled(large.ours_percent["rc4_prga"], samples["large"].sum()), most), *shares(large, in_large, samples["large"].sum()))),
        Verdict("c-lines",
                {"swap": swap.time_percent, "lookup": lookup.time_percent, "swap_instructions": swap.instructions_per_byte,
                 "lookup_instructions": lookup.instructions_per_byte, "instructions": lines.instructions_per_byte.sum(),
                 "swap_reads": swap.reads_per_byte, "swap_writes": swap.writes_per_byte, "lookup_reads": lookup.reads_per_byte},
                tuple(decided("statement", sampled(row.time_percent, samples["large", "prga"]), partial(near, theirs=row.paper_percent), name=name, share=row.paper_percent)
                      for name, row in (("swap", swap), ("lookup", lookup)))),
    ]


@judge("java-methods-small", "java-methods-large", "java-lines-small", "java-lines-large", "java-lines-v2", "java-lines-v3")
def java_profile(results: Results) -> list[Verdict]:
    """V1 to V3 by the Flight Recorder, and their bytecodes."""
    samples = recorded_samples(results)
    methods = tables.java_methods(results).set_index(["input", "method"])
    lines = tables.java_lines(results).set_index(["claim", "statement"])
    small, large = methods.loc["small"], methods.loc["large"]
    short, v1 = lines.loc["java-lines-small"], lines.loc["java-lines-large"]
    found = [
        Verdict("java-methods-small", {"shares": beside(small, ("ksa", "prga", "posValue", "encrypt"))},
                (decided("both", sampled(share(small, "ksa") + share(small, "prga"), samples["V1", "small"][False]), lambda percent: percent > 90),
                 *shares(small, ("ksa", "prga"), samples["V1", "small"][False]))),
        Verdict("java-methods-large",
                {"shares": beside(large, ("prga", "posValue", "encrypt")), "jit_pos_value": share(large, "posValue", "ours_jit_percent"),
                 "jit_prga": share(large, "prga", "ours_jit_percent")},
                (decided("prga", sampled(share(large, "prga"), samples["V1", "large"][False]), most),
                 *shares(large, ("prga", "posValue", "encrypt"), samples["V1", "large"][False]))),
        Verdict("java-lines-small",
                {name: short[f"{column}_percent"].reindex(SCHEDULE).sum() for name, column in (("bytecodes", "bytecodes"), ("jit", "jit"), ("paper", "paper"))}
                | {f"pos_{column}": share(short, "posValue", f"{column}_percent") for column in ("bytecodes", "jit", "paper")},
                lines_alike(short, samples["V1", "small"])),
        Verdict("java-lines-large",
                {"loop": v1.bytecodes_percent.reindex(LOOP).sum(), "pos_time": share(large, "posValue")}
                | {f"{name}_{column}": share(v1, method, f"{column}_percent")
                   for name, method in (("pos", "posValue"), ("xor", "xor")) for column in ("bytecodes", "paper")},
                (in_the_loop(v1, samples["V1", "large"]), *lines_alike(v1, samples["V1", "large"]))),
    ]
    for claim, version in (("java-lines-v2", "V2"), ("java-lines-v3", "V3")):
        table = lines.loc[claim]
        found.append(Verdict(claim,
            {"version": version, "loop": table.bytecodes_percent.reindex(LOOP).sum(), "array": table.interpreted_percent["keystream array"],
             "lookup_jit": table.jit_percent["lookup"], "lookup_paper": table.paper_percent["lookup"],
             "shares": ", ".join(f"{name} {table.bytecodes_percent[name]:.0f} and {table.jit_percent[name]:.0f} % (paper: {table.paper_percent[name]:.0f} %)"
                                 for name in ("lookup", "i", "j", "swap", "xor"))},
            (in_the_loop(table, samples[version, "large"]), *lines_alike(table, samples[version, "large"]))))
    return found


def recorded_samples(results: Results) -> Mapping[tuple[str, str], Mapping[bool, float]]:
    """How many samples of the Flight Recorder the shares of a version and an input rest on, without the JIT and with it."""
    counts = results["java-profile"].groupby(["version", "input", "jit"]).samples.sum()
    return {name: group.droplevel([0, 1]) for name, group in counts.groupby(level=[0, 1])}


def most(percent: float) -> bool:
    """Whether it is most of the time."""
    return percent > 50


def in_the_loop(table: pd.DataFrame, samples: Mapping[bool, float]) -> Check:
    """The paper's 60 %."""
    return decided("loop", sampled(table.jit_percent.reindex(LOOP).sum(), samples[True]), lambda percent: percent > 60)


@judge(*(f"figure-11-{number}" for number in tables.FIGURES_11))
def appendix(results: Results) -> list[Verdict]:
    """The profiles by line that the appendix prints."""
    samples = recorded_samples(results)
    lines = tables.java_lines(results).set_index(["claim", "statement"])
    found = []
    for figure in tables.FIGURES_11:
        table = lines.loc[f"figure-11-{figure}"]
        named = printed(table)
        plain, jit = (int((named[column] - named.paper_percent).abs().le(POINTS).sum()) for column in ("interpreted_percent", "jit_percent"))
        first = named.paper_percent.idxmax()
        found.append(Verdict(
            f"figure-11-{figure}",
            {"printed": len(named), "plain": plain, "jit": jit, "points": POINTS, "most": first, "most_paper": named.paper_percent[first],
             "most_plain": named.interpreted_percent[first], "most_jit": named.jit_percent[first], "most_bytecodes": named.bytecodes_percent[first]},
            lines_alike(table, samples[tables.FIGURES_11[figure]])))
    return found


@judge("cache")
def cache(results: Results) -> Verdict:
    """Reads of the table by callgrind."""
    table = results["c-misses"]
    reads, misses = table.reads.sum(), table.misses.sum()
    return Verdict("cache", {"bytes": table.bytes.iloc[0], "reads": reads, "misses": misses}, (Check("misses", misses > reads / 1000),))


@judge("printed-twice", "unsigned")
def own_words(results: Results) -> list[Verdict]:
    """The text beside the tables, and beside Java's definition."""
    table = results.paper("printed-twice").set_index("what")
    apart = (table.text / table.table - 1).abs()
    others = table[apart > SAME]
    return [
        Verdict("printed-twice", {"pairs": len(table), "same": len(table) - len(others), "within": SAME,
                                  "others": "; ".join(f"{row.Index}, {row.text:.4g} and {row.table:.4g}" for row in others.itertuples())},
                tuple(Check("same", gap <= SAME, {"what": what, "within": SAME}) for what, gap in apart.items())),
        Verdict("unsigned"),
    ]


@judge("lines-79-85-86", "few-lines")
def own_figures(results: Results) -> list[Verdict]:
    """§5.1.2's statements about the appendix, beside the appendix."""
    small = results.paper("figure-11-6").groupby("line").self_percent.sum()
    said = results.paper("lines-79-85-86").set_index("line").percent
    large = results.paper("figure-11-5").groupby("line").self_percent.sum()
    few = large.sort_values(ascending=False).head(len(tables.LINES_11[5]))
    return [
        Verdict("lines-79-85-86",
                {"text": ", ".join(f"line {line} {said[line]:.0f} %" for line in said.index), "figure": ", ".join(f"{small[line]:.2f} %" for line in said.index)},
                tuple(Check("rounded", floor(small[line] + 0.5) == said[line], {"line": line, "share": said[line]})
                      for line in said.index)),
        Verdict("few-lines", {"count": len(few), "lines": ", ".join(map(str, few.index)), "few": few.sum(), "all": large.sum()},
                (Check("few", few.sum() > 96, {"lines": len(few)}),)),
    ]
