# SPDX-License-Identifier: MIT OR Apache-2.0
"""The vectors of RFC 6229, from vectors/."""

from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "vectors" / "rc4-rfc6229.txt"


def vectors(key_bytes, end):
    """For every key of this length: the known bytes of its stream in front of `end`, by offset."""
    streams = {}
    for line in FILE.read_text().splitlines():
        if line and not line.startswith("#"):
            key, offset, stream = line.split()
            key, offset = bytes.fromhex(key), int(offset)
            if len(key) == key_bytes and offset + len(stream) // 2 <= end:
                known = streams.setdefault(key, {})
                known.update(enumerate(bytes.fromhex(stream), offset))
    return streams
