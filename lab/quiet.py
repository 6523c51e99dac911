"""The gate of every timed experiment: a run counts if the processors were quiet before and after it.

Neighbours on the same processors slow a core by half, and come and go. A probe is a fixed piece of work on
each processor we may use; a moment is quiet if its slowest processor is within `TOLERANCE` of the best tenth of
all probes of the experiment. Not of the very best: a processor that wakes from idle may run at a higher clock for a
millisecond, which no run of a program gets.
"""

from __future__ import annotations

import os
import time
from bisect import insort
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

TOLERANCE = 1.08
TRIES = 4  # how many runs are made at most for each that is asked
PATIENCE = 3.0  # seconds that a run waits for a quiet moment before it begins anyway


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass
class Samples(Generic[T]):
    """The runs of one piece of work, each with the slower of the probes around it."""

    asked: int
    quiet: Quiet
    taken: list[tuple[float, T]] = field(default_factory=list)

    @property
    def accepted(self) -> list[T]:
        """The runs in quiet moments."""
        return [value for probe, value in self.taken if self.quiet.accepts(probe)]

    @property
    def kept(self) -> list[T]:
        """Those that are reported: the quiet ones, or all if none was quiet."""
        return self.accepted or [value for _, value in self.taken]

    @property
    def counts(self) -> dict[str, int]:
        """For the table: how many runs were asked for, were made, and were quiet."""
        return {"asked": self.asked, "runs": len(self.taken), "quiet": len(self.accepted)}


class Quiet:
    """Tells a quiet moment from a noisy one by how long a fixed piece of work takes on each processor."""

    def __init__(self) -> None:
        self.seen: list[float] = []  # all probes, the best first

    @property
    def best(self) -> float:
        """The first decile of all probes, in seconds."""
        return self.seen[len(self.seen) // 10]

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

    def wait(self, seconds: float) -> float:
        """Wait for a quiet moment, but not longer than this; answers the last probe."""
        end = time.monotonic() + seconds
        while not self.accepts(probe := self.probe()) and time.monotonic() < end:
            time.sleep(0.02)
        return probe

    def race(self, works: Mapping[K, Callable[[], T]], asked: int, tries: int = TRIES,
             patience: float = PATIENCE) -> dict[K, Samples[T]]:
        """Do pieces of work in turn until each has as many quiet runs as asked, or `tries` times as many in all.

        In turn, so that a disturbance does not hit one of them alone.
        """
        samples = {name: Samples[T](asked, self) for name in works}
        before = self.wait(patience)
        for _ in range(asked * tries):
            lacking = [name for name, each in samples.items() if len(each.accepted) < asked]
            for name in lacking:
                if not self.accepts(before):
                    before = self.wait(patience)
                value = works[name]()
                after = self.probe()
                samples[name].taken.append((max(before, after), value))
                before = after
            if not lacking:
                break
        return samples

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
