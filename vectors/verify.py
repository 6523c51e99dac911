#!/usr/bin/env python3
"""Verify the files of this folder that no other library knows: the families besides RC4.

A second implementation, in the words of the papers, standard library only. It prints a line for
each file and exits 1 if a value differs or a file is missing.
"""

import hashlib
import hmac
import sys
from itertools import islice
from math import gcd
from pathlib import Path


def ksa(key):
    """RC4's key schedule."""
    S = list(range(256))
    j = 0
    for i in range(256):
        j = (j + S[i] + key[i % len(key)]) % 256
        S[i], S[j] = S[j], S[i]
    return S


def rc4(key):
    S = ksa(key)
    i = j = 0
    while True:
        i = (i + 1) & 255
        j = (j + S[i]) & 255
        S[i], S[j] = S[j], S[i]
        yield S[(S[i] + S[j]) & 255]


def rc4a_of(key1, key2):
    """Paul & Preneel, FSE 2004."""
    S1, S2 = ksa(key1), ksa(key2)
    i = j1 = j2 = 0
    while True:
        i = (i + 1) & 255
        j1 = (j1 + S1[i]) & 255
        S1[i], S1[j1] = S1[j1], S1[i]
        yield S2[(S1[i] + S1[j1]) & 255]
        j2 = (j2 + S2[i]) & 255
        S2[i], S2[j2] = S2[j2], S2[i]
        yield S1[(S2[i] + S2[j2]) & 255]


def rc4a(key):
    return rc4a_of(key, bytes(islice(rc4(key), len(key))))


def rc4a_equal_keys(key):
    return rc4a_of(key, key)


def vmpc_of(*inputs):
    """Zoltak, FSE 2004; the inputs are what the key schedule takes, in order."""
    P = list(range(256))
    s = 0
    for data in inputs:
        for m in range(768):
            n = m & 255
            s = P[(s + P[n] + data[m % len(data)]) & 255]
            P[n], P[s] = P[s], P[n]
    n = 0
    while True:
        s = P[(s + P[n]) & 255]
        yield P[(P[P[s]] + 1) & 255]
        P[n], P[s] = P[s], P[n]
        n = (n + 1) & 255


def vmpc(key, iv):
    return vmpc_of(key, iv)


def vmpc_ksa3(key, iv):
    return vmpc_of(key, iv, key)


def rc4plus(key):
    """Maitra & Paul, Indocrypt 2008, after RC4's key schedule."""
    S = ksa(key)
    i = j = 0
    while True:
        i = (i + 1) & 255
        j = (j + S[i]) & 255
        S[i], S[j] = S[j], S[i]
        t = (S[i] + S[j]) & 255
        left = (i >> 3) ^ (j << 5 & 255)
        right = (i << 5 & 255) ^ (j >> 3)
        t1 = (S[left] + S[right] & 255) ^ 0xAA
        t2 = (j + S[j]) & 255
        yield (S[t] + S[t1] & 255) ^ S[t2]


