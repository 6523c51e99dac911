"""The interval of a share that was counted."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

Z95 = NormalDist().inv_cdf(0.975)


def wilson(hits: float, trials: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share."""
    p, zz = hits / trials, z * z / trials
    middle, half = p + zz / 2, z * sqrt(p * (1 - p) / trials + zz / 4 / trials)
    return (middle - half) / (1 + zz), (middle + half) / (1 + zz)
