"""One stream in portable C: key schedule, loops over bytes and blocks, and their callers."""

from dataclasses import dataclass, replace
from functools import partial

import z3
from c_turns import BLOCK, WORD, Ghosts, Proof, equal_outside
from definition import schedule_step, step
from llvm_ir import STACK
from memory import ADDRESS, Region, UnalignedTable, array, equal_everywhere, load, number, select, store, wide
from obligation import all_of


class Bytes(Proof):
    """`bytes_portable`: any number of steps, one a turn; `x1` is S[i + 1] of the next step."""

    name = "bytes_portable"

    def sections(self):
        return [self.entry, self.turn]

    def variables(self, p, ghosts):
        following = UnalignedTable(ghosts.memory, ghosts.base)[ghosts.i + 1]
        return {"stream.addr": ghosts.base, "s": ghosts.base, "in.addr": ghosts.input, "out.addr": ghosts.output,
                "len.addr": ghosts.length, "i": wide(ghosts.i), "j": wide(ghosts.j), "n": z3.BitVec("n", 64), "x1": following}

    def entry(self):
        ghosts = Ghosts.fresh()
        start = self.function.called([ghosts.base, ghosts.input, ghosts.output, ghosts.length], ghosts.memory)

        def goals(end):
            if end.returned is not None:
                return {"there are no bytes": ghosts.length == 0} | self.returns(end, ghosts.memory)
            claims = self.reaches(end, 0, ghosts)
            claims["n has its value of cut point 0"] = end.variables["n"] == 0
            return claims

        return self.obligation("entry", [*ghosts.promised(), *ghosts.stored()], start, [ghosts.stream], [], goals)

    def turn(self):
        """From the head to the head, or to the return."""
        ghosts, n = Ghosts.fresh(), z3.BitVec("n", 64)
        table = UnalignedTable(ghosts.memory, ghosts.base)
        i, j, key_byte = step(table, ghosts.i, ghosts.j)
        memory = store(table.memory, ghosts.output + n, key_byte ^ select(table.memory, ghosts.input + n))
        after = replace(ghosts, i=i, j=j, memory=memory)

        def goals(end):
            if end.returned is not None:
                return {"no byte is left": n == ghosts.length} | self.returns(end, ghosts.written_back())
            claims = self.reaches(end, 0, after)
            claims["n has its value of cut point 0"] = z3.And(end.variables["n"] == n + 1, z3.ULE(n + 1, ghosts.length))
            return claims

        return self.obligation("turn", [*ghosts.promised(), ghosts.length != 0, z3.ULE(n, ghosts.length)], self.at_cut(0, ghosts),
                               [ghosts.read], [ghosts.stream, ghosts.written], goals)


@dataclass
class BlockGhosts(Ghosts):
    """The values of a loop over blocks of 16 bytes.

    i is a multiple of 16. The data belong to the remaining blocks.
    """

    left: object = None  # blocks
    garbage: tuple = ()  # the bits above the low bytes of `j` and of `minus_i`
    bytes: tuple = ()  # the keystream of this word so far

    @classmethod
    def of(cls, known):
        left = z3.BitVec("left", 64)
        ghosts = cls.fresh(left=left, garbage=(z3.BitVec("garbage0", 56), z3.BitVec("garbage1", 56)),
                           bytes=tuple(z3.BitVec(f"k{n + 1}", 8) for n in range(known)))
        return replace(ghosts, i=z3.Concat(z3.BitVec("i_over_16", 4), z3.BitVecVal(0, 4)), length=BLOCK * left)

    def promised(self):
        return [*super().promised(), z3.ULE(self.left, 1 << 59)]


