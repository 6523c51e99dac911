# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tests of rc4_axis: packets in and out, beside keys, stalls and wipes."""

import os
import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from driver import RC4

K = int(os.environ["K"])
KEY_BYTES = int(os.environ["KEY_BYTES"])
ALL = (1 << K) - 1


def lanes(word):
    return [word >> (8 * b) & 255 for b in range(K)]


class Bus:
    """Transfers (data, keep, last) into the input and out of the output, each side with gaps."""

    def __init__(self, dut, feed=1.0, drain=1.0):
        self.dut = dut
        self.rng = random.Random(K * 1000 + KEY_BYTES)
        self.feed, self.drain = feed, drain  # how often each side is willing
        self.waiting = deque()
        self.sent = []
        self.got = []

    async def start(self):
        dut = self.dut
        Clock(dut.aclk, 10, "ns", impl="gpi").start()
        dut.aresetn.value = 0
        dut.clear.value = 0
        dut.drop.value = 0
        dut.s_key_tvalid.value = 0
        dut.s_key_tdata.value = 0
        dut.s_key_tlast.value = 0
        dut.s_axis_tvalid.value = 0
        dut.s_axis_tdata.value = 0
        dut.s_axis_tkeep.value = 0
        dut.s_axis_tlast.value = 0
        dut.m_axis_tready.value = 0
        for _ in range(2):
            await RisingEdge(dut.aclk)
        dut.aresetn.value = 1
        await RisingEdge(dut.aclk)
        return self

    async def clock(self):
        """One clock of both sides. What is offered stays offered until it is taken."""
        dut, rng = self.dut, self.rng
        await RisingEdge(dut.aclk)
        offered = dut.s_axis_tvalid.value == 1
        if offered and dut.s_axis_tready.value == 1:
            self.sent.append(self.waiting.popleft())
            offered = False
        valid = dut.m_axis_tvalid.value == 1
        transfer = None
        if valid:
            transfer = (
                dut.m_axis_tdata.value.to_unsigned(),
                dut.m_axis_tkeep.value.to_unsigned(),
                int(dut.m_axis_tlast.value),
            )
            if dut.m_axis_tready.value == 1:
                self.got.append(transfer)
                transfer = None
        if getattr(self, "held", None) is not None:
            assert valid and (transfer or self.got[-1]) == self.held, "the output changed while it waited"
        self.held = transfer
        if not offered and self.waiting and rng.random() < self.feed:
            data, keep, last = self.waiting[0]
            dut.s_axis_tdata.value = data
            dut.s_axis_tkeep.value = keep
            dut.s_axis_tlast.value = last
            dut.s_axis_tvalid.value = 1
        elif not offered:
            dut.s_axis_tvalid.value = 0
        dut.m_axis_tready.value = int(rng.random() < self.drain)

    async def key(self, key, drop=0):
        """Loads a key, while the stream goes on as long as it does."""
        dut = self.dut
        dut.drop.value = drop
        for place, byte in enumerate(key):
            dut.s_key_tdata.value = byte
            dut.s_key_tlast.value = int(place == len(key) - 1)
            dut.s_key_tvalid.value = 1
            await self.clock()
            while dut.s_key_tready.value != 1:
                await self.clock()
        dut.s_key_tvalid.value = 0
        dut.drop.value = self.rng.getrandbits(16)  # it was read with the last byte

    def offer(self, packets, sparse=False):
        """Packets of random lengths; the last transfer of each has the bytes that are left. With
        `sparse` any byte of any transfer may be missing."""
        rng = self.rng
        for _ in range(packets):
            length = rng.randrange(1, 6 * K + 1)
            while length > 0:
                keep = ALL if length >= K else (1 << length) - 1
                if sparse:
                    keep = rng.randrange(ALL + 1)
                length -= K
                self.waiting.append((rng.getrandbits(8 * K), keep, int(length <= 0)))

    async def flush(self):
        """Runs until all that was offered came out."""
        for _ in range(40000):
            if not self.waiting and len(self.got) == len(self.sent):
                return
            await self.clock()
        raise AssertionError("the transfers do not come out")

    def new_random_key(self):
        return [self.rng.randrange(256) for _ in range(KEY_BYTES)]


def check(sent, got, model):
    """Every transfer came out as the model says, in order."""
    assert len(sent) == len(got)
    for n, ((data, keep, last), found) in enumerate(zip(sent, got, strict=True)):
        out = 0
        for b, byte in enumerate(lanes(data)):
            if keep >> b & 1:
                out |= (byte ^ model.prga()) << (8 * b)
        assert found == (out, keep, last), f"transfer {n}"


