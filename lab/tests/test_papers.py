"""Every table and figure that the papers print has its claim, and so its row in the report."""

import re

import pytest

from lab.studies import NAMES, study


def numbered(kind: str, first: int, last: int, chapter: str = "") -> set[str]:
    """`fig 1` to `fig 14`."""
    return {f"{kind} {chapter}{n}" for n in range(first, last + 1)}


# Counted in the papers themselves.
PRINTED = {
    "galvane2012": numbered("fig", 1, 2, "3.") | numbered("fig", 1, 3, "4.") | {"fig 7.1"} | numbered("fig", 1, 6, "11."),
    "weerasinghe2012": numbered("tab", 1, 8) | numbered("fig", 1, 5),
    "handa2015": numbered("tab", 1, 4) | numbered("fig", 1, 6),
    "sengupta2013": numbered("tab", 1, 6) | numbered("fig", 1, 14),
    "singhal2011": {"tab i", "tab ii"} | numbered("gra", 1, 9),
}


@pytest.mark.parametrize("name", [name for name in NAMES if name in PRINTED])
def test_nothing_printed_is_missing(name):
    found = re.compile(r"(tab|fig|gra)[a-z.]* ([0-9.]*[0-9]|[ivx]+)\b", re.IGNORECASE)
    labels = [found.match(claim.label) for claim in study(name).claims.values()]
    assert PRINTED[name] <= {f"{label[1]} {label[2]}".lower() for label in labels if label}


# Numbers of items of future work, and of contradictions, in each paper.
OUTLOOK = {"galvane2012": 1, "weerasinghe2012": 3, "handa2015": 0, "sengupta2013": 3, "singhal2011": 1}
CONTRADICTIONS = {"galvane2012": 3, "weerasinghe2012": 1, "handa2015": 3, "sengupta2013": 1, "singhal2011": 1}


@pytest.mark.parametrize("name", OUTLOOK)
def test_future_work_and_contradictions_are_claims(name):
    kinds = [claim.kind for claim in study(name).claims.values()]
    assert kinds.count("outlook") >= OUTLOOK[name]
    assert kinds.count("contradiction") >= CONTRADICTIONS[name]
