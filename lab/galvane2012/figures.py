"""The charts: the paper and ours in one picture. Everything is read; nothing is measured here."""

from __future__ import annotations

from functools import partial

import altair as alt
import pandas as pd

from lab import charts
from lab.charts import FAINT, GREEN, OURS, PAPER, PURPLE, REBUILT, finding
from lab.galvane2012 import tables
from lab.model import Figure
from lab.report.numbers import number
from lab.results import Results

SHADE = {"C": GREEN, "Assembly": REBUILT, "Java": PURPLE, "Perl": charts.GOLD, "Python": charts.INDIGO, "our rc4": OURS}
LEVELS = {"paper": PAPER, "gcc -O0": FAINT, "gcc -O1": REBUILT, "gcc -O2": OURS, "gcc -O3": GREEN}
STATEMENTS = ["posValue", "i", "j", "swap", "lookup", "xor", "loop", "keystream array", "ksa table", "ksa loop", "ksa j", "other"]
MILLION = 1_000_000
VERSION = alt.X("version:N", title=None, axis=alt.Axis(labelAngle=0, grid=False))
KEY = alt.X(**charts.scaled("key_bytes", "bytes of the key", "", [1, 256], [1, 4, 16, 64, 256]))


def lines_of(table: pd.DataFrame, y: dict, title: str, height: int) -> alt.LayerChart:
    """A line for each language on a logarithmic axis of sizes, its name at its end."""
    x = alt.X(**charts.scaled("bytes", "bytes encrypted", "", sorted(table["bytes"].unique()), [1, 100, 10_000, MILLION]))
    return charts.curves(table, x, alt.Y(**y), "language", SHADE, 500, height, 35).properties(title=finding(title))


def languages(results: Results) -> alt.TopLevelMixin:
    """Figure 3.2: the paper's lines, and ours of the whole process."""
    table = tables.languages(results)
    panels = []
    for column, title in (("paper_s", "The paper, 2012"), ("process_s", "Ours: the whole process, as the paper's script times it")):
        tidy = table.dropna(subset=column).rename(columns={column: "s"})
        both = pd.concat([table.paper_s, table.process_s]).dropna()
        ticks = charts.decades(both.tolist(), 8)
        panels.append(lines_of(tidy, charts.scaled("s", "one encryption", "s", both.tolist(), ticks), title, 260))
    return charts.stack(*panels)


def per_byte(results: Results) -> alt.TopLevelMixin:
    """Nanoseconds a byte by the program's own clock, by size."""
    table = tables.languages(results).assign(ns=lambda t: 1e9 * t.own_s / t["bytes"])
    table = table[table["bytes"] >= 100]
    y = charts.scaled("ns", "ns for a byte", "", table.ns.tolist())
    return lines_of(table, y, "Without start-up, a byte costs the same from 10,000 bytes on, in every language", 280)


def rates(results: Results) -> alt.TopLevelMixin:
    """Nanoseconds a byte at the largest size measured."""
    table = tables.languages(results)
    size = table["bytes"].max()
    table = table.query("bytes == @size").rename(columns={"paper_s": "paper", "own_s": "ours"})
    tidy = table.melt("language", ["paper", "ours"], "source", "s").dropna()
    tidy["ns"] = 1e9 * tidy.s / size
    times = (table.paper / table.ours).dropna()
    order = list(tidy.groupby("language").ns.min().sort_values().index)
    chart = charts.rows(tidy, "language", "ns", f"ns for a byte, {size:,} bytes", "", order, [0.1, 1, 10, 100, 1000])
    both = table.dropna(subset=["paper", "ours"])
    stayed = list(both.sort_values("paper").language) == list(both.sort_values("ours").language)
    return (charts.key() + chart).properties(
        title=finding(f"The languages are {number(times.min(), 2)} to {number(times.max(), 2)} times as fast as in 2012, and {'in the same order' if stayed else 'their order has changed'}"))


