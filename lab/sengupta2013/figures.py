"""Clocks, areas, pipelines and waveforms, drawn from results."""

from __future__ import annotations

from functools import partial

import altair as alt
import pandas as pd

from lab import charts
from lab.charts import FAINT, OURS, PAPER, REBUILT, SHADES, finding
from lab.model import Figure
from lab.results import Results
from lab.sengupta2013 import tables
from lab.sengupta2013.cores import CORES, PLACED, name
from lab.shapes import counted

KINDS = {"the paper's, rebuilt": REBUILT, "ours": OURS}
RATE = [0.5, 1, 2, 5, 10, 20]  # Gb/s: ticks
KGE = [20, 30, 50, 70, 100, 150, 200, 300, 500, 700]  # thousand gates: ticks
AT = "Sky130"  # the library that has all designs


def named(table: pd.DataFrame, designs: pd.Series) -> pd.DataFrame:
    """Designs, each with its area, name and kind."""
    return table.assign(kge=table.area_ge / 1000, name=designs.str.removesuffix(", rebuilt"),
                        kind=["the paper's, rebuilt" if design.endswith(", rebuilt") else "ours" for design in designs])


def shown(results: Results) -> pd.DataFrame:
    """The designs of one library."""
    both = tables.synthesised(results)
    both = both[both.process == AT]
    return named(both, both.design)


def joined(ends: pd.DataFrame, field: str, x: alt.X, y: alt.Y, low: float, high: float, height: int, stroke: float) -> list[alt.Chart]:
    """Names at the right edge, spread so that none covers another, and each joined to its point."""
    layers = []
    for row, place in zip(ends.to_dict("records"), charts.spread(ends.gbit_per_s.tolist(), low, high, height, gap=14, logarithmic=True), strict=True):
        end, joint = pd.DataFrame({"name": [row["name"]]}), pd.DataFrame({field: [row[field]], "gbit_per_s": [row["gbit_per_s"]]})
        layers += [alt.Chart(end).mark_text(align="left", baseline="middle", dx=8, color={**KINDS, "paper": PAPER}[row["kind"]]).encode(
            x=alt.value("width"), y=alt.value(place), text="name:N"),
            alt.Chart(joint).mark_rule(color=FAINT, strokeWidth=stroke).encode(x=x, x2=alt.value("width"), y=y, y2=alt.value(place))]
    return layers


def area(results: Results) -> alt.LayerChart:
    """Throughput against area in one library."""
    table = shown(results)
    x = alt.X(**charts.between("kge", "area (thousand NAND2 equivalents)", 16, 350, KGE[:-2], charts.LOG))
    y = alt.Y(**charts.between("gbit_per_s", "throughput (Gb/s)", 1, 22, RATE[1:], charts.LOG))
    height = 400
    ours, copies = (table[table.kind == kind].sort_values("gbit_per_s") for kind in ("ours", "the paper's, rebuilt"))
    front = table.sort_values("kge").loc[lambda t: t.gbit_per_s >= t.gbit_per_s.cummax()]  # those that nothing of less area outruns
    layers = [alt.Chart(front).mark_line(color=FAINT, strokeDash=[4, 3]).encode(x=x, y=y),
              alt.Chart(table).mark_point(size=80).encode(x=x, y=y, color=charts.coloured("kind", KINDS)),
              # names at the points; ours stand apart enough along the front
              alt.Chart(ours).mark_text(align="right", dx=-7, dy=-7, color=OURS).encode(x=x, y=y, text="name:N"), *joined(copies, "kge", x, y, 1, 22, height, 0.7)]
    best, copy = table.loc[table.gbit_per_s.idxmax()], table[table.id.str.startswith("rc4_design")].gbit_per_s.max()
    drawn = (alt.layer(*layers) + charts.key(paper="", rebuilt="others', rebuilt")).properties(width=640, height=height, title=finding(
        f"In one library (Sky130) the speculative core does {best.gbit_per_s / copy:.1f} times what the paper's best does, on {best.area_ge / table[table.gbit_per_s == copy].area_ge.iloc[0]:.1f} times its area", 70))
    return charts.scrolled(drawn)


ASSUMED = (tables.FO4_PS_PER_NM, 0.62)  # ps per nm for the paper's libraries: the usual assumption, and Sky130's value


