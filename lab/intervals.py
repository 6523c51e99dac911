"""How sure a figure of recorded times is: 95 % intervals, and conditions that they decide or leave open."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isnan, sqrt
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pandas as pd

from lab.judge import Check
from lab.wilson import Z95, wilson
from lab.wording import series

if TYPE_CHECKING:
    from lab.results import Results

DRAWS = 2000
PLACES = 1001  # of an interval that are tried: a condition may be met between its ends alone
LEVELS = (2.5, 97.5)


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


def sampled(percent: float, samples: float) -> Estimate:
    """A share of a profiler's samples, in percent, with Wilson's interval."""
    low, high = wilson(percent / 100 * samples, samples)
    return Estimate(percent, 100 * low, 100 * high)


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
    figure = np.ones(1 + DRAWS)
    for sets, power in ((over, 1), (under, -1)):
        for place, runs in enumerate(sets):
            figure *= (np.median(runs) * np.append(1, redrawn(f"{power} {place}", tuple((each,) for each in runs)))) ** power
    return estimate(figure)


class Draws:
    """The medians of an experiment's cells, each as an array: the recorded median, then the medians of the cell's runs drawn again.

    numpy carries the spread through any arithmetic on such arrays, and `estimate` reads the interval off the result.
    """

    def __init__(self, results: Results, experiment: str):
        self.experiment = experiment
        runs = results.runs(experiment)
        self.cells = None if runs is None else dict(list(runs.astype({"cell": str, "measured": str}).groupby("cell")))

    def __call__(self, cell: object, recorded: Estimate, times: Callable[[Any], Sequence[float]]) -> np.ndarray:
        """A cell's median. `times` has the times of one run, in any unit; it has none if the run is of another row with the same cell.

        In a record without runs `recorded` has the interval.
        """
        if self.cells is None:
            return np.append(recorded.value, between(recorded, f"{self.experiment} {cell}"))
        rows = self.cells[str(cell)].itertuples() if str(cell) in self.cells else ()
        found = [(run.run, run.counts, each) for run in rows if (each := tuple(times(json.loads(run.measured))))]
        if not found:
            raise KeyError(f"no run is of the cell {cell}")
        # One run has no spread: then those that were not accepted show it.
        chosen = accepted if len(accepted := [each for each in found if each[1]]) > 1 else found
        numbers, _, values = zip(*chosen, strict=True)
        return recorded.value * np.append(1, redrawn(f"{self.experiment} {numbers}", values))


@lru_cache(maxsize=4096)
def redrawn(name: str, runs: tuple[tuple[float, ...], ...]) -> np.ndarray:
    """The median of runs that are drawn again, as shares of their median. The name seeds the draw, so that times of the same runs are drawn together."""
    draw = np.random.default_rng(crc32(name.encode()))
    values = np.array(runs, float)
    drawn = values[draw.integers(len(values), size=(DRAWS, len(values)))]
    return np.median(drawn, axis=(1, 2)) / np.median(values)


def between(recorded: Estimate, name: str) -> np.ndarray:
    """Draws that have a recorded interval. The name seeds them."""
    z = np.random.default_rng(crc32(name.encode())).normal(0, 1 / Z95, DRAWS)
    return recorded.value + np.where(z > 0, z * (recorded.high - recorded.value), z * (recorded.value - recorded.low))


def estimate(figure: np.ndarray) -> Estimate:
    """The interval of a figure that was computed from `Draws`."""
    low, high = np.percentile(figure[1:], LEVELS)
    value = float(figure[0])
    if isnan(value):
        raise ValueError("a figure of times is not a number: are all its times 0?")
    return Estimate(value, min(float(low), value), max(float(high), value))


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
    met = {bool(meets(value)) for value in (figure.value, *np.linspace(figure.low, figure.high, PLACES).tolist())}
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
