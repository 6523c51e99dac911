"""The processor time of other programs while an experiment is timed.

The gate of `quiet.py` compares the moments of one experiment with each other, so a steady load looks quiet to it. Beside
compilers RC4A's definition took 1.5 times as long in every accepted run.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

MOST = 0.2  # of one processor
TICKS = os.sysconf("SC_CLK_TCK")
BUSY = slice(0, 3), slice(5, 8)  # user, nice, system; irq, softirq, and what the host of a virtual machine steals


class Others:
    """Watches from its making on."""

    def __init__(self) -> None:
        self.begun, self.before = time.monotonic(), elsewhere()

    def share(self) -> float:
        """The processors that others kept busy so far, 0.5 for half of one."""
        return (elsewhere() - self.before) / max(time.monotonic() - self.begun, 1 / TICKS)


def elsewhere() -> float:
    """Seconds of all processors since the machine started, without this program and its children that have ended."""
    fields = [int(field) for field in Path("/proc/stat").read_text("ascii").splitlines()[0].split()[1:]]
    own = os.times()
    return sum(sum(fields[part]) for part in BUSY) / TICKS - sum(own[:4])
