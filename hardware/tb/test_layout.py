# SPDX-License-Identifier: MIT OR Apache-2.0
"""The reading of a layout by OpenROAD: figures, wires, the clock tree. No test runs OpenROAD."""

import re
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import energy
import flow
import layout
import lec
import liberty
import routed
import wiring
from designs import designs
from drive import Drive

LOG = """[INFO RSZ-0041] Resized 47 instances.
layout: gates 12
layout: slack -0.0821
Clock core
layout: slack -0.1025
layout: hold 0.031
layout: drc 0
"""
SPEF = """*SPEF "ieee 1481-1999"
*C_UNIT 1 PF
*NAME_MAP
*1 a
*2 b\\[0\\]
*3 n7
*PORTS
*1 I
*D_NET *1 0.002
*CONN
*I *5:A I
*END
*D_NET *2 0.0005
*END
*D_NET *3 0.01
*END
"""


def test_figures_are_the_last_ones_of_the_log():
    assert routed.figures(LOG, ("gates", "slack", "hold", "drc")) == {"gates": 12, "slack": -0.1025, "hold": 0.031, "drc": 0}


@pytest.mark.parametrize("bad", ["inf", "nan", "1e999", "NULL"])
def test_figures_that_are_no_numbers(bad):
    """Without a path OpenROAD says that the slack is infinite."""
    with pytest.raises(flow.FlowError, match=f"says slack is {bad}"):
        routed.figures(LOG + f"layout: slack {bad}\n", ("slack",))


def test_missing_figure():
    with pytest.raises(flow.FlowError, match="no figure skew"):
        routed.figures(LOG, ("slack", "skew"))


def test_wires_by_their_names():
    assert routed.wires(SPEF) == pytest.approx({"a": 2.0, "b[0]": 0.5, "n7": 10.0})
    assert routed.wires(SPEF.replace("1 PF", "10 FF"))["n7"] == pytest.approx(0.1)
    with pytest.raises(flow.FlowError, match="no unit"):
        routed.wires(SPEF.replace("1 PF", "1 NF"))


def test_cells_without_pins_go():
    netlist = "module m (a);\n input a;\n tap TAP_1 ();\n buf u1 (.A(a),\n    .X(b));\n fill FILLER_0_1 ();\nendmodule\n"
    assert routed.with_pins(netlist) == "module m (a);\n input a;\n buf u1 (.A(a),\n    .X(b));\nendmodule\n"


def library():
    flip_flop = SimpleNamespace(data="D", clock="CLK", outputs={"Q": False}, tied=())
    gate = {"clock": "CLK", "enable": "GATE", "out": "GCLK"}
    return SimpleNamespace(functions={"buf": {"X": "A"}, "and": {"X": "A&B"}, "ff": {"Q": "IQ"}}, clock_gates={"gate": gate}, flip_flops={"ff": flip_flop})


def cell(kind, outputs, **pins):
    directions = {pin: "output" if pin in outputs else "input" for pin in pins}
    return {"type": kind, "port_directions": directions, "connections": {pin: [bit] for pin, bit in pins.items()}}


def tree():
    """Clock 1 through buffer 2 to gate 4 under enable 3, behind it buffer 5, and three flip-flops."""
    cells = {
        "root": cell("buf", "X", A=1, X=2),
        "g": cell("gate", ["GCLK"], CLK=2, GATE=3, GCLK=4),
        "leaf": cell("buf", "X", A=4, X=5),
        "f1": cell("ff", "Q", CLK=2, D=10, Q=3),
        "f2": cell("ff", "Q", CLK=5, D=11, Q=10),
        "f3": cell("ff", "Q", CLK=4, D=10, Q=11),
    }
    ports = {"clk": {"direction": "input", "bits": [1]}}
    return {"cells": cells, "ports": ports, "netnames": {"clk": {"bits": [1]}, "n": {"bits": [2]}, **{f"n{bit}": {"bits": [bit]} for bit in (3, 4, 5, 10, 11)}}}


