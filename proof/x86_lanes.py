"""Five streams at once on x86-64: cipher/src/backends/x86_64/lanes.rs.

The functions are `fill_turns`, `xor_turns` and `schedule_turns`. A lane is one stream. A turn is 16
steps of each of the five lanes, alternately. Cut point 0 is the head of the loop. Cut point c, from
1 to 80, is behind the load that ends the c-th step. The keystream functions also have a cut point
after the output of each lane. No byte is preloaded across a store: each lane loads its next S[i]
after its swap.
"""

from dataclasses import dataclass, replace
from functools import partial

import z3
from definition import schedule_step, step
from lift import NotModelled, State, write
from memory import Region, Table, array, equal_everywhere, number, region_of, select, store
from obligation import Obligation
from x86_turns import FRAME, Turns

LANES, TURN = 5, 16
CUTS = LANES * TURN
# The registers of &S[j] and of the next S[i] of each lane.
REGISTERS = (("RCX", "R9"), ("RBX", "R10"), ("RSI", "R11"), ("RDI", "R12"), ("R8", "R13"))


def steps_done(cut, lane):
    """Returns the number of steps that a lane has made in this turn at a cut point."""
    return (min(cut, CUTS) + LANES - 1 - lane) // LANES


@dataclass
class Ghosts:
    """The values that both invariants are about."""

    page: object  # the address of lane 0's table without its last eight bits
    i: object  # i where the turn began, a multiple of 16
    j: tuple  # j of each lane
    frame: object  # the stack pointer
    memory: object

    PAGES = 2  # from the table of a lane to the next
    PUSHED = 0  # bytes on the stack below the caller's registers
    FRAME = FRAME  # bytes of the caller's registers and the return address

    @classmethod
    def fresh(cls, **others):
        return cls(page=z3.BitVec("table_page", 56), i=z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4)),
                   j=tuple(z3.BitVec(f"j{lane}", 8) for lane in range(LANES)), frame=z3.BitVec("stack", 64), memory=array("memory"),
                   **others)

    def at(self, index, lane=0):
        """Returns the address of a byte of a lane's table."""
        return z3.Concat(self.page + self.PAGES * lane, index)

    def table(self, lane):
        return Table(self.memory, z3.simplify(self.page + self.PAGES * lane))

    @property
    def base(self):
        return self.at(z3.BitVecVal(0, 8))

    @property
    def streams(self):
        return Region("table", self.base, number(256 * self.PAGES * LANES))

    @property
    def stack(self):
        return Region("stack", self.frame, number(self.PUSHED + self.FRAME))

    @property
    def lists(self):
        """Returns the regions of the words in memory."""
        return [self.streams, self.stack]


