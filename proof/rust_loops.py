"""The loops of the portable Rust code, and the functions that pass the data to them.

A loop of Rust's iterators is a function of the standard library, compiled for one closure. Its cut
point is the loop's head. `fill` and `xor` pass their bytes, part after part, to these functions.
"""

import re
from dataclasses import replace
from types import MappingProxyType

import z3
from c_turns import Call, equal_outside
from definition import schedule_step, step
from lift import NotModelled
from llvm_ir import STACK, Module, State
from memory import Region, UnalignedTable, array, load, number, select, store, wide
from obligation import all_of
from rust_portable import AHEAD_AT, BLOCK, I_AT, J_AT, SELF, STATE_AT, Rust, Table, mangled

BASE = z3.Concat(z3.BitVec("table_page", 56), z3.BitVecVal(0, 8))  # `Rc4` begins at a multiple of 256
STATE, STACK_REGION = Region("table", BASE, number(258)), Region("stack", STACK, number(1 << 14))
MEMORY = "the memory equals the definition's, at every address"


def apart(*regions):
    """Returns the promise that regions lie apart and do not wrap, and the same for the state and the variables."""
    regions = [STATE, STACK_REGION, *regions]
    return [*(z3.Or(region.length == 0, region.valid()) for region in regions),
            *(z3.Or(one.length == 0, other.length == 0, one.disjoint(other)) for n, one in enumerate(regions) for other in regions[:n])]


def slices(*regions):
    """Returns Rust's promise for slices: no null pointer, and an end that does not wrap."""
    return [z3.And(region.base != 0, z3.ULE(region.base, region.base + region.length)) for region in regions]


def advanced(memory):
    """Returns the definition's next byte, and the memory behind its step."""
    table = Table(memory, BASE)
    i, j, key_byte = step(table, select(memory, BASE + 256), select(memory, BASE + 257))
    return key_byte, store(store(table.memory, BASE + 256, i), BASE + 257, j)


class Loop(Rust):
    """A function with loops."""

    heads = ("bb1",)

    def find_cuts(self):
        return [(head, 0) for head in self.heads]

    def variable(self, name):
        """Returns the address of a variable in the memory."""
        return STACK + self.function.in_memory[name]

    def at(self, p, memory, arguments, named=None, variables=None):
        """Returns a state at a cut point. `named` has the values that were computed before, by name."""
        results = {item.result.name: item.result for block in self.function.blocks.values() for item in block}
        values = dict(zip(self.function.arguments, arguments, strict=True)) | {results[name]: value for name, value in (named or {}).items()}
        return State(self.cuts[p], dict(variables or {}), memory, values)

    def whole_path(self, name, assumed, start, loads, stores, goals):
        """Claims that no path panics, and the claims of `goals`."""
        return self.obligation(name, assumed, start, loads, [*stores, STACK_REGION], lambda end: {
            "the path does not panic": z3.BoolVal(False)} if end.panicked else goals(end))

    def leads_to(self, end, p):
        return {f"the path leads to cut point {p}": z3.BoolVal(end.returned is None and end.place == self.cuts[p])}

    def still(self, end, named):
        """Claims that values computed before are unchanged."""
        held = {value.name: term for value, term in end.values.items()}
        return {f"{name} has its value": held[name] == value for name, value in named.items()}


