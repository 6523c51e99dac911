"""Clocks, areas, pipelines and waveforms, drawn from results."""

from __future__ import annotations

import altair as alt
import pandas as pd

from lab import charts
from lab.model import Figure
from lab.results import Results
from lab.sengupta2013 import tables
from lab.sengupta2013.cores import CORES, name

RIGHT = alt.Legend(orient="right", columns=1)


def area(results: Results) -> alt.VConcatChart:
    """Throughput in bytes per 1000 FO4 against area, a panel for each library; each design as it is fastest."""
    both = tables.synthesised(results)
    both = both[~both.id.str.endswith("_area")].assign(kge=both.area_ge / 1000)
    both["panel"] = both.process.where(both.source == "ours", "The paper (an FO4 taken as 0.36 ps per nm)")
    both["kind"] = both.source.where(~both.design.str.endswith(", rebuilt"), "the paper's, rebuilt")
    panels = [one_library(table, panel) for panel, table in both.groupby("panel", sort=False)][::-1]
    return alt.vconcat(*panels, title=alt.Title("Throughput against area")).resolve_scale(x="shared", y="shared")


def one_library(table: pd.DataFrame, title: str) -> alt.LayerChart:
    """Our cores have their names on the left, the paper's designs on the right; but of those at 65 nm, close to others, on the left."""
    table = table.copy()
    base = alt.Chart(table, title=title).encode(
        x=alt.X("kge:Q", title="area (thousand NAND2 equivalents)", scale=alt.Scale(zero=False, padding=60)),
        y=alt.Y("bytes_per_1000_fo4:Q", title="bytes per 1000 FO4 (log scale)", scale=alt.Scale(type="log", padding=20, nice=False)),
    )
    points = base.mark_point(size=90, filled=True).encode(color=alt.Color("kind:N", title=None, legend=RIGHT))
    table["name"] = table.design.str.removesuffix(", rebuilt") + table.process.str.removeprefix("paper").where(table.source == "paper", "")
    left = (table.kind == "ours") | table.process.str.contains("65 nm")
    names = [
        alt.Chart(side).mark_text(align=align, dx=dx, fontSize=10).encode(x=base.encoding.x, y=base.encoding.y, text="name:N")
        for side, align, dx in ((table[left], "right", -8), (table[~left], "left", 8))
    ]
    return alt.layer(points, *names).properties(height=300)


def period(results: Results) -> alt.LayerChart:
    """FO4 for a byte."""
    both = tables.synthesised(results).sort_values("fo4_per_byte")
    both["label"] = both.design + " · " + both.process
    base = alt.Chart(both, title="Gate delays for a byte: shorter is faster (paper: FO4 taken as 0.36 ps per nm)").encode(
        y=alt.Y("label:N", title=None, sort=list(both.label), axis=alt.Axis(labelLimit=280)),
        x=alt.X("fo4_per_byte:Q", title="FO4 per byte"),
    )
    bars = base.mark_bar().encode(color=alt.Color("source:N", title=None, scale=charts.SOURCES))
    return (bars + base.mark_text(align="left", dx=4).encode(text=alt.Text("fo4_per_byte:Q", format=".1f"))).properties(
        height=alt.Step(20))


def message(results: Results) -> alt.Chart:
    """Clocks per byte of a message under a new key: the last line of table 6."""
    lengths = [2**power for power in range(4, 17)]
    rows = []
    for each in results.paper("table-6").itertuples():
        rows += [(f"paper: {each.design}", "paper", n, (each.ksa_clocks + each.prga_lag_clocks) / n + each.prga_clocks_per_byte)
                 for n in lengths]
    chosen = results["clocks"].set_index("design")
    for design in ("rc4_pipelined_c", "rc4_design2", "rc4_pipe_1", "rc4_spec_2", "rc4_spec_4", "rc4_bram"):
        each = chosen.loc[design]
        rows += [(f"ours: {name(design)}", "ours", n, (each.ksa_clocks + each.prga_lag_clocks) / n + 1 / each.words_per_clock)
                 for n in lengths]
    table = pd.DataFrame(rows, columns=["series", "source", "bytes", "clocks_per_byte"])
    names = list(dict.fromkeys(table.series))
    colours = [*charts.PALETTE, "#999999", "#CCCCCC"][: len(names)]
    return alt.Chart(table, title="Clocks for a byte of a message, key schedule and all").mark_line().encode(
        x=alt.X("bytes:Q", title="bytes of the message (log scale)", scale=alt.Scale(type="log", base=2),
                axis=alt.Axis(values=[2**power for power in range(4, 17, 2)])),
        y=alt.Y(**charts.log("clocks per byte (log scale)", "clocks_per_byte")),
        color=alt.Color("series:N", title=None, sort=names, legend=RIGHT, scale=alt.Scale(domain=names, range=colours)),
        strokeDash=alt.StrokeDash("source:N", title=None, legend=None,
                                  scale=alt.Scale(domain=["ours", "paper"], range=[[1, 0], [7, 4]])),
    )