def as_printed(results: Results) -> pd.DataFrame:
    """The paper's designs at the rate they would have with Sky130's gate delay, for the least and the most that its own can have been."""
    fo4 = results["synthesis"].query("library.str.startswith('sky130')").fo4_ps.iloc[0]
    paper = results.paper("table-5")
    low, high = (paper.gbit_per_s * ratio * paper.technology_nm / fo4 for ratio in ASSUMED)
    return paper.assign(kge=paper.total_ge / 1000, low=low, high=high, name=[f"{row.design}, {row.technology_nm:.0f} nm" for row in paper.itertuples()])


def frontier(results: Results) -> alt.VConcatChart:
    """Rate against area and against energy, with wires: all libraries, and the paper's rows as a range."""
    placed, paper = tables.placed(results, PLACED), as_printed(results)
    table = named(placed, placed.design.map(tables.here))
    best = paper.loc[paper.groupby("technology_nm").high.idxmax()]
    height = 380
    panels = []
    for field, title, ticks in (("kge", "area (thousand NAND2 equivalents)", KGE), ("pj_per_byte", "energy of a byte (pJ)", [50, 70, 100, 150, 200, 250, 300, 500])):
        drawn = table.dropna(subset=[field])
        ranges = best if field in best else best.iloc[:0]  # the paper prints no energy
        rates, places = [*drawn.gbit_per_s, *ranges.low, *ranges.high], [*drawn[field], *ranges.get(field, [])]
        low, high = 0.8 * min(rates), 1.25 * max(rates)
        x = alt.X(**charts.between(field, title, 0.85 * min(places), 1.15 * max(places), ticks, charts.LOG))
        y = alt.Y(**charts.between("gbit_per_s", "throughput with wires (Gb/s)", low, high, RATE, charts.LOG))
        colour = charts.coloured("kind", KINDS)
        shape = alt.Shape("process:N", title="library", scale=alt.Scale(domain=["Sky130", "SG13G2"], range=["circle", "diamond"]))
        pairs = drawn[drawn.duplicated("design", keep=False)]
        layers = [alt.Chart(pairs).mark_line(color=FAINT, strokeWidth=0.8).encode(x=x, y=y, detail="design:N"),
                  alt.Chart(drawn).mark_point(size=80).encode(x=x, y=y, color=colour, shape=shape)]
        if len(ranges):
            layers.append(alt.Chart(ranges).mark_rule(color=PAPER, strokeWidth=3).encode(x=x, y=alt.Y("low:Q"), y2="high:Q"))
        ends = pd.concat([drawn.sort_values("process").drop_duplicates("design", keep="last"), ranges.assign(kind="paper", gbit_per_s=ranges.high)])
        layers += joined(ends.sort_values("gbit_per_s"), field, x, y, low, high, height, 0.5)
        panels.append(alt.layer(*layers).properties(width=440, height=height))
    panels[0] = charts.key(paper="the paper's, as a range", rebuilt="others', rebuilt") + panels[0]
    return charts.scrolled(alt.vconcat(*panels).properties(title=finding(frontier_says(table[table.process == AT], best), 74)))


def frontier_says(table: pd.DataFrame, paper: pd.DataFrame) -> str:
    """The chart's description for one library."""
    ours, copies = (side.nlargest(1, "gbit_per_s").iloc[0] for side in (table[table.kind == "ours"], table[table.design.str.startswith("rc4_design")]))
    where = "above" if ours.gbit_per_s > paper.high.max() else "below" if ours.gbit_per_s < paper.low.min() else "within"
    return (f"With wires, on {AT}, {ours['name']} does {ours.gbit_per_s / copies.gbit_per_s:.1f} times the rate of the paper's best, rebuilt, on {ours.kge / copies.kge:.1f} times its area, "
            f"a byte for {ours.pj_per_byte / copies.pj_per_byte:.1f} times the energy. As printed, at {AT}'s gate delay and {ASSUMED[0]} to {ASSUMED[1]} ps per nm, the paper's would do "
            f"{paper.low.min():.1f} to {paper.high.max():.1f} Gb/s: ours is {where} that")


