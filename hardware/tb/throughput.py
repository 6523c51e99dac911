# SPDX-License-Identifier: MIT OR Apache-2.0
"""A cocotb test that counts the clocks of a core and writes them to the file CLOCKS. It compares
them with the expected clocks if the environment has them."""

import json
import os
from pathlib import Path

import cocotb
from driver import RC4, Core, K, N, W, random_key

WORDS = int(os.environ.get("WORDS", "64"))


@cocotb.test()
async def throughput(dut):
    """A key, its schedule, and the first words of keystream, never waiting for the reader."""
    core = await Core(dut).start()
    key = random_key(core.rng)
    dut.z_ready_i.value = 1
    await core.load(key)
    # The clock that took the last word starts the key schedule: the paper's clock pulse 0. What
    # is read at an edge stood there since the edge before.
    taken, seen, ksa, clock = [], [], 0, 0
    while len(taken) < WORDS:
        await core.clock()
        ksa += dut.busy_o.value == 1
        if dut.z_valid_o.value == 1:
            z = dut.z_o.value.to_unsigned()
            taken += [z >> (W * k) & (N - 1) for k in range(K)]
            seen += [clock - ksa] * K
        clock += 1
        assert clock < 10 * (N + WORDS), "the stream does not come"
    model = RC4(key, N)
    assert taken == [model.prga() for _ in taken]

    # n words stand at the output after n / rate + lag clocks.
    rate = (WORDS - K) / (seen[-1] - seen[0])
    lag = seen[0] - K / rate
    counts = {"ksa_clocks": ksa, "prga_lag_clocks": lag, "words_per_clock": rate}
    Path(os.environ["CLOCKS"]).write_text(json.dumps(counts))
    for name, value in counts.items():
        expected = float(os.environ.get(name.upper(), value))
        assert value == expected, f"{name} is {value}, expected {expected}"
