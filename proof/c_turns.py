"""Shared by the proofs of the portable C code in capi/single/arcfour.c.

clang lowers the C text without optimisation. Cut points are the heads of the loops and, in an
unrolled loop, the places behind each step. `variables` says what the variables hold at a cut point.
Each path from a cut point to the next is an obligation. The proofs cover every state, every length
and every address of the stream.
"""

from dataclasses import dataclass

import z3
from llvm_ir import STACK, State
from memory import ADDRESS, Region, array, distance, equal_everywhere, last_store, load, number, select, store
from obligation import all_of
from paths import Sections, path_obligations

BLOCK, WORD = 16, 8
LANES, JOB = 5, 24  # streams at once, bytes of a `lane`
OBJECT = 264  # bytes of `arcfour1`: the table, i, j, and 6 unused bytes


def equal_outside(region, one, other):
    """Claims that two memories are equal outside a region. Drops the stores to the region first."""
    one, other = (outside(region, memory) for memory in (one, other))
    return z3.Or(region.holds(ADDRESS), equal_everywhere(one, other))


def outside(region, memory):
    """Returns a memory without the stores at a known place in a region."""
    stores = []
    while (stored := last_store(memory)) is not None:
        memory, at, value = stored
        known = distance(region.base, at)
        if known is None or not 0 <= known < region.length.as_long():
            stores.append((at, value))
    for at, value in reversed(stores):
        memory = z3.Store(memory, at, value)
    return memory


@dataclass
class Ghosts:
    """The values that the claims are about."""

    base: object  # the stream's address
    i: object
    j: object
    input: object
    output: object
    length: object  # bytes of input and output
    memory: object
    stack = Region("stack", STACK, number(64))

    @classmethod
    def fresh(cls, **given):
        return cls(z3.BitVec("table", 64), z3.BitVec("i", 8), z3.BitVec("j", 8), z3.BitVec("input", 64), z3.BitVec("output", 64),
                   z3.BitVec("length", 64), array("memory"), **given)

    @property
    def stream(self):
        return Region("table", self.base, number(OBJECT))

    @property
    def read(self):
        return Region("data", self.input, self.length)

    @property
    def written(self):
        return Region("data", self.output, self.length)

    def promised(self):
        """Returns the caller's promises.

        The stream, the data and the function's variables lie apart. Output is the input, or lies
        apart.
        """
        data = [self.written.valid(), self.read.valid(), z3.Or(self.input == self.output, self.read.disjoint(self.written)),
                *(one.disjoint(other) for one in (self.written, self.read) for other in (self.stream, self.stack))]
        return [self.stream.valid(), self.stack.valid(), self.stream.disjoint(self.stack), z3.Or(self.length == 0, all_of(data))]

    def written_back(self):
        """Returns the memory with i and j in the stream."""
        return store(store(self.memory, self.base + 256, self.i), self.base + 257, self.j)

    def stored(self):
        """Returns the assumption that i and j are in the stream."""
        return [select(self.memory, self.base + 256) == self.i, select(self.memory, self.base + 257) == self.j]


