"""Compares SLEIGH's meaning of the kernels' instructions with the processor, on random states.

A form is an instruction without its numbers. `lift.py` runs one instruction on a state of numbers.
The processor runs the same bytes on the same state. Code before the instruction loads all
registers, and code after it saves them.
"""

import argparse
import csv
import ctypes
import mmap
import random
import re
import struct
import sys
from pathlib import Path

import prove
from machine_code import LANGUAGES, Code, extract
from meaning import Meaning

RECORD = prove.HERE / "processor.csv"
LANGUAGE = LANGUAGES["EM_X86_64"]
# In the order of the register numbers in an instruction.
GENERAL = ("RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI", *(f"R{n}" for n in range(8, 16)))
VECTORS = tuple(f"XMM{n}" for n in range(6))
# The flags that the kernels' branches and moves read, with the numbers of their bits.
FLAGS = {"CF": 0, "PF": 2, "ZF": 6, "SF": 7, "OF": 11}
# The mapped pages: code, then the states before and after, then the memory of the instruction.
STATE, DATA, SIZE = 1 << 12, 1 << 13, 1 << 16
# The bytes around the addresses that `sample` draws. No instruction of the kernels reaches farther.
WINDOW, WINDOW_END = (DATA + SIZE) // 2 - 4096, (DATA + SIZE) // 2 + 4096
BEFORE, AFTER, STACK, TAKEN = 0, 256, 512, 520
FLAGS_AT = 128 + 16 * len(VECTORS)


def form(instruction):
    """Returns the text of an instruction without its numbers."""
    return f"{instruction.mnem} {re.sub('0x[0-9a-f]+', 'N', instruction.body)}".strip()


def forms(codes):
    """Returns the instructions of each form, without calls, returns and unconditional jumps."""
    found = {}
    for code in codes:
        for instruction in code.instructions():
            if instruction.mnem not in ("CALL", "RET", "JMP", "NOP"):
                found.setdefault(form(instruction), []).append((instruction, code.at(instruction.addr.offset, instruction.length)))
    return found


