"""One look for every chart: colours that a colour-blind reader can tell apart, ours against theirs."""

from __future__ import annotations

import altair as alt

# Okabe & Ito's palette, which survives colour blindness and a grey printer.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B3A100"]
SOURCES = alt.Scale(domain=["ours", "paper"], range=[PALETTE[0], PALETTE[1]])
WIDTH, HEIGHT = 560, 320


@alt.theme.register("arcfour", enable=True)
def theme() -> alt.theme.ThemeConfig:
    """The theme; importing this module turns it on."""
    return {
        "config": {
            "background": "white",
            "padding": 14,  # readers' fonts may be wider than those the layout was made with
            "view": {"continuousWidth": WIDTH, "continuousHeight": HEIGHT, "stroke": None},
            "range": {"category": PALETTE},
            "axis": {"grid": True, "gridOpacity": 0.4, "labelFontSize": 12, "titleFontSize": 12},
            "legend": {"labelFontSize": 12, "titleFontSize": 12, "labelLimit": 0,
                       "orient": "bottom", "columns": 4, "columnPadding": 30},
            "title": {"fontSize": 14, "anchor": "start"},
            "line": {"strokeWidth": 2},
            "point": {"size": 45, "filled": True},
        }
    }


def log(title: str, field: str) -> dict:
    """Arguments of an axis on a log scale, for `alt.X(**log(...))`."""
    return {"shorthand": f"{field}:Q", "title": title, "scale": alt.Scale(type="log")}
