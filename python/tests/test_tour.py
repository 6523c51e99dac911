"""The tour and the course say what they said: run again, every text and picture is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

HERE = Path(__file__).parents[1]
NOTEBOOKS = [HERE / "tour.ipynb", *sorted((HERE / "course").glob("*.ipynb"))]
# Of these, `make test` runs the tour and one of the course.
QUICK = 2
FULL = [pytest.param(path, marks=pytest.mark.full) for path in NOTEBOOKS[QUICK:]]


def results(notebook: Any) -> list[object]:
    """What each cell printed and showed; of pictures, that there is one."""
    found: list[object] = []
    for cell in notebook.cells:
        printed: dict[str, str] = {}  # as a whole: a kernel may send it in pieces
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                printed[output.name] = printed.get(output.name, "") + output.text
            else:
                data = dict(output.data)
                assert not data.pop("image/png", "some").isspace()
                found.append((output.output_type, sorted(output.data), sorted(data.items())))
        found += sorted(printed.items())
    return found


@pytest.mark.parametrize("path", [*NOTEBOOKS[:QUICK], *FULL], ids=lambda path: path.stem)
def test_notebook(path: Path) -> None:
    kept = nbformat.read(path, as_version=4)
    again = nbformat.read(path, as_version=4)
    for cell in again.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(again, timeout=300, kernel_name="python3", resources=resources).execute()
    assert len(results(kept)) > 4
    assert results(again) == results(kept)


def test_the_course_has_exercises_with_hidden_answers() -> None:
    """Seven notebooks; in each an exercise has an answer in a closed cell, which was run above."""
    assert len(NOTEBOOKS) == 8
    for path in NOTEBOOKS[1:]:
        cells = nbformat.read(path, as_version=4).cells
        answers = [cell for cell in cells if "answer" in cell.metadata.get("tags", [])]
        exercises = sum(cell.source.count("**Exercise") for cell in cells)
        assert exercises >= len(answers) > 0
        assert all(cell.metadata.jupyter.source_hidden for cell in answers)
        assert "RC4 is broken" in cells[0].source
