# SPDX-License-Identifier: MIT OR Apache-2.0
"""The register buses under the models of other projects: AXI4-Lite by cocotbext-axi, Wishbone by cocotbext-wishbone."""

import os
import random
import sys
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from cocotbext.axi.axil_channels import AxiLiteAWTransaction, AxiLiteWTransaction
from cocotbext.wishbone.driver import WBOp, WishboneMaster

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "registers"))
import rc4_registers

MAP = rc4_registers.RC4_SEARCH if "search" in os.environ["COCOTB_TOPLEVEL"] else rc4_registers.RC4
PERIOD = 10  # ns
WORD = 0xFFFFFFFF


class BusError(Exception):
    """The access was answered with an error."""


class Refused:
    """`with Refused():` expects that error, as `with pytest.raises` would."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        assert kind is not None, "an access that is not allowed was answered without an error"
        return kind is BusError


def sometimes(rng, probability):
    while True:
        yield rng.random() < probability


class Axil:
    """AXI4-Lite; with `pauses` each channel waits so often."""

    def __init__(self, dut):
        self.dut, self.clock, self.interrupt = dut, dut.aclk, dut.interrupt
        self.held = {}  # of each channel the answer that was offered and not taken

    def rules(self):
        """Checks that an offered transfer is known and stays unchanged until it is accepted."""
        dut = self.dut
        for name, valid, ready, parts in (
            ("b", dut.s_axil_bvalid, dut.s_axil_bready, (dut.s_axil_bresp,)),
            ("r", dut.s_axil_rvalid, dut.s_axil_rready, (dut.s_axil_rresp, dut.s_axil_rdata)),
        ):
            offer = tuple(str(part.value) for part in parts) if valid.value == 1 else None
            assert offer is None or set("".join(offer)) <= set("01"), f"{name}: unknown bits are offered"
            held = self.held.pop(name, None)
            if dut.aresetn.value == 1:
                assert held is None or offer == held, f"{name}: {held} was offered and not taken; then {offer}"
                if offer and ready.value != 1:
                    self.held[name] = offer

    def reset(self, active):
        self.dut.aresetn.value = int(not active)

    def connect(self):
        dut = self.dut
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.aclk, dut.aresetn, reset_active_level=False)
        for interface in (self.master.write_if, self.master.read_if):
            interface.log.setLevel("WARNING")

    def pauses(self, rng, probability):
        write, read = self.master.write_if, self.master.read_if
        for channel in (write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel):
            if probability:
                channel.set_pause_generator(sometimes(rng, probability))
            else:
                channel.clear_pause_generator()
                channel.pause = False  # it may have ended in a pause

    async def read(self, address):
        answer = await self.master.read(address, 4)
        return int(answer.resp) == 0, int.from_bytes(answer.data, "little")

    async def write(self, address, value, strobe):
        """The master makes strobes of an address and a length, next to each other; others go to its channels themselves."""
        first = (strobe & -strobe).bit_length() - 1
        count = strobe.bit_count()
        if strobe and strobe == ((1 << count) - 1) << first:
            answer = await self.master.write(address + first, value.to_bytes(4, "little")[first : first + count])
        else:
            channels = self.master.write_if
            await channels.aw_channel.send(AxiLiteAWTransaction(awaddr=address, awprot=0))
            await channels.w_channel.send(AxiLiteWTransaction(wdata=value, wstrb=strobe))
            answer = await channels.b_channel.recv()
            return int(answer.bresp) == 0
        return int(answer.resp) == 0

    async def write_all(self, writes):
        """Triples of address, value and strobe, one offered right after the other."""
        for answer in [cocotb.start_soon(self.write(*write)) for write in writes]:
            assert await answer


INPUTS = {"cyc": "cyc_i", "stb": "stb_i", "we": "we_i", "adr": "adr_i", "sel": "sel_i", "datwr": "dat_i"}
OUTPUTS = {"datrd": "dat_o", "ack": "ack_o", "err": "err_o"}


class Wishbone:
    """Wishbone B4; with PIPELINED=1 in the environment the master looks at stall_o."""

    def __init__(self, dut):
        self.dut, self.clock, self.interrupt = dut, dut.clk_i, dut.interrupt_o
        self.rng, self.probability = random.Random(1), 0

    def rules(self):
        """An access has one answer, and none comes without an access. Outside of an answer no data is shown."""
        dut = self.dut
        ack, err = dut.ack_o.value == 1, dut.err_o.value == 1
        assert not (ack and err)
        assert dut.cyc_i.value == dut.stb_i.value == 1 or not (ack or err)
        assert ack or dut.dat_o.value == 0
        assert dut.stall_o.value == int(dut.cyc_i.value == 1 and not ack and not err)

    def reset(self, active):
        self.dut.rst_i.value = int(active)

    def connect(self):
        stall = {"stall": "stall_o"} if os.environ.get("PIPELINED") == "1" else {}
        self.master = WishboneMaster(self.dut, None, self.dut.clk_i, timeout=100, signals_dict=INPUTS | OUTPUTS | stall)
        self.master.log.setLevel("WARNING")

    def pauses(self, rng, probability):
        self.rng, self.probability = rng, probability

    async def cycle(self, **access):
        idle = 0
        while self.rng.random() < self.probability:
            idle += 1
        answer = (await self.master.send_cycle([WBOp(idle=idle, **access)]))[0]
        return answer.ack == 1, answer.datrd

    async def read(self, address):
        right, data = await self.cycle(adr=address)
        return right, data.to_unsigned()

    async def write(self, address, value, strobe):
        return (await self.cycle(adr=address, dat=value, sel=strobe))[0]

    async def write_all(self, writes):
        accesses = [WBOp(adr=address, dat=value, sel=strobe) for address, value, strobe in writes]
        assert all(answer.ack == 1 for answer in await self.master.send_cycle(accesses))


class Registers:
    """The registers by their names, over either bus."""

    def __init__(self, dut):
        self.bus = Wishbone(dut) if "wb" in os.environ["COCOTB_TOPLEVEL"] else Axil(dut)
        self.rng = random.Random(int(os.environ.get("SEED", "1")))
        self.longest = 0  # clocks of an access
        self.paused = False

    async def start(self):
        Clock(self.bus.clock, PERIOD, "ns", impl="gpi").start()
        self.bus.reset(True)
        await self.clocks(3)
        self.bus.connect()
        await self.reset()
        cocotb.start_soon(self.rules())
        return self

    async def rules(self):
        """No interrupt is unknown, and the bus's answers follow its rules."""
        while True:
            await RisingEdge(self.bus.clock)
            assert self.bus.interrupt.value.is_resolvable
            self.bus.rules()

    async def clocks(self, count):
        for _ in range(count):
            await RisingEdge(self.bus.clock)

    async def reset(self, clocks=2):
        self.bus.reset(True)
        await self.clocks(clocks)
        self.bus.reset(False)
        await self.clocks(2)

    def pauses(self, probability):
        self.paused = probability != 0
        self.bus.pauses(self.rng, probability)

    async def timed(self, access):
        begun = get_sim_time("ns")
        answer = await access
        if not self.paused:
            self.longest = max(self.longest, round((get_sim_time("ns") - begun) / PERIOD))
        return answer

    async def read_at(self, address):
        right, value = await self.timed(self.bus.read(address))
        if not right:
            assert value == 0, "a read that is an error has data"
            raise BusError
        return value

    async def write_at(self, address, value, strobe=0xF):
        if not await self.timed(self.bus.write(address, value, strobe)):
            raise BusError

    async def read(self, name):
        return await self.read_at(MAP[name][0])

    async def write(self, name, value, strobe=0xF):
        await self.write_at(MAP[name][0], value, strobe)

    async def write_all(self, *writes):
        """Triples of a register's name, value and strobe, one right after the other."""
        await self.bus.write_all([(MAP[name][0], value, strobe) for name, value, strobe in writes])

    async def fields(self, name):
        value = await self.read(name)
        return {field: value >> low & ((1 << width) - 1) for field, (low, width, _) in MAP[name][2].items()}


