"""The figures of the report, by a second program that shares no code with the lab; and none of them from rounded figures."""

import subprocess
import sys
from functools import cache

import pandas as pd
import pytest

from lab.bench import ROOT
from lab.model import answers
from lab.results import Results
from lab.second import recompute
from lab.studies import NAMES, study


@cache
def said(name: str) -> dict[str, str]:
    """A study's verdicts and their conditions. Disturbed records are included, because their
    arithmetic must be right too."""
    found = [verdict for judge in study(name).judges for verdict in answers(judge, Results(name))]
    return {verdict.claim: "\n".join([verdict.text, *(check.says for check in verdict.checks)]) for verdict in found}


def test_a_second_program_comes_to_the_same_figures():
    found = recompute.everything()
    wrong = [each for each in found if each.words not in said(each.study)[each.claim]]
    assert not wrong, "the report and lab/second/recompute.py differ:\n" + "\n".join(f"{each}\n  {said(each.study)[each.claim]}" for each in wrong)
    assert sum(each.figures for each in found) >= 60


def test_the_second_program_knows_nothing_of_the_lab():
    loaded = "import sys; sys.path.insert(0, 'lab/second'); import recompute; print([name for name in sys.modules if name.split('.')[0] == 'lab'])"
    done = subprocess.run([sys.executable, "-I", "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_is_computed_from_rounded_ones(name, monkeypatch):
    """A table may be rounded for readers. Figures computed from it would be wrong in the last
    digit."""
    rounded = said(name)
    for kind in (pd.DataFrame, pd.Series):
        monkeypatch.setattr(kind, "round", lambda self, *_, **__: self)
    assert said.__wrapped__(name) == rounded
