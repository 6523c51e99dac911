"""Real English prose that every test machine has, and a model of it for attacks."""

from __future__ import annotations

from functools import cache
from itertools import islice, repeat
from pathlib import Path
from pydoc_data import topics

import numpy as np

# Debian's base-files; near duplicates are left out.
LICENSES = ["GPL-3", "MPL-1.1", "Apache-2.0", "LGPL-2.1", "GFDL-1.3", "GPL-2", "MPL-2.0", "GPL-1", "CC0-1.0", "Artistic"]


@cache
def prose() -> bytes:
    """About 180 KB of licence texts, one after the other, in ASCII."""
    folder = Path("/usr/share/common-licenses")
    return b"".join((folder / name).read_bytes() for name in LICENSES).decode("ascii", "ignore").encode()


def text(size: int) -> bytes:
    """`size` bytes of prose, repeated as often as it takes, the last byte a line feed."""
    copies = b"".join(islice(repeat(prose()), size // len(prose()) + 1))
    return copies[: size - 1] + b"\n"


def file(folder: Path, size: int) -> Path:
    """A file of that much prose, in a folder."""
    path = folder / f"text-{size}"
    path.write_bytes(text(size))
    return path


class Model:
    """Log-probabilities of bytes and of pairs of bytes, learnt from Python's own manual.

    Another genre than `prose()`, so that nothing is recovered by having seen it.
    """

    def __init__(self) -> None:
        manual = np.frombuffer("\n".join(topics.topics.values()).encode("ascii", "ignore"), np.uint8)
        floor = np.full(256, 1e-3)
        floor[[9, 10, *range(32, 127)]] = 0.5  # text that the manual happens not to have
        single = np.bincount(manual, minlength=256) + floor
        single /= single.sum()
        pairs = np.bincount(manual[:-1].astype(int) * 256 + manual[1:], minlength=1 << 16).reshape(256, 256)
        smoothed = pairs + 20 * single
        self.single = np.log(single).astype(np.float32)
        self.pair = np.log(smoothed / smoothed.sum(axis=1, keepdims=True)).astype(np.float32)
