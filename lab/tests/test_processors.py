"""Records of other processors: whole, undisturbed, of another processor, and beside ours in a table."""

import pytest

from lab.handa2015.ratios import RATIOS
from lab.processors import Ratio, beside
from lab.results import Results
from lab.steady import faults
from lab.studies import NAMES, study

OTHERS = [(name, place, path.stem) for name in NAMES for place in Results(name).elsewhere() for path in sorted(place.folder.glob("*.csv"))]


@pytest.mark.parametrize(("name", "place", "experiment"), OTHERS, ids=lambda each: getattr(each, "study", each))
def test_a_record_of_another_processor_can_be_compared(name, place, experiment):
    found = next(each for each in study(name).experiments if each.id == experiment)
    assert faults(place[experiment], found.rules) == []
    assert place.record(experiment).full
    assert place.record(experiment).cpu != Results(name).record(experiment).cpu


def test_each_processor_has_its_column():
    table = beside([Ratio("two threads", "rolled", "overall_s", {"work": "parc4i", "threads": 1}, {"work": "parc4i", "threads": 2})])(Results("handa2015"))
    assert len(table.columns) == 4 and table.notna().all(axis=None)
    assert table.iloc[0, 1] != table.iloc[0, 2]


def test_a_name_that_several_kinds_share_says_so():
    """Zen 1, 4 and 5 are all called AMD EPYC."""
    heads = beside(RATIOS)(Results("handa2015"))
    assert {"AMD EPYC, family 26, model 2", "AMD EPYC (family not recorded)"} <= set(heads)