def sizes(results: Results, language: str, claim: str) -> alt.TopLevelMixin:
    """One of the four tables of §4.3: time by size."""
    small = claim.endswith("small")
    scale, unit = (1, "bytes") if small else (MILLION, "millions of bytes")
    paper = results.paper(claim).assign(curve="paper", us=lambda t: 1e3 * t.ms)
    ours = results[f"{language}-sizes"].query("bytes in @paper['bytes']")
    ours["curve"] = "gcc " + ours.level if "level" in ours else "Java 17"
    tidy = pd.concat([paper, ours]).assign(x=lambda t: t["bytes"] / scale, y=lambda t: t.us / (1 if small else 1e3))
    x = alt.X(**charts.between("x", f"input ({unit})", 0, tidy.x.max(), sorted(tidy.x.unique()), format=",d"))
    y = alt.Y(**charts.between("y", f"one encryption ({'µs' if small else 'ms'})", 0, tidy.y.max() * 1.05))
    ends_of = tidy.sort_values("x").groupby("curve").y.agg(["first", "last"])
    starts = 100 * (ends_of["first"] / ends_of["last"])
    title = f"The smallest input takes {starts.min():.0f} to {starts.max():.0f} % of the largest's time: {'the key schedule is the same for any' if small else 'the time is that of the bytes'}"
    return charts.curves(tidy, x, y, "curve", LEVELS | {"Java 17": OURS}, 500, 220).properties(title=finding(title))


def c_versions(results: Results) -> alt.TopLevelMixin:
    """V0 to V4 in C."""
    paper = results.paper("c-versions").assign(curve="paper", us=lambda t: 1e3 * t.ms)
    ours = results["c-versions"].assign(curve=lambda t: "gcc " + t.level)
    tidy = pd.concat([paper, ours]).assign(ms=lambda t: t.us / 1e3)
    y = alt.Y(**charts.between("ms", "10,000,000 bytes (ms)", 0, tidy.ms.max() * 1.05))
    best = tidy[tidy.curve == "gcc -O3"].set_index("version").ms
    return charts.curves(tidy, VERSION, y, "curve", LEVELS, 500).properties(title=finding(f"The paper's best is V3; with gcc -O3 it is {best.idxmin()}"))


def java_versions(results: Results) -> alt.TopLevelMixin:
    """V1 to V4 in Java, without and with the JIT."""
    paper = results.paper("java-versions")
    curves = [paper.assign(curve=f"paper, {said}", ms=paper[column]) for said, column in (("without the JIT", "without_jit_ms"), ("with it", "with_jit_ms"))]
    ours = results["java-versions"].assign(curve=lambda t: t.jit.map({True: "ours, with it", False: "ours, without the JIT"}), ms=lambda t: t.us / 1e3)
    tidy = pd.concat([*curves, ours])[["version", "curve", "ms"]]
    tidy["said"] = [f"{ms:.3g}" for ms in tidy.ms]
    colours = {name: PAPER if name.startswith("paper") else OURS for name in tidy.curve.unique()}
    ticks = [1, 10, 100, 1000]
    y = alt.Y(**charts.scaled("ms", "1,000,000 bytes", "s", [1, 1000], ticks) | {"axis": alt.Axis(values=ticks, labelExpr="datum.value < 1000 ? datum.value + ' ms' : '1 s'")})
    interpreted = ours[~ours.jit].set_index("version").ms
    compiled = ours[ours.jit].set_index("version").ms
    largest = (interpreted / interpreted.shift()).idxmin()
    return charts.curves(tidy, VERSION, y, "curve", colours, 480, 320, 50).properties(title=finding(
        f"V4 is {interpreted['V1'] / interpreted['V4']:.1f} times as fast as V1 without the JIT, most of it by {largest}, and {compiled['V1'] / compiled['V4']:.1f} times with it"))


def shares(table: pd.DataFrame, key: str, column: str, order: list[str], how: str = "") -> alt.LayerChart:
    """A row for each function or line: the paper's share of the time and ours."""
    tidy = table.rename(columns={"paper_percent": "paper", column: "ours"}).melt(key, ["paper", "ours"], "source", "percent").dropna()
    return charts.rows(tidy, key, "percent", f"share of the time (%){how}", "%", order, [0, 20, 40, 60, 80], width=480, label=lambda share: f"{share:.0f}", zero=True)


