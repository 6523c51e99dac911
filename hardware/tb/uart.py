# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tests of rc4_uart: what a host sends and receives on the serial line."""

import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, Timer
from driver import RC4

PERIOD = 10  # ns
BIT = int(os.environ["CLOCK_HZ"]) // int(os.environ["BAUD"])  # clocks
KEY_BYTES = int(os.environ["KEY_BYTES"])
LIMIT = {"timeout_time": 20, "timeout_unit": "ms"}  # an error must not keep a test waiting for ever
PRESSED, LIT = (0, 0) if os.environ["ACTIVE_LOW"] == "true" else (1, 1)


class Host:
    pace = 1  # the length of its bits, relative to the board's bits

    def __init__(self, dut):
        self.dut, self.got = dut, b""

    async def start(self, fresh=False):
        """Begins anew: with a break, or, `fresh`, as the board does."""
        dut = self.dut
        dut.rx_i.value = 1
        dut.wipe_i.value = 1 - PRESSED
        Clock(dut.clk_i, PERIOD, "ns", impl="gpi").start()
        await self.bits(2)
        if not fresh:
            await self.send_break()
        cocotb.start_soon(self.receive())
        return self

    async def bits(self, count):
        await Timer(round(count * BIT * PERIOD * 1000 * self.pace), "ps")

    async def send(self, data):
        for byte in data:
            for level in (0, *(byte >> n & 1 for n in range(8)), 1):
                self.dut.rx_i.value = level
                await self.bits(1)

    async def send_break(self):
        self.dut.rx_i.value = 0
        await self.bits(12)
        self.dut.rx_i.value = 1
        await self.bits(1)

    async def receive(self):
        while True:
            await FallingEdge(self.dut.tx_o)
            await self.bits(1.5)
            byte = 0
            for n in range(8):
                byte |= int(self.dut.tx_o.value) << n
                await self.bits(1)
            assert self.dut.tx_o.value == 1, "no stop bit"
            self.got += bytes([byte])

    async def exchange(self, data):
        """Sends these bytes, and answers what came back, after as long as an answer may take."""
        self.got = b""
        await self.send(data)
        await self.bits(25)
        return self.got

    def lamps(self):
        return int(self.dut.key_o.value) == LIT, int(self.dut.error_o.value) == LIT


def encrypted(key, data):
    model = RC4(list(key))
    return bytes(byte ^ model.prga() for byte in data)


@cocotb.test(**LIMIT)
async def keys_and_text(dut):
    """Keys of several lengths, each after a break or the button; the text follows the key at once."""
    host = await Host(dut).start(fresh=True)
    assert host.lamps() == (False, False)
    assert await host.exchange(b"\3Key" + b"Plaintext") == bytes.fromhex("bbf316e8d940af0ad3")
    assert host.lamps() == (True, False)
    for length in (1, KEY_BYTES):
        if length == 1:
            await host.send_break()
        else:
            dut.wipe_i.value = PRESSED
            await host.bits(3)
            dut.wipe_i.value = 1 - PRESSED
            await host.bits(1)
        assert host.lamps() == (False, False)
        key = bytes(range(7, 7 + length))
        text = b"Attack at dawn"
        assert await host.exchange(bytes([length]) + key + text) == encrypted(key, text)
        assert await host.exchange(b"?") == encrypted(key, text + b"?")[-1:]


@cocotb.test(**LIMIT)
async def wrong_lengths(dut):
    """A length that is not allowed: the lamp, and silence, until a break."""
    host = await Host(dut).start()
    for length in (0, KEY_BYTES + 1, 255):
        assert await host.exchange(bytes([length]) + bytes(KEY_BYTES) + b"text") == b""
        assert host.lamps() == (False, True)
        await host.send_break()
        assert await host.exchange(b"\3Key" + b"Pl") == bytes.fromhex("bbf3")
        await host.send_break()


@cocotb.test(**LIMIT, skip=BIT > 60)
async def too_fast(dut):
    """Two bytes while the schedule of the key runs: the second one is an error, and no byte is lost without a word."""
    host = await Host(dut).start()
    assert await host.exchange(b"\3Key" + b"P" + b"laintext") == b""
    assert host.lamps() == (False, True)
    await host.send_break()
    await host.send(b"\3Key")
    await host.bits(60)
    assert await host.exchange(b"Plaintext") == bytes.fromhex("bbf316e8d940af0ad3")


@cocotb.test(**LIMIT)
async def break_in_a_key(dut):
    """What was sent of a key is gone."""
    host = await Host(dut).start()
    await host.send(b"\5ab")
    await host.send_break()
    assert await host.exchange(b"\3Key" + b"Plain") == bytes.fromhex("bbf316e8d9")


@cocotb.test(**LIMIT)
async def disturbances(dut):
    """A line that is low for less than half a bit sends no byte, before a length and between bytes of text."""
    host = await Host(dut).start()

    async def disturb():
        for clocks in (1, 2, BIT // 4, BIT // 2 - 2):
            dut.rx_i.value = 0
            await ClockCycles(dut.clk_i, clocks)
            dut.rx_i.value = 1
            await host.bits(12)

    await disturb()
    await host.send(b"\3Key")
    await host.bits(1100 / BIT)
    for byte, answer in ((b"P", "bb"), (b"l", "f3")):
        await disturb()
        assert await host.exchange(byte) == bytes.fromhex(answer)
    assert host.lamps() == (True, False)


@cocotb.test(timeout_time=20, timeout_unit="ms", skip=BIT > 16)
async def fast_clock(dut):
    """Text without a pause, from hosts whose clocks are 0.2 % and 1 % fast: each byte is answered."""
    host = await Host(dut).start()
    text = bytes(range(256)) * 4
    for host.pace in (0.998, 0.99):
        await host.send_break()
        await host.send(b"\3Key")
        await host.bits(1100 / BIT)
        assert await host.exchange(text) == encrypted(b"Key", text)
        assert host.lamps() == (True, False)
