"""One stream on AArch64: `xor_turns` of the library and `blocks_aarch64` of capi/single/arcfour.c.

The library's kernel is in cipher/src/backends/aarch64.rs. A turn is 16 steps and two words of data.
Cut point 0 is the head of the loop. Cut point p is behind the instruction that puts step p's byte
of keystream into its place. One more cut point is behind the first word's store, after 8 steps.
`invariant` says what each register holds there. Each path from a cut point to the next is an
obligation. The table may begin at any address.
"""

import re
from dataclasses import dataclass, replace
from functools import partial

import z3
from definition import step
from lift import Lifter, NotModelled, State, register, untouched, write
from memory import Region, UnalignedTable, array, equal_everywhere, number, select, store, wide
from obligation import Obligation, all_of
from paths import Sections, path_obligations

TURN = 16
WORD = 8
RING = ("a", "b", "c", "d")
# The registers of the library's kernel.
REGISTERS = {"table": "x0", "input": "x1", "output": "x2", "left": "x3", "here": "x4", "next": "x5", "i": "x6", "j": "x7",
             "a": "x8", "b": "x9", "c": "x10", "d": "x11", "odd": "x13", "even": "x14"}
FLAGS = ("NG", "ZR", "CY", "OV", "tmpNG", "tmpZR", "tmpCY", "tmpOV", "shift_carry")
MEANING = {"table": "&S[0]", "input": "the input", "output": "the output", "left": "the turns left", "end": "the end of the input",
           "here": "&S[i] before the turn", "next": "&S[i] after the turn", "i": "i before the turn", "odd": "the odd bytes so far",
           "even": "the even bytes so far"}


def ring(p, ahead):
    """Returns the role in the ring that holds S[i + ahead], for i of step p."""
    return RING[(p + ahead - 1) % 4]


def meaning(role, p):
    """Returns what a register holds according to the invariant, in words."""
    if role in RING:
        return f"S[i + {(RING.index(role) + 1 - p) % 4}], for i of step {p}"
    return MEANING[role]


@dataclass
class Ghosts:
    """The values that the invariant is about."""

    base: object  # the table's address
    i: object  # i where the turn began, a multiple of 16
    j: object
    data: object  # input and output of the next word
    output: object
    length: object  # bytes of input from `data` on
    turns: object  # turns left
    memory: object
    bytes: tuple  # the keystream of this word so far

    @classmethod
    def fresh(cls, p, known):
        """Returns unknown values at cut point p, with `known` bytes of unwritten keystream."""
        turns, done = z3.BitVec("turns", 64), WORD * (p > WORD or (p == WORD and known == 0))
        return cls(z3.BitVec("table", 64), z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4)), z3.BitVec("j", 8),
                   z3.BitVec("input", 64), z3.BitVec("output", 64), turns * TURN - done, turns,
                   array("memory"), tuple(z3.BitVec(f"k{n + 1}", 8) for n in range(known)))

    @property
    def state(self):
        """Returns the region of the table, i and j."""
        return Region("table", self.base, number(258))

    @property
    def written(self):
        return Region("data", self.output, self.length)

    @property
    def read(self):
        return Region("data", self.data, self.length)

    def assumed(self):
        """Returns the caller's promises: assumptions 2 to 4 of the README."""
        return [z3.ULE(1, self.turns), z3.ULE(self.turns, 1 << 59), self.written.valid(), self.read.valid(), self.state.valid(),
                self.written.disjoint(self.state), self.read.disjoint(self.state),
                z3.Or(self.data == self.output, self.read.disjoint(self.written))]


