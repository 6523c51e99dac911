"""Drawings of structure by Graphviz, in the page's own ink."""

from __future__ import annotations

import re
import subprocess

from lab.model import Diagram

# The widest of the usual fonts: the boxes are made for it, and a reader's narrower one fits them.
FONT = "DejaVu Sans"
LOOK = (f'bgcolor="transparent"; fontname="{FONT}"; fontsize=11; rankdir=LR; nodesep=0.25; ranksep=0.45; pad=0.1;'
        f' node [fontname="{FONT}", fontsize=11, shape=box, style="rounded", height=0.35, margin="0.12,0.06"];'
        f' edge [fontname="{FONT}", fontsize=9, arrowsize=0.6];')


def svg(drawing: Diagram) -> str:
    """An SVG element for the page."""
    text = f"digraph {{ {LOOK} {drawing.dot} }}"
    made = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True).stdout
    made = made[made.index("<svg"):]
    made = re.sub(r"<title>.*?</title>|<!--.*?-->", "", made, flags=re.DOTALL)
    made = re.sub(r' (id|class)="[^"]*"', "", made)
    made = re.sub(r'(fill|stroke)="black"', r'\1="currentColor"', made)
    made = made.replace("<text ", '<text fill="currentColor" ')
    return re.sub(r'width="(\d+)pt" height="(\d+)pt"', lambda found: f'width="{round(int(found[1]) * 4 / 3)}" height="{round(int(found[2]) * 4 / 3)}"', made, count=1)
