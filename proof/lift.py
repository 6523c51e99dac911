"""Runs machine code on symbols: SLEIGH's meaning of each instruction, as terms of bit-vectors.

Registers are cells of 64 bits, flags are cells of 8 bits. The memory is an array from 64-bit
addresses to bytes. The operations of the kernels are modelled. Any other operation raises
NotModelled.
"""

from dataclasses import dataclass, field, replace
from functools import cache

import z3
from memory import load, store
from pypcode import BadDataError, OpCode, UnimplError

CELL = 8
LIMIT = 256  # instructions of a path between two cut points


class NotModelled(Exception):
    """An instruction, or a use of an instruction, that this module does not model."""


@dataclass
class State:
    """The machine between two instructions."""

    pc: object
    registers: dict
    memory: object
    path: list = field(default_factory=list)  # the conditions of the branches on the path
    branches: list = field(default_factory=list)  # true for each branch that was taken
    trace: list = field(default_factory=list)  # addresses of the instructions run
    accesses: list = field(default_factory=list)  # ("load" or "store", address, bytes)

    def copy(self):
        return replace(self, registers=dict(self.registers),
                       **{name: list(getattr(self, name)) for name in ("path", "branches", "trace", "accesses")})


@cache
def layout(context):
    """Returns the bytes of the register space that are cells alone: the flags."""
    widest = {}
    for register in context.registers.values():
        for n in range(register.offset, register.offset + register.size):
            widest[n] = max(widest.get(n, 0), register.size)
    return {n for n, size in widest.items() if size == 1}


def cell(context, offset):
    return (offset, 1) if offset in layout(context) else (offset - offset % CELL, CELL)


def name_of(offset):
    """Returns the name of the symbol for the unknown value of a register."""
    return f"register_{offset:#x}"


@cache
def unknown(offset, size):
    """Returns the symbol for the unknown value of a register."""
    return z3.BitVec(name_of(offset), 8 * size)


def untouched(offset, size, value):
    return value.eq(unknown(offset, size))


def read(state, context, offset, size):
    """Reads a register or a part of a register."""
    parts = []
    while size:
        at, width = cell(context, offset)
        if (at, width) not in state.registers:
            state.registers[at, width] = unknown(at, width)
        if (offset, size) == (at, width) and not parts:
            return state.registers[at, width]
        skip = offset - at
        take = min(size, width - skip)
        parts.insert(0, z3.Extract(8 * (skip + take) - 1, 8 * skip, state.registers[at, width]))
        offset, size = offset + take, size - take
    return z3.simplify(z3.Concat(parts) if len(parts) > 1 else parts[0])


def write(state, context, offset, value):
    """Sets a register or a part of a register."""
    done, size = 0, value.size() // 8
    while done < size:
        at, width = cell(context, offset + done)
        skip = offset + done - at
        take = min(size - done, width - skip)
        parts = [z3.Extract(8 * (done + take) - 1, 8 * done, value)]
        if skip:
            parts.append(read(state, context, at, skip))
        if skip + take < width:
            parts.insert(0, read(state, context, at + skip + take, width - skip - take))
        state.registers[at, width] = z3.simplify(z3.Concat(parts) if len(parts) > 1 else parts[0])
        done += take


def register(state, context, name):
    place = context.registers[name]
    return read(state, context, place.offset, place.size)


def byte(condition):
    return z3.If(condition, z3.BitVecVal(1, 8), z3.BitVecVal(0, 8))


def shift_count(value, count):
    """Returns a shift count in the width of the shifted value.

    A count above this width becomes the width.
    """
    if count.size() < value.size():
        return z3.ZeroExt(value.size() - count.size(), count)
    wide = z3.ULT(count, value.size())
    return z3.If(wide, z3.Extract(value.size() - 1, 0, count), z3.BitVecVal(value.size(), value.size()))


def bits_set(size, value):
    ones = [z3.ZeroExt(8 * size - 1, z3.Extract(n, n, value)) for n in range(value.size())]
    return z3.Sum(ones)


def overflow(result, a, b, b_sign):
    """Returns 1 if a signed sum or difference overflows."""
    top = result.size() - 1
    return byte(z3.Extract(top, top, (a ^ result) & (b ^ result if b_sign else a ^ b)) == 1)


