# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tests of rc4_search: it finds exactly the matching keys of a mask, in order, each once."""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from driver import KEY_BYTES, RC4, N, W

TEXT_BYTES = int(os.environ["TEXT_BYTES"])
ENGINES = int(os.environ["ENGINES"])
SEARCHES = int(os.environ.get("SEARCHES", "4"))
LANES = 8 * ENGINES  # keys of a batch
BITS = (LANES - 1).bit_length() + (3 if N < 256 else 1)  # a mask's, at most: some batches


def keys_of(key, mask):
    """The keys of a search in the order of the core. The lowest masked bits take every value for each value of the other
    masked bits, which begin at their value in `key`."""
    places = [(m, b) for m in range(len(key)) for b in range(W) if mask[m] >> b & 1]
    inner = min(len(places), LANES.bit_length() - 1)
    first = sum((key[m] >> b & 1) << k for k, (m, b) in enumerate(places[inner:]))
    for number in range(first << inner, 1 << len(places)):
        words = [word & ~masked for word, masked in zip(key, mask, strict=True)]
        for k, (m, b) in enumerate(places):
            words[m] |= (number >> k & 1) << b
        yield words


def gives(key, text, care):
    """Returns true if a key's keystream begins with this text, at the bits set in `care`."""
    model = RC4(key, N)
    return all((model.prga() ^ word) & known == 0 for word, known in zip(text, care, strict=True))


class Search:
    """The core after its reset, and the found keys that were read."""

    def __init__(self, dut, ready=1.0):
        self.dut = dut
        self.rng = random.Random(N * 1000 + KEY_BYTES + ENGINES)
        self.ready = ready  # how often a word of a key found is taken
        self.found, self.word, self.clocks = [], [], 0

    async def start(self):
        dut = self.dut
        for port in (dut.clk_i, dut.clear_i, dut.text_valid_i, dut.key_valid_i, dut.hit_ready_i):
            port.value = 0
        for port in (dut.text_i, dut.care_i, dut.text_last_i, dut.key_i, dut.mask_i, dut.key_last_i):
            port.value = 0
        dut.rst_i.value = 1
        await Timer(5, "ns")
        Clock(dut.clk_i, 10, "ns", impl="gpi").start()
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_i.value = 0
        return self

    async def clock(self):
        """A clock; a word of a key found is read if there is one and we take it."""
        dut = self.dut
        await RisingEdge(dut.clk_i)
        self.clocks += 1
        if dut.hit_valid_o.value == 1 and dut.hit_ready_i.value == 1:
            self.word.append(dut.hit_o.value.to_unsigned())
            if dut.hit_last_o.value == 1:
                self.found.append(self.word)
                self.word = []
        dut.hit_ready_i.value = int(self.rng.random() < self.ready)

    async def send(self, words, first, second, last, valid, ready):
        """Pairs of words into one of the two ports, with gaps."""
        for place, (one, other) in enumerate(words):
            for _ in range(self.rng.choice((0, 0, 1, 3))):
                await self.clock()
            first.value, second.value = one, other
            last.value = int(place == len(words) - 1)
            valid.value = 1
            await self.clock()
            while ready.value != 1:
                await self.clock()
            valid.value = 0

    async def text(self, text, care):
        dut = self.dut
        pairs = list(zip(text, care, strict=True))
        await self.send(pairs, dut.text_i, dut.care_i, dut.text_last_i, dut.text_valid_i, dut.text_ready_o)

    async def key(self, key, mask):
        dut = self.dut
        pairs = list(zip(key, mask, strict=True))
        await self.send(pairs, dut.key_i, dut.mask_i, dut.key_last_i, dut.key_valid_i, dut.key_ready_o)

    async def end(self):
        """Waits for the end of the search, and until all that was found is read."""
        dut = self.dut
        # A word of the key is sorted, bit by bit, before the search begins.
        for _ in range(W + 3):
            await self.clock()
        for _ in range(8000 * N):
            if dut.busy_o.value == 0 and dut.hit_valid_o.value == 0:
                return
            await self.clock()
        raise AssertionError("the search does not end")

    async def find(self, key, mask):
        """A search; the keys found."""
        self.found = []
        await self.key(key, mask)
        await self.end()
        assert not self.word, "half a key was found"
        return self.found

    def a_key(self, bits):
        """A random key and a mask of at most `bits` bits; its counter begins at 0, or near it."""
        rng = self.rng
        length = rng.randrange(1, KEY_BYTES + 1)
        places = [(m, b) for m in range(length) for b in range(W)]
        masked = rng.sample(places, min(bits, len(places)))
        mask = [sum(1 << b for m, b in masked if m == n) for n in range(length)]
        key = [rng.randrange(N) for _ in range(length)]
        if rng.random() < 0.7:
            key = [word & ~masked for word, masked in zip(key, mask, strict=True)]
        return key, mask

    def a_text(self, key, mask, length):
        """Returns the beginning of a key's stream, and a mask of known bits: most or all of them."""
        planted = self.rng.choice(list(keys_of(key, mask)))
        model = RC4(planted, N)
        care = [N - 1 if self.rng.random() < 0.8 else self.rng.randrange(N) for _ in range(length)]
        return [model.prga() for _ in range(length)], care


