# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tests of rc4_axil and rc4_wb: keys and data through the registers, and every wrong use by a driver."""

import os
import re
from pathlib import Path

import cocotb
from buses import MAP, PERIOD, Refused, Registers, as_described, bits, strobed
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from driver import RC4
from rfc6229 import vectors

HARDWARE = Path(__file__).resolve().parent.parent

K = int(os.environ["K"])
KEY_BYTES = int(os.environ["KEY_BYTES"])
WORDS = int(os.environ["WORDS"])
ROUNDS = int(os.environ.get("ROUNDS", "3"))
LIMIT = {"timeout_time": 2 + ROUNDS, "timeout_unit": "ms"}  # an error must not keep a test waiting for ever
# Maximum clocks of an access: the bus, and four bytes of the key, or of data in the slowest core.
PATIENCE = 30


class Rc4(Registers):
    """A driver's operations."""

    async def load(self, key, drop=0, wait=True):
        """Loads a key in words and parts of words, sometimes one right after the other, and answers its model."""
        if drop != await self.read("DROP"):
            await self.write("DROP", drop)
        await self.write("KEY_LENGTH", len(key))
        at, pairs = 0, []
        while at < len(key):
            count = self.rng.choice((1, 2, 4, 4, 4))
            lane = self.rng.randrange(5 - count)
            word = int.from_bytes(bytes(lane) + bytes(key[at : at + count]).ljust(count, b"\xa5"), "little")
            pairs.append((word, ((1 << count) - 1) << lane))
            at += count
        if self.rng.random() < 0.5:
            await self.write_all(*(("KEY", *pair) for pair in pairs))
        else:
            for pair in pairs:
                await self.write("KEY", *pair)
        if wait:
            await self.wait("streaming")
        model = RC4(list(key))
        for _ in range(drop):
            model.prga()
        return model

    async def wait(self, field):
        for _ in range(3000):
            if (await self.fields("STATUS"))[field]:
                return
        raise AssertionError(f"STATUS.{field} does not rise")

    async def exchange(self, model, words):
        """Writes words with random strobes, and reads the results when they are available."""
        waiting = []
        while words or waiting:
            status = await self.fields("STATUS")
            assert status["available"] <= len(waiting) <= WORDS
            assert status["room"] == WORDS - len(waiting)
            assert status["data_room"] == int(status["room"] > 0)
            assert status["data_available"] == int(status["available"] > 0)
            for _ in range(self.rng.randrange(status["room"] + 1)):
                if words:
                    words -= 1
                    count = self.rng.choice((1, 2, 3, 4, 4, 4, 4))
                    strobe = ((1 << count) - 1) << self.rng.randrange(5 - count)
                    word = self.rng.getrandbits(32)
                    await self.write("DATA", word, strobe)
                    for b in range(4):
                        word ^= model.prga() << 8 * b if strobe >> b & 1 else word & 0xFF << 8 * b
                    waiting.append(word)
            for _ in range(self.rng.randrange(status["available"] + 1)):
                assert await self.read("DATA") == waiting.pop(0)

    async def closed(self):
        """There is no key, no data and no keystream."""
        assert await self.read("STATUS") & ~bits("STATUS", "key_error") == 0
        for _ in range(3):
            with Refused():
                await self.read("DATA")
            with Refused():
                await self.write("DATA", 1)
            with Refused():
                await self.write("KEY", 1)
        assert await self.read("KEY") == 0

    def key(self):
        return self.rng.randbytes(self.rng.randrange(1, KEY_BYTES + 1))


@cocotb.test(**LIMIT)
async def description(dut):
    registers = await Rc4(dut).start()
    parameters = 256 << 20 | KEY_BYTES << 8 | K
    await as_described(registers, parameters, {"CONTROL", "DROP", "KEY_LENGTH", "KEY", "DATA"})
    assert await registers.read("CONTROL") == 0
    await registers.write("CONTROL", 0xFFFFFFFF, 0xE)
    assert await registers.read("CONTROL") == 0
    await registers.write("CONTROL", 0xFFFFFFFE)
    assert await registers.read("CONTROL") == 2
    await registers.closed()
    assert registers.longest <= PATIENCE


PARTIAL = range(1, 15)
# Values that a field of 9 or 16 bits would take for others.
ABOVE = [1 << bit for bit in range(16, 32)] + [0x10003, 0x80000001, 0xFFFFFFFF]