class Spritz:
    """Rivest & Schuldt 2014, with N = 256."""

    def __init__(self):
        self.S = list(range(256))
        self.i = self.j = self.k = self.z = self.a = 0
        self.w = 1

    def absorb(self, data):
        for byte in data:
            for nibble in (byte % 16, byte // 16):
                if self.a == 128:
                    self.shuffle()
                S, a = self.S, self.a
                S[a], S[128 + nibble] = S[128 + nibble], S[a]
                self.a += 1
        return self

    def absorb_stop(self):
        if self.a == 128:
            self.shuffle()
        self.a += 1
        return self

    def shuffle(self):
        for turn in range(3):
            for _ in range(512):
                self.update()
            self.w += 1
            while gcd(self.w, 256) != 1:
                self.w += 1
            self.w %= 256
            if turn < 2:
                S = self.S
                for v in range(128):
                    S[v], S[255 - v] = sorted((S[v], S[255 - v]))
        self.a = 0

    def update(self):
        S = self.S
        i = self.i = (self.i + self.w) & 255
        j = self.j = (self.k + S[(self.j + S[i]) & 255]) & 255
        self.k = (i + self.k + S[j]) & 255
        S[i], S[j] = S[j], S[i]

    def squeeze(self):
        if self.a > 0:
            self.shuffle()
        while True:
            self.update()
            S = self.S
            z = S[(self.z + self.k) & 255]
            z = S[(self.i + z) & 255]
            self.z = S[(self.j + z) & 255]
            yield self.z


def spritz(key):
    return Spritz().absorb(key).squeeze()


def spritz_hash(message):
    return bytes(islice(Spritz().absorb(message).absorb_stop().absorb([32]).squeeze(), 32))


def parc4i_of(key, lookup):
    """Handa & Kapoor 2015, section 6: lookup says where the sum of each of S1 to S4 goes."""
    S = [ksa(key) for _ in range(4)]
    j = [0] * 4
    i = 0
    while True:
        i = (i + 1) & 255
        for lane in range(4):
            T = S[lane]
            j[lane] = at = (j[lane] + T[i]) & 255
            T[i], T[at] = T[at], T[i]
            yield S[lookup[lane] - 1][(T[i] + T[at]) & 255]


def parc4i(key):
    return parc4i_of(key, (2, 3, 4, 3))


def parc4i_text(key):
    return parc4i_of(key, (2, 1, 4, 3))


def parc4r(key, offset, length):
    """The specification in cipher/src/families/parc4r.rs."""
    prk = hmac.digest(b"arcfour PARC4-R1", key, hashlib.sha256)
    lanes = {}  # (chunk, lane): the stream, and how far it was read

    def byte(p):
        chunk, q = divmod(p, 1_310_720)
        lane = q // 1024 % 5
        within = q // 5120 * 1024 + q % 1024
        if (chunk, lane) not in lanes:
            info = b"lane" + chunk.to_bytes(8, "big") + bytes([lane])
            stream = rc4(hmac.digest(prk, info + b"\x01", hashlib.sha256))
            lanes[chunk, lane] = skip(stream, 3072), 0
        stream, at = lanes[chunk, lane]
        skip(stream, within - at)
        lanes[chunk, lane] = stream, within + 1
        return next(stream)

    return bytes(byte(p) for p in range(offset, offset + length))


def skip(stream, n):
    next(islice(stream, n, n), None)
    return stream


def rows(name):
    text = (Path(__file__).parent / f"{name}.txt").read_text()
    table = [line.split(" ") for line in text.splitlines() if line and line[0] != "#"]
    assert table, f"{name}.txt is empty"
    return table


def unhex(text):
    return b"" if text == "-" else bytes.fromhex(text)


def check_streams(name, new):
    """Each row's keystream; rows of one key follow one another in one stream."""
    setup, stream, position = None, None, 0
    for *given, offset, keystream in rows(name):
        offset, keystream = int(offset), unhex(keystream)
        if given != setup or offset < position:
            setup, stream, position = given, new(*map(unhex, given)), 0
        made = bytes(islice(skip(stream, offset - position), len(keystream)))
        position = offset + len(keystream)
        yield made == keystream, f"{' '.join(given)} {offset}"


def check_parc4r(name, new):
    for key, offset, keystream in rows(name):
        made = new(unhex(key), int(offset), len(keystream) // 2)
        yield made.hex() == keystream, f"{key} {offset}"


def check_hashes(name, new):
    """Whole hashes, or how they begin."""
    for message, digest in rows(name):
        yield new(unhex(message)).hex().startswith(digest), message


FILES = [
    ("rc4-rfc6229", check_streams, rc4),
    ("rc4a", check_streams, rc4a),
    ("rc4a-equal-keys", check_streams, rc4a_equal_keys),
    ("vmpc", check_streams, vmpc),
    ("vmpc-published", check_streams, vmpc),
    ("vmpc-ksa3", check_streams, vmpc_ksa3),
    ("vmpc-ksa3-published", check_streams, vmpc_ksa3),
    ("rc4plus", check_streams, rc4plus),
    ("spritz", check_streams, spritz),
    ("spritz-published", check_streams, spritz),
    ("spritz-hash", check_hashes, spritz_hash),
    ("spritz-hash-published", check_hashes, spritz_hash),
    ("parc4i", check_streams, parc4i),
    ("parc4i-text", check_streams, parc4i_text),
    ("parc4r", check_parc4r, parc4r),
]


def main():
    failed = False
    for name, check, new in FILES:
        results = list(check(name, new))
        wrong = [what for right, what in results if not right]
        failed |= bool(wrong)
        print(f"{name}.txt: {len(results) - len(wrong)} of {len(results)} right")
        for what in wrong:
            print(f"{name}.txt: differs: {what}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
