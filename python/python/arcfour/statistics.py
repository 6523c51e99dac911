"""How often each byte comes in the keystreams of many random keys.

All arrays of counts have the dtype uint64; positions count from 1 after the drop, so position r
is row r - 1. A core counts some million keystreams of RC4 a second; `arcfour.campaign` takes many
machines.

    >>> from arcfour import statistics
    >>> counts = statistics.single_byte(1 << 20, 2, seed=bytes(32))
    >>> round(float(counts[1, 0]) / (1 << 20) * 256, 1)  # Z2 = 0: Mantin, Shamir 2001
    2.0
"""

from __future__ import annotations

import os
from contextlib import closing
from hashlib import shake_256
from typing import TYPE_CHECKING, Literal

import numpy as np

from . import _count
from ._native import Campaign, Counts, read_table
from ._native import compare as _compare
from ._native import keystreams as _keystreams
from ._native import run_shard as _run_shard
from ._native import threads_of as _threads_of
from ._native import verify as _verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from ._native import _Bytes

__all__ = [
    "AGREEMENTS",
    "VERDICTS",
    "compare",
    "digraphs",
    "read_table",
    "single_byte",
    "verify",
]

SHARD = 1 << 21
"""Keystreams of RC4 that a thread counts at a time: the same counts on any number of threads."""
GROUP = 1 << 8
"""Keys of other families that come from one call of SHAKE."""
BLOCK = 1 << 26
"""Bytes of their keystreams that are held at a time."""

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
"""The dtype of `verify`. `hits` of `trials` had the event. `chance`, `published` and `measured` are
probabilities. `z` is the z-score, and `expected_z` the z-score that the published probability
predicts. `needed` is the number of trials for a detection at 5 sigma. `verdict` is 'seen',
'missing' or 'too few samples'. A value that the sample is too small to show is nan."""


AGREEMENTS = np.dtype(
    [
        ("position", "u4"),
        ("chi_square", "f8"),
        ("degrees", "u4"),
        ("p_value", "f8"),
        ("correlation", "f8"),
        ("verdict", "U16"),
    ]
)
"""The dtype of `compare`: the position, from 1; Pearson's statistic of homogeneity, its degrees of
freedom, and how often two samples of one distribution exceed it; the correlation of the samples'
relative biases, nan if one is flat; 'agrees', 'differs' or 'too few samples'."""


