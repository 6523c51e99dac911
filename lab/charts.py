"""One style for every chart: one meaning for each colour, labels beside the marks, and readable
ticks.

The paper is hollow orange, its design or program rebuilt here grey, ours solid blue; what neither is, muted. The page
draws the same charts by night with the colours of `NIGHT`.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import altair as alt
import pandas as pd

from lab.report.numbers import prefix, quantity, superscript, united

PAPER, OURS, REBUILT = "#B84A00", "#0072B2", "#77726B"
GREEN, PURPLE, GOLD, INDIGO = "#00724F", "#9A4F80", "#8A6100", "#5B55B0"  # others that must be told apart
FAINT = "#B3ADA4"  # for comparison only
RED, BLUES = "#B2182B", "#2166AC"  # above chance and below it
SCALE = ["#2166AC", "#67A9CF", "#EF8A62", "#B2182B"]  # steps of a bias, from far below chance to far above
SHADES = ["#BBD7EA", "#F5CDB0", "#B3DDD1", "#EBD2E0", "#F7DFB0"]  # neighbours in a pipeline
# What each becomes on a dark page.
NIGHT = {PAPER: "#FF9D5C", OURS: "#5DB3EA", REBUILT: "#A8A299", GREEN: "#4FC79B", PURPLE: "#DE9AC4", GOLD: "#E3B341", INDIGO: "#ABA6F5", FAINT: "#6B665F",
         "#67A9CF": "#3F7FB0", "#EF8A62": "#D9744C", RED: "#FF8A7A", BLUES: "#7CC0F5",
         "#BBD7EA": "#2C4A5E", "#F5CDB0": "#66432C", "#B3DDD1": "#2A5347", "#EBD2E0": "#5B3F50", "#F7DFB0": "#5E4D22", "#DCEBF5": "#24384A", "#EEEEEE": "#33302C"}
PALETTE = [OURS, PAPER, GREEN, PURPLE, GOLD, REBUILT, FAINT, "#000000"]
WIDTH, HEIGHT = 620, 320
FONT = "DejaVu Sans"  # wide: a reader's own font takes no more room; see `lab.svg`
ROW = 26  # pixels for a name on an axis
LOG, DOUBLING = {"type": "log"}, {"type": "log", "base": 2}  # scales that are not linear
PERCENT = [0, 25, 50, 75, 100]  # ticks


@alt.theme.register("arcfour", enable=True)
def theme() -> alt.theme.ThemeConfig:
    """The theme; importing this module turns it on."""
    return {
        "config": {
            "background": "white",
            "padding": 14,
            "font": FONT,
            "view": {"continuousWidth": WIDTH, "continuousHeight": HEIGHT, "stroke": None},
            "range": {"category": PALETTE},
            "axis": {"grid": True, "gridOpacity": 0.35, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelOverlap": "greedy", "labelSeparation": 6,
                     "labelLimit": 300, "titleLimit": 560},
            "axisX": {"titlePadding": 8}, "axisY": {"titlePadding": 10},
            "header": {"labelFontSize": 12, "labelFontWeight": "bold", "labelLimit": 300},
            "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 0, "orient": "bottom", "columns": 4, "columnPadding": 30},
            "title": {"fontSize": 13, "anchor": "start", "fontWeight": "bold", "offset": 10, "limit": 620},
            "line": {"strokeWidth": 2},
            "point": {"size": 60, "filled": True, "opacity": 1},
            "text": {"fontSize": 11},
        }
    }


def finding(text: str, width: int = 78) -> alt.TitleParams:
    """A title that states the finding, on several lines of at most `width` letters if need be."""
    return alt.TitleParams(textwrap.wrap(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False))


def said(values: Iterable[float], unit: str = "") -> str:
    """A Vega expression that labels these ticks as people write them: `10 ms`, `1 GB/s`, `10⁻³`."""
    cases = "".join(f"abs(datum.value - {value!r}) <= {abs(value) * 1e-6!r} ? '{tick(value, unit)}' : " for value in values)
    return f"{cases}''"


def tick(value: float, unit: str) -> str:
    """A round number with its unit."""
    if not unit and value and math.log10(abs(value)).is_integer() and not 1e-3 <= abs(value) < 1e6:
        return "10" + superscript(round(math.log10(abs(value))))
    factor, letter = prefix(abs(value), unit)
    return united(f"{round(value / factor, 6):,g}".replace("-", "−"), letter + unit)


def decades(values: Sequence[float], most: int = 6) -> list[float]:
    """Powers of ten about these values, not more than some."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    step = max(1, math.ceil((high - low) / most))
    return [float(f"1e{power}") for power in range(low, high + 1, step)]