class Lanes(Turns):
    """The shared part of the proofs of the three functions."""

    first = 0  # i of a turn's first step, less i where the turn began

    def find_cuts(self):
        """Returns the addresses of the cut points."""
        instructions = self.code.instructions()
        loads = [item.addr.offset + item.length for item in instructions if item.mnem == "MOVZX" and "[RAX" in item.body]
        back = [int(item.body, 16) for item in instructions if item.mnem == "JNZ"]
        if len(loads) != CUTS or len(back) != 1:
            raise NotModelled(f"{self.code.name}: {len(loads)} loads of the next S[i] and {len(back)} loops, not {CUTS} and one")
        return [back[0], *loads]

    def invariant(self, cut, ghosts):
        """Returns what each register holds at a cut point."""
        holds = {"RSP": ghosts.frame}
        for lane, (j, following) in enumerate(REGISTERS):
            index = ghosts.i + steps_done(cut, lane) + self.first
            holds |= {j: ghosts.at(ghosts.j[lane], lane), following: z3.ZeroExt(56, ghosts.table(lane)[index])}
        return holds

    def addresses(self, ghosts):
        """Returns the addresses and values of the caller's words in memory."""
        return []

    def placed(self, ghosts):
        return [*self.addresses(ghosts), *self.pushed(ghosts)]

    def step(self, cut):
        """From a cut point to the next: one step of one lane.

        It does not need the caller's promises.
        """
        lane = (cut - 1) % LANES
        ghosts = self.fresh(cut - 1)
        table = ghosts.table(lane)
        j, others = self.define(ghosts, table, lane, steps_done(cut - 1, lane))
        after = replace(ghosts, j=(*ghosts.j[:lane], j, *ghosts.j[lane + 1 :]), memory=table.memory, **others)
        return self.obligation(f"step {steps_done(cut, lane)} of lane {lane}", [], self.at_cut(cut - 1, ghosts), set(self.cuts),
                               self.reads_in_steps(ghosts), [ghosts.streams], lambda end: self.reaches(end, cut, after, words=False))

    def words_apart(self, ghosts, *written):
        """Claims that no step and no output writes the words in memory."""
        streams, tables, apart = ghosts.streams, number(256 * ghosts.PAGES * LANES), {}
        for lane in range(LANES):
            apart[f"table {lane} lies in the streams"] = Region("", ghosts.base, tables).holds(ghosts.at(z3.BitVecVal(0, 8), lane), 256)
        for n, (address, word) in enumerate(self.placed(ghosts)):
            (home,) = [region for region in ghosts.lists if region.name == region_of(address)]
            apart[f"word {n} lies in the {home.name}"] = home.holds(address, word.size() // 8)
            apart[f"word {n} lies in no table"] = z3.ULE(tables, address - ghosts.base) if home.name == streams.name else home.disjoint(streams)
            apart |= {f"word {n} lies in no {region.name}": home.disjoint(region) for region in written}
        yield Obligation("lemma: no step and no output writes the words in memory", ghosts.assumed(self), apart)

    def entry(self):
        """From the first instruction to cut point 0: saves the caller's registers."""
        ghosts, arguments = self.called()
        frame = ghosts.frame + ghosts.PUSHED
        state, context = State(self.code.base, {}, ghosts.memory), self.code.context
        for name, value in (arguments | {"RDI": ghosts.base, "RSP": frame + 8 * len(self.saved)}).items():
            write(state, context, context.registers[name].offset, z3.simplify(value))
        after = self.placing(replace(ghosts, memory=self.saving(state, frame)), self.pushed(ghosts))
        stack = Region("stack", ghosts.frame, number(ghosts.PUSHED + 8 * len(self.saved)))
        return self.obligation("entry", ghosts.assumed(self), state, set(self.cuts), [ghosts.streams], [stack],
                               lambda end: self.reaches(end, 0, after))

    def meaning(self, name, cut):
        """Returns what a register holds according to the invariant, in words."""
        for lane, (j, following) in enumerate(REGISTERS):
            if name == j:
                return f"&S[j] of lane {lane}"
            if name == following:
                return f"the next S[i] of lane {lane}"
        if name.startswith("XMM"):
            return f"byte {ord(name[-1]) - ord('a') + 1} of lane {name[3]}"
        return {"R14": self.r14, "R15": self.r15, "RBP": "&S[i] of lane 0 before the turn, or after it in the last step"}.get(name) \
            or super().meaning(name, cut)

    def sections(self):
        """Returns the functions that make the obligations, one for each cut point."""
        return [self.entry, *(partial(self.step, cut) for cut in range(1, CUTS + 1)), self.turn_end, self.lemmas]


@dataclass
class DataGhosts(Ghosts):
    """The values of the keystream functions."""

    pointers: object = None  # the list of the addresses of the lanes' data
    data: tuple = ()
    done: object = None  # turns done
    turns: object = None  # all turns
    bytes: tuple = ()  # each lane's keystream of this turn so far

    PUSHED = 16  # the length, and the address of the list

    @property
    def length(self):
        return z3.Concat(self.turns, z3.BitVecVal(0, 4))

    @property
    def offset(self):
        return z3.Concat(self.done, z3.BitVecVal(0, 4))

    @property
    def lists(self):
        return [self.streams, self.stack, Region("pointers", self.pointers, number(8 * LANES))]

    @property
    def inputs(self):
        """Returns the addresses of the input data."""
        return self.data

    @property
    def outputs(self):
        return [Region(f"data{lane}", address, self.length) for lane, address in enumerate(self.data)]

    def assumed(self, kernel, lanes=range(LANES)):
        """Returns the caller's promises for some lanes, and the assumption that a turn is left."""
        regions = [*self.lists, *(self.outputs[lane] for lane in lanes)]
        return [z3.ULT(self.done, self.turns), *(region.valid() for region in regions),
                *(one.disjoint(other) for n, one in enumerate(regions) for other in regions[:n])]


class Keystream(Lanes):
    """The proof of `fill_turns` and `xor_turns`.

    `reads` is true for `xor_turns`, which xors into the data.
    """

    first = 1
    ghosts = DataGhosts
    vectors = tuple(f"XMM{n}" for n in range(LANES + 1))
    r14, r15 = "the bytes done", "&S[0] of lane 0"

    def __init__(self, code, reads, cuts=None):
        self.reads = reads
        super().__init__(code, cuts)

    def patched(self, code):
        """Returns the proof for other machine code, with the same cut points."""
        return type(self)(code, self.reads, self.cuts)

    def fresh(self, cut):
        made = tuple(tuple(z3.BitVec(f"k{lane}_{n + 1}", 8) for n in range(steps_done(cut, lane) if lane >= cut - CUTS else 0))
                     for lane in range(LANES))
        return self.ghosts.fresh(pointers=z3.BitVec("pointers", 64), data=tuple(z3.BitVec(f"data{lane}", 64) for lane in range(LANES)),
                                done=z3.BitVec("done", 60), turns=z3.BitVec("turns", 60), bytes=made)

    def addresses(self, ghosts):
        return [(ghosts.pointers + 8 * lane, address) for lane, address in enumerate(ghosts.data)]

    def find_cuts(self):
        """The cut point after a lane's output is behind the `pxor` that clears its register."""
        cuts = super().find_cuts()
        cleared = [item.addr.offset + item.length for item in self.code.instructions() if item.addr.offset >= cuts[-1]
                   and item.mnem == "PXOR" and len(set(item.body.split(", "))) == 1]
        if len(cleared) != LANES:
            raise NotModelled(f"{self.code.name}: {len(cleared)} registers are cleared, not {LANES}")
        return [*cuts, *cleared]

    def needed(self, ghosts, lane):
        """Returns the words in memory that the output of a lane reads."""
        return [self.addresses(ghosts)[lane], self.pushed(ghosts)[0]]

    def counted(self, ghosts):
        """Returns the words in memory that change from turn to turn."""
        return []

    def given_back(self, ghosts):
        """Returns the words that the last turn writes for the caller: i and j of each lane."""
        return [(ghosts.base + 256 * ghosts.PAGES * lane + 256 + n, value) for lane in range(LANES)
                for n, value in enumerate((ghosts.i, ghosts.j[lane]))]

    def read_at_end(self, ghosts):
        return [ghosts.stack, Region("pointers", ghosts.pointers, number(8 * LANES))]

    def pushed(self, ghosts):
        return [(ghosts.frame + 8, ghosts.pointers), (ghosts.frame, ghosts.length)]

    def invariant(self, cut, ghosts):
        holds = super().invariant(cut, ghosts)
        holds |= {"R15": ghosts.base, "R14": ghosts.offset,
                  "RBP": ghosts.at(ghosts.i if cut <= CUTS - LANES else ghosts.i + TURN)}
        # Each turn replaces all 16 bytes of a register, so its other bytes may have any value.
        return holds | {f"XMM{lane}_B{chr(ord('a') + n)}": byte for lane in range(LANES) for n, byte in enumerate(ghosts.bytes[lane])}

    def define(self, ghosts, table, lane, n):
        _, j, key_byte = step(table, ghosts.i + n, ghosts.j[lane])
        return j, {"bytes": (*ghosts.bytes[:lane], (*ghosts.bytes[lane], key_byte), *ghosts.bytes[lane + 1 :])}

    def reads_in_steps(self, ghosts):
        return []

    def output(self, lane):
        """From the last step, or from the output of the previous lane: the output of a lane."""
        cut = CUTS + lane
        ghosts = self.fresh(cut)
        ghosts = self.placing(ghosts, self.needed(ghosts, lane))
        memory = ghosts.memory
        for n, key_byte in enumerate(ghosts.bytes[lane]):
            data = select(ghosts.memory, ghosts.inputs[lane] + ghosts.offset + n) if self.reads else 0
            memory = store(memory, ghosts.data[lane] + ghosts.offset + n, key_byte ^ data)
        after = replace(ghosts, bytes=(*((),) * (lane + 1), *ghosts.bytes[lane + 1 :]), memory=memory)
        return self.obligation(f"output of lane {lane}", ghosts.assumed(self, [lane]), self.at_cut(cut, ghosts), set(self.cuts),
                               [*self.read_at_end(ghosts), ghosts.streams], [ghosts.outputs[lane]],
                               lambda end: self.reaches(end, cut + 1, after, words=False))

    def lemmas(self):
        yield from super().lemmas()
        ghosts = self.fresh(0)
        yield from self.words_apart(ghosts, *ghosts.outputs)

    def turn_end(self):
        """From the last cut point: the next turn or the return."""
        ghosts = self.placing(self.fresh(CUTS + LANES))
        after = replace(ghosts, i=ghosts.i + TURN, done=ghosts.done + 1)
        after = self.placing(after, self.counted(after))

        def goals(end):
            if isinstance(end.pc, int):
                return {"a turn is left": z3.ULT(after.done, after.turns)} | self.reaches(end, 0, after)
            left = self.placing(after, self.given_back(after)).memory
            return {"no turn is left": after.done == after.turns} | self.restored(end, ghosts.memory, ghosts.frame + ghosts.PUSHED) | {
                "only i and j of each lane are written": equal_everywhere(end.memory, left)}

        return self.obligation("end of turn", ghosts.assumed(self, []), self.at_cut(CUTS + LANES, ghosts), {self.cuts[0]},
                               self.read_at_end(ghosts), [ghosts.streams], goals)

    def sections(self):
        *before, turn_end, lemmas = super().sections()
        return [*before, *(partial(self.output, lane) for lane in range(LANES)), turn_end, lemmas]

    def called(self):
        """Returns the ghosts at the call, with the words in memory, and the arguments."""
        ghosts = replace(self.fresh(0), done=z3.BitVecVal(0, 60))
        ghosts = self.placing(ghosts, [*self.addresses(ghosts), *self.given_back(ghosts)])
        return ghosts, {"RSI": ghosts.pointers, "RDX": ghosts.length}


@dataclass
class KeyGhosts(Ghosts):
    """The values of the key schedules."""

    keys: object = None
    turn: object = None  # the turns done, modulo `turns`
    turns: object = None  # the turns after which the keys repeat

    PUSHED = 8  # the address of the keys

    @property
    def key(self):
        """Returns the address of this turn's keys."""
        return self.keys + CUTS * self.turn

    def assumed(self, kernel):
        """Returns the caller's promises."""
        keys = Region("data", self.keys, CUTS * self.turns)
        regions = [self.streams, self.stack, keys]
        return [z3.ULE(1, self.turns), z3.ULE(self.turns, 1 << 56), z3.ULT(self.turn, self.turns),
                *(region.valid() for region in regions), *(one.disjoint(other) for n, one in enumerate(regions) for other in regions[:n])]


class Schedule(Lanes):
    """The proof of `schedule_turns`. `i` belongs to the first step of a turn."""

    r14, r15 = "the turn's keys", "the end of the keys"

    def patched(self, code):
        """Returns the proof for other machine code, with the same cut points."""
        return Schedule(code, self.cuts)

    def fresh(self, cut):
        return KeyGhosts.fresh(keys=z3.BitVec("input", 64), turn=z3.BitVec("turn", 64), turns=z3.BitVec("turns", 64))

    def pushed(self, ghosts):
        return [(ghosts.frame, ghosts.keys)]

    def invariant(self, cut, ghosts):
        return super().invariant(cut, ghosts) | {"RBP": ghosts.at(ghosts.i), "R14": ghosts.key,
                                                 "R15": ghosts.keys + CUTS * ghosts.turns}

    def loose(self, name, cut, ghosts):
        """At the end of the last turn the next S[i] comes from behind the table and is not used."""
        for lane, (_, following) in enumerate(REGISTERS):
            if name == following and steps_done(cut, lane) == TURN:
                return ghosts.i == 256 - TURN
        return None

    def define(self, ghosts, table, lane, n):
        _, j = schedule_step(table, ghosts.i + n, ghosts.j[lane], select(ghosts.memory, ghosts.key + (TURN * lane + n)))
        return j, {}

    def reads_in_steps(self, ghosts):
        return [Region("data", ghosts.key, number(CUTS))]

    def turn_end(self):
        """From the last cut point: takes the next keys, then the next turn or the return."""
        ghosts = self.placing(self.fresh(CUTS))
        following = z3.If(ghosts.turn + 1 == ghosts.turns, number(0), ghosts.turn + 1)
        after = replace(ghosts, i=ghosts.i + TURN, turn=following)

        def goals(end):
            if isinstance(end.pc, int):
                return {"a turn is left": ghosts.i != 256 - TURN, "there are keys for it": z3.ULT(following, ghosts.turns)} \
                    | self.reaches(end, 0, after)
            return {"no turn is left": ghosts.i == 256 - TURN} | self.restored(end, ghosts.memory, ghosts.frame + ghosts.PUSHED) | {
                "no other byte is written": equal_everywhere(end.memory, ghosts.memory)}

        return self.obligation("end of turn", ghosts.assumed(self), self.at_cut(CUTS, ghosts), {self.cuts[0]}, [ghosts.stack], [], goals)

    def lemmas(self):
        """Yields the lemma that the keys of a turn lie inside all keys."""
        ghosts = self.fresh(0)
        yield from self.words_apart(ghosts)
        yield Obligation("lemma: a turn's keys lie inside all keys", ghosts.assumed(self),
                         {"they lie inside": Region("data", ghosts.keys, CUTS * ghosts.turns).holds(ghosts.key, CUTS)})

    def called(self):
        """Returns the ghosts at the call, with the words in memory, and the arguments."""
        ghosts = replace(self.fresh(0), i=z3.BitVecVal(0, 8), j=(z3.BitVecVal(0, 8),) * LANES, turn=number(0))
        return ghosts, {"RSI": ghosts.keys, "RDX": ghosts.keys + CUTS * ghosts.turns}
