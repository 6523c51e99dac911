"""One stream on x86-64: cipher/src/backends/x86_64/stream.rs, `fill_turns` and `xor_turns`.

A turn is 32 steps. Cut point 0 is the head of the loop. Cut point p is behind the `pinsrb` that
puts step p's byte of keystream into its lane. `invariant` says what each register holds there. Each
path from a cut point to the next is an obligation.
"""

from dataclasses import dataclass, replace
from functools import partial

import z3
from definition import step
from lift import NotModelled, State, write
from memory import Region, Table, array, equal_everywhere, number, select, store
from x86_turns import FRAME, TURN, Turns, ring


@dataclass
class Ghosts:
    """The values that the invariant is about."""

    page: object = None  # the table's address without its last eight bits
    i: object = None  # i where the turn began, a multiple of 32
    j: object = None
    data: object = None  # input and output where the turn began
    output: object = None
    turns: object = None  # turns left
    frame: object = None  # the stack pointer
    memory: object = None
    bytes: tuple = ()  # the keystream of this half of the turn so far

    TURN = TURN  # bytes of a turn
    MOST = 1 << 57  # turns
    OBJECT = 512  # bytes of the type, whose first part is the table
    PUSHED = 0  # bytes on the stack below the caller's registers

    @classmethod
    def fresh(cls, known):
        """Returns unknown values, after `known` bytes of this half."""
        return cls(z3.BitVec("table_page", 56), z3.Concat(z3.BitVec("i_over_32", 3), z3.BitVecVal(0, 5)), z3.BitVec("j", 8),
                   z3.BitVec("input", 64), z3.BitVec("output", 64), z3.BitVec("turns", 64), z3.BitVec("stack", 64),
                   array("memory"), tuple(z3.BitVec(f"k{n + 1}", 8) for n in range(known)))

    @property
    def indexes(self):
        """Returns the values behind the table, by the distance from its begin."""
        return {256: self.i, 257: self.j}

    def at(self, index):
        """Returns the address of a byte of the table."""
        return z3.Concat(self.page, index)

    @property
    def base(self):
        return self.at(z3.BitVecVal(0, 8))

    @property
    def state(self):
        """Returns the region of the table, i and j."""
        return Region("table", self.base, number(max(self.indexes) + 1))

    @property
    def regions(self):
        length = self.turns * self.TURN
        return {"output": Region("data", self.output, length), "input": Region("data", self.data, length),
                "object": Region("table", self.base, number(self.OBJECT)),
                "stack": Region("stack", self.frame, number(self.PUSHED + FRAME))}

    def assumed(self, kernel):
        """Returns the caller's promises: assumptions 1 to 6 of the README."""
        regions = self.regions
        same_or_apart = z3.Or(self.data == self.output, regions["input"].disjoint(regions["output"]))
        conditions = [z3.ULE(1, self.turns), z3.ULE(self.turns, self.MOST), *(regions[name].valid() for name in
                      ("output", "object", "stack")), regions["output"].disjoint(regions["object"]),
                      regions["output"].disjoint(regions["stack"]), regions["object"].disjoint(regions["stack"])]
        if kernel.reads:
            conditions += [regions["input"].valid(), same_or_apart, regions["input"].disjoint(regions["object"]),
                           regions["input"].disjoint(regions["stack"])]
        return conditions


