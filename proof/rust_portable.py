"""The portable code in Rust: cipher/src/backends/portable, and `State::prga`.

`State::prga` makes the bytes before and behind the blocks. rustc lowers the text without
optimisation. Each step is a function, with an obligation for each path. A block of 16 steps is one
more obligation, which uses the contract of a step. The loops over the blocks are Rust's iterators
and not a part of this proof.
"""

import re
from dataclasses import dataclass, replace
from functools import partial

import z3
from c_turns import Proof, equal_outside
from definition import step
from llvm_ir import STACK
from memory import Region, UnalignedTable, array, equal_everywhere, load, number, select, store, wide

BLOCK = 16
STATE, SELF = 258, 40  # bytes of `State` and of `Blocks`
STATE_AT, I_AT, J_AT, AHEAD_AT = 0, 8, 16, 24  # offsets in a `Blocks`: rustc chooses them, and a wrong one fails the proof


class Table(UnalignedTable):
    """256 bytes. The code combines an index from bits, as `here | k`."""

    def at(self, index):
        high, low = (z3.simplify(z3.Extract(top, top - 3, index)) for top in (7, 3))
        return z3.simplify(self.base + wide(z3.Concat(high, low) if z3.is_bv_value(low) else index))


def mangled(module, path):
    """Returns the mangled names of the functions of a path such as `portable::Blocks::step`."""
    name = re.compile("".join(f"{len(part)}{part}" for part in path.split("::")) + r"17h\w+E$")
    return [function.name for function in module.module.functions if name.search(function.name) and not function.is_declaration]


@dataclass
class Ghosts:
    """The values that the claims are about."""

    i: object
    j: object  # 64 bits; the low byte is j
    memory: object
    base = z3.Concat(z3.BitVec("table_page", 56), z3.BitVecVal(0, 8))  # `Rc4` begins at a multiple of 256
    blocks = z3.BitVec("input", 64)  # the address of the `Blocks`
    state, struct, stack = Region("table", base, number(STATE)), Region("data", blocks, number(SELF)), Region("stack", STACK, number(2048))

    def promised(self):
        regions = [self.state, self.struct, self.stack]
        return [*(region.valid() for region in regions), *(one.disjoint(other) for n, one in enumerate(regions) for other in regions[:n])]

    def with_blocks(self, k):
        """Returns the ghosts with a `Blocks` before step k: it holds S[i + k] and S[i + k + 1]."""
        memory = self.memory
        for at, word in ((STATE_AT, self.base), (I_AT, wide(self.i)), (J_AT, self.j)):
            memory = store(memory, self.blocks + at, word)
        return replace(self, memory=self.ahead(memory, k))

    def ahead(self, memory, k):
        """Returns the memory with S[i + k] and S[i + k + 1] in the `Blocks`."""
        table = Table(memory, self.base)
        following = table[self.i + k], table[self.i + (k + 1)]
        for n, byte in enumerate(following):
            memory = store(memory, self.blocks + (AHEAD_AT + 8 * n), wide(byte))
        return memory


class Rust(Proof):
    """The proof of one function."""

    path = ""

    def __init__(self, module, name=None):
        self.name = name or mangled(module, self.path)[0]
        super().__init__(module)

    def find_cuts(self):
        return []

    def sections(self):
        return [self.whole]

    def prove(self, name, assumed, arguments, memory, stores, goals):
        """Claims that no path panics, and the claims of `goals` for a path that returns."""
        return self.obligation(name, assumed, self.function.called(arguments, memory), [], [*stores, Ghosts.stack], lambda end: {
            "the path does not panic": z3.BoolVal(False)} if end.panicked else goals(end))


def block_i():
    return z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4))


class Steps(Rust):
    """`Blocks::step`: one step, for each of its 16 places in a block."""

    path = "portable::Blocks::next"

    def steps(self):
        """Returns the functions of the steps, in the order of their calls in `Blocks::next`."""
        names = set(mangled(self.module, "portable::Blocks::step"))
        return [item.operands[-1].name for block in self.function.blocks.values() for item in block
                if item.opcode == "call" and item.operands[-1].name in names]

    def sections(self):
        return [partial(Step(self.module, name).at, k) for k, name in enumerate(self.steps(), 1)]


