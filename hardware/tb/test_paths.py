# SPDX-License-Identifier: MIT OR Apache-2.0
"""The parts of a period: the recorded ones, and those of a small core."""

import sys
from dataclasses import asdict

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import datasheet
import energy
import flow
import liberty
import paths
import place
import placed
import synth
from designs import designs
from drive import Drive
from test_datasheet import write_rows

DESIGN = designs()["small"]
REPORT = """
Startpoint: register_1 (rising edge-triggered flip-flop clocked by clk)
Endpoint: register_4 (rising edge-triggered flip-flop clocked by clk)
   0.3691    0.3691 v register_1/Q (DFF)
   0.1734    0.5425 ^ _2_/Y (INV)
   0.1622    0.8132 v buffer_3/X (BUF)
   0.0007    0.8139 v register_4/D (DFF)
             0.8139   data arrival time
   0.0000    1.0000 ^ register_4/CLK (DFF)
"""


def test_the_cells_of_a_path():
    """A flip-flop at the end drives nothing on the path. A gate at an output does."""
    assert paths.on_path(REPORT) == ["register_1", "_2_", "buffer_3"]
    port = REPORT.replace("Endpoint: register_4", "Endpoint: p1").replace("register_4/D (DFF)", "p1 (out)")
    assert paths.on_path(port) == ["register_1", "_2_", "buffer_3"]


@pytest.mark.full
def test_the_parts_make_the_period(small, tmp_path):
    """Buffers, sizes and wires each add to the period of the small core."""
    mapped, folder = small
    library = liberty.read(synth.DEFAULT_LIBRARY, folder.parent)
    before = {name: str(value) for name, value in asdict(mapped).items()}
    row = placed.measure(DESIGN, Drive(library), energy.Tables(library), place.technology(library.name), before)
    after = {name: str(value) for name, value in asdict(row).items()}
    found = paths.measure(DESIGN, library, before, after)
    assert found.fitted_ps < found.period_ps == row.period_ps
    assert 2 < found.cells < 40
    assert found.buffers < found.cells
    with pytest.raises(flow.FlowError, match="1.0 ps is recorded"):
        paths.measure(DESIGN, library, before, after | {"period_ps": "1.0"})


def test_a_path_of_another_placement_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(datasheet, "RESULTS", tmp_path)
    assert datasheet.periods() == ""
    folder = tmp_path / datasheet.LIBRARIES["Sky130 HD"]
    folder.mkdir()

    write_rows(folder / "paths.csv", [asdict(paths.Row("rc4_spec_8", "any", "new", 3000.0, 4000.0, 5000.0, 30, 2))])
    write_rows(folder / "placed.csv", [{"design": "rc4_spec_8", "netlist": "old", "bytes_per_clock": "7.5"}])
    assert datasheet.periods() == ""
    write_rows(folder / "placed.csv", [{"design": "rc4_spec_8", "netlist": "new", "bytes_per_clock": "7.5"}])
    assert "| `rc4_spec_8` | 3.00 | 1.00 | 1.00 | 5.00 | 20 % | 30 | 2 | 200 | 250 |" in datasheet.periods()


def test_what_is_no_library_is_refused(tmp_path, monkeypatch, capsys):
    wrong = tmp_path / "cells.lib"
    wrong.write_text("no library")
    monkeypatch.setattr(sys, "argv", ["paths.py", str(wrong)])
    assert paths.main() == 1
    assert f"paths: {wrong}: no" in capsys.readouterr().err
