# SPDX-License-Identifier: MIT OR Apache-2.0
"""Wrong Liberty files are refused; unusual ones are read."""

import gzip
import re
import sys

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import drive
import energy
import flow
import liberty


@pytest.mark.parametrize("name, content, said", [
    ("wrong.lib", b"", "no `library"),
    ("wrong.lib", b"\xff\xfe", "cannot read"),
    ("wrong.lib", b"module m; endmodule", "no `library"),
    ("wrong.lib", b"library (x) { cell (y) {", "a brace is not closed"),
    ("wrong.lib", b"library (x) { cell (y) { area : many; } }", "y: the area is many; it must be a number"),
    ("wrong.lib.gz", b"library (x) {}", "cannot read"),
])  # fmt: skip
def test_no_liberty_file(tmp_path, name, content, said):
    refused(tmp_path, name, content, said)


@pytest.mark.parametrize("old, new, said", [
    ('time_unit : "1ns"', 'time_unit : "10ns"', "time_unit is 10ns; it must be 1ps, 10ps, 100ps, 1ns"),
    ('voltage_unit : "1V"', 'voltage_unit : "1mV"', "voltage_unit is 1mv; it must be 1V"),
    ("load_unit (1,pf)", "load_unit (1,af)", "capacitive_load_unit is 1,af; it must be a number, of ff or pf"),
    ("load_unit (1,pf)", "load_unit (pf)", "capacitive_load_unit is pf; it must be a number, of ff or pf"),
    ("load_unit (1,pf)", "load_unit (0,pf)", "capacitive_load_unit is 0,pf; it must be above 0"),
    ("load_unit (1,pf)", "load_unit (nan,pf)", "capacitive_load_unit is nan,pf; it must be above 0"),
])  # fmt: skip
def test_wrong_units_are_refused(cells, tmp_path, old, new, said):
    text = cells.read_text()
    assert old in text
    refused(tmp_path, "wrong.lib", text.replace(old, new).encode(), said)


def test_a_torn_archive(cells, tmp_path):
    whole = gzip.compress(cells.read_bytes())
    refused(tmp_path, "half.lib.gz", whole[: len(whole) // 2], "cannot read")
    refused(tmp_path, "torn.lib.gz", whole[:1000] + bytes(1000) + whole[2000:], "cannot read")


def refused(folder, name, content, said):
    """Expects an error that names the file, and nothing written."""
    (folder / name).write_bytes(content)
    with pytest.raises(liberty.LibraryError, match=f"{re.escape(name)}: {re.escape(said)}"):
        liberty.read(folder / name, folder / "out")
    assert not (folder / "out").exists()


def with_units(cells, folder, time, load):
    """Debian's library with other units, and the same numbers."""
    file = folder / "right.lib"
    text = cells.read_text().replace('time_unit : "1ns"', time).replace("capacitive_load_unit (1,pf)", load)
    file.write_text(text)
    return liberty.read(file, folder / "out")


@pytest.mark.parametrize("time, load, ns, pf", [
    ('time_unit : "1ns"', '(1.0000000000, "pf")', 1, 1),
    ("time_unit : 1ns", "(1,pF)", 1, 1),
    ('time_unit : "1ps"', '("1", "ff")', 0.001, 0.001),
    ('time_unit :\t"10ps"', "  (0.1, ff)", 0.01, 0.0001),
    ("", "", 1, 1),  # Liberty's own, and the usual one
])  # fmt: skip
def test_units_have_several_forms(cells, tmp_path, time, load, ns, pf):
    found = with_units(cells, tmp_path, time, f"capacitive_load_unit {load}" if load else "").units
    assert (found.ns, found.pf) == pytest.approx((ns, pf))


def test_figures_are_in_the_units_of_the_library(cells, tmp_path):
    """The load, the resistance, the power and the delay of an inverter, by the library's tables and by OpenSTA."""
    plain, other = (liberty.read(cells, tmp_path), with_units(cells, tmp_path, 'time_unit : "10ps"', "capacitive_load_unit (1,ff)"))
    pins = [drive.Drive(library).pins["INVX1"] for library in (plain, other)]
    assert pins[1].inputs["A"] == pytest.approx(pins[0].inputs["A"] / 1000)
    assert pins[1].outputs["Y"] == pytest.approx(pins[0].outputs["Y"] * 1000 / 100)
    powers = [energy.Tables(library).tables["INVX1", "Y"][0] for library in (plain, other)]
    for name, times in (("slews", 100), ("loads", 1000)):
        assert getattr(powers[0], name) == pytest.approx([times * each for each in getattr(powers[1], name)])
    assert powers[0].values[0] == pytest.approx([1000 * each for each in powers[1].values[0]])
    assert flow.fo4(other, tmp_path / "out") == pytest.approx(flow.fo4(plain, tmp_path) / 100, rel=1e-3)


def test_a_flip_flop_may_have_one_output(cells, tmp_path):
    file = tmp_path / "right.lib"
    text, changed = re.subn(r"\bff \((\w+), *\w+\)", r"ff (\1)", cells.read_text())
    file.write_text(text)
    assert changed and liberty.read(file, tmp_path / "out").flip_flops["DFFPOSX1"].outputs == {"Q": False}


TEMPLATES = """
lu_table_template (slew_first) { variable_1 : input_net_transition; variable_2 : total_output_net_capacitance; index_1 ("0.1, .2"); index_2 ("1, 2, 3"); }
lu_table_template (load_first) { variable_1 : total_output_net_capacitance; variable_2 : input_net_transition; index_1 ("1, 2, 3"); index_2 ("0.1, 0.2"); }
lu_table_template (by_load) { variable_1 : total_output_net_capacitance; index_1 ("1, 2, 3"); }
"""
NUMBERS = "1, 2e0, +3., .4E+1, 5, -6"


def table(text):
    return drive.table(text, drive.DELAY.match(text), drive.templates(TEMPLATES))


def test_tables_have_their_points_or_their_template_s():
    right = drive.Table([0.1, 0.2], [1, 2, 3], [[1, 2, 3], [4, 5, -6]])
    assert table(f'cell_rise (slew_first) {{ values ("{NUMBERS}"); }}') == right
    assert table(f'cell_fall ("slew_first") {{ index_2 ("7, 8, 9"); values ("{NUMBERS}"); }}').loads == [7, 8, 9]
    assert table('cell_rise (of_its_own) { index_1 ("0.1, 0.2"); index_2 ("1, \\\n 2, 3"); values ("1, 2, 3", \\\n "4, 5, -6"); }') == right
    assert table('cell_rise (load_first) { values ("1, 4", "2, 5", "3, -6"); }') == right
    assert table('cell_rise (by_load) { values ("1, 2, 3"); }') == drive.Table([0.0], [1, 2, 3], [[1, 2, 3]])
    assert table('cell_rise (scalar) { values ("7"); }') == drive.Table([0.0], [0.0], [[7]])


@pytest.mark.parametrize("values", ['values ("1, 2, 3");', 'values ("1, 2, 3, 4, 5, 6, 7");', ""])
def test_a_table_with_too_few_or_too_many_values(values):
    with pytest.raises(liberty.LibraryError, match="a table of the template slew_first has [037] values; it must have 2 by 3"):
        table(f"cell_rise (slew_first) {{ {values} }}")
