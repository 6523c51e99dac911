"""Five streams at once in portable C: `lanes_portable` and `arcfour1_xor5`."""

from dataclasses import dataclass, replace
from functools import partial

import z3
from c_turns import JOB, LANES, OBJECT, WORD, Proof
from definition import step
from llvm_ir import STACK
from memory import ADDRESS, Region, UnalignedTable, array, equal_everywhere, load, number, select, store, wide
from obligation import Obligation, all_of

LANE_BLOCK = 8  # steps that are unrolled
WHOLE_JOB = 32  # bytes of an `arcfour1_job`
FEW = 256  # the fewest bytes that are worth the copies


@dataclass
class LaneGhosts:
    """The values of five streams at once.

    The streams lie one behind the other in the function's variable `copies`.
    """

    i: object  # i of all five where the turn began, a multiple of 8
    j: tuple
    at: object  # the bytes done
    length: object
    memory: object
    garbage: tuple  # the bits above the low byte of each j
    bytes: tuple  # the keystream of each lane so far
    jobs = z3.BitVec("pointers", 64)
    streams = tuple(z3.BitVec(f"stream{lane}", 64) for lane in range(LANES))
    inputs = tuple(z3.BitVec(f"input{lane}", 64) for lane in range(LANES))
    outputs = tuple(z3.BitVec(f"output{lane}", 64) for lane in range(LANES))
    stack = Region("stack", STACK, number(2048))

    @classmethod
    def fresh(cls, done=(0,) * LANES):
        memory, length = array("memory"), z3.Concat(z3.BitVec("length_over_8", 61), z3.BitVecVal(0, 3))
        for lane in range(LANES):
            for n, word in enumerate((cls.streams[lane], cls.inputs[lane], cls.outputs[lane])):
                memory = store(memory, cls.jobs + (JOB * lane + 8 * n), word)
        return cls(z3.Concat(z3.BitVec("i_over_8", 5), z3.BitVecVal(0, 3)), tuple(z3.BitVec(f"j{lane}", 8) for lane in range(LANES)),
                   z3.Concat(z3.BitVec("at_over_8", 61), z3.BitVecVal(0, 3)), length, memory,
                   tuple(z3.BitVec(f"garbage{lane}", 56) for lane in range(LANES)),
                   tuple(tuple(z3.BitVec(f"k{lane}_{n}", 8) for n in range(count)) for lane, count in enumerate(done)))

    def copy(self, lane):
        """Returns the address of a lane's table."""
        return STACK + OBJECT * lane

    def words(self):
        """Claims that the list of jobs is unchanged."""
        return {f"job {lane} is unchanged": z3.And(*(load(self.memory, self.jobs + (JOB * lane + 8 * n), 8) == word for n, word in
                enumerate((self.streams[lane], self.inputs[lane], self.outputs[lane])))) for lane in range(LANES)}

    @property
    def read(self):
        return [Region(f"data{lane}", self.inputs[lane], self.length) for lane in range(LANES)]

    @property
    def written(self):
        return [Region(f"data{lane}", self.outputs[lane], self.length) for lane in range(LANES)]

    @property
    def objects(self):
        return [Region(f"stream{lane}", self.streams[lane], number(OBJECT)) for lane in range(LANES)]

    @property
    def list(self):
        return Region("pointers", self.jobs, number(JOB * LANES))

    def apart(self):
        """Returns the promise that the list of jobs and the function's variables lie apart.

        A step that writes no output needs no other promise.
        """
        return [self.list.valid(), self.stack.valid(), self.list.disjoint(self.stack)]

    def promised(self):
        """Returns the caller's promises.

        The five streams, their data and the list lie apart. An output is its input, or lies apart.
        """
        lists = [self.list, self.stack, *self.objects]
        conditions = [region.valid() for region in (*lists, *self.read, *self.written)]
        conditions += [one.disjoint(other) for n, one in enumerate(lists) for other in lists[:n]]
        for lane in range(LANES):
            one = self.written[lane]
            conditions += [one.disjoint(other) for other in lists] + [self.read[lane].disjoint(other) for other in lists]
            conditions += [z3.Or(self.inputs[lane] == self.outputs[lane], one.disjoint(self.read[lane]))]
            conditions += [one.disjoint(self.read[other]) for other in range(LANES) if other != lane]
            conditions += [one.disjoint(self.written[other]) for other in range(lane)]
        return conditions


