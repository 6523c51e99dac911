# SPDX-License-Identifier: MIT OR Apache-2.0
"""The placed netlist: its wires, its sizes, its energy."""

import json
import subprocess
import sys
from dataclasses import asdict
from types import SimpleNamespace

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import energy
import flow
import lec
import liberty
import place
import placed
import synth
import verilate
from designs import designs
from drive import Drive
from test_datasheet import write_rows

LIBRARY = synth.DEFAULT_LIBRARY
DESIGN = designs()["small"]


@pytest.fixture(scope="module")
def library(cells, tmp_path_factory):
    return liberty.read(cells, tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def drive(library):
    return Drive(library)


@pytest.fixture(scope="module")
def done(small, tmp_path_factory):
    """The small core placed, and the folder."""
    row, folder = small
    library = liberty.read(LIBRARY, folder.parent)
    recorded = {name: str(value) for name, value in asdict(row).items()}
    return placed.measure(DESIGN, Drive(library), energy.Tables(library), place.technology(library.name), recorded), folder


def test_wires_slow_a_core(small, done):
    """With wires the clock is slower and the gates are larger, and the netlist is still proven, all its registers."""
    row, _ = done
    assert 1.02 < row.period_ps / small[0].period_ps < 3
    assert 1 <= row.area_ge / small[0].area_ge < 1.5
    assert row.registers_proven == small[0].registers_proven
    # 65 % of a square with this area.
    assert row.side_um**2 * place.UTILISATION == pytest.approx(row.area_ge * 24, rel=0.25)
    assert row.wire_m > 0


def test_energy_is_of_this_core(done):
    """Some of the 57 flip-flops change, not all. Each clock costs each 2 x 61 fJ, by the library."""
    row, _ = done
    assert 3 < row.flips_per_clock < 40
    assert row.clock_pj_per_clock > 57 * 2 * 0.061
    assert row.pj_per_byte > row.clock_pj_per_clock


def test_wrong_buffer_is_no_equal(done, library):
    """Two pins exchanged after the placement: the proof notices."""
    _, folder = done
    module = json.loads((folder / "placed.json").read_text())
    cells = module["modules"][DESIGN.entity]["cells"]
    one, other = [cell for cell in cells.values() if cell["type"].startswith("NAND2")][:2]
    one["connections"]["A"], other["connections"]["A"] = other["connections"]["A"], one["connections"]["A"]
    (folder / "wrong.json").write_text(json.dumps(module))
    script = f"read_liberty -lib -ignore_miss_func {library.path}\nread_json wrong.json\nwrite_verilog -noattr wrong-ports.v"
    flow.yosys(script, folder, "wrong")
    (folder / "wrong.il").write_bytes((folder / "netlist.il").read_bytes())
    with pytest.raises(flow.FlowError, match="not proven equal"):
        lec.prove(DESIGN.entity, liberty.read(LIBRARY, folder.parent), folder, "wrong", "clk_i")


def test_tree_is_the_shortest():
    """Five points on a cross: four arms of one, from the middle or from an end."""
    cross = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)]
    for first in range(5):
        points = cross[first:] + cross[:first]
        pieces = list(place.tree(points))
        assert sum(length for _, _, length in pieces) == 4
        assert {child for _, child, _ in pieces} == {1, 2, 3, 4}


def test_sizes_follow_the_load(drive):
    """An inverter that drives four inverters keeps its size. With a long wire it grows, with a very
    long one to the maximum. No inverter shrinks."""
    cap = drive.pins["INVX1"].inputs["A"]
    assert drive.sizes["INVX1"] == ["INVX1", "INVX2", "INVX4", "INVX8"]
    assert drive.strong_enough("INVX1", 4 * cap, 4) == "INVX1"
    assert drive.strong_enough("INVX1", 7.5 * cap, 4) == "INVX2"
    assert drive.strong_enough("INVX1", 1000 * cap, 4) == "INVX8"
    assert drive.strong_enough("INVX4", cap, 4) == "INVX4"


def fan_out(drive, sinks, step):
    """A layout of one inverter that drives inverters in a row, `step` µm apart."""

    def inverter(a, y):
        directions = {"A": "input", "Y": "output"}
        cell = {"type": "INVX1", "parameters": {}, "attributes": {}, "port_directions": directions}
        return cell | {"connections": {"A": [a], "Y": [y]}}

    cells = {"first": inverter(2, 3)} | {f"next{k}": inverter(3, 4 + k) for k in range(sinks)}
    ports = {"clk_i": {"direction": "input", "bits": [1]}, "a": {"direction": "input", "bits": [2]}}
    module = {"cells": cells, "ports": ports, "netnames": {}}
    layout = place.Layout(module, drive, place.technology("osu018_stdcells"), "clk_i")
    layout.places = {name: (step * k, 0.0) for k, name in enumerate(layout.cells)}
    return layout


