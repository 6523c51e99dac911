"""Charts as SVG files that look the same everywhere: laid out for one font, and its letters drawn as paths."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import altair as alt
import vl_convert
import ziafont

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
FONTS = Path(ziafont.__file__).parent / "fonts"
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}
POINTS = 12.0  # the size that ziafont's paths have
BOLD = 0.045  # of the size: what a stroke adds to letters that are to be bold, which the font lacks


def svg(chart: alt.TopLevelMixin) -> str:
    """A chart as SVG without text elements: each letter once in the definitions, and used where it stands."""
    register()
    made = vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=alt.SCHEMA_VERSION.rsplit(".", 1)[0])
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    root = ET.fromstring(made)
    letters: dict[str, ET.Element] = {}
    for parent in list(root.iter()):
        for at, child in enumerate(list(parent)):
            if child.tag == f"{{{SVG}}}text":
                parent[at] = drawn(child, letters)
    definitions = ET.Element(f"{{{SVG}}}defs")
    definitions.extend(letters.values())
    root.insert(0, definitions)
    return ET.tostring(root, encoding="unicode") + "\n"


@cache
def register() -> None:
    """Register the font with the program that lays out the charts."""
    vl_convert.register_font_directory(str(FONTS))


@cache
def font() -> ziafont.Font:
    """The font whose letters are drawn."""
    return ziafont.Font(str(FONTS / "DejaVuSans.ttf"))


def drawn(text: ET.Element, letters: dict[str, ET.Element]) -> ET.Element:
    """A text element, with its lines if it has several, as a group of letters; what it says stays as its title."""
    group = ET.Element(f"{{{SVG}}}g", {name: text.attrib[name] for name in ("transform", "opacity", "fill") if name in text.attrib})
    size = float(text.attrib.get("font-size", "11px").removesuffix("px"))
    if text.attrib.get("font-weight") == "bold":
        group.attrib |= {"stroke": text.attrib.get("fill", "black"), "stroke-width": f"{BOLD * POINTS:.2f}"}
    lines = [(child.text or "", float(child.attrib.get("dy", 0))) for child in text] or [(text.text or "", 0.0)]
    title = ET.SubElement(group, f"{{{SVG}}}title")
    title.text = " ".join(line for line, _ in lines)
    down = 0.0
    for line, step in lines:
        down += step
        place(group, line, size, ANCHORS[text.attrib.get("text-anchor", "start")], down, letters)
    return group


def place(group: ET.Element, line: str, size: float, anchor: float, down: float, letters: dict[str, ET.Element]) -> None:
    """The letters of a line side by side."""
    glyphs = [font().glyph(letter) for letter in line]
    unit = size / font().info.layout.unitsperem
    x = -anchor * unit * sum(glyph.advance() for glyph in glyphs)
    for letter, glyph in zip(line, glyphs, strict=True):
        name = f"u{ord(letter):x}"
        if name not in letters and (path := glyph.svgpath()) is not None:
            path.tag, path.attrib["id"] = f"{{{SVG}}}path", name
            letters[name] = path
        if name in letters:
            scale = size / POINTS
            ET.SubElement(group, f"{{{SVG}}}use", {f"{{{XLINK}}}href": f"#{name}", "transform": f"translate({x:.2f},{down:.2f}) scale({scale:.4g})"})
        x += unit * glyph.advance()
