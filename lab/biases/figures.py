"""The pictures. The counts are only scaled and averaged here."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from lab import charts
from lab.biases.tables import checks
from lab.charts import FAINT, OURS, PAPER, REBUILT, SCALE, finding
from lab.model import Figure
from lab.results import Results

Z_SHOWN = 4.5  # of 65,536 cells, chance shows less than one
BAND = 16  # values of i averaged together
BREAKS = [-0.3, 0.0, 0.3]  # percent: steps of the map's colours
STEPS = ["less than −0.3 %", "−0.3 to 0 %", "0 to 0.3 %", "more than 0.3 %"]


def single_bytes(results: Results) -> pd.DataFrame:
    """The counts of single bytes with their relative bias and z-score."""
    table = results["first-bytes"]
    expected = table.trials / 256
    return table.assign(bias=table["count"] / expected - 1,
                        z=(table["count"] - expected) / np.sqrt(expected * (1 - 1 / 256)))


def draw_map(results: Results) -> alt.LayerChart:
    """Every cell of the first 256 positions that chance does not explain, with the names of the lines they form."""
    table = single_bytes(results)
    table = table[(table.r <= 256) & (table.z.abs() >= Z_SHOWN)]
    step = np.searchsorted(BREAKS, 100 * table.bias.to_numpy())
    values = table.assign(step=[STEPS[at] for at in step])[["r", "value", "step"]].to_dict("records")
    x = alt.X(**charts.between("r", "position r", 0, 257, range(0, 257, 32)))
    y = alt.Y(**charts.between("value", "value of the byte", -6, 262, range(0, 257, 32)))
    points = alt.Chart(alt.Data(values=values)).mark_square(size=9, opacity=1).encode(
        x=x, y=y, color=alt.Color("step:N", title="against chance", sort=STEPS, scale=alt.Scale(domain=STEPS, range=SCALE), legend=alt.Legend(columns=4, symbolSize=80, symbolOpacity=1)))
    names = pd.DataFrame([(150, 10, "value 0"), (92, 80, "value r"), (70, 203, "value 256 − r: the length of the key"), (16, 130, "second byte")], columns=["r", "value", "name"])
    said = alt.Chart(names).mark_text(align="left", fontSize=11, fontWeight="bold", dx=5).encode(x=x, y=y, text="name:N")
    return (points + said).properties(width=540, height=540, title=finding(f"{len(values):,} of {256 * 256:,} cells lie more than {Z_SHOWN} standard deviations from chance"))


def draw_first(results: Results) -> alt.VConcatChart:
    """The distributions of Z1 and Z2, beside the uniform distribution."""
    table = single_bytes(results)
    table = table[table.r <= 2].assign(times=1 + table.bias)
    spread = 2 / np.sqrt(table.trials.iloc[0] / 256)

    def panel(r: int, values: pd.DataFrame, title: str, marked: dict[int, str]) -> alt.LayerChart:
        shown = values[values.r == r]
        low, high = shown.times.min() - 0.0012, shown.times.max() + 0.0008
        x = alt.X(**charts.between("value", f"value of byte {r}", 0, 255, range(0, 257, 32)))
        scale = alt.Scale(domain=[low, high], nice=False, zero=False)  # of the band, too, which would begin at 0
        y = alt.Y("times:Q", title="probability × 256", scale=scale, axis=alt.Axis(tickCount=4, format=".3f"))
        band = alt.Chart(pd.DataFrame({"low": [1 - spread], "high": [1 + spread]})).mark_rect(color=FAINT, opacity=0.4).encode(y=alt.Y("low:Q", title="probability × 256", scale=scale), y2="high:Q")
        line = alt.Chart(shown).mark_line(strokeWidth=1.3, color=OURS).encode(x=x, y=y)
        dips = shown[shown.value.isin(marked)].assign(name=lambda t: t.value.map(marked))
        return (band + line + alt.Chart(dips).mark_point(color=PAPER, size=60, filled=False, strokeWidth=2).encode(x=x, y=y)
                + alt.Chart(dips).mark_text(align="left", dx=9, color=PAPER).encode(x=x, y=y, text="name:N")).properties(width=560, height=170, title=finding(title))
    rest = table[(table.r != 2) | (table.value != 0)]
    peak = table[(table.r == 2) & (table.value == 0)].times.iloc[0]
    return charts.stack(panel(1, rest, "The first byte waves about chance (grey, ± 2 standard deviations) and dips at 0 and 129", {0: "0", 129: "129"}),
                       panel(2, rest, f"The second byte: 0 comes {peak:.3f} times as often as chance, off this scale; all else pays for it", {}))


def draw_lengths(results: Results) -> alt.FacetChart:
    """Spikes at multiples of the key's length, a panel for each length."""
    table = results["key-lengths"]
    table = table.assign(percent=100 * (table["count"] * 256 / table.trials - 1), multiple=table.r % table.key_length_bytes == 0)
    table["panel"] = [f"key of {length} bytes" for length in table.key_length_bytes]
    order = [f"key of {length} bytes" for length in sorted(table.key_length_bytes.unique())]
    base = alt.Chart(table).encode(
        x=alt.X(**charts.between("r", "position r", 0, int(table.r.max()) + 1, [0, 16, 32, 48], format="d")),
        y=alt.Y("percent:Q", title="bias (%)", axis=alt.Axis(tickCount=4)))
    stems = base.transform_filter("datum.multiple").mark_bar(width=3, color=OURS)
    return alt.layer(base.mark_point(size=12, color=REBUILT), stems).properties(width=255, height=100).facet(
        alt.Facet("panel:N", title=None, sort=order), columns=2, title=finding("The value 256 − r is too frequent where r is a multiple of the key's length (blue)")
        ).resolve_axis(x="independent")  # or an eighth panel, which is not there, would have one


