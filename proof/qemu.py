"""Runs AArch64 code under qemu: compares SLEIGH's meanings, and replays counterexamples.

An ELF file has the code and a few instructions around it, so no compiler or assembler for AArch64
is needed. At its end the program writes its data to the standard output.
"""

import argparse
import csv
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import prove
import z3
from aarch64_stream import TURN
from definition import step
from machine_code import LANGUAGES, Code, extract
from meaning import Meaning
from memory import array
from processor import form
from replay import undone

RECORD = prove.HERE / "qemu.csv"
BASE, DATA = 0x400000, 0x410000  # the addresses of the program and its data
GENERAL = tuple(f"x{n}" for n in range(19))
FLAGS = {"OV": 28, "CY": 29, "ZR": 30, "NG": 31}
ADVANCE, RECORDS_END, FLAG, JUMPED, POINTER = 28, 29, 19, 20, 30  # the kernels use only x0 to x18
# A record: the state before, the state after, and the memory of an instruction. The flags follow
# the registers.
RECORD_SIZE, AFTER, WINDOW, FLAGS_AT = 1024, 160, 384, 8 * len(GENERAL)


def word(instruction):
    return struct.pack("<I", instruction)


def set_register(number, value):
    """Encodes movz and three movk."""
    return b"".join(word((0xD2800000 if n == 0 else 0xF2800000) | n << 21 | (value >> 16 * n & 0xFFFF) << 5 | number) for n in range(4))


