# SPDX-License-Identifier: MIT OR Apache-2.0
"""The recorded hits are those of the model, and give the rates of the cores."""

import sys

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import hits
import rates


def test_hits_give_the_rates_of_the_core():
    """The model has the rates that rates.py counts on the core, within one part in a hundred."""
    known = rates.recorded()
    rows = hits.recorded()
    assert [row.design for row in rows] == list(hits.DESIGNS)
    for row in rows:
        assert row.rate(row.clocks) == pytest.approx(known[row.design].bytes_per_clock, rel=0.01), row


def test_hits_are_as_often_as_recorded():
    """A second count with fewer words has the same shares of hits, within what chance explains."""
    row = hits.measure("rc4_spec_16", 2, 8192)
    recorded = next(each for each in hits.recorded() if each.design == row.design)
    for name in ("own", "own_groups", "next_groups"):
        assert getattr(row, name) / row.groups == pytest.approx(getattr(recorded, name) / recorded.groups, rel=0.12), name