@cocotb.test()
async def planted_keys(dut):
    """Keys, masks and texts of all lengths: what is found is what the model says, in the order of the counter."""
    search = await Search(dut).start()
    found = 0
    for _ in range(SEARCHES):
        key, mask = search.a_key(search.rng.randrange(BITS + 1))
        text, care = search.a_text(key, mask, search.rng.randrange(1, TEXT_BYTES + 1))
        await search.text(text, care)
        expected = [words for words in keys_of(key, mask) if gives(words, text, care)]
        assert await search.find(key, mask) == expected
        found += len(expected)
    assert found >= SEARCHES


@cocotb.test()
async def every_key(dut):
    """Where nothing of the text is known every key is found: each of the mask's, once. A second search has the
    same text without its being loaded again."""
    search = await Search(dut).start()
    await search.text([0, 0], [0, 0])
    for bits in (BITS, 1):
        key, mask = search.a_key(bits)
        assert await search.find(key, mask) == list(keys_of(key, mask))
        batches = (len(list(keys_of(key, mask))) + LANES - 1) // LANES
        assert dut.batches_o.value.to_unsigned() == batches


@cocotb.test()
async def back_pressure(dut):
    """The keys found are read seldom: the search waits, and loses none."""
    search = await Search(dut, ready=0.02).start()
    await search.text([0], [0])
    key, mask = search.a_key(4)
    assert await search.find(key, mask) == list(keys_of(key, mask))


@cocotb.test()
async def clear(dut):
    """clear ends a search at any moment: nothing is found after it, no text is left; the next search is right."""
    search = await Search(dut).start()
    for clocks in (1, 3 * N, 6 * N + 35, 12 * N + 71):
        key, mask = search.a_key(BITS)
        text, care = search.a_text(key, mask, 2)
        await search.text(text, care)
        await search.key(key, mask)
        for _ in range(clocks):
            await search.clock()
        dut.clear_i.value = 1
        await search.clock()
        dut.clear_i.value = 0
        await search.clock()
        search.found, search.word = [], []
        for _ in range(60):
            await search.clock()
            assert dut.hit_valid_o.value == 0 and dut.busy_o.value == 0
        assert dut.key_ready_o.value == 0, "a key is taken and there is no text"
        assert dut.hit_o.value.to_unsigned() == 0
        key, mask = search.a_key(3)
        text, care = search.a_text(key, mask, TEXT_BYTES)
        await search.text(text, care)
        assert await search.find(key, mask) == [words for words in keys_of(key, mask) if gives(words, text, care)]


@cocotb.test()
async def text_and_key_at_once(dut):
    """A key of one word is offered in the same clock as a new text. The text goes first: the search has all of it."""
    search = await Search(dut).start()
    await search.text([0], [0])
    key, mask = [0], [N - 1]
    text, care = search.a_text(key, mask, 2)
    care = [0, N - 1]
    fits = min(2, TEXT_BYTES)
    expected = [words for words in keys_of(key, mask) if gives(words, text[:fits], care[:fits])]
    dut.key_i.value, dut.mask_i.value, dut.key_last_i.value, dut.key_valid_i.value = key[0], mask[0], 1, 1
    for place in (0, 1):
        dut.text_i.value, dut.care_i.value, dut.text_last_i.value, dut.text_valid_i.value = text[place], care[place], place, 1
        await search.clock()
        assert dut.text_ready_o.value == 1 and dut.key_ready_o.value == 0
    dut.text_valid_i.value = 0
    await search.clock()
    dut.key_valid_i.value = 0
    await search.end()
    assert search.found == expected


@cocotb.test()
async def too_long(dut):
    """A key of too many words is taken to its end and not searched. A text of too many words is
    taken as far as it fits."""
    search = await Search(dut).start()
    key, mask = search.a_key(2)
    text, care = search.a_text(key, mask, TEXT_BYTES)
    await search.text(text + [1, 2, 3], care + [N - 1] * 3)
    for more in (1, 4):
        await search.key([1] * (KEY_BYTES + more), [N - 1] * (KEY_BYTES + more))
        for _ in range(W + 9):
            await search.clock()
        assert dut.key_error_o.value == 1 and dut.busy_o.value == 0
        assert await search.find(key, mask) == [words for words in keys_of(key, mask) if gives(words, text, care)]
        assert dut.key_error_o.value == 0


@cocotb.test(skip=N != 256)
async def clocks(dut):
    """The clocks of a batch that holds no key: a schedule of 6 N, and some turns of the stream. With CLOCKS, the clocks a
    key and engine, of some batches, go into that file."""
    search = await Search(dut).start()
    rng = search.rng
    batches = int(os.environ.get("BATCHES", "4"))
    key = [rng.randrange(N) for _ in range(KEY_BYTES)]
    mask = [0] * KEY_BYTES
    left = (LANES * batches - 1).bit_length()
    for m in range(KEY_BYTES):
        mask[m] = (1 << min(W, left)) - 1
        left -= min(W, left)
        key[m] &= ~mask[m]
    text = [rng.randrange(N) for _ in range(TEXT_BYTES)]
    await search.text(text, [N - 1] * TEXT_BYTES)
    await search.key(key, mask)
    tried = dut.batches_o
    while tried.value.to_unsigned() != 1:
        await search.clock()
    begun = search.clocks
    while tried.value.to_unsigned() != batches:
        await search.clock()
    each = (search.clocks - begun) / (batches - 1)
    # A turn for the last cells, two for each word, and two for the answer, which takes a clock more
    # for every eight engines.
    assert 6 * N + 12 * 3 < each <= 6 * N + 12 * (8 + ENGINES // 64)
    if "CLOCKS" in os.environ:
        Path(os.environ["CLOCKS"]).write_text(json.dumps({"clocks_per_key": each / 8}))
