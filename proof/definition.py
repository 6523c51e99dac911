"""RC4 as the books write it, and RC4A as in its paper: every kernel is proven against this text.

The same text runs on numbers and on the solver's bit-vectors. The test vectors check it on numbers.
On bit-vectors, `table` is a view of the machine's memory. The text does not require a permutation,
so the proofs hold for every table.
"""


def step(table, i, j):
    """Makes one step of the keystream. Returns the new i, the new j and the byte."""
    i = (i + 1) & 255
    j = (j + table[i]) & 255
    table[i], table[j] = table[j], table[i]
    return i, j, table[(table[i] + table[j]) & 255]


def schedule_step(table, i, j, key_byte):
    """Makes one step of the key schedule, which begins with i = j = 0.

    Returns the new i and the new j.
    """
    j = (j + table[i] + key_byte) & 255
    table[i], table[j] = table[j], table[i]
    return (i + 1) & 255, j


def rc4a_half(table, other, i, j):
    """Makes half a round of RC4A, after i has moved: shuffles one table and reads the other.

    Returns the new j and the byte.
    """
    j = (j + table[i]) & 255
    table[i], table[j] = table[j], table[i]
    return j, other[(table[i] + table[j]) & 255]


def schedule(key):
    """Returns the table after the key schedule, in numbers."""
    table, i, j = list(range(256)), 0, 0
    for n in range(256):
        i, j = schedule_step(table, i, j, key[n % len(key)])
    return table


def keystream(key, length):
    """Returns the first `length` bytes of a key's keystream, in numbers."""
    table, out, i, j = schedule(key), bytearray(), 0, 0
    for _ in range(length):
        i, j, byte = step(table, i, j)
        out.append(byte)
    return bytes(out)


def rc4a_keystream(key, length):
    """Returns the same for RC4A.

    The key of its second table is the keystream of the first, at the key's length.
    """
    one, two, out, i, j1, j2 = schedule(key), schedule(keystream(key, len(key))), bytearray(), 0, 0, 0
    while len(out) < length:
        i = (i + 1) & 255
        j1, first = rc4a_half(one, two, i, j1)
        j2, second = rc4a_half(two, one, i, j2)
        out += bytes([first, second])
    return bytes(out[:length])