class Blocks(Proof):
    """`blocks_portable`: steps unrolled to a block of 16; `a` or `b` holds the next step's S[i]."""

    name = "blocks_portable"

    def find_cuts(self):
        stores = self.function.after_stores_to("keystream")
        # The stores are: zero, 8 steps, zero, 8 steps, zero. The cut point of a word's last step is
        # behind the next zero.
        return [*super().find_cuts(), *stores[1:8], stores[9], *stores[10:17], stores[18]]

    def sections(self):
        return [self.entry, *(partial(self.step, p) for p in range(BLOCK)), self.turn_end]

    def variables(self, p, ghosts):
        following = wide(UnalignedTable(ghosts.memory, ghosts.base)[ghosts.i + (p + 1)])
        done = ghosts.bytes[::-1]
        word = z3.Concat([z3.BitVecVal(0, 8)] * (WORD - len(done)) + list(done)) if len(done) < WORD else z3.Concat(list(done))
        holds = {"stream.addr": ghosts.base, "s": ghosts.base, "also_s": ghosts.base, "in.addr": ghosts.input,
                 "out.addr": ghosts.output, "blocks.addr": ghosts.left, "none": number(0), "wait": number(0),
                 "j": z3.Concat(ghosts.garbage[0], ghosts.j), "minus_i": z3.Concat(ghosts.garbage[1], -ghosts.i),
                 "here": ghosts.base + wide(ghosts.i), "keystream": z3.simplify(word), "ab"[p % 2]: following}
        return holds | ({"next": ghosts.base + wide(z3.simplify(ghosts.i + BLOCK))} if p else {})

    def reaches(self, end, p, ghosts):
        """The upper bits of `j` and `minus_i` may have any value."""
        garbage = tuple(z3.Extract(63, 8, end.variables.get(name, number(0))) for name in ("j", "minus_i"))
        return super().reaches(end, p, replace(ghosts, garbage=garbage))

    def entry(self):
        ghosts = BlockGhosts.of(0)
        start = self.function.called([ghosts.base, ghosts.input, ghosts.output, ghosts.left], ghosts.memory)
        return self.obligation("entry", [*ghosts.promised(), *ghosts.stored()], start, [ghosts.stream], [],
                               lambda end: self.reaches(end, 0, ghosts))

    def step(self, p):
        """From cut point p to the next. From cut point 0 also to the return."""
        ghosts = BlockGhosts.of(p % WORD)
        table = UnalignedTable(ghosts.memory, ghosts.base)
        _, j, key_byte = step(table, ghosts.i + p, ghosts.j)
        word, memory = (*ghosts.bytes, key_byte), table.memory
        if len(word) == WORD:
            at = p + 1 - WORD
            memory = store(memory, ghosts.output + at, load(memory, ghosts.input + at, WORD) ^ z3.Concat(word[::-1]))
            word = ()
        after = replace(ghosts, j=j, bytes=word, memory=memory)

        def goals(end):
            if end.returned is not None:
                return {"no block is left": ghosts.left == 0} | self.returns(end, ghosts.written_back())
            return self.reaches(end, p + 1, after)

        assumed = [*ghosts.promised(), *([ghosts.left != 0] if p else [])]
        return self.obligation(f"step {p + 1}", assumed, self.at_cut(p, ghosts), [ghosts.read],
                               [ghosts.stream, ghosts.written, ghosts.stack], goals)

    def turn_end(self):
        """From the last cut point to the head."""
        ghosts = BlockGhosts.of(0)
        after = replace(ghosts, i=z3.simplify(ghosts.i + BLOCK), input=ghosts.input + BLOCK, output=ghosts.output + BLOCK,
                        left=ghosts.left - 1, length=BLOCK * (ghosts.left - 1))

        def goals(end):
            return self.reaches(end, 0, after) | {"the promises hold for the remaining blocks": all_of(after.promised())}

        return self.obligation("end of turn", [*ghosts.promised(), ghosts.left != 0], self.at_cut(BLOCK, ghosts), [], [], goals)


