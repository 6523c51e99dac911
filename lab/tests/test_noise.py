"""Verdicts on times are undecided if the runs scatter, and decided if they agree."""

import json

import numpy as np
import pandas as pd
import pytest

from lab.judge import Status
from lab.model import answers
from lab.results import Results
from lab.studies import study

# Claims whose conditions all compare times, or shares of them.
TIMED = {
    "galvane2012": ("figure-3-1 figure-3-2 assembly interpreted java-twice-c negligible c-small c-large java-small java-large modulus counter "
                    "small-v2 c-versions java-versions final-small final-large"),
    "singhal2011": "table-1 table-2 graph-1 graph-2 graph-3 graph-4 graph-5 graph-6 graph-8 graph-9 conclusion future-work",
    "weerasinghe2012": "c-on-linux",  # others have conditions on printed times, which ours exceed many times
}
SAMPLED = "c-functions-small c-functions-large c-lines java-methods-small java-methods-large java-lines-small java-lines-large java-lines-v2 java-lines-v3"
COUNTS = ("bytes", "threads", "tasks", "peak_kib")


class Scattered(Results):
    """The committed results with runs that agree, but for a factor of each that is drawn anew."""

    def __init__(self, name: str, sigma: float):
        super().__init__(name)
        self.draw, self.sigma = np.random.default_rng(1), sigma

    def runs(self, experiment: str) -> pd.DataFrame | None:
        runs = numbered(self[experiment]) if "process_us" in self[experiment] else super().runs(experiment)
        if runs is None:
            return None
        first: dict[object, object] = {}
        factors = np.exp(self.draw.normal(0, self.sigma, len(runs)))
        measured = [json.dumps(scaled(first.setdefault((cell, shape(value)), value), factor))
                    for cell, factor, value in zip(runs.cell, factors, map(json.loads, runs.measured), strict=True)]
        return runs.assign(measured=measured, counts=True)


def numbered(table: pd.DataFrame) -> pd.DataFrame:
    """Nine runs of each row, whose cells the runner numbers."""
    rows = [(str(number), json.dumps([row.us, row.process_us])) for number, row in enumerate(table.itertuples()) for _ in range(9)]
    return pd.DataFrame(rows, columns=["cell", "measured"]).assign(run=range(len(rows)), counts=True)


def shape(value: object) -> object:
    """What tells the runs of two rows apart that share a cell."""
    if isinstance(value, list):
        return len(value), shape(value[0])
    return (*value, value.get("bytes")) if isinstance(value, dict) else None


def scaled(value, factor: float):
    """A measurement with all its times multiplied."""
    if isinstance(value, dict):
        return {name: each if name in COUNTS else scaled(each, factor) for name, each in value.items()}
    return [scaled(each, factor) for each in value] if isinstance(value, list) else value * factor


class Fewer(Results):
    """The committed results with a share of a profiler's samples."""

    def __getitem__(self, experiment: str) -> pd.DataFrame:
        table = super().__getitem__(experiment)
        return table.assign(samples=table.samples / 3000) if "samples" in table else table


def found(results: Results) -> dict:
    """The verdicts by claim."""
    return {verdict.claim: verdict for judge in study(results.study).judges for verdict in answers(judge, results)}


@pytest.mark.parametrize("name", TIMED)
def test_no_verdict_on_times_is_decided_by_runs_that_scatter(name):
    verdicts = found(Scattered(name, 3))
    assert {claim: str(verdicts[claim].status) for claim in TIMED[name].split()} == dict.fromkeys(TIMED[name].split(), "undecided")


@pytest.mark.parametrize("name", TIMED)
def test_runs_that_agree_decide_every_condition(name):
    verdicts = found(Scattered(name, 0))
    assert [check for claim in TIMED[name].split() for check in verdicts[claim].checks if check.open] == []


def test_no_profile_is_decided_by_few_samples():
    verdicts = found(Fewer("galvane2012"))
    assert {claim: str(verdicts[claim].status) for claim in SAMPLED.split()} == dict.fromkeys(SAMPLED.split(), "undecided")


@pytest.mark.parametrize("name", TIMED)
def test_records_without_runs_have_verdicts(name, monkeypatch):
    monkeypatch.setattr(Results, "runs", lambda *_: None)
    verdicts = found(Results(name))
    assert set(verdicts) == set(study(name).claims) and Status.PENDING not in {verdict.status for verdict in verdicts.values()}