def period(results: Results) -> alt.LayerChart:
    """FO4 for a byte: the best of each family."""
    table = shown(results)
    table["family"] = [each.split(",")[0] for each in table.name]
    best = table.loc[table.groupby(["kind", "family"]).fo4_per_byte.idxmin()].sort_values("fo4_per_byte")
    paper = tables.synthesised(results).query("source == 'paper'")
    paper = paper.assign(kind="paper", name=[f"{row.design}, {row.technology_nm:.0f} nm" for row in paper.itertuples()]).nsmallest(3, "fo4_per_byte")
    both = pd.concat([best, paper]).sort_values("fo4_per_byte")
    both["source"] = both.kind.map({"paper": "paper", "ours": "ours", "the paper's, rebuilt": "rebuilt"})
    both["label"] = both.name.where(both.source != "rebuilt", both.name + ", rebuilt").where(both.source != "paper", both.name + ", as printed")
    chart = charts.rows(both, "label", "fo4_per_byte", "gate delays (FO4) for a byte", "",
                        list(both.label), [0, 20, 40, 60], width=430, label=lambda value: f"{value:.1f}", zero=True)
    return (charts.key(rebuilt="rebuilt here") + chart).properties(title=finding(
        f"In one flow a byte costs our best core {100 * best.fo4_per_byte.min() / best[best.kind != 'ours'].fo4_per_byte.min():.0f} % of the gate delays of the paper's best, "
        f"rebuilt (as printed: an FO4 taken as {tables.FO4_PS_PER_NM} ps per nm)", 68))


def message(results: Results) -> alt.LayerChart:
    """Clocks per byte of a message under a new key: the last line of table 6."""
    lengths = [2**power for power in range(4, 17)]
    chosen = results.rows("clocks")
    paper = results.paper("table-6").set_index("design")
    rows = [(f"paper: {design}", n, (each.ksa_clocks + each.prga_lag_clocks) / n + each.prga_clocks_per_byte)
            for design, each in paper.iterrows() if design in ("[10] and [16]", "Design 1", "Design 2") for n in lengths]
    rows += [(label, n, (each.ksa_clocks + each.prga_lag_clocks) / n + 1 / each.words_per_clock)
             for design, label in (("rc4_design2", "Design 2, rebuilt"), ("rc4_spec_4", "ours: spec, K = 4")) for each in (chosen.loc[design],) for n in lengths]
    table = pd.DataFrame(rows, columns=["series", "bytes", "clocks"])
    colours = {"paper: [10] and [16]": PAPER, "paper: Design 1": PAPER, "paper: Design 2": PAPER, "Design 2, rebuilt": REBUILT, "ours: spec, K = 4": OURS}
    x = alt.X(**charts.between("bytes", "bytes of the message", 16, 65536, [4**power for power in range(2, 9)], charts.DOUBLING, format=",d"))
    y = alt.Y(**charts.scaled("clocks", "clocks for a byte", "", [0.1, 100], [0.1, 1, 10, 100]))
    return charts.curves(table, x, y, "series", colours, size=0).properties(
        title=finding("Under a new key short messages pay for the schedule, whatever the design", 70))


def unrolling(results: Results) -> alt.VConcatChart:
    """Cases, comparisons; gates."""
    table = results["unrolling"]
    many = table[table.k > 1].assign(cases=lambda t: 2.0**t.paper_pairs)
    names = {"cases": "cases, after the paper", "comparisons": "comparisons built"}
    colours = {names["cases"]: PAPER, names["comparisons"]: OURS}
    tidy = many.melt("k", list(names), "what", "count").replace({"what": names})
    x = alt.X("k:O", title="rounds in a clock, K", axis=alt.Axis(labelAngle=0, grid=False))
    y = alt.Y(**charts.scaled("count", "number", "", [1.0, 1e15], [1.0, 1e3, 1e6, 1e9, 1e12, 1e15]))
    three = many.set_index("k").loc[3]
    top = charts.curves(tidy, x, y, "what", colours, height=240, size=50, hollow="cases").properties(title=finding(f"Three rounds need {three.comparisons:.0f} comparisons, not {three.cases:.0f} cases", 66))
    grown = table.gates.iloc[-1] / table.gates.iloc[0]
    low = alt.Chart(table).mark_bar(color=OURS, width=alt.RelativeBandSize(0.7)).encode(x=x, y=alt.Y("gates:Q", title="gates (table of 16 cells)", axis=alt.Axis(format=",d", tickCount=4))).properties(
        width=430, height=160, title=finding(f"Gates grow {grown:.1f} times from one round to {table.k.iloc[-1]}, not exponentially", 66))
    return charts.stack(top, low)


CELL = 32  # pixels for a clock


