# SPDX-License-Identifier: MIT OR Apache-2.0
"""The driver in C on rc4_axil in simulation: its accesses go over the simulated bus."""

import os
import sys
from ctypes import CDLL, CFUNCTYPE, c_size_t, c_uint32, c_void_p, cast, create_string_buffer

import cocotb
from buses import MAP, Registers, bits
from cocotb.task import bridge, resume
from driver import KEY_BYTES, RC4

READ = CFUNCTYPE(c_uint32, c_uint32)
WRITE = CFUNCTYPE(None, c_uint32, c_uint32)
REFUSED, TIMEOUT = -1, -2
POLLS, FEW = 400, 20  # enough for all that comes to an end here; and where nothing does


@cocotb.test()
async def uses(dut):
    registers = await Registers(dut).start()
    library = CDLL(os.environ["LIBRARY"])
    polls = c_uint32.in_dll(library, "polls")
    polls.value = POLLS
    reads = 0  # of a call of the driver
    never = 0  # bits that STATUS does not show

    def over_the_bus(access):
        def call(*arguments):
            try:
                return resume(access)(*arguments)
            finally:
                if sys.exc_info()[0]:
                    os._exit(1)  # an exception cannot pass through C

        return call

    async def read32(address):
        nonlocal reads
        reads += 1
        assert reads < 5 * POLLS, "the driver polls for ever"
        value = await registers.read_at(address)
        return value & ~never if address == MAP["STATUS"][0] else value

    async def write8(address, value):
        await registers.write_at(address & ~3, value << 8 * (address & 3), 1 << (address & 3))

    calls = {
        "bus_read32": READ(over_the_bus(read32)),
        "bus_write32": WRITE(over_the_bus(registers.write_at)),
        "bus_write8": WRITE(over_the_bus(write8)),
    }
    for name, call in calls.items():
        c_void_p.in_dll(library, name).value = cast(call, c_void_p).value
    library.set_key.argtypes = [c_void_p, c_size_t, c_uint32]
    library.crypt.argtypes = [c_void_p, c_void_p, c_size_t]

    @bridge
    def from_c(name, *arguments):
        nonlocal reads
        reads = 0
        return getattr(library, name)(*arguments)

    assert await from_c("example") == 0
    rng = registers.rng
    assert await from_c("is_there") == 1
    assert await from_c("crypt", None, None, 4) == REFUSED
    for length in (0, KEY_BYTES + 1):
        assert await from_c("set_key", bytes(length), length, 0) == REFUSED
    for drop in (65536, 70000, 0xFFFFFFFF):
        assert await from_c("set_key", b"key", 3, drop) == REFUSED
    for length, drop in ((1, 0), (KEY_BYTES, 9)):
        key = rng.randbytes(length)
        model = RC4(list(key))
        for _ in range(drop):
            model.prga()
        assert await from_c("set_key", key, length, drop) == 0
        for count in (1, 3, 4, 0, 71):
            data = rng.randbytes(count)
            out = create_string_buffer(count + 1)
            assert await from_c("crypt", data, out, count) == 0
            assert out.raw == bytes(byte ^ model.prga() for byte in data) + b"\0"
    await from_c("wipe")
    assert await from_c("crypt", None, None, 4) == REFUSED
    # A schedule that takes longer than it may; room that there is not while the core fills the words; a word that never comes.
    data = b"\0" * 8
    for name, arguments, control, hidden in (
        ("set_key", (b"key", 3, 0), 0, 0),
        ("crypt", (data, create_string_buffer(8), 8), bits("CONTROL", "keystream"), 0),
        ("crypt", (data, create_string_buffer(8), 8), 0, bits("STATUS", "data_available")),
    ):
        polls.value = POLLS
        if name == "crypt":
            assert await from_c("set_key", b"key", 3, 0) == 0
        await registers.write("CONTROL", control)
        polls.value, never = FEW, hidden
        assert await from_c(name, *arguments) == TIMEOUT
        assert await registers.read("STATUS") == 0, "the core was not wiped"
        await registers.write("CONTROL", 0)
        never = 0
