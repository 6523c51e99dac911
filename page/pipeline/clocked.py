"""A cocotb test that loads one key and reads keystream for a number of clocks, for its waveform. KEY holds
the words of the key as decimal numbers, CLOCKS the number of clocks after it is loaded."""

import os

import cocotb
from driver import RC4, Core, K, N, W

KEY = [int(word) for word in os.environ["KEY"].split()]


@cocotb.test()
async def clocked(dut):
    core = await Core(dut).start()
    await core.load(KEY)
    dut.z_ready_i.value = 1
    model = RC4(KEY, N)
    for _ in range(int(os.environ["CLOCKS"])):
        await core.clock()
        if dut.z_valid_o.value == 1:
            z = dut.z_o.value.to_unsigned()
            assert [z >> (W * k) & (N - 1) for k in range(K)] == [model.prga() for _ in range(K)]
