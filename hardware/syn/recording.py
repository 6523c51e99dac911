"""Reads and writes the files of results. The fields of a dataclass are the columns."""

import csv
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from designs import designs
from flow import FlowError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def read_rows(file: Path) -> list[dict[str, str]]:
    """The rows of a file of results; none if there is no such file."""
    if not file.exists():
        return []
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))


def recorded(file: Path) -> dict[str, dict[str, str]]:
    """The rows by their designs, of a file that has one of each."""
    return {row["design"]: row for row in read_rows(file)}


def mapped_and_placed(folder: Path, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """A design's rows of its netlist and of its placement among the results of a library, which must be of the same netlist."""
    mapped, placed = (recorded(folder / f"{kind}.csv").get(name) for kind in ("synthesis", "placed"))
    if not mapped or not placed or placed["netlist"] != mapped["netlist"]:
        raise FlowError("no placement of its recorded netlist is recorded; run placed.py")
    return mapped, placed


def record(file: Path, row: "DataclassInstance", key: tuple[str, ...] = ("design",)) -> None:
    """Writes a row into a file, in place of an older one with the same values in the columns of `key`.

    The file has the order of designs.toml; rows of designs that are no longer there go. It is whole at every moment.
    """
    new = {name: "" if value is None else str(value) for name, value in asdict(row).items()}
    kept = {tuple(each[name] for name in key): each for each in [*read_rows(file), new]}
    order = list(designs())
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = StringIO()
    # A column that is no field any more goes, as a design does.
    writer = csv.DictWriter(lines, [field.name for field in fields(row)], extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted((each for each in kept.values() if each["design"] in order), key=lambda each: order.index(each["design"])))
    write_whole(file, lines.getvalue())


def write_whole(file: Path, text: str) -> None:
    """Writes a file that is either whole or as it was before."""
    new = file.with_name(f"{file.name}.new")
    new.write_text(text)
    os.replace(new, file)


def record_each(program: str, file: Path, names: Iterable[str], measure: "Callable[[str], DataclassInstance]") -> int:
    """Prints the row of each design and writes it into a file. A design that fails is named, and the others go on.

    Returns the exit code of the program: 1 if a design failed.
    """
    failed = False
    for name in names:
        try:
            row = measure(name)
        except FlowError as error:
            print(f"{program}: {name}: {error}", file=sys.stderr)
            failed = True
            continue
        print(row, flush=True)
        record(file, row)
    return int(failed)
