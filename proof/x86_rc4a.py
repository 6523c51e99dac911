"""RC4A, one stream, on x86-64: cipher/src/backends/x86_64/rc4a.rs, `fill_turns` and `xor_turns`.

A turn is 16 rounds of two halves. Cut point 0 is the head of the loop, cut point p is behind half
p's byte of keystream. The odd halves shuffle S1, the even halves shuffle S2, which lies 256 bytes
further. The rest is as in x86_stream.py.
"""

from dataclasses import dataclass, replace

import z3
from definition import rc4a_half
from memory import Table
from x86_stream import Ghosts, Stream
from x86_turns import TURN

# For each table, the registers that hold the next S[i] with an even i and with an odd i.
NEXT = (("R8", "R9"), ("R10", "R11"))


@dataclass
class Ghosts2(Ghosts):
    """`page` is the page of S1, `j` is j1."""

    j2: object = None

    OBJECT = 768
    PUSHED = 8  # the distance from the output to the input

    @classmethod
    def fresh(cls, known):
        i = z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4))
        ghosts = super().fresh(known)
        # The kernel keeps the distance in memory, so the input is counted from the output.
        return replace(ghosts, i=i, j2=z3.BitVec("j2", 8), data=ghosts.output + z3.BitVec("distance", 64))

    @property
    def indexes(self):
        return {512: self.i, 513: self.j, 514: self.j2}


class Rc4a(Stream):
    """The proof of one of the two functions."""

    ghosts = Ghosts2
    steps = TURN // 2

    def placed(self, ghosts):
        return [(ghosts.frame, z3.simplify(ghosts.data - ghosts.output))]

    def invariant(self, p, ghosts):
        """Returns what each register holds at cut point p."""
        turn, after = ghosts.at(ghosts.i), ghosts.at(ghosts.i + self.steps)
        holds = {"RBX": ghosts.base, "RCX": ghosts.at(ghosts.j), "RDX": z3.Concat(ghosts.page + 1, ghosts.j2), "RBP": turn,
                 "R12": turn if p <= 28 else after, "RSI": ghosts.output, "R15": ghosts.turns, "RSP": ghosts.frame,
                 "R14B": ghosts.i + ((p + 1) // 2 + 1)}
        for n, registers in enumerate(NEXT):
            following = (p + 1 - n) // 2 + 1
            holds[registers[following % 2]] = z3.ZeroExt(56, Table(ghosts.memory, ghosts.page + n)[ghosts.i + following])
        if p:
            holds["RDI"] = after
        return holds | self.banks(ghosts)

    def define(self, p, ghosts):
        """Returns the ghosts after half p of the definition, and the half's byte of keystream."""
        tables = [Table(ghosts.memory, ghosts.page + n) for n in range(2)]
        i = ghosts.i + (p + 1) // 2
        if p % 2:
            j, key_byte = rc4a_half(*tables, i, ghosts.j)
            return replace(ghosts, j=j, memory=tables[0].memory), key_byte
        j2, key_byte = rc4a_half(*tables[::-1], i, ghosts.j2)
        return replace(ghosts, j2=j2, memory=tables[1].memory), key_byte

    def meaning(self, name, p):
        """Returns what a register holds according to the invariant, in words."""
        for n, registers in enumerate(NEXT):
            if name in registers:
                return f"S{n + 1}[i + 1], for i of the last half of a round that shuffled S{n + 1}"
        return {"RBX": "&S1[0]", "RCX": "&S1[j1]", "RDX": "&S2[j2]", "R12": "the base of the load of the next S1[i]", "RSI": "the output",
                "R14B": "i + 1"}.get(name) or super().meaning(name, p)
