"""What the kernels on x86-64 share whose table is a ring of preloaded bytes: turns of 32 steps, and the caller's registers.

`invariant` says what the registers hold at each cut point; from each cut point every path to the next is an obligation.
"""

from dataclasses import replace

import z3
from lift import Lifter, State, register, untouched, write
from memory import Region, equal_everywhere, load, store
from obligation import Obligation
from paths import Sections, path_obligations

TURN = 32
SAVED = ("R15", "R14", "R13", "R12", "RBP", "RBX")  # from the stack pointer upwards; then the return address
FRAME = 8 * len(SAVED) + 8
GENERAL = ("RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", "RSP", *(f"R{n}" for n in range(8, 16)))
FLAGS = ("CF", "PF", "AF", "ZF", "SF", "OF")
RING = ("R8", "R9", "R10", "R11")
MEANING = {"RBX": "&S[0]", "RCX": "&S[j]", "RBP": "&S[i] before the turn", "RDI": "&S[i] after the turn", "RSI": "the input",
           "R14": "the output", "R15": "the turns left", "RSP": "the stack's", "R12": "where S[i + 3] is loaded from",
           "R13": "-&S[i] of the last even step - 1", "XMM0": "the odd bytes so far", "XMM1": "the even bytes so far"}


def ring(p, ahead):
    """The register of S[i + ahead], for i of step p."""
    return RING[(p + ahead) % 4]


class Turns(Sections):
    """The proof of a kernel. Its cut points are looked up in the code as built: one in a wrong place can only make the proof fail."""

    vectors = ()  # the vector registers that the kernel may change
    saved = SAVED  # the caller's registers on the stack, from the stack pointer upwards

    def __init__(self, code, cuts=None):
        self.code, self.lifter = code, Lifter(code)
        self.cuts = cuts or self.find_cuts()

    def loose(self, name, p, ghosts):
        """When a register may hold anything at cut point p, or None."""
        return

    def placed(self, ghosts):
        """The words that the memory holds at every cut point: their addresses and values."""
        return []

    def placing(self, ghosts, words=None):
        """The same ghosts, with a memory that holds these words."""
        memory = ghosts.memory
        for address, word in self.placed(ghosts) if words is None else words:
            memory = store(memory, address, word)
        return replace(ghosts, memory=memory)

    def at_cut(self, p, ghosts):
        """A machine of which the invariant holds, and no more."""
        state = State(self.cuts[p], {}, ghosts.memory)
        for name, value in self.invariant(p, ghosts).items():
            if (loose := self.loose(name, p, ghosts)) is not None:
                value = z3.If(loose, z3.BitVec(f"stale_{name}", 64), value)
            write(state, self.code.context, self.code.context.registers[name].offset, z3.simplify(value))
        return state

    def reaches(self, end, p, ghosts, words=True):
        """That a path's end is cut point p, with its invariant, and that the memory is as the definition leaves it. `words` is false
        where a lemma says that the words in memory are as they were."""
        goals = {f"the path leads to cut point {p}": z3.BoolVal(isinstance(end.pc, int) and end.pc == self.cuts[p]),
                 "no other register is written": self.others_kept(end)}
        for name, value in self.invariant(p, ghosts).items():
            goal = register(end, self.code.context, name) == value
            loose = self.loose(name, p, ghosts)
            goals[f"{name} is {self.meaning(name, p)}"] = goal if loose is None else z3.Or(loose, goal)
        for n, (address, word) in enumerate(self.placed(ghosts) if words else []):
            goals[f"word {n} of those in memory is as it was"] = load(end.memory, address, word.size() // 8) == word
        goals["memory is what the definition makes of it, at every address"] = equal_everywhere(end.memory, ghosts.memory)
        return goals

    def obligation(self, name, assumed, start, stops, loads, stores, goals):
        """The obligations of all paths from a state on; `goals` gives a path's."""
        return path_obligations(name, assumed, self.lifter.paths(start, stops), loads, stores, goals)

    def others_kept(self, end):
        """That nothing has changed but registers that are looked at, `vectors` and the flags."""
        general = [name for name in GENERAL if name in self.saved or name not in SAVED]
        own = [self.code.context.registers[name] for name in (*general, *self.vectors, "RIP", *FLAGS)]
        places = {register.offset + n for register in own for n in range(register.size)}
        return z3.BoolVal(all(at in places or untouched(at, width, value) for (at, width), value in end.registers.items()))

    def restored(self, end, memory, frame):
        """That it returns, with the registers of the caller that were saved at `frame`."""
        goals = {"no other register is written": self.others_kept(end),
                 "it returns to the caller": end.pc == load(memory, frame + 8 * len(self.saved), 8),
                 "RSP is the caller's": register(end, self.code.context, "RSP") == frame + 8 * len(self.saved) + 8}
        for n, name in enumerate(self.saved):
            goals[f"{name} is the caller's"] = register(end, self.code.context, name) == load(memory, frame + 8 * n, 8)
        return goals

    def saving(self, state, frame):
        """The memory after the caller's registers have been saved at `frame`."""
        memory = state.memory
        for n, name in reversed(list(enumerate(self.saved))):
            memory = store(memory, frame + 8 * n, register(state, self.code.context, name))
        return memory

    def lemmas(self):
        """What the induction uses beside the steps: reading passes over what was written in another region, and input that is the
        output is read before it is written."""
        region, other = (Region("", z3.BitVec(f"base{n}", 64), z3.BitVec("length", 64)) for n in (1, 2))
        written, kept = z3.BitVec("written", 64), z3.BitVec("kept", 64)
        inside = [region.valid(), z3.ULT(written, region.length)]
        yield Obligation("lemma: what is in a region lies from its first byte to its last", inside,
                         {"not before": z3.ULE(region.base, region.base + written),
                          "not behind": z3.ULE(region.base + written, region.base + region.length - 1)})
        if self.reads:
            yield Obligation("lemma: what is written of the output is not in the input to come, though they be the same",
                             [*inside, region.base == other.base, z3.ULT(kept, region.length), z3.ULT(written, kept)],
                             {"the addresses differ": region.base + written != other.base + kept})

    def meaning(self, name, p):
        """What the invariant says of a register, in words."""
        if name in RING:
            ahead = (RING.index(name) - p) % 4
            return f"S[i + {ahead}], for i of step {p}"
        return MEANING[name]
