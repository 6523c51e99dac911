"""A plan in figures: how long a campaign or a search takes on a number of cores, and its cost."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from arcfour import statistics
from arcfour._native import find, threads_of
from arcfour.campaign.search import MAX_SHARDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Work", "measure", "table"]

# Seconds of a worker to start a shard.
START = 1.0
# Seconds of one core, per shard, to check and add up the records: see python/scale.md.
MERGE = 228e-6
# A shard takes ten minutes where there are cores enough to wait for it.
SHARD = 600.0
# With four shards a core, the last ones do not keep many cores waiting.
PER_CORE = 4
ENOUGH = 0.5  # seconds that a measurement takes at least
BYTES = 256
MINUTE, HOUR, DAY, YEAR = 60, 3600, 86_400, 31_557_600


@dataclass(frozen=True)
class Work:
    """So much work of one kind, and how it is cut into shards."""

    name: str
    units: int
    rate: float
    """Units that a core does in a second."""
    most: int
    """Shards at most."""

    def shards(self, cores: int) -> int:
        """Return a number of shards that suits the cores."""
        seconds = self.units / self.rate
        return max(1, min(self.most, ceil(max(seconds / SHARD, PER_CORE * cores))))

    def seconds(self, cores: int) -> float:
        """Return the time by the model: the turns of the busiest core, then the sum on one core."""
        shards = self.shards(cores)
        turns = ceil(shards / cores)
        return turns * (START + self.units / self.rate / shards) + shards * MERGE

    def core_hours(self, cores: int) -> float:
        """Return what is paid: each core until the last shard is added up."""
        return self.seconds(cores) * cores / HOUR

    def efficiency(self, cores: int) -> float:
        """Return the share of the paid time in which keys are scheduled."""
        return self.units / self.rate / HOUR / self.core_hours(cores)


def works(rate: float, key_rate: float) -> list[Work]:
    """Return the works of the table."""
    return [
        *(Work(f"2^{n} keystreams", 1 << n, rate, 1 << 20) for n in (40, 48)),
        *(Work(f"search of {n} bits", 1 << n, key_rate, MAX_SHARDS) for n in (40, 56)),
    ]


def duration(seconds: float) -> str:
    """Write a time in the largest unit that it has at least two of."""
    for unit, name in ((YEAR, "years"), (DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.1f} {name}"
    return f"{seconds:,.1f} seconds"


def table(rate: float, key_rate: float, price: float, cores: Iterable[int]) -> str:
    """Return time and cost of each work on each number of cores."""
    lines = [f"{'work':<18}{'cores':>8}{'shards':>10}{'time':>18}{'cost':>18}{'efficiency':>12}"]
    cores = list(cores)
    lines += [
        f"{work.name:<18}{n:>8}{work.shards(n):>10}{duration(work.seconds(n)):>18}"
        f"{work.core_hours(n) * price:>18,.2f}{work.efficiency(n):>12.1%}"
        for work in works(rate, key_rate)
        for n in cores
    ]
    lines.append(
        f"The model: {START:g} s to start a shard, {MERGE * 1e6:g} µs to add it up, "
        f"cost at {price:g} per core and hour."
    )
    lines.append("A search ends after half of its time on average.")
    return "\n".join(lines) + "\n"


def _rate(work: Callable[[int], object]) -> float:
    """Return units in a second, from the first power of 2 that takes long enough."""
    units = 1 << 16
    while True:
        start = time.perf_counter()
        work(units)
        seconds = time.perf_counter() - start
        if seconds >= ENOUGH:
            return units / seconds
        units *= 2


def _count(threads: int) -> float:
    return _rate(lambda units: statistics.single_byte(units, BYTES, threads=threads))


def _search(threads: int) -> float:
    def search(units: int) -> None:
        # Five bytes of key, as in a search of 40 bits; no key gives these eight bytes.
        known = bytes(range(8))
        find(bytes(8), "?? " * 5, plaintext=known, shard=(1, (1 << 40) // units), threads=threads)

    return _rate(search)


def measure() -> tuple[float, float, str]:
    """Measure keystreams and keys per second of one core, and the scaling on all cores here."""
    cores = threads_of(None)
    rates = [(n, _count(n), _search(n)) for n in sorted({1, 2, cores}) if n <= cores]
    _, rate, key_rate = rates[0]
    lines = [f"{'measured here':<18}{'keystreams/s':>14}{'scaling':>9}{'keys/s':>14}{'scaling':>9}"]
    lines += [
        f"{f'on {n} cores' if n > 1 else 'on 1 core':<18}{counted:>14,.0f}{counted / rate:>9.2f}"
        f"{searched:>14,.0f}{searched / key_rate:>9.2f}"
        for n, counted, searched in rates
    ]
    lines.append(f"The model's scaling on {cores} cores is {cores}.")
    return rate, key_rate, "\n".join(lines) + "\n\n"
