"""RC4 as the books write it, and RC4A as its paper does: what every kernel is proven against.

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


def rc4a_half(table, other, i, j):
    """Half a round of RC4A, after i has moved: one table is shuffled, the other looked up. The new j, the byte."""
    j = (j + table[i]) & 255
    table[i], table[j] = table[j], table[i]
    return j, other[(table[i] + table[j]) & 255]


def schedule(key):
    """The table of a key, in numbers."""
    table, i, j = list(range(256)), 0, 0
    for n in range(256):
        i, j = schedule_step(table, i, j, key[n % len(key)])
    return table


def keystream(key, length):
    """The first bytes of the keystream of a key, in numbers."""
    table, out, i, j = schedule(key), bytearray(), 0, 0
    for _ in range(length):
        i, j, byte = step(table, i, j)
        out.append(byte)
    return bytes(out)


def rc4a_keystream(key, length):
    """The same of RC4A, whose second table has as many bytes of RC4's keystream for a key."""
    one, two, out, i, j1, j2 = schedule(key), schedule(keystream(key, len(key))), bytearray(), 0, 0, 0
    while len(out) < length:
        i = (i + 1) & 255
        j1, first = rc4a_half(one, two, i, j1)
        j2, second = rc4a_half(two, one, i, j2)
        out += bytes([first, second])
    return bytes(out[:length])
