# SPDX-License-Identifier: MIT OR Apache-2.0
"""Counts the cases of RC4 in a stream that a core with K rounds a clock must handle."""

from collections import Counter

from driver import RC4, K, N

GROUPS = 8  # groups between the read of S[i] and the write of its cell, in the longest pipeline


class Traced(RC4):
    """RC4 that counts its cases. `phase` is the place of the first round in its group of K."""

    def __init__(self, key, phase):
        super().__init__(key, N)
        self.rounds = []
        self.place = phase
        self.cases = Counter()

    def prga(self):
        z = super().prga()
        t = (self.S[self.i] + self.S[self.j]) % N
        self.rounds.append((self.place // K, self.i, self.j, t))
        self.place += 1
        self.count()
        return z

    def count(self):
        """Compares the last round with those before it."""
        group, i, j, _ = self.rounds[-1]
        for earlier, i_m, j_m, t_m in self.rounds[-1 - GROUPS * K : -1]:
            ahead = group - earlier
            if j_m == i:
                where = "of the same group" if ahead == 0 else f"{ahead} groups on"
                self.cases[f"a j meets an i {where}"] += 1
            if ahead <= 2:
                where = "the same group" if ahead == 0 else f"{ahead} groups before"
                if j == i_m:
                    self.cases[f"j is an i of {where}"] += 1
                if j == j_m:
                    self.cases[f"j is a j of {where}"] += 1
            if ahead == 0:
                if t_m == j:
                    self.cases["t is a later j"] += 1
                if t_m == i:
                    self.cases["t is a later i"] += 1
        if i == j:
            self.cases["i is j"] += 1


def all_cases():
    """Returns the cases that every core meets, whatever its structure."""
    cases = {"i is j"} | {f"a j meets an i {ahead} groups on" for ahead in range(1, GROUPS)}
    cases |= {f"j is {what} {ahead} groups before" for what in ("an i of", "a j of") for ahead in (1, 2)}
    if K > 1:
        cases |= {"a j meets an i of the same group", "t is a later j", "t is a later i"}
        cases |= {"j is an i of the same group", "j is a j of the same group"}
    return cases
