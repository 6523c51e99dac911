"""The charts: the paper and ours in one picture. Everything is read; nothing is measured here."""

from __future__ import annotations

import altair as alt
import pandas as pd

from lab.charts import PALETTE, SOURCES, WIDTH, log
from lab.galvane2012 import tables
from lab.model import Figure
from lab.results import Results

BLUE, ORANGE, GREEN = PALETTE[0], PALETTE[1], PALETTE[2]
GCC = ["#999999", PALETTE[3], PALETTE[5], BLUE]  # -O0 to -O3
LANGUAGES = ["C", "Assembly", "Java", "Perl", "Python", "our rc4"]
STATEMENTS = [
    "posValue",
    "i",
    "j",
    "swap",
    "lookup",
    "xor",
    "loop",
    "keystream array",
    "ksa table",
    "ksa loop",
    "ksa j",
    "other",
]


def bytes_axis(**more) -> alt.X:
    """A logarithmic axis of sizes."""
    return alt.X(**log("input, bytes", "bytes"), axis=alt.Axis(format="~s", tickCount=4, **more))


def languages(results: Results) -> alt.TopLevelMixin:
    """Figure 3.2, a panel for each language."""
    kinds = {"paper_s": "paper", "process_s": "ours, whole process", "own_s": "ours, the program's own clock"}
    tidy = tables.languages(results).melt(["language", "bytes"], list(kinds), "kind", "s").dropna()
    tidy["kind"] = tidy.kind.map(kinds)
    scale = alt.Scale(domain=list(kinds.values()), range=[ORANGE, BLUE, GREEN])
    chart = (
        alt.Chart(tidy, width=210, height=190)
        .mark_line(point=True)
        .encode(
            bytes_axis(),
            alt.Y(**log("one encryption, s", "s"), axis=alt.Axis(format="~e", tickCount=6)),
            alt.Color("kind:N", title=None, scale=scale, legend=alt.Legend(columns=3)),
        )
    )
    return chart.facet(alt.Facet("language:N", title=None, sort=LANGUAGES), columns=3)


def rates(results: Results) -> alt.TopLevelMixin:
    """Nanoseconds a byte at the largest size measured."""
    tidy = tables.languages(results)
    size = tidy["bytes"].max()
    tidy = tidy.query("bytes == @size").rename(columns={"paper_s": "paper", "own_s": "ours"})
    tidy = tidy.melt("language", ["paper", "ours"], "source", "s").dropna()
    tidy["ns"] = 1e9 * tidy.s / size
    axis = alt.X(**log(f"{size:,} bytes, ns per byte", "ns"), axis=alt.Axis(format=",~g", tickCount=5))
    base = alt.Chart(tidy, height=230).encode(
        alt.Y("language:N", title=None, sort=alt.EncodingSortField("ns", "min"))
    )
    lines = base.mark_line(color="#999999").encode(axis, alt.Detail("language:N"))
    points = base.mark_point(size=90).encode(axis, alt.Color("source:N", title=None, scale=SOURCES))
    labels = points.mark_text(dy=-11, fontSize=11).encode(alt.Text("ns:Q", format=",.3~r"))
    return lines + points + labels