def test_clock_goes_through_buffers_and_gates():
    assert lec.clock_nets(tree(), library(), 1) == {1: None, 2: None, 4: 3, 5: 3}


def test_clock_does_not_go_through_logic():
    module = tree()
    module["cells"]["root"] = cell("and", "X", A=1, B=3, X=2)
    assert lec.clock_nets(module, library(), 1) == {1: None}


def test_gate_behind_a_gate():
    module = tree()
    module["cells"]["leaf"] = cell("gate", ["GCLK"], CLK=4, GATE=3, GCLK=5)
    with pytest.raises(flow.FlowError, match="leaf: this clock gate is behind another one"):
        lec.clock_nets(module, library(), 1)


def test_energy_of_extracted_wires():
    """The tree's buffer turns 8 times in 4 clocks with a wire of 7 fF and two pins of 2 fF: C·V²/2 each. Its net is the clock's."""
    pins = {kind: SimpleNamespace(inputs=dict.fromkeys(names, 2.0)) for kind, names in {"buf": "A", "ff": ["CLK", "D"], "gate": ["CLK", "GATE"]}.items()}
    drive = SimpleNamespace(lib=library(), volt=1.8, pins=pins)
    wires = {"n": 7.0, **{f"n{bit}": 1.0 for bit in (3, 4, 5, 10, 11)}}
    made = routed.Routed(tree(), drive, "clk", wires)
    spent = energy.energy(made, {2: 8, 3: 4}, 4, SimpleNamespace(of=lambda cell, pin, load: 0.0))
    assert spent.clock == pytest.approx(2 * (7 + 2 * 2.0) * 1.8**2 / 2 / 1000)
    assert spent.data == pytest.approx(1 * (1 + 2.0) * 1.8**2 / 2 / 1000)
    del wires["n5"]
    with pytest.raises(flow.FlowError, match="1 of 7 nets have no extracted wire"):
        routed.Routed(tree(), drive, "clk", wires)


def test_a_diode_is_a_load(tmp_path):
    """The diodes that OpenROAD puts on nets against antennas have no output."""
    file = tmp_path / "some.lib"
    file.write_text('library(x) { nom_voltage : 1.8; cell ("diode") { area : 2.5; pin ("DIODE") { direction : "input"; capacitance : 0.000878; } } }')
    found = Drive(SimpleNamespace(path=file, units=liberty.Units(1.0, 1.0), flip_flops={}, unused=()))
    assert found.pins["diode"].inputs == {"DIODE": pytest.approx(0.878)}
    assert not found.sizes


def test_script_is_of_tcl_words():
    text = layout.script("place", {"period": 2.5, "layers": ["met1", "met2"], "platform": "a b"})
    assert text.startswith("set period {2.5}\nset layers {met1 met2}\nset platform {a b}\nsource {") and text.endswith("/place.tcl}\n")


PARTS = ("layout", "place", "plan", "route", "rewire", "report")


def steps(part):
    """The lines of a part of the flow without its procedures."""
    return re.sub(r"^proc .*?^}", "", (layout.FOLDER / f"{part}.tcl").read_text(), flags=re.DOTALL | re.MULTILINE)


def test_every_variable_of_the_flow_is_set(tmp_path):
    """And every one that is set is read."""
    text = "".join(steps(part) for part in PARTS)
    read = set(re.findall(r"\$(\w+)", text)) - set(re.findall(r"(?:set|foreach|gets \$file) (\w+)", text)) - {"layer", "left", "low", "right", "high"}
    assert read == set(settings("small", tmp_path))


def settings(design, folder):
    known = SimpleNamespace(name="sky130_fd_sc_hd__tt_025C_1v80", path=folder, clock_gates=library().clock_gates)
    return layout.settings(designs()[design], known, folder, folder, 1000.0)


def test_a_design_may_have_its_own_reserve_of_wires(tmp_path):
    """Global routing ends with an error for rc4_pipe_1 with the reserve of the others."""
    assert (settings("rc4_pipe_1", tmp_path)["reserve"], settings("small", tmp_path)["reserve"]) == ([0.3] * 5, [0.5] * 5)