class Stream(Turns):
    """The proof of one of the two functions.

    `reads` is true for the function that xors into input.
    """

    vectors = ("XMM0", "XMM1", "XMM2")
    ghosts = Ghosts
    turn = TURN  # bytes of a turn
    steps = TURN  # the increment of i in a turn

    def __init__(self, code, reads, cuts=None):
        self.reads = reads
        super().__init__(code, cuts)

    def patched(self, code):
        """Returns the proof for other machine code, with the same cut points."""
        return type(self)(code, self.reads, self.cuts)

    def find_cuts(self):
        """Returns the addresses of the cut points."""
        instructions = self.code.instructions()
        steps = [instruction.addr.offset + instruction.length for instruction in instructions if instruction.mnem == "PINSRB"]
        back = [int(instruction.body, 16) for instruction in instructions if instruction.mnem == "JNZ"]
        if len(steps) != self.turn or len(back) != 1:
            raise NotModelled(f"{self.code.name}: {len(steps)} insertions and {len(back)} loops, not {self.turn} and one")
        return [back[0], *steps]

    def invariant(self, p, ghosts):
        """Returns what each register holds at cut point p."""
        table = Table(ghosts.memory, ghosts.page)
        turn, after = ghosts.at(ghosts.i), ghosts.at(ghosts.i + TURN)
        holds = {"RBX": ghosts.base, "RCX": ghosts.at(ghosts.j), "RBP": turn, "RSI": ghosts.data, "R14": ghosts.output,
                 "R15": ghosts.turns, "RSP": ghosts.frame, "R12": turn if p < 28 else after}
        for ahead in range(1, 4):
            holds[ring(p, ahead)] = z3.ZeroExt(56, table[ghosts.i + p + ahead])
        if p:
            holds |= {"RDI": after, "R13": ~turn - 2 * (p // 2)}
        return holds | self.banks(ghosts)

    def banks(self, ghosts):
        """Returns the vector registers that gather the keystream bytes alternately."""
        lanes = [*ghosts.bytes, *[z3.BitVecVal(0, 8)] * (16 - len(ghosts.bytes))]
        return {f"XMM{bank}": z3.Concat([lane if n % 2 == bank else z3.BitVecVal(0, 8) for n, lane in enumerate(lanes)][::-1])
                for bank in range(2)}

    def define(self, p, ghosts):
        """Returns the ghosts after step p of the definition, and the step's byte of keystream."""
        table = Table(ghosts.memory, ghosts.page)
        _, j, key_byte = step(table, ghosts.i + (p - 1), ghosts.j)
        return replace(ghosts, j=j, memory=table.memory), key_byte

    def write_half(self, ghosts, half):
        """Returns the memory after 16 bytes of output. With `reads`, input is xored in."""
        memory = ghosts.memory
        for n, key_byte in enumerate(ghosts.bytes):
            data = select(ghosts.memory, ghosts.data + half + n) if self.reads else 0
            memory = store(memory, ghosts.output + half + n, key_byte ^ data)
        return memory

    def step(self, p):
        """From cut point p - 1 to p: one step of the definition.

        Before step 17 the first half of the output is written. The other steps touch only the
        table, so they do not need the caller's promises.
        """
        ghosts = after = self.placing(self.ghosts.fresh(16 if p == 17 else (p - 1) % 16))
        loads, data, assumed = [], [], []
        if p == 17:
            assumed = ghosts.assumed(self)
            after = replace(ghosts, memory=self.write_half(ghosts, 0), bytes=())
            data = [ghosts.regions["output"]]
            loads = [ghosts.regions["stack"], *([ghosts.regions["input"]] if self.reads else [])]
        after, key_byte = self.define(p, after)
        after.bytes = (*after.bytes, key_byte)
        return self.obligation(f"step {p}", assumed, self.at_cut(p - 1, ghosts), set(self.cuts), loads, [ghosts.state, *data],
                               lambda end: self.reaches(end, p, after))

    def turn_end(self):
        """From the last cut point: writes 16 bytes, then the next turn or the return."""
        ghosts = self.placing(self.ghosts.fresh(16))
        after = replace(ghosts, memory=self.write_half(ghosts, self.turn - 16), bytes=(), i=ghosts.i + self.steps,
                        data=ghosts.data + self.turn, output=ghosts.output + self.turn, turns=ghosts.turns - 1)

        def goals(end):
            if isinstance(end.pc, int):
                return {"a turn is left": after.turns != 0} | self.reaches(end, 0, after)
            return {"no turn is left": after.turns == 0} | self.returned(end, ghosts, after)

        loads = [ghosts.regions["stack"], *([ghosts.regions["input"]] if self.reads else [])]
        return self.obligation("end of turn", ghosts.assumed(self), self.at_cut(self.turn, ghosts), {self.cuts[0]}, loads,
                               [ghosts.state, ghosts.regions["output"]], goals)

    def returned(self, end, ghosts, after):
        """Claims that the caller's registers are restored, and that i and j are in their places."""
        memory = after.memory
        for at, index in after.indexes.items():
            memory = store(memory, ghosts.base + at, index)
        return self.restored(end, ghosts.memory, ghosts.frame + ghosts.PUSHED) | {
            "only i and j are written": equal_everywhere(end.memory, memory)}

    def entry(self):
        """From the first instruction to cut point 0: saves the caller's registers."""
        ghosts = self.ghosts.fresh(0)
        frame = ghosts.frame + ghosts.PUSHED
        state = State(self.code.base, {}, ghosts.memory)
        context = self.code.context
        for name, value in {"RDI": ghosts.base, "RSI": ghosts.data, "RDX": ghosts.output, "RCX": self.length(ghosts),
                            "RSP": frame + 8 * len(self.saved)}.items():
            write(state, context, context.registers[name].offset, z3.simplify(value))
        after = self.placing(replace(ghosts, memory=self.saving(state, frame)))
        given = [select(ghosts.memory, ghosts.base + at) == index for at, index in ghosts.indexes.items()]
        stack = Region("stack", ghosts.frame, number(ghosts.PUSHED + 8 * len(self.saved)))
        return self.obligation("entry", [*ghosts.assumed(self), *given], state, set(self.cuts), *self.touched_at_entry(ghosts, stack),
                               lambda end: self.reaches(end, 0, after))

    def length(self, ghosts):
        """Returns the caller's argument for the length."""
        return ghosts.turns

    def touched_at_entry(self, ghosts, stack):
        """Returns the regions that the entry may read, and the regions that it may write."""
        return [ghosts.state], [stack]

    def sections(self):
        """Returns the functions that make the obligations, one for each cut point."""
        return [self.entry, *(partial(self.step, p) for p in range(1, self.turn + 1)), self.turn_end, self.lemmas]