PURE = {
    OpCode.COPY: lambda _, a: a,
    OpCode.INT_ADD: lambda _, a, b: a + b,
    OpCode.INT_SUB: lambda _, a, b: a - b,
    OpCode.INT_MULT: lambda _, a, b: a * b,
    OpCode.INT_AND: lambda _, a, b: a & b,
    OpCode.INT_OR: lambda _, a, b: a | b,
    OpCode.INT_XOR: lambda _, a, b: a ^ b,
    OpCode.INT_NEGATE: lambda _, a: ~a,
    OpCode.INT_2COMP: lambda _, a: -a,
    OpCode.INT_LEFT: lambda _, a, n: a << shift_count(a, n),
    OpCode.INT_RIGHT: lambda _, a, n: z3.LShR(a, shift_count(a, n)),
    OpCode.INT_SRIGHT: lambda _, a, n: a >> shift_count(a, n),
    OpCode.INT_ZEXT: lambda size, a: z3.ZeroExt(8 * size - a.size(), a),
    OpCode.INT_SEXT: lambda size, a: z3.SignExt(8 * size - a.size(), a),
    OpCode.INT_EQUAL: lambda _, a, b: byte(a == b),
    OpCode.INT_NOTEQUAL: lambda _, a, b: byte(a != b),
    OpCode.INT_LESS: lambda _, a, b: byte(z3.ULT(a, b)),
    OpCode.INT_LESSEQUAL: lambda _, a, b: byte(z3.ULE(a, b)),
    OpCode.INT_SLESS: lambda _, a, b: byte(a < b),
    OpCode.INT_SLESSEQUAL: lambda _, a, b: byte(a <= b),
    OpCode.INT_CARRY: lambda _, a, b: byte(z3.ULT(a + b, a)),
    OpCode.INT_SCARRY: lambda _, a, b: overflow(a + b, a, b, True),
    OpCode.INT_SBORROW: lambda _, a, b: overflow(a - b, a, b, False),
    OpCode.BOOL_NEGATE: lambda _, a: a ^ 1,
    OpCode.BOOL_AND: lambda _, a, b: a & b,
    OpCode.BOOL_OR: lambda _, a, b: a | b,
    OpCode.BOOL_XOR: lambda _, a, b: a ^ b,
    OpCode.POPCOUNT: bits_set,
    OpCode.PIECE: lambda _, high, low: z3.Concat(high, low),
}


class Lifter:
    """Runs the instructions of one function."""

    def __init__(self, code):
        self.code, self.context = code, code.context
        self.lifted = {}

    def operations(self, address):
        """Returns the p-code of the instruction at an address, and the address after it."""
        if address not in self.lifted:
            if not self.code.holds(address):
                raise NotModelled(f"{address:#x} is outside the function")
            try:
                ops = self.context.translate(self.code.at(address), address, max_instructions=1).ops
            except (BadDataError, UnimplError) as error:
                raise NotModelled(f"{self.code.at(address).hex()} is no instruction") from error
            mark = ops[0].inputs[0]
            self.lifted[address] = ops[1:], mark.offset + mark.size
        return self.lifted[address]

    def value(self, state, temporaries, node):
        if node.space.name == "const":
            return z3.BitVecVal(node.offset, 8 * node.size)
        if node.space.name == "register":
            return read(state, self.context, node.offset, node.size)
        if node.space.name == "unique":
            value = temporaries[node.offset]
            return value if value.size() == 8 * node.size else z3.Extract(8 * node.size - 1, 0, value)
        raise NotModelled(f"operand in the space {node.space.name}")

    def step(self, state):
        """Returns the states after one instruction: two after a conditional branch."""
        operations, following = self.operations(state.pc)
        state = state.copy()
        state.trace.append(state.pc)
        state.pc = following
        temporaries, forked, skipped = {}, [], []
        for op in operations:
            if forked:
                raise NotModelled("an operation after a branch")
            given = [self.value(state, temporaries, node) for node in op.inputs if node.space.name != "ram"]
            if op.opcode in PURE:
                result = PURE[op.opcode](op.output.size, *given)
            elif op.opcode == OpCode.SUBPIECE:
                low = 8 * op.inputs[1].offset
                result = z3.Extract(min(low + 8 * op.output.size, given[0].size()) - 1, low, given[0])
            elif op.opcode == OpCode.LOAD:
                address = z3.simplify(given[1])
                state.accesses.append(("load", address, op.output.size))
                result = load(state.memory, address, op.output.size)
            elif op.opcode == OpCode.STORE:
                address = z3.simplify(given[1])
                state.accesses.append(("store", address, given[2].size() // 8))
                state.memory = store(state.memory, address, given[2])
                continue
            elif op.opcode == OpCode.CBRANCH and op.inputs[0].space.name == "ram":
                taken = z3.simplify(given[-1] == 1)
                if op.inputs[0].offset == following:  # cmov: a taken branch skips the rest of the instruction
                    skipped.append((taken, state.copy()))
                    continue
                branch = state.copy()
                branch.pc = op.inputs[0].offset
                branch.path.append(taken)
                branch.branches.append(True)
                state.path.append(z3.Not(taken))
                state.branches.append(False)
                forked = [branch]
                continue
            elif op.opcode in (OpCode.BRANCH, OpCode.CALL) and op.inputs[0].space.name == "ram":
                state.pc = op.inputs[0].offset
                continue
            elif op.opcode in (OpCode.RETURN, OpCode.BRANCHIND):
                target = z3.simplify(given[0])
                state.pc = target.as_long() if z3.is_bv_value(target) else target
                continue
            else:
                raise NotModelled(f"p-code's {op.opcode.name}")
            if op.output.space.name == "unique":
                temporaries[op.output.offset] = result
            else:
                write(state, self.context, op.output.offset, result)
        for taken, before in reversed(skipped):
            if not before.memory.eq(state.memory):
                raise NotModelled("a conditional store")
            for at, new in state.registers.items():
                old = before.registers.get(at, unknown(*at))
                if not old.eq(new):
                    state.registers[at] = z3.If(taken, old, new)
        return [state, *forked]

    def paths(self, start, stops):
        """Returns the states at the ends of all paths, at a stop or at the return."""
        ends, ready = [], [start]
        first = True
        while ready:
            state = ready.pop()
            if not first and (not isinstance(state.pc, int) or state.pc in stops):
                ends.append(state)
                continue
            first = False
            if len(state.trace) == LIMIT or len(ends) + len(ready) > LIMIT:
                raise NotModelled(f"more than {LIMIT} instructions or paths without a cut point")
            ready += self.step(state)
        return ends