class Processor:
    """Runs one instruction on any state."""

    def __init__(self):
        self.memory = mmap.mmap(-1, SIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.call = ctypes.CFUNCTYPE(None)(self.base)

    def load(self, instruction):
        """Writes the code around an instruction.

        Returns the instruction at its place in this code.
        """
        code = bytearray()

        def at(opcode, number, place, immediate=b""):
            """Adds an instruction on a place of the state, addressed from the instruction's end."""
            code.extend(opcode + bytes([(number & 7) << 3 | 5]))
            code.extend(struct.pack("<i", STATE + place - len(code) - 4 - len(immediate)) + immediate)

        def move(opcode, number, place):
            at(bytes([0x48 | number >> 3 << 2]) + opcode, number, place)

        code.extend(bytes.fromhex("5355 4154 4155 4156 4157"))  # push rbx, rbp, r12 to r15
        move(b"\x89", 4, STACK)
        at(b"\xff", 6, BEFORE + FLAGS_AT)  # push
        code.extend(b"\x9d")  # popfq
        for n in range(len(VECTORS)):
            at(b"\xf3\x0f\x6f", n, BEFORE + 128 + 16 * n)
        for n in range(16):
            move(b"\x8b", n, BEFORE + 8 * n)
        start = len(code)
        if instruction[0] >> 4 == 7 or (instruction[0] == 0x0F and instruction[1] >> 4 == 8):
            condition = (instruction[0] if instruction[0] >> 4 == 7 else instruction[1]) & 15
            instruction = bytes([0x0F, 0x80 | condition, 2, 0, 0, 0])  # over the next
            code.extend(instruction + b"\xeb\x07")  # jmp over the next
            at(b"\xc6", 0, TAKEN, b"\x01")  # mov byte
        else:
            code.extend(instruction)
        for n in range(16):
            move(b"\x89", n, AFTER + 8 * n)
        move(b"\x8b", 4, STACK)
        code.extend(b"\x9c")  # pushfq
        at(b"\x8f", 0, AFTER + FLAGS_AT)  # pop
        for n in range(len(VECTORS)):
            at(b"\xf3\x0f\x7f", n, AFTER + 128 + 16 * n)
        code.extend(bytes.fromhex("415f 415e 415d 415c 5d5b c3"))
        assert len(code) < STATE
        self.memory[: len(code)] = bytes(code)
        return Code("", LANGUAGE, self.base + start, instruction)

    def run(self, values):
        """Returns the registers and flags afterwards, and true if a branch was taken."""
        flags = 0x202 | sum(values[name] << bit for name, bit in FLAGS.items())
        text = struct.pack("<16Q", *(values[name] for name in GENERAL))
        text += b"".join(values[name].to_bytes(16, "little") for name in VECTORS) + struct.pack("<Q", flags)
        self.memory[STATE + BEFORE : STATE + BEFORE + len(text)] = text
        self.memory[STATE + TAKEN] = 0
        self.call()
        text = self.memory[STATE + AFTER : STATE + AFTER + len(text)]
        after = dict(zip(GENERAL, struct.unpack("<16Q", text[:128]), strict=True))
        after |= {name: int.from_bytes(text[128 + 16 * n :][:16], "little") for n, name in enumerate(VECTORS)}
        (flags,) = struct.unpack("<Q", text[FLAGS_AT:])
        return after | {name: flags >> bit & 1 for name, bit in FLAGS.items()}, bool(self.memory[STATE + TAKEN])


def sample(draw, instruction, processor):
    """Draws values.

    Edge values and equal values are more frequent, and addresses point into the memory.
    """
    edges = (0, 1, 127, 128, 255, 1 << 63, (1 << 64) - 1)
    pool = [draw.choice(edges) ^ draw.choice((0, draw.getrandbits(64) & ~255)) for _ in range(2)]
    values = {name: draw.choice((*pool, draw.getrandbits(64))) for name in GENERAL}
    values |= {name: draw.getrandbits(128) for name in VECTORS} | {name: draw.getrandbits(1) for name in FLAGS}
    middle = processor.base + (DATA + SIZE) // 2
    values["RSP"] = middle
    if instruction.mnem != "LEA" and (address := re.search(r"\[(\w+)(?: \+ (\w+)\*0x1)?", instruction.body)):
        if address[2]:
            values[address[2]] = draw.getrandbits(8)
        values[address[1]] = middle + draw.getrandbits(7)
    return values


def difference(meaning, values, processor):
    """Returns a text about the first difference between the processor and SLEIGH, or None."""
    first = processor.base + WINDOW
    before = processor.memory[WINDOW:WINDOW_END]
    says, stored, branch = meaning.run(values, lambda address, size: before[address - first : address - first + size])
    after, taken = processor.run(values)
    if branch != taken:
        return f"branch taken: {branch} in SLEIGH, {taken} on the processor"
    for name in values:
        if says[name] != after[name]:
            return f"{name}: {says[name]:#x} in SLEIGH, {after[name]:#x} on the processor"
    written = bytearray(before)
    for address, value in stored.items():
        written[address - first] = value
    return None if written == processor.memory[WINDOW:WINDOW_END] else "the memory differs"


def compare(found, count, seed):
    """Compares at least `count` states of each form, distributed over its instructions.

    Returns the number of states of each form, and a line for each difference.
    """
    processor, draw, wrong, compared = Processor(), random.Random(seed), [], {}
    for name, instances in found.items():
        instances = instances[:count]
        each = -(-count // len(instances))
        compared[name] = each * len(instances)
        for instruction, text in instances:
            meaning = Meaning(processor.load(text))
            for _ in range(each):
                processor.memory[WINDOW:WINDOW_END] = draw.randbytes(WINDOW_END - WINDOW)
                values = sample(draw, instruction, processor)
                if says := difference(meaning, values, processor):
                    wrong.append(f"{name}: {instruction.mnem} {instruction.body}: {says}, from {values}")
                    break
    return compared, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elf", action="append", required=True, type=Path)
    parser.add_argument("--count", type=int, default=2000, help="states of each form, at least: %(default)s")
    parser.add_argument("--seed", type=int, default=46)
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    given = parser.parse_args()
    found = forms([extract(elf, kernel) for kernel, elf in prove.kernels(*given.elf).items()])
    compared, wrong = compare(found, given.count, given.seed)
    states = sum(compared.values())
    print(*wrong, f"{len(found)} forms of instructions, {states} states: {len(wrong)} forms differ from the processor", sep="\n")
    if given.record and not wrong:
        with RECORD.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([["form", "states"], *compared.items()])
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
