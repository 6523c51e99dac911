"""Two pictures: rates, and the cost of a search."""

from __future__ import annotations

import altair as alt

from lab import charts
from lab.charts import OURS, PAPER, finding
from lab.model import Figure
from lab.results import Results
from lab.search.tables import costs, ours, units


# Hours, and how they are said.
TIMES = {1.0: "an hour", 24.0: "a day", 8766.0: "a year", 8766e3: "1,000 years", 8766e9: "10⁹ years", 8766e18: "10¹⁸ years"}
HEIGHT = 320
KINDS = {"CPU": PAPER, "GPU": PAPER, "FPGA": PAPER, "ours, CPU": OURS, "ours, circuit": OURS}


def draw_units(results: Results) -> alt.Chart:
    """One mark for each device."""
    table = units(results)
    one = ours(results)
    cores = table[table.kind == "CPU"].keys_per_s
    ticks = [1e5, 1e6, 1e7, 1e8, 1e9, 1e10]
    return alt.Chart(table).mark_point(size=80).encode(
        x=alt.X(**charts.scaled("keys_per_s", "keys a second of one core, card or chip", "", table.keys_per_s.tolist(), ticks)),
        y=alt.Y("device:N", title=None, sort=list(table.device), axis=alt.Axis(labelLimit=360)),
        color=alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())), legend=alt.Legend(columns=5)),
        shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=list(KINDS)), legend=alt.Legend(columns=5))).properties(
        width=380, title=finding(f"One core of ours tries {one / cores.max():.1f} times as many keys a second as the fastest published for a processor", 70))


def draw_costs(results: Results) -> alt.LayerChart:
    """Time by bits."""
    table = costs(results)
    colours = {unit: OURS if unit.startswith("one of our") else PAPER for unit in table.unit.unique()}
    said = " : ".join(f"datum.value == {hours!r} ? '{text}'" for hours, text in TIMES.items())
    x = alt.X(**charts.between("key_bits", "unknown bits of the key", 38, 130, sorted(table.key_bits.unique())))
    y = alt.Y(**charts.between("hours", "time for every key", table.hours.min(), table.hours.max(), list(TIMES), charts.LOG, labelExpr=f"{said} : ''"))
    forty = table.query("key_bits == 40").hours.iloc[0]
    return charts.curves(table, x, y, "unit", colours, height=HEIGHT).properties(
        title=finding(f"40 bits take one of our cores {forty:.0f} hours; each bit more doubles that", 70))


FIGURES = (
    Figure("units", "Keys a second of one core, card or chip",
           "Points on a logarithmic axis: published CPU cores from a half to two million keys a second, ours above them, circuits and graphics cards up to "
           "a thousand times further.", draw_units, ("rates", "engines")),
    Figure("costs", "What a search costs",
           "Three parallel straight lines on a logarithmic axis of time, rising by a factor of two for each bit from 40 to 128.", draw_costs, ("forty-bits",)),
)
