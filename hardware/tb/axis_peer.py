# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_axis under the independent bus models of cocotbext-axi: frames in and out, with pauses on every channel. The tests also
check the rules of AXI4-Stream at the output."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from driver import RC4

K = int(os.environ["K"])
KEY_BYTES = int(os.environ["KEY_BYTES"])


def pauses(rng, probability):
    while True:
        yield rng.random() < probability


async def follow_the_rules(dut):
    """What is offered at the output stays offered, unchanged, until it is taken; no signal of it is unknown."""
    held = None
    while True:
        await RisingEdge(dut.aclk)
        valid = dut.m_axis_tvalid.value
        assert valid.is_resolvable, "m_axis_tvalid is unknown"
        offer = None
        if valid == 1:
            parts = (dut.m_axis_tdata.value, dut.m_axis_tkeep.value, dut.m_axis_tlast.value)
            assert all(part.is_resolvable for part in parts), f"unknown bits are offered: {parts}"
            offer = tuple(str(part) for part in parts)
        assert held is None or offer == held, f"{held} was offered and not taken; then {offer}"
        held = offer if valid == 1 and dut.m_axis_tready.value == 0 else None


async def start(dut):
    Clock(dut.aclk, 10, "ns", impl="gpi").start()
    dut.aresetn.value = 0
    dut.clear.value = 0
    dut.drop.value = 0
    # The models read the ports from their first clock on: nothing may be unknown by then.
    for _ in range(3):
        await RisingEdge(dut.aclk)
    ports = {
        name: kind(AxiStreamBus.from_prefix(dut, name), dut.aclk, dut.aresetn, reset_active_level=False)
        for name, kind in (("s_key", AxiStreamSource), ("s_axis", AxiStreamSource), ("m_axis", AxiStreamSink))
    }
    await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    await RisingEdge(dut.aclk)
    cocotb.start_soon(follow_the_rules(dut))
    return ports


@cocotb.test()
async def frames(dut):
    """Frames of all lengths under several keys of several lengths, with more and fewer pauses."""
    rng = random.Random(K * 1000 + KEY_BYTES)
    ports = await start(dut)
    for probability in (0, 0.3, 0.7):
        for port in ports.values():
            port.set_pause_generator(pauses(rng, probability))
        key = rng.randbytes(rng.randrange(1, KEY_BYTES + 1))
        drop = rng.choice((0, 1, 768))
        dut.drop.value = drop
        model = RC4(list(key))
        for _ in range(drop):
            model.prga()
        await ports["s_key"].send(AxiStreamFrame(key))
        await ports["s_key"].wait()
        sent = [rng.randbytes(rng.randrange(1, 8 * K + 2)) for _ in range(25)]
        for data in sent:
            await ports["s_axis"].send(AxiStreamFrame(data))
        for data in sent:
            frame = await ports["m_axis"].recv()
            assert bytes(frame.tdata) == bytes(byte ^ model.prga() for byte in data)