async def run(dut, feed=1.0, drain=1.0, sparse=False, drop=0, packets=60):
    bus = await Bus(dut, feed, drain).start()
    key = bus.new_random_key()
    model = RC4(key)
    for _ in range(drop):
        model.prga()
    await bus.key(key, drop)
    bus.offer(packets, sparse)
    await bus.flush()
    check(bus.sent, bus.got, model)


@cocotb.test()
async def packets(dut):
    """Packets of all lengths at full speed: the next one goes on where the last one ended."""
    await run(dut)


@cocotb.test()
async def sparse_keep(dut):
    """Bytes are missing anywhere."""
    await run(dut, sparse=True)


@cocotb.test()
async def idle_input(dut):
    await run(dut, feed=0.3)


@cocotb.test()
async def back_pressure(dut):
    await run(dut, drain=0.3)


@cocotb.test()
async def idle_and_back_pressure(dut):
    await run(dut, feed=0.5, drain=0.5, sparse=True)


@cocotb.test()
async def drops(dut):
    """RC4-drop[n], n on both sides of a transfer, and as people use it."""
    for drop in (1, K - 1, K, K + 1, 255, 256, 257, 768, 3072):
        await run(dut, drop=drop, packets=4)


@cocotb.test()
async def ready_means_keystream(dut):
    """s_axis_tready rises only when there is keystream: the first transfer that it takes leaves four clocks later, as any."""
    bus = await Bus(dut).start()
    for drop in (0, K + 1, 40 * K):
        key = bus.new_random_key()
        bus.offer(1)
        await bus.key(key, drop)
        count = len(bus.sent)
        while len(bus.sent) == count:
            await bus.clock()
        for _ in range(3):
            await bus.clock()
            assert len(bus.got) == count, "the first transfer leaves too soon"
        await bus.clock()
        assert len(bus.got) == count + 1, "s_axis_tready was high without keystream"
        await bus.flush()


@cocotb.test()
async def rekey_in_mid_stream(dut):
    """A new key at any moment: what was taken before it leaves with the old keystream, what
    is taken after it with the new one."""
    bus = await Bus(dut, 0.9, 0.6).start()
    for round_ in range(6):
        key = bus.new_random_key()
        old, before = list(bus.sent), len(bus.sent)
        assert len(old) == before
        await bus.key(key)
        first = len(bus.sent)  # the first transfer under this key
        bus.offer(3, sparse=True)
        while bus.waiting:
            await bus.clock()
            if len(bus.sent) - first > 2 + round_ and round_ < 5:
                break
        if round_ == 5:
            await bus.flush()
        else:
            while len(bus.got) < len(bus.sent):
                # The next transfer of the old offer may still go; it is part of this stream.
                await bus.clock()
        count = len(bus.got)
        check(bus.sent[first:count], bus.got[first:count], RC4(key))
        # Whatever was offered but not taken stays offered, and is the next stream's.
        if count != len(bus.sent):
            break


@cocotb.test()
async def keys_of_every_length(dut):
    """tlast ends a key: lengths 1 to KEY_BYTES, at most 40 of them, each with its own keystream."""
    bus = await Bus(dut).start()
    lengths = range(1, KEY_BYTES + 1)
    for length in bus.rng.sample(lengths, 40) if KEY_BYTES > 40 else lengths:
        key = bus.new_random_key()[:length]
        await bus.key(key)
        first = len(bus.sent)
        bus.offer(2, sparse=True)
        await bus.flush()
        check(bus.sent[first:], bus.got[first:], RC4(key))
        assert dut.key_error.value == 0


@cocotb.test()
async def key_too_long(dut):
    """A key of more than KEY_BYTES bytes is taken to its end and wiped: key_error rises, no transfer is taken.
    The next key works."""
    bus = await Bus(dut).start()
    for more in (1, 2, KEY_BYTES + 3):
        await bus.key([bus.rng.randrange(256) for _ in range(KEY_BYTES + more)])
        bus.offer(1)
        count = len(bus.sent)
        for _ in range(400):
            await bus.clock()
        assert dut.key_error.value == 1 and len(bus.sent) == count
        key = bus.new_random_key()
        await bus.key(key)
        await bus.clock()
        assert dut.key_error.value == 0
        await bus.flush()
        check(bus.sent[count:], bus.got[count:], RC4(key))


@cocotb.test()
async def rate(dut):
    """At full speed the bus passes all bytes of the core. Only hits of the speculative core make two clocks without a
    transfer."""
    bus = await Bus(dut).start()
    key = bus.new_random_key()
    await bus.key(key)
    bus.waiting.extend((bus.rng.getrandbits(8 * K), ALL, 0) for _ in range(600))
    while len(bus.got) < 100:
        await bus.clock()
    clocks = 0
    while len(bus.got) < 500:
        await bus.clock()
        clocks += 1
    per_clock = K * 400 / clocks
    expected = {"pipe": K, "unroll": K, "bram": 1 / 3}.get(os.environ["CORE"], {1: 0.99, 2: 1.9, 4: 3.4, 8: 4.9}.get(K))
    assert per_clock >= 0.99 * expected, f"{per_clock:.3f} bytes a clock"