class Bytes(Loop):
    """`bytes`: any number of steps, one a turn, from input to output."""

    path = "backends::portable::bytes"
    list = Region("pointers", z3.BitVec("pointers", 64), number(24))  # input, output and length
    input, output, length, n = (z3.BitVec(name, 64) for name in ("input", "output", "length", "n"))
    named = MappingProxyType({"iter1": input, "iter2": output, "iter3": length})

    def promised(self):
        """Output is the input, or lies apart."""
        read, written = Region("data", self.input, self.length), Region("data", self.output, self.length)
        return [*apart(written, self.list), *apart(read, self.list), *slices(read, written),
                z3.Or(self.length == 0, self.input == self.output, read.disjoint(written))], read, written

    def sections(self):
        return [self.entry, self.turn]

    def claims(self, end, n, memory):
        return self.leads_to(end, 0) | self.still(end, self.named) | {
            "n is the number of the byte": end.variables["iter"] == n, MEMORY: equal_outside(STACK_REGION, end.memory, memory)}

    def entry(self):
        memory = array("memory")
        for n, word in enumerate(self.named.values()):
            memory = store(memory, self.list.base + 8 * n, word)
        promised, _, _ = self.promised()
        return self.whole_path("entry", promised, self.function.called([BASE, self.list.base], memory), [self.list], [],
                               lambda end: self.claims(end, number(0), memory))

    def turn(self):
        """From the head to the head, or to the return."""
        memory = array("memory")
        promised, read, written = self.promised()
        key_byte, after = advanced(memory)
        after = store(after, self.output + self.n, key_byte ^ select(memory, self.input + self.n))

        def goals(end):
            if end.returned is not None:
                return {"no byte is left": self.n == self.length, "no byte is written": equal_outside(STACK_REGION, end.memory, memory)}
            return self.claims(end, self.n + 1, after) | {"a byte is left": z3.ULT(self.n, self.length)}

        start = self.at(0, memory, [BASE, self.list.base], self.named, {"iter": self.n})
        return self.whole_path("turn", [*promised, z3.ULE(self.n, self.length)], start, [STATE, read], [STATE, written], goals)