class Stream(Sections):
    """The proof of the kernel.

    The cut points come from the code as built; a wrong place can only make the proof fail.
    """

    reads = True
    registers = REGISTERS

    def __init__(self, code, cuts=None):
        self.code, self.lifter = code, Lifter(code)
        self.cuts = cuts or self.find_cuts()

    def patched(self, code):
        """Returns the proof for other machine code, with the same cut points."""
        other = type(self)(code, self.cuts)
        other.registers = self.registers
        return other

    def find_cuts(self):
        """Returns the addresses of the cut points, by the step and the number of unwritten bytes.

        The cut points of the steps are behind the loads of the first bytes and the shifts of the
        other bytes. The shift that joins the odd and the even bytes does not count.
        """
        gathered = [f"w{self.registers[role][1:]}" for role in ("odd", "even")]
        steps, words, back = [], [], []
        for item in self.code.instructions():
            target = item.body.partition(",")[0]
            if (item.mnem == "ldrb" and target in gathered) or (item.mnem == "orr" and not item.body.endswith("#0x8")):
                steps.append(item.addr.offset + item.length)
            if item.mnem == "str":
                words.append(item.addr.offset + item.length)
            if item.mnem == "b.ne":
                back.append(int(item.body.lstrip("#"), 16))
        if len(steps) != TURN or len(words) != 2 or len(back) != 1:
            raise NotModelled(f"{self.code.name}: {len(steps)} bytes, {len(words)} words and {len(back)} loops, not {TURN}, 2 and 1")
        return {(0, 0): back[0], (WORD, 0): words[0]} | {(p, (p - 1) % WORD + 1): at for p, at in enumerate(steps, 1)}

    def invariant(self, p, ghosts):
        """Returns what each register holds at cut point p, except j's with its free upper bits."""
        table = UnalignedTable(ghosts.memory, ghosts.base)
        holds = {"table": ghosts.base, "input": ghosts.data, "output": ghosts.output, "here": ghosts.base + wide(ghosts.i),
                 "i": wide(ghosts.i)} | self.counted(ghosts)
        if p:
            holds["next"] = ghosts.base + wide(ghosts.i + TURN)
        for ahead in range(1, 4):
            holds[ring(p, ahead)] = wide(table[ghosts.i + p + ahead])
        for name, own in (("odd", ghosts.bytes[::2]), ("even", ghosts.bytes[1::2])):
            if own:
                lanes = [byte for key_byte in own for byte in (key_byte, z3.BitVecVal(0, 8))]
                holds[name] = z3.Concat(([*lanes, *[z3.BitVecVal(0, 8)] * WORD][:WORD])[::-1])
        return holds

    def counted(self, ghosts):
        """Returns the register that shows if a turn is left."""
        return {"left": ghosts.turns}

    def length(self, ghosts):
        """Returns the caller's argument for the length."""
        return ghosts.turns

    def at_cut(self, p, ghosts):
        """Returns a machine about which only the invariant is known."""
        state = State(self.cuts[p, len(ghosts.bytes)], {}, ghosts.memory)
        holds = self.invariant(p, ghosts) | {"j": z3.Concat(z3.BitVec("above_j", 56), ghosts.j)}
        for role, value in holds.items():
            self.put(state, self.registers[role], value)
        return state

    def put(self, state, name, value):
        write(state, self.code.context, self.code.context.registers[name].offset, z3.simplify(value))

    def reaches(self, end, p, ghosts):
        """Claims that a path ends at cut point p, and that the memory equals the definition's."""
        goals = {f"the path leads to cut point {p}": z3.BoolVal(isinstance(end.pc, int) and end.pc == self.cuts[p, len(ghosts.bytes)]),
                 "no other register is written": self.others_kept(end),
                 f"w{self.registers['j'][1:]} is j in its low byte":
                     z3.Extract(7, 0, register(end, self.code.context, self.registers["j"])) == ghosts.j}
        for role, value in self.invariant(p, ghosts).items():
            name = self.registers[role]
            goals[f"{name} is {meaning(role, p)}"] = register(end, self.code.context, name) == value
        goals["the memory equals the definition's, at every address"] = equal_everywhere(end.memory, ghosts.memory)
        goals["the promises of the caller hold for the data that are left"] = all_of(ghosts.assumed())
        return goals

    def others_kept(self, end):
        """Claims that only x0 to x18 and the flags have changed: the stack pointer is kept."""
        own = [self.code.context.registers[name] for name in ("pc", *(f"x{n}" for n in range(19)), *FLAGS)]
        places = {register.offset + n for register in own for n in range(register.size)}
        return z3.BoolVal(all(at in places or untouched(at, width, value) for (at, width), value in end.registers.items()))

    def obligation(self, name, ghosts, start, stops, stores, goals, more=()):
        """Returns the obligations of all paths from a state on.

        `goals` returns the claims about a path's end.
        """
        return path_obligations(name, [*ghosts.assumed(), *more], self.lifter.paths(start, stops), [ghosts.read], stores, goals)

    def entry(self):
        """From the first instruction to cut point 0: reads the arguments, i, j and the ring."""
        ghosts = Ghosts.fresh(0, 0)
        state = State(self.code.base, {}, ghosts.memory)
        for name, value in {"x0": ghosts.base, "x1": ghosts.data, "x2": ghosts.output, "x3": self.length(ghosts)}.items():
            self.put(state, name, value)
        given = [select(ghosts.memory, ghosts.base + 256) == ghosts.i, select(ghosts.memory, ghosts.base + 257) == ghosts.j]
        return self.obligation("entry", ghosts, state, set(self.cuts.values()), [ghosts.state], lambda end: self.reaches(end, 0, ghosts), given)

    def word_done(self, ghosts):
        """Returns the ghosts after the output of a word: keystream xored into the input."""
        memory = ghosts.memory
        for n, key_byte in enumerate(ghosts.bytes):
            memory = store(memory, ghosts.output + n, key_byte ^ select(ghosts.memory, ghosts.data + n))
        return replace(ghosts, memory=memory, bytes=(), data=ghosts.data + WORD, output=ghosts.output + WORD,
                       length=ghosts.length - WORD)

    def step(self, p):
        """From cut point p - 1 to p: one step of the definition."""
        ghosts = Ghosts.fresh(p - 1, (p - 1) % WORD)
        table = UnalignedTable(ghosts.memory, ghosts.base)
        _, j, key_byte = step(table, ghosts.i + (p - 1), ghosts.j)
        after = replace(ghosts, j=j, memory=table.memory, bytes=(*ghosts.bytes, key_byte))
        return self.obligation(f"step {p}", ghosts, self.at_cut(p - 1, ghosts), set(self.cuts.values()), [ghosts.state],
                               lambda end: self.reaches(end, p, after))

    def word(self):
        """From cut point 8 to the next: writes the first word of the output."""
        ghosts = Ghosts.fresh(WORD, WORD)
        return self.obligation("first word", ghosts, self.at_cut(WORD, ghosts), set(self.cuts.values()), [ghosts.written],
                               lambda end: self.reaches(end, WORD, self.word_done(ghosts)))

    def turn_end(self):
        """From cut point 16: writes the second word, then the next turn or the return."""
        ghosts = Ghosts.fresh(TURN, WORD)
        after = replace(self.word_done(ghosts), i=ghosts.i + TURN, turns=ghosts.turns - 1)

        def goals(end):
            if isinstance(end.pc, int):
                return {"a turn is left": after.turns != 0} | self.reaches(end, 0, after)
            memory = store(store(after.memory, ghosts.base + 256, after.i), ghosts.base + 257, after.j)
            return {"no turn is left": after.turns == 0, "no other register is written": self.others_kept(end),
                    "it returns to the caller": end.pc == register(State(0, {}, None), self.code.context, "x30"),
                    "only i and j are written": equal_everywhere(end.memory, memory)}

        return self.obligation("end of turn", ghosts, self.at_cut(TURN, ghosts), {self.cuts[0, 0]}, [ghosts.state, ghosts.written], goals)

    def lemmas(self):
        """Returns the lemma of the induction: in place, input is read before it is overwritten."""
        ghosts = Ghosts.fresh(0, 0)
        first, left = (replace(ghosts, length=number(WORD)).written, self.word_done(ghosts))
        return [Obligation("lemma: writing a word changes no input that is still to be read, even in place", ghosts.assumed(),
                           {"they are apart": first.disjoint(left.read)})]

    def sections(self):
        """Returns the functions that make the obligations, one for each cut point."""
        steps = [partial(self.step, p) for p in range(1, TURN + 1)]
        return [self.entry, *steps[:WORD], self.word, *steps[WORD:], self.turn_end, self.lemmas]


