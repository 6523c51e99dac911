# SPDX-License-Identifier: MIT OR Apache-2.0
"""A first look at a core: simulates rc4_spec under a key, prints its keystream and the software model's, and draws the
waveform. `make hardware-try KEY=Quentin` runs it."""

import argparse
import json
import os
import sys

from record import CORE_ROWS, RC4, Picture, Run, drawn, rendered, samples
from simulate import BUILD

K = 2
WORDS = 8  # transfers to print
LONGEST = 256


def tried(key):
    """The core's first bytes under this key, the model's first bytes, and the waveform as SVG."""
    # Key, schedule, pipeline; the same number of clocks again for hits and for the reader's stall.
    run = Run("rc4_spec", "core", (("N", 256), ("K", K), ("KEY_BYTES", len(key))), "clk_i", key.hex(), 256 // K + 60)
    edges, _ = samples(run)
    taken = [clock for clock, edge in enumerate(edges) if edge["z_valid_o"] == edge["z_ready_i"] == "1"][:WORDS]
    stream = b"".join(int(edges[clock]["z_o"], 16).to_bytes(K, "little") for clock in taken)
    model = RC4(list(key))
    expected = bytes(model.prga() for _ in range(WORDS * K))
    picture = Picture("try", f"rc4_spec, K = {K}, key {key.hex()}: the first words", run, range(taken[0] - 4, taken[-1] + 2), CORE_ROWS[4:])
    return stream, expected, rendered(json.dumps(drawn(picture)))


def main():
    parser = argparse.ArgumentParser(description="Simulates rc4_spec under a key, and draws the waveform.")
    parser.add_argument("key", nargs="?", metavar="KEY", default="Quentin", help=f"1 to {LONGEST} bytes; Quentin unless given")
    key = os.fsencode(parser.parse_args().key)
    if not 1 <= len(key) <= LONGEST:
        print(f"try: the key has {len(key)} bytes; it must have 1 to {LONGEST}", file=sys.stderr)
        return 2
    stream, expected, svg = tried(key)
    print(f"key        {key.hex()}")
    print(f"keystream  {stream.hex()}  of rc4_spec, {K} bytes a clock, N = 256")
    print(f"software   {expected.hex()}")
    if stream != expected:
        print("try: the two differ", file=sys.stderr)
        return 1
    file = BUILD / "try.svg"
    file.write_text(svg)
    print(f"waveform   {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
