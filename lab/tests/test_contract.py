"""What every study must keep to, checked on the committed results."""

import altair as alt
import pytest

import lab.charts  # noqa: F401
from lab.model import Status
from lab.results import Results
from lab.studies import NAMES, study


@pytest.mark.parametrize("name", NAMES)
class TestStudy:
    def test_every_claim_is_answered_once(self, name):
        results = Results(study(name))
        answered = [verdict.claim for verdict in study(name).verdicts(results)]
        assert sorted(answered) == sorted(study(name).claims)

    def test_verdicts_say_something(self, name):
        for verdict in study(name).verdicts(Results(study(name))):
            assert verdict.status in Status
            assert len(verdict.text) > 20
            assert "nan" not in verdict.text.split()
            assert "{" not in verdict.text, "a figure was not filled in"

    def test_references_exist(self, name):
        found = study(name)
        parts = (*found.experiments, *found.tables, *found.figures)
        assert {claim for part in parts for claim in part.claims} <= set(found.claims)
        for group in (found.experiments, found.tables, found.figures):
            assert len({part.id for part in group}) == len(group)

    def test_paper_numbers_belong_to_claims_and_parse(self, name):
        for path in (study(name).folder / "claims").glob("*.csv"):
            assert path.stem in study(name).claims
            assert not study(name).paper(path.stem).empty

    def test_recorded_results_are_full_and_traceable(self, name):
        results = Results(study(name))
        for experiment in study(name).experiments:
            assert not results[experiment.id].empty
            record = results.record(experiment.id)
            assert record.full, f"{experiment.id} was recorded by a quick run"
            assert record.revision and record.cpu and record.command

    def test_tables_and_figures_come_from_results_alone(self, name):
        results = Results(study(name))
        for table in study(name).tables:
            assert not table.build(results).empty
        for figure in study(name).figures:
            chart = figure.draw(results)
            assert isinstance(chart, alt.TopLevelMixin)
            assert "<path" in chart_svg(chart)
            assert (results.folder / "figures" / f"{figure.id}.svg").exists()
            assert len(figure.alt) > 30


def chart_svg(chart: alt.TopLevelMixin) -> str:
    import vl_convert

    return vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=alt.SCHEMA_VERSION.rsplit(".", 1)[0])