def test_every_layer_has_a_reserve():
    """Tcl would take an empty share for a layer without one, and leave out a share without a layer."""
    for library in ("sky130_fd_sc_hd__tt_025C_1v80", "sg13g2_stdcell_typ_1p20V_25C"):
        known = layout.technology(library)
        assert {len(shares) for shares in (known["reserve"], *known["reserves"].values())} == {len(known["layers"])}


def test_threads_are_set_before_the_first_step_that_can_use_them():
    """OpenROAD's count of threads is 1 until it is set, also for pin_access."""
    assert steps("layout").strip().splitlines()[-1] == "set_thread_count $threads"
    for part in PARTS[1:]:
        assert next(line for line in steps(part).splitlines() if line and line[0] != "#") == "source $flow/layout.tcl"


GROUPS = """
proc block {} { return a_block }
proc a_block {getDefUnits} { return 1000 }
proc pin {x y getInst} { return [list cell $x $y] }
proc cell {x y getLocation} { return [list $x $y] }
proc unknown {words args} { return [{*}$words {*}$args] } ;# OpenROAD's pins and cells are commands
foreach part [groups $pins $limit $far] { puts [lmap each $part { lrange $each 1 end }] }
"""


def procedures(part, first):
    """The procedures of a part of the flow: all before its first step."""
    return (layout.FOLDER / f"{part}.tcl").read_text().partition(f"\n{first}")[0].replace("source $flow/layout.tcl", "")


