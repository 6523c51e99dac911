"""RC4 as the books write it: what every kernel is proven against.

The same text runs on numbers, where the test vectors check it, and on the solver's bit-vectors, where `table` is a view of the
machine's memory. Nothing in it says that the table is a permutation, so the proofs hold for every table.
"""


def step(table, i, j):
    """One step of the keystream: the new i, the new j, the byte."""
    i = (i + 1) & 255
    j = (j + table[i]) & 255
    table[i], table[j] = table[j], table[i]
    return i, j, table[(table[i] + table[j]) & 255]


def schedule_step(table, i, j, key_byte):
    """One step of the key schedule, which begins with i = j = 0: the new i, the new j."""
    j = (j + table[i] + key_byte) & 255
    table[i], table[j] = table[j], table[i]
    return (i + 1) & 255, j


def keystream(key, length):
    """The first bytes of the keystream of a key, in numbers."""
    table, i, j = list(range(256)), 0, 0
    for n in range(256):
        i, j = schedule_step(table, i, j, key[n % len(key)])
    out, i, j = bytearray(), 0, 0
    for _ in range(length):
        i, j, byte = step(table, i, j)
        out.append(byte)
    return bytes(out)
