# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tests of rc4_search_axil: searches through the registers."""

import os

import cocotb
from buses import BusError, Refused, Registers, as_described, bits
from cocotb.triggers import RisingEdge
from driver import KEY_BYTES, RC4
from search import gives, keys_of

TEXT_BYTES = int(os.environ["TEXT_BYTES"])
ENGINES = int(os.environ["ENGINES"])
HIT_WORDS = int(os.environ["HIT_WORDS"])
ROUNDS = int(os.environ.get("ROUNDS", "1"))
LIMIT = {"timeout_time": 2 + ROUNDS, "timeout_unit": "ms"}  # an error must not keep a test waiting for ever
PATIENCE = 24  # clocks of an access, at most


class Search(Registers):
    async def text(self, text, care):
        for place, (word, known) in enumerate(zip(text, care, strict=True)):
            await self.write("TEXT", (place == len(text) - 1) << 16 | known << 8 | word)

    async def key(self, key, mask):
        for place, (word, masked) in enumerate(zip(key, mask, strict=True)):
            await self.write("KEY", (place == len(key) - 1) << 16 | masked << 8 | word)

    async def found(self):
        """The keys found, to the end of the search."""
        keys, words = [], []
        for _ in range(20000):
            status = await self.fields("STATUS")
            if status["hit_available"]:
                hit = await self.read("HIT")
                words.append(hit & 255)
                if hit >> 8 == 1:
                    keys.append(words)
                    words = []
            elif not status["busy"]:
                assert status["done"] == 1 and not words
                return keys
        raise AssertionError("the search does not end")

    async def batches(self):
        return await self.read("BATCHES_LOW") | await self.read("BATCHES_HIGH") << 32

    def a_search(self, bits_masked, words):
        """A key of maximum length, a mask of `bits_masked` bits at its end, and the text of one of its keys."""
        rng = self.rng
        mask = [0] * (KEY_BYTES - 1) + [(1 << bits_masked) - 1]
        key = [rng.randrange(256) & ~masked for masked in mask]
        planted = [*key[:-1], key[-1] | rng.randrange(1 << bits_masked)]
        model = RC4(planted)
        return key, mask, [model.prga() for _ in range(words)], [255] * words


@cocotb.test(**LIMIT)
async def description(dut):
    search = await Search(dut).start()
    parameters = ENGINES << 20 | KEY_BYTES << 8 | TEXT_BYTES
    await as_described(search, parameters, {"CONTROL", "TEXT", "KEY", "HIT"})
    await search.write("CONTROL", 0xFFFFFFFE)
    assert await search.read("CONTROL") == 0
    with Refused():
        await search.read("HIT")
    with Refused():
        await search.write("KEY", 1 << 16)  # there is no text
    for strobe in range(15):
        with Refused():
            await search.write("TEXT", 1 << 16, strobe)
    # Bits without a field are ignored: a byte of text that is not the last one, and nothing is wiped.
    for bit in range(17, 32):
        await search.write("TEXT", 1 << bit)
    with Refused():
        await search.write("KEY", 1 << 16)
    await search.write("TEXT", 1 << 16)
    for strobe in range(15):
        with Refused():
            await search.write("KEY", 1 << 16, strobe)
    for bit in range(1, 32):
        await search.write("CONTROL", 1 << bit)
    for strobe in range(0, 16, 2):
        await search.write("CONTROL", 0xFFFFFFFF, strobe)
    await search.write("KEY", 1 << 16)  # and the text is still there
    await search.write("CONTROL", 1)
    assert search.longest <= PATIENCE


@cocotb.test(**LIMIT)
async def searches(dut):
    """Keys are found, in order, each once; of one byte of text several; with pauses on the bus and without."""
    search = await Search(dut).start()
    for probability, words in ((0, min(3, TEXT_BYTES)), (0.5, 1)) * ROUNDS:
        search.pauses(probability)
        key, mask, text, care = search.a_search(4, words)
        await search.text(text, care)
        await search.key(key, mask)
        expected = [words for words in keys_of(key, mask) if gives(words, text, care)]
        assert await search.found() == expected
        assert await search.batches() == -(-16 // (8 * ENGINES))
        assert await search.read("KEY") == 0 and await search.read("TEXT") == 0


@cocotb.test(**LIMIT)
async def wrong_use(dut):
    """Accesses during a search are errors and change nothing; a key too long is reported; clear ends a search."""
    search = await Search(dut).start()
    await search.write("INTERRUPT_ENABLE", bits("INTERRUPT_ENABLE", "done", "key_error"))
    # Bytes of keystream that all keys of the mask give, for there is nothing known: so the hits fill the FIFO.
    await search.text([0], [0])
    key, mask, _, _ = search.a_search(4, 1)
    await search.key(key, mask)
    assert (await search.fields("STATUS"))["busy"] == 1 and search.bus.interrupt.value == 0
    for _ in range(3):
        for name in ("KEY", "TEXT"):
            with Refused():
                await search.write(name, 1 << 16)
    assert await search.found() == list(keys_of(key, mask))
    assert search.bus.interrupt.value == 1
    # A key too long.
    try:
        await search.key([1] * (KEY_BYTES + 2), [0] * (KEY_BYTES + 2))
    except BusError:
        raise AssertionError("the rest of a key too long is taken") from None
    await search.clocks(16)
    status = await search.fields("STATUS")
    assert status["key_error"] == 1 and status["done"] == 0 and status["busy"] == 0
    assert search.bus.interrupt.value == 1
    key, mask, text, care = search.a_search(2, 1)
    await search.text(text, care)
    await search.key(key, mask)
    assert (await search.fields("STATUS"))["key_error"] == 0
    await search.write("CONTROL", bits("CONTROL", "clear"))
    await RisingEdge(search.bus.clock)
    assert await search.read("STATUS") == 0
    with Refused():
        await search.read("HIT")
    with Refused():
        await search.write("KEY", 1 << 16)
    assert search.longest <= PATIENCE
