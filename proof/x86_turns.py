"""Shared by the proofs on x86-64: turns of 32 steps, the ring, and the caller's registers.

The ring is the registers with preloaded bytes of the table. `invariant` says what each register
holds at a cut point. Each path from a cut point to the next is an obligation.
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
           "R14": "the output", "R15": "the turns left", "RSP": "the frame", "R12": "the base of the load of S[i + 3]",
           "R13": "-&S[i] of the last even step - 1", "XMM0": "the odd bytes so far", "XMM1": "the even bytes so far"}


def ring(p, ahead):
    """Returns the register that holds S[i + ahead], for i of step p."""
    return RING[(p + ahead) % 4]


class Turns(Sections):
    """The proof of a kernel.

    The cut points come from the code as built; a wrong place can only make the proof fail.
    """

    vectors = ()  # the vector registers that the kernel may change
    saved = SAVED  # the caller's registers on the stack, from the stack pointer upwards

    def __init__(self, code, cuts=None):
        self.code, self.lifter = code, Lifter(code)
        self.cuts = cuts or self.find_cuts()

    def loose(self, name, p, ghosts):
        """Returns the condition that frees a register's value at cut point p, or None."""
        return

    def placed(self, ghosts):
        """Returns the addresses and values of the words in memory at every cut point."""
        return []

    def placing(self, ghosts, words=None):
        """Returns the ghosts with a memory that holds these words."""
        memory = ghosts.memory
        for address, word in self.placed(ghosts) if words is None else words:
            memory = store(memory, address, word)
        return replace(ghosts, memory=memory)

    def at_cut(self, p, ghosts):
        """Returns a machine about which only the invariant is known."""
        state = State(self.cuts[p], {}, ghosts.memory)
        for name, value in self.invariant(p, ghosts).items():
            if (loose := self.loose(name, p, ghosts)) is not None:
                value = z3.If(loose, z3.BitVec(f"stale_{name}", 64), value)
            write(state, self.code.context, self.code.context.registers[name].offset, z3.simplify(value))
        return state

    def reaches(self, end, p, ghosts, words=True):
        """Claims that a path ends at cut point p, and that the memory equals the definition's.

        `words` is false where a lemma shows that the words in memory are unchanged.
        """
        goals = {f"the path leads to cut point {p}": z3.BoolVal(isinstance(end.pc, int) and end.pc == self.cuts[p]),
                 "no other register is written": self.others_kept(end)}
        for name, value in self.invariant(p, ghosts).items():
            goal = register(end, self.code.context, name) == value
            loose = self.loose(name, p, ghosts)
            goals[f"{name} is {self.meaning(name, p)}"] = goal if loose is None else z3.Or(loose, goal)
        for n, (address, word) in enumerate(self.placed(ghosts) if words else []):
            goals[f"word {n} in memory is unchanged"] = load(end.memory, address, word.size() // 8) == word
        goals["the memory equals the definition's, at every address"] = equal_everywhere(end.memory, ghosts.memory)
        return goals

    def obligation(self, name, assumed, start, stops, loads, stores, goals):
        """Returns the obligations of all paths from a state on.

        `goals` returns the claims about a path's end.
        """
        return path_obligations(name, assumed, self.lifter.paths(start, stops), loads, stores, goals)

    def others_kept(self, end):
        """Claims that only the claimed registers, `vectors` and the flags have changed."""
        general = [name for name in GENERAL if name in self.saved or name not in SAVED]
        own = [self.code.context.registers[name] for name in (*general, *self.vectors, "RIP", *FLAGS)]
        places = {register.offset + n for register in own for n in range(register.size)}
        return z3.BoolVal(all(at in places or untouched(at, width, value) for (at, width), value in end.registers.items()))

    def restored(self, end, memory, frame):
        """Claims a return to the caller, with the caller's registers as saved at `frame`."""
        goals = {"no other register is written": self.others_kept(end),
                 "it returns to the caller": end.pc == load(memory, frame + 8 * len(self.saved), 8),
                 "RSP is the caller's": register(end, self.code.context, "RSP") == frame + 8 * len(self.saved) + 8}
        for n, name in enumerate(self.saved):
            goals[f"{name} is the caller's"] = register(end, self.code.context, name) == load(memory, frame + 8 * n, 8)
        return goals

    def saving(self, state, frame):
        """Returns the memory after the caller's registers have been saved at `frame`."""
        memory = state.memory
        for n, name in reversed(list(enumerate(self.saved))):
            memory = store(memory, frame + 8 * n, register(state, self.code.context, name))
        return memory

    def lemmas(self):
        """Yields the lemmas: regions are contiguous, and input is read before it is overwritten."""
        region, other = (Region("", z3.BitVec(f"base{n}", 64), z3.BitVec("length", 64)) for n in (1, 2))
        written, kept = z3.BitVec("written", 64), z3.BitVec("kept", 64)
        inside = [region.valid(), z3.ULT(written, region.length)]
        yield Obligation("lemma: a byte of a region lies between its first and its last byte", inside,
                         {"not before": z3.ULE(region.base, region.base + written),
                          "not behind": z3.ULE(region.base + written, region.base + region.length - 1)})
        if self.reads:
            yield Obligation("lemma: writing the output changes no input that is still to be read, even in place",
                             [*inside, region.base == other.base, z3.ULT(kept, region.length), z3.ULT(written, kept)],
                             {"the addresses differ": region.base + written != other.base + kept})

    def meaning(self, name, p):
        """Returns what a register holds according to the invariant, in words."""
        if name in RING:
            ahead = (RING.index(name) - p) % 4
            return f"S[i + {ahead}], for i of step {p}"
        return MEANING[name]