class Schedule(Proof):
    """`schedule_portable`: the table in order, then 256 steps of the key schedule."""

    name = "schedule_portable"
    ANY = z3.BitVec("any_index", 8)  # a claim about this index is a claim about all indexes

    def sections(self):
        return [self.entry, self.fill, self.shuffle]

    def ghosts(self):
        """`input` is the key, `length` its length."""
        return Ghosts.fresh(), z3.BitVec("done", 32), z3.BitVec("k", 64), array("memory_at_entry")

    def variables(self, p, ghosts, done, k):
        return {"s.addr": ghosts.base, "key.addr": ghosts.input, "key_len.addr": ghosts.length, "i": done,
                "j": z3.ZeroExt(24, ghosts.j), "k": k}

    def promised(self, ghosts):
        key = Region("data", ghosts.input, ghosts.length)
        return [z3.ULE(1, ghosts.length), z3.ULE(ghosts.length, 256), ghosts.stream.valid(), key.valid(), key.disjoint(ghosts.stream)]

    def in_order(self, ghosts, done):
        """Claims that the first `done` bytes of the table equal their indexes."""
        return z3.Implies(z3.ULT(z3.ZeroExt(24, self.ANY), done), select(ghosts.memory, ghosts.base + wide(self.ANY)) == self.ANY)

    def others_kept(self, memory, first, ghosts):
        """Claims that every byte outside the table is unchanged since the entry."""
        return z3.Or(Region("table", ghosts.base, number(256)).holds(ADDRESS), z3.Select(memory, ADDRESS) == z3.Select(first, ADDRESS))

    def entry(self):
        ghosts, _, _, _ = self.ghosts()
        zero = replace(ghosts, j=z3.BitVecVal(0, 8))
        start = self.function.called([ghosts.base, ghosts.input, ghosts.length], ghosts.memory)
        return self.obligation("entry", self.promised(ghosts), start, [], [], lambda end: self.leads(
            end, 0, zero, z3.BitVecVal(0, 32), number(0)) | {"no byte is written": equal_everywhere(end.memory, ghosts.memory)})

    def fill(self):
        """The first loop: from head to head, or to the second loop with the table in order."""
        ghosts, done, _, first = self.ghosts()
        ghosts = replace(ghosts, j=z3.BitVecVal(0, 8))
        assumed = [*self.promised(ghosts), z3.ULE(done, 256), self.in_order(ghosts, done),
                   self.others_kept(ghosts.memory, first, ghosts)]

        def goals(end):
            after, kept = replace(ghosts, memory=end.memory), {"no other byte is written": self.others_kept(end.memory, first, ghosts)}
            if end.place == self.cuts[0]:
                return self.leads(end, 0, after, done + 1, number(0)) | kept | {
                    "the bytes so far are in order": self.in_order(after, done + 1), "done is at most 256": z3.ULE(done + 1, 256)}
            return self.leads(end, 1, after, z3.BitVecVal(0, 32), number(0)) | kept | {
                "the table is in order": self.in_order(after, z3.BitVecVal(256, 32))}

        return self.obligation("fill", assumed, self.at_cut(0, ghosts, done, number(0)), [], [ghosts.stream], goals)

    def shuffle(self):
        """The second loop: a step of the key schedule, or the return.

        k is the step's number modulo the key's length.
        """
        ghosts, done, k, _ = self.ghosts()
        table = UnalignedTable(ghosts.memory, ghosts.base)
        _, j = schedule_step(table, z3.Extract(7, 0, done), ghosts.j, select(ghosts.memory, ghosts.input + k))
        after = replace(ghosts, j=j, memory=table.memory)

        def modulo(steps, index):
            return index == z3.URem(z3.ZeroExt(32, steps), ghosts.length)

        def goals(end):
            if end.returned is not None:
                return {"256 steps are done": done == 256} | self.returns(end, ghosts.memory)
            k_after = end.variables["k"]
            return self.leads(end, 1, after, done + 1, k_after) | {
                "k is the number of the step modulo the length": modulo(done + 1, k_after),
                "done is at most 256": z3.ULE(done + 1, 256),
                "the memory equals the definition's, at every address": equal_everywhere(end.memory, after.memory)}

        assumed = [*self.promised(ghosts), z3.ULE(done, 256), modulo(done, k)]
        return self.obligation("shuffle", assumed, self.at_cut(1, ghosts, done, k),
                               [Region("data", ghosts.input, ghosts.length)], [ghosts.stream], goals)


class Parts(Proof):
    """A function that passes its bytes, part after part, to functions with separate proofs."""

    def find_cuts(self):
        return []

    def sections(self):
        return [self.whole]

    def whole(self):
        ghosts = Ghosts.fresh()
        start = self.function.called([ghosts.base, ghosts.input, ghosts.output, ghosts.length], ghosts.memory)

        def goals(end):
            done, memory, claims = number(0), ghosts.memory, {"it returns": z3.BoolVal(end.returned is not None)}
            for n, call in enumerate(end.calls, 1):
                claims[f"call {n} takes the stream after the previous call"] = z3.And(
                    call.stream == ghosts.base, z3.BoolVal(call.memory.eq(memory)))
                claims[f"call {n} takes the bytes that come next"] = z3.And(
                    call.input == ghosts.input + done, call.output == ghosts.output + done, z3.ULE(call.length, ghosts.length - done))
                if call.name == "blocks_portable":
                    claims[f"call {n} begins at a multiple of {BLOCK}"] = select(call.memory, ghosts.base + 256) & (BLOCK - 1) == 0
                done, memory = done + call.length, call.after
            return claims | {"every byte is done": done == ghosts.length, "the function itself writes nothing":
                             z3.BoolVal(end.memory.eq(memory))}

        return self.obligation("parts", [*ghosts.promised(), z3.ULE(ghosts.length, 1 << 63)], start, [ghosts.stream], [], goals)


class XorPortable(Parts):
    """`xor_portable`: bytes up to a multiple of 16, blocks, then the remaining bytes."""

    name = "xor_portable"


class Xor(Parts):
    """`arcfour1_xor`: a few bytes one by one; more bytes by `xor_portable`."""

    name = "arcfour1_xor"