class Single(Stream):
    """The proof of `blocks_aarch64`.

    A C compiler chooses its registers, and the proof reads them from the instructions.
    """

    def find_cuts(self):
        instructions = self.code.instructions()
        operands = [re.findall(r"[wx](\d+)", item.body) for item in instructions]
        (back,) = [int(item.body.lstrip("#"), 16) for item in instructions if item.mnem == "b.ne"]
        head = next(n for n, item in enumerate(instructions) if item.addr.offset == back)
        sums = [named for item, named in zip(instructions[head:], operands[head:], strict=True) if item.mnem == "add"]
        # add t, i, 16; add next, table, t; add j, j, a; add y, y, a; add j, j, b; add y, y, b; ...
        loads = [named for item, named in zip(instructions[head:], operands[head:], strict=True) if item.mnem == "ldrb"]
        # ldrb d, [here]; ldrb y, [table, t]; ldrb odd, [table, y];
        # ldrb a, [here]; ldrb y, [table, t]; ldrb even, [table, y]; ...
        words = {item.mnem: named for item, named in zip(instructions, operands, strict=True) if item.mnem in ("ldr", "str", "cmp")}
        self.registers = {role: f"x{number}" for role, number in {
            "table": sums[1][1], "input": words["ldr"][1], "output": words["str"][1], "end": words["cmp"][1], "here": loads[0][1],
            "next": sums[1][0], "i": sums[0][1], "j": sums[2][0], "a": sums[2][2], "b": sums[4][2], "c": sums[6][2], "d": sums[8][2],
            "odd": loads[2][0], "even": loads[5][0]}.items()}
        return super().find_cuts()

    def counted(self, ghosts):
        return {"end": ghosts.data + ghosts.length}

    def length(self, ghosts):
        return TURN * ghosts.turns