class Each(Loop):
    """A loop over the elements of a slice: `IterMut::for_each` with a closure."""

    output, left = z3.BitVec("output", 64), z3.BitVec("left", 64)  # the next element, and the number of elements from there
    size, others = 1, ()  # bytes of an element; regions of the closure

    def promised(self, output=output, left=left):
        written = Region("data", output, self.size * left)
        return [*apart(written, *self.others), *slices(written), z3.ULT(left, (1 << 63) // self.size)]

    def sections(self):
        return [self.entry, self.turn]

    def words(self, output, left):
        """Returns the loop's variables: the next element, the end, and the closure's reference."""
        return [(self.variable("self"), output), (self.variable("self") + 8, output + self.size * left), (self.variable("f"), self.argument)]

    def at_head(self, end, output, left):
        return self.leads_to(end, 0) | {f"word {n} of the loop's variables is right": load(end.memory, address, 8) == word
                                        for n, (address, word) in enumerate(self.words(output, left))}

    def entry(self):
        memory = array("memory")
        start = self.function.called([self.output, self.output + self.size * self.left, self.argument], memory)
        return self.whole_path("entry", self.promised(), start, [], [], lambda end: self.at_head(end, self.output, self.left) | {
            "no byte is written": equal_outside(STACK_REGION, end.memory, memory)})

    def turn(self):
        """From the head to the head, or to the return."""
        memory, words = array("memory"), self.words(self.output, self.left)
        for address, word in words:
            memory = store(memory, address, word)

        def goals(end):
            if end.returned is not None:
                return {"nothing is left": self.left == 0, "no byte is written": equal_outside(STACK_REGION, end.memory, memory)}
            following = self.output + self.size, self.left - 1
            return self.at_head(end, *following) | self.made(end, memory) | {
                "an element is left": self.left != 0, "the promises hold for the others": all_of(self.promised(*following))}

        start = self.at(0, memory, [self.output, self.output + self.size * self.left, self.argument])
        start = replace(start, kept=tuple((z3.simplify(address), 8) for address, _ in words))
        written = Region("data", self.output, self.size * self.left)
        return self.whole_path("turn", self.promised(), start, [], [STATE, written], goals)


class EachByte(Each):
    """`for_each(prga)`: `fill`'s loops over bytes, one step of the definition a turn."""

    argument = BASE

    def made(self, end, memory):
        key_byte, after = advanced(memory)
        return {MEMORY: equal_outside(STACK_REGION, end.memory, store(after, self.output, key_byte))}


BLOCKS = Region("pointers", z3.BitVec("pointers", 64), number(SELF))


def left(state, name, stream, given, output, length, written=()):
    """Records a call, and leaves an unknown memory with the words that the call does not write."""
    after = array(f"memory_after_{len(state.calls) + 1}")
    for address, size in state.kept:
        if not any(address.eq(z3.simplify(at)) for at in written):
            after = store(after, address, load(state.memory, address, size))
    state.calls += (Call(name, state.memory, stream, given, output, length, after),)
    state.memory = after


def next_block(state, output, blocks):
    """The contract of `Blocks::next`: 16 bytes; i grows by 16, and the state stays the same."""
    i = load(state.memory, blocks + I_AT, 8)
    left(state, "next", blocks, None, output, number(BLOCK), [blocks + I_AT, blocks + J_AT])
    state.path += (load(state.memory, blocks + I_AT, 8) == wide(z3.Extract(7, 0, i + BLOCK)),)


def each_block(state, first, end, blocks):
    """The contract of a loop over blocks: `next` for each of them."""
    i = load(state.memory, blocks + I_AT, 8)
    left(state, "blocks", blocks, None, first, end - first, [blocks + I_AT, blocks + J_AT])
    state.path += (load(state.memory, blocks + I_AT, 8) == wide(z3.Extract(7, 0, i + (end - first))),)


def each_byte(state, first, end, stream):
    """The contract of `fill`'s loops over bytes: one step for each of them."""
    i = select(state.memory, stream + 256)
    left(state, "bytes", stream, None, first, end - first)
    state.path += (select(state.memory, stream + 256) == i + z3.Extract(7, 0, end - first),)


def bytes_of(state, stream, data):
    """The contract of `portable::bytes`. `data` is the address of the input, the output and the length."""
    i = select(state.memory, stream + 256)
    given, output, length = (load(state.memory, data + 8 * n, 8) for n in range(3))
    left(state, "bytes", stream, given, output, length)
    state.path += (select(state.memory, stream + 256) == i + z3.Extract(7, 0, length),)


def blocks_of(state, blocks, stream):
    """The contract of `Blocks::of`: exactly what its own proof says."""
    i, j = (select(state.memory, stream + at) for at in (256, 257))
    state.calls += (Call("of", state.memory, stream, None, None, number(0), None),)
    for at, word in ((STATE_AT, stream), (I_AT, wide(i)), (J_AT, wide(j)), (AHEAD_AT, z3.BitVec("ahead", 128))):
        state.memory = store(state.memory, blocks + at, word)


class EachBlock(Each):
    """`for_each(next)`: the loops over blocks, one call of `Blocks::next` a turn for the next 16 bytes."""

    size, argument, others = BLOCK, BLOCKS.base, (BLOCKS,)

    def made(self, end, memory):
        if [call.name for call in end.calls] != ["next"]:
            return {"`next` is called once": z3.BoolVal(False)}
        (call,) = end.calls
        after = call.after
        for n in range(BLOCK):
            after = store(after, self.output + n, select(call.after, call.output + n))
        return {"`next` takes the `Blocks`": call.stream == BLOCKS.base,
                "nothing is written before the call": equal_outside(STACK_REGION, call.memory, memory),
                "`next` writes its bytes to the function's variables": STACK_REGION.holds(call.output, BLOCK),
                "the next 16 bytes are its bytes, and no other byte is written": equal_outside(STACK_REGION, end.memory, after)}


class Contracts:
    """The functions of a module by their parts, and the contracts of those that have a proof."""

    def __init__(self, module):
        self.module = module
        self.named = {"fill": mangled(module, "backends::portable::fill")[0], "xor": mangled(module, "backends::portable::xor")[0]}
        self.bytes, self.blocks, self.xors = [], [], {}
        for function in self.named.values():
            for name in called_by(module.function(function)):
                if "8for_each" in name:
                    element = next(item for block in module.function(name).blocks.values() for item in block if item.opcode == "getelementptr"
                                   and item.result.name == "_24")
                    (self.blocks if "[16 x i8]" in element.text else self.bytes).append(name)
                if name.endswith("E") and "10xor_in2out" in name:
                    self.xors[name] = module.function(name).sizes["input"]

    def all(self):
        module = self.module
        arrays = {name: array_of(size) for function, size in self.xors.items() for name in called_by(module.function(function)) if "7from_fn17h" in name}
        return arrays | ({name: each_byte for name in self.bytes} | {name: each_block for name in self.blocks}
                | {name: xored(size) for name, size in self.xors.items()}
                | {mangled(module, "portable::Blocks::next")[0]: next_block, mangled(module, "portable::Blocks::of")[0]: blocks_of,
                   mangled(module, "backends::portable::bytes")[0]: bytes_of})


def called_by(function):
    """Returns the names of the functions that a function calls, each once."""
    return dict.fromkeys(item.operands[-1].name for block in function.blocks.values() for item in block if item.opcode in ("call", "invoke"))


def array_of(size):
    """Returns the contract of `from_fn`, which makes an array: bytes that are replaced later."""

    def contract(state, made):
        for n in range(size):
            state.memory = store(state.memory, made + n, z3.BitVec(f"unknown_{n}", 8))

    return contract


def xored(size):
    """Returns the contract of `xor_in2out`, for a number of bytes."""

    def contract(state, pair, data):
        given, output = (load(state.memory, pair + 8 * n, 8) for n in range(2))
        left(state, "xor", data, given, output, number(size))

    return contract


def in_order(calls, memory, first, output, given=None):
    """Claims that calls make the bytes from `first` on, part after part, and that nothing else is written.

    Returns the claims, the memory after the last call, and the number of bytes done.
    """
    claims, done = {}, first
    for n, call in enumerate(calls, 1):
        claims[f"call {n} takes the memory of the call before"] = equal_outside(STACK_REGION, call.memory, memory)
        if call.name == "of":
            claims[f"call {n} begins at a multiple of {BLOCK}"] = select(call.memory, BASE + 256) & (BLOCK - 1) == 0
            claims[f"call {n} takes the stream"] = call.stream == BASE
            continue
        claims[f"call {n} takes the bytes that come next"] = call.output == output + done
        if given is not None and call.input is not None:
            claims[f"call {n} takes the input that comes next"] = call.input == given + done
        stream = BASE if call.name == "bytes" else load(call.memory, call.stream + STATE_AT, 8)
        claims[f"call {n} takes the stream"] = stream == BASE
        done, memory = done + call.length, call.after
        if call.name == "blocks":
            memory = given_back(memory, call.stream)
    return claims, memory, done


def given_back(memory, blocks):
    """Returns the memory with i and j of the `Blocks` in the state."""
    i, j = (z3.Extract(7, 0, load(memory, blocks + at, 8)) for at in (I_AT, J_AT))
    return store(store(memory, BASE + 256, i), BASE + 257, j)


class Fill(Loop):
    """`fill`: bytes up to a multiple of 16, blocks, then the remaining bytes."""

    path, heads = "backends::portable::fill", ()

    def sections(self):
        return [self.whole]

    def whole(self):
        memory, output, length = array("memory"), z3.BitVec("output", 64), z3.BitVec("length", 64)
        written = Region("data", output, length)
        start = self.function.called([BASE, output, length], memory)
        words = [self.variable("blocks") + at for at in (STATE_AT, I_AT, J_AT)]
        start = replace(start, kept=tuple((z3.simplify(word), 8) for word in words))

        def goals(end):
            claims, last, done = in_order(end.calls, memory, number(0), output)
            return claims | {"every byte is done": done == length, "nothing is written afterwards": equal_outside(STACK_REGION, end.memory, last),
                             "it returns": z3.BoolVal(end.returned is not None)}

        return self.whole_path("parts", [*apart(written), *slices(written), z3.ULT(length, 1 << 63)], start, [STATE], [STATE], goals)


class XorBytes(Loop):
    """`InOut::xor_in2out`: the output is the input xor the keystream, for 16 bytes."""

    heads = ()
    pair, made = Region("pointers", z3.BitVec("pointers", 64), number(16)), z3.BitVec("data0", 64)
    input, output = z3.BitVec("input", 64), z3.BitVec("output", 64)

    def sections(self):
        return [self.whole]

    def whole(self):
        memory = store(store(array("memory"), self.pair.base, self.input), self.pair.base + 8, self.output)
        size = self.function.sizes["input"]
        read, written = (Region("data", base, number(size)) for base in (self.input, self.output))
        made, after = Region("data0", self.made, number(size)), memory
        for n in range(size):
            after = store(after, self.output + n, select(memory, self.input + n) ^ select(memory, self.made + n))
        promised = [*apart(self.pair, made, read), *apart(self.pair, made, written), z3.Or(self.input == self.output, read.disjoint(written))]
        start = self.function.called([self.pair.base, self.made], memory)
        return self.whole_path(f"{size} bytes", promised, start, [self.pair, read, made], [written], lambda end: {
            "it returns": z3.BoolVal(end.returned is not None), MEMORY: equal_outside(STACK_REGION, end.memory, after)})


class Xor(Loop):
    """`xor`: bytes up to a multiple of 16, blocks in groups of 16, single blocks, the remaining bytes."""

    path, heads = "backends::portable::xor", ("bb5", "bb12")
    GROUP = 256
    list = Region("pointers", z3.BitVec("pointers", 64), number(24))
    input, output, groups, blocks, rest = (z3.BitVec(name, 64) for name in ("input", "output", "groups", "blocks", "rest"))
    n = z3.BitVec("n", 64)  # the groups or blocks that are done

    def sections(self):
        return [self.entry, self.group, self.block]

    def tail(self):
        """Returns the words of the remaining bytes: their input, their output and their number."""
        done = self.GROUP * self.groups + BLOCK * self.blocks
        return [(self.variable("tail") + 8 * n, word) for n, word in enumerate((self.input + done, self.output + done, self.rest))]

    def kept(self):
        """Returns the words of the function's variables that no call writes, or that its contract tells."""
        words = [self.variable("blocks") + at for at in (STATE_AT, I_AT, J_AT)]
        words += [self.variable(name) + 8 * n for name, size in (("tail", 3), ("group", 2), ("bytes", 2)) for n in range(size)]
        return tuple((z3.simplify(word), 8) for word in words)

    def named(self):
        """Returns the values that the loops use: `input` and `output` begin at the first group."""
        behind = self.GROUP * self.groups
        return {"body": self.input, "body2": self.output, "groups": self.groups, "body6": self.blocks,
                "rest4": self.input + behind, "rest5": self.output + behind}

    def at_head(self, end, p, n, names):
        """Claims that a path ends at a loop's head, with the loop's values."""
        held = {value.name: term for value, term in end.values.items()}
        return self.leads_to(end, p) | {"n is the number of the turn": end.variables[("iter", "iter1")[p]] == n} | {
            f"{name} is unchanged": held[name] == self.named()[name] for name in names} | {
            f"word {at} of the last part is unchanged": load(end.memory, address, 8) == word for at, (address, word) in enumerate(self.tail())} | {
            "the `Blocks` has the state": load(end.memory, self.variable("blocks") + STATE_AT, 8) == BASE}

    def start(self, p):
        """Returns the state at a loop's head, whose `Blocks` is at a multiple of 16."""
        memory = array("memory")
        words = [*self.tail(), *((self.variable("blocks") + at, word) for at, word in (
            (STATE_AT, BASE), (I_AT, wide(z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4)))), (J_AT, z3.BitVec("j", 64))))]
        for address, word in words:
            memory = store(memory, address, word)
        state = self.at(p, memory, [BASE, self.list.base], self.named(), {("iter", "iter1")[p]: self.n})
        return memory, replace(state, kept=self.kept())

    def bounds(self):
        return [z3.ULE(self.groups, 1 << 55), z3.ULE(self.blocks, 15), z3.ULT(self.rest, BLOCK), *apart()]

    def entry(self):
        """From the call: the bytes before the first block. Then to a loop, or to the return."""
        first, output, length = z3.BitVec("input0", 64), z3.BitVec("output0", 64), z3.BitVec("length", 64)
        memory = array("memory")
        for n, word in enumerate((first, output, length)):
            memory = store(memory, self.list.base + 8 * n, word)
        start = replace(self.function.called([BASE, self.list.base], memory), kept=self.kept())

        def goals(end):
            before = end.calls[0].length
            claims, last, done = in_order(end.calls, memory, number(0), output, first)
            if end.returned is not None:
                return claims | {"every byte is done": done == length, "nothing is written afterwards": equal_outside(STACK_REGION, end.memory, last)}
            held = {value.name: term for value, term in end.values.items()}
            groups, blocks, rest = held["groups"], held["body6"], held["_56"]
            p = 0 if end.place == self.cuts[0] else 1
            renamed = [(self.input, first + before), (self.output, output + before), (self.groups, groups), (self.blocks, blocks), (self.rest, rest)]
            at_head = self.at_head(end, p, number(0), self.named() if p == 0 else ("body6", "rest4", "rest5"))
            return claims | {says: z3.substitute(claim, *renamed) for says, claim in at_head.items()} | {
                "the `Blocks` is the stream's": z3.BoolVal(end.calls[-1].name == "of"),
                "the parts are all bytes": before + self.GROUP * groups + BLOCK * blocks + rest == length,
                "there are groups": (groups != 0) if p == 0 else (groups == 0),
                "a part has no more than its bytes": z3.And(z3.ULE(groups, 1 << 55), z3.ULE(blocks, 15), z3.ULT(rest, BLOCK), z3.ULE(before, length))}

        return self.whole_path("entry", [*apart(self.list), z3.ULT(length, 1 << 63)], start, [STATE, self.list], [], goals)

    def made(self, size, first, behind, calls):
        """Claims of a turn: keystream of the next bytes, and its xor into them."""
        keystream, xor = calls
        return {"the keystream is made by the `Blocks`": keystream.stream == self.variable("blocks"),
                "it is as long as the turn's data": z3.And(keystream.length == size, xor.length == size),
                "the xor takes the bytes that come next": z3.And(xor.input == first, xor.output == behind)}

    def group(self):
        """From the head of the loop over groups to itself, or to the loop over blocks."""
        memory, start = self.start(0)

        def goals(end):
            if not end.calls:
                return self.at_head(end, 1, number(0), ("body6", "rest4", "rest5")) | {
                    "no group is left": self.n == self.groups, "only the keystream's variable is written": equal_outside(STACK_REGION, end.memory, memory)}
            if [call.name for call in end.calls] != ["blocks", "xor"]:
                return {"keystream and xor are called": z3.BoolVal(False)}
            keystream, xor = end.calls
            at = self.GROUP * self.n
            return self.at_head(end, 0, self.n + 1, self.named()) | self.made(self.GROUP, self.input + at, self.output + at, end.calls) | {
                "a group is left": z3.ULT(self.n, self.groups), "the xor takes this keystream": xor.stream == keystream.output,
                "nothing else is written": z3.And(equal_outside(STACK_REGION, keystream.memory, memory),
                                                  equal_outside(STACK_REGION, xor.memory, keystream.after),
                                                  equal_outside(STACK_REGION, end.memory, xor.after))}

        return self.whole_path("group", [*self.bounds(), z3.ULE(self.n, self.groups)], start, [], [], goals)

    def block(self):
        """From the head of the loop over blocks to itself, or to the return."""
        memory, start = self.start(1)

        def goals(end):
            if end.returned is not None:
                (call,) = end.calls
                words = [word for _, word in self.tail()]
                return {"no block is left": self.n == self.blocks, "the last call takes the stream": call.stream == BASE,
                        "the last call takes the last part": z3.And(call.input == words[0], call.output == words[1], call.length == words[2]),
                        "i and j go back to the stream": equal_outside(STACK_REGION, call.memory, given_back(memory, self.variable("blocks"))),
                        "nothing is written afterwards": equal_outside(STACK_REGION, end.memory, call.after)}
            if [call.name for call in end.calls] != ["next", "xor"]:
                return {"keystream and xor are called": z3.BoolVal(False)}
            keystream, xor = end.calls
            at = self.GROUP * self.groups + BLOCK * self.n
            same = [select(xor.memory, xor.stream + n) == select(keystream.after, keystream.output + n) for n in range(BLOCK)]
            return self.at_head(end, 1, self.n + 1, ("body6", "rest4", "rest5")) | self.made(
                BLOCK, self.input + at, self.output + at, end.calls) | {
                "a block is left": z3.ULT(self.n, self.blocks), "the xor takes this keystream": all_of(same),
                "nothing else is written": z3.And(equal_outside(STACK_REGION, keystream.memory, memory),
                                                  equal_outside(STACK_REGION, xor.memory, keystream.after),
                                                  equal_outside(STACK_REGION, end.memory, xor.after))}

        return self.whole_path("block", [*self.bounds(), z3.ULE(self.n, self.blocks)], start, [], [STATE], goals)


