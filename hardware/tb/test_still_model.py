# SPDX-License-Identifier: MIT OR Apache-2.0
"""The model of rc4_still's stages gives RC4, needs each of its forwards, and counts the clocks of the core."""

import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from simulate import HARDWARE, few, shapes
from still_model import FORWARDS, Still

sys.path += [str(HARDWARE / "syn"), str(Path(__file__).resolve().parents[2] / "ports" / "python")]
import rates

from rc4 import RC4


def keys_of(n, count):
    """Random keys of five words."""
    rng = Random(n)
    return [[rng.randrange(n) for _ in range(5)] for _ in range(count)]


def is_rc4(core, key, words):
    """Returns true if a model gives RC4 under its key."""
    serial = RC4(key, core.n)
    return core.read(words) == [serial.prga() for _ in range(words)]


@pytest.mark.parametrize("n, k", shapes([(8, 1), (16, 1), (16, 2), (32, 4), (256, 2)], [(64, 8), (256, 4), (256, 16)]))
def test_gives_rc4(n, k, keys):
    used = Counter()
    for key in keys_of(n, 20 if few(keys) else 1000):
        core = Still(key, n, k)
        assert is_rc4(core, key, 4 * n), key
        used += core.used
    assert k == 1 or set(used) == set(FORWARDS)


@pytest.mark.parametrize("name", FORWARDS)
def test_needs_each_forward(name):
    """Without each forward some key gets another keystream."""
    assert not all(is_rc4(Still(key, 16, 2, [name]), key, 64) for key in keys_of(16, 20))


@pytest.mark.parametrize("k", [2, 4])
def test_clocks_are_those_of_the_core(k):
    """Bytes a clock as rates.py counted them on the core, within one part in a hundred."""
    count, words = 4, 8192
    cores = [Still(key, 256, k) for key in keys_of(256, count)]
    for core in cores:
        core.read(words)
    counted = rates.recorded()[f"rc4_still_{k}"].bytes_per_clock
    assert count * words / sum(core.hits.clocks for core in cores) == pytest.approx(counted, rel=0.01)
