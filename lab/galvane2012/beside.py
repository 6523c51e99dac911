"""The paper's tables with ours in their cells."""

from __future__ import annotations

from functools import partial

import pandas as pd

from lab.galvane2012 import tables
from lab.model import Beside, Column, Grid
from lab.results import Results

LEVEL = "-O2"  # the paper names no level; the table below has the others
PAPER_LANGUAGES = ("C", "Java", "Perl", "Python", "Assembly")
WITHOUT, WITH = "time, ours without the JIT", "time, ours with the JIT"


def figure_3_1(results: Results) -> Grid:
    """Languages by size, seconds."""
    ours = tables.languages(results).set_index(["bytes", "language"]).process_s
    return Grid.of("bytes", results.paper("figure-3-1"), "{bytes:,}", {Column(name, "s"): name for name in PAPER_LANGUAGES},
                   lambda row, name: (row[name], ours.get((max(2, row["bytes"]), name))),
                   "Seconds of the whole process over its encryptions, as the paper's script measures. Our programs start at two bytes, beside the paper's one.")


def output(results: Results, claim: str) -> Grid:
    """The output of each program for an example."""
    table = results["examples"].query(f"claim == {claim!r}")
    rows = [(program, ((lines.paper.iloc[0] if len(lines) == 1 else f"{len(lines)} lines", bool((lines.output == lines.paper).all())),))
            for program, lines in table.groupby("program", sort=False)]
    return Grid("program", (Column("output"),), tuple(rows))


def sizes(results: Results, experiment: str, claim: str) -> Grid:
    """Time by size, one of the four tables of §4.3."""
    ours = results[experiment]
    ours = (ours.query("level == @LEVEL") if "level" in ours else ours).set_index("bytes").us / 1e6
    note = f"Ours by gcc {LEVEL}; the paper names no level." if experiment == "c-sizes" else "Ours by Java 17 with the JIT."
    return Grid.of("bytes", results.paper(claim), "{bytes:,}", {Column("one encryption", "s"): "ms"}, lambda row, ms: (row[ms] / 1e3, ours.get(row["bytes"])), note)


def percentages(table: pd.DataFrame, corner: str, key: str, columns: dict[str, str], note: str = "") -> Grid:
    """The paper's percentages of the time, beside those in some columns of ours."""
    return Grid.of(corner, table, f"{{{key}}}", {Column(title, "%"): column for column, title in columns.items()}, lambda row, column: (row["paper_percent"], row[column]), note)


def shares(results: Results, build_table, key: str, input_: str, columns: dict[str, str], note: str = "") -> Grid:
    """Percentages of the time by function or method."""
    table = build_table(results)
    table = table[table.input == input_]
    table = table[(table.paper_percent > 0) | (table[list(columns)].max(axis=1) >= 5)].sort_values("paper_percent", ascending=False)
    return percentages(table, key, key, columns, note)


def lines(results: Results, claim: str) -> Grid:
    """The profile of one version by the statements of its lines."""
    table = tables.lines_of(results, claim)
    table = table[table.paper_percent > 0].sort_values("paper_percent", ascending=False)
    return percentages(table, "what the line does", "statement", {"interpreted_percent": WITHOUT, "jit_percent": WITH},
                       "The paper's, by hprof, is without the JIT. Lines are matched by what they do, because line numbers differ between versions.")


def c_versions(results: Results) -> Grid:
    """V0 to V4."""
    ours = results.rows("c-versions").us / 1e6
    return Grid.of("version", results.paper("c-versions"), "{version}", {Column(f"ours by gcc {level}", "s"): level for level in ("-O1", "-O2", "-O3")},
                   lambda row, level: (row["ms"] / 1e3, ours.get((row["version"], level))),
                   "Seconds for 10,000,000 bytes. The paper's column is one: it names no level of optimization.")


def java_versions(results: Results) -> Grid:
    """V1 to V4 with the paper's percentages and ratio."""
    ours = tables.java_versions(results).set_index("version")
    rows = []
    for each in results.paper("java-versions").itertuples():
        mine = ours.loc[each.version]
        rows.append((each.version, (
            (each.without_jit_ms / 1e3, mine.ours_without_jit_ms / 1e3), (each.without_improvement, mine.ours_without_jit_gain_percent),
            (each.without_total, mine.ours_without_jit_total_percent), (each.with_jit_ms / 1e3, mine.ours_with_jit_ms / 1e3),
            (each.with_improvement, mine.ours_with_jit_gain_percent), (each.with_total, mine.ours_with_jit_total_percent), (each.ratio, mine.ours_ratio))))
    return Grid("version", (Column("without the JIT", "s"), Column("improvement", "%"), Column("in total", "%"), Column("with the JIT", "s"),
                            Column("improvement", "%"), Column("in total", "%"), Column("without / with")), tuple(rows), "One encryption of 1,000,000 bytes.")


def final(results: Results, claim: str, size: int) -> Grid:
    """Initial and optimised."""
    times = results["final"].query(f"bytes == {size}").fillna({"version": ""}).set_index(["language", "version"]).us / 1e6
    pairs = {"C": (("C -O2", "V0"), ("C -O2", "V3")), "Java": (("Java", "V1"), ("Java", "V4"))}
    rows = []
    for each in results.paper(claim).itertuples():
        before, after = (times[key] for key in pairs[each.language])
        rows.append((each.language, ((each.initial_ms / 1e3, before), (each.optimized_ms / 1e3, after), (each.improvement_percent, 100 * (1 - after / before)))))
    return Grid("language", (Column("initial", "s"), Column("optimized", "s"), Column("improvement", "%")), tuple(rows),
                f"One encryption of {size:,} bytes; C by gcc -O2, V0 and V3, as the paper's best; Java V1 and V4 with the JIT.")


def text_of_11_6(results: Results) -> Grid:
    """The text's and the figure's values for three lines."""
    figure = results.paper("figure-11-6").groupby("line").self_percent.sum()
    return Grid.of("line", results.paper("lines-79-85-86"), "line {line}", {Column("time: the text, and the figure", "%"): "line"},
                   lambda row, line: (row["percent"], float(figure[row[line]])), "Both are the paper's: its text, and after the arrow its own Figure 11.6.")


JIT = {"ours_percent": WITHOUT, "ours_jit_percent": WITH}
BESIDE = (
    Beside("figure-3-1", figure_3_1),
    *(Beside(claim, partial(output, claim=claim)) for claim in ("figure-4-1", "figure-4-2", "figure-4-3", "figure-7-1")),
    *(Beside(f"{language}-{size}", partial(sizes, experiment=f"{language}-sizes", claim=f"{language}-{size}")) for language in ("c", "java") for size in ("small", "large")),
    *(Beside(f"c-functions-{size}", partial(shares, build_table=tables.c_functions, key="function", input_=size, columns={"ours_percent": "time"})) for size in ("small", "large")),
    Beside("c-lines", lambda results: percentages(tables.c_lines(results).dropna(subset="paper_percent"), "line of the PRGA", "statement", {"time_percent": "time"})),
    *(Beside(f"java-methods-{size}", partial(shares, build_table=tables.java_methods, key="method", input_=size, columns=JIT, note="The paper's, by hprof, is without the JIT."))
      for size in ("small", "large")),
    *(Beside(claim, partial(lines, claim=claim)) for claim in tables.LINES),
    Beside("lines-79-85-86", text_of_11_6),
    Beside("c-versions", c_versions),
    Beside("java-versions", java_versions),
    Beside("final-small", partial(final, claim="final-small", size=200)),
    Beside("final-large", partial(final, claim="final-large", size=5_000_000)),
)
