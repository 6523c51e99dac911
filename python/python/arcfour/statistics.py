"""How often each byte comes in the keystreams of many random keys.

All arrays of counts have the dtype uint64; positions count from 1 after the drop, so position r
is row r - 1. One core counts some million keystreams a second; `arcfour.campaign` takes many.

    >>> from arcfour import statistics
    >>> counts = statistics.single_byte(1 << 20, 2, seed=bytes(32))
    >>> round(float(counts[1, 0]) / (1 << 20) * 256, 1)  # Z2 = 0: Mantin, Shamir 2001
    2.0
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

import numpy as np

from ._native import Campaign, Counts, run_shard
from ._native import verify as _verify

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VERDICTS", "digraphs", "single_byte", "verify"]

VERDICTS = np.dtype(
    [
        ("event", "U32"),
        ("source", "U64"),
        ("hits", "u8"),
        ("trials", "u8"),
        ("chance", "f8"),
        ("published", "f8"),
        ("measured", "f8"),
        ("z", "f8"),
        ("expected_z", "f8"),
        ("needed", "f8"),
        ("verdict", "U16"),
    ]
)
"""The dtype of `verify`: the event and who published it; how often it came in how many trials; its
probability by chance, as published and as measured; the z-score, the one that the published value
predicts, and the trials that a detection at 5 sigma needs; 'seen', 'missing' or 'too few samples'.
What a sample is too small to show is nan."""


def single_byte(
    keystreams: int,
    positions: int = 256,
    *,
    key_length: int = 16,
    key_pattern: Literal["tkip"] | None = None,
    drop: int = 0,
    seed: bytes | None = None,
) -> NDArray[np.uint64]:
    """Count the bytes at each position: an array of shape (positions, 256).

    Element [r - 1, v] is in how many of the keystreams Z_r = v. The keys come from the 32 bytes of
    `seed`, which give the same counts every time; without it, from the system's random bytes.
    """
    return _shard(keystreams, key_length, key_pattern, drop, seed, single=positions).single


def digraphs(
    keystreams: int,
    positions: int = 1,
    *,
    key_length: int = 16,
    key_pattern: Literal["tkip"] | None = None,
    drop: int = 0,
    seed: bytes | None = None,
) -> NDArray[np.uint64]:
    """Count the pairs of consecutive bytes: an array of shape (positions, 256, 256).

    Element [r - 1, x, y] is in how many of the keystreams Z_r = x and Z_r+1 = y.
    """
    return _shard(keystreams, key_length, key_pattern, drop, seed, digraphs=positions).digraphs


def verify(counts: Counts) -> NDArray[np.void]:
    """Look for every published bias that the counts can show: an array of dtype `VERDICTS`.

    Two-sided binomial tests with Holm's correction: the chance of any false alarm in the list is
    0.001. A bias is 'missing' if it was not seen though the sample must show it with probability
    0.999; if the sample need not, there are 'too few samples'.
    """
    return np.array(_verify(counts), dtype=VERDICTS)


def _shard(
    keystreams: int,
    key_length: int,
    key_pattern: Literal["tkip"] | None,
    drop: int,
    seed: bytes | None,
    *,
    single: int = 0,
    digraphs: int = 0,
) -> Counts:
    """All keystreams in one shard."""
    campaign = Campaign(
        os.urandom(32) if seed is None else seed,
        1,
        keystreams,
        key_length=key_length,
        key_pattern=key_pattern,
        drop=drop,
        single=single,
        digraphs=digraphs,
    )
    return run_shard(campaign, 0)
