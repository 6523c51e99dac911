"""Tables 1 to 4 of the paper taken as printed, on random states, beside RC4 as the books write it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

N = 16  # so small that rounds often touch each other
PRINTED = Path(__file__).parent / "claims" / "table-2.csv"


def check(trials: int) -> pd.DataFrame:
    """How often each rule was met, and how often it gave something else than serial rounds."""
    rng = random.Random(2013)
    table2 = pd.read_csv(PRINTED, comment="#").set_index(["i2_is_j1", "j2_is_i1", "j2_is_j1"])
    counts: dict[tuple[str, str], list[int]] = {("table-2", f"case {case}"): [0, 0] for case in table2.case}

    def count(claim: str, rule: str, right: bool) -> None:
        met = counts.setdefault((claim, rule), [0, 0])
        met[0] += 1
        met[1] += not right

    for _ in range(trials):
        s0, i0, j0 = rng.sample(range(N), N), rng.randrange(N), rng.randrange(N)
        keys = (rng.randrange(N), rng.randrange(N))
        s, (i1, i2), (j1, j2), z = serial(s0, i0, j0, (0, 0))
        a, b, c, d = s0[i1], s0[j1], s0[i2], s0[j2]

        count("figure-2", "j2 by two cases", j2 == (j0 + a + (a if i2 == j1 else c)) % N)

        conditions = (int(i2 == j1), int(j2 == i1), int(j2 == j1))
        row = table2.loc[conditions]
        count("table-2", f"case {row.case}", s == transferred(s0, row.transfers, {"i1": i1, "i2": i2, "j1": j1, "j2": j2}))

        total = (a + b) % N
        count("figure-4", "Z1 looked back for in S2", z[0] == s[i2 if total == j2 else j2 if total == i2 else total])

        s1_i2 = a if i2 == j1 else c
        s1_j2 = {(0, 0, 0): d, (0, 0, 1): a, (0, 1, 0): b, (0, 1, 1): b, (1, 0, 0): d, (1, 0, 1): a, (1, 1, 0): b}[conditions]
        count("figure-5", "Z2 by seven conditions", z[1] == s[(s1_i2 + s1_j2) % N])

        s1, *_ = serial(s0, i0, j0, (0,))
        count("table-1", "j2, Z1, Z2 over S1", (j2, *z) == ((j0 + a + s1[i2]) % N, s1[(b + a) % N], s[(s1[j2] + s1[i2]) % N]))

        _, (i1, i2), (j1, j2), _ = serial(s0, i0, j0, keys)
        s1, *_ = serial(s0, i0, j0, keys[:1])
        count("table-4", "j2 = j1 + S1[i2] + K[i2]", j2 == (j1 + s1[i2] + keys[1]) % N)
        count("table-4", "j2 = j0 + S0[i1] + S1[i2] + K[i2]", j2 == (j0 + s0[i1] + s1[i2] + keys[1]) % N)

    for _ in range(max(1, trials // 100)):
        state = rng.sample(range(256), 256)
        for mine, right in zip(matthews(state, 256), stream(state, 256), strict=True):
            count("table-3", "keystream as printed, N = 256", mine == right)
    return pd.DataFrame([{"claim": claim, "rule": rule, "met": met, "wrong": wrong} for (claim, rule), (met, wrong) in counts.items()])


def serial(s0: list[int], i0: int, j0: int, keys: Sequence[int]) -> tuple[list[int], list[int], list[int], list[int]]:
    """Rounds one after the other, a byte of key in each: the table after them, and i, j and Z of each. In the PRGA the byte is 0."""
    s, i, j, z = list(s0), [i0], [j0], []
    for key in keys:
        i.append((i[-1] + 1) % len(s))
        j.append((j[-1] + s[i[-1]] + key) % len(s))
        s[i[-1]], s[j[-1]] = s[j[-1]], s[i[-1]]
        z.append(s[(s[i[-1]] + s[j[-1]]) % len(s)])
    return s, i[1:], j[1:], z


def transferred(s0: list[int], transfers: str, index: dict[str, int]) -> list[int]:
    """The table after a line of table 2, all its transfers at once."""
    s = list(s0)
    if transfers != "identity":
        for transfer in transfers.split():
            source, targets = transfer.split(">")
            for target in targets.split("="):
                s[index[target]] = s0[index[source]]
    return s


def stream(state: list[int], length: int) -> list[int]:
    """RC4's keystream from a table."""
    *_, z = serial(state, 0, 0, [0] * length)
    return z


def matthews(state: list[int], length: int) -> list[int]:
    """Table 3 clock by clock: every read of a clock comes before its writes, and nothing is forwarded."""
    s = list(state)
    z: list[int] = []
    n, i, j = len(s), 0, 0
    second = third = None  # (i, SI, j) and (i, SJ, t)
    while len(z) < length:
        writes: list[tuple[int, int]] = []
        if third is not None:
            z.append(s[third[2]])
            writes.append((third[0], third[1]))
        following = None
        if second is not None:
            at, si, to = second
            following = (at, s[to], (si + s[to]) % n)
            writes.append((to, si))
        i = (i + 1) % n
        j = (j + s[i]) % n
        second, third = (i, s[i], j), following
        for cell, value in writes:
            s[cell] = value
    return z
