# SPDX-License-Identifier: MIT OR Apache-2.0
"""Counts a core's clocks from the last word of the key to the first of the keystream, and for
the keystream, read without a pause. A cocotb test; FIRST and RATE come from the data sheet."""

import os

import cocotb
from driver import KEY_BYTES, RC4, Core, K, N, random_key

FIRST = os.environ["FIRST"]  # clocks, or "low-high" where they depend on the key
RATE = float(os.environ["RATE"])  # words a clock
SLACK = float(os.environ.get("SLACK", "0"))  # of the rate, where it depends on the data
GROUPS = 1500 if SLACK else 200


@cocotb.test()
async def clocks(dut):
    low, _, high = FIRST.partition("-")
    core = await Core(dut).start()
    for _ in range(3):
        key = random_key(core.rng)
        model = RC4(key, N)
        await core.load(key)
        loaded = core.clocks
        await core.check(model, K)
        first = core.clocks - loaded
        assert int(low) <= first <= int(high or low), f"{first} clocks to the first word"
    # Let the stream run full speed into its stride before it is timed.
    await core.check(model, 8 * K)
    begun = core.clocks
    await core.check(model, GROUPS * K)
    rate = GROUPS * K / (core.clocks - begun)
    assert abs(rate - RATE) <= max(SLACK, 0.002 * RATE), f"{rate:.4f} words a clock"
    dut._log.warning(
        "%d words of key, %d clocks to the first word, %.3f words a clock", KEY_BYTES, first, rate
    )