def stages(results: Results, design: str) -> alt.LayerChart:
    """The stages of a core, and the bytes on which each works in each clock. Bytes leave a stage in
    order, so its n-th busy clock belongs to the n-th group of bytes."""
    core = CORES[design]
    table = results["waveform"].query(f"design == {design!r}")
    working = table[table.signal.str.startswith("stage") & (table.value == 1)].sort_values("clock", kind="stable")
    working["group"] = working.groupby("signal").cumcount()
    # Our pipelines begin with the round for i = 0, which gives no byte; the paper's with byte 1.
    working["first"] = working.group * core.words + (1 if core.paper else 0)
    working["bytes"] = [str(first) if core.words == 1 else f"{first},{first + core.words - 1}" for first in working["first"]]
    begin = int(working.clock.min())
    clocks = list(range(begin, begin + 13))
    working = working[working.clock.isin(clocks)]
    working["stage"] = working.signal.str.removeprefix("stage ")
    working["shade"] = (working.group % len(SHADES)).astype(str)
    x = alt.X("clock:O", title="clock", scale=alt.Scale(domain=clocks), axis=alt.Axis(labelAngle=0, grid=False))
    order = list(dict.fromkeys(table[table.signal.str.startswith("stage")].signal.str.removeprefix("stage ")))
    base = alt.Chart(working).encode(x=x, y=alt.Y("stage:N", title=None, sort=order, axis=alt.Axis(labelLimit=160, minExtent=110, grid=False, ticks=False, domain=False)))
    boxes = base.mark_rect(stroke="white").encode(color=charts.coloured("shade", {str(n): shade for n, shade in enumerate(SHADES)}))
    return (boxes + base.mark_text(fontSize=10).encode(text="bytes:N")).properties(height=alt.Step(22), width=CELL * len(clocks), title=alt.Title(name(design)))


def pipeline(results: Results, design: str, title: str) -> alt.LayerChart:
    """A figure of the paper that shows a pipeline."""
    return charts.scrolled(stages(results, design).properties(title=finding(title, 66)))


def pipelines(results: Results) -> alt.VConcatChart:
    """Ours beside the paper's."""
    designs = [design for design in dict.fromkeys(results["waveform"].design) if not CORES[design].paper]
    return charts.scrolled(charts.stack(*(stages(results, design) for design in designs)))


LANES = ("key_i", "key_valid_i", "key_ready_o", "busy_o", "z_o", "z_valid_o", "z_ready_i")


def waveform(results: Results) -> alt.VConcatChart:
    """Ports of some cores as a waveform: from the key to the first bytes."""
    waves = results["waveform"]
    panels = []
    for design in ("rc4_design2", "rc4_spec_2"):
        table = waves[(waves.design == design) & waves.signal.isin(LANES)]
        first = int(table[(table.signal == "z_valid_o") & (table.value == 1)].clock.min())
        clocks = list(range(-4, first + 12))
        table = table[table.clock.isin(clocks)]
        bus = {"key_i": 1, "z_o": 2}
        lane = {signal: len(LANES) - at for at, signal in enumerate(LANES)}
        bits = table[~table.signal.isin(bus)]
        # A level holds until the next clock: a point at both ends of each.
        ends = pd.concat([bits.assign(x=bits.clock), bits.assign(x=bits.clock + 1)]).sort_values(["signal", "x", "clock"])
        ends["y"] = ends.signal.map(lane) + 0.6 * ends.value
        words = table[table.signal.isin(bus)].sort_values(["signal", "clock"])
        words["run"] = (words.value != words.groupby("signal").value.shift()).groupby(words.signal).cumsum()
        valid = table.pivot_table(index="clock", columns="signal", values="value")
        words = words.groupby(["signal", "run"]).agg(x=("clock", "min"), end=("clock", "max"), value=("value", "first")).reset_index()
        words["end"] += 1
        words["middle"] = (words.x + words.end) / 2
        words["y"], words["top"] = words.signal.map(lane), words.signal.map(lane) + 0.6
        words["label"] = [f"{value:0{bus[signal]}X}" for signal, value in zip(words.signal, words.value, strict=True)]
        words["known"] = [bool(valid[{"key_i": "key_valid_i", "z_o": "z_valid_o"}[signal]].get(x)) for signal, x in zip(words.signal, words.x, strict=True)]
        x = alt.X(**charts.between("x", "clock", clocks[0], clocks[-1] + 1, clocks[::4], format="d"))
        y = alt.Y("y:Q", title=None, scale=alt.Scale(domain=[0.8, len(LANES) + 0.8]), axis=None)
        names = alt.Chart(pd.DataFrame({"signal": LANES, "y": [lane[signal] + 0.3 for signal in LANES]})).mark_text(
            align="right", dx=-8, baseline="middle").encode(x=alt.value(0), y=y, text="signal:N")
        lines = alt.Chart(ends).mark_line(strokeWidth=1.5, color=OURS).encode(
            x=x, y=y, detail="signal:N", order="x:Q")
        boxes = alt.Chart(words).mark_rect(stroke=OURS, strokeWidth=1).encode(
            x=x, x2="end:Q", y=y, y2="top:Q",
            fill=alt.Fill("known:N", legend=None, scale=alt.Scale(domain=[True, False], range=["#DCEBF5", "#EEEEEE"])))
        labels = alt.Chart(words.assign(y=words.y + 0.3)).mark_text(fontSize=10).encode(
            x=alt.X("middle:Q", title="clock"), y=y, text="label:N")
        panels.append((boxes + lines + labels + names).properties(
            width=20 * len(clocks), height=210, title=f"{name(design)}, N = 16: two words of four bits in a transfer"))
    return charts.scrolled(charts.stack(*panels)).properties(padding={"left": 90, "right": 14, "top": 14, "bottom": 14})