def groups(folder, pins, limit, far):
    """What place.tcl makes of pins at places in µm: a set of places for each group."""
    places = " ".join(f"{{pin {1000 * x} {1000 * y}}}" for x, y in pins)
    (folder / "groups.tcl").write_text(f"set pins {{{places}}}\nset limit {limit}\nset far {far}\n{procedures('place', 'read_lef')}{GROUPS}")
    ran = flow.run(["tclsh", "groups.tcl"], folder, "groups.log")
    return [{tuple(int(at) // 1000 for at in place) for place in re.findall(r"{(\d+) (\d+)}", line)} for line in ran.splitlines()]


@pytest.mark.parametrize(
    ("pins", "limit", "far", "parts"),
    [
        pytest.param([(0, 0), (300, 0)], 24, 300, 1, id="as-far-as-allowed"),
        pytest.param([(0, 0), (301, 0)], 24, 300, 2, id="too-far"),
        pytest.param([(0, 0), (160, 160)], 24, 300, 2, id="too-far-by-both-sides"),
        pytest.param([(10 * x, 0) for x in range(24)], 24, 300, 1, id="as-many-as-allowed"),
        pytest.param([(10 * x, 0) for x in range(25)], 24, 300, 2, id="too-many"),
        pytest.param([(5, 5)], 24, 300, 1, id="alone"),
        pytest.param([(130 * (x % 5), 290 * (x // 5)) for x in range(15)], 24, 300, None, id="over-the-die"),
    ],
)
def test_the_flip_flops_of_a_gate_are_few_and_near(tmp_path, pins, limit, far, parts):
    """A gate of 15 flip-flops on 1.7 mm had more load than it may."""
    found = groups(tmp_path, pins, limit, far)
    assert parts in (len(found), None)
    assert sorted(place for part in found for place in part) == sorted(pins)
    for part in found:
        assert len(part) <= limit and sum(max(axis) - min(axis) for axis in zip(*part, strict=True)) <= far


FILLERS = """
proc block {} { return a_block }
proc a_block {getInsts} { return {{cell 0 0 1} {cell 460 0 2} {cell 1380 0 4} {cell 460 2720 2} {cell -920 -2720 2}} }
proc cell {x y wide what} { return [expr {$what eq {getMaster} ? [list master $wide] : [list $x $y]}] }
proc master {wide what} { return [dict get [list getName fill_$wide getWidth [expr {460 * $wide}] getHeight 2720] $what] }
proc unknown {words args} { return [{*}$words {*}$args] } ;# OpenROAD's cells are commands
foreach filler [find_fillers fill_* {master 2} met1 $shapes] { puts [lrange $filler 1 end] }
"""


@pytest.mark.parametrize(
    ("shape", "lost"),
    [
        pytest.param("met1 460 0 1380 2720", "460 0", id="over-a-filler"),
        pytest.param("met2 460 0 1380 2720", None, id="on-another-layer"),
        pytest.param("met1 1379 100 1380 200", "460 0", id="a-corner"),
        pytest.param("met1 2300 100 9000 200", None, id="beside-the-diode-in-a-wide-filler"),
        pytest.param("met1 2299 100 9000 200", "1380 0", id="over-the-diode-in-a-wide-filler"),
        pytest.param("met1 460 2719 1380 2720", "460 0", id="one-row"),
        pytest.param("met1 460 2720 1380 2721", "460 2720", id="the-next-row"),
        pytest.param("met1 -500 -2720 -460 -2700", "-920 -2720", id="before-the-first-filler"),
    ],
)
def test_a_diode_stands_beside_wires_and_not_under_them(tmp_path, shape, lost):
    (tmp_path / "fillers.tcl").write_text(f"set shapes {{{{{shape}}}}}\n{procedures('rewire', 'read_db')}{FILLERS}")
    found = flow.run(["tclsh", "fillers.tcl"], tmp_path, "fillers.log").splitlines()
    assert found == [place for place in ("460 0", "1380 0", "460 2720", "-920 -2720") if place != lost]


ANTENNAS = """Net net249
  _10179_/A (sky130_fd_sc_hd__nand3_1)
    met3
    PAR:  431.52* Ratio:  400.00 (S.Area)

  register_7/D (sky130_fd_sc_hd__dfxtp_1)
    met1
    PAR:  863.03* Ratio:  400.00 (S.Area)


[INFO ANT-0002] Found 1 net violations.
"""


def test_antennas_of_a_log():
    """The log has several checks, each before its figure."""
    log = f"Net n\n  other/A (nand)\n    met1\nlayout: earlier 1\n{ANTENNAS}layout: antennas 1\nlayout: drc 0\n"
    assert layout.antennas(log, "antennas") == (["net249"], ["_10179_/A", "register_7/D"])
    assert layout.antennas(log, "earlier") == (["n"], ["other/A"])
    assert layout.antennas(log, "drc") == ([], [])


# In the place of OpenROAD. The next line of the file `plan` is what a routing has: errors of wiring, antennas.
PROGRAM = """#!/bin/sh
for script; do :; done
part=${{script%.run.tcl}}
echo $part >> {folder}/ran
case $part in
plan)
    cat antennas.txt >> {folder}/inputs
    echo '{antennas}layout: planned_antennas 1';;
route|rewire)
    cat antennas.txt >> {folder}/inputs
    [ $part = route ] && echo '{antennas}layout: near_antennas 1'
    read -r wrong antennas < {folder}/plan
    sed -i 1d {folder}/plan
    echo "layout: drc $wrong"
    [ $antennas = 0 ] || echo '{antennas}'
    echo "layout: antennas $antennas"
    for kind in odb def v drc; do echo "$wrong $antennas" > ${{part}}d.$kind; done;;
report)
    for figure in {figures}; do echo "layout: $figure 0"; done;;
esac
"""


def lay_out(folder, monkeypatch, plan, change=str, unsaid=(), **wires):
    """Lays out a small design with PROGRAM, after `change`, in the place of OpenROAD. The report leaves out the figures `unsaid`. KLayout finds nothing
    wrong unless `wires` has another function. Returns the figures, and the nets of each rewiring."""
    (folder / "plan").write_text("".join(f"{routing}\n" for routing in plan))
    (folder / "sky130hd.tlef").write_text("")
    program = folder / "openroad"
    figures = " ".join(set(layout.FIGURES) - {*layout.WIRED, "shorts", "close", *unsaid})
    program.write_text(change(PROGRAM.format(folder=folder, antennas=ANTENNAS, figures=figures)))
    program.chmod(0o755)
    rewired = []
    found = {
        "shapes": lambda routed, lef, layers, nets: rewired.append(nets) or [("met1", 0, 0, 10, 20)],
        "nets_near": lambda routed, lef, boxes, distance: set(),
        "shorts": lambda routed, lef, layers, cuts: 0,
        "close": lambda routed, lef, spaces: [],
    }
    for name, function in (found | wires).items():
        monkeypatch.setattr(layout.wiring, name, function)
    known = SimpleNamespace(name="sky130_fd_sc_hd__tt_025C_1v80", path=folder, clock_gates=library().clock_gates)
    return layout.lay_out(designs()["small"], known, folder, program, folder, 1000.0), rewired


@pytest.mark.parametrize(("plan", "ran", "kept"), [
    (["0 0"], "route report", "0 0"),
    (["0 3", "0 1", "0 0"], "route rewire rewire report", "0 0"),
    # Not kept is what is worse. Few errors of wiring in the place of many antennas help.
    (["0 3", "0 4", "0 3", "1 1", "0 1", "0 0"], "route rewire report route rewire rewire rewire report", "0 0"),
    # While the number of antennas stays the same, each try adds diodes to each antenna.
    (["0 3", *["0 2"] * 5, "0 0"], f"route {'rewire ' * 6}report", "0 0"),
    # Nothing helps, and the second of four routings is the best one.
    (["0 3", "0 4", "0 2", "0 3", "0 4", "0 5", "0 2", "0 3"], "route rewire report " * 4, "0 2"),
])
def test_wires_are_routed_until_none_is_an_antenna(tmp_path, monkeypatch, plan, ran, kept):
    found, rewired = lay_out(tmp_path, monkeypatch, plan, nets_near=lambda routed, lef, boxes, distance: {"beside"})
    made = tmp_path / "layout"
    assert (tmp_path / "ran").read_text().split() == ["place", "plan", "plan", *ran.split()]
    assert [found["drc"], found["antennas"]] == [float(each) for each in kept.split()]
    assert [(made / f"routed.{kind}").read_text() for kind in layout.KEPT] == [f"{kept}\n"] * 4
    # The second plan has diodes at the antennas of the first. A routing has diodes at the antennas of the second, and at the near antennas of the
    # routings before. A rewiring has diodes at the antennas of its routing: one at each, the second two, the third four.
    routings = 0
    at = "_10179_/A register_7/D"
    expected = [at]
    for part in ran.replace("report", "").split():
        if part == "route":
            routings, diodes = routings + 1, 1
            expected += [at] * routings
        else:
            expected += [at] * diodes
            diodes *= 2
    assert (tmp_path / "inputs").read_text().split() == " ".join(expected).split()
    assert all(nets == ["beside", "net249"] for nets in rewired)
    if rewired:
        assert (made / "routing_1/blockages.txt").read_text() == "met1 0 0 10 20\n"


REPORT = """layout: slack -1.6
                             -1.632   slack (VIOLATED)
max slew

_3_/C                                   1.50    1.57   -0.07 (VIOLATED)

max capacitance

_2_/Y                                   0.22    0.23   -0.01 (VIOLATED)
gate_1/GCLK                             0.22    0.23   -0.01 (VIOLATED)
"""

NETS = """NETS 3 ;
    - n1 ( _3_ C ) ( _2_ Y ) + USE SIGNAL
      + ROUTED met1 ( 200 1000 ) ( * 2000 ) ;
    - n2 ( _3_ Y ) ( _2_ C ) + USE SIGNAL ;
    - n3 ( gate_1 GCLK ) + USE CLOCK ;
END NETS
"""


@pytest.mark.parametrize(("later", "kept"), [("0 0", "relieved_1"), ("0 2", "routing_2")])
def test_nets_with_too_much_load_get_a_buffer(tmp_path, monkeypatch, later, kept):
    """In a copy of the routing. A clock gets none: its buffers are the tree's. Where errors are left after it, the nets are routed anew."""
    (tmp_path / "report").write_text(f"layout: load_violations 2\n{REPORT}")
    (tmp_path / "nets").write_text(NETS)

    def change(text):
        text = text.replace("report)", f"report)\n[ ${{PWD##*/}} = routing_1 ] && cat {tmp_path}/report || echo layout: load_violations 0", 1)
        text = text.replace("for kind in odb", f"cp {tmp_path}/nets ${{part}}d.def\n    for kind in odb").replace("odb def v", "odb v")
        return text.replace("route|rewire)", "route|rewire)\n    [ $part = rewire ] && cat loads.txt >> ../../loads", 1)

    plan = ["0 0", later, *[later] * 5 * (later != "0 0"), "0 0"]
    found, rewired = lay_out(tmp_path, monkeypatch, plan, change, unsaid=["load_violations"])
    assert not any(layout.errors(found))
    assert rewired[0] == ["n1"]
    assert (tmp_path / "loads").read_text() == "n1\n"  # once, also where more rewirings follow
    made = tmp_path / "layout"
    assert (made / "routed.v").read_text() == "0 0\n" and (made / kept).is_dir()
    assert (made / "routing_2").exists() == (kept == "routing_2")
    assert (made / "routing_1/routed.v").read_text() == "0 0\n"


RELIEVED = """
proc block {} { return a_block }
proc a_block args { puts $args }
namespace eval odb {}
proc odb::dbInst_create {block master name} { return buffer }
proc odb::dbNet_create {block name} { return $name }
proc odb::dbInst_destroy {cell} { puts "gone: $cell" }
proc buffer {what args} { return [expr {$what eq "getITerms" ? {supply in out} : ""}] }
proc driver {what args} { if {$what eq "getInst"} { return gate }; puts "driver: $what $args" }
proc gate {getLocation} { return {10 20} }
proc supply {what} { return 0 }
proc in {what args} { if {$what eq "connect"} { puts "in: $args" } else { return [expr {$what eq "isInputSignal"}] } }
proc out {what args} { if {$what eq "connect"} { puts "out: $args" } else { return [expr {$what eq "isOutputSignal"}] } }
proc net {getFirstOutput} { return driver }
proc from_port {getFirstOutput} { return NULL }
proc move_to_filler {cell list} { upvar $list fillers; return [llength $fillers] }
set free {a_filler}
relieve from_port master relieved_1 free
relieve net master relieved_2 free
set free {}
relieve net master relieved_3 free
"""


def test_a_buffer_stands_between_a_driver_and_its_loads(tmp_path):
    (tmp_path / "relieve.tcl").write_text(procedures("rewire", "read_db") + RELIEVED)
    ran = flow.run(["tclsh", "relieve.tcl"], tmp_path, "relieve.log").splitlines()
    assert ran == ["driver: disconnect ", "driver: connect net_relieved_2", "in: net_relieved_2", "out: net", "gone: buffer"]


def test_wires_that_touch_are_an_error(tmp_path, monkeypatch):
    """Also if the router says that all is well."""
    found, _ = lay_out(tmp_path, monkeypatch, ["0 0"] * 4, shorts=lambda routed, lef, layers, cuts: 2)
    assert found["shorts"] == 2


@pytest.mark.parametrize("helps", [True, False])
def test_nets_are_routed_anew_where_wires_are_too_close(tmp_path, monkeypatch, helps):
    """In a copy of the routing, where the router finds no error. Where wires still are too close, there is another routing."""
    found, rewired = lay_out(
        tmp_path,
        monkeypatch,
        ["0 0"] * 9,
        nets_near=lambda routed, lef, boxes, distance: {str(box) for box in boxes},
        close=lambda routed, lef, spaces: [(1, 2, 3, 4)] * (not (helps and routed.parent.name == "relieved_1")),
    )
    routings = 1 if helps else 4
    assert (tmp_path / "ran").read_text().split() == ["place", "plan", "plan", *["route", "report", "rewire", "report"] * routings]
    assert rewired == [["(1, 2, 3, 4)"]] * routings
    assert (any(layout.errors(found)), found["close"]) == (not helps, 0 if helps else 1)


BOTH_RATIOS = """LAYER Metal3
  ANTENNACUMAREARATIO 200 ;
  ANTENNACUMDIFFAREARATIO PWL ( ( 0 200 ) ( 0.159 200 ) ( 0.16 3200 ) ) ;
END Metal3
LAYER Via3
  ANTENNAAREARATIO 20 ;
  ANTENNADIFFAREARATIO PWL ( ( 0 20 ) ( 0.16 80 ) ) ;
END Via3
LAYER Metal4
  ANTENNACUMAREARATIO 200 ;
  ANTENNADIFFAREARATIO PWL ( ( 0 20 ) ( 0.16 80 ) ) ;
END Metal4
"""


def test_a_layer_has_one_ratio_of_antennas(tmp_path):
    """The ratio for gates without a diode goes where the other ratio says it too, and only there."""
    lef = tmp_path / "some.lef"
    lef.write_text(BOTH_RATIOS)
    gone = ("  ANTENNACUMAREARATIO 200 ;\n", "  ANTENNAAREARATIO 20 ;\n")
    assert layout.one_ratio(lef) == BOTH_RATIOS.replace(gone[0], "", 1).replace(gone[1], "")
    for content in (None, b"\xff"):
        lef.unlink() if content is None else lef.write_bytes(content)
        with pytest.raises(flow.FlowError, match="some.lef: cannot read the technology"):
            layout.one_ratio(lef)


def test_a_missed_hold_time_is_an_error():
    well = dict.fromkeys(layout.FIGURES, 0.0) | {"hold": 0.01, "slack": -1.0}
    assert not any(layout.errors(well))
    assert any(layout.errors(well | {"hold": -0.007}))
    assert layout.errors(well | {"hold": -0.007}) < layout.errors(well | {"slew_violations": 1.0})


LEF = """VERSION 5.8 ;
UNITS DATABASE MICRONS 1000 ; END UNITS
LAYER met1 TYPE ROUTING ; DIRECTION HORIZONTAL ; PITCH 0.34 ; WIDTH 0.14 ; END met1
LAYER via TYPE CUT ; END via
LAYER met2 TYPE ROUTING ; DIRECTION VERTICAL ; PITCH 0.46 ; WIDTH 0.14 ; END met2
VIA M1M2 DEFAULT
  LAYER met1 ; RECT -0.16 -0.13 0.16 0.13 ;
  LAYER via ; RECT -0.075 -0.075 0.075 0.075 ;
  LAYER met2 ; RECT -0.14 -0.16 0.14 0.16 ;
END M1M2
END LIBRARY
"""
# b's wire on met2 is 0.3 µm beside a's via.
DEF = """VERSION 5.8 ;
DESIGN top ;
UNITS DISTANCE MICRONS 1000 ;
DIEAREA ( 0 0 ) ( 9000 9000 ) ;
COMPONENTS 1 ;
- u1 cell + PLACED ( 0 0 ) N ;
END COMPONENTS
SPECIALNETS 1 ;
- VDD + USE POWER + ROUTED met1 480 + SHAPE FOLLOWPIN ( 0 1000 ) ( 9000 1000 ) ;
END SPECIALNETS
NETS 2 ;
- a ( u1 A ) + USE SIGNAL
  + ROUTED met1 ( 1000 1000 ) ( 5000 * ) M1M2 ;
- b[1] ( u1 B ) + USE SIGNAL
  + ROUTED met2 ( %d 0 ) ( * 4000 ) ;
END NETS
END DESIGN
"""


@pytest.mark.full
def test_shapes_and_shorts_of_a_routed_file(tmp_path):
    """By KLayout, of a wire with a via and a wire beside it; the power grid does not count."""
    routed, lef = tmp_path / "routed.def", tmp_path / "tech.lef"
    lef.write_text(LEF)
    routed.write_text(DEF % 5300)

    def shapes(nets):
        return sorted(wiring.shapes(routed, lef, ["met1", "met2", "met3"], nets))

    assert shapes(["a"]) == [("met2", 5230, -70, 5370, 4070)]
    assert shapes(["a", "b[1]"]) == []
    area = Counter()
    for layer, left, low, right, high in shapes(["b[1]"]):
        area[layer] += (right - left) * (high - low)
    assert area == {"met1": 4140 * 140 + 320 * 260 - 230 * 140, "met2": 280 * 320}  # the wire, and a via without what lies on the wire
    assert wiring.nets_near(routed, lef, [(5.5, 0.5, 5.6, 1.5)], 0.1) == set()  # b's wire begins at 5.23 and ends at 5.37
    assert wiring.nets_near(routed, lef, [(5.5, 0.5, 5.6, 1.5)], 0.2) == {"b[1]"}
    assert wiring.nets_near(routed, lef, [(9, 9, 9, 9), (5.0, 0.9, 5.1, 1.1)], 0.15) == {"a", "b[1]"}
    assert wiring.shorts(routed, lef, ["met1", "met2"], ["via"]) == 0
    routed.write_text(DEF % 5200)  # b touches the via, and not a's wire
    assert wiring.shorts(routed, lef, ["met1", "met2"], ["via"]) == 1
    for wide, found in ((5350, []), (5349, [(5.14, 0.823, 5.279, 1.177)])):  # beside the via, and where its corners are too close
        routed.write_text(DEF % wide)
        assert [tuple(round(edge, 3) for edge in box) for box in wiring.close(routed, lef, {"met1": 0.14, "met2": 0.14, "met3": 9})] == found


def test_missing_program_is_wrong_usage(tmp_path):
    """Expects exit code 2, the name of the missing thing, and no output."""
    command = [sys.executable, HARDWARE / "syn" / "layout.py", "--results", tmp_path / "results", "--platform", tmp_path]
    for more, what in (
        (["--openroad", tmp_path / "none"], "none: no program"),
        (["--openroad", sys.executable, "--period", "nan"], "--period nan: it must be 0.1 to 1000"),
        (["--openroad", sys.executable, "--platform", ""], "argument --platform: : no folder"),
    ):
        done = subprocess.run([*command, *more, tmp_path / "some.lib"], capture_output=True, text=True, check=False)
        assert (done.returncode, what in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "results").exists()


def test_missing_folder_is_wrong_usage(tmp_path):
    """gds.py ends with exit code 2 for a missing folder, and 1 for a library without layers in
    layout.toml."""
    command = [sys.executable, HARDWARE / "syn" / "gds.py", "--platform", tmp_path, "--design", "small"]
    done = subprocess.run([*command, "--cells", tmp_path / "none", "some.lib"], capture_output=True, text=True, check=False)
    assert (done.returncode, "none: no folder" in done.stderr) == (2, True), done.stderr
    done = subprocess.run([*command, "--cells", "", "some.lib"], capture_output=True, text=True, check=False)
    assert (done.returncode, "argument --cells: : no folder" in done.stderr) == (2, True), done.stderr
    done = subprocess.run([*command, "--cells", tmp_path, "some.lib"], capture_output=True, text=True, check=False)
    assert (done.returncode, "some.lib: cannot read the library" in done.stderr) == (1, True), done.stderr
    with pytest.raises(flow.FlowError, match="no layers of GDSII for osu018"):
        layout.gdsii("osu018")


def test_each_layout_that_is_not_here_is_named(cells, tmp_path):
    command = [sys.executable, HARDWARE / "syn" / "gds.py", "--platform", tmp_path, "--cells", tmp_path, "--design", "small_pipe", "--design", "small_spec"]
    done = subprocess.run([*command, cells], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "".join(f"gds: {name}: its layout is not here; run layout.py\n" for name in ("small_pipe", "small_spec")))


def test_commit_of_the_program(tmp_path):
    program = tmp_path / "openroad"
    program.write_text("#!/bin/sh\necho 'OpenROAD v2.0-5464-g1d2747471b'\n")
    program.chmod(0o755)
    assert layout.version(program) == "v2.0-5464-g1d2747471b"
    program.write_text("#!/bin/sh\necho OpenROAD\n")
    with pytest.raises(flow.FlowError, match="names no commit"):
        layout.version(program)
