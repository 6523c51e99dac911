"""The assembly of capi/single/arcfour.c for x86-64, as compiled.

The functions are `turns_x86`, `schedule_x86` and `five_x86`. The compiler writes their first and
last instructions. It chooses which registers of the caller it saves, and in which order. The proof
reads this choice from the instructions. A turn is 16 steps. The rest is as in the proofs of the
library's kernels.
"""

from dataclasses import dataclass, replace
from functools import partial

import x86_lanes
import x86_stream
import z3
from definition import schedule_step
from lift import NotModelled, State, write
from memory import Region, Table, array, equal_everywhere, number, select, wide
from x86_lanes import CUTS, LANES
from x86_turns import RING, Turns, ring

TURN = 16
OBJECT = 264  # bytes of `arcfour1`: the table, i, j, and 6 unused bytes
MEANING = {"RBP": "the stream", "R15": "&S[i] before the turn", "R13B": "the low byte of -&S[i] before the turn",
           "R14": "the output less the input", "XMM3_Qa": "the end of the input", "RSI": "the input or the key"}


def pushed(code):
    """Returns the caller's registers that a function saves, from the stack pointer upwards."""
    return tuple(item.body for item in code.instructions() if item.mnem == "PUSH")[::-1]


class Compiled:
    """A function whose first and last instructions were written by a compiler."""

    def find_cuts(self):
        self.saved = pushed(self.code)
        return super().find_cuts()

    def patched(self, code):
        other = super().patched(code)
        other.saved = self.saved
        return other


@dataclass
class StreamGhosts(x86_stream.Ghosts):
    """The values of one stream. The compiled code writes the last i before the first turn."""

    TURN, MOST, OBJECT = TURN, 1 << 59, OBJECT

    @classmethod
    def fresh(cls, known):
        return replace(super().fresh(known), i=z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4)))


class Stream(Compiled, x86_stream.Stream):
    """The proof of `turns_x86`."""

    ghosts = StreamGhosts
    turn = steps = TURN
    vectors = tuple(f"XMM{n}" for n in range(4))

    def placed(self, ghosts):
        return [(ghosts.base + 256, ghosts.i + z3.Extract(7, 0, TURN * ghosts.turns))]

    def invariant(self, p, ghosts):
        """Returns what each register holds at cut point p."""
        table = Table(ghosts.memory, ghosts.page)
        turn, after = ghosts.at(ghosts.i), ghosts.at(ghosts.i + TURN)
        holds = {"RBX": ghosts.base, "RBP": ghosts.base, "RCX": ghosts.at(ghosts.j), "R15": turn, "RDI": after if p else turn,
                 "R12": turn if p < 12 else after, "R13B": -ghosts.i, "RSI": ghosts.data, "R14": ghosts.output - ghosts.data,
                 "XMM3_Qa": ghosts.data + TURN * ghosts.turns, "RSP": ghosts.frame}
        for ahead in range(1, 4):
            holds[ring(p, ahead)] = z3.ZeroExt(56, table[ghosts.i + p + ahead])
        return holds | self.banks(ghosts)

    def length(self, ghosts):
        return TURN * ghosts.turns

    def touched_at_entry(self, ghosts, stack):
        return [], [ghosts.state, stack]

    def meaning(self, name, p):
        """Returns what a register holds according to the invariant, in words."""
        return MEANING.get(name) or super().meaning(name, p)


@dataclass
class KeyGhosts:
    """The values of the key schedule, whose key has 256 bytes."""

    page: object
    i: object  # i of the turn's first step, a multiple of 16
    j: object
    keys: object
    frame: object
    memory: object

    @classmethod
    def fresh(cls):
        return cls(z3.BitVec("table_page", 56), z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4)), z3.BitVec("j", 8),
                   z3.BitVec("input", 64), z3.BitVec("stack", 64), array("memory"))

    def at(self, index):
        """Returns the address of a byte of the table."""
        return z3.Concat(self.page, index)

    @property
    def object(self):
        return Region("table", self.at(z3.BitVecVal(0, 8)), number(OBJECT))

    @property
    def key(self):
        return Region("data", self.keys, number(256))

    def stack(self, kernel):
        """Returns the region of the caller's registers and the return address."""
        return Region("stack", self.frame, number(8 * len(kernel.saved) + 8))

    def assumed(self, kernel):
        """Returns the caller's promises."""
        regions = [self.object, self.key, self.stack(kernel)]
        return [*(region.valid() for region in regions), *(one.disjoint(other) for n, one in enumerate(regions) for other in regions[:n])]