def bits(name, *fields):
    """The mask of these fields of a register, or of all that can be written."""
    of_register = MAP[name][2]
    chosen = fields or [field for field, (_, _, access) in of_register.items() if "w" in access]
    return sum(((1 << of_register[field][1]) - 1) << of_register[field][0] for field in chosen)


def strobed(value, strobe):
    """Returns a value with only the bytes whose strobe is set."""
    return sum(value & 0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)


async def as_described(registers, parameters, volatile):
    """Every register follows the description: reset value, writable bits, errors at read-only registers and at addresses without
    a register. Accesses to registers in `volatile` have side effects, so these are left out."""
    for name, (address, reset, fields) in MAP.items():
        readable = any("r" in access for _, _, access in fields.values())
        writable = any("w" in access for _, _, access in fields.values())
        if name not in volatile:
            value = await registers.read(name)
            assert value == (parameters if reset is None else reset) * readable, name
            if writable:
                for pattern in (WORD, 0x55555555, 0xAAAAAAAA, 0):
                    await registers.write(name, pattern)
                    assert await registers.read(name) == pattern & bits(name), name
                for strobe in range(16):
                    await registers.write(name, WORD, strobe)
                    assert await registers.read(name) == strobed(WORD, strobe) & bits(name), name
                    await registers.write(name, 0)
                for bit in range(32):
                    await registers.write(name, 1 << bit)
                    assert await registers.read(name) == 1 << bit & bits(name), name
                await registers.write(name, 0)
        if not readable:
            assert await registers.read(name) == 0, name
        if not writable:
            with Refused():
                await registers.write(name, WORD)
            with Refused():
                await registers.write_at(address, 0)
    for address in range(0, 64, 4):
        if address not in {place for place, _, _ in MAP.values()}:
            with Refused():
                await registers.read_at(address)
            with Refused():
                await registers.write_at(address, WORD)
