# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tests that every bare core passes: cocotb tests, run on one core with one set of generics."""

import os
from collections import Counter
from itertools import chain, repeat
from pathlib import Path

import cocotb
from cases import Traced, all_cases
from cocotb.triggers import RisingEdge
from driver import KEY_BYTES, RC4, Core, N, W, random_key, sometimes
from rfc6229 import vectors

KEYS = int(os.environ.get("KEYS", "20"))
PHASE = int(os.environ.get("PHASE", "0"))
RTL = Path(__file__).resolve().parent.parent / "rtl"
IS_OF_PAPER = (RTL / "paper" / f"{os.environ['COCOTB_TOPLEVEL']}.vhd").exists()
# Clocks after a wipe in which z_o may still show keystream.
Z_WIPED = 11 if IS_OF_PAPER else 1 if os.environ["COCOTB_TOPLEVEL"] == "rc4_pipe" else 0


@cocotb.test()
async def random_keys(dut):
    """Many keys, with a few words of each, find more errors than many words of one key. Small
    tables find more than large ones, because their rounds often touch each other."""
    core = await Core(dut).start()
    for _ in range(KEYS if N < 256 else min(max(KEYS // 4, 1), 500)):
        await core.check_key(random_key(core.rng), 2 * N if N < 64 else 40)


@cocotb.test()
async def every_case(dut):
    """Streams that meet every case in which rounds touch each other: counted, and all there."""
    core = await Core(dut).start()
    met = Counter()
    for _ in range(4 * max(KEYS // 20, 1)):
        key = random_key(core.rng)
        model = Traced(key, PHASE)
        await core.load(key)
        await core.check(model, max(4 * N, 256))
        met += model.cases
    missing = all_cases() - set(met)
    assert not missing, f"never met: {', '.join(sorted(missing))}"


@cocotb.test()
async def long_stream(dut):
    """One key, several turns of i."""
    core = await Core(dut).start()
    await core.check_key(random_key(core.rng), 6 * N)


@cocotb.test()
async def keys_of_one_value(dut):
    """All words of the key the same: the lowest and the highest are there."""
    core = await Core(dut).start()
    for word in (0, 1, N // 2, N - 1):
        await core.check_key([word] * KEY_BYTES, 2 * N)


@cocotb.test(skip=N != 256)
async def rfc6229(dut):
    """Every vector of RFC 6229 for keys of this length, as far as offset 1024."""
    core = await Core(dut).start()
    for key, stream in vectors(KEY_BYTES, 1040 if KEYS > 100 else 272).items():
        await core.load(list(key))
        taken = await core.read(max(stream) + 1)
        for offset, byte in stream.items():
            assert taken[offset] == byte, f"key {key.hex()}, offset {offset}"


@cocotb.test()
async def back_pressure(dut):
    """The reader stops at any moment, seldom and often, and nothing is lost or doubled."""
    core = await Core(dut).start()
    for probability in (0.1, 0.5, 0.9):
        key = random_key(core.rng)
        await core.load(key)
        await core.check(RC4(key, N), min(3 * N, 256), sometimes(core.rng, probability))
    # A long stop, then full speed.
    key = random_key(core.rng)
    model = RC4(key, N)
    await core.load(key)
    await core.check(model, 8, chain(repeat(False, 4 * N), repeat(True)))
    for pause in range(1, 12):
        await core.check(model, N // 4, chain(repeat(False, pause), repeat(True)))


@cocotb.test()
async def idle_key_cycles(dut):
    """The words of the key come with gaps."""
    core = await Core(dut).start()
    for _ in range(3):
        key = random_key(core.rng)
        await core.load(key, (core.rng.randrange(4) for _ in repeat(0)))
        await core.check(RC4(key, N), N)


@cocotb.test()
async def rekey_in_mid_stream(dut):
    """A new key ends the stream: after any number of words, and while none are taken."""
    core = await Core(dut).start()
    for words in range(1, 24):
        await core.check_key(random_key(core.rng), words)
        if words % 3 == 0:
            for _ in range(words):
                await core.clock()
    await core.load(random_key(core.rng))
    await core.check_key(random_key(core.rng), N)


@cocotb.test()
async def no_stream_without_key(dut):
    """Nothing comes after the reset, and nothing between the first word of a key and its last."""
    core = await Core(dut).start()
    dut.z_ready_i.value = 1
    for _ in range(20):
        await core.clock()
        assert dut.z_valid_o.value == 0
    key = random_key(core.rng)
    await core.check_key(key, 4)
    dut.z_ready_i.value = 1
    if KEY_BYTES > 1:
        await core.load(key[:1])
        for _ in range(20):
            await core.clock()
            await core.clock()
            assert dut.z_valid_o.value == 0 and dut.busy_o.value == 0
        await core.load(key[1:])
        await core.check(RC4(key, N), N)


@cocotb.test()
async def clear(dut):
    """clear_i and rst_i end the stream, a half-loaded key and the key schedule. They wipe the key
    and the keystream, even if the clock enable is low."""
    core = await Core(dut).start()
    for stop in (dut.clear_i, dut.rst_i):
        for enable in (1, 0):
            for place in ("stream", "schedule", "load"):
                key = random_key(core.rng)
                if place == "load":
                    await core.load(key[: KEY_BYTES // 2])
                else:
                    await core.load(key)
                if place == "schedule":
                    for _ in range(5):
                        await core.clock()
                if place == "stream":
                    await core.check(RC4(key, N), 5)
                dut.ce_i.value = enable
                stop.value = 1
                await core.clock()
                stop.value = 0
                dut.z_ready_i.value = 1
                dut.ce_i.value = 1
                for clock in range(12):
                    await core.clock()
                    assert dut.z_valid_o.value == 0 and dut.busy_o.value == 0
                    assert clock < Z_WIPED or dut.z_o.value.to_unsigned() == 0, f"keystream is left at the output in clock {clock}"
                await core.check_key(random_key(core.rng), N)


# The paper's register of Z takes what it reads in the first clock of the PRGA, before there is a sum.
@cocotb.test(skip=IS_OF_PAPER)
async def only_keystream_at_the_port(dut):
    """z_o never has words of the key schedule: while z_valid_o is low it is zero or the last keystream."""
    core = await Core(dut).start()

    async def watch():
        shown = 0
        while True:
            await RisingEdge(dut.clk_i)
            z = dut.z_o.value.to_unsigned()
            if dut.z_valid_o.value == 1:
                shown = z
            assert z in (0, shown), f"z_o is {z:#x} while z_valid_o is low"

    for _ in range(4):
        key = random_key(core.rng)
        await core.load(key)
        # The first word of the key has ended the stream; a clock later its last words are gone.
        await core.clock()
        watching = cocotb.start_soon(watch())
        await core.check(RC4(key, N), N, sometimes(core.rng, 0.5))
        watching.cancel()


@cocotb.test()
async def clock_enable(dut):
    """The clock enable falls at any moment: every port keeps still and nothing is lost."""
    core = await Core(dut).start()
    for probability in (0.3, 0.8):
        key = random_key(core.rng)
        model = RC4(key, N)
        taken = []
        words = list(key)
        expected = [model.prga() for _ in range(2 * N)]
        enable = sometimes(core.rng, probability)
        dut.z_ready_i.value = 1
        for _ in range(60 * N):
            dut.key_valid_i.value = int(bool(words))
            dut.key_i.value = words[0] if words else 0
            dut.ce_i.value = int(next(enable))
            await core.clock()
            if dut.z_valid_o.value == 1:
                z = dut.z_o.value.to_unsigned()
                taken += [z >> (W * k) & (N - 1) for k in range(len(dut.z_o) // W)]
            if words and dut.key_ready_o.value == 1:
                words.pop(0)
                taken = []
            if not words and len(taken) >= len(expected):
                break
        assert taken[: len(expected)] == expected
        dut.ce_i.value = 1
        dut.key_valid_i.value = 0
        dut.z_ready_i.value = 0
        await core.clock()
