"""The sentences of verdicts: every name has its figure, and every figure its name."""

import pytest

from lab import wording
from lab.judge import Check, Judge, Verdict
from lab.model import answers
from lab.results import Results
from lab.wording import series, worded


def test_figures_are_put_into_the_sentence():
    assert worded("C takes {times:.2f} times\n as long.", {"times": 1.104}) == "C takes 1.10 times as long."


@pytest.mark.parametrize(("ahead", "text"), [(True, "Java is ahead by 12 %."), (False, "C is.")])
def test_a_truth_value_chooses_a_sentence(ahead, text):
    assert worded("{ahead:Java is ahead by {gain:.0f} %.|C is.}", {"ahead": ahead, "gain": 12.3}) == text


def test_a_series_has_a_template_for_each_value():
    assert series({"C": 1.26, "Java": 2.0}, "{name} {value:.1f} ms", "; ") == "C 1.3 ms; Java 2.0 ms"


@pytest.mark.parametrize(("figures", "fault"), [({}, "name without a figure: times"), ({"times": 1, "share": 2}, "figures without a place: share")])
def test_a_missing_name_and_an_unused_figure_fail(figures, fault, monkeypatch):
    monkeypatch.setattr(wording, "templates", lambda _: {"a-claim": "{times} times"})
    judge = Judge(("a-claim",), lambda _: [Verdict("a-claim", figures, (Check("a condition", True),))])
    with pytest.raises(LookupError, match=f"galvane2012/claims.toml, verdict of a-claim: {fault}"):
        answers(judge, Results("galvane2012"))