class Schedule(Turns):
    """The proof of `schedule_x86`.

    Steps count from i = 0, so a turn's base lies one byte below the table's.
    """

    def patched(self, code):
        """Returns the proof for other machine code, with the same cut points."""
        other = Schedule(code, self.cuts)
        other.saved = self.saved
        return other

    def find_cuts(self):
        instructions = self.code.instructions()
        self.saved = pushed(self.code)
        steps = [item.addr.offset + item.length for item in instructions if item.mnem == "JC"]
        back = [int(item.body, 16) for item in instructions if item.mnem == "JNZ"]
        if len(steps) != TURN or len(back) != 1:
            raise NotModelled(f"{self.code.name}: {len(steps)} branches and {len(back)} loops, not {TURN} and one")
        return [back[0], *steps]

    def invariant(self, p, ghosts):
        """Returns what each register holds at cut point p."""
        table, turn = Table(ghosts.memory, ghosts.page), ghosts.at(ghosts.i) - 1
        holds = {"RCX": ghosts.at(ghosts.j), "R15": turn, "R12": turn if p < 12 else turn + TURN, "R13B": 1 - ghosts.i,
                 "RSI": ghosts.keys + wide(ghosts.i) - 1, "RSP": ghosts.frame} | ({"RDI": turn + TURN} if p else {})
        return holds | {ring(p, ahead): z3.ZeroExt(56, table[ghosts.i + (p - 1 + ahead)]) for ahead in range(1, 4)}

    def loose(self, name, p, ghosts):
        """At the end of the last turn the ring holds unused bytes from behind the table."""
        if name in RING and p - 1 + (RING.index(name) - p) % 4 >= TURN:
            return ghosts.i == 256 - TURN
        return None

    def entry(self):
        """From the first instruction to cut point 0: saves the caller's registers."""
        ghosts = replace(KeyGhosts.fresh(), i=z3.BitVecVal(0, 8), j=z3.BitVecVal(0, 8))
        state, context = State(self.code.base, {}, ghosts.memory), self.code.context
        for name, value in {"RDI": ghosts.object.base, "RSI": ghosts.keys, "RSP": ghosts.frame + 8 * len(self.saved)}.items():
            write(state, context, context.registers[name].offset, z3.simplify(value))
        after = replace(ghosts, memory=self.saving(state, ghosts.frame))
        return self.obligation("entry", ghosts.assumed(self), state, set(self.cuts), [ghosts.object], [ghosts.stack(self)],
                               lambda end: self.reaches(end, 0, after))

    def step(self, p):
        """From cut point p - 1 to p: one step of the definition."""
        ghosts = KeyGhosts.fresh()
        table = Table(ghosts.memory, ghosts.page)
        key_byte = select(ghosts.memory, ghosts.keys + wide(ghosts.i) + (p - 1))
        _, j = schedule_step(table, ghosts.i + (p - 1), ghosts.j, key_byte)
        after = replace(ghosts, j=j, memory=table.memory)
        return self.obligation(f"step {p}", ghosts.assumed(self), self.at_cut(p - 1, ghosts), set(self.cuts), [ghosts.key],
                               [ghosts.object], lambda end: self.reaches(end, p, after))

    def turn_end(self):
        """From the last cut point: the next turn or the return."""
        ghosts = KeyGhosts.fresh()
        last = ghosts.i == 256 - TURN

        def goals(end):
            if isinstance(end.pc, int):
                return {"a turn is left": z3.Not(last)} | self.reaches(end, 0, replace(ghosts, i=ghosts.i + TURN))
            return {"no turn is left": last, "no other byte is written": equal_everywhere(end.memory, ghosts.memory)} \
                | self.restored(end, ghosts.memory, ghosts.frame)

        return self.obligation("end of turn", ghosts.assumed(self), self.at_cut(TURN, ghosts), {self.cuts[0]}, [ghosts.stack(self)], [],
                               goals)

    def meaning(self, name, p):
        """Returns what a register holds according to the invariant, in words."""
        return MEANING.get(name) or super().meaning(name, p)

    def sections(self):
        """Returns the functions that make the obligations, one for each cut point."""
        return [self.entry, *(partial(self.step, p) for p in range(1, TURN + 1)), self.turn_end]