def move(opcode, number, place):
    """Encodes ldr or str of a register, at a place of the state."""
    return word(opcode | place // 8 << 10 | POINTER << 5 | number)


def load_register(number, place):
    return move(0xF9400000, number, place)


def save_register(number, place):
    return move(0xF9000000, number, place)


def run(code, data):
    """Runs a program under qemu. Returns its data afterwards."""
    leave = b"".join(set_register(number, value) for number, value in ((0, 1), (1, DATA), (2, len(data)), (8, 64)))  # write
    leave += word(0xD4000001) + set_register(0, 0) + set_register(8, 93) + word(0xD4000001)  # svc; exit
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, BASE + 120, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    size = DATA - BASE + len(data)
    head += struct.pack("<IIQQQQQQ", 1, 7, 0, BASE, BASE, size, size, 4096)
    text = head + code + leave
    assert len(text) <= DATA - BASE
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        program.write_bytes(text.ljust(DATA - BASE, b"\0") + data)
        program.chmod(0o755)
        with (Path(folder) / "out").open("w+b") as out:
            subprocess.run(["qemu-aarch64", program], stdout=out, stderr=subprocess.DEVNULL, check=True, timeout=60)
            out.seek(0)
            return out.read()


def forms(codes):
    """Returns the instructions of each form, without returns and unconditional jumps."""
    found = {}
    for code in codes:
        for instruction in code.instructions():
            if instruction.mnem not in ("ret", "b", "nop"):
                found.setdefault(form(instruction), []).append((instruction, code.at(instruction.addr.offset, instruction.length)))
    return found


def around(instruction, end):
    """Returns the code that sets the records' end, and a loop over them with one instruction."""
    loop = load_register(FLAG, FLAGS_AT) + word(0xD51B4200 | FLAG)  # msr nzcv
    loop += b"".join(load_register(n, 8 * n) for n in range(len(GENERAL)))
    bits = int.from_bytes(instruction, "little")
    if bits >> 24 == 0x54:  # b.cond: skips two instructions
        loop += word(0x54000000 | 3 << 5 | bits & 15) + set_register(JUMPED, 0)[:4] + word(0x14000002) + set_register(JUMPED, 1)[:4]
    else:
        loop += instruction
    loop += b"".join(save_register(n, AFTER + 8 * n) for n in range(len(GENERAL)))
    loop += word(0xD53B4200 | FLAG) + save_register(FLAG, AFTER + FLAGS_AT) + save_register(JUMPED, AFTER + FLAGS_AT + 8)  # mrs nzcv
    loop += word(0x8B000000 | ADVANCE << 16 | POINTER << 5 | POINTER)  # add
    loop += word(0xEB000000 | RECORDS_END << 16 | POINTER << 5 | 31)  # cmp
    back = (-len(loop) // 4) & 0x7FFFF
    return set_register(RECORDS_END, end), loop + word(0x54000001 | back << 5)  # b.ne


def sample(draw, instruction, at):
    """Draws values.

    Edge values and equal values are more frequent, and addresses point into the record's memory.
    """
    edges = (0, 1, 127, 128, 255, 1 << 31, 1 << 63, (1 << 64) - 1)
    pool = [draw.choice(edges) ^ draw.choice((0, draw.getrandbits(64) & ~255)) for _ in range(2)]
    values = {name: draw.choice((*pool, draw.getrandbits(64))) for name in GENERAL} | {name: draw.getrandbits(1) for name in FLAGS}
    if address := re.search(r"\[(\w+)(?:, (\w+))?", instruction.body):
        if address[2]:
            values[address[2]] = draw.getrandbits(8)
        values[address[1]] = at + WINDOW + draw.getrandbits(7)
    return values


def difference(meaning, values, at, before, after):
    """Returns a text about the first difference between qemu and SLEIGH, or None.

    `before` and `after` are the record's bytes.
    """
    says, stored, branch = meaning.run(values, lambda address, size: before[address - at : address - at + size])
    flags, jumped = struct.unpack("<2Q", after[AFTER + FLAGS_AT : AFTER + FLAGS_AT + 16])
    if branch != bool(jumped):
        return f"branch taken: {branch} in SLEIGH, {jumped} under qemu"
    left = dict(zip(GENERAL, struct.unpack(f"<{len(GENERAL)}Q", after[AFTER : AFTER + FLAGS_AT]), strict=True))
    left |= {name: flags >> bit & 1 for name, bit in FLAGS.items()}
    for name in left:
        if says[name] != left[name]:
            return f"{name}: {says[name]:#x} in SLEIGH, {left[name]:#x} under qemu"
    written = bytearray(before)
    for address, value in stored.items():
        written[address - at] = value
    return None if written[WINDOW:] == after[WINDOW:] else "the memory differs"


def compare(found, count, seed):
    """Compares at least `count` states of each form, distributed over its instructions.

    Returns the number of states of each form, and a line for each difference.
    """
    draw, wrong, compared = random.Random(seed), [], {}
    for name, instances in found.items():
        instances = instances[:count]
        each = -(-count // len(instances))
        program = set_register(POINTER, DATA) + set_register(ADVANCE, RECORD_SIZE)
        data, cases = bytearray(), []
        for instruction, text in instances:
            meaning = Meaning(Code("", LANGUAGES["EM_AARCH64"], BASE, text))
            for _ in range(each):
                at = DATA + len(data)
                values = sample(draw, instruction, at)
                flags = sum(values[flag] << bit for flag, bit in FLAGS.items())
                record = struct.pack(f"<{len(GENERAL) + 1}Q", *(values[general] for general in GENERAL), flags).ljust(WINDOW, b"\0")
                cases.append((instruction, meaning, values, at))
                data += record + draw.randbytes(RECORD_SIZE - WINDOW)
            end, loop = around(text, DATA + len(data))
            program += end + loop
        after = run(program, bytes(data))
        for instruction, meaning, values, at in cases:
            place = slice(at - DATA, at - DATA + RECORD_SIZE)
            if says := difference(meaning, values, at, data[place], after[place]):
                wrong.append(f"{name}: {instruction.mnem} {instruction.body}: {says}, from {values}")
                break
        compared[name] = len(cases)
    return compared, wrong


# The address of a replayed function, and the values of the registers that it must preserve.
FUNCTION, KEPT = DATA + 0x1000, {n: 0x0101010101010101 * n for n in range(19, 30)}
SAVED, TABLE, INPUT, OUTPUT, END = DATA, DATA + 0x2003, DATA + 0x3000, DATA + 0x4000, DATA + 0x5000


def start_of(obligation, steps, seed):
    """Returns the table, i and j at the turn's begin, for a counterexample `steps` steps later.

    Bytes of the table that the solver leaves open are random.
    """
    base, memory = z3.BitVec("table", 64), array("memory")
    cells = [z3.Select(memory, base + n) for n in range(256)]
    model = obligation.counterexample([cell == byte for cell, byte in zip(cells, random.Random(seed).randbytes(256), strict=True)])

    def value(term):
        return model.eval(term, model_completion=True).as_long()

    i = value(z3.BitVec("i_over_16", 4)) * TURN
    table, j = undone(map(value, cells), (i + steps) & 255, value(z3.BitVec("j", 8)), steps)
    return bytes(table), i, j


def differs(code, table, i, j, turns=1):
    """Returns true if `turns` turns of the function under qemu differ from the definition.

    The comparison covers the memory and the registers that a function must preserve.
    """
    given = bytes(n * 7 & 255 for n in range(turns * TURN))
    length = len(given) if code.name.startswith("single::") else turns
    data = bytearray(random.Random(1).randbytes(END - DATA))
    for place, text in ((FUNCTION, code.bytes), (TABLE, table + bytes([i, j])), (INPUT, given), (SAVED, bytes(8 * 32))):
        data[place - DATA : place - DATA + len(text)] = text
    program = b"".join(set_register(n, value) for n, value in ({0: TABLE, 1: INPUT, 2: OUTPUT, 3: length} | KEPT).items())
    at = BASE + 120 + len(program)
    program += word(0x94000000 | (FUNCTION - at) // 4 & 0x3FFFFFF)  # bl
    program += set_register(POINTER, SAVED) + b"".join(save_register(n, 8 * n) for n in KEPT)
    try:
        left = run(program, bytes(data))
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return True
    right, new_i, new_j, output = bytearray(table), i, j, bytearray()
    for byte in given:
        new_i, new_j, key_byte = step(right, new_i, new_j)
        output.append(byte ^ key_byte)
    for n, value in KEPT.items():
        data[8 * n : 8 * n + 8] = struct.pack("<Q", value)
    for place, text in ((TABLE, right + bytes([new_i, new_j])), (OUTPUT, output)):
        data[place - DATA : place - DATA + len(text)] = text
    return left != bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elf", action="append", required=True, type=Path)
    parser.add_argument("--count", type=int, default=2000, help="states of each form, at least: %(default)s")
    parser.add_argument("--seed", type=int, default=46)
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    given = parser.parse_args()
    found = forms(extract(elf, kernel) for kernel, elf in prove.kernels(*given.elf).items())
    compared, wrong = compare(found, given.count, given.seed)
    print(*wrong, f"{len(compared)} forms of instructions, {sum(compared.values())} states: {len(wrong)} forms differ from qemu", sep="\n")
    if given.record and not wrong:
        with RECORD.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([["form", "states"], *compared.items()])
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