class KeySchedule(Loop):
    """`schedule`: 256 steps of the key schedule, over a key that repeats."""

    path, heads = "backends::portable::schedule", ("bb2",)
    done, k, j = z3.BitVec("done", 64), z3.BitVec("k", 64), z3.BitVec("j", 8)
    input, length = z3.BitVec("input", 64), z3.BitVec("length", 64)
    ORIGINAL, REST, NUMBERS = 0, 16, 32  # offsets in the iterator: rustc chooses them, and a wrong one fails the proof

    def sections(self):
        return [self.entry, self.turn]

    def key(self):
        return Region("data", self.input, self.length)

    def promised(self):
        return [z3.ULE(1, self.length), z3.ULE(self.length, 256), *apart(self.key()), *slices(self.key())]

    def words(self, done, k):
        """Returns the iterator's words: the whole key, the rest of it, and the numbers that are left."""
        end = self.input + self.length
        words = ((self.ORIGINAL, self.input), (self.ORIGINAL + 8, end), (self.REST, self.input + k), (self.REST + 8, end),
                 (self.NUMBERS, done), (self.NUMBERS + 8, number(256)))
        return [(self.variable("iter") + at, word) for at, word in words]

    def at_head(self, end, done, k, j):
        return self.leads_to(end, 0) | {"j is the definition's": end.variables["j"] == j} | {
            f"word {n} of the iterator is right": load(end.memory, address, 8) == word for n, (address, word) in enumerate(self.words(done, k))}

    def entry(self):
        memory = array("memory")
        return self.whole_path("entry", self.promised(), self.function.called([BASE, self.input, self.length], memory), [], [], lambda end:
            self.at_head(end, number(0), number(0), z3.BitVecVal(0, 8)) | {"no byte is written": equal_outside(STACK_REGION, end.memory, memory)})

    def turn(self):
        """From the head to the head, or to the return. k is the number of the step modulo the key's length.

        Behind the last byte of the key, k may be the length.
        """
        memory = array("memory")
        for address, word in self.words(self.done, self.k):
            memory = store(memory, address, word)
        at = z3.If(self.k == self.length, number(0), self.k)
        table = Table(memory, BASE)
        _, j = schedule_step(table, z3.Extract(7, 0, self.done), self.j, select(memory, self.input + at))

        def goals(end):
            if end.returned is not None:
                return {"256 steps are done": self.done == 256, "no byte is written": equal_outside(STACK_REGION, end.memory, memory)}
            return self.at_head(end, self.done + 1, at + 1, j) | {
                MEMORY: equal_outside(STACK_REGION, end.memory, table.memory), "a step is left": z3.ULT(self.done, 256)}

        start = self.at(0, memory, [BASE, self.input, self.length], {}, {"j": self.j})
        assumed = [*self.promised(), z3.ULE(self.done, 256), z3.ULE(self.k, self.length)]
        return self.whole_path("turn", assumed, start, [STATE, self.key()], [STATE], goals)


