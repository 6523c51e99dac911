# SPDX-License-Identifier: MIT OR Apache-2.0
"""Counts a core's clocks from the last word of the key to the first of the keystream, and for
the keystream, read without a pause. Cocotb tests; FIRST, RATE and FILLED come from the data sheet."""

import os

import cocotb
from driver import KEY_BYTES, RC4, Core, K, N, random_key

FIRST = os.environ["FIRST"]  # clocks of a key after another one, or "low-high" where they depend on the key
FILLED = os.environ.get("FILLED")  # clocks of a key long after a reset, if they are fewer
RATE = float(os.environ["RATE"])  # words a clock
SLACK = float(os.environ.get("SLACK", "0"))  # of the rate, where it depends on the data
GROUPS = 1500 if SLACK else 200


async def begin(core):
    """Loads a key and takes its first words; returns the clocks, and the model."""
    key = random_key(core.rng)
    model = RC4(key, N)
    await core.load(key)
    loaded = core.clocks
    await core.check(model, K)
    return core.clocks - loaded, model


@cocotb.test()
async def clocks(dut):
    low, _, high = FIRST.partition("-")
    core = await Core(dut).start()
    await begin(core)
    for _ in range(3):
        first, model = await begin(core)
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


@cocotb.test(skip=not FILLED)
async def filled_table(dut):
    core = await Core(dut).start()
    for _ in range(N):
        await core.clock()
    first, _ = await begin(core)
    assert first == int(FILLED), f"{first} clocks to the first word"
