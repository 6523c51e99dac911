"""The memory: one array from 64-bit addresses to bytes, its regions, and reads after writes."""

from dataclasses import dataclass
from functools import wraps

import z3
from obligation import all_of, any_of

ADDRESS = z3.BitVec("any_address", 64)  # a claim about this address is a claim about all addresses
# The region of each variable that addresses are counted from. Input and output may be the same
# place.
BASES = {"table_page": "table", "table": "table", "stack": "stack", "input": "data", "output": "data", "pointers": "pointers",
         **{f"{name}{lane}": f"{region}{lane}" for lane in range(5) for name, region in
            (("data", "data"), ("input", "data"), ("output", "data"), ("stream", "stream"))}}
CACHED = 1 << 17  # results of a function: about 100 MB


def number(value):
    return z3.BitVecVal(value, 64)


def wide(value):
    return z3.ZeroExt(64 - value.size(), value)


def remembered(function):
    """Caches a function of terms.

    The cache keeps each term alive. Otherwise z3 could give the number of a cached term to another.
    """
    cache = {}

    @wraps(function)
    def looked_up(*terms):
        key = tuple(term.get_id() for term in terms)
        if key not in cache:
            if len(cache) == CACHED:
                cache.clear()
            cache[key] = terms, function(*terms)
        return cache[key][1]

    return looked_up


def array(name):
    return z3.Array(name, z3.BitVecSort(64), z3.BitVecSort(8))


@remembered
def bases(term):
    """Returns the regions whose variables a term is counted from.

    A loaded byte is an index, so the address it was loaded from is ignored.
    """
    kind = term.decl().kind()
    if kind in (z3.Z3_OP_SELECT, z3.Z3_OP_STORE):
        return frozenset()
    if kind == z3.Z3_OP_UNINTERPRETED and term.decl().name() in BASES:
        return frozenset({BASES[term.decl().name()]})
    return frozenset().union(*map(bases, term.children()))


def region_of(address):
    """Guesses the region of an address, or returns None.

    `within` adds the proof of the guess to each access.
    """
    found = bases(address)
    return next(iter(found)) if len(found) == 1 else None


def may_be_set(term):
    """Returns a mask of the bits that may be set, by the form of the term."""
    if z3.is_bv_value(term):
        return term.as_long()
    if term.decl().kind() == z3.Z3_OP_CONCAT:
        bits = 0
        for part in term.children():
            bits = bits << part.size() | may_be_set(part)
        return bits
    return (1 << term.size()) - 1


@remembered
def tidy(address):
    """Rewrites an address as its page, the upper 56 bits, and a byte.

    This needs a sum whose form shows that no carry reaches the page. Then tables on different pages
    can be told apart. A base that may begin anywhere stays in one piece.
    """
    address = z3.simplify(address)
    if address.decl().kind() != z3.Z3_OP_BADD:
        return address
    lows = [z3.simplify(z3.Extract(7, 0, part)) for part in address.children()]
    seen = 0
    for low in lows:
        if seen & may_be_set(low) or low.decl().kind() == z3.Z3_OP_EXTRACT and z3.is_const(low.arg(0)):
            return address
        seen |= may_be_set(low)
    page, byte = z3.BitVecVal(0, 56), z3.BitVecVal(0, 8)
    for part, low in zip(address.children(), lows, strict=True):
        page, byte = page + z3.Extract(63, 8, part), byte | low
    return z3.simplify(z3.Concat(page, byte))


@remembered
def apart(one, other):
    """Returns true if two addresses are known to lie on different pages."""
    distance = z3.simplify(z3.Extract(63, 8, one) - z3.Extract(63, 8, other))
    return z3.is_bv_value(distance) and distance.as_long() != 0


@remembered
def last_store(memory):
    """Returns the memory before its last store, and the store's address and byte.

    None without a store.
    """
    return memory.children() if z3.is_store(memory) else None