def sizes(results: Results) -> alt.TopLevelMixin:
    """§4.3's four tables in four panels."""
    columns = []
    for language, experiment in (("C", "c-sizes"), ("Java", "java-sizes")):
        panels = []
        for name, scale, unit in (("small", 1, "bytes"), ("large", 1e6, "millions of bytes")):
            claim = f"{language.lower()}-{name}"
            paper = results.paper(claim).assign(curve="paper", us=lambda t: 1e3 * t.ms)
            ours = results[experiment].query("bytes in @paper['bytes']").copy()
            ours["curve"] = "gcc " + ours.level if language == "C" else "Java 17"
            tidy = pd.concat([paper, ours])
            tidy["x"] = tidy["bytes"] / scale
            tidy["y"] = tidy.us / (1 if name == "small" else 1e3)
            time = "µs" if name == "small" else "ms"
            panels.append(
                alt.Chart(tidy, width=250, height=200, title=f"{language}, {name} inputs")
                .mark_line(point=True)
                .encode(
                    alt.X("x:Q", title=f"input, {unit}", scale=alt.Scale(zero=True)),
                    alt.Y("y:Q", title=f"one encryption, {time}"),
                    alt.Color(
                        "curve:N",
                        title=None,
                        scale=alt.Scale(
                            domain=["paper", "gcc -O0", "gcc -O1", "gcc -O2", "gcc -O3", "Java 17"],
                            range=[ORANGE, *GCC, GREEN],
                        ),
                    ),
                )
            )
        columns.append(alt.hconcat(*panels))
    return alt.vconcat(*columns)


def c_versions(results: Results) -> alt.TopLevelMixin:
    """V0 to V4 in C."""
    paper = results.paper("c-versions").assign(curve="paper", us=lambda t: 1e3 * t.ms)
    ours = results["c-versions"].assign(curve=lambda t: "gcc " + t.level)
    tidy = pd.concat([paper, ours])
    for column in ("us", "us_min", "us_max"):
        tidy[column.replace("us", "ms")] = tidy[column] / 1e3
    base = alt.Chart(tidy, width=WIDTH).encode(
        alt.X("version:N", title=None, axis=alt.Axis(labelAngle=0)),
        alt.Color(
            "curve:N",
            title=None,
            scale=alt.Scale(
                domain=["paper", "gcc -O0", "gcc -O1", "gcc -O2", "gcc -O3"], range=[ORANGE, *GCC]
            ),
            legend=alt.Legend(columns=5, symbolOpacity=1),
        ),
    )
    line = base.mark_line(point=True).encode(
        alt.Y("ms:Q", title="10,000,000 bytes, ms", scale=alt.Scale(zero=True))
    )
    return (
        base.mark_rule(strokeWidth=5, opacity=0.4).encode(alt.Y("ms_min:Q", title=""), alt.Y2("ms_max:Q"))
        + line
    )


def java_versions(results: Results) -> alt.TopLevelMixin:
    """V1 to V4 in Java, without and with the JIT."""
    paper = results.paper("java-versions")
    curves = [
        paper.assign(source="paper", jit=jit, ms=paper[column])
        for jit, column in ((False, "without_jit_ms"), (True, "with_jit_ms"))
    ]
    tidy = pd.concat([*curves, results["java-versions"].assign(source="ours", ms=lambda t: t.us / 1e3)])
    tidy["mode"] = tidy.jit.map({True: "with the JIT", False: "without the JIT"})
    tidy["above"] = tidy.ms == tidy.groupby(["version", "jit"]).ms.transform("max")
    base = alt.Chart(tidy, width=WIDTH).encode(
        alt.X("version:N", title=None, axis=alt.Axis(labelAngle=0)),
        alt.Y(**log("1,000,000 bytes, ms", "ms"), axis=alt.Axis(format="~g")),
        alt.Color("source:N", title=None, scale=SOURCES),
    )
    line = base.mark_line(point=True).encode(alt.StrokeDash("mode:N", title=None, sort=["without the JIT"]))
    text = alt.Text("ms:Q", format=".3~g")
    return (
        line
        + base.transform_filter("datum.above").mark_text(dy=-12, fontSize=11).encode(text)
        + base.transform_filter("!datum.above").mark_text(dy=14, fontSize=11).encode(text)
    )


