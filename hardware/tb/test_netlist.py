# SPDX-License-Identifier: MIT OR Apache-2.0
"""The netlist of gates that synthesis makes, simulated by Icarus Verilog: the flow's own test."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from cocotb_tools.runner import get_runner
from simulate import check, few, shapes

SYN = Path(__file__).resolve().parent.parent / "syn"
sys.path.append(str(SYN))  # last: syn has a search.py too
import flow
import lec
import liberty
import rates
import synth
from designs import Design, designs

FOLDER = synth.BUILD / "test"
RATE = rates.Rate("small", 0, 0, 0, 0, 0, 1.0)  # of no matter here


def netlist(name, source, build=FOLDER):
    """Synthesises a design for a library; returns the row and the folder."""
    design = designs()[name]
    library = liberty.read(source, build)
    fo4 = flow.fo4(library, build)
    row = synth.measure(design, library, fo4, RATE, keys=0)
    folder = build / name
    flow.cell_models(library, folder)
    return row, folder


def simulate(name, folder, keys, tests=None):
    """Runs the tests of the cores on folder/netlist-ports.v."""
    design = designs()[name]
    runner = get_runner("icarus")
    runner.build(
        sources=[folder / "netlist-ports.v", folder / "cells.v"],
        hdl_toplevel=design.entity,
        build_dir=folder,
        always=True,
        timescale=("1ns", "1ps"),
        log_file=folder / "build.log",
    )
    generics = {"N": 256, "K": design.words, "KEY_BYTES": 16} | design.generics
    environment = {key: str(value) for key, value in generics.items()}
    results = runner.test(
        hdl_toplevel=design.entity,
        hdl_toplevel_lang="verilog",
        test_module="cores",
        testcase=tests,
        build_dir=folder,
        extra_env={**environment, "KEYS": str(keys), "COCOTB_LOG_LEVEL": "WARNING"},
        log_file=folder / "test.log",
        results_xml=str(folder / "results.xml"),
    )
    check(results)


def test_figures(small):
    """Compares the figures of a small core with plausible ranges."""
    row, _ = small
    assert 50 < row.fo4_ps < 200, "of a library for 180 nm"
    # 57 flip-flops of at least 4 NAND2 each.
    assert row.sequential_ge >= 4 * row.flip_flops
    assert row.area_ge == pytest.approx(row.sequential_ge + row.combinational_ge, abs=1)
    # Two reads of a table, an addition and a write are no less, and no ten times more.
    assert 15 < row.period_fo4 < 100
    parts = [row.ksa_ge, row.prga_ge, row.s_box_ge, row.k_box_ge, row.control_ge]
    assert all(part > 0 for part in parts)
    assert 0.8 < sum(parts) / row.area_ge < 1.5


def test_gates(small, keys):
    """The gates give the keystream of the golden model."""
    simulate("small", small[1], keys)


@pytest.mark.parametrize("name", shapes([], [("small_spec",), ("small_unroll",), ("small_pipe",)]))
def test_gates_of_our_cores(name, cells, keys):
    """Does the same for each core."""
    simulate(name, netlist(name, cells)[1], keys)


def test_a_copy_elsewhere_is_the_same_text(tmp_path, monkeypatch):
    """A row goes by the Verilog: a clone in another folder, and a comment more in the VHDL, make none anew."""
    design = designs()["small"]
    texts = []
    for place in ("here", "there"):
        shutil.copytree(flow.HARDWARE / "rtl", tmp_path / place / "rtl")
        monkeypatch.setattr(flow, "HARDWARE", tmp_path / place)
        file = tmp_path / place / "rtl" / "rc4_pkg.vhd"
        file.write_text(f"-- {place}\n" * len(texts) + file.read_text())
        flow.elaborate(design.entity, design.generics, tmp_path / place)
        texts.append((tmp_path / place / "rtl.v").read_text())
    assert texts[0] == texts[1]


def test_numbers_of_nets_say_nothing():
    """GHDL also numbers dropped nets and leaves empty lines. Neither changes the canonical text."""
    text = "  wire n7_o;\n  assign n7_o = n5_q[3]; /* a.vhd:1:2 */\n"
    assert flow.canonical(text) == "  wire n0_o;\n  assign n0_o = n1_q[3]; \n"
    assert flow.canonical(text.replace("n7_", "n12_").replace(";\n", ";\n\n")) == flow.canonical(text)
    assert flow.canonical(text.replace("= n5_q", "= n7_q")) != flow.canonical(text)


# The default library has no clock gate; this one has made-up times.
CLOCK_GATE = """
cell (CLKGATE) {
  area : 64;
  clock_gating_integrated_cell : "latch_posedge";
  pin (CLK) { direction : input; capacitance : 0.02; clock : true; clock_gate_clock_pin : true; }
  pin (EN) {
    direction : input; capacitance : 0.02; clock_gate_enable_pin : true;
    timing () {
      related_pin : "CLK"; timing_type : setup_rising;
      rise_constraint (scalar) { values ("0.1"); } fall_constraint (scalar) { values ("0.1"); }
    }
  }
  pin (GCLK) {
    direction : output; clock_gate_out_pin : true; state_function : "CLK*EN";
    timing () {
      related_pin : "CLK"; timing_sense : positive_unate;
      cell_rise (scalar) { values ("0.1"); } rise_transition (scalar) { values ("0.1"); }
      cell_fall (scalar) { values ("0.1"); } fall_transition (scalar) { values ("0.1"); }
    }
  }
}
"""


def with_gates(cells, file, dont_use=False):
    """The default library with a clock gate."""
    text = cells.read_text()
    end = text.rindex("}")
    gate = CLOCK_GATE.replace("area : 64;", "area : 64;\n  dont_use : true;") if dont_use else CLOCK_GATE
    file.write_text(text[:end] + gate + text[end:])
    return file


@pytest.mark.parametrize("dont_use", shapes([(True,)], [(False,)]))
def test_clock_gates(small, cells, keys, tmp_path, dont_use):
    """With clock gates in the library, marked `dont_use` or not, the core is smaller, and its gates still give the
    keystream."""
    row, folder = netlist("small", with_gates(cells, tmp_path / "gated.lib", dont_use), tmp_path)
    assert small[0].clock_gates == 0
    assert row.clock_gates > 1
    assert row.flip_flops == small[0].flip_flops
    assert row.area_ge < small[0].area_ge
    if not (dont_use and few(keys)):
        simulate("small", folder, keys)


def test_clock_gates_must_be_made(cells, tmp_path):
    """A library has clock gates and the netlist none: an error, not a figure."""
    library = liberty.read(with_gates(cells, tmp_path / "gated.lib"), tmp_path)
    (tmp_path / "rtl.v").write_text("module m(input clk_i, a, output reg q); always @(posedge clk_i) q <= a; endmodule")
    with pytest.raises(flow.FlowError, match="no clock gate was made"):
        flow.prepare("m", library, tmp_path, "generic", flat=True)


def test_latch_is_no_core(cells, tmp_path):
    """A forgotten branch, which would be a latch: an error, not a figure."""
    latch = "module m(input a, b, output reg q); always @* if (a) q = b; endmodule"
    (tmp_path / "rtl.v").write_text(latch)
    library = liberty.read(cells, tmp_path)
    with pytest.raises(flow.FlowError, match="(?i)assert"):
        flow.prepare("m", library, tmp_path, "generic", flat=True)


WIDE = """
library ieee;
use ieee.std_logic_1164.all;
entity wide is
  port (a : in std_logic; q : out std_logic_vector(63 downto 0));
