"""The key schedule on x86-64: cipher/src/backends/x86_64/stream.rs, `schedule_turns`.

The function calls a turn of 32 steps eight times. Cut point 0 is the begin of a turn, cut point p
is behind step p's branch. Steps count from i = 0. So the base addresses of a turn lie one byte
lower than in the keystream functions.
"""

from dataclasses import dataclass, replace
from functools import partial

import z3
from definition import schedule_step
from lift import NotModelled, State, write
from memory import Region, Table, array, equal_everywhere, load, number, select, store
from x86_turns import FRAME, RING, SAVED, TURN, Turns, ring

TURNS = 256 // TURN


@dataclass
class Ghosts:
    """The values that the invariant is about."""

    page: object  # the table's address without its last eight bits
    i: object  # i where the turn began, a multiple of 32
    j: object
    key: object  # the turn's 32 bytes of key
    stride: object  # from these bytes to the next turn's
    frame: object  # the stack pointer in a turn: the turn's return address, then the function's frame
    memory: object

    @classmethod
    def fresh(cls):
        return cls(z3.BitVec("table_page", 56), z3.Concat(z3.BitVec("i_over_32", 3), z3.BitVecVal(0, 5)), z3.BitVec("j", 8),
                   z3.BitVec("input", 64), z3.BitVec("stride", 64), z3.BitVec("stack", 64), array("memory"))

    def at(self, index):
        """Returns the address of a byte of the table."""
        return z3.Concat(self.page, index)

    @property
    def base(self):
        return self.at(z3.BitVecVal(0, 8))

    @property
    def regions(self):
        return {"table": Region("table", self.base, number(256)), "object": Region("table", self.base, number(512)),
                "key": Region("data", self.key, number(TURN)), "stack": Region("stack", self.frame, number(8 + FRAME))}

    def assumed(self, kernel):
        """Returns the caller's promises, and the assumption about the turn's return address."""
        regions = self.regions
        return [*(regions[name].valid() for name in ("object", "key", "stack")), regions["object"].disjoint(regions["key"]),
                regions["object"].disjoint(regions["stack"]), regions["key"].disjoint(regions["stack"]),
                self.returns(self.memory, kernel)]

    def returns(self, memory, kernel):
        """Claims that the return address on the stack is behind the turn's call."""
        turn = z3.Extract(7, 5, self.i)
        return load(memory, self.frame, 8) == number(kernel.calls[0]) + 5 * z3.ZeroExt(61, turn)


class Schedule(Turns):
    """The proof of the function."""

    def patched(self, code):
        """Returns the proof for other machine code, with the same cut points."""
        other = Schedule(code, self.cuts)
        other.calls = self.calls
        return other

    def find_cuts(self):
        instructions = self.code.instructions()
        calls = [item for item in instructions if item.mnem == "CALL"]
        steps = [item.addr.offset + item.length for item in instructions if item.mnem == "JC"]
        if len(calls) != TURNS or len(steps) != TURN or len({item.body for item in calls}) != 1:
            raise NotModelled(f"{self.code.name}: {len(calls)} calls and {len(steps)} branches, not {TURNS} and {TURN}")
        self.calls = [item.addr.offset + item.length for item in calls]
        return [int(calls[0].body, 16), *steps]

    def invariant(self, p, ghosts):
        """Returns what each register holds at cut point p."""
        table = Table(ghosts.memory, ghosts.page)
        turn = ghosts.at(ghosts.i) - 1
        holds = {"RCX": ghosts.at(ghosts.j), "RBP": turn, "RSI": ghosts.key - 1, "R14": ghosts.stride, "RSP": ghosts.frame,
                 "R12": turn if p < 28 else turn + TURN}
        for ahead in range(1, 4):
            holds[ring(p, ahead)] = z3.ZeroExt(56, table[ghosts.i + p - 1 + ahead])
        if p:
            holds |= {"RDI": turn + TURN, "R13": ~turn - 2 * (p // 2)}
        return holds

    def loose(self, name, p, ghosts):
        """At the end of the last turn the ring holds unused bytes from behind the table."""
        if name in RING and p - 1 + (RING.index(name) - p) % 4 >= TURN:
            return ghosts.i == 256 - TURN
        return None

    def step(self, p):
        """From cut point p - 1 to p: one step of the definition."""
        ghosts = Ghosts.fresh()
        table = Table(ghosts.memory, ghosts.page)
        key_byte = select(ghosts.memory, ghosts.key + (p - 1))
        _, j, = schedule_step(table, ghosts.i + (p - 1), ghosts.j, key_byte)
        after = replace(ghosts, j=j, memory=table.memory)
        regions = ghosts.regions
        return self.obligation(f"step {p}", ghosts.assumed(self), self.at_cut(p - 1, ghosts), set(self.cuts), [regions["key"], regions["object"]],
                               [regions["table"]], lambda end: self.reaches(end, p, after)
                               | {"the return address is behind the turn's call": after.returns(end.memory, self)})

    def turn_end(self, turn):
        """From cut point 32 of a turn to the next, or to the caller."""
        ghosts = Ghosts.fresh()
        ghosts = replace(ghosts, i=z3.BitVecVal(turn * TURN, 8), memory=store(ghosts.memory, ghosts.frame, number(self.calls[turn])))
        stack = Region("stack", ghosts.frame, number(8))
        if turn + 1 < TURNS:
            after = replace(ghosts, i=ghosts.i + TURN, key=ghosts.key + ghosts.stride,
                            memory=store(ghosts.memory, ghosts.frame, number(self.calls[turn + 1])))
            return self.obligation(f"end of turn {turn + 1}", ghosts.assumed(self), self.at_cut(TURN, ghosts), set(self.cuts), [], [stack],
                                   lambda end: self.reaches(end, 0, after))
        return self.obligation("end of the last turn", ghosts.assumed(self), self.at_cut(TURN, ghosts), set(), [ghosts.regions["stack"]], [],
                               lambda end: self.restored(end, ghosts.memory, ghosts.frame + 8)
                               | {"no other byte is written": equal_everywhere(end.memory, ghosts.memory)})

    def entry(self):
        """From the first instruction to cut point 0: saves the caller's registers."""
        ghosts = replace(Ghosts.fresh(), i=z3.BitVecVal(0, 8), j=z3.BitVecVal(0, 8))
        state, context = State(self.code.base, {}, ghosts.memory), self.code.context
        for name, value in {"RDI": ghosts.base, "RSI": ghosts.key, "RDX": ghosts.stride,
                            "RSP": ghosts.frame + 8 + 8 * len(SAVED)}.items():
            write(state, context, context.registers[name].offset, z3.simplify(value))
        after = replace(ghosts, memory=store(self.saving(state, ghosts.frame + 8), ghosts.frame, number(self.calls[0])))
        # The call has not been made yet, so its return address is not assumed.
        before = replace(ghosts, memory=after.memory)
        return self.obligation("entry", before.assumed(self), state, set(self.cuts), [ghosts.regions["table"]],
                               [Region("stack", ghosts.frame, number(8 + 8 * len(SAVED)))], lambda end: self.reaches(end, 0, after))

    def sections(self):
        """Returns the functions that make the obligations, one for each cut point."""
        return [self.entry, *(partial(self.step, p) for p in range(1, TURN + 1)), *(partial(self.turn_end, n) for n in range(TURNS))]