def between(field: str, title: str, low: float, high: float, ticks: Sequence[float] | None = None, scale: Mapping[str, object] | None = None, **axis: object) -> dict:
    """Arguments of an axis from `low` to `high`, for `alt.X(**between(...))`: linear, unless `scale` says otherwise."""
    options = axis if ticks is None else {"values": list(ticks), **axis}
    return {"shorthand": f"{field}:Q", "title": title, "scale": alt.Scale(domain=[low, high], nice=False, **(scale or {})), **({"axis": alt.Axis(**options)} if options else {})}


def scaled(field: str, title: str, unit: str, values: Sequence[float], ticks: Sequence[float] | None = None, **axis: object) -> dict:
    """The same on a log scale from tick to tick, with a unit at each."""
    at = list(ticks or decades([value for value in values if value > 0]))
    low, high = min(at[0], *(value for value in values if value > 0)), max(at[-1], *values)
    return between(field, title, low, high, at, LOG, **{"labelExpr": said(at, unit), "labelOverlap": True} | axis)


def spread(places: Sequence[float], low: float, high: float, pixels: float, gap: float = 15, logarithmic: bool = False) -> list[float]:
    """Where labels of these values stand in pixels from the top, a gap apart, each as near its own as can be."""
    def place(value: float) -> float:
        if logarithmic:
            value, bottom, top = math.log(value), math.log(low), math.log(high)
        else:
            bottom, top = low, high
        return pixels * (1 - (value - bottom) / (top - bottom))
    wanted = [place(value) for value in places]
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    found = wanted[:]
    for _ in range(200):
        moved = False
        for above, below in pairwise(order):
            short = gap - (found[below] - found[above])
            if short > 0.01:
                found[above] -= short / 2
                found[below] += short / 2
                moved = True
        if not moved:
            break
    return found


def at_ends(table: pd.DataFrame, x: str, y: str, name: str, colours: Mapping[str, str], low: float, high: float, height: float,
            logarithmic: bool = False, at_edge: bool = True) -> alt.LayerChart:
    """Names of lines at the right edge or at their own ends, in the lines' colours, none over another: in place of a legend."""
    last = table.sort_values(x).groupby(name, sort=False).tail(1)
    places = spread(last[y].tolist(), low, high, height, logarithmic=logarithmic)
    return alt.layer(*(
        alt.Chart(pd.DataFrame({"name": [each]} if at_edge else {"name": [each], x: [end]})).mark_text(align="left", baseline="middle", dx=8 if at_edge else 10, color=colours[each]).encode(
            x=alt.value("width") if at_edge else f"{x}:Q", y=alt.value(place), text="name:N")
        for each, end, place in zip(last[name], last[x], places, strict=True)))


def coloured(field: str, colours: Mapping[Any, str]) -> alt.Color:
    """A colour for each name, or for true and false, without a legend: names stand at their lines."""
    return alt.Color(f"{field}:N", legend=None, scale=alt.Scale(domain=list(colours), range=list(colours.values())))


def names(field: str, order: Iterable[str] | None, **axis: Any) -> alt.Y:
    """A vertical axis of names, without lines."""
    return alt.Y(f"{field}:N", title=None, sort=order if order is None else list(order), axis=alt.Axis(grid=False, ticks=False, domain=False, labelPadding=8, **axis))


def curves(table: pd.DataFrame, x: alt.X, y: alt.Y, name: str, colours: Mapping[str, str], width: int = 430, height: int = 300, size: int = 40,
           hollow: str = "paper", at_edge: bool = True) -> alt.LayerChart:
    """A line for each name, which stands at the chart's right edge or at the line's own end. The points of names that begin with `hollow` are hollow.

    `colours` may have names that the table has not. Without a `size` there are no points. The scale of `y` has a domain: the names are placed in it.
    """
    colours = {each: colour for each, colour in colours.items() if each in set(table[name])}
    base = alt.Chart(table).encode(x=x, y=y, color=coloured(name, colours))
    is_hollow = f"indexof(datum.{name}, '{hollow}') == 0"
    points = [base.mark_point(size=size)] if size else []
    if size and any(each.startswith(hollow) for each in colours):
        points = [base.transform_filter(is_hollow).mark_point(size=size + 10, filled=False, fill="transparent"),
                  base.transform_filter(f"!({is_hollow})").mark_point(size=size)]
    scale = y["scale"].to_dict()
    low, high = scale["domain"]
    across, up = (axis["shorthand"].partition(":")[0] for axis in (x, y))
    ends = at_ends(table, across, up, name, colours, low, high, height, scale.get("type") == "log", at_edge)
    return alt.layer(base.mark_line(), *points, ends).properties(width=width, height=height)


