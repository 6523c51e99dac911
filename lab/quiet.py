"""Quiet moments: neighbours on the same processor slow a core by half, and come and go."""

from __future__ import annotations

import os
import time

TOLERANCE = 1.08


class Quiet:
    """Tells a quiet moment from a noisy one by how long a fixed piece of work takes on each processor."""

    def __init__(self) -> None:
        self.best = float("inf")

    def probe(self) -> float:
        """Seconds of the work on the slowest of our processors, now."""
        ours = os.sched_getaffinity(0)
        try:
            seconds = max(self._on(processor) for processor in ours)
        finally:
            os.sched_setaffinity(0, ours)
        self.best = min(self.best, seconds)
        return seconds

    def accepts(self, *probes: float) -> bool:
        """Whether all the probes were near the best so far."""
        return max(probes) <= TOLERANCE * self.best

    @staticmethod
    def _on(processor: int) -> float:
        os.sched_setaffinity(0, {processor})
        times = []
        for _ in range(2):
            start = time.perf_counter()
            word = 1
            for _ in range(20_000):
                word = word * 5 & 0xFFFF
            times.append(time.perf_counter() - start)
        return min(times)