def shares(table: pd.DataFrame, key: str, names: dict[str, str], colors: list[str], title: str) -> alt.Chart:
    """Bars of percentages by `key`, a colour for each source, to be faceted by `panel`."""
    tidy = table.melt(["panel", key], list(names), "source", "percent").dropna()
    tidy["source"] = tidy.source.map(names)
    order = [name for name in STATEMENTS if name in set(tidy[key])] if key == "statement" else "-x"
    return (
        alt.Chart(tidy, width=230)
        .mark_bar()
        .encode(
            alt.X("percent:Q", title=title, scale=alt.Scale(domain=[0, 100])),
            alt.Y(f"{key}:N", title=None, sort=order),
            alt.YOffset("source:N", sort=list(names.values())),
            alt.Color(
                "source:N",
                title=None,
                scale=alt.Scale(domain=list(names.values()), range=colors),
                legend=alt.Legend(columns=2),
            ),
        )
    )


def c_functions(results: Results) -> alt.TopLevelMixin:
    """gprof's shares by function."""
    table = tables.c_functions(results).query("paper_percent + ours_percent > 0").copy()
    table["panel"] = table.input.map({"small": "100 bytes", "large": "10,000,000 bytes"})
    chart = shares(
        table,
        "function",
        {"paper_percent": "paper", "ours_percent": "ours"},
        [ORANGE, BLUE],
        "share of the time, %",
    )
    return chart.properties(height=150).facet(alt.Facet("panel:N", title=None, sort=["100 bytes"]), columns=2)


def java_methods(results: Results) -> alt.TopLevelMixin:
    """The recorder's shares by method."""
    table = tables.java_methods(results).query("paper_percent + ours_percent + ours_jit_percent > 3").copy()
    table["panel"] = table.input.map({"small": "100 bytes", "large": "1,000,000 bytes"})
    names = {
        "paper_percent": "paper, without the JIT",
        "ours_percent": "ours, without the JIT",
        "ours_jit_percent": "ours, with the JIT",
    }
    chart = shares(table, "method", names, [ORANGE, BLUE, GREEN], "share of the time, %").properties(
        height=220
    )
    return chart.facet(alt.Facet("panel:N", title=None, sort=["100 bytes"]), columns=2)


def java_lines(results: Results) -> alt.TopLevelMixin:
    """What the lines cost, version by version, 1,000,000 bytes."""
    table = tables.java_lines(results).query(
        "input == 'large' and claim in ['java-lines-large', 'java-lines-v2', 'java-lines-v3', 'figure-11-5']"
    )
    table = table[table.statement.isin(["posValue", "i", "j", "swap", "lookup", "xor", "loop"])]
    table = table.assign(panel=table.version)
    names = {
        "paper_percent": "paper: time without the JIT (hprof)",
        "bytecodes_percent": "ours: bytecodes (javap)",
        "jit_percent": "ours: time with the JIT (Flight Recorder)",
    }
    chart = shares(table, "statement", names, [ORANGE, BLUE, GREEN], "share, %").properties(height=260)
    return chart.facet(alt.Facet("panel:N", title=None), columns=2)


def final(results: Results) -> alt.TopLevelMixin:
    """Initial and optimized, C and Java."""
    table = tables.final(results)
    table = table[table.program.isin(["C, paper", "Java, paper", "C gcc -O2, V3", "C gcc -O3, V4", "Java"])]
    tidy = table.melt(["bytes", "program"], ["initial_ms", "optimized_ms"], "state", "ms")
    tidy["us"] = 1e3 * tidy.ms / tidy["bytes"].map({200: 1, 5_000_000: 1e3})
    tidy["state"] = tidy.state.str.removesuffix("_ms")
    panels = []
    for size, title in ((200, "200 bytes, µs"), (5_000_000, "5,000,000 bytes, ms")):
        base = alt.Chart(tidy[tidy["bytes"] == size], width=230, height=260).encode(
            alt.Y("program:N", title=None, sort=["C, paper", "Java, paper"]),
            alt.YOffset("state:N"),
            alt.X("us:Q", title=title),
            alt.Color("state:N", title=None, scale=alt.Scale(range=["#BBBBBB", BLUE])),
        )
        panels.append(
            base.mark_bar()
            + base.mark_text(align="left", dx=3, fontSize=11, color="black").encode(
                alt.Text("us:Q", format=".3~g"), color=alt.value("black")
            )
        )
    return alt.hconcat(*panels)


