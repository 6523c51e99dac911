"""How sure a ratio of recorded times is: 95 % intervals, and conditions that they decide or leave open."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from lab.judge import Check
from lab.wording import series

DRAWS = 2000
LEVELS = (2.5, 97.5)
Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Estimate:
    """A figure with the interval that it lies in, 95 times of 100."""

    value: float
    low: float
    high: float

    def __mul__(self, other: Estimate) -> Estimate:
        """The product, with the interval of the ends' products, which is wider than needed."""
        return Estimate(self.value * other.value, self.low * other.low, self.high * other.high)

    def __truediv__(self, other: Estimate) -> Estimate:
        """The ratio, with the interval of the ends' ratios, which is wider than needed."""
        return Estimate(self.value / other.value, self.low / other.high, self.high / other.low)

    def scaled(self, factor: float) -> Estimate:
        """The estimate times a factor."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor)

    def __str__(self) -> str:
        return f"{self.value:.2f}, interval {self.low:.2f} to {self.high:.2f}"


def wilson(hits: float, trials: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share."""
    p, zz = hits / trials, z * z / trials
    middle, half = p + zz / 2, z * sqrt(p * (1 - p) / trials + zz / 4 / trials)
    return (middle - half) / (1 + zz), (middle + half) / (1 + zz)


def notch(median: float, q1: float, q3: float, runs: float) -> Estimate:
    """A median from its quartiles, as if the runs were normal: its standard error is 1.253 deviations, and the quartiles are 1.349 apart."""
    half = 1.96 * 1.253 / 1.349 * (q3 - q1) / sqrt(max(runs, 1))
    return Estimate(median, median - half, median + half)


def extremes(median: float, least: float, most: float) -> Estimate:
    """A median from the ends: of five runs, one lies outside in 6 of 100 cases (two of 32 orders)."""
    return Estimate(median, min(least, median), max(most, median))


def bootstrap(one: Sequence[float], other: Sequence[float]) -> Estimate:
    """The ratio of two medians, the interval by drawing runs again."""
    return bootstrapped([one], [other])


def bootstrapped(over: Sequence[Sequence[float]], under: Sequence[Sequence[float]]) -> Estimate:
    """The product of some medians over the product of others, likewise: a ratio of two speed-ups has two of each."""
    draw = np.random.default_rng(1)
    value, drawn = 1.0, np.ones(DRAWS)
    for sets, power in ((over, 1), (under, -1)):
        for runs in sets:
            value *= float(np.median(runs)) ** power
            drawn *= np.median(draw.choice(np.asarray(runs, float), (DRAWS, len(runs))), axis=1) ** power
    low, high = np.percentile(drawn, LEVELS)
    return Estimate(value, float(low), float(high))


def measured(runs: pd.DataFrame, cell: object) -> list[dict]:
    """The measurements of a cell's accepted runs, or of all runs if none was accepted:
    `results/STUDY/runs`."""
    chosen = runs[runs.cell == str(cell)]
    if chosen.empty:
        raise KeyError(f"no run is of the cell {cell}")
    return [json.loads(text) for text in (chosen[chosen.counts] if chosen.counts.any() else chosen).measured]


def decided(name: str, figure: Estimate, meets: Callable[[float], bool], /, **figures: Any) -> Check:
    """A condition on a figure: open, if it is met at one place of the interval and not at another.
    Its template names the `interval`."""
    met = {bool(meets(value)) for value in (figure.low, figure.value, figure.high)}
    is_open = len(met) > 1
    return Check(name, None if is_open else met.pop(), {"interval": figure, **figures}, is_open)


def together(name: str, parts: Mapping[str, Estimate], meets: Callable[[float], bool], /, every: bool, **figures: Any) -> Check:
    """A condition that holds if all parts meet it, or if any does. Its template names the `parts`."""
    outcomes = [decided(name, figure, meets).met for figure in parts.values()]
    figures["parts"] = series(parts, "{name} ({value})", "; ")
    final = not every  # one part that is so decides
    if final in outcomes:
        return Check(name, final, figures)
    return Check(name, None, figures, open=True) if None in outcomes else Check(name, every, figures)
