"""Fills the sentences of `claims.toml` with figures. A template names each figure: `{share:.0f} %`.

A truth value chooses between two texts: `{ahead:Java is ahead.|Java takes {times:.2f} times as long.}`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np

from lab.judge import LIMITS, Verdict

LAB = Path(__file__).parent


class Wording(Formatter):
    """`str.format` with named figures only; a figure that no template names is an error."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        """A truth value chooses the text before or after the bar."""
        if isinstance(value, (bool, np.bool_)):
            yes, _, no = format_spec.partition("|")
            return yes if value else no
        return super().format_field(value, format_spec)

    def check_unused_args(self, used_args: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """A figure that was computed and not said."""
        unused = set(kwargs) - used_args
        if unused:
            raise LookupError(f"figures without a place: {', '.join(sorted(unused))}")


def worded(template: str, figures: Mapping[str, Any]) -> str:
    """The text of a template, its lines joined; fails on a name without a figure and a figure without a name."""
    try:
        return re.sub(" {2,}", " ", Wording().vformat(" ".join(template.split()), (), figures)).strip()
    except KeyError as missing:
        raise LookupError(f"name without a figure: {missing.args[0]}") from missing


@dataclass(frozen=True)
class Templates:
    """The sentences of a claim: its verdict, and its conditions by name."""

    verdict: str
    conditions: Mapping[str, str]


@cache
def listed(study: str) -> dict[str, Any]:
    """`claims.toml` of a study. A claim that `says` a name has the verdict of that name at the head of the file."""
    found = tomllib.loads((LAB / study / "claims.toml").read_text("utf-8"))
    for claim in found["claim"]:
        if "says" in claim:
            claim["verdict"] = found["verdicts"][claim.pop("says")]
    return found


def shared(study: str) -> dict[str, str]:
    """The conditions at the head of the file, which several claims have."""
    return listed(study).get("conditions", {})


def templates(study: str) -> dict[str, Templates]:
    """The sentences of each claim of a study."""
    return {claim["id"]: Templates(claim.get("verdict", ""), shared(study) | claim.get("conditions", {})) for claim in listed(study)["claim"]}


def said(study: str, verdict: Verdict) -> Verdict:
    """A verdict and its conditions with their texts."""
    claim = templates(study)[verdict.claim]
    part = "verdict"
    try:
        text, checks = worded(claim.verdict, verdict.figures), []
        for check in verdict.checks:
            part = f"condition {check.name}"
            if check.name not in claim.conditions:
                raise LookupError("no template")
            template = claim.conditions[check.name]
            limits = {name: LIMITS[name] for name in named(template) & set(LIMITS)}
            checks.append(replace(check, says=worded(template, {**limits, **check.figures})))
    except LookupError as wrong:
        raise LookupError(f"lab/{study}/claims.toml, {part} of {verdict.claim}: {wrong}") from wrong
    return replace(verdict, text=text, checks=tuple(checks))


def named(template: str) -> set[str]:
    """The names of figures in a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def series(values: Mapping[Any, Any], template: str, between: str = ", ") -> str:
    """`C 11.4 ms, Java 18.4 ms`: a template of `{name}` and `{value}` for each value."""
    return between.join(template.format(name=name, value=value) for name, value in values.items())


def span(least: str, most: str) -> str:
    """`1.6 to 2.0`, or one figure if both are printed alike."""
    return least if least == most else f"{least} to {most}"


def ends(name: str, values: Any) -> dict[str, float]:
    """The least and the most of some values, as the figures `NAME_least` and `NAME_most`."""
    named = f"{name}_" if name else ""
    return {f"{named}least": np.nanmin(values), f"{named}most": np.nanmax(values)}
