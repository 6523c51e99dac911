# SPDX-License-Identifier: MIT OR Apache-2.0
"""The parts, delays and glitches of account.py. No test runs the whole account."""

import sys
from types import SimpleNamespace

import pytest
from simulate import HARDWARE
from test_layout import cell, library

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import account
import flow
from place import Pin

SDF = """
 (TIMESCALE 1ns)
 (CELL (CELLTYPE "m") (INSTANCE)
  (DELAY (ABSOLUTE
    (INTERCONNECT p0 u1/A (0.009::0.009))
    (INTERCONNECT u1/X u2/A (0.001::0.002) (0.003::0.004))
    (INTERCONNECT u1/X u2/B (0.005::0.006)))))
 (CELL (CELLTYPE "and") (INSTANCE u1)
  (DELAY (ABSOLUTE
    (IOPATH A X (0.010::0.100) (0.020::0.200))
    (COND B==1 (IOPATH B X (0.010::0.300) (0.020::0.400))))))
 (CELL (CELLTYPE "ff") (INSTANCE f1)
  (DELAY (ABSOLUTE
    (IOPATH (posedge CLK) Q (0.500::0.500) (0.600::0.600))
    (IOPATH RESET_B Q () (0.900::0.900))
    (IOPATH RESET_B Q (0.900::0.900)))))
"""


def test_delays_are_means():
    """Of the gate's inputs, the longest of each, and of the wire to each sink. The reset of a flip-flop does not count."""
    found = account.read_sdf(SDF)
    assert found[Pin("u1", "X")] == pytest.approx((200 + 4, 300 + 5))
    assert found[Pin("f1", "Q")] == pytest.approx((500, 600))
    assert len(found) == 2


def test_a_pulse_within_a_clock_is_a_glitch(tmp_path):
    """Rising edges at 10, 30 and 50. `a` changes once in the first clock. `b` changes three times in the first clock and twice in
    the second: one transition is needed."""
    vcd = tmp_path / "account.vcd"
    head = "$scope module dut $end\n$var wire 1 ! a $end\n$var wire 1 # b $end\n$upscope $end\n$enddefinitions $end\n"
    vcd.write_text(head + "#5\n$dumpvars\n0!\n0#\n$end\n#10\n#12\n1!\n1#\n#14\n0#\n#29\n1#\n#30\n#31\n0#\n#33\n1#\n#50\n")
    every, needed = account.transitions(vcd, 10)
    assert (every["a"], needed["a"]) == (1, 1)
    assert (every["b"], needed["b"]) == (5, 1)
    vcd.write_text(vcd.read_text().replace("#33\n1#", "#33\nx#"))
    with pytest.raises(flow.FlowError, match="the net b has no value"):
        account.transitions(vcd, 10)


def test_parts_are_those_of_the_registers():
    """A gate has the part of most of its sinks. A gate of the table's registers writes the table."""
    cells = {
        "writes": cell("and", "X", A=1, B=2, X=3),
        "reads": cell("and", "X", A=4, B=2, X=5),
        "both": cell("and", "X", A=6, B=6, X=2),
        "more": cell("and", "X", A=2, B=6, X=7),
        "cell": cell("ff", "Q", CLK=0, D=3, Q=4),
        "part": cell("ff", "Q", CLK=0, D=5, Q=8),
        "other": cell("ff", "Q", CLK=0, D=7, Q=6),
    }
    layout = SimpleNamespace(cells=cells, drive=SimpleNamespace(lib=library()), driver={}, sinks={})
    for name, each in cells.items():
        for pin, (bit,) in each["connections"].items():
            if each["port_directions"][pin] == "output":
                layout.driver[bit] = Pin(name, pin)
            else:
                layout.sinks.setdefault(bit, []).append(Pin(name, pin))
    layout.module = {"netnames": {"n1_q": {"bits": [4]}, "n2_q": {"bits": [9, 8]}, "n3_q": {"bits": [6]}}}
    known = {("n1_q", 0): {"s_n"}, ("n2_q", 0): {"x1"}, ("n2_q", 1): {"part2"}, ("n3_q", 0): {"e1"}}
    found = account.parts(layout, known)
    assert {name: found[name] for name in ("writes", "reads", "more")} == {"writes": account.WRITES, "reads": account.READS, "more": account.REST}
    assert [found[name] for name in ("cell", "part", "other")] == [account.TABLE, account.READS, account.REST]
