"""The tour says what it said: run again, every text is the same and every picture is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

TOUR = Path(__file__).parents[1] / "tour.ipynb"


def results(notebook: Any) -> list[object]:
    """What each cell printed and showed; of pictures, that there is one."""
    found: list[object] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                found.append((output.name, output.text))
            else:
                data = dict(output.data)
                assert not data.pop("image/png", "some").isspace()
                found.append((output.output_type, sorted(output.data), sorted(data.items())))
    return found


def test_tour() -> None:
    kept = nbformat.read(TOUR, as_version=4)
    again = nbformat.read(TOUR, as_version=4)
    for cell in again.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(again, timeout=300, kernel_name="python3").execute()
    assert len(results(kept)) > 8
    assert results(again) == results(kept)
