"""ARC4 beside PyCryptodome's and beside the Rust kernel: `make python-bench`.

python bench.py LIBARCFOUR, the library for C, which is the kernel and 1 µs of ctypes. All run in
this process, pinned to one processor, and take turns sample by sample. Figures are medians, and
ratios are medians of the ratios within a turn. What is timed is verified first.
"""

from __future__ import annotations

import ctypes
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import arcfour
import numpy as np
from arcfour import ARC4
from Crypto.Cipher import ARC4 as PYCRYPTODOME

TURNS = 101
MIB = 1 << 20
MESSAGE = os.urandom(64)
KEYS = [os.urandom(16) for _ in range(2048)]

Work = Callable[[], object]


class Kernel:
    """The Rust kernel through libarcfour, xor in place."""

    def __init__(self, path: str) -> None:
        """Load the library."""
        self.kernel = ctypes.CDLL(path)

    def new(self, key: bytes) -> Kernel:
        """Start a stream."""
        self.stream = ctypes.c_void_p()
        size, drop = ctypes.c_size_t(len(key)), ctypes.c_uint64(0)
        if self.kernel.arcfour_new(ctypes.byref(self.stream), key, size, drop) != 0:
            sys.exit("arcfour_new failed")
        return self

    def encrypt(self, data: bytearray, output: bytearray) -> None:
        """Encrypt in place."""
        buffer = (ctypes.c_uint8 * len(output)).from_buffer(output)
        size = ctypes.c_size_t(len(data))
        if self.kernel.arcfour_apply(self.stream, buffer, buffer, size) != 0:
            sys.exit("arcfour_apply failed")


def in_place(arc4: Any) -> Work:
    """1 MiB, one stream, into the buffer it comes from."""
    data = bytearray(os.urandom(MIB))
    cipher, expected = arc4.new(KEYS[0]), PYCRYPTODOME.new(KEYS[0]).encrypt(data)
    cipher.encrypt(data, output=data)
    if data != expected:
        sys.exit(f"{arc4} is wrong")
    return lambda: cipher.encrypt(data, output=data)


def returned(arc4: Any) -> Work:
    """1 MiB, one stream, into new bytes: all that PyCryptodome has."""
    data, cipher = os.urandom(MIB), arc4.new(KEYS[0])
    if cipher.encrypt(data) != PYCRYPTODOME.new(KEYS[0]).encrypt(data):
        sys.exit(f"{arc4} is wrong")
    return lambda: cipher.encrypt(data)


def messages(arc4: Any) -> Work:
    """64 bytes with set-up, for each of the keys."""
    new = arc4.new
    if [new(key).encrypt(MESSAGE) for key in KEYS] != [
        PYCRYPTODOME.new(key).encrypt(MESSAGE) for key in KEYS
    ]:
        sys.exit(f"{arc4} is wrong")

    def run() -> None:
        for key in KEYS:
            new(key).encrypt(MESSAGE)

    return run


def keystreams(count: int) -> Work:
    """256 bytes of each of many keys, on this processor."""
    keys = np.random.default_rng(0).integers(0, 256, (count, 16), np.uint8)
    found = arcfour.keystreams(keys, 256, threads=1)
    if bytes(found[-1]) != PYCRYPTODOME.new(bytes(keys[-1])).encrypt(bytes(256)):
        sys.exit("keystreams is wrong")
    return lambda: arcfour.keystreams(keys, 256, threads=1)


def seconds(work: Work) -> float:
    """How long it takes."""
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def measure(turns: int, works: dict[str, Work]) -> dict[str, list[float]]:
    """Samples of all, in turn."""
    samples: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(turns):
        for name, work in works.items():
            samples[name].append(seconds(work))
    return samples


def ratio(samples: dict[str, list[float]], above: str, below: str) -> float:
    """How many times as long the one takes."""
    turns = zip(samples[above], samples[below], strict=False)
    return statistics.median(above / below for above, below in turns)


def processor() -> str:
    """Name the processor, where the system says it."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:  # noqa: PTH123  # no regular file
        names = [line.split(": ")[1].strip() for line in info if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main(library: str) -> None:
    """Measure and print."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    kernel = Kernel(library)
    long = measure(
        TURNS,
        {
            "kernel, in place": in_place(kernel),
            "arcfour, in place": in_place(ARC4),
            "arcfour, new bytes": returned(ARC4),
            "PyCryptodome, new bytes": returned(PYCRYPTODOME),
        },
    )
    short = measure(TURNS // 3, {"arcfour": messages(ARC4), "PyCryptodome": messages(PYCRYPTODOME)})
    count = 1 << 16
    many = measure(TURNS // 3, {"keystreams": keystreams(count)})["keystreams"]
    rate = count / statistics.median(many) / 1e6
    print(
        f"{processor()}, Python {platform.python_version()}, "
        f"PyCryptodome {version('pycryptodome')}, {time.strftime('%Y-%m-%d')}\n"
    )
    print("| 1 MiB, one stream | µs | MB/s |\n|---|--:|--:|")
    for name, samples in long.items():
        took = statistics.median(samples)
        print(f"| {name} | {took * 1e6:.0f} | {MIB / took / 1e6:.0f} |")
    print("\n| 64 bytes, a new key each | ns |\n|---|--:|")
    for name, samples in short.items():
        print(f"| {name} | {statistics.median(samples) / len(KEYS) * 1e9:.0f} |")
    print(f"\n| keystreams of 256 bytes a core, million a second |\n|--:|\n| {rate:.2f} |")
    print("\n| target | found | |\n|---|--:|---|")
    over = ratio(long, "arcfour, in place", "kernel, in place")
    times = ratio(long, "PyCryptodome, new bytes", "arcfour, in place")
    small = ratio(short, "PyCryptodome", "arcfour")
    for target, value, met in (
        ("1 MiB in place over the kernel, at most 1.05", over, over <= 1.05),
        ("PyCryptodome over 1 MiB in place, at least 2.2", times, times >= 2.2),
        ("PyCryptodome over 64 bytes with set-up, at least 5", small, small >= 5),
        ("million keystreams of 256 bytes a second and core, at least 3", rate, rate >= 3),
    ):
        print(f"| {target} | {value:.3f} | {'met' if met else 'MISSED'} |")


if __name__ == "__main__":
    main(sys.argv[1])