def key_length(results: Results) -> alt.TopLevelMixin:
    """The key schedule by length of key."""
    tidy = results["key-length"]
    return (
        alt.Chart(tidy)
        .mark_line(point=True)
        .encode(
            alt.X("key_bytes:Q", title="key, bytes", scale=alt.Scale(type="log", base=2)),
            alt.Y("us:Q", title="key schedule and two bytes, µs", scale=alt.Scale(zero=True)),
            alt.Color("language:N", title=None),
            alt.StrokeDash("index:N", title="index of the key", sort=["modulus", "counter", "unrolled"]),
        )
    )


FIGURES = (
    Figure(
        "languages",
        "Figure 3.2: encryption time by size and language",
        "Six panels on logarithmic axes; the whole process is flat up to about 10,000 bytes, where it is "
        "start-up, and then meets the program's own clock, which grows with the size.",
        languages,
        ("figure-3-1", "figure-3-2", "java-twice-c"),
    ),
    Figure(
        "rates",
        "Nanoseconds per byte, by language",
        "A row for each language on a logarithmic axis, with the paper's time and ours per byte at the "
        "largest "
        "size: compiled languages at the left, Python and Perl two powers of ten to the right.",
        rates,
        ("figure-3-1", "assembly", "interpreted", "java-twice-c"),
    ),
    Figure(
        "sizes",
        "§4.3: time by size, C and Java",
        "Four panels: for small inputs the lines start high above zero, since the key schedule is constant; "
        "for large inputs they are straight through zero.",
        sizes,
        ("c-small", "c-large", "java-small", "java-large"),
    ),
    Figure(
        "c-functions",
        "§4.3.1: C, share of the time by function",
        "Bars for the paper's gprof profile and ours: the key schedule leads for 100 bytes, the PRGA for "
        "ten million.",
        c_functions,
        ("c-functions-small", "c-functions-large"),
    ),
    Figure(
        "java-methods",
        "§4.3.2: Java, share of the time by method",
        "Bars for the paper's profile, ours without the JIT and ours with it, for 100 and 1,000,000 bytes.",
        java_methods,
        ("java-methods-small", "java-methods-large"),
    ),
    Figure(
        "java-lines",
        "Java, share by what the lines do, 1,000,000 bytes",
        "Four panels, V1 to V4: bars by statement for the paper's line profile, our count of bytecodes and "
        "our recorder's samples with the JIT.",
        java_lines,
        ("java-lines-large", "java-lines-v2", "java-lines-v3", "figure-11-5"),
    ),
    Figure(
        "c-versions",
        "§5.2.1: C, V0 to V4",
        "A line for the paper falling from V0 to V3 and rising at V4; lines for four levels of optimization "
        "of a current gcc far below it.",
        c_versions,
        ("c-versions",),
    ),
    Figure(
        "java-versions",
        "§5.2.2: Java, V1 to V4, without and with the JIT",
        "Logarithmic axis: the paper and ours fall from V1 to V4, both ways; without the JIT ours falls at "
        "V2 "
        "alone.",
        java_versions,
        ("java-versions", "modulus"),
    ),
    Figure(
        "final",
        "§5.2.3: C and Java, initial and optimized",
        "Pairs of bars, initial and optimized, for the paper and ours, in two panels: 200 and 5,000,000 "
        "bytes.",
        final,
        ("final-small", "final-large"),
    ),
    Figure(
        "key-length",
        "The key schedule by length of key, with modulus and counter",
        "Lines by length of key from 1 to 256 bytes for C, Java, assembly and our rc4, nearly flat.",
        key_length,
        ("key-length", "counter"),
    ),
)