def c_functions(results: Results) -> alt.TopLevelMixin:
    """gprof's shares by function."""
    table = tables.c_functions(results).query("paper_percent + ours_percent > 0")
    return by_input(table, "function", "100 bytes: the key schedule leads", "10,000,000 bytes: the generator leads")


def java_methods(results: Results) -> alt.TopLevelMixin:
    """The recorder's shares by method."""
    table = tables.java_methods(results).query("paper_percent + ours_percent > 3")
    return by_input(table, "method", "100 bytes, without the JIT: posValue shows where the paper saw its callers", "1,000,000 bytes, without the JIT: the same order")


def by_input(table: pd.DataFrame, key: str, small: str, large: str) -> alt.TopLevelMixin:
    """The shares on the small input above those on the large one, each under its title."""
    panels = []
    for name, title in (("small", small), ("large", large)):
        part = table[table.input == name].sort_values("paper_percent", ascending=False)
        panels.append(shares(part, key, "ours_percent", list(part[key])).properties(title=finding(title, 66)))
    return charts.stack(charts.key() + panels[0], panels[1])


def java_lines(results: Results, claim: str) -> alt.TopLevelMixin:
    """A version's lines: the paper's profile, and ours with the JIT."""
    table = tables.lines_of(results, claim).query("statement != 'line not printed'")
    table = table[(table.paper_percent > 0) | (table.jit_percent >= 5)]
    order = [name for name in STATEMENTS if name in set(table.statement)]
    theirs, mine = (table.statement[table[column].idxmax()] for column in ("paper_percent", "jit_percent"))
    leads = f"{mine} in both" if mine == theirs else f"{theirs} in the paper's, {mine} in ours"
    chart = shares(table, "statement", "jit_percent", order, ": the paper without the JIT, ours with it")
    return (charts.key() + chart).properties(title=finding(f"What costs most: {leads}", 66))


def final(results: Results, claim: str, size: int) -> alt.TopLevelMixin:
    """Initial and optimised, C and Java."""
    table = tables.final(results).query(f"bytes == {size}")
    names = {"C, paper": ("C", "paper"), "Java, paper": ("Java", "paper"), "C gcc -O2, V3": ("C", "ours"), "Java": ("Java", "ours")}
    tidy = pd.concat([table[table.program == program].assign(language=language, source=source) for program, (language, source) in names.items()])
    tidy = tidy.melt(["language", "source"], ["initial_ms", "optimized_ms"], "state", "ms")
    tidy["row"] = tidy.language + ", " + tidy.state.str.removesuffix("_ms")
    order = [f"{language}, {state}" for language in ("C", "Java") for state in ("initial", "optimized")]
    unit, factor = ("µs", 1e3) if size < 1e6 else ("ms", 1)
    tidy["time"] = factor * tidy.ms
    chart = charts.rows(tidy, "row", "time", f"{size:,} bytes ({unit})", "", order, width=480, label=lambda time: f"{time:.3g}", zero=True)
    gains = table.set_index("program").eval("initial_ms / optimized_ms")
    said = [f"{language} by {gains[ours]:.1f} times (paper: {gains[paper]:.1f})" for language, paper, ours in (("C", "C, paper", "C gcc -O2, V3"), ("Java", "Java, paper", "Java"))]
    return (charts.key() + chart).properties(title=finding(f"The improvements speed up {' and '.join(said)}", 66))


def key_length(results: Results) -> alt.TopLevelMixin:
    """The key schedule by length of key, each program's usual index."""
    tidy = results["key-length"]
    tidy = tidy[tidy["index"] != "counter"].assign(name=lambda t: t.language.replace({"assembly": "Assembly"}))
    y = alt.Y(**charts.between("us", "key schedule and two bytes (µs)", 0, tidy.us.max() * 1.1))
    spans = tidy.groupby("name").us.agg(lambda us: us.max() / us.min() - 1)
    return charts.curves(tidy, KEY, y, "name", SHADE, 500, 260).properties(
        title=finding(f"The length of the key moves the schedule by {100 * spans.min():.0f} to {100 * spans.max():.0f} %"))


