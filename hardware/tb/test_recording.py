# SPDX-License-Identifier: MIT OR Apache-2.0
"""The files of results: one row of each design, or of each design and setting, in the order of designs.toml."""

import csv
import sys
from dataclasses import dataclass

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
from flow import FlowError
from recording import mapped_and_placed, read_rows, record


@dataclass(frozen=True)
class Row:
    design: str
    mapping: int
    period_ps: float | str


def test_a_row_takes_the_place_of_the_older_one(tmp_path):
    file = tmp_path / "library" / "rows.csv"
    assert read_rows(file) == []
    for design, mapping, period in (("rc4_spec_2", 0, 5.5), ("rc4_spec_2", 1, 5.6), ("rc4_pipe_1", 0, ""), ("rc4_spec_2", 0, 5.7)):
        record(file, Row(design, mapping, period), key=("design", "mapping"))
    text = "design,mapping,period_ps\nrc4_pipe_1,0,\nrc4_spec_2,0,5.7\nrc4_spec_2,1,5.6\n"
    assert file.read_text() == text
    file.write_text(text.replace("rc4_pipe_1", "rc4_gone"))
    record(file, Row("rc4_spec_2", 2, 5.8))
    assert file.read_text() == "design,mapping,period_ps\nrc4_spec_2,2,5.8\n"


def test_a_column_that_is_no_field_any_more_goes(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("design,mapping,gone,period_ps\nrc4_pipe_1,0,x,5.5\n")
    record(file, Row("rc4_spec_2", 0, 5.6))
    assert file.read_text() == "design,mapping,period_ps\nrc4_pipe_1,0,5.5\nrc4_spec_2,0,5.6\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_leaves_the_file(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("no space")

    file = tmp_path / "rows.csv"
    record(file, Row("rc4_spec_2", 0, 5.5))
    before = file.read_text()
    monkeypatch.setattr(csv.DictWriter, "writerows", refuse)
    with pytest.raises(OSError, match="no space"):
        record(file, Row("rc4_pipe_1", 0, 5.6))
    assert file.read_text() == before


@pytest.mark.parametrize("placed", ["", "rc4_spec_2,older\n", "rc4_pipe_1,newer\n"])
def test_a_placement_of_another_netlist_is_refused(tmp_path, placed):
    (tmp_path / "synthesis.csv").write_text("design,netlist\nrc4_spec_2,newer\n")
    (tmp_path / "placed.csv").write_text(f"design,netlist\n{placed}")
    with pytest.raises(FlowError, match=r"run placed\.py"):
        mapped_and_placed(tmp_path, "rc4_spec_2")
    (tmp_path / "placed.csv").write_text("design,netlist\nrc4_spec_2,newer\n")
    assert [row["netlist"] for row in mapped_and_placed(tmp_path, "rc4_spec_2")] == ["newer", "newer"]