class Step(Rust):
    def at(self, k):
        """Step k of a block."""
        before = Ghosts(block_i(), z3.BitVec("j", 64), array("memory"))
        ghosts = before.with_blocks(k)
        # Stores in the order of the code. In another order the solver would have to prove that the
        # places are apart.
        j = ghosts.j + wide(Table(ghosts.memory, ghosts.base)[ghosts.i + k])
        table = Table(store(ghosts.memory, ghosts.blocks + J_AT, j), ghosts.base)
        _, low, key_byte = step(table, ghosts.i + (k - 1), z3.Extract(7, 0, ghosts.j))
        after = ghosts.ahead(table.memory, k + 1)
        return self.prove(f"step {k}", ghosts.promised(), [ghosts.blocks], ghosts.memory, [ghosts.state, ghosts.struct], lambda end: {
            "it returns the byte of keystream": end.returned == key_byte,
            "the memory equals the definition's, at every address": equal_outside(ghosts.stack, end.memory, after),
            "the low byte of j is j": z3.Extract(7, 0, j) == low})


class Next(Steps):
    """`Blocks::next`: the 16 steps in order, their bytes in order, and i + 16."""

    def sections(self):
        return [self.whole]

    def whole(self):
        ghosts = Ghosts(block_i(), z3.BitVec("j", 64), array("memory")).with_blocks(1)
        out, made = Region("data0", z3.BitVec("output0", 64), number(BLOCK)), []
        contracts = self.module.contracts

        def contract(name, state, blocks):
            made.append((name, blocks, z3.BitVec(f"k{len(made) + 1}", 8)))
            return made[-1][2]

        self.module.contracts = contracts | {name: partial(contract, name) for name in self.steps()}
        try:
            found = self.prove("next", ghosts.promised(), [out.base, ghosts.blocks], ghosts.memory, [out, ghosts.struct], lambda end: {
                "the 16 steps are called in order, for this `Blocks`": z3.BoolVal(
                    [name for name, _, _ in made] == self.steps() and len(set(self.steps())) == BLOCK
                    and all(blocks.eq(ghosts.blocks) for _, blocks, _ in made)),
                "the bytes are in order": load(end.memory, out.base, BLOCK) == z3.Concat([byte for _, _, byte in made][::-1]),
                "i goes on by 16": load(end.memory, ghosts.blocks + I_AT, 8) == wide(ghosts.i + BLOCK)})
        finally:
            self.module.contracts = contracts
        return found


class Of(Rust):
    """`Blocks::of`: loads the next two S[i], for an i that is a multiple of 16."""

    path = "portable::Blocks::of"

    def whole(self):
        start = Ghosts(block_i(), wide(z3.BitVec("j", 8)), array("memory"))
        given = [select(start.memory, start.base + 256) == start.i, select(start.memory, start.base + 257) == z3.BitVec("j", 8)]
        after = start.with_blocks(1)
        return self.prove("of", [*start.promised(), *given], [start.blocks, start.base], start.memory, [start.state, start.struct],
                          lambda end: {"the `Blocks` is at its first step": equal_everywhere(end.memory, after.memory)})


class Prga(Rust):
    """`State::prga`: one step of the definition, for the bytes before and behind the blocks."""

    path = "families::rc4::State::prga"

    def whole(self):
        i, j = z3.BitVec("i", 8), z3.BitVec("j", 8)
        ghosts = Ghosts(i, wide(j), array("memory"))
        given = [select(ghosts.memory, ghosts.base + 256) == i, select(ghosts.memory, ghosts.base + 257) == j]
        table = Table(ghosts.memory, ghosts.base)
        new_i, new_j, key_byte = step(table, i, j)
        memory = store(store(table.memory, ghosts.base + 256, new_i), ghosts.base + 257, new_j)
        return self.prove("prga", [*ghosts.promised(), *given], [ghosts.base], ghosts.memory, [ghosts.state], lambda end: {
            "it returns the byte of keystream": end.returned == key_byte,
            "the memory equals the definition's, at every address": equal_outside(
                ghosts.stack, end.memory, memory)})


PROOFS = (Steps, Next, Of, Prga)
