"""The sentences of verdicts: every name has its figure, and every figure its name."""

import tomllib
from collections import Counter

import pytest

from lab import wording
from lab.judge import Check, Judge, Verdict
from lab.model import answers
from lab.results import Results
from lab.studies import NAMES, study
from lab.wording import Templates, said, series, worded


def test_figures_are_put_into_the_sentence():
    assert worded("C takes {times:.2f} times\n as long.", {"times": 1.104}) == "C takes 1.10 times as long."


@pytest.mark.parametrize(("ahead", "text"), [(True, "Java is ahead by 12 %."), (False, "C is.")])
def test_a_truth_value_chooses_a_sentence(ahead, text):
    assert worded("{ahead:Java is ahead by {gain:.0f} %.|C is.}", {"ahead": ahead, "gain": 12.3}) == text


def test_a_series_has_a_template_for_each_value():
    assert series({"C": 1.26, "Java": 2.0}, "{name} {value:.1f} ms", "; ") == "C 1.3 ms; Java 2.0 ms"


@pytest.mark.parametrize(("figures", "fault"), [({}, "name without a figure: times"), ({"times": 1, "share": 2}, "figures without a place: share")])
def test_a_missing_name_and_an_unused_figure_fail(figures, fault, monkeypatch):
    monkeypatch.setattr(wording, "templates", lambda _: {"a-claim": Templates("{times} times", {"most": "at most {times} times"})})
    for part, verdict in (("verdict", Verdict("a-claim", figures)), ("condition most", Verdict("a-claim", {"times": 1}, (Check("most", True, figures),)))):
        judge = Judge(("a-claim",), lambda _, verdict=verdict: [verdict])
        with pytest.raises(LookupError, match=f"galvane2012/claims.toml, {part} of a-claim: {fault}"):
            answers(judge, Results("galvane2012"))


def test_a_condition_without_a_template_fails(monkeypatch):
    monkeypatch.setattr(wording, "templates", lambda _: {"a-claim": Templates("A verdict.", {})})
    with pytest.raises(LookupError, match="condition most of a-claim: no template"):
        said("galvane2012", Verdict("a-claim", {}, (Check("most", True),)))


def test_a_condition_may_name_a_tolerance(monkeypatch):
    monkeypatch.setattr(wording, "templates", lambda _: {"a-claim": Templates("A verdict.", {"most": "within {FLAT:.0%} of {size}"})})
    assert said("galvane2012", Verdict("a-claim", {}, (Check("most", True, {"size": 3}),))).checks[0].says == "within 10% of 3"


@pytest.mark.parametrize("name", NAMES)
def test_a_verdict_at_the_head_belongs_to_several_claims(name):
    found = tomllib.loads((study(name).folder / "claims.toml").read_text("utf-8"))
    said_by = Counter(claim.get("says") for claim in found["claim"])
    assert all(said_by[shared] > 1 for shared in found.get("verdicts", {}))


@pytest.mark.parametrize("name", NAMES)
def test_every_condition_in_claims_toml_is_judged(name):
    """On the committed results, also where the machine was disturbed."""
    judged = {(verdict.claim, check.name) for judge in study(name).judges for verdict in judge.run(Results(name)) for check in verdict.checks}
    for claim in study(name).claims.values():
        assert {(claim.id, each) for each in claim.conditions} <= judged
    assert set(wording.shared(name)) <= {each for _, each in judged}