# Offsets in a `five`, behind the tables: the bytes done, the length, then input, output and &S[j]
# of each stream.
AT, LENGTH, INPUTS, OUTPUTS, JS, HERE, FIVE = 1280, 1288, 1296, 1336, 1376, 1416, 1424


@dataclass
class FiveGhosts(x86_lanes.DataGhosts):
    """The values of five streams, in a `five`."""

    PAGES, PUSHED, FRAME = 1, 0, 48

    @property
    def inputs(self):
        return tuple(z3.BitVec(f"input{lane}", 64) for lane in range(LANES))

    @property
    def streams(self):
        return Region("table", self.base, number(FIVE))

    @property
    def lists(self):
        return [self.streams, self.stack]

    @property
    def read(self):
        return [Region(f"data{lane}", address, self.length) for lane, address in enumerate(self.inputs)]

    def assumed(self, kernel, lanes=range(LANES)):
        """Returns the caller's promises for some lanes, and the assumption that a turn is left.

        An output is its input, or lies apart from every input.
        """
        regions = [*self.lists, *(self.outputs[lane] for lane in lanes)]
        conditions = [z3.ULT(self.done, self.turns), *(region.valid() for region in regions),
                      *(one.disjoint(other) for n, one in enumerate(regions) for other in regions[:n])]
        for lane in lanes:
            given = self.read[lane]
            conditions += [given.valid(), given.disjoint(self.streams), given.disjoint(self.stack)]
            for other in lanes:
                output = self.outputs[other]
                conditions.append(z3.Or(given.base == output.base, given.disjoint(output)) if lane == other else given.disjoint(output))
        return conditions


class Five(Compiled, x86_lanes.Keystream):
    """The proof of `five_x86`."""

    ghosts = FiveGhosts
    r14, r15 = "&S[i] of lane 0 before the turn, or after it in the last step", "the streams"

    def addresses(self, ghosts):
        lists = ((INPUTS, ghosts.inputs), (OUTPUTS, ghosts.data))
        return [*self.counted(ghosts), (ghosts.base + LENGTH, ghosts.length),
                *((ghosts.base + at + 8 * lane, address) for at, addresses in lists for lane, address in enumerate(addresses))]

    def needed(self, ghosts, lane):
        return [*self.counted(ghosts), (ghosts.base + INPUTS + 8 * lane, ghosts.inputs[lane]),
                (ghosts.base + OUTPUTS + 8 * lane, ghosts.data[lane])]

    def counted(self, ghosts):
        return [(ghosts.base + AT, ghosts.offset)]

    def given_back(self, ghosts):
        return [(ghosts.base + JS + 8 * lane, ghosts.at(j, lane)) for lane, j in enumerate(ghosts.j)]

    def read_at_end(self, ghosts):
        return [ghosts.stack, *ghosts.read]

    def pushed(self, ghosts):
        return []

    def invariant(self, cut, ghosts):
        holds = super().invariant(cut, ghosts)
        holds["R14"] = holds.pop("RBP")
        return holds | ({"RDX": ghosts.offset} if cut > CUTS else {})

    def meaning(self, name, cut):
        """Returns what a register holds according to the invariant, in words."""
        return "the bytes done" if name == "RDX" else super().meaning(name, cut)

    def called(self):
        """Returns the ghosts at the call, with the words in memory, and the arguments."""
        ghosts = replace(self.fresh(0), done=z3.BitVecVal(0, 60))
        words = [*self.addresses(ghosts), *self.given_back(ghosts), (ghosts.base + HERE, ghosts.at(ghosts.i))]
        return self.placing(ghosts, words), {}
