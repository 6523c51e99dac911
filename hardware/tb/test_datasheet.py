# SPDX-License-Identifier: MIT OR Apache-2.0
"""The data sheet's tables equal the recorded results."""

import csv
import sys
from dataclasses import fields
from pathlib import Path

SYN = Path(__file__).resolve().parent.parent / "syn"
sys.path.append(str(SYN))  # last: syn has a search.py too
import datasheet
import layout
import rates
import wrapper
from recording import record


def write_rows(file, rows):
    """A file of results with these rows, whatever their columns."""
    with file.open("w", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_tables_are_of_the_results():
    assert datasheet.tables() in datasheet.README.read_text(), "run syn/datasheet.py"
    assert datasheet.details() in datasheet.DETAILS.read_text(), "run syn/datasheet.py"
    assert datasheet.trials() in datasheet.FLOW.read_text(), "run syn/datasheet.py"


def test_the_rates_of_rc4_spec_are_the_counted_ones():
    depths, known = (1, 2, 4, 8, 16), rates.recorded()
    counted = ", ".join(f"{known[f'rc4_spec_{k}'].bytes_per_clock:.3g}" for k in depths)
    correct = " and ".join(f"{known[f'rc4_spec_{k}_correct'].bytes_per_clock:.3g}" for k in (8, 16)) + " for K = 8 and 16 with `CORRECT`"
    assert f"| {counted} for K = {', '.join(map(str, depths))}; {correct} |" in datasheet.README.read_text()


def test_the_wrapper_is_compared_by_medians(tmp_path, monkeypatch):
    """Uses the mappings recorded for both, if there are more than two."""
    monkeypatch.setattr(datasheet, "RESULTS", tmp_path)
    folder = tmp_path / datasheet.LIBRARIES["SG13G2"]

    def made(design, periods):
        for mapping, period in enumerate(periods):
            record(folder / "wrapper.csv", wrapper.Row(design, mapping, period, 1, "a", "b", "c", "d"), key=("design", "mapping"))

    made("rc4_spec_2", [1000, 1010, 1200, 1])
    made("rc4_axis_2", [1111, 1000, 2000])
    made("rc4_spec_4", [1000, 1010])
    made("rc4_axis_4", [1000, 1010])
    assert datasheet.mappings() == (
        "\nOn SG13G2, median clock periods over mappings that order the gates differently (`wrapper.py`): "
        "`rc4_axis_2` 1.10 × `rc4_spec_2` (3 mappings, slowest over fastest 2.00 and 1.20).\n"
    )


def test_layouts_stand_beside_their_estimates(tmp_path, monkeypatch):
    """The error belongs to the estimate. A layout of older sources is omitted. A small core has no
    other row, and its words are no bytes."""
    monkeypatch.setattr(datasheet, "RESULTS", tmp_path)
    assert datasheet.layouts() == ""
    folder = tmp_path / datasheet.LIBRARIES["Sky130 HD"]
    folder.mkdir()

    write_rows(folder / "synthesis.csv", [{"design": name, "source": "new"} for name in ("rc4_bram", "rc4_pipe_1")])
    row = dict.fromkeys((field.name for field in fields(layout.Row)), "1") | {"source": "new", "openroad": "v2-g1"}
    row |= {"area_ge": "25000", "period_ps": "4000", "wire_m": "0.25", "pj_per_byte": "100"}
    row |= {"estimate_ge": "20000", "estimate_ps": "3000", "estimate_wire_m": "0.2", "estimate_pj_per_byte": "90"}
    write_rows(folder / "routed.csv", [row | {"design": "rc4_bram"}, row | {"design": "rc4_pipe_1", "source": "old"}, row | {"design": "small_pipe", "source": "any"}])
    text = datasheet.layouts()
    for design, rate in (("`rc4_bram`", "1.00"), ("`rc4_pipe`, N = 16", "")):
        assert f"| {design} | 20.0 | 25.0 | -20 % | 3.00 | 4.00 | -25 % | 90 | 100 | -10 % | 0.20 | 0.25 | {rate} |" in text
    assert "OpenROAD is `v2-g1`" in text
    assert "rc4_pipe_1" not in text


def test_routed_cores_stand_beside_each_other(tmp_path, monkeypatch):
    """Only in a library that has both cores of a pair."""
    monkeypatch.setattr(datasheet, "RESULTS", tmp_path)
    columns = ("design", "gbit_per_s", "area_ge", "pj_per_byte")
    for library in ("Sky130 HD", "SG13G2"):
        (tmp_path / datasheet.LIBRARIES[library]).mkdir()
        rows = [("rc4_spec_2", "4", "60000", "240"), ("rc4_still_4", "8", "90000", "90"), ("small_pipe", "", "900", "9")]
        write_rows(tmp_path / datasheet.LIBRARIES[library] / "routed.csv", [dict(zip(columns, each, strict=True)) | {"source": "any"} for each in rows])
    assert datasheet.routed_ratios() == ""
    rows.append(("rc4_still_2", "3", "90000", "156"))
    write_rows(tmp_path / datasheet.LIBRARIES["Sky130 HD"] / "routed.csv", [dict(zip(columns, each, strict=True)) | {"source": "any"} for each in rows])
    table = "| core | Sky130 HD: against | rate | area | energy |\n|---|--:|--:|--:|--:|\n| `rc4_still_2` | `rc4_spec_2` | 0.75 | 1.5 | 0.65 |\n"
    assert datasheet.routed_ratios().endswith(f":\n\n{table}")


def test_clocks_are_corrected_by_the_worst_layout(tmp_path, monkeypatch):
    """Of a small core, which has no rate, the period may be much longer. A library without a layout has no corrected clocks."""
    monkeypatch.setattr(datasheet, "RESULTS", tmp_path)
    libraries = {"Sky130 HD": {}, "SG13G2": {}}
    assert datasheet.correction(libraries) == ""
    folder = tmp_path / datasheet.LIBRARIES["Sky130 HD"]
    folder.mkdir()
    write_rows(folder / "synthesis.csv", [{"design": name, "source": "new"} for name in ("rc4_bram", "rc4_pipe_1")])
    periods = {"rc4_bram": ("1000", "1250", "1"), "rc4_pipe_1": ("1000", "1100", "1"), "small_pipe": ("1000", "9000", "")}
    rows = [dict(zip(("design", "estimate_ps", "period_ps", "gbit_per_s"), (name, *each), strict=True)) | {"source": "new"} for name, each in periods.items()]
    write_rows(folder / "routed.csv", rows)
    said = "under *Routed*. That is 1.25 × on Sky130 HD (`rc4_bram`). The column is empty for SG13G2, where no core of full size is laid out.\n"
    assert said in datasheet.correction(libraries)
    placed = {"area_ge": "5000", "clock_mhz": "500", "period_fo4": "30", "gbit_per_s": "4", "pj_per_byte": "100"}
    libraries = {library: {"rc4_spec_2": placed} for library in libraries}
    assert "| `rc4_spec_2` | 5.0 | 500 | 400 | 30.0 | 4.00 | 100 | 5.0 | 500 |  | 30.0 |" in datasheet.synthesis(libraries, with_wires=True)


def test_an_estimate_may_have_more_wire_than_its_square_holds(tmp_path, monkeypatch):
    """The densest layout of full size without a wiring error is the measure. A library without one has no table, and none whose tracks suffice."""
    monkeypatch.setattr(datasheet, "RESULTS", tmp_path)
    placed = {"rc4_spec_2": {"side_um": "500", "wire_m": "2"}, "rc4_bram": {"side_um": "500", "wire_m": "2"}}
    libraries = {"Sky130 HD": placed, "SG13G2": placed}
    assert datasheet.crowding(libraries) == ""
    folder = tmp_path / datasheet.LIBRARIES["Sky130 HD"]
    folder.mkdir()
    columns = ("design", "side_um", "wire_m", "drc_violations", "gbit_per_s")
    layouts = (("rc4_bram", "500", "1", "0", "1"), ("rc4_pipe_1", "500", "1.5", "7", "1"), ("small_pipe", "100", "1", "0", ""), ("rc4_spec_1", "1000", "2", "0", "1"))
    write_rows(folder / "routed.csv", [dict(zip(columns, each, strict=True)) | {"source": "any"} for each in layouts])
    text = datasheet.crowding(libraries)
    assert "have 7.97 m of tracks on a mm²" in text and "is `rc4_bram`, with 4.00 m of wire on a mm²" in text
    assert "\n| `rc4_spec_2` | 0.25 | 2.00 | 8.00 | 0.50 |\n" in text
    assert "SG13G2" not in text and "| `rc4_bram` |" not in text  # not among the compared cores
    placed["rc4_spec_2"]["wire_m"] = "1.99"  # 7.96 m/mm²
    assert datasheet.crowding(libraries) == ""


def test_each_layer_of_wires_has_a_pitch_and_a_least_space():
    for library in datasheet.LIBRARIES.values():
        known = layout.technology(library)
        assert len(known["pitches_um"]) == len(known["layers"]), library
        assert set(known["layers"]) <= layout.least_spaces(library).keys(), library