def unrolling(results: Results) -> alt.HConcatChart:
    """Cases, comparisons; gates."""
    table = results["unrolling"]
    many = table[table.k > 1].copy()
    many["cases"] = 2.0**many.paper_pairs
    names = {"cases": "cases, after the paper", "comparisons": "comparisons built"}
    tidy = many.melt("k", list(names), "what", "count").replace({"what": names})
    x = alt.X("k:O", title="rounds at once, K", axis=alt.Axis(labelAngle=0))
    left = alt.Chart(tidy, title="What a designer must manage").mark_line(point=True).encode(
        x=x, y=alt.Y("count:Q", title="number (log scale)", scale=alt.Scale(type="log"), axis=alt.Axis(format="~e")),
        color=alt.Color("what:N", title=None, scale=alt.Scale(domain=list(names.values()), range=charts.PALETTE[1::-1])),
    )
    right = alt.Chart(table, title="Gates of K rounds, N = 16").mark_bar(color=charts.PALETTE[0]).encode(
        x=x, y=alt.Y("gates:Q", title="NAND gates and inverters"))
    return alt.hconcat(left.properties(width=300, height=260), right.properties(width=260, height=260))


CELL = 30  # pixels for a clock


def grid(design: str, clocks: list[int]) -> tuple[alt.X, dict]:
    """The axis of clocks, the same for all rows of a design."""
    axis = alt.X("clock:O", title="clock", scale=alt.Scale(domain=clocks), axis=alt.Axis(labelAngle=0, grid=False))
    return axis, {"width": CELL * len(clocks), "title": alt.Title(name(design))}


def pipelines(results: Results) -> alt.VConcatChart:
    """Which stage works on which bytes in which clock. Things leave a stage in the order they came, so the n-th
    clock in which it works is that of the n-th group of bytes."""
    waves = results["waveform"]
    charts_ = []
    for design, table in waves.groupby("design", sort=False):
        core = CORES[design]
        working = table[table.signal.str.startswith("stage") & (table.value == 1)].sort_values("clock").copy()
        working["group"] = working.groupby("signal").cumcount()
        # Our pipelines begin with the round for i = 0, which gives no byte; the paper's with byte 1.
        working["first"] = working.group * core.words + (1 if core.paper else 0)
        working["bytes"] = [str(first) if core.words == 1 else f"{first},{first + core.words - 1}" for first in working["first"]]
        begin = int(working.clock.min())
        clocks = list(range(begin, begin + 19))
        working = working[working.clock.isin(clocks)]
        working["stage"] = working.signal.str.removeprefix("stage ")
        x, look = grid(design, clocks)
        order = list(dict.fromkeys(table[table.signal.str.startswith("stage")].signal.str.removeprefix("stage ")))
        base = alt.Chart(working).encode(x=x, y=alt.Y("stage:N", title=None, sort=order, axis=alt.Axis(labelLimit=160, minExtent=110)))
        boxes = base.mark_rect(stroke="white").encode(
            color=alt.Color("group:O", legend=None, scale=alt.Scale(domain=list(range(40)), range=list(SHADES))))
        charts_.append((boxes + base.mark_text(fontSize=10).encode(text="bytes:N")).properties(height=alt.Step(22), **look))
    return alt.vconcat(*charts_, title=alt.Title("Bytes of keystream in each stage, by clock (N = 16)"))


SHADES = [("#BBD7EA", "#F5CDB0", "#B3DDD1", "#EBD2E0", "#F7DFB0")[n % 5] for n in range(40)]
LANES = ("key_i", "key_valid_i", "key_ready_o", "busy_o", "z_o", "z_valid_o", "z_ready_i")


