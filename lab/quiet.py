"""The runner of every timed experiment: in rounds, each in a random order, through a gate.

The compared programs are timed in turn, in rounds whose order comes from a recorded seed. So a slow
quarter of an hour falls on all cells alike. It shows as their spread, never as a trend over sizes
or programs. A run counts if the processors were quiet before and after it, and if their clock
(`clock.py`) was the sitting's.

Neighbours on the same processors slow a core by half, and come and go. A probe is a fixed piece of
work on each processor we may use. A moment is quiet if its slowest processor is within `TOLERANCE`
of the best tenth of the experiment's probes. The minimum would be too strict, because a processor
that wakes from idle may run at a higher clock for a millisecond.
"""

from __future__ import annotations

import json
import os
import random
import time
from bisect import insort
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pandas as pd

from lab.clock import Clock
from lab.others import Others

TOLERANCE = 1.08
TRIES = 4  # how many runs are made at most for each that is asked
PATIENCE = 3.0  # seconds that a run waits for a quiet moment before it begins anyway


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass
class Run(Generic[T]):
    """One run: its time, the state of the machine around it, and its result."""

    number: int  # of all runs of the experiment, in their order
    probe: float  # seconds, the slower of the two around it
    clocks: tuple[float, ...]  # GHz before and after; none in a quick run
    value: T


@dataclass
class Samples(Generic[T]):
    """The runs of one piece of work."""

    asked: int
    quiet: Quiet
    taken: list[Run[T]] = field(default_factory=list)

    @property
    def accepted(self) -> list[T]:
        """The runs in quiet moments."""
        return [run.value for run in self.taken if self.quiet.counts(run)]

    @property
    def kept(self) -> list[T]:
        """Those that are reported: the quiet ones, or all if none was quiet."""
        return self.accepted or [run.value for run in self.taken]

    @property
    def counts(self) -> dict[str, int]:
        """For the table: how many runs were asked for, were made, and were quiet."""
        return {"asked": self.asked, "runs": len(self.taken), "quiet": len(self.accepted)}


class Quiet:
    """Tells a quiet moment from a noisy one by how long a fixed piece of work takes on each processor."""

    def __init__(self, seed: int = 0, clock: Clock | None = None, budget: float = float("inf")) -> None:
        self.seen: list[float] = []  # all probes, the best first
        self.seed = seed
        self.order = random.Random(seed)
        self.clock = clock  # none in a quick run
        self.budget = budget  # seconds for the experiment: then no new round begins once each cell has a run that counts
        self.begun = self.now()
        self.others = 0.0  # of one processor, that other programs took in a race
        self.made: list[tuple[str, Run]] = []  # all runs, by the name of their cell

    @property
    def best(self) -> float:
        """The first decile of all probes, in seconds."""
        return self.seen[len(self.seen) // 10]

    def now(self) -> float:
        """Seconds of a clock that goes forward."""
        return time.monotonic()

    def probe(self) -> float:
        """Seconds of the work on the slowest of our processors, now."""
        ours = os.sched_getaffinity(0)
        try:
            seconds = max(self._on(processor) for processor in ours)
        finally:
            os.sched_setaffinity(0, ours)
        insort(self.seen, seconds)
        return seconds

    def accepts(self, *probes: float) -> bool:
        """Whether all the probes were near the best tenth so far."""
        return max(probes) <= TOLERANCE * self.best

    def counts(self, run: Run) -> bool:
        """Whether the processors were quiet around a run, and their clock the sitting's."""
        return self.accepts(run.probe) and (self.clock is None or self.clock.accepts(*run.clocks))

    def read(self) -> tuple[float, ...]:
        """The clock, if there is one."""
        return () if self.clock is None else (self.clock.read(),)

    def wait(self, seconds: float) -> float:
        """Wait for a quiet moment, but not longer than this; answers the last probe."""
        end = time.monotonic() + seconds
        while not self.accepts(probe := self.probe()) and time.monotonic() < end:
            time.sleep(0.02)
        return probe

    def race(self, works: Mapping[K, Callable[[], T]], asked: int | Mapping[K, int], tries: int = TRIES,
             patience: float = PATIENCE) -> dict[K, Samples[T]]:
        """Do pieces of work in turn until each has the requested number of quiet runs, or `tries`
        times that number in all.

        In rounds, each in another order, so that a disturbance hits neither one of them alone nor its neighbours in a table.
        """
        samples = {name: Samples[T](asked if isinstance(asked, int) else asked[name], self) for name in works}
        others = Others()
        before, earlier = self.wait(patience), self.read()
        while True:
            lacking = [name for name, each in samples.items() if len(each.accepted) < each.asked and len(each.taken) < each.asked * tries]
            if not lacking or (self.now() - self.begun > self.budget and all(each.accepted for each in samples.values())):
                self.others = max(self.others, others.share())
                return samples
            self.order.shuffle(lacking)
            for name in lacking:
                if not self.accepts(before):
                    before, earlier = self.wait(patience), self.read()
                value = works[name]()
                later, after = self.read(), self.probe()
                run = Run(len(self.made), max(before, after), earlier + later, value)
                samples[name].taken.append(run)
                self.made.append((str(name), run))
                before, earlier = after, later

    def runs(self) -> pd.DataFrame:
        """Every run of the experiment in order, as JSON: its cell, the machine's state around it,
        whether it was accepted, and its measurements."""
        return pd.DataFrame([{"run": run.number, "cell": cell, "probe_ms": 1e3 * run.probe,
                              **dict(zip(("ghz_before", "ghz_after"), run.clocks, strict=False)), "counts": self.counts(run),
                              "measured": json.dumps(run.value, default=str)} for cell, run in self.made])

    @staticmethod
    def _on(processor: int) -> float:
        os.sched_setaffinity(0, {processor})
        times = []
        for _ in range(4):
            start = time.perf_counter()
            word = 1
            for _ in range(10_000):
                word = word * 5 & 0xFFFF
            times.append(time.perf_counter() - start)
        return min(times)
