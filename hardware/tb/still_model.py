# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_still step by step, in Python: the reads of each stage from the table, and the forwards past the table.

In a step every group of K rounds moves to its next stage, so group g is in stage s at step g + s. Every forward has a name and can
be removed: the keystream then shows if the core needs it. The model counts the hits of the keystream, whose clocks move no group."""

from collections import Counter
from dataclasses import dataclass, field

# What a stage takes past the table: x or y by the stage of the group that knows the value, and z.
FORWARDS = [f"x of stage {stage}" for stage in range(5)] + ["x of the own group"]
FORWARDS += [f"y of {what} of {where}" for what in ("an i", "a j") for where in ("the own group", "the group ahead", "two groups ahead")]
FORWARDS += ["z of a later i", "z of a later j"]


@dataclass
class Hits:
    """The groups of a keystream, and what hits them."""

    groups: int = 0
    own: int = 0  # rounds whose S[i] an earlier round of the group writes; each takes two clocks
    own_groups: int = 0  # groups with such rounds
    next_groups: int = 0  # groups that write an S[i] of the next group, which takes one clock
    next_several: int = 0  # groups that write one in two rounds or more

    @property
    def clocks(self):
        return self.groups + 2 * self.own + self.next_groups

    @property
    def corrected(self):
        """The clocks of rc4_spec with CORRECT."""
        return self.groups + self.own + self.next_several


@dataclass
class Group:
    """K rounds, and what the stages find out of them."""

    i: list[int]
    x: list[int]
    j: list[int] = field(default_factory=list)
    y: list[int] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)  # S[j] as stage 1 finds it


class Still:
    """A core under a key."""

    def __init__(self, key, n, k, without=()):
        assert n >= 8 * k and set(without) <= set(FORWARDS), f"N = {n}, K = {k}, without {without}"
        self.key, self.n, self.k, self.without = key, n, k, set(without)
        self.s = list(range(n))
        self.used = Counter()
        self.groups = {}
        self.step = -4
        self.j = 0
        self.hits = Hits()
        self.cells = []
        self.words = []

    def has(self, name):
        """Returns true if this forward is present, and counts its use."""
        self.used[name] += 1
        return name not in self.without

    def read(self, count):
        """The next words of the keystream."""
        while len(self.words) < count:
            self.go()
        taken, self.words = self.words[:count], self.words[count:]
        return taken

    def go(self):
        """One step: what the stages do with their groups, each from what was there before the step."""
        at = {stage: self.groups.get(self.step - stage) for stage in range(6)}
        if at[0]:
            self.sum_up(self.step)
        if at[4]:
            self.words += self.z(self.step - 4)
        if at[2]:
            at[2].y = self.y(at[2], self.groups.get(self.step - 3), self.groups.get(self.step - 4))
        if self.step >= -3:
            self.look_ahead()
        self.cells = [self.s[(self.step + 4) * self.k % self.n + r] for r in range(self.k)]
        if at[1]:
            at[1].cells = [self.s[j] for j in at[1].j]
        if at[3]:
            for r in range(self.k):
                self.s[at[3].i[r]], self.s[at[3].j[r]] = at[3].y[r], at[3].x[r]
        self.groups.pop(self.step - 5, None)
        self.step += 1

    def look_ahead(self):
        """Returns x of the group that is in stage 0 three steps later. Its cells were read a step
        ago, and the groups in stages 4 to 0 swap some of them. A group in stage 0 also swaps x of
        the two groups between, whose sums are already formed."""
        first = (self.step + 3) * self.k % self.n
        self.groups[self.step + 3] = Group([first + r for r in range(self.k)], self.cells)
        for stage in (4, 3, 2, 1, 0):
            earlier = self.groups.get(self.step - stage)
            for ahead in (1, 2, 3) if stage == 0 else (3,):
                self.swapped(self.groups.get(self.step + ahead), earlier, f"x of stage {stage}")

    def swapped(self, group, earlier, name):
        for r in range(self.k) if group and earlier else ():
            for m in range(self.k):
                if earlier.j[m] == group.i[r] and self.has(name):
                    group.x[r] = earlier.x[m]

    def sum_up(self, number):
        """Returns j of the group in stage 0, and counts its hits."""
        group, rounds = self.groups[number], self.n // self.k
        hits = 0
        for r, i in enumerate(group.i):
            for m in range(r):
                if group.j[m] == i and self.has("x of the own group"):
                    group.x[r] = group.x[m]
            hits += i in group.j
            word = self.key[i % len(self.key)] if number < rounds else 0
            self.j = (self.j + (0 if number == rounds and r == 0 else group.x[r]) + word) % self.n
            group.j.append(self.j)
        if number >= rounds:
            self.hits.groups += 1
            self.hits.own += hits
            self.hits.own_groups += hits > 0
            coming = {(i + self.k) % self.n for i in group.i}
            met = sum(j in coming for j in group.j)
            self.hits.next_groups += met > 0
            self.hits.next_several += met > 1
        if number == rounds - 1:
            self.j = 0

    def y(self, group, one, two):
        """S[j] of a group: its cell, or what the latest round put there of the own group, the one ahead or the one before that."""
        found = []
        for r, j in enumerate(group.j):
            value = group.cells[r]
            for earlier, where in ((two, "two groups ahead"), (one, "the group ahead"), (group, "the own group")):
                for m in range(r if earlier is group else self.k) if earlier else ():
                    if j == earlier.i[m] and self.has(f"y of an i of {where}"):
                        value = found[m] if earlier is group else earlier.y[m]
                    if j == earlier.j[m] and self.has(f"y of a j of {where}"):
                        value = earlier.x[m]
            found.append(value)
        return found

    def z(self, number):
        """Returns S[x + y] just after the group, or the value that a later round of the group found
        there. The round for i = 0 before the stream gives no word."""
        group, rounds = self.groups[number], self.n // self.k
        words = []
        for r in range(self.k):
            t = (group.x[r] + group.y[r]) % self.n
            word = self.s[t]
            for m in reversed(range(r + 1, self.k)):
                if t == group.i[m] and self.has("z of a later i"):
                    word = group.x[m]
                if t == group.j[m] and self.has("z of a later j"):
                    word = group.y[m]
            words.append(word)
        return words[number == rounds :] if number >= rounds else []
