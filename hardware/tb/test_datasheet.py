# SPDX-License-Identifier: MIT OR Apache-2.0
"""The data sheet's tables are those of the recorded results."""

import sys
from pathlib import Path

SYN = Path(__file__).resolve().parent.parent / "syn"
sys.path.append(str(SYN))  # last: syn has a search.py too
import datasheet


def test_tables_are_of_the_results():
    assert datasheet.tables() in datasheet.README.read_text(), "run syn/datasheet.py"
    assert datasheet.trials() in datasheet.FLOW.read_text(), "run syn/datasheet.py"