end entity;
architecture rtl of wide is
begin
  q <= x"0123456789abcdef" when a = '1' else (others => '0');
end architecture;
"""


def test_text_is_no_core(tmp_path, monkeypatch):
    """A constant that GHDL writes as text, which yosys would take for letters: an error, not a figure."""
    (tmp_path / "wide.vhd").write_text(WIDE)
    monkeypatch.setattr(flow, "sources", lambda: [tmp_path / "wide.vhd"])
    with pytest.raises(flow.FlowError, match="64 bits as text"):
        flow.elaborate("wide", {}, tmp_path)


@pytest.fixture
def faulty(small, tmp_path):
    """The small netlist with one gate replaced by another."""
    for file in small[1].iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    text = (small[1] / "netlist-ports.v").read_text()
    gates = [gate.start() for gate in re.finditer(r"\bNAND2X1\b", text)]
    middle = gates[len(gates) // 2]
    wrong = text[:middle] + "NOR2X1" + text[middle + len("NAND2X1") :]
    (tmp_path / "netlist-ports.v").write_text(wrong)
    return tmp_path


def test_fault_is_caught(faulty, keys):
    """With one gate replaced by another, the simulation fails."""
    with pytest.raises((SystemExit, RuntimeError)):
        simulate("small", faulty, keys, ["random_keys", "long_stream", "clear"])


def test_fault_is_no_equal(small, faulty):
    """abc finds a faulty netlist different from the VHDL, and proves all registers of the right one equal."""
    library = liberty.read(synth.DEFAULT_LIBRARY, faulty)
    with pytest.raises(flow.FlowError, match="not proven equal to the VHDL: Networks are NOT EQUIVALENT"):
        lec.prove("rc4_pipelined_c", library, faulty, "netlist", "clk_i")
    assert small[0].registers_proven >= small[0].flip_flops


@pytest.mark.full
def test_gates_are_simulated(small, faulty):
    """The gates in Verilator, as for each recorded row; and with one gate replaced by another."""
    library = liberty.read(synth.DEFAULT_LIBRARY, faulty)
    design = designs()["small"]
    synth.simulate_gates(design, library, small[1], 1000)
    with pytest.raises(flow.FlowError, match='"wrong": [1-9]|comes|is taken|leaves'):
        synth.simulate_gates(design, library, faulty, 1000)


def test_unproven_row_is_not_written(small, tmp_path, monkeypatch):
    """A netlist that is not proven equal makes no row, and the run says so and fails."""

    def refuse(*_):
        raise flow.FlowError("the netlist is not proven equal to the VHDL")

    monkeypatch.setattr(lec, "prove", refuse)
    monkeypatch.setattr(rates, "recorded", lambda: {"small": RATE})
    monkeypatch.setattr(sys, "argv", ["synth.py", "--design", "small", "--results", str(tmp_path)])
    assert synth.main() == 1
    assert not list(tmp_path.rglob("synthesis.csv"))


def test_a_second_call_goes_on(small, tmp_path, monkeypatch):
    """A recorded row is made again only by `--again` or after a change of its sources."""
    made = []
    monkeypatch.setattr(synth, "measure", lambda design, *_: made.append(design.name) or small[0])
    monkeypatch.setattr(synth, "BUILD", tmp_path / "build")
    monkeypatch.setattr(rates, "recorded", lambda: {"small": RATE})
    command = ["synth.py", "--design", "small", "--results", str(tmp_path)]
    for count, extra in ((1, []), (1, []), (2, ["--again"]), (3, ["--target", "21"])):
        monkeypatch.setattr(sys, "argv", command + extra)
        assert synth.main() == 0
        assert made == ["small"] * count


def test_broken_netlist_is_no_figure(small):
    """A cell that the library lacks, and a flip-flop too many: errors, not figures."""
    _, folder = small
    library = liberty.read(synth.DEFAULT_LIBRARY, folder)
    text = (folder / "netlist.v").read_text()
    (folder / "broken.v").write_text(text.replace("NAND2X1", "NAND2X9", 1))
    with pytest.raises(flow.FlowError, match="NAND2X9 not found"):
        flow.period("rc4_pipelined_c", library, folder, "broken", "clk_i")
    with pytest.raises(flow.FlowError, match="NAND2X9"):
        flow.area({"NAND2X9": 1}, library)
    design = designs()["small"]
    more = Design(**(vars(design) | {"flip_flops": design.flip_flops + 1}))
    with pytest.raises(flow.FlowError, match="57 flip-flops, expected 58"):
        synth.measure(more, library, 100.0, RATE, keys=0)
