"""The pictures: what is drawn is counted before; here it is only scaled and averaged."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from lab.biases.tables import checks
from lab.charts import PALETTE
from lab.model import Figure
from lab.results import Results

Z_SHOWN = 4.5  # of 65,536 cells, chance shows less than one
BAND = 16  # values of i averaged together


def single_bytes(results: Results) -> pd.DataFrame:
    """The counts of single bytes with their relative bias and z-score."""
    table = results["first-bytes"]
    expected = table.trials / 256
    return table.assign(bias=table["count"] / expected - 1,
                        z=(table["count"] - expected) / np.sqrt(expected * (1 - 1 / 256)))


def draw_map(results: Results) -> alt.Chart:
    """Every cell of the first 256 positions that chance does not explain."""
    table = single_bytes(results)
    table = table[(table.r <= 256) & (table.z.abs() >= Z_SHOWN)]
    values = table[["r", "value", "bias"]].assign(percent=table.bias * 100).to_dict("records")
    return alt.Chart(alt.Data(values=values)).mark_square(size=6, opacity=1).encode(
        x=alt.X("r:Q", title="position r", scale=alt.Scale(domain=[0, 257], nice=False)),
        y=alt.Y("value:Q", title="byte Z_r", scale=alt.Scale(domain=[-1, 256], nice=False)),
        color=alt.Color("percent:Q", title="bias (percent)",
                        scale=alt.Scale(scheme="redblue", domain=[-0.6, 0.6], domainMid=0, reverse=True, clamp=True)),
    ).properties(width=560, height=560)


def draw_first(results: Results) -> alt.VConcatChart:
    """The distributions of Z1 and Z2."""
    def panel(r: int, values: pd.DataFrame, title: str) -> alt.Chart:
        return alt.Chart(values[values.r == r]).mark_line(strokeWidth=1.2, color=PALETTE[0]).encode(
            x=alt.X("value:Q", title=f"Z{r}", scale=alt.Scale(domain=[0, 255], nice=False)),
            y=alt.Y("times:Q", title="probability × 256", scale=alt.Scale(zero=False)),
        ).properties(title=title, height=180)
    table = single_bytes(results)
    table = table[table.r <= 2].assign(times=1 + table.bias)
    rest = table[(table.r != 2) | (table.value != 0)]
    peak = table[(table.r == 2) & (table.value == 0)].times.iloc[0]
    return alt.vconcat(panel(1, rest, "Z1"), panel(2, rest, f"Z2, without Z2 = 0, which comes {peak:.3f} times as often as chance"))


def draw_lengths(results: Results) -> alt.Chart:
    """Spikes at multiples of the key's length."""
    table = results["key-lengths"]
    table = table.assign(percent=100 * (table["count"] * 256 / table.trials - 1))
    return alt.Chart(table).mark_line(point=alt.OverlayMarkDef(size=14), strokeWidth=1).encode(
        x=alt.X("r:Q", title="position r"),
        y=alt.Y("percent:Q", title="bias of Z_r = 256 − r (percent)"),
        color=alt.Color("key_length_bytes:N", title="key length (bytes)"),
    )


def draw_digraphs(results: Results) -> alt.FacetChart:
    """Fluhrer and McGrew's digraphs by i, averaged over neighbours."""
    table = results["digraphs"]
    table = table.assign(band=table.i // BAND * BAND + BAND / 2 - 0.5, expected=table.trials * table.chance)
    sums = table.groupby(["digraph", "band"], as_index=False)[["count", "expected"]].sum()
    sums["bias"] = 256 * (sums["count"] / sums.expected - 1)
    sums["error"] = 256 / np.sqrt(sums.expected)
    sums["low"], sums["high"] = sums.bias - sums.error, sums.bias + sums.error
    base = alt.Chart(sums).encode(x=alt.X("band:Q", title=f"i, {BAND} values together", scale=alt.Scale(domain=[0, 255])))
    bars = base.mark_rule(color=PALETTE[0]).encode(y=alt.Y("low:Q", title="relative bias × 256"), y2="high:Q")
    points = base.mark_point(color=PALETTE[0]).encode(y="bias:Q")
    zero = base.mark_rule(color="#888").encode(y=alt.datum(0))
    return (zero + bars + points).properties(width=250, height=130).facet(
        facet=alt.Facet("digraph:N", title=None), columns=2)


def draw_agreement(results: Results) -> alt.LayerChart:
    """Published against measured, where five standard deviations were to be had."""
    table = checks(results)
    table = table[table.expected_sigma.abs() > 5]
    table = table.assign(published_bias=(table.published / table.chance - 1).abs(), measured_bias=table.relative_bias.abs(),
                         error=1 / np.sqrt(table.trials * table.chance))
    table["low"] = (table.measured_bias - table.error).clip(lower=1e-5)
    table["high"] = table.measured_bias + table.error
    base = alt.Chart(table).encode(x=alt.X("published_bias:Q", title="published |relative bias|", scale=alt.Scale(type="log")))
    points = base.mark_point().encode(
        y=alt.Y("measured_bias:Q", title="measured |relative bias|", scale=alt.Scale(type="log")),
        color=alt.Color("source:N", title=None, legend=alt.Legend(columns=2)))
    bars = base.mark_rule().encode(y="low:Q", y2="high:Q", color="source:N")
    line = base.mark_line(color="#888", strokeDash=[4, 4], strokeWidth=1).encode(y="published_bias:Q")
    return line + bars + points


FIGURES = (
    Figure("map", "Single-byte biases of the first 256 positions",
           f"A square of positions and byte values. Cells more than {Z_SHOWN} standard deviations from chance form a line at "
           "value 0, a falling diagonal of spikes at multiples of 16, and faint curves.", draw_map, ("map", "zeros", "key-length")),
    Figure("first", "The distributions of the first two bytes",
           "Two curves of probability by byte value: Z1 waves about chance and dips at 0 and 129; Z2 without its peak at 0 falls "
           "below chance.", draw_first, ("first-byte", "second-zero")),
    Figure("key-lengths", "Spikes at the length of the key",
           "Curves of the bias of Z_r = 256 − r by position, one for each key length, each with a peak where r is a multiple "
           "of the length.", draw_lengths, ("key-length",)),
    Figure("digraphs", "Digraphs of Fluhrer and McGrew by i",
           "Seven panels of relative bias times 256 by i, with error bars: most about +1, two about −1, with exceptions at "
           "single values of i.", draw_digraphs, ("fluhrer-mcgrew",)),
    Figure("agreement", "Published and measured biases",
           "A scatter plot on logarithmic axes, from 0.4 percent to a hundredfold; the points lie on the diagonal.",
           draw_agreement, ("second-zero", "zeros", "key-length", "roos", "roos-output", "glimpse")),
)