def waveform(results: Results) -> alt.VConcatChart:
    """Ports of some cores as a waveform: from the key to the first bytes."""
    waves = results["waveform"]
    panels = []
    for design in ("rc4_design2", "rc4_spec_2"):
        table = waves[(waves.design == design) & waves.signal.isin(LANES)]
        first = int(table[(table.signal == "z_valid_o") & (table.value == 1)].clock.min())
        clocks = list(range(-4, first + 12))
        table = table[table.clock.isin(clocks)].copy()
        bus = {"key_i": 1, "z_o": 2}
        lane = {signal: len(LANES) - at for at, signal in enumerate(LANES)}
        bits = table[~table.signal.isin(bus)].copy()
        # A level holds until the next clock: a point at both ends of each.
        ends = pd.concat([bits.assign(x=bits.clock), bits.assign(x=bits.clock + 1)]).sort_values(["signal", "x", "clock"])
        ends["y"] = ends.signal.map(lane) + 0.6 * ends.value
        words = table[table.signal.isin(bus)].sort_values(["signal", "clock"]).copy()
        words["run"] = (words.value != words.groupby("signal").value.shift()).groupby(words.signal).cumsum()
        valid = table.pivot_table(index="clock", columns="signal", values="value")
        words = words.groupby(["signal", "run"]).agg(x=("clock", "min"), end=("clock", "max"), value=("value", "first")).reset_index()
        words["end"] += 1
        words["middle"] = (words.x + words.end) / 2
        words["y"], words["top"] = words.signal.map(lane), words.signal.map(lane) + 0.6
        words["label"] = [f"{value:0{bus[signal]}X}" for signal, value in zip(words.signal, words.value, strict=True)]
        words["known"] = [bool(valid[{"key_i": "key_valid_i", "z_o": "z_valid_o"}[signal]].get(x)) for signal, x in
                          zip(words.signal, words.x, strict=True)]
        x = alt.X("x:Q", title="clock", scale=alt.Scale(domain=[clocks[0], clocks[-1] + 1], nice=False),
                  axis=alt.Axis(tickMinStep=1, tickCount=len(clocks), format="d"))
        y = alt.Y("y:Q", title=None, scale=alt.Scale(domain=[0.8, len(LANES) + 0.8]), axis=None)
        names = alt.Chart(pd.DataFrame({"signal": LANES, "y": [lane[signal] + 0.3 for signal in LANES]})).mark_text(
            align="right", dx=-8).encode(x=alt.value(0), y=y, text="signal:N")
        lines = alt.Chart(ends).mark_line(strokeWidth=1.5, color=charts.PALETTE[0]).encode(
            x=x, y=y, detail="signal:N", order="x:Q")
        boxes = alt.Chart(words).mark_rect(stroke=charts.PALETTE[0], strokeWidth=1).encode(
            x=x, x2="end:Q", y=y, y2="top:Q",
            fill=alt.Fill("known:N", legend=None, scale=alt.Scale(domain=[True, False], range=["#DCEBF5", "#EEEEEE"])))
        labels = alt.Chart(words.assign(y=words.y + 0.3)).mark_text(fontSize=10).encode(
            x=alt.X("middle:Q", title="clock"), y=y, text="label:N")
        panels.append((boxes + lines + labels + names).properties(
            width=20 * len(clocks), height=210, title=f"{name(design)}, N = 16: two words of four bits in a transfer"))
    return alt.vconcat(*panels, padding={"left": 100, "right": 14, "top": 14, "bottom": 14})


def software(results: Results) -> alt.LayerChart:
    """Gb/s of programs and circuits."""
    table = results["software"]
    rows = [(f"{each.what}{f', {each.streams:.0f} streams' if each.streams > 1 else ''}, "
             f"{each.cores} core{'s' * (each.cores > 1)}", "software, ours", each.gbit_per_s) for each in table.itertuples()]
    both = tables.synthesised(results)
    both = both[both.design.str.contains("Design 2") | (both.source == "ours")]
    rows += [(f"{each.design} · {each.process}", f"circuit, {each.source}", each.gbit_per_s) for each in both.itertuples()]
    shown = pd.DataFrame(rows, columns=["label", "kind", "gbit"]).sort_values("gbit", ascending=False)
    kinds = ["software, ours", "circuit, ours", "circuit, paper"]
    base = alt.Chart(shown, title="Keystream per second").encode(
        y=alt.Y("label:N", title=None, sort=list(shown.label), axis=alt.Axis(labelLimit=320)),
        x=alt.X("gbit:Q", title="Gb/s"),
    )
    bars = base.mark_bar().encode(color=alt.Color("kind:N", title=None, scale=alt.Scale(
        domain=kinds, range=[charts.PALETTE[2], charts.PALETTE[0], charts.PALETTE[1]])))
    return (bars + base.mark_text(align="left", dx=4).encode(text=alt.Text("gbit:Q", format=".1f"))).properties(height=alt.Step(20))


FIGURES = (
    Figure("area", "Throughput against area",
           "Points of throughput in bytes per 1000 FO4 against area, a panel for each library; the speculative cores lie highest for their area.",
           area, ("table-5", "throughput")),
    Figure("period", "Gate delays for a byte",
           "Bars of FO4 for a byte of keystream, the paper's designs and ours, shortest first.",
           period, ("throughput", "pipelining", "table-5")),
    Figure("message", "Clocks for a byte of a message",
           "Clocks per byte against the length of the message: hundreds for the shortest, falling to what the pipeline gives.",
           message, ("table-6",)),
    Figure("unrolling", "Cases and comparisons",
           "Against K, on a log scale, the cases the paper expects rise steeply, the comparisons built slowly; the gates grow almost linearly.",
           unrolling, ("unrolling",)),
    Figure("pipelines", "Which stage works on which byte",
           "A grid of stages by clocks for five cores, each box the bytes a stage works on, moving one stage down every clock.",
           pipelines, ("figure-7", "figure-9", "figure-10", "pipelining")),
    Figure("waveform", "Waveforms",
           "Waveforms of the ports of Design 2 and of the speculative core, from the last words of the key to the first of the keystream.",
           waveform, ("figure-6", "figure-13")),
    Figure("software", "Programs and circuits",
           "Bars of Gb/s: our programs on one core and on two, our circuits, and the paper's Design 2.",
           software, ("software",)),
)