@cocotb.test()
async def clear(dut):
    """clear wipes the key. Transfers that wait at the output stay until they are taken. Then no
    input is taken until there is a new key."""
    bus = await Bus(dut).start()
    await bus.key(bus.new_random_key())
    bus.offer(2)
    await bus.flush()
    # Transfers wait at the output: they must hold still through the clear.
    bus.drain = 0
    bus.offer(6)
    for _ in range(30):
        await bus.clock()
    bus.waiting.clear()
    dut.s_axis_tvalid.value = 0
    assert dut.m_axis_tvalid.value == 1
    dut.clear.value = 1
    await bus.clock()
    dut.clear.value = 0
    for _ in range(5):
        await bus.clock()
        assert dut.m_axis_tvalid.value == 1
    bus.drain = 1
    for _ in range(10):
        await bus.clock()
    assert dut.m_axis_tvalid.value == 0
    taken, count = len(bus.got), len(bus.sent)
    bus.offer(2)
    for _ in range(50):
        await bus.clock()
    assert len(bus.sent) == count and len(bus.got) == taken
    key = bus.new_random_key()
    await bus.key(key)
    for _ in range(2000):
        await bus.clock()
    check(bus.sent[count:], bus.got[taken:], RC4(key))


@cocotb.test()
async def clear_in_the_load(dut):
    """clear in the middle of a key: the rest of it is taken and discarded, the next key works."""
    bus = await Bus(dut).start()
    if KEY_BYTES < 3:
        return
    for _ in range(3):
        key = bus.new_random_key()
        dut.s_key_tlast.value = 0
        dut.s_key_tvalid.value = 1
        for _ in range(2):
            await bus.clock()
            while dut.s_key_tready.value != 1:
                await bus.clock()
        dut.s_key_tvalid.value = 0
        dut.clear.value = 1
        await bus.clock()
        dut.clear.value = 0
        await bus.key(key)  # the rest of the first key, tlast included
        count, taken = len(bus.sent), len(bus.got)
        bus.offer(1)
        for _ in range(300):
            await bus.clock()
        assert len(bus.sent) == count
        await bus.key(key)
        await bus.flush()
        check(bus.sent[count:], bus.got[taken:], RC4(key))


@cocotb.test()
async def clear_with_a_byte_of_a_key(dut):
    """clear at the clock edge that takes a key's first, middle or last byte. The rest of this key
    is discarded, and the next key is not."""
    bus = await Bus(dut).start()
    for place in sorted({0, KEY_BYTES // 2, KEY_BYTES - 1}):
        key = bus.new_random_key()
        for m, byte in enumerate(key):
            dut.s_key_tdata.value = byte
            dut.s_key_tlast.value = int(m == KEY_BYTES - 1)
            dut.s_key_tvalid.value = 1
            dut.clear.value = int(m == place)
            await bus.clock()
            while dut.s_key_tready.value != 1:
                assert m != place, "the byte is not taken with clear"
                await bus.clock()
        dut.s_key_tvalid.value = 0
        dut.clear.value = 0
        count, taken = len(bus.sent), len(bus.got)
        bus.offer(1)
        for _ in range(300):
            await bus.clock()
        assert len(bus.sent) == count, "a transfer is taken without a key"
        key = bus.new_random_key()
        await bus.key(key)
        await bus.flush()
        check(bus.sent[count:], bus.got[taken:], RC4(key))


@cocotb.test()
async def reset_in_a_packet(dut):
    """aresetn wipes everything, the output included, in the middle of a packet and with transfers waiting."""
    bus = await Bus(dut, drain=0).start()
    await bus.key(bus.new_random_key())
    bus.offer(9)
    for _ in range(1500):
        await bus.clock()
    assert dut.m_axis_tvalid.value == 1
    dut.aresetn.value = 0
    await RisingEdge(dut.aclk)
    await RisingEdge(dut.aclk)
    assert dut.m_axis_tvalid.value == 0 and dut.s_axis_tready.value == 0
    assert dut.m_axis_tdata.value.to_unsigned() == 0, "keystream or data is left at the output"
    bus.waiting.clear()
    bus = await Bus(dut).start()
    key = bus.new_random_key()
    await bus.key(key)
    bus.offer(3)
    await bus.flush()
    check(bus.sent, bus.got, RC4(key))