def rows(table: pd.DataFrame, name: str, value: str, title: str, unit: str, order: Sequence[str], ticks: Sequence[float] | None = None,
         width: int = WIDTH, label: Callable[[float], str] | None = None, zero: bool = False) -> alt.LayerChart:
    """A row for each name with the paper's hollow dot and our solid one, joined, and what is between them said at the right.

    `table` has a row for each name and source (`paper`, `ours`, `rebuilt`), on a log scale unless `zero`.
    """
    data = table[[name, "source", value]].dropna()
    data["said"] = [label(each) if label else quantity(each, unit) for each in data[value]]
    values = data[value].tolist()
    if zero:
        axis = {"labelExpr": said(ticks, unit)} if ticks else {"tickCount": 6}
        x = between(value, title, -0.08 * max(values), max(values) * 1.12, ticks, **axis)  # room for a label at the left of 0
    else:
        x = scaled(value, title, unit, [min(values) / 1.3, max(values) * 1.3], ticks)
    height = ROW * 1.35 * len(order)
    y = names(name, order)
    base = alt.Chart(data).encode(y=y)
    line = base.mark_line(color=FAINT, strokeWidth=2).encode(x=alt.X(**x), detail=f"{name}:N")
    layers: list[alt.Chart] = [line]
    wide = data.pivot_table(index=name, columns="source", values=value, aggfunc="first")
    for source, colour, filled in (("paper", PAPER, False), ("rebuilt", REBUILT, True), ("ours", OURS, True)):
        chosen = data[data.source == source]
        if chosen.empty:
            continue
        dots = alt.Chart(chosen).encode(y=y, x=alt.X(**x))
        layers.append(dots.mark_point(**dot(colour, filled)))
        at_left = chosen[name].map((wide[source] == wide.min(axis=1)) & (wide.count(axis=1) > 1))  # the label of the lower one of two
        for to_left in (True, False):
            part = chosen[at_left == to_left]
            if not part.empty:
                layers.append(alt.Chart(part).mark_text(align="right" if to_left else "left", dx=-9 if to_left else 9, color=colour).encode(
                    y=y, x=alt.X(**x), text="said:N"))
    return alt.layer(*layers).properties(width=width, height=height)


def dot(colour: str, filled: bool) -> dict:
    """A mark of a source: the paper's is hollow."""
    return {"size": 80, "color": colour, "filled": filled, "strokeWidth": 2, **({} if filled else {"fill": "transparent"})}


def scrolled(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """A chart that a narrow screen scrolls: squeezed it could not be read."""
    return chart.properties(usermeta={"scroll": True})


def stack(*panels: alt.TopLevelMixin) -> alt.VConcatChart:
    """Charts under one another, each with separate colours."""
    return alt.vconcat(*panels).resolve_scale(color="independent")


def key(*, paper: str = "the paper", ours: str = "ours", rebuilt: str = "") -> alt.LayerChart:
    """The legend of the three marks, in one line above a chart."""
    entries = [entry for entry in ((paper, PAPER, False), (rebuilt, REBUILT, True), (ours, OURS, True)) if entry[0]]
    layers, x, y = [], 6.0, -14
    for text, colour, filled in entries:
        entry = pd.DataFrame({"name": [text]})
        layers.append(alt.Chart(entry).mark_point(**dot(colour, filled)).encode(x=alt.value(x), y=alt.value(y)))
        layers.append(alt.Chart(entry).mark_text(align="left", baseline="middle", color=colour, fontWeight="bold").encode(x=alt.value(x + 10), y=alt.value(y), text="name:N"))
        x += 34 + 8 * len(text)
    return alt.layer(*layers)