@cocotb.test(**LIMIT)
async def edges(dut):
    """Writes the minimum and the maximum of a register, one more, each higher bit alone, all
    strobes, and each bit without a field. A refused value is an error and changes nothing, except
    that KEY_LENGTH wipes."""
    registers = await Rc4(dut).start()
    for drop in (0, 1, 255, 256, 65534, 65535):
        await registers.write("DROP", drop)
        assert await registers.read("DROP") == drop
    for drop in [65536, 70000, *ABOVE]:
        with Refused():
            await registers.write("DROP", drop)
        assert await registers.read("DROP") == 65535
    for strobe in PARTIAL:
        with Refused():
            await registers.write("DROP", 0, strobe)
        assert await registers.read("DROP") == 65535
    await registers.write("DROP", 0, 0)
    assert await registers.read("DROP") == 65535
    await registers.write("DROP", 0)

    model = await registers.load(registers.key())
    await registers.write("KEY_LENGTH", KEY_BYTES, 0)  # without a strobe nothing is written
    await registers.exchange(model, WORDS)
    wrong = [0, KEY_BYTES + 1, 511, 512, 517, *(1 << bit for bit in range(9, 16)), *ABOVE]
    for value, strobe in [*((value, 15) for value in wrong), *((KEY_BYTES, strobe) for strobe in PARTIAL)]:
        await registers.load(b"\1", wait=False)
        with Refused():
            await registers.write("KEY_LENGTH", value, strobe)
        assert await registers.read("STATUS") == bits("STATUS", "key_error"), f"KEY_LENGTH {value:#x}, strobes {strobe:04b}"
        assert await registers.read("KEY_LENGTH") == 1
        await registers.closed()
    for length in sorted({1, KEY_BYTES - 1, KEY_BYTES} - {0}):
        await registers.write("KEY_LENGTH", length)
        assert await registers.read("KEY_LENGTH") == length
        assert await registers.read("STATUS") == bits("STATUS", "key_wanted")

    # Bits of CONTROL that are no field, each alone, and strobes without its byte: nothing is wiped.
    model = await registers.load(registers.key())
    for bit in range(32):
        if not bits("CONTROL") >> bit & 1:
            await registers.write("CONTROL", 1 << bit)
    for strobe in range(0, 16, 2):
        await registers.write("CONTROL", 0xFFFFFFFF, strobe)
    assert await registers.read("CONTROL") == 0
    # Bytes of data, by all strobes.
    for strobe in range(16):
        word = registers.rng.getrandbits(32)
        await registers.write("DATA", word, strobe)
        await registers.wait("data_available")
        stream = sum(model.prga() << 8 * byte for byte in range(4) if strobe >> byte & 1)
        assert await registers.read("DATA") == strobed(word, strobe) ^ stream
    # Bytes of a key, by all strobes.
    for strobe in range(1, 16):
        if strobe.bit_count() <= KEY_BYTES:
            word = registers.rng.getrandbits(32)
            key = [word >> 8 * byte & 255 for byte in range(4) if strobe >> byte & 1]
            await registers.write("KEY_LENGTH", len(key))
            await registers.write("KEY", word, 0)
            await registers.write("KEY", word, strobe)
            await registers.wait("streaming")
            await registers.exchange(RC4(key), 2)
    assert registers.longest <= PATIENCE


@cocotb.test(**LIMIT)
async def rfc6229(dut):
    """The vectors of RFC 6229 for keys of this length: words that the core fills by itself."""
    registers = await Rc4(dut).start()
    await registers.write("CONTROL", bits("CONTROL", "keystream"))
    for key, stream in vectors(KEY_BYTES, 272).items():
        await registers.load(key, wait=False)
        taken = b""
        while len(taken) <= max(stream):
            for _ in range((await registers.fields("STATUS"))["available"]):
                taken += (await registers.read("DATA")).to_bytes(4, "little")
            with Refused():
                await registers.write("DATA", 0)
        for offset, byte in stream.items():
            assert taken[offset] == byte, f"key {key.hex()}, offset {offset}"
    assert registers.longest <= PATIENCE


@cocotb.test(**LIMIT)
async def data(dut):
    """Keys, drops, data and pauses at random; a key ends the stream before it, wherever that is."""
    registers = await Rc4(dut).start()
    for probability in (0, 0.2, 0.6) * ROUNDS:
        registers.pauses(probability)
        for _ in range(2):
            drop = registers.rng.choice((0, 0, 1, 7, 256))
            model = await registers.load(registers.key(), drop)
            await registers.exchange(model, registers.rng.randrange(3 * WORDS))
            for word in range(registers.rng.randrange(WORDS)):  # these the next key wipes
                await registers.write("DATA", word)
            if registers.rng.random() < 0.5:
                await registers.load(registers.key(), wait=False)
                await registers.clocks(registers.rng.randrange(300))
    assert registers.longest <= PATIENCE


