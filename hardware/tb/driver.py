# SPDX-License-Identifier: MIT OR Apache-2.0
"""Drives the ports of a bare core from a cocotb test, and keeps the golden model beside it."""

import os
import random
import sys
from itertools import repeat
from pathlib import Path

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ports" / "python"))
from rc4 import RC4

N = int(os.environ["N"])
K = int(os.environ["K"])
KEY_BYTES = int(os.environ["KEY_BYTES"])
W = N.bit_length() - 1


def random_key(rng):
    return [rng.randrange(N) for _ in range(KEY_BYTES)]


def sometimes(rng, probability):
    """An endless row of True and False, True with this probability."""
    while True:
        yield rng.random() < probability


class Core:
    """A bare core after its reset."""

    def __init__(self, dut):
        self.dut = dut
        self.rng = random.Random(int(os.environ.get("SEED", "1")))
        self.clocks = 0

    async def start(self):
        """Starts the clock and resets the core."""
        dut = self.dut
        dut.clk_i.value = 0
        dut.ce_i.value = 1
        dut.clear_i.value = 0
        dut.key_i.value = 0
        dut.key_valid_i.value = 0
        dut.z_ready_i.value = 0
        dut.rst_i.value = 1
        await Timer(5, "ns")  # the first edge sees them
        Clock(dut.clk_i, 10, "ns", impl="gpi").start()
        await self.clock()
        await self.clock()
        dut.rst_i.value = 0
        await self.clock()
        return self

    async def clock(self):
        """Waits for the clock edge. What is read now is what the edge saw; what is written now
        holds for the next one."""
        await RisingEdge(self.dut.clk_i)
        self.clocks += 1

    async def load(self, key, idle=None):
        """Loads a key; `idle` says before each word for how long no word is offered."""
        dut = self.dut
        for word in key:
            for _ in range(next(idle) if idle else 0):
                await self.clock()
            dut.key_i.value = word
            dut.key_valid_i.value = 1
            await self.clock()
            while dut.key_ready_o.value != 1:
                await self.clock()
            dut.key_valid_i.value = 0
            dut.key_i.value = self.rng.randrange(N)

    async def scheduled(self, limit=8):
        """Waits for the end of the key schedule; returns its clocks."""
        clocks = 0
        await self.clock()
        while self.dut.busy_o.value == 1:
            clocks += 1
            assert clocks < limit * N, "the key schedule does not end"
            await self.clock()
        return clocks

    async def read(self, words, ready=None, patience=5 * N + 100):
        """Takes this many words of keystream, rounded up to groups of K; `ready` yields for each
        clock whether the reader is ready. Returns the words."""
        dut = self.dut
        ready = ready or repeat(True)
        taken = []
        waited = 0
        now = next(ready)
        dut.z_ready_i.value = int(now)
        while len(taken) < words:
            await self.clock()
            waited += now
            if now and dut.z_valid_o.value == 1:
                z = dut.z_o.value.to_unsigned()
                taken += [z >> (W * k) & (N - 1) for k in range(K)]
                waited = 0
            assert waited < patience, "no keystream comes"
            now = next(ready)
            dut.z_ready_i.value = int(now)
        # The last write above takes effect before the next edge.
        dut.z_ready_i.value = 0
        return taken

    async def check(self, model, words, ready=None):
        """Compares this many words of keystream, rounded up, with the model."""
        taken = await self.read(words, ready)
        expected = [model.prga() for _ in taken]
        assert taken == expected, f"keystream {taken}, expected {expected}"

    async def check_key(self, key, words):
        """Loads a key and compares the first words of its stream."""
        await self.load(key)
        await self.check(RC4(key, N), words)