def test_buffers_for_what_is_too_much(drive):
    """Few loads need no buffer. With many, each buffer drives neighbours, and no net exceeds its limit."""
    assert fan_out(drive, 2, 5.0).add_buffers(6) == 0
    layout = fan_out(drive, 200, 5.0)
    assert layout.add_buffers(6) > 10
    reached = [pin.cell for sinks in layout.sinks.values() for pin in sinks]
    assert sorted(cell for cell in reached if cell.startswith("next")) == sorted(f"next{k}" for k in range(200))
    for _, driver, sinks in layout.nets():
        kind = layout.cells[driver.cell]["type"] if driver else drive.buffer
        assert not layout.exceeds(drive.limit(drive.sizes[kind][-1], 6), driver, sinks)


def test_energy_by_hand(drive, library):
    """One inverter with another and 100 µm to drive, turned 8 times in 4 clocks: C·V²/2 each, and what the table says."""
    layout = fan_out(drive, 1, 100.0)
    tables = energy.Tables(library)
    load = 100 * layout.technology.ff_per_um + drive.pins["INVX1"].inputs["A"]
    spent = energy.energy(layout, {3: 8}, 4, tables)
    assert spent.data == pytest.approx(2 * (load * 1.8**2 / 2 / 1000 + tables.of("INVX1", "Y", load)))
    assert spent.clock == spent.registers_turned == 0


def test_turns_are_counted(tmp_path):
    """Counts changes of one bit and of some bits of a vector, only in the named module. Initial
    values are no changes, and a still net has zeros."""
    file = tmp_path / "some.vcd"
    file.write_text(
        "$scope module TOP $end\n$var wire 1 ! x $end\n$scope module core $end\n$var wire 1 # a $end\n"
        "$var wire 4 % b [3:0] $end\n$var wire 1 & c $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n"
        "#0\n0!\n0#\nb0001 %\n1&\n#1\n1!\n1#\n#2\n0#\nb0111 %\n#3\nb0110 %\n"
    )
    assert energy.turns(file, "core") == {("a", 0): 2, ("b", 0): 1, ("b", 1): 1, ("b", 2): 1, ("b", 3): 0, ("c", 0): 0}


def test_every_net_must_be_in_the_simulation(tmp_path):
    """A net that another name stands for counts; a net without any name in the simulation is refused."""
    file = tmp_path / "some.vcd"
    file.write_text("$scope module core $end\n$var wire 2 # a $end\n$upscope $end\n$enddefinitions $end\n#0\nb00 #\n#1\nb10 #\n")
    module = {"netnames": {"a": {"bits": [2, 3]}, "_3_": {"bits": [3]}, "tied": {"bits": ["0"]}}}
    layout = SimpleNamespace(module=module, driver={2: None, 3: None})
    assert placed.turned(layout, file, "core") == {2: 0, 3: 1}
    module["netnames"]["_4_"] = {"bits": [4]}
    layout.driver[4] = None
    with pytest.raises(flow.FlowError, match="1 of 3 nets are not in the simulation"):
        placed.turned(layout, file, "core")


def test_a_trace_has_names_with_underscores(tmp_path):
    """Verilator leaves them out unless it is asked."""
    file = tmp_path / "top.v"
    file.write_text("module top(input a, output b); wire _1_ = ~a; assign b = ~_1_; endmodule\n")
    command = [sys.executable, "-m", "verilator", "--cc", *verilate.TRACE, "--top-module", "top", "--Mdir", tmp_path / "obj", file]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert any('"_1_"' in made.read_text() for made in (tmp_path / "obj").glob("*.cpp"))


def test_a_library_without_wires_fails_a_named_design(cells, tmp_path, monkeypatch, capsys):
    """A run of all libraries goes on without it."""
    monkeypatch.setattr(placed, "technology", lambda name: None)
    for design, code in (["--design", "small"], 1), ([], 0):
        monkeypatch.setattr(sys, "argv", ["placed.py", *design, "--results", str(tmp_path)])
        assert placed.main() == code
        assert capsys.readouterr().err == "placed: osu018_stdcells: technologies.toml has no rows and wires of it, nothing is placed\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("changed", "said"), [
    ({"period_ps": "1"}, "small: its netlist here takes"),
    ({"source": "0" * 12}, "small: its recorded row is of other sources"),
])
def test_only_the_recorded_netlist_is_placed(small, tmp_path, monkeypatch, capsys, changed, said):
    """A netlist that is not the one of the row is refused by name, and nothing is written."""
    folder = tmp_path / "osu018_stdcells"
    folder.mkdir()
    write_rows(folder / "synthesis.csv", [asdict(small[0]) | changed])
    monkeypatch.setattr(sys, "argv", ["placed.py", "--design", "small", "--results", str(tmp_path)])
    assert placed.main() == 1
    assert said in capsys.readouterr().err
    assert not (folder / "placed.csv").exists()
