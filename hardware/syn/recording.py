"""Writes the files of results."""

import csv
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any


def write_rows(file: Path, kind: type, rows: Iterable[dict[str, Any]]) -> None:
    """Writes rows whose columns are the fields of a dataclass; what the file held before goes."""
    with file.open("w", newline="") as new:
        writer = csv.DictWriter(new, [field.name for field in fields(kind)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