class Skip(Proof):
    """`arcfour1_skip`: the steps of at most 1024 bytes a turn, on its own buffer."""

    name = "arcfour1_skip"
    stack = Region("stack", STACK, number(2048))

    def sections(self):
        return [self.entry, self.turn]

    def promised(self, ghosts):
        return [ghosts.stream.valid(), self.stack.valid(), ghosts.stream.disjoint(self.stack)]

    def variables(self, p, ghosts):
        return {"stream.addr": ghosts.base, "n.addr": ghosts.length}

    def entry(self):
        ghosts = Ghosts.fresh()
        start = self.function.called([ghosts.base, ghosts.length], ghosts.memory)

        def goals(end):
            kept = {"only the function's variables are written": equal_outside(self.stack, end.memory, ghosts.memory)}
            if end.returned is not None:
                return {"there is nothing to skip": ghosts.length == 0} | kept
            return self.reaches(end, 0, replace(ghosts, memory=end.memory)) | kept

        return self.obligation("entry", self.promised(ghosts), start, [], [self.stack], goals)

    def turn(self):
        """From the head to the head, or to the return."""
        ghosts = Ghosts.fresh()

        def goals(end):
            if end.returned is not None:
                return {"nothing is left to skip": ghosts.length == 0, "only the function's variables are written":
                        equal_outside(self.stack, end.memory, ghosts.memory)}
            (call,) = end.calls
            return self.reaches(end, 0, replace(ghosts, length=ghosts.length - call.length, memory=call.after)) | {
                "the call takes the stream": z3.And(call.stream == ghosts.base, z3.BoolVal(call.memory.eq(ghosts.memory))),
                "input and output are the function's buffer": z3.And(
                    call.input == call.output, self.stack.holds(call.input, call.length)),
                "the call takes at most the remaining bytes": z3.And(call.length != 0, z3.ULE(call.length, ghosts.length))}

        return self.obligation("turn", self.promised(ghosts), self.at_cut(0, ghosts), [], [self.stack], goals)


class Key(Proof):
    """`arcfour1_key`: refuses a length outside 1 to 256, runs the key schedule and drops bytes."""

    name = "arcfour1_key"

    def sections(self):
        return [self.whole]

    def whole(self):
        ghosts, key, drop = Ghosts.fresh(), z3.BitVec("input", 64), z3.BitVec("drop", 64)
        bad = z3.Or(ghosts.length == 0, z3.ULT(256, ghosts.length))
        places = [ghosts.base + 256, ghosts.base + 257]
        start = replace(self.function.called([ghosts.base, key, ghosts.length, drop], ghosts.memory),
                        kept=tuple((z3.simplify(place), 1) for place in places))

        def goals(end):
            if not end.calls:
                return {"the length is refused": z3.And(bad, end.returned == -1), "no byte is written": equal_everywhere(end.memory, ghosts.memory)}
            scheduled, skipped = end.calls
            zeros = store(store(ghosts.memory, places[0], z3.BitVecVal(0, 8)), places[1], z3.BitVecVal(0, 8))
            return {"the length is right": z3.And(z3.Not(bad), end.returned == 0),
                    "before the key schedule only i and j are written, with 0": equal_everywhere(scheduled.memory, zeros),
                    "the key schedule takes the table and the key": z3.And(
                        scheduled.stream == ghosts.base, scheduled.input == key, scheduled.length == ghosts.length),
                    "i and j are still 0": z3.And(*(select(skipped.memory, place) == 0 for place in places)),
                    "the dropped bytes come next": z3.And(z3.BoolVal(skipped.memory.eq(scheduled.after)), skipped.stream == ghosts.base,
                                                         skipped.length == drop),
                    "nothing is written afterwards": z3.BoolVal(end.memory.eq(skipped.after))}

        return self.obligation("whole", [ghosts.stream.valid()], start, [], [ghosts.stream], goals)


class Wipe(Proof):
    """`wipe`: zeros, byte after byte."""

    name = "wipe"

    def sections(self):
        return [self.entry, self.turn]

    def variables(self, p, ghosts):
        return {"bytes": ghosts.output, "len.addr": ghosts.length}

    def entry(self):
        ghosts = Ghosts.fresh()
        start = self.function.called([ghosts.output, ghosts.length], ghosts.memory)
        return self.obligation("entry", [], start, [], [], lambda end: self.reaches(end, 0, ghosts))

    def turn(self):
        """From the head to the head, one byte further, or to the return."""
        ghosts = Ghosts.fresh()
        after = replace(ghosts, output=ghosts.output + 1, length=ghosts.length - 1,
                        memory=store(ghosts.memory, ghosts.output, z3.BitVecVal(0, 8)))

        def goals(end):
            if end.returned is not None:
                return {"no byte is left": ghosts.length == 0, "no byte is written": equal_everywhere(end.memory, ghosts.memory)}
            return self.reaches(end, 0, after) | {"a byte is left": ghosts.length != 0}

        return self.obligation("turn", [z3.Or(ghosts.length == 0, ghosts.written.valid())], self.at_cut(0, ghosts), [],
                               [ghosts.written], goals)