class Proof(Sections):
    """The proof of one function."""

    name = ""

    def __init__(self, module):
        self.module = module
        self.function = module.function(self.name)
        self.cuts = self.find_cuts()

    @classmethod
    def title(cls):
        """Returns the function's name in the table."""
        return cls.__doc__.partition("`")[2].partition("`")[0]

    def find_cuts(self):
        """Returns the places of the cut points: the heads of the loops."""
        heads = [name for name in self.function.blocks if name.startswith(("for.cond", "while.cond"))]
        return [(head, 0) for head in heads if not any(item.opcode == "phi" for item in self.function.blocks[head])]

    def at_cut(self, p, ghosts, *more):
        """Returns a state about which only the claims of cut point p are known.

        `more` are further arguments of the proof's `variables`.
        """
        return State(self.cuts[p], self.variables(p, ghosts, *more), ghosts.memory)

    def leads(self, end, p, ghosts, *more):
        """Claims that a path ends at cut point p, with its variables."""
        goals = {f"the path leads to cut point {p}": z3.BoolVal(end.returned is None and end.place == self.cuts[p])}
        for name, value in self.variables(p, ghosts, *more).items():
            goals[f"{name} has its value of cut point {p}"] = end.variables.get(name, z3.BitVec("unset", value.size())) == value
        return goals

    def reaches(self, end, p, ghosts):
        """Claims the same, and that the memory equals the definition's."""
        return self.leads(end, p, ghosts) | {"the memory equals the definition's, at every address": equal_outside(ghosts.stack, end.memory, ghosts.memory)}

    def returns(self, end, memory):
        return {"it returns": z3.BoolVal(end.returned is not None),
                "the memory equals the definition's, at every address": equal_outside(Ghosts.stack, end.memory, memory)}

    def obligation(self, name, assumed, start, loads, stores, goals, ends=None):
        """Returns the obligations of all paths from a state on.

        `goals` returns the claims about a path's end. `ends` selects the paths that end in a
        `return` or at a `cut point`.
        """
        found = [end for end in self.function.paths(start, set(self.cuts))
                 if ends in (None, "return" if end.returned is not None else "cut point")]
        return path_obligations(name, assumed, found, loads, stores,
                                lambda end: goals(end) | {"every operation has a meaning in C": all_of(end.defined)})


@dataclass
class Call:
    """A call of a function with a separate proof: the definition's steps on `length` bytes."""

    name: str
    memory: object
    stream: object
    input: object
    output: object
    length: object
    after: object


def after_call(state, *streams):
    """Returns an unknown memory with the words that no call writes; i of a stream is written."""
    written, after = [z3.simplify(stream + 256) for stream in streams], array(f"memory_after_{len(state.calls) + 1}")
    for address, size in state.kept:
        if not any(address.eq(at) for at in written):
            after = store(after, address, load(state.memory, address, size))
    return after


def called(state, call, *streams):
    """Replaces the state's memory by the call's. i of each stream grows by the number of bytes."""
    for stream in streams:
        state.path += (select(call.after, stream + 256) == select(call.memory, stream + 256) + z3.Extract(7, 0, call.length),)
    state.calls += (call,)
    state.memory = call.after


def steps(name, unit=1):
    """Returns the contract of a function that makes steps of one stream."""

    def contract(state, stream, given, output, count):
        called(state, Call(name, state.memory, stream, given, output, count * unit, after_call(state, stream)), stream)

    return contract


def skipped(state, stream, count):
    """The contract of `arcfour1_skip`: steps without data."""
    steps("arcfour1_skip")(state, stream, None, None, count)


def scheduled(state, table, key, length):
    """The contract of `schedule_portable`: the table changes."""
    called(state, Call("schedule_portable", state.memory, table, key, None, length, after_call(state)))


def lanes(state, jobs, length):
    """The contract of `lanes_portable`: steps of each of five streams."""
    streams = [load(state.memory, jobs + JOB * lane, WORD) for lane in range(LANES)]
    called(state, Call("lanes_portable", state.memory, jobs, None, None, length, after_call(state, *streams)), *streams)


def overwritten(state, address, *sizes):
    """The contract of `memset` and `wipe`: the given bytes change, and no other byte."""
    length = sizes[-1] if len(sizes) == 1 else sizes[1]
    after, region = array(f"memory_after_{len(state.calls) + 1}"), Region("", address, length)
    state.calls += (Call("overwritten", state.memory, address, None, None, length, after),)
    state.path += (z3.Or(region.holds(ADDRESS), equal_everywhere(after, state.memory)),)
    state.accesses += (("store", address, length.as_long()),)
    state.memory = after


CONTRACTS = {"wipe": overwritten, "llvm.memset.p0.i64": overwritten, "schedule_portable": scheduled, "arcfour1_skip": skipped,
             "lanes_portable": lanes, "blocks_portable": steps("blocks_portable", BLOCK),
             **{name: steps(name) for name in ("arcfour1_xor", "bytes_portable", "xor_portable")}}
