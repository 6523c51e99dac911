# SPDX-License-Identifier: MIT OR Apache-2.0
"""The record of line coverage: every file has a row, and each missing line still exists and is explained."""

import line_coverage


def test_the_table_is_of_the_record():
    assert line_coverage.table() in line_coverage.README.read_text(), "make -C hardware coverage"


def test_the_record_is_of_the_files():
    _, rows = line_coverage.recorded()
    names = {path.relative_to(line_coverage.RTL).as_posix() for path in line_coverage.RTL.rglob("*.vhd")}
    assert {row["file"] for row in rows} == names
    for row in rows:
        text = (line_coverage.RTL / row["file"]).read_text().splitlines()
        there = {" ".join(line.split()) for line in text}
        assert set(row["missed"].splitlines()) <= there, f"{row['file']} has changed: make -C hardware coverage"