def software(results: Results) -> alt.LayerChart:
    """Gb/s of programs and circuits: the best of each."""
    table = results["software"]
    rows = [(f"{each.what}{f', {each.streams:.0f} streams' if each.streams > 1 else ''}, {counted(each.cores, 'core')}", "ours", each.gbit_per_s * 1e9)
            for each in table[table.what.isin(["keystream", "arcfour seal, file to file"])].itertuples()]
    circuits = tables.synthesised(results).query("source == 'ours' and process == @AT").sort_values("gbit_per_s")
    best = circuits[~circuits.design.str.endswith("rebuilt")].iloc[-1]
    copy = circuits[circuits.design.str.endswith("rebuilt")].iloc[-1]
    rows += [(f"circuit: {best.design}, Sky130", "ours", best.gbit_per_s * 1e9), (f"circuit: {copy.design}, Sky130", "rebuilt", copy.gbit_per_s * 1e9)]
    rows += [(f"circuit: {each.design}, {each.technology_nm} nm", "paper", each.gbit_per_s * 1e9) for each in results.paper("table-5").query("design == 'Design 2'").itertuples()]
    shown_ = pd.DataFrame(rows, columns=["name", "source", "rate"]).sort_values("rate", ascending=False)
    chart = charts.rows(shown_, "name", "rate", "keystream a second", "bit/s", list(shown_.name), [0, 1e10, 2e10, 3e10, 4e10], width=400, zero=True)
    two = shown_[shown_.source == "ours"].rate.max() / shown_[shown_.source == "paper"].rate.max()
    return (charts.key(rebuilt="rebuilt here") + chart).properties(title=finding(f"Two cores of a processor do {two:.1f} times the paper's fastest circuit", 66))


FIGURES = (
    Figure("area", "Throughput against area",
           "Points of throughput against area on logarithmic scales, in one library: the speculative cores lie highest, the paper's designs, rebuilt, well below them.",
           area, ("table-5", "throughput")),
    Figure("frontier", "With wires: rate, area, energy",
           "Points of throughput against area, and against the energy of a byte, on logarithmic scales, with wires, in two libraries; the paper's own as ranges.",
           frontier, ("throughput",)),
    Figure("period", "Gate delays for a byte",
           "Rows of gate delays for a byte: our speculative cores have the fewest, the paper's designs as printed come next, and rebuilt in our flow they have the most.",
           period, ("throughput", "pipelining", "table-5")),
    Figure("message", "Clocks for a byte of a message",
           "Clocks per byte against the length of the message: tens for the shortest, falling to what the pipeline gives.", message, ("table-6",)),
    Figure("unrolling", "Cases and comparisons",
           "Against K, on a log scale, the cases the paper expects rise steeply, the comparisons built slowly; the gates grow almost linearly.", unrolling, ("unrolling",)),
    *(Figure(f"pipeline-{number}", f"Which stage works on which byte: {name(design)}",
             "A grid of stages by clocks, each box the bytes a stage works on, moving one stage down every clock.", partial(pipeline, design=design, title=title), (f"figure-{number}",))
      for number, design, title in ((7, "rc4_design1", "Design 1: two bytes every other clock, simulated"), (9, "rc4_pipelined_a", "Pipelined-A: a byte in every clock, simulated"),
                                    (10, "rc4_design2", "Design 2: two bytes in every clock, simulated"))),
    Figure("pipelines", "Which stage works on which byte: ours",
           "Grids of stages by clocks for our deeper pipelines, each box the bytes a stage works on, moving one stage down every clock.", pipelines, ("pipelining",)),
    Figure("waveform", "Waveforms",
           "Waveforms of the ports of Design 2 and of the speculative core, from the last words of the key to the first of the keystream.", waveform, ("figure-13", "figure-6")),
    Figure("software", "Programs and circuits", "Rows of gigabits a second: our programs on one core and on two, our fastest circuit, and the paper's Design 2.",
           software, ("software",)),
)
