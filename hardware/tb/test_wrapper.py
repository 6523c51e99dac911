# SPDX-License-Identifier: MIT OR Apache-2.0
"""The differences between mappings of one design."""

import sys
from collections import Counter

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import lec
import liberty
import synth
import wrapper
from designs import designs

DESIGN = designs()["small"]


def test_another_order_is_the_same_circuit(small):
    """Mapping 0 is the one of synth.py; another has the same cells before abc, and is proven equal."""
    row, folder = small
    library = liberty.read(synth.DEFAULT_LIBRARY, folder.parent)
    text = (folder / "generic.il").read_text()
    assert wrapper.shuffled(text, 0) == text
    other = wrapper.shuffled(text, 1)
    assert other == wrapper.shuffled(text, 1) != text
    assert Counter(wrapper.CELL.findall(other)) == Counter(wrapper.CELL.findall(text))
    assert len(wrapper.CELL.findall(text)) == sum(line.startswith("  cell ") for line in text.splitlines())
    fo4 = row.target_ps / DESIGN.targets_fo4[0]
    first, second = (wrapper.measure(DESIGN, library, fo4, mapping, folder, "source") for mapping in (0, 1))
    assert (first.period_ps, first.area_ge) == (row.period_ps, row.area_ge)
    assert (first.critical_from, first.critical_to) == (row.critical_from, row.critical_to)
    assert second.period_ps == pytest.approx(first.period_ps, rel=0.2)
    assert lec.prove(DESIGN.entity, library, folder, "mapping-1", DESIGN.clock) == row.registers_proven


def test_what_is_no_design_of_cells_is_refused(monkeypatch, capsys):
    """A wrapper that is recorded on FPGAs alone has no core in cells to stand beside."""
    monkeypatch.setattr(sys, "argv", ["wrapper.py", "--design", "rc4_axil_bram", "any.lib"])
    with pytest.raises(SystemExit) as end:
        wrapper.main()
    assert end.value.code == 2
    assert "rc4_axil_bram" in capsys.readouterr().err
