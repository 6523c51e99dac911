# SPDX-License-Identifier: MIT OR Apache-2.0
"""The key search as cells of a library, its tables taken out."""

import sys

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import flow
import liberty
import search_cells
from designs import Design

GENERICS = {"N": 8, "KEY_BYTES": 3, "TEXT_BYTES": 4, "HIT_WORDS": 4}


def design(engines):
    return Design("small_search", "rc4_search", GENERICS | {"ENGINES": engines}, 1, [28])


@pytest.mark.full
def test_tables_are_not_in_the_area(cells, tmp_path):
    """A second engine adds a table but no flip-flops for its bits, and all registers are proven."""
    library = liberty.read(cells, tmp_path)
    fo4 = flow.fo4(library, tmp_path)
    one, two = (search_cells.measure(design(engines), library, fo4, 12.0) for engines in (1, 2))
    # Eight keys of eight cells of four bits.
    assert (one.ram_bits, two.ram_bits) == (8 * 8 * 4, 2 * 8 * 8 * 4)
    # Synthesis merges three registers with their copies. The proof counts both.
    assert one.registers_proven == one.flip_flops + 3
    assert 0 < two.flip_flops - one.flip_flops < one.ram_bits
    assert one.area_ge < two.area_ge < 2 * one.area_ge
    assert two.mkeys_per_s == pytest.approx(2 * 1e6 / two.period_ps / 12, rel=1e-3)


def test_clocks_a_key_must_be_known(cells, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(search_cells, "ROUTED", tmp_path / "none.csv")
    monkeypatch.setattr(sys, "argv", ["search_cells.py", "--design", "rc4_search_1"])
    monkeypatch.setattr(search_cells, "FILE", tmp_path / "search.csv")
    assert search_cells.main() == 1
    assert capsys.readouterr().err == "search_cells: rc4_search_1: its clocks a key are not recorded; run search.py first\n"
    assert not (tmp_path / "search.csv").exists()