@cocotb.test(**LIMIT)
async def keystream_and_data(dut):
    """Words of keystream and data in one stream, in the order in which they were asked for."""
    registers = await Rc4(dut).start()
    model = await registers.load(registers.key())
    for _ in range(2 * ROUNDS):
        await registers.exchange(model, registers.rng.randrange(2 * WORDS))
        await registers.write("CONTROL", bits("CONTROL", "keystream"))
        for _ in range(registers.rng.randrange(3 * WORDS)):
            await registers.wait("data_available")
            assert await registers.read("DATA") == sum(model.prga() << 8 * b for b in range(4))
        await registers.write("CONTROL", 0)
        # What it filled by itself before that is still there.
        while (await registers.fields("STATUS"))["room"] + (await registers.fields("STATUS"))["available"] != WORDS:
            pass
        for _ in range((await registers.fields("STATUS"))["available"]):
            assert await registers.read("DATA") == sum(model.prga() << 8 * b for b in range(4))


@cocotb.test(**LIMIT)
async def wrong_use(dut):
    """What is not allowed is an error, and changes nothing."""
    registers = await Rc4(dut).start()
    await registers.closed()
    for length in (0, KEY_BYTES + 1, 511):
        await registers.load(registers.key())
        with Refused():
            await registers.write("KEY_LENGTH", length)
        assert (await registers.fields("STATUS"))["key_error"] == 1
        await registers.closed()
    # While a key is awaited, and its schedule runs.
    key = bytes(n & 255 for n in range(1, KEY_BYTES + 1))
    drop = 200 * K  # so that the schedule and the drop last
    await registers.write("DROP", drop)
    await registers.write("KEY_LENGTH", KEY_BYTES)
    assert await registers.read("KEY_LENGTH") == KEY_BYTES
    for half in (key[: KEY_BYTES // 2], key[KEY_BYTES // 2 :]):
        status = await registers.fields("STATUS")
        assert status["key_wanted"] == 1 and status["key_error"] == 0
        for byte in half:
            with Refused():
                await registers.write("DATA", 0)
            with Refused():
                await registers.read("DATA")
            await registers.write("KEY", byte, 1)
    for _ in range(10):
        with Refused():
            await registers.write("KEY", 0)
        with Refused():
            await registers.write("DATA", 0)
        with Refused():
            await registers.read("DATA")
        status = await registers.fields("STATUS")
        assert status["busy"] == 1 and status["streaming"] == 0 and status["key_wanted"] == 0
    await registers.wait("streaming")
    model = RC4(list(key))
    for _ in range(drop):
        model.prga()
    # More than there is room for, and a word that is not there.
    for word in range(WORDS):
        await registers.write("DATA", word)
    for _ in range(3):
        with Refused():
            await registers.write("DATA", 0)
        with Refused():
            await registers.write("KEY", 0)
    for word in range(WORDS):
        await registers.wait("data_available")
        assert await registers.read("DATA") == word ^ sum(model.prga() << 8 * b for b in range(4))
    with Refused():
        await registers.read("DATA")
    await registers.exchange(model, 2 * WORDS)
    # Half of the room, and all there is, at once: each word waits for the one before.
    clocks = {}
    for words in (WORDS // 2, WORDS):
        begun = get_sim_time("ns")
        await registers.write_all(*(("DATA", word, 15) for word in range(words)))
        clocks[words] = (get_sim_time("ns") - begun) / PERIOD
        for word in range(words):
            await registers.wait("data_available")
            assert await registers.read("DATA") == word ^ sum(model.prga() << 8 * b for b in range(4))
    if os.environ.get("CORE") == "bram" and WORDS == 8:
        stated = re.search(r"`rc4_bram`\s+takes\s+a\s+word\s+every\s+(\d+)\s+clocks", (HARDWARE / "registers/README.md").read_text())
        assert clocks[8] - clocks[4] == 4 * int(stated[1])
    assert registers.longest <= PATIENCE


@cocotb.test(**LIMIT)
async def pace(dut):
    """One access after another takes the clocks that the page of the registers states."""
    registers = await Rc4(dut).start()
    clocks = {}
    for accesses in (4, 8):
        begun = get_sim_time("ns")
        await registers.write_all(*[("INTERRUPT_ENABLE", 0, 15)] * accesses)
        clocks[accesses] = (get_sim_time("ns") - begun) / PERIOD
    bus = "Wishbone B4, classic" if "wb" in os.environ["COCOTB_TOPLEVEL"] else "AXI4-Lite"
    stated = re.search(rf"- {bus}: an access takes (\d) clocks or more", (HARDWARE / "registers/README.md").read_text())
    assert clocks[8] - clocks[4] == 4 * int(stated[1])


@cocotb.test(**LIMIT)
async def key_in_words(dut):
    """STATUS between the words of a key says whether more are wanted, and a drop written after the last one is of the next key."""
    registers = await Rc4(dut).start()
    for length in range(1, min(KEY_BYTES, 9) + 1):
        key = registers.rng.randbytes(length)
        words = [int.from_bytes(key[at : at + 4], "little") for at in range(0, length, 4)]
        await registers.write("DROP", 0)
        await registers.write("KEY_LENGTH", length)
        for word in words:
            status = await registers.fields("STATUS")
            assert status["key_wanted"] == 1 and status["busy"] == 0
            await registers.write("KEY", word)
        status = await registers.fields("STATUS")
        assert status["key_wanted"] == 0 and status["busy"] + status["streaming"] == 1, f"a key of {length} bytes is written: {status}"
        with Refused():
            await registers.write("KEY", 0)
        await registers.wait("streaming")
        await registers.exchange(RC4(list(key)), 1)

        await registers.write_all(("KEY_LENGTH", length, 15), *(("KEY", word, 15) for word in words), ("DROP", 1, 15))
        assert await registers.read("DROP") == 1
        await registers.wait("streaming")
        await registers.exchange(RC4(list(key)), 1)
    assert registers.longest <= PATIENCE


@cocotb.test(**LIMIT, skip="wb" not in os.environ["COCOTB_TOPLEVEL"])
async def access_given_up(dut):
    """A master of Wishbone that ends its access in the clock of the answer gets none, and the next access its own."""
    registers = await Rc4(dut).start()
    for name in ("INTERRUPT_ENABLE", "ID"):  # a write that is done, and an error
        dut.adr_i.value, dut.dat_i.value, dut.sel_i.value, dut.we_i.value = MAP[name][0], 0, 15, 1
        dut.cyc_i.value = dut.stb_i.value = 1
        await registers.clocks(1)
        dut.cyc_i.value = dut.stb_i.value = 0
        for _ in range(3):
            await registers.clocks(1)
            assert dut.ack_o.value == dut.err_o.value == 0
        assert await registers.read("ID") == MAP["ID"][1]


@cocotb.test(**LIMIT)
async def wipes(dut):
    """CONTROL.clear and a reset at any moment: nothing is left, and the next key is right."""
    registers = await Rc4(dut).start()
    for turn, place in enumerate(("load", "schedule", "stream", "waiting") * 2):
        if place == "load":
            await registers.write("KEY_LENGTH", KEY_BYTES)
            await registers.write("KEY", 0x5A5A5A5A, 3 if KEY_BYTES > 2 else 1)
        else:
            await registers.load(registers.key(), wait=place != "schedule")
        if place in ("stream", "waiting"):
            for word in range(WORDS):
                await registers.write("DATA", word)
            if place == "waiting":
                await registers.clocks(16 * WORDS)
        if turn < 4:
            await registers.write("CONTROL", bits("CONTROL", "clear"))
        else:
            await registers.reset(1)
            assert await registers.read("KEY_LENGTH") == 0
        await registers.closed()
        await registers.clocks(20)
        await registers.closed()
        await registers.exchange(await registers.load(registers.key()), WORDS)


@cocotb.test(**LIMIT)
async def reset_in_an_access(dut):
    """A reset while accesses wait: the bus and the core begin anew."""
    registers = await Rc4(dut).start()
    model = await registers.load(registers.key())
    for delay in range(1, 7):
        busy = cocotb.start_soon(registers.exchange(model, 100))
        await registers.clocks(10 + delay)
        busy.cancel()
        await registers.reset()
        registers.bus.connect()
        await registers.clocks(1)
        await registers.closed()
        model = await registers.load(registers.key())
        await registers.exchange(model, 3)


@cocotb.test(**LIMIT)
async def interrupts(dut):
    """The interrupt is high exactly while an enabled bit of STATUS is, a clock later."""
    registers = await Rc4(dut).start()

    async def level(*fields):
        await registers.write("INTERRUPT_ENABLE", bits("INTERRUPT_ENABLE", *fields) if fields else 0)
        await RisingEdge(registers.bus.clock)
        return int(registers.bus.interrupt.value)

    causes = ("streaming", "key_error", "data_available", "data_room")

    async def causes_now():
        return {cause for cause in causes if await level(cause)}

    assert await causes_now() == set()
    with Refused():
        await registers.write("KEY_LENGTH", 0)
    assert await causes_now() == {"key_error"}
    model = await registers.load(registers.key())
    assert await causes_now() == {"streaming", "data_room"}
    await registers.write("DATA", 0)
    await registers.wait("data_available")
    more = {"data_room"} if WORDS > 1 else set()
    assert await causes_now() == {"streaming", "data_available"} | more
    for _ in range(WORDS - 1):
        await registers.write("DATA", 0)
    assert await causes_now() == {"streaming", "data_available"}
    assert await level(*causes) == 1 and await level() == 0
    assert await registers.read("DATA") == sum(model.prga() << 8 * b for b in range(4))
    assert await causes_now() == {"streaming", "data_room"} | ({"data_available"} if WORDS > 1 else set())