def draw_digraphs(results: Results) -> alt.FacetChart:
    """Fluhrer and McGrew's digraphs by i, averaged over neighbours, with the published values."""
    table = results["digraphs"]
    table = table.assign(band=table.i // BAND * BAND + BAND / 2 - 0.5, expected=table.trials * table.chance)
    sums = table.groupby(["digraph", "band"], as_index=False)[["count", "expected"]].sum()
    sums["bias"] = 256 * (sums["count"] / sums.expected - 1)
    sums["error"] = 256 / np.sqrt(sums.expected)
    sums["low"], sums["high"] = sums.bias - sums.error, sums.bias + sums.error
    negative = {"(0,i+1)", "(255,255)"}
    sums["published"] = [-1 if digraph in negative else 1 for digraph in sums.digraph]
    base = alt.Chart(sums).encode(x=alt.X(**charts.between("band", f"i, {BAND} values together", 0, 255, [0, 64, 128, 192])))
    y = alt.Y(**charts.between("low", "bias × 256", -3.2, 3.2, [-2, -1, 0, 1, 2], {"clamp": True}))
    return alt.layer(base.mark_line(color=PAPER, strokeDash=[4, 3]).encode(y=alt.Y("published:Q")), base.mark_rule(color=OURS).encode(y=y, y2="high:Q"),
                     base.mark_point(color=OURS, size=22).encode(y="bias:Q")).properties(width=255, height=95).facet(
        alt.Facet("digraph:N", title=None), columns=2,
        title=finding(f"Measured biases (blue, ± 1 standard deviation) scatter around the published ones (dashed), for the {sums.digraph.nunique()} digraphs that hold at nearly every i")).resolve_axis(x="independent")


def draw_agreement(results: Results) -> alt.LayerChart:
    """Measured over published with its 95 % interval, a row for each event, where five standard deviations were to be had."""
    table = checks(results)
    table = table[table.expected_sigma.abs() > 5]
    published, error = table.published / table.chance - 1, 1.96 / np.sqrt(table.trials * table.chance)
    table["event"] = table.event.str.replace("Z_r", "Zᵣ")
    table["times"], half = table.relative_bias / published, (error / published).abs()
    table["low"], table["high"] = table.times - half, table.times + half
    order = list(table.sort_values("expected_sigma", key=abs, ascending=False).event)
    scale = alt.Scale(domain=[0.5, 1.6], nice=False, clamp=True)
    x = alt.X("low:Q", title="measured bias over published, with its 95 % interval", scale=scale, axis=alt.Axis(values=[0.6, 0.8, 1, 1.2, 1.4]))
    base = alt.Chart(table).encode(y=charts.names("event", order))
    one = alt.Chart(pd.DataFrame({"x": [1.0]})).mark_rule(color=PAPER, strokeDash=[4, 3], strokeWidth=2).encode(x=alt.X("x:Q", scale=scale))
    inside = ((table.low <= 1) & (table.high >= 1)).sum()
    return (one + base.mark_rule(color=OURS, strokeWidth=2).encode(x=x, x2="high:Q") + base.mark_point(color=OURS, size=50).encode(x=alt.X("times:Q", scale=scale))).properties(
        width=400, height=22 * len(table), title=finding(f"Of {len(table)} published biases {inside} agree with ours within the interval; the others are formulas that approximate", 66))


FIGURES = (
    Figure("map", "Single-byte biases of the first 256 positions",
           f"A square of positions and byte values. Cells more than {Z_SHOWN} standard deviations from chance form a line at "
           "value 0, one where the value is the position, a falling diagonal of spikes at multiples of 16, and faint curves.", draw_map, ("map", "zeros", "key-length")),
    Figure("first", "The distributions of the first two bytes",
           "Two curves of probability by byte value: the first waves about chance and dips at 0 and 129; the second without its peak at 0 falls "
           "below chance.", draw_first, ("first-byte", "second-zero")),
    Figure("key-lengths", "Spikes at the length of the key",
           "A panel for each key length with the bias of the value 256 − r by position: a spike where r is a multiple of the length.", draw_lengths, ("key-length",)),
    Figure("digraphs", "Digraphs of Fluhrer and McGrew by i",
           "Panels of relative bias times 256 by i, with error bars about a dashed line at what was published: most at +1, two at −1.", draw_digraphs, ("fluhrer-mcgrew",)),
    Figure("agreement", "Published and measured biases",
           "A row for each event with the measured bias over the published one: nearly all intervals include one.",
           draw_agreement, ("roos", "second-zero", "zeros", "key-length", "roos-output", "glimpse")),
)
