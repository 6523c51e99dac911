"""Charts as files: their letters are drawn, so that no viewer's font can move or cut them."""

import xml.etree.ElementTree as ET

import altair as alt
import pandas as pd
import pytest

from lab import charts
from lab.results import RECORDED
from lab.svg import SVG, XLINK, svg

FILES = sorted(RECORDED.glob("*/figures/*.svg"))


def letters(text):
    """The letters that are used and those that are defined."""
    root = ET.fromstring(text)
    assert root.find(f".//{{{SVG}}}text") is None
    used = {use.attrib[f"{{{XLINK}}}href"][1:] for use in root.iter(f"{{{SVG}}}use")}
    return used, {path.attrib["id"] for path in root.find(f"{{{SVG}}}defs")}


def test_a_chart_has_its_letters_as_paths():
    chart = alt.Chart(pd.DataFrame({"x": [1, 2], "name": ["α", "b"]}), title=["Two", "lines"]).mark_text().encode(x="x:Q", text="name:N")
    used, defined = letters(svg(chart))
    assert used == defined and {f"u{ord(letter):x}" for letter in "αbTwolines"} <= used


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_every_recorded_figure_is_such_a_file(path):
    used, defined = letters(path.read_text("utf-8"))
    assert used <= defined


def test_labels_are_kept_apart():
    places = charts.spread([1.0, 1.01, 1.02, 9.0], 0, 10, 300, gap=15)
    assert all(abs(a - b) >= 14.9 for n, a in enumerate(places) for b in places[:n])
    assert sorted(places, reverse=True) == places


@pytest.mark.parametrize(("value", "unit", "written"), [(1e-6, "s", "1 µs"), (0.01, "s", "10 ms"), (1e9, "B/s", "1 GB/s"), (1e12, "", "10¹²"), (100.0, "", "100"), (0.3, "", "0.3")])
def test_ticks_are_written_for_people(value, unit, written):
    assert charts.tick(value, unit).replace("\N{NO-BREAK SPACE}", " ") == written