def same_bytes(one, at, other, source):
    """Claims that the tables of two memories are equal."""
    return all_of([select(one, at + n) == select(other, source + n) for n in range(256)])


class Lanes(Proof):
    """`lanes_portable`: five streams, 8 steps of each a turn, on copies of the streams."""

    name = "lanes_portable"

    def find_cuts(self):
        """Returns the head, then the place behind each step.

        A word of keystream is zero at first, and again behind the eighth step.
        """
        head = next((name, 0) for name, block in self.function.blocks.items() if name.startswith("for.cond")
                    and any(item.opcode == "load" and item.operands[0].name == "len.addr" for item in block))
        stores = [self.function.after_stores_to(f"keystream{lane}") for lane in range(LANES)]
        return [head, *(stores[lane][n if n < LANE_BLOCK else n + 1] for n in range(1, LANE_BLOCK + 1) for lane in range(LANES))]

    def sections(self):
        return [self.entry, *(partial(self.step, p) for p in range(LANES * LANE_BLOCK)), self.turn_end, self.end]

    def entry(self):
        """Copies the streams. The caller promises that all have the same i, a multiple of 8."""
        ghosts = self.ghosts(0)
        start = self.function.called([ghosts.jobs, ghosts.length], ghosts.memory)
        same = [select(ghosts.memory, stream + 256 + n) == value for lane, stream in enumerate(ghosts.streams)
                for n, value in enumerate((ghosts.i, ghosts.j[lane]))]

        def goals(end):
            goals = self.leads(end, 0, replace(ghosts, at=number(0)))
            for lane, stream in enumerate(ghosts.streams):
                goals[f"lane {lane} is a copy"] = same_bytes(end.memory, ghosts.copy(lane), ghosts.memory, stream)
            return goals

        return self.obligation("entry", [*ghosts.promised(), *same], start, [ghosts.list, *ghosts.objects], [ghosts.stack], goals)

    def end(self):
        """From the head to the return: copies the streams back, with i and j."""
        ghosts = self.ghosts(0)

        def goals(end):
            goals = {"it returns": z3.BoolVal(end.returned is not None), "no byte is left": ghosts.at == ghosts.length}
            before = end.calls[0].memory  # the last call wipes the copies
            for lane, stream in enumerate(ghosts.streams):
                goals[f"stream {lane} is the table"] = same_bytes(before, stream, ghosts.memory, ghosts.copy(lane))
                goals[f"stream {lane} has i and j"] = z3.And(
                    select(before, stream + 256) == ghosts.i, select(before, stream + 257) == ghosts.j[lane])
            goals["the copies are wiped"] = z3.And(end.calls[0].stream == STACK, end.calls[0].length == OBJECT * LANES)
            return goals

        return self.obligation("end", [*ghosts.promised(), ghosts.at == ghosts.length], self.at_cut(0, ghosts), [ghosts.list],
                               [ghosts.stack, *ghosts.objects], goals, ends="return")

    def ghosts(self, p):
        """Returns the ghosts at cut point p, after p steps of alternate lanes."""
        return LaneGhosts.fresh(tuple((p + LANES - 1 - lane) // LANES % LANE_BLOCK for lane in range(LANES)))

    def variables(self, p, ghosts):
        holds = {"jobs.addr": ghosts.jobs, "len.addr": ghosts.length, "s": STACK, "also_s": STACK, "i": wide(ghosts.i), "at": ghosts.at,
                 "here": STACK + wide(ghosts.i)}
        if p:
            holds["next"] = STACK + wide(z3.simplify(ghosts.i + LANE_BLOCK))
        for lane in range(LANES):
            done = ghosts.bytes[lane][::-1]
            holds[f"keystream{lane}"] = z3.simplify(z3.Concat([z3.BitVecVal(0, 8)] * (WORD - len(done)) + list(done)))
            holds[f"j{lane}"] = z3.Concat(ghosts.garbage[lane], ghosts.j[lane])
        return holds

    def leads(self, end, p, ghosts):
        """The upper bits of each j may have any value."""
        garbage = tuple(z3.Extract(63, 8, end.variables.get(f"j{lane}", number(0))) for lane in range(LANES))
        return super().leads(end, p, replace(ghosts, garbage=garbage))

    def reaches(self, end, p, ghosts):
        """Claims also that the list of jobs is unchanged and that the memory is right."""
        goals = self.leads(end, p, ghosts) | replace(ghosts, memory=end.memory).words()
        scratch = Region("stack", STACK + self.function.frame_size, number(16))  # `data` of xor_word
        return goals | {"the memory equals the definition's, at every address":
                        z3.Or(scratch.holds(ADDRESS), equal_everywhere(end.memory, ghosts.memory))}

    def step(self, p):
        """From cut point p to the next: one step of lane p modulo 5."""
        ghosts, lane, n = self.ghosts(p), p % LANES, p // LANES
        table = UnalignedTable(ghosts.memory, ghosts.copy(lane))
        _, j, key_byte = step(table, ghosts.i + n, ghosts.j[lane])
        word, memory = (*ghosts.bytes[lane], key_byte), table.memory
        if n + 1 == LANE_BLOCK:
            data = load(memory, ghosts.inputs[lane] + ghosts.at, WORD)
            memory, word = store(memory, ghosts.outputs[lane] + ghosts.at, data ^ z3.Concat(word[::-1])), ()
        after = replace(ghosts, j=(*ghosts.j[:lane], j, *ghosts.j[lane + 1 :]), memory=memory,
                        bytes=(*ghosts.bytes[:lane], word, *ghosts.bytes[lane + 1 :]))

        if n + 1 == LANE_BLOCK:
            assumed, loads, stores = [*ghosts.promised(), z3.ULT(ghosts.at, ghosts.length)], [*ghosts.read, ghosts.list], ghosts.written
        else:
            assumed, loads, stores = ghosts.apart(), [], []
        return self.obligation(f"step {n + 1} of lane {lane}", assumed, self.at_cut(p, ghosts), loads, [*stores, ghosts.stack],
                               lambda end: self.reaches(end, p + 1, after), ends="cut point")

    def turn_end(self):
        """From the last cut point to the head."""
        ghosts = self.ghosts(0)
        after = replace(ghosts, i=z3.simplify(ghosts.i + LANE_BLOCK), at=ghosts.at + LANE_BLOCK)
        return self.obligation("end of turn", [*ghosts.apart(), z3.ULT(ghosts.at, ghosts.length)],
                               self.at_cut(LANES * LANE_BLOCK, ghosts), [], [], lambda end: self.reaches(end, 0, after) | {
                                   "no more bytes are done than there are": z3.ULE(after.at, ghosts.length)})


@dataclass
class JobGhosts:
    """The values of five jobs, which may begin at different i and have different lengths."""

    memory: object
    jobs = z3.BitVec("pointers", 64)
    streams, inputs, outputs = LaneGhosts.streams, LaneGhosts.inputs, LaneGhosts.outputs
    lengths = tuple(z3.BitVec(f"length{lane}", 64) for lane in range(LANES))
    first = tuple(z3.BitVec(f"i{lane}", 8) for lane in range(LANES))  # i of each stream at the call
    body = z3.BitVec("body", 64)  # the bytes of each stream that are made together
    common = 16 * z3.UDiv(z3.ZeroExt(24, first[0]) + 15, z3.BitVecVal(16, 32))  # the common i, or 256
    stack, list = LaneGhosts.stack, Region("pointers", jobs, number(WHOLE_JOB * LANES))

    def head(self, lane):
        """Returns the number of bytes before the common i."""
        return wide(z3.Extract(7, 0, self.common) - self.first[lane])

    def most(self, lane):
        """Returns the number of bytes from the common i on."""
        return z3.If(z3.ULT(self.lengths[lane], self.head(lane)), number(0), self.lengths[lane] - self.head(lane))

    def promised(self):
        """Returns the promise that the five streams and the list of jobs lie apart.

        The outputs lie apart, too. The contract of `arcfour1_xor` assumes this: a call leaves the
        lists unchanged.
        """
        lists = [self.list, self.stack, *(Region(f"stream{lane}", stream, number(OBJECT)) for lane, stream in enumerate(self.streams))]
        return [*(region.valid() for region in lists), *(one.disjoint(other) for n, one in enumerate(lists) for other in lists[:n])]


class Jobs(Proof):
    """`arcfour1_xor5`: each stream up to a common i, all five together, each to its end."""

    name = "arcfour1_xor5"
    MEET, ALONE, BEFORE, BEHIND = range(4)  # the loops

    def sections(self):
        loops = [partial(self.turn, loop, lane) for loop in range(4) for lane in range(LANES)]
        return [self.entry, *loops, self.meet, partial(self.end, self.ALONE), self.together, partial(self.end, self.BEHIND), self.lemma]

    def variables(self, p, ghosts, lane):
        return {"jobs.addr": ghosts.jobs, "i": ghosts.common, "l": z3.BitVecVal(lane, 32), "body": ghosts.body}

    def head(self, lane):
        """Returns the address of the length of a stream's first part."""
        return STACK + (self.function.in_memory["head"] + 8 * lane)

    def lane(self, ghosts, lane):
        """Returns a stream's words in the list of lanes: the stream, its input and its output."""
        words = ghosts.streams[lane], ghosts.inputs[lane] + ghosts.head(lane), ghosts.outputs[lane] + ghosts.head(lane)
        return [(STACK + (self.function.in_memory["lanes"] + JOB * lane + 8 * n), word) for n, word in enumerate(words)]

    def words(self, ghosts, loop, lane):
        """Returns the addresses and values of the words that a turn of a loop reads."""
        if lane == LANES:
            return [word for n in range(LANES) for word in self.lane(ghosts, n)] if loop == self.BEFORE else []
        words = [(ghosts.jobs + (WHOLE_JOB * lane + 8 * at), word) for at, word in enumerate(
            (ghosts.streams[lane], ghosts.inputs[lane], ghosts.outputs[lane], ghosts.lengths[lane]))]
        if loop in (self.BEFORE, self.BEHIND):
            words.append((self.head(lane), ghosts.head(lane)))
        return words + (self.lane(ghosts, lane) if loop == self.BEHIND else [])

    def at(self, loop, lane):
        """Returns the ghosts and the state at the head of a loop."""
        memory = array("memory")
        words = self.words(JobGhosts(memory), loop, lane)
        if loop in (self.MEET, self.BEFORE):
            words += [(stream + 256, z3.Extract(7, 0, JobGhosts.common) if loop == self.BEFORE and n < lane else JobGhosts.first[n])
                      for n, stream in enumerate(JobGhosts.streams)]
        for address, word in words:
            memory = store(memory, address, word)
        ghosts = JobGhosts(memory)
        kept = tuple((z3.simplify(address), word.size() // 8) for address, word in words)
        return ghosts, replace(self.at_cut(loop, ghosts, lane), kept=kept)

    def known(self, loop, lane, ghosts):
        """Returns the known facts about the number of bytes in the common part."""
        if loop == self.ALONE:
            return []
        if loop == self.MEET:
            return [z3.ULE(ghosts.body, ghosts.most(n)) for n in range(lane)]
        return [ghosts.body % 16 == 0, z3.ULE(FEW, ghosts.body), *(
            z3.And(z3.ULE(ghosts.head(n), length), z3.ULE(ghosts.body, length - ghosts.head(n))) for n, length in enumerate(ghosts.lengths))]

    def reaches(self, end, loop, lane, ghosts):
        """Claims that a path ends at a loop's head, and the known facts about `body`."""
        after = replace(ghosts)
        after.body = end.variables["body"]
        return self.leads(end, loop, after, lane) | {
            f"fact {n} about body": claim for n, claim in enumerate(self.known(loop, lane, after))}

    def writes(self, before, after, words=()):
        """Claims that the function itself writes only these words."""
        for address, word in words:
            before = store(before, address, word)
        return {f"the function writes {len(words)} words, and no other byte": equal_everywhere(after, before)}

    def prove(self, name, start, ghosts, assumed, goals):
        return self.obligation(name, [*ghosts.promised(), *assumed], start, [ghosts.list, *(
            Region(f"stream{n}", stream, number(OBJECT)) for n, stream in enumerate(ghosts.streams))], [ghosts.stack], goals)

    def entry(self):
        ghosts, _ = self.at(self.MEET, 0)
        start = self.function.called([ghosts.jobs], ghosts.memory)
        return self.prove("entry", start, ghosts, [], lambda end: self.reaches(end, self.MEET, 0, ghosts)
                          | self.writes(ghosts.memory, end.memory))

    def turn(self, loop, lane):
        """A turn of a loop, from head to head.

        Each loop except the first calls `arcfour1_xor` for one stream.
        """
        ghosts, start = self.at(loop, lane)

        def goals(end):
            claims = self.reaches(end, loop, lane + 1, ghosts)
            if loop == self.MEET:
                return claims | self.writes(ghosts.memory, end.memory, [(self.head(lane), ghosts.head(lane))])
            (call,) = end.calls
            head = ghosts.head(lane)
            done, length = {self.ALONE: (number(0), ghosts.lengths[lane]), self.BEFORE: (number(0), head),
                            self.BEHIND: (head + ghosts.body, ghosts.lengths[lane] - head - ghosts.body)}[loop]
            written = self.lane(ghosts, lane) if loop == self.BEFORE else []
            return claims | self.writes(call.after, end.memory, written) | {
                "the function writes nothing before the call": z3.BoolVal(call.memory.eq(ghosts.memory)),
                "the call takes the lane's stream": call.stream == ghosts.streams[lane],
                "the call takes the bytes that come next": z3.And(call.input == ghosts.inputs[lane] + done,
                                                                 call.output == ghosts.outputs[lane] + done, call.length == length),
                "these are among the job's bytes": z3.And(z3.ULE(done, ghosts.lengths[lane]), z3.ULE(length, ghosts.lengths[lane] - done))}

        return self.prove(f"loop {loop + 1}, lane {lane}", start, ghosts, self.known(loop, lane, ghosts), goals)

    def meet(self):
        """From the first loop to the second for few data, or to the third."""
        ghosts, start = self.at(self.MEET, LANES)

        def goals(end):
            loop = self.ALONE if end.place == self.cuts[self.ALONE] else self.BEFORE
            return self.reaches(end, loop, 0, ghosts) | self.writes(ghosts.memory, end.memory)

        return self.prove("few or many", start, ghosts, self.known(self.MEET, LANES, ghosts), goals)

    def together(self):
        """From the third loop to the fourth: all five streams, from the common i."""
        ghosts, start = self.at(self.BEFORE, LANES)

        def goals(end):
            (call,) = end.calls
            same = [select(call.memory, stream + 256) == z3.Extract(7, 0, ghosts.common) for stream in ghosts.streams]
            return self.reaches(end, self.BEHIND, 0, ghosts) | self.writes(call.after, end.memory) | {
                "the function writes nothing before the call": z3.BoolVal(call.memory.eq(ghosts.memory)),
                "the call takes the list of the lanes": call.stream == STACK + self.function.in_memory["lanes"],
                "the call takes the bytes that all have": call.length == ghosts.body,
                "all have the same i, a multiple of 16": z3.And(*same, z3.Extract(3, 0, ghosts.common) == 0)}

        return self.prove("together", start, ghosts, self.known(self.BEFORE, LANES, ghosts), goals)

    def end(self, loop):
        ghosts, start = self.at(loop, LANES)
        return self.prove(f"end of loop {loop + 1}", start, ghosts, self.known(loop, LANES, ghosts),
                          lambda end: {"it returns": z3.BoolVal(end.returned is not None)} | self.writes(ghosts.memory, end.memory))

    def lemma(self):
        """Yields the lemma that the function's own lists lie apart, in its variables.

        So no other turn writes the words of a turn. No call writes them, by the caller's promises.
        """
        ghosts = JobGhosts(None)
        heads, lanes = (Region("", STACK + self.function.in_memory[name], number(size * LANES)) for name, size in (("head", 8), ("lanes", JOB)))
        yield Obligation("lemma: the function's own lists lie apart, in its variables", [ghosts.stack.valid()], {
            "they lie apart": heads.disjoint(lanes), "`head` lies in the variables": ghosts.stack.holds(heads.base, 8 * LANES),
            "`lanes` lies in the variables": ghosts.stack.holds(lanes.base, JOB * LANES)})
