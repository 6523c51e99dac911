"""Rules of every study, checked on the committed results."""

import altair as alt
import pandas as pd
import pytest

import lab.charts  # noqa: F401
from lab import schema
from lab.judge import Status
from lab.model import KINDS
from lab.numbers import verdicts
from lab.results import NotMeasured, Results
from lab.studies import NAMES, study
from lab.svg import svg


# A record of a tree with uncommitted changes: no commit has it. To make it anew needs a download.
UNCOMMITTED = {("biases", "published-table")}


@pytest.mark.parametrize("name", NAMES)
class TestStudy:
    def test_every_claim_is_answered_once(self, name):
        answered = [verdict.claim for verdict in verdicts(study(name))]
        assert sorted(answered) == sorted(study(name).claims)

    def test_verdicts_say_something(self, name):
        for verdict in verdicts(study(name)):
            assert verdict.status in Status
            assert len(verdict.text) > 20
            assert "nan" not in verdict.text.split()
            assert "{" not in verdict.text, "a figure was not filled in"
            assert all(len(check.says) > 10 and "nan" not in check.says.split() for check in verdict.checks)

    def test_a_verdict_is_an_argument_where_the_claim_says_so(self, name):
        found = study(name)
        for verdict in verdicts(found):
            argument = verdict.status is Status.ARGUMENT
            assert argument == found.claims[verdict.claim].argument, verdict.claim
            assert found.claims[verdict.claim].kind in KINDS

    def test_each_claim_is_judged_once(self, name):
        judged = [claim for judge in study(name).judges for claim in judge.claims]
        assert sorted(judged) == sorted(study(name).claims)

    def test_references_exist(self, name):
        found = study(name)
        parts = (*found.experiments, *found.tables, *found.figures)
        assert {claim for part in parts for claim in part.claims} <= set(found.claims)
        for group in (found.experiments, found.tables, found.figures):
            assert len({part.id for part in group}) == len(group)

    def test_paper_numbers_belong_to_claims_and_parse(self, name):
        for path in (study(name).folder / "claims").glob("*.csv"):
            assert path.stem in study(name).claims
            assert not Results(name).paper(path.stem).empty

    def test_recorded_results_are_full_and_traceable(self, name):
        results = Results(name)
        recorded = [experiment for experiment in study(name).experiments if experiment.id in results]
        for experiment in recorded:
            assert not results[experiment.id].empty
        here = [experiment for experiment in recorded if not results.source(experiment.id)]
        assert {path.stem for path in results.folder.glob("*.csv")} == {experiment.id for experiment in here}, "a table stands twice, or belongs to no experiment"
        for experiment in here:
            record = results.record(experiment.id)
            assert record.full, f"{experiment.id} was recorded by a quick run"
            assert record.revision and record.cpu and record.command
            assert record.revision.endswith("+") == ((name, experiment.id) in UNCOMMITTED), f"{experiment.id}: {record.revision}"

    def test_times_that_answer_one_claim_come_from_one_processor(self, name):
        results = Results(name)
        for claim in study(name).claims:
            timed = [each.id for each in study(name).experiments if each.rules and claim in each.claims and each.id in results]
            assert len({results.record(each).cpu for each in timed}) <= 1, f"{claim}: {timed}"

    def test_recorded_tables_keep_the_schema(self, name):
        results = Results(name)
        recorded = {experiment.id for experiment in study(name).experiments if experiment.id in results}
        assert [fault for experiment in sorted(recorded) for fault in schema.faults(name, experiment, results[experiment])] == []
        said = schema.schema(name)
        assert set(said["rows"]) == recorded
        columns = {column for experiment in recorded for column in results[experiment]}
        named = [column for kind in schema.HOLDS for column in said[kind]]
        assert sorted(named) == sorted(columns), "a column that no table has, or one that stands twice"

    def test_tables_and_figures_come_from_results_alone(self, name):
        results = Results(name)
        for table in study(name).tables:
            try:
                assert not table.build(results).empty
            except NotMeasured:
                assert missing(name, table.claims), f"{table.id} lacks a record that no verdict misses"
        for figure in study(name).figures:
            chart = figure.draw(results)
            assert isinstance(chart, alt.TopLevelMixin)
            drawn = (results.folder / "figures" / f"{figure.id}.svg").read_text("utf-8")
            assert drawn == svg(chart), f"{figure.id} was drawn from other results: `python -m lab draw {name}` draws it anew"
            assert len(figure.alt) > 30


@pytest.mark.parametrize(("column", "cells", "fault"), [
    ("cipher", ["rc4", None], "cipher is empty"), ("cipher", [1, 2], "cipher holds no text"), ("trials", [1, 2.5], "trials holds no whole"),
    ("read_fraction", ["a", "b"], "read_fraction holds no number"), ("colour", ["a", "b"], "does not know the column colour"), ("cipher", ["rc4", "rc4"], "two rows agree")])
def test_the_schema_refuses_another_table(column, cells, fault):
    table = pd.DataFrame({"cipher": ["rc4", "rc4a"], "ciphertexts": [1, 1], "hits": [1, 1], "trials": [1, 1]}).assign(**{column: cells})
    assert fault in "; ".join(schema.faults("handa2015", "broadcast", table))


def missing(name: str, claims: tuple[str, ...]) -> bool:
    """Whether an experiment for one of these claims has no record yet."""
    return any(set(claims) & set(experiment.claims) and experiment.id not in Results(name) for experiment in study(name).experiments)
