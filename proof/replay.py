"""Replays a solver's counterexample on the processor: one turn from its table, i and j."""

import os
import random
import struct

import z3
from definition import step
from processor import DATA, FLAGS, GENERAL, SIZE, VECTORS, Processor
from x86_turns import SAVED, TURN

# The addresses of the function, its arguments and its stack in the processor's memory.
FUNCTION, TABLE, INPUT, OUTPUT, STACK = DATA, DATA + 0x2000, DATA + 0x3000, DATA + 0x4000, DATA + 0x8000


def undone(table, i, j, steps):
    """Returns the table and j before `steps` steps. RC4 runs backwards from any table."""
    table = bytearray(table)
    for n in range(steps):
        at = (i - n) & 255
        table[at], table[j] = table[j], table[at]
        j = (j - table[at]) & 255
    return table, j


def start_of(obligation, steps, seed, bits=3):
    """Returns the table, i and j at the turn's begin, for a counterexample `steps` steps later.

    Only the upper `bits` bits of i can be set. Bytes of the table that the solver leaves open are
    random. If all of them were zero, later steps could hide an error.
    """
    page, memory = z3.BitVec("table_page", 56), z3.Array("memory", z3.BitVecSort(64), z3.BitVecSort(8))
    cells = [z3.Select(memory, z3.Concat(page, z3.BitVecVal(n, 8))) for n in range(256)]
    model = obligation.counterexample([cell == byte for cell, byte in zip(cells, random.Random(seed).randbytes(256), strict=True)])

    def value(term):
        return model.eval(term, model_completion=True).as_long()

    i = value(z3.BitVec(f"i_over_{256 >> bits}", bits)) * (256 >> bits)
    table, j = undone(map(value, cells), (i + steps) & 255, value(z3.BitVec("j", 8)), steps)
    return bytes(table), i, j


def turn(code, table, i, j):
    """Runs one turn of the function. Returns the differences from the definition."""
    processor, single = Processor(), code.name.startswith("single::")
    length = 16 if single else TURN
    data = bytes(range(100, 100 + length))
    memory = bytearray(SIZE - DATA)
    for place, text in ((FUNCTION, code.bytes), (TABLE, table + bytes([i, j])), (INPUT, data)):
        memory[place - DATA : place - DATA + len(text)] = text
    processor.memory[DATA:SIZE] = bytes(memory)
    call = processor.load(b"\xe8" + bytes(4)).base
    at = call - processor.base
    processor.memory[at : at + 5] = b"\xe8" + struct.pack("<i", FUNCTION - at - 5)
    values = {name: 0x0101010101010101 * (n + 1) for n, name in enumerate((*GENERAL, *VECTORS))} | dict.fromkeys(FLAGS, 0)
    values |= {name: processor.base + place for name, place in
               {"RDI": TABLE, "RSI": INPUT, "RDX": OUTPUT, "RSP": STACK}.items()} | {"RCX": length if single else 1}
    after, _ = processor.run(values)

    right, (new_i, new_j), stream = bytearray(table), (i, j), bytearray()
    for _ in range(length):
        new_i, new_j, byte = step(right, new_i, new_j)
        stream.append(byte)
    reads = not code.name.endswith("fill_turns")
    output = bytes(a ^ b for a, b in zip(stream, data, strict=True)) if reads else bytes(stream)
    for place, text in ((TABLE, right + bytes([new_i, new_j])), (OUTPUT, output)):
        memory[place - DATA : place - DATA + len(text)] = text
    below = STACK - DATA - 0x100  # the stack may hold anything below its top
    left = bytearray(processor.memory[DATA:SIZE])
    left[below : STACK - DATA] = memory[below : STACK - DATA]
    differs = [f"byte {n + DATA:#x} of memory" for n, (was, now) in enumerate(zip(memory, left, strict=True)) if was != now]
    return differs + [name for name in (*SAVED, "RSP") if after[name] != values[name]]


def differs(code, table, i, j):
    """Returns true if one turn differs from the definition.

    Runs in a child process, since wrong code may crash it.
    """
    child = os.fork()
    if not child:
        os._exit(1 if turn(code, table, i, j) else 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
