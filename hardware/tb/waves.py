# SPDX-License-Identifier: MIT OR Apache-2.0
"""The runs behind the waveforms of waves/: one for each entity; waves/record.py reads its VCD."""

import os

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

TOP = os.environ["COCOTB_TOPLEVEL"]
KEY = bytes.fromhex(os.environ["KEY"])


@cocotb.test(skip=TOP not in ("rc4_spec", "rc4_pipe"))
async def core(dut):
    """A key of words, its schedule, and the stream; the reader stops for some clocks."""
    from driver import Core

    bare = await Core(dut).start()
    for word in KEY:
        dut.key_i.value = word
        dut.key_valid_i.value = 1
        await bare.clock()
    dut.key_valid_i.value = 0
    dut.key_i.value = 0
    dut.z_ready_i.value = 1
    for clock in range(int(os.environ["CLOCKS"])):
        dut.z_ready_i.value = int(clock not in range(36, 42))
        await bare.clock()


@cocotb.test(skip=TOP != "rc4_axis")
async def axis(dut):
    """A key of single bytes, and two packets; the reader stalls one of them."""
    Clock(dut.aclk, 10, "ns", impl="gpi").start()
    for port in (dut.aresetn, dut.clear, dut.drop, dut.s_key_tvalid, dut.s_key_tdata, dut.s_key_tlast):
        port.value = 0
    for port in (dut.s_axis_tvalid, dut.s_axis_tdata, dut.s_axis_tkeep, dut.s_axis_tlast, dut.m_axis_tready):
        port.value = 0
    for _ in range(2):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    dut.m_axis_tready.value = 1
    for place, byte in enumerate(KEY):
        dut.s_key_tvalid.value = 1
        dut.s_key_tdata.value = byte
        dut.s_key_tlast.value = int(place == len(KEY) - 1)
        await RisingEdge(dut.aclk)
    dut.s_key_tvalid.value = 0
    dut.s_key_tlast.value = 0
    dut.s_key_tdata.value = 0
    text = b"Plaintext"
    beats = [text[n : n + 2] for n in range(0, len(text), 2)]
    for place, beat in enumerate(beats):
        dut.s_axis_tvalid.value = 1
        dut.s_axis_tdata.value = int.from_bytes(beat, "little")
        dut.s_axis_tkeep.value = (1 << len(beat)) - 1
        dut.s_axis_tlast.value = int(place == len(beats) - 1)
        await RisingEdge(dut.aclk)
        while dut.s_axis_tready.value != 1:
            await RisingEdge(dut.aclk)
        if place == 3:
            dut.m_axis_tready.value = 0
    dut.s_axis_tvalid.value = 0
    dut.s_axis_tlast.value = 0
    dut.s_axis_tkeep.value = 0
    dut.s_axis_tdata.value = 0
    for _ in range(2):
        await RisingEdge(dut.aclk)
    dut.m_axis_tready.value = 1
    for _ in range(8):
        await RisingEdge(dut.aclk)


@cocotb.test(skip=TOP != "rc4_axil")
async def axil(dut):
    """DATA is read too soon, which is an error; then a word goes in and its result is read."""
    from buses import Refused, Registers

    registers = await Registers(dut).start()
    await registers.write("KEY_LENGTH", len(KEY))
    for byte in KEY:
        await registers.write("KEY", byte, 1)
    with Refused():
        await registers.read("DATA")
    while not (await registers.fields("STATUS"))["streaming"]:
        pass
    await registers.write("DATA", int.from_bytes(b"Plai", "little"))
    while not (await registers.fields("STATUS"))["data_available"]:
        pass
    assert (await registers.read("DATA")).to_bytes(4, "little").hex() == "bbf316e8"
    for _ in range(3):
        await RisingEdge(dut.aclk)
