# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tables of the layouts, from made results."""

import sys
from dataclasses import fields

from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import datasheet
import layout
import routed_tables
from pages import LIBRARIES
from test_datasheet import write_rows


def test_layouts_stand_beside_their_estimates(tmp_path, monkeypatch):
    """The error belongs to the estimate. A layout of older sources is omitted. A small core has no
    other row, and its words are no bytes."""
    monkeypatch.setattr(routed_tables, "RESULTS", tmp_path)
    assert routed_tables.layouts() == ""
    folder = tmp_path / LIBRARIES["Sky130 HD"]
    folder.mkdir()

    write_rows(folder / "synthesis.csv", [{"design": name, "source": "new"} for name in ("rc4_bram", "rc4_pipe_1")])
    row = dict.fromkeys((field.name for field in fields(layout.Row)), "1") | {"source": "new", "openroad": "v2-g1"}
    row |= {"area_ge": "25000", "period_ps": "4000", "wire_m": "0.25", "pj_per_byte": "100"}
    row |= {"estimate_ge": "20000", "estimate_ps": "3000", "estimate_wire_m": "0.2", "estimate_pj_per_byte": "90"}
    write_rows(folder / "routed.csv", [row | {"design": "rc4_bram"}, row | {"design": "rc4_pipe_1", "source": "old"}, row | {"design": "small_pipe", "source": "any"}])
    text = routed_tables.layouts()
    for design, rate in (("`rc4_bram`", "1.00"), ("`rc4_pipe`, N = 16", "")):
        assert f"| {design} | 20.0 | 25.0 | -20 % | 3.00 | 4.00 | -25 % | 90 | 100 | -10 % | 0.20 | 0.25 | {rate} |" in text
    assert "OpenROAD is `v2-g1`" in text
    assert "rc4_pipe_1" not in text


def test_routed_cores_stand_beside_each_other(tmp_path, monkeypatch):
    """Only in a library that has both cores of a pair."""
    monkeypatch.setattr(routed_tables, "RESULTS", tmp_path)
    columns = ("design", "gbit_per_s", "area_ge", "pj_per_byte")
    for library in ("Sky130 HD", "SG13G2"):
        (tmp_path / LIBRARIES[library]).mkdir()
        rows = [("rc4_spec_2", "4", "60000", "240"), ("rc4_still_4", "8", "90000", "90"), ("small_pipe", "", "900", "9")]
        write_rows(tmp_path / LIBRARIES[library] / "routed.csv", [dict(zip(columns, each, strict=True)) | {"source": "any"} for each in rows])
    assert routed_tables.routed_ratios() == ""
    rows.append(("rc4_still_2", "3", "90000", "156"))
    write_rows(tmp_path / LIBRARIES["Sky130 HD"] / "routed.csv", [dict(zip(columns, each, strict=True)) | {"source": "any"} for each in rows])
    table = "| core | Sky130 HD: against | rate | area | energy |\n|---|--:|--:|--:|--:|\n| `rc4_still_2` | `rc4_spec_2` | 0.75 | 1.5 | 0.65 |\n"
    assert routed_tables.routed_ratios().endswith(f":\n\n{table}")


def test_clocks_are_corrected_by_the_worst_layout(tmp_path, monkeypatch):
    """Of a small core, which has no rate, the period may be much longer. A library without a layout has no corrected clocks."""
    monkeypatch.setattr(routed_tables, "RESULTS", tmp_path)
    libraries = {"Sky130 HD": {}, "SG13G2": {}}
    assert routed_tables.correction(libraries) == ""
    folder = tmp_path / LIBRARIES["Sky130 HD"]
    folder.mkdir()
    write_rows(folder / "synthesis.csv", [{"design": name, "source": "new"} for name in ("rc4_bram", "rc4_pipe_1")])
    periods = {"rc4_bram": ("1000", "1250", "1"), "rc4_pipe_1": ("1000", "1100", "1"), "small_pipe": ("1000", "9000", "")}
    rows = [dict(zip(("design", "estimate_ps", "period_ps", "gbit_per_s"), (name, *each), strict=True)) | {"source": "new"} for name, each in periods.items()]
    write_rows(folder / "routed.csv", rows)
    said = "under *Routed*. That is 1.25 × on Sky130 HD (`rc4_bram`). The column is empty for SG13G2, where no core of full size is laid out.\n"
    assert said in routed_tables.correction(libraries)
    placed = {"area_ge": "5000", "clock_mhz": "500", "period_fo4": "30", "gbit_per_s": "4", "pj_per_byte": "100"}
    libraries = {library: {"rc4_spec_2": placed} for library in libraries}
    assert "| `rc4_spec_2` | 5.0 | 500 | 400 | 30.0 | 4.00 | 100 | 5.0 | 500 |  | 30.0 |" in datasheet.synthesis(libraries, with_wires=True)


def test_an_estimate_may_have_more_wire_than_its_square_holds(tmp_path, monkeypatch):
    """The densest layout of full size without a wiring error is the measure. A library without one has no table, and none whose tracks suffice."""
    monkeypatch.setattr(routed_tables, "RESULTS", tmp_path)
    placed = {"rc4_spec_2": {"side_um": "500", "wire_m": "2"}, "rc4_bram": {"side_um": "500", "wire_m": "2"}}
    libraries = {"Sky130 HD": placed, "SG13G2": placed}
    assert routed_tables.crowding(libraries) == ""
    folder = tmp_path / LIBRARIES["Sky130 HD"]
    folder.mkdir()
    columns = ("design", "side_um", "wire_m", "drc_violations", "gbit_per_s")
    layouts = (("rc4_bram", "500", "1", "0", "1"), ("rc4_pipe_1", "500", "1.5", "7", "1"), ("small_pipe", "100", "1", "0", ""), ("rc4_spec_1", "1000", "2", "0", "1"))
    write_rows(folder / "routed.csv", [dict(zip(columns, each, strict=True)) | {"source": "any"} for each in layouts])
    text = routed_tables.crowding(libraries)
    assert "have 7.97 m of tracks on a mm²" in text and "is `rc4_bram`, with 4.00 m of wire on a mm²" in text
    assert "\n| `rc4_spec_2` | 0.25 | 2.00 | 8.00 | 0.50 |\n" in text
    assert "SG13G2" not in text and "| `rc4_bram` |" not in text  # not among the compared cores
    placed["rc4_spec_2"]["wire_m"] = "1.99"  # 7.96 m/mm²
    assert routed_tables.crowding(libraries) == ""
