"""Defines verdicts and the rules of their status. VERDICTS.md explains them to readers.

A status is never written by hand. A verdict lists the conditions it checked; the status follows
from how many of them the recorded data meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.results import Results


class Status(StrEnum):
    """The closed list of verdicts on a claim."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    FAILS = "does not hold"
    UNDECIDED = "undecided"
    UNTESTABLE = "cannot be tested here"
    ARGUMENT = "argument"
    PENDING = "not measured yet"
    DISTURBED = "disturbed: to be measured again"


# The meaning of each status, for VERDICTS.md and the report.
MEANING = {
    Status.HOLDS: "the recorded data meet every condition of the claim",
    Status.PARTLY: "the recorded data meet some conditions of the claim, and fail others or cannot decide them",
    Status.FAILS: "the recorded data fail every condition that they can decide",
    Status.UNDECIDED: "the recorded times scatter across the limit of a condition, and the verdict depends on it",
    Status.UNTESTABLE: "the recorded data cannot decide any of its conditions: they need a machine, a circuit or a run that is not here",
    Status.ARGUMENT: "the answer is reasoning, not measurement: no data of ours could change it",
    Status.PENDING: "the experiment exists, and has no recorded run yet",
    Status.DISTURBED: "recorded times that must agree do not, so that none of them is judged: see steady.py",
}

# The tolerances, by the kind of comparison.
TIE = 0.03  # two times of one run that differ by less count as equal
RATIO = 0.25  # of ratios of times, rates or areas: the allowed difference between ours and the paper's
POINTS = 10.0  # a share of time: points of a percentage
FLAT = 0.10  # the allowed variation of a cost per byte that should be the same at every size
SIGMA = 5.0  # standard deviations from which a bias counts as seen

TOLERANCES = (
    ("Output, counts, printed arithmetic, rules of a circuit", "equal", "one that differs fails the condition"),
    ("Who is faster than whom", "the same order", f"times of one run that differ by less than {TIE:.0%} are a tie, which counts for neither"),
    ("A ratio of times or areas: speed-up, gain, “twice as fast”", f"within a factor of {1 + RATIO:.2f}",
     "of the ratio printed; the direction alone (above or below 1) is a separate condition"),
    ("A share of time, a percentage saved", f"within {POINTS:.0f} points", "of the share printed"),
    ("The shape of a curve: proportional, constant, a straight line", f"within {FLAT:.0%}",
     "cost per byte (or slope) at one end of the sizes against the other; a stated growth within the same"),
    ("A statistical bias", f"at least {SIGMA:.0f} standard deviations", "and in the direction printed; for published biases `arcfour bias verify` decides, by Holm's method at 0.001"),
    ("A share of successes", "the 95 % interval", "of our share holds the published share; with too few trials the condition cannot be decided"),
    ("A limit: “more than 100 times”, “at most 2”", "as stated", "the limit itself decides, without a tolerance"),
    ("A ratio of times that scatter, a share of a profiler's samples", "the whole 95 % interval", "if it lies on both sides of the limit, the condition is undecided; so is the verdict, if that matters to it"),
    ("An absolute time, rate or area", "not compared",
     "machines, compilers and libraries differ: only what follows from it (order, ratio, shape, unit) is judged"),
)


# The tolerances under the names that a condition's template may use.
LIMITS = {"TIE": TIE, "FACTOR": 1 + RATIO, "POINTS": POINTS, "FLAT": FLAT, "FLAT_FACTOR": 1 + FLAT, "SIGMA": SIGMA}


@dataclass(frozen=True)
class Check:
    """One condition of a claim, and whether the recorded data meet it. `claims.toml` has its sentence."""

    name: str  # of its template
    met: bool | None  # none: the data cannot decide it
    figures: Mapping[str, Any] = field(default_factory=dict)  # the names in its template, and their values
    open: bool = False  # the data could decide it, but scatter across its limit: `met` is none
    says: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "met", None if self.met is None else bool(self.met))


@dataclass(frozen=True)
class Verdict:
    """Our verdict on a claim. `claims.toml` has the sentences; the status follows from the checks."""

    claim: str
    figures: Mapping[str, Any] = field(default_factory=dict)  # the names in its template, and their values
    checks: tuple[Check, ...] = ()
    pending: bool = False
    disturbed: bool = False
    text: str = ""

    @property
    def status(self) -> Status:
        """All conditions met, some, none; none decidable; no conditions at all."""
        if self.pending:
            return Status.PENDING
        if self.disturbed:
            return Status.DISTURBED
        if not self.checks:
            return Status.ARGUMENT
        answers = product(*((True, False) if check.open else (check.met,) for check in self.checks))
        possible = {reached(met) for met in answers}
        return possible.pop() if len(possible) == 1 else Status.UNDECIDED


def reached(met: Sequence[bool | None]) -> Status:
    """The status for conditions that are met, not met, or undecided."""
    if all(each is None for each in met):
        return Status.UNTESTABLE
    if all(met):
        return Status.HOLDS
    return Status.PARTLY if any(met) else Status.FAILS


@dataclass(frozen=True)
class Judge:
    """Answers some claims of a study out of its results."""

    claims: tuple[str, ...]
    run: Callable[[Results], list[Verdict]]


def judge(*claims: str, given: Callable[[Results], Any] = lambda results: results) -> Callable[[Callable[[Any], Verdict | Iterable[Verdict]]], Judge]:
    """Make a function that answers these claims a `Judge`. The function is called with what `given` makes of the results."""
    def decorate(function: Callable[[Any], Verdict | Iterable[Verdict]]) -> Judge:
        def run(results: Results) -> list[Verdict]:
            found = function(given(results))
            return [found] if isinstance(found, Verdict) else list(found)
        return Judge(claims, run)
    return decorate


def judges(*modules: ModuleType) -> tuple[Judge, ...]:
    """The judges that these modules define."""
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Judge))


# Conditions by kind. Each takes figures and answers whether they meet it.


def alike(ours: float, theirs: float, tolerance: float = RATIO) -> bool:
    """Whether two ratios are the same within a factor."""
    return bool(ours > 0 and theirs > 0 and 1 / (1 + tolerance) <= ours / theirs <= 1 + tolerance)


def near(ours: float, theirs: float) -> bool:
    """Whether two percentages are within some points of each other."""
    return bool(abs(ours - theirs) <= POINTS)


def faster(one: float, other: float) -> bool:
    """Whether a time is less than another of the same run by more than a tie."""
    return bool(one < other * (1 - TIE))


def same_order(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Whether every two times that the paper tells apart are apart the same way in ours."""
    pairs = [(a, b) for a in range(len(ours)) for b in range(len(ours)) if faster(theirs[a], theirs[b])]
    return all(faster(ours[a], ours[b]) for a, b in pairs)


def flat(values: Sequence[float], tolerance: float = FLAT) -> bool:
    """Whether costs per byte are the same at every size."""
    return bool(max(values) <= (1 + tolerance) * min(values))