def counter(results: Results) -> alt.TopLevelMixin:
    """A counter instead of the modulus: the time against it."""
    tidy = results["key-length"]
    wide = tidy.pivot_table(index=["language", "key_bytes"], columns="index", values="us")[["modulus", "counter"]].dropna()
    table = (wide.counter / wide.modulus).rename("ratio").reset_index()
    y = alt.Y(**charts.between("ratio", "time: counter over modulus", 0.4, 1.2))
    even = alt.Chart(pd.DataFrame({"ratio": [1.0]})).mark_rule(color=FAINT, strokeDash=[4, 4]).encode(y=y)
    middle = wide.groupby("language").median()
    saved = 1 - middle.counter / middle.modulus  # as the verdict has it
    return (even + charts.curves(table, KEY, y, "language", SHADE, 500, 260)).properties(
        width=500, height=260, title=finding(f"A counter saves {100 * saved['C']:.0f} % of the schedule in C and {100 * saved['Java']:.0f} % in Java; the paper saw nothing"))


FIGURES = (
    Figure("languages", "Execution time by input size and language",
           "Two panels of lines on logarithmic axes. In both the lines are flat for small inputs, where the start of the program is all, and rise with the size "
           "from about 10,000 bytes on; Perl and Python rise first.", languages, ("figure-3-2", "figure-3-1", "java-twice-c")),
    Figure("per-byte", "The cost of a byte, without the start of the program",
           "Lines by language on logarithmic axes: they fall from small inputs, where the key schedule weighs, and are level from 10,000 bytes on.", per_byte,
           ("java-twice-c",)),
    Figure("rates", "Nanoseconds for a byte, by language",
           "A row for each language on a logarithmic axis, with the paper's time and ours for a byte at the largest size: compiled languages at the left, "
           "Python and Perl two powers of ten to the right.", rates, ("assembly", "interpreted", "figure-3-1")),
    *(Figure(claim, f"{language.upper() if language == 'c' else 'Java'}: time by size, {'small' if claim.endswith('small') else 'large'} inputs",
             "Lines of time by size, the paper's and ours: they begin high above zero, since the key schedule is constant." if claim.endswith("small")
             else "Lines of time by size, the paper's and ours, straight through zero.", partial(sizes, language=language, claim=claim), (claim,))
      for language in ("c", "java") for claim in (f"{language}-small", f"{language}-large")),
    Figure("c-functions", "C: share of the time by function",
           "Rows of functions with the paper's share and ours: the key schedule leads for 100 bytes, the PRGA for ten million.", c_functions,
           ("c-functions-small", "c-functions-large")),
    Figure("java-methods", "Java: share of the time by method",
           "Rows of methods with the paper's share and ours, both without the JIT, for 100 and 1,000,000 bytes.", java_methods,
           ("java-methods-small", "java-methods-large")),
    *(Figure(f"java-lines-{number}", f"Java V{number - 1}: share of the time by what the lines do, 1,000,000 bytes",
             "Rows of statements with the paper's share of the time and ours with the JIT; the look-up of the output has most in both.",
             partial(java_lines, claim=f"figure-11-{number}"), (f"figure-11-{number}", *([claim] if claim else [])))
      for number, claim in ((2, "java-lines-large"), (3, "java-lines-v2"), (4, "java-lines-v3"), (5, ""))),
    Figure("c-versions", "C, V0 to V4",
           "A line for the paper falling from V0 to V3 and rising at V4; lines for four levels of optimization of a current gcc below it.", c_versions, ("c-versions",)),
    Figure("java-versions", "Java, V1 to V4, without and with the JIT",
           "Logarithmic axis: the paper and ours fall from V1 to V4, both ways; without the JIT ours falls at V2 alone.", java_versions, ("java-versions", "modulus")),
    *(Figure(f"final-{name}", f"C and Java, initial and optimized, {size:,} bytes",
             "Rows for C and Java, initial and optimized, with the paper's time and ours.", partial(final, claim=f"final-{name}", size=size), (f"final-{name}",))
      for name, size in (("small", 200), ("large", 5_000_000))),
    Figure("key-length", "The key schedule by length of key", "Lines by length of key from 1 to 256 bytes for C, Java, assembly and our rc4.", key_length, ("key-length",)),
    Figure("counter", "A counter instead of the modulus", "Lines for C and Java of the time with a counter over that with the modulus, below one.", counter, ("counter",)),
)