def single_byte(
    keystreams: int,
    positions: int = 256,
    *,
    family: str = "rc4",
    iv: _Bytes | None = None,
    key_length: int = 16,
    key_pattern: Literal["tkip"] | None = None,
    drop: int = 0,
    seed: bytes | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> NDArray[np.uint64]:
    """Count the bytes at each position: an array of shape (positions, 256).

    Element [r - 1, v] is the number of keystreams with Z_r = v. The keys come from the 32 bytes of
    `seed`, which give the same counts every time; without it, from the system's random bytes.

    `family` is one of `arcfour.families`, in upper or lower case; all keys have the same `iv`, if
    the family takes one. `key_pattern` 'tkip' is for RC4. `threads` are 1 to 256, by default one a
    core; each has separate counts. Other Python threads run meanwhile. `progress` is a function,
    called with the number of keystreams counted and the total. An exception that it raises ends the
    count, and so does Ctrl-C. True draws a bar, in a notebook too (package `tqdm`).

    Raises ValueError for a number or a length out of range or no such family, TypeError if an IV is
    missing or one too many.
    """
    whole = _whole(keystreams, key_length, key_pattern, drop, seed, single=positions)
    return _counted("single", whole, family=family, iv=iv, threads=threads, progress=progress)


def digraphs(
    keystreams: int,
    positions: int = 1,
    *,
    family: str = "rc4",
    iv: _Bytes | None = None,
    key_length: int = 16,
    key_pattern: Literal["tkip"] | None = None,
    drop: int = 0,
    seed: bytes | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> NDArray[np.uint64]:
    """Count the pairs of consecutive bytes: an array of shape (positions, 256, 256).

    Element [r - 1, x, y] is the number of keystreams with Z_r = x and Z_r+1 = y. All else is as in
    `single_byte`.
    """
    whole = _whole(keystreams, key_length, key_pattern, drop, seed, digraphs=positions)
    return _counted("digraphs", whole, family=family, iv=iv, threads=threads, progress=progress)


def compare(counts: Counts, other: Counts) -> NDArray[np.void]:
    """Compare the single bytes of two samples: an array of dtype `AGREEMENTS`, a row a position.

    Pearson's test of homogeneity, on neighbouring values added up until 20 are expected in the
    smaller sample, with Holm's correction at 0.001 over all positions. `other` may be a published
    table: `read_table`. The sums of `chi_square` and `degrees` test all positions at once.

    Raises ValueError if their keys are of different lengths or patterns, or their drops differ, or
    they have no position in common.
    """
    return np.array(_compare(counts, other), dtype=AGREEMENTS)


def verify(counts: Counts) -> NDArray[np.void]:
    """Look for every published bias that the counts can show: an array of dtype `VERDICTS`.

    Runs two-sided binomial tests with Holm's correction. With probability 0.001 the list has a
    false positive. A bias is 'missing' if it was not seen, although the sample must show it with
    probability 0.999. In a smaller sample there are 'too few samples'.
    """
    return np.array(_verify(counts), dtype=VERDICTS)


def _whole(
    keystreams: int,
    key_length: int,
    key_pattern: Literal["tkip"] | None,
    drop: int,
    seed: bytes | None,
    *,
    single: int = 0,
    digraphs: int = 0,
) -> Campaign:
    """All keystreams in one shard, which checks every number."""
    return Campaign(
        os.urandom(32) if seed is None else seed,
        1,
        keystreams,
        key_length=key_length,
        key_pattern=key_pattern,
        drop=drop,
        single=single,
        digraphs=digraphs,
    )


def _counted(
    kind: Literal["single", "digraphs"],
    whole: Campaign,
    *,
    family: str,
    iv: _Bytes | None,
    threads: int | None,
    progress: Callable[[int, int], object] | bool | None,
) -> NDArray[np.uint64]:
    """Count the keystreams of a plan, of RC4 in shards, of other families in blocks."""
    threads = _threads_of(threads)
    _keystreams([b"k"], 0, family=family, iv=iv)  # the family and its IV, before any work
    cells = (256,) if kind == "single" else (256, 256)
    total = np.zeros((getattr(whole, kind), *cells), np.uint64)
    with _count.reporting(whole.keystreams, progress=progress) as report:
        if family.lower() == "rc4":
            counting = _count.on_threads(
                lambda job, note: _run_shard(*job, progress=note),
                _shards(whole),
                threads,
                size=lambda job: job[0].keystreams,
                report=report,
            )
            with closing(counting) as counted:
                for shard in counted:
                    total += getattr(shard, kind)
            return total
        if whole.key_pattern is not None:
            message = f"key_pattern is {whole.key_pattern!r}; of {family!r} it must be None"
            raise ValueError(message)
        width = len(total) + len(cells) - 1
        done = 0
        for keys in _keys(whole, max(1, BLOCK // (width * GROUP))):
            z = _keystreams(keys, width, family=family, iv=iv, drop=whole.drop, threads=threads)
            columns = np.ascontiguousarray(z.T)
            for r in range(len(total)):
                found = columns[r]
                if kind == "digraphs":
                    found = found * np.uint16(256) + columns[r + 1]
                counts = np.bincount(found, minlength=total[r].size)
                total[r] += counts.astype(np.uint64).reshape(cells)
            done += len(keys)
            report(done)
    return total


def _shards(whole: Campaign) -> Iterator[tuple[Campaign, int]]:
    """Cut a plan into shards: the keys of each depend on the seed and its number alone."""

    def plan(shards: int, keystreams: int) -> Campaign:
        return Campaign(
            whole.seed,
            shards,
            keystreams,
            key_length=whole.key_length,
            key_pattern=whole.key_pattern,
            drop=whole.drop,
            single=whole.single,
            digraphs=whole.digraphs,
        )

    full, rest = divmod(whole.keystreams, SHARD)
    if full:
        some = plan(full, SHARD)
        for index in range(full):
            yield some, index
    if rest:
        yield plan(full + 1, rest), full


def _keys(whole: Campaign, groups: int) -> Iterator[NDArray[np.uint8]]:
    """The keys of another family, some groups at a time: each group is SHAKE of seed and number."""
    length = whole.key_length
    for first in range(0, whole.keystreams, groups * GROUP):
        count = min(groups * GROUP, whole.keystreams - first)
        drawn = (
            shake_256(whole.seed + (first // GROUP + group).to_bytes(8, "little"))
            for group in range(-(-count // GROUP))
        )
        keys = b"".join(group.digest(GROUP * length) for group in drawn)
        yield np.frombuffer(keys, np.uint8).reshape(-1, length)[:count]