@remembered
def offset(address):
    """Splits an address into a term without a constant, and the constant."""
    address = z3.simplify(address)
    if address.decl().kind() == z3.Z3_OP_CONCAT and z3.is_bv_value(last := address.children()[-1]):
        return z3.simplify(z3.Concat(*address.children()[:-1], z3.BitVecVal(0, last.size()))), last.as_long()
    parts = address.children() if address.decl().kind() == z3.Z3_OP_BADD else [address]
    known = [part.as_long() for part in parts if z3.is_bv_value(part)]
    return (z3.simplify(address - known[0]), known[0]) if known else (address, 0)


@remembered
def far_distance(one, other):
    number = z3.simplify(other - one)
    return number.as_long() if z3.is_bv_value(number) else None


def distance(one, other):
    """Returns the distance of two addresses, or None if their terms do not show it."""
    (base, first), (other_base, second) = offset(one), offset(other)
    return second - first if base.eq(other_base) else far_distance(one, other)


def select(memory, address):
    """Returns a byte of the memory, without the stores that cannot have written it.

    Such a store is at another distance from the same base, on another page, or in another region.
    The caller promises that regions are disjoint.
    """
    address = tidy(address)
    region = region_of(address)
    kept, hit = [], False
    while (stored := last_store(memory)) is not None:
        memory, at, value = stored
        if hit:
            continue
        if region is not None and region_of(at) not in (None, region):
            continue
        if (known := distance(at, address)) is not None:
            hit = known == 0
            if hit and not kept:
                return value
            if hit:
                kept.append((at, value))
        elif not apart(address, at):
            kept.append((at, value))
    for at, value in reversed(kept):
        memory = z3.Store(memory, at, value)
    return z3.Select(memory, address)


def load(memory, address, size):
    """Returns `size` bytes of the memory as a little-endian number."""
    parts = [select(memory, address + n) for n in reversed(range(size))]
    return z3.Concat(parts) if size > 1 else parts[0]


def store(memory, address, value):
    """Returns the memory after `value` has been written."""
    for n in range(value.size() // 8):
        memory = z3.Store(memory, tidy(address + n), z3.Extract(8 * n + 7, 8 * n, value))
    return memory


@dataclass(frozen=True)
class Region:
    """Bytes from an address on, which do not wrap around the end of the address space."""

    name: str
    base: object
    length: object

    def valid(self):
        return z3.And(self.length != 0, z3.ULE(self.base, self.base + self.length - 1))

    def holds(self, address, size=1):
        return z3.And(z3.ULE(size, self.length), z3.ULE(address - self.base, self.length - size))

    def disjoint(self, other):
        return z3.Or(z3.ULT(self.base + self.length - 1, other.base), z3.ULT(other.base + other.length - 1, self.base))


class Table:
    """256 bytes of memory as a list for definition.py.

    `page` is the table's address without its last eight bits.
    """

    def __init__(self, memory, page):
        self.memory, self.page = memory, page

    def __getitem__(self, index):
        return select(self.memory, z3.Concat(self.page, index))

    def __setitem__(self, index, value):
        self.memory = store(self.memory, z3.Concat(self.page, index), value)


class UnalignedTable:
    """The same from any address on.

    An index counts from a multiple of 16 or 8 where that is known, as in the code.
    """

    def __init__(self, memory, base):
        self.memory, self.base = memory, base

    def at(self, index):
        for bits in (4, 3):
            high, low = z3.simplify(z3.Extract(7, bits, index)), z3.simplify(z3.Extract(bits - 1, 0, index))
            if z3.is_bv_value(low):
                return z3.simplify(self.base + wide(z3.Concat(high, z3.BitVecVal(0, bits))) + low.as_long())
        return z3.simplify(self.base + wide(index))

    def __getitem__(self, index):
        return select(self.memory, self.at(index))

    def __setitem__(self, index, value):
        self.memory = store(self.memory, self.at(index), value)


def equal_everywhere(one, other):
    return z3.Select(one, ADDRESS) == z3.Select(other, ADDRESS)


def within(accesses, loads, stores):
    """Claims that each access is inside the allowed regions.

    A load may be inside a region of `loads` or `stores`, a store inside a region of `stores`. Each
    access must also lie in the region that `select` assumes.
    """
    return all_of([any_of([region.holds(address, size) for region in (stores if kind == "store" else stores + loads)
                           if region_of(address) in (None, region.name)])
                   for kind, address, size in accesses])
