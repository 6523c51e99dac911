# SPDX-License-Identifier: MIT OR Apache-2.0
"""The data sheet's tables equal the recorded results."""

import csv
import sys
from pathlib import Path

SYN = Path(__file__).resolve().parent.parent / "syn"
sys.path.append(str(SYN))  # last: syn has a search.py too
import datasheet
import layout
import rates
import synth
import test_verilated
import wrapper
from pages import LIBRARIES
from recording import read_rows, record


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


def test_counts_in_the_pages_are_those_of_the_records():
    rows = [row for folder in LIBRARIES.values() for row in read_rows(synth.RESULTS / folder / "routed.csv")]
    assert all(float(row["target_ps"]) < float(row["period_ps"]) for row in rows), "all layouts miss the target, says syn/README.md"
    gates = [int(row["clock_gates"]) for folder in LIBRARIES.values() for row in read_rows(synth.RESULTS / folder / "synthesis.csv") if row["design"].startswith(("rc4_pipe_", "rc4_spec_"))]
    assert f"a core with a rotor {min(gates)} to {max(gates)} gates" in datasheet.FLOW.read_text()
    assert f"20,000 random keys for {len(test_verilated.SHAPES + test_verilated.FULL)} of them" in datasheet.README.read_text()


def test_the_wrapper_is_compared_by_medians(tmp_path, monkeypatch):
    """Uses the mappings recorded for both, if there are more than two."""
    monkeypatch.setattr(datasheet, "RESULTS", tmp_path)
    folder = tmp_path / LIBRARIES["SG13G2"]

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


def test_each_layer_of_wires_has_a_pitch_and_a_least_space():
    for library in LIBRARIES.values():
        known = layout.technology(library)
        assert len(known["pitches_um"]) == len(known["layers"]), library
        assert set(known["layers"]) <= layout.least_spaces(library).keys(), library