LANES, WORD, OBJECT = 5, 8, 264  # streams, steps in a turn and bytes of a word of keystream, bytes from a table to the next


class LaneTable(UnalignedTable):
    """256 bytes. The code combines an index from bits, as `here | k`."""

    def at(self, index):
        high, low = z3.simplify(z3.Extract(7, 3, index)), z3.simplify(z3.Extract(2, 0, index))
        return z3.simplify(self.base + wide(z3.Concat(high, low) if z3.is_bv_value(low) else index))


class LaneSteps(Loop):
    """`lanes::step`: one step of each of five streams, for each of the 8 places in a turn."""

    path, heads = "portable::lanes::step", ()
    tables, j, words = (Region(name, z3.BitVec(name, 64), number(size)) for name, size in (
        ("table", OBJECT * LANES), ("data0", 8 * LANES), ("data1", 8 * LANES)))

    def sections(self):
        return [self.steps]

    def steps(self):
        """Yields the obligations of the functions: each is right for one place, and all eight places are there."""
        places = {}
        for name in mangled(self.module, self.path):
            one = type(self)(self.module, name)
            places.setdefault(one.place(), []).append(one)
        if sorted(places) != list(range(1, WORD + 1)):
            raise NotModelled(f"the places of the steps are {sorted(places)}")
        for k, functions in sorted(places.items()):
            for one in functions:
                yield from one.step(k)

    def place(self):
        """Returns the number of the function's place: it shifts its byte by 8 times this number less 8."""
        (shift,) = {int(found[1]) for block in self.function.blocks.values() for item in block
                    if (found := re.search(r"= shl i64 %\S+, (\d+)$", item.text))} or {0}
        return shift // 8 + 1

    def step(self, k):
        memory, here = array("memory"), z3.Concat(z3.BitVec("i_over_8", 5), z3.BitVecVal(0, 3))
        start = self.function.called([self.tables.base, self.j.base, self.words.base, wide(here), wide(z3.simplify(here + WORD))], memory)
        after = memory
        for lane in range(LANES):
            j_at, word_at = self.j.base + 8 * lane, self.words.base + 8 * lane
            j = z3.simplify(load(after, j_at, 8) + wide(LaneTable(after, self.tables.base + OBJECT * lane)[here + k]))
            table = LaneTable(store(after, j_at, j), self.tables.base + OBJECT * lane)
            _, _, key_byte = step(table, here + (k - 1), z3.Extract(7, 0, load(after, j_at, 8)))
            after = store(table.memory, word_at, z3.simplify(load(table.memory, word_at, 8) | wide(key_byte) << 8 * (k - 1)))
        regions = [self.tables, self.j, self.words, STACK_REGION]
        promised = [*(region.valid() for region in regions), *(one.disjoint(other) for n, one in enumerate(regions) for other in regions[:n])]
        return self.whole_path(f"step {k}", promised, start, [], [self.tables, self.j, self.words], lambda end: {
            "it returns": z3.BoolVal(end.returned is not None), MEMORY: equal_outside(STACK_REGION, end.memory, after)})


class Several:
    """The same proof of several functions: the copies of one function for several closures."""

    def __init__(self, module):
        self.proofs = [self.one(module, name) for name in self.names(Contracts(module))]

    @classmethod
    def title(cls):
        return cls.one.title()

    def obligations(self):
        for proof in self.proofs:
            yield from proof.obligations()


class ByteLoops(Several):
    one, names = EachByte, staticmethod(lambda contracts: contracts.bytes)
    __doc__ = EachByte.__doc__


class BlockLoops(Several):
    one, names = EachBlock, staticmethod(lambda contracts: contracts.blocks)
    __doc__ = EachBlock.__doc__


class XorOfBlock(Several):
    one, names = XorBytes, staticmethod(lambda contracts: [name for name, size in contracts.xors.items() if size == BLOCK])
    __doc__ = XorBytes.__doc__


def library(text):
    """Returns the library's module, with the contracts of the functions that have a proof."""
    module = Module(text)
    module.contracts = Contracts(module).all()
    return module


PROOFS = (Bytes, ByteLoops, BlockLoops, XorOfBlock, Fill, Xor, KeySchedule, LaneSteps)
