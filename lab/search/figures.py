"""Two pictures: rates, and what a search costs."""

from __future__ import annotations

import altair as alt

from lab.model import Figure
from lab.results import Results
from lab.search.tables import costs, units


def draw_units(results: Results) -> alt.Chart:
    """One mark for each device."""
    table = units(results)
    table = table.assign(million=table.keys_per_s / 1e6)
    return alt.Chart(table).mark_point(size=80).encode(
        x=alt.X("million:Q", title="million keys per second of one core, card or chip", scale=alt.Scale(type="log")),
        y=alt.Y("device:N", title=None, sort=list(table.device), axis=alt.Axis(labelLimit=360)),
        color=alt.Color("kind:N", title=None), shape=alt.Shape("kind:N", title=None))


def draw_costs(results: Results) -> alt.LayerChart:
    """Hours by bits."""
    base = alt.Chart(costs(results)).encode(
        x=alt.X("key_bits:Q", title="unknown bits of the key", scale=alt.Scale(domain=[36, 132], nice=False)),
        y=alt.Y("hours:Q", title="hours for every key", scale=alt.Scale(type="log"), axis=alt.Axis(format=".0e")),
        color=alt.Color("unit:N", title=None))
    return base.mark_line(strokeWidth=1) + base.mark_point()


FIGURES = (
    Figure("units", "Keys a second of one core, card or chip",
           "Points on a logarithmic axis: published CPU cores from a half to two million keys a second, ours above them, circuits and graphics cards up to "
           "a thousand times further.", draw_units, ("rates", "engines")),
    Figure("costs", "What a search costs",
           "Three parallel straight lines on a logarithmic axis of hours, rising by a factor of two for each bit from 40 to 128.", draw_costs, ("forty-bits",)),
)
