"""The clock of the cores, which determines the speed of work that waits for nothing else.

A small program reads it by a chain of multiplies of known length (crate `arcfour-measure`); it
stays, so that a reading costs milliseconds. A sitting is one visit to the machine. All its runs are
compared with the median of its readings.
"""

from __future__ import annotations

import os
import statistics
import subprocess
from pathlib import Path

WITHIN = 0.02  # by how much the clock beside a run may differ from the sitting's


class Clock:
    """Reads the clock, and remembers all readings of the sitting."""

    def __init__(self, program: Path, seen: list[float] | None = None):
        self.program = program
        self.seen = seen if seen is not None else []
        self.child: subprocess.Popen[str] | None = None

    def read(self) -> float:
        """GHz of the slowest of our processors, now."""
        ghz = min(self._on(processor) for processor in os.sched_getaffinity(0))
        self.seen.append(ghz)
        return ghz

    @property
    def median(self) -> float:
        """GHz of the sitting."""
        return statistics.median(self.seen)

    def accepts(self, *readings: float) -> bool:
        """Whether all readings are the sitting's clock."""
        return all(abs(ghz / self.median - 1) <= WITHIN for ghz in readings)

    def _on(self, processor: int) -> float:
        if self.child is None:
            self.child = subprocess.Popen([self.program, "clock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.child.stdin is not None and self.child.stdout is not None  # pipes were asked for
        os.sched_setaffinity(self.child.pid, {processor})
        self.child.stdin.write("\n")
        self.child.stdin.flush()
        line = self.child.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.program} clock ended with {self.child.wait()}")
        return float(line)

    def close(self) -> None:
        """End the program."""
        if self.child is not None:
            self.child.communicate()
            self.child = None
