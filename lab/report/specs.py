"""A chart as the page shows it: in the page's own colours, with a legend that picks lines."""

from __future__ import annotations

from typing import Any

import altair as alt

INK = "currentColor"  # the page's text colour, by day, by night and in print
LOOK = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {"labelColor": INK, "titleColor": INK, "domainColor": INK, "tickColor": INK, "gridColor": INK, "gridOpacity": 0.12},
    "legend": {"labelColor": INK, "titleColor": INK},
    "header": {"labelColor": INK, "titleColor": INK},
    "title": {"color": INK, "subtitleColor": INK},
    "text": {"color": INK},
    "rule": {"color": INK},
}


QUICK = "a quick run"


def spec(chart: alt.TopLevelMixin, description: str, quick: bool = False) -> dict:
    """The Vega-Lite of a chart, ready for the page; the description is what a screen reader says. The title says that a run was quick."""
    found = chart.to_dict() | {"description": description}
    if quick:
        title = found.get("title", "")
        found["title"] = {**(title if isinstance(title, dict) else {"text": title}), "subtitle": QUICK}
    config = found.setdefault("config", {})
    for part, look in LOOK.items():
        config[part] = {**config.get(part, {}), **look} if isinstance(look, dict) else look
    pick(found)
    return ink(found)


def ink(node: Any) -> Any:
    """Black and white as the page's ink; data stay as they are."""
    if isinstance(node, dict):
        return {key: value if key in ("datasets", "data") else ink(value) for key, value in node.items()}
    if isinstance(node, list):
        return [ink(value) for value in node]
    return INK if isinstance(node, str) and node.lower() in ("#000000", "#000", "black") else node


def pick(node: dict) -> None:
    """Let a click in the legend single out a series, in a plain chart or a facet."""
    unit = node.get("spec", node)
    colour = unit.get("encoding", {}).get("color", {})
    if "mark" not in unit or "field" not in colour or colour.get("type") != "nominal" or colour.get("legend", {}) is None:
        return
    if "opacity" in unit["encoding"] or "params" in unit:
        return
    unit["params"] = [{"name": "picked", "select": {"type": "point", "fields": [colour["field"]]}, "bind": "legend"}]
    unit["encoding"]["opacity"] = {"condition": {"param": "picked", "value": 1}, "value": 0.12}
