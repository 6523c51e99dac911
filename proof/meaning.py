"""One instruction as a function on numbers, for the comparisons with the processor and with qemu.

`lift.py` runs the instruction once, on symbols, as in the proofs. The resulting terms are evaluated
for each state.
"""

import z3
from lift import Lifter, State, byte, cell, name_of, unknown
from memory import array, select, tidy


def symbols(term):
    """Returns the variables of a term by name."""
    found, ready, seen = {}, [term], set()
    while ready:
        part = ready.pop()
        if part.get_id() not in seen:
            seen.add(part.get_id())
            ready += part.children()
            if z3.is_const(part) and part.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found[part.decl().name()] = part
    return found


class Values:
    """Terms that are evaluated together: one call of the solver's library for each state."""

    def __init__(self, terms):
        self.sizes = [term.size() for term in terms]
        self.whole = z3.Concat(*terms, z3.BitVecVal(0, 8)) if terms else None
        self.symbols = symbols(self.whole) if terms else {}

    def numbers(self, known):
        """Returns the terms' numbers, from the numbers of their variables by name."""
        if not self.sizes:
            return []
        pairs = [(symbol, z3.BitVecVal(known[name], symbol.sort())) for name, symbol in self.symbols.items()]
        whole = z3.simplify(z3.substitute(self.whole, *pairs)).as_long() >> 8
        numbers = []
        for size in reversed(self.sizes):
            numbers.append(whole & (1 << size) - 1)
            whole >>= size
        return numbers[::-1]


class End:
    """The end of one path through the instruction."""

    def __init__(self, state):
        self.kinds = [(kind, size) for kind, _, size in state.accesses]
        self.addresses = Values([address for _, address, _ in state.accesses])
        loads = [(z3.Select(array("memory"), tidy(address + n)), z3.BitVec(f"loaded_{at}_{n}", 8))
                 for at, (kind, address, size) in enumerate(state.accesses) if kind == "load" for n in range(size)]
        self.cells = [at for at, term in state.registers.items() if not term.eq(unknown(*at))]
        stored = [select(state.memory, address + n) for kind, address, size in state.accesses if kind == "store" for n in range(size)]
        terms = [byte(condition) for condition in state.path] + [state.registers[at] for at in self.cells] + stored
        self.values = Values([z3.substitute(term, *loads) for term in terms])
        self.conditions, self.taken = len(state.path), state.branches == [True]


class Meaning:
    """The meaning of the instruction at a code's beginning."""

    def __init__(self, code):
        self.context, self.places = code.context, {}
        self.ends = [End(state) for state in Lifter(code).step(State(code.base, {}, array("memory")))]

    def cells(self, name):
        """Returns the cells of a register, and the bit of each cell where the register's part begins."""
        if name in self.places:
            return self.places[name]
        place, parts, done = self.context.registers[name], [], 0
        while done < place.size:
            at, width = cell(self.context, place.offset + done)
            skip = place.offset + done - at
            take = min(place.size - done, width - skip)
            parts.append(((at, width), 8 * skip, 8 * take, 8 * done))
            done += take
        return self.places.setdefault(name, parts)

    def run(self, values, memory):
        """Returns the values afterwards, the bytes stored by address, and true if a branch was taken.

        `values` has the numbers of registers by name. `memory` returns a number of bytes from an
        address on.
        """
        before = {}
        for name, value in values.items():
            for at, skip, take, done in self.cells(name):
                before[at] = before.get(at, 0) | (value >> done & (1 << take) - 1) << skip
        known = {name_of(offset): value for (offset, _), value in before.items()}
        reached = []
        for end in self.ends:
            addresses = end.addresses.numbers(known)
            more = {}
            for n, (address, (kind, size)) in enumerate(zip(addresses, end.kinds, strict=True)):
                for m, loaded in enumerate(memory(address, size) if kind == "load" else b""):
                    more[f"loaded_{n}_{m}"] = loaded
            numbers = end.values.numbers(known | more)
            if all(numbers[: end.conditions]):
                reached.append((end, addresses, numbers[end.conditions :]))
        ((end, addresses, numbers),) = reached
        after = before | dict(zip(end.cells, numbers, strict=False))
        places = [address + n for address, (kind, size) in zip(addresses, end.kinds, strict=True) if kind == "store" for n in range(size)]
        left = {name: sum((after[at] >> skip & (1 << take) - 1) << done for at, skip, take, done in self.cells(name)) for name in values}
        return left, dict(zip(places, numbers[len(end.cells) :], strict=True)), end.taken
