#!/usr/bin/env python3
"""Opens a sealed file by FORMAT.md alone: a second implementation, to read and to test against.

usage: reader.py (--key-file PATH | --passphrase-file PATH) FILE > PLAINTEXT

Plaintext is written chunk by chunk, each once it is verified. On a fault the exit code is 1 and
standard error says `reader.py: VERDICT: …`, with a verdict from the list in FORMAT.md. It takes
some seconds per megabyte.
"""
import argparse
import hmac
import sys

import argon2.low_level
from blake3 import blake3

HEADER, FIELDS, WORD, TAG = 96, 64, 4, 32
LAST = 1 << 31
SEARCH = 1 << 12
PAYLOAD = "arcfour 2026-11-20 sealed file v1 payload key"
SIGN = "arcfour 2026-11-20 sealed file v1 header tag"


class Fault(Exception):
    """A verdict from the closed list, and why."""


def need(condition, verdict, why):
    if not condition:
        raise Fault(f"{verdict}: {why}")


def rc4(key, text, drop=3072):
    s, j = list(range(256)), 0
    for i in range(256):
        j = (j + s[i] + key[i % len(key)]) & 255
        s[i], s[j] = s[j], s[i]
    i, j, out = 0, 0, bytearray(text)
    for n in range(-drop, len(text)):
        i = (i + 1) & 255
        x = s[i]
        j = (j + x) & 255
        s[i] = y = s[j]
        s[j] = x
        if n >= 0:
            out[n] ^= s[(x + y) & 255]
    return bytes(out)


def parc4r(key, text):
    """PARC4-R by cipher/src/families/parc4r.rs: its chunk 0, since no text here is longer."""
    prk = hmac.digest(b"arcfour PARC4-R1", key, "sha256")
    blocks = [text[at : at + 1024] for at in range(0, len(text), 1024)]
    for lane in range(5):
        lane_key = hmac.digest(prk, b"lane" + bytes(8) + bytes([lane, 1]), "sha256")
        opened = rc4(lane_key, b"".join(blocks[lane::5]))
        blocks[lane::5] = [opened[at : at + 1024] for at in range(0, len(opened), 1024)]
    return b"".join(blocks)


CIPHERS = {1: rc4, 2: parc4r}


class Header:
    def __init__(self, header):
        magic = b"arcfour\x1a"
        need(header and magic.startswith(header[:8]), "not-sealed", "it begins otherwise")
        need(len(header) < 9 or header[8] == 1, "version", "only version 1 is read here")
        need(len(header) == HEADER, "truncated", "it ends in the header")
        self.fields, self.tag = header[:FIELDS], header[FIELDS:]
        cipher, kind, log2 = header[9:12]
        self.memory = int.from_bytes(header[12:16], "little")
        self.passes, self.lanes = header[16:18]
        need(cipher in CIPHERS, "cipher", f"cipher {cipher}")
        need(10 <= log2 <= 20, "chunk-size", f"2^{log2}")
        need(kind in (0, 1), "key-kind", f"key kind {kind}")
        if kind == 0:
            need(not any(header[12:18]), "reserved", "a cost without a passphrase")
        else:
            need(
                1 <= self.passes <= 16
                and 1 <= self.lanes <= 16
                and 8 * self.lanes <= self.memory <= 1 << 20,
                "kdf-cost",
                f"{self.memory} KiB, {self.passes} passes, {self.lanes} lanes",
            )
        need(not any(header[18:32]), "reserved", "a byte that must be 0")
        self.cipher, self.passphrase = CIPHERS[cipher], kind == 1
        self.chunk, self.salt = 1 << log2, header[32:64]


class Keys:
    def __init__(self, header, key, passphrase):
        need(header.passphrase == (passphrase is not None), "other-key-kind", "see the header")
        if passphrase is not None:
            key = argon2.low_level.hash_secret_raw(
                passphrase, header.salt, header.passes, header.memory, header.lanes, 32,
                argon2.low_level.Type.ID, version=0x13,
            )  # fmt: skip
        tag = blake3(key + header.fields, derive_key_context=SIGN).digest()
        need(hmac.compare_digest(tag, header.tag), "key-or-header", "the header's tag differs")
        self.payload = blake3(key + header.fields, derive_key_context=PAYLOAD).digest()
        self.cipher = header.cipher

    def chunk(self, index, word):
        """The cipher's key and the tag's."""
        place = index.to_bytes(8, "little") + word.to_bytes(4, "little")
        keys = blake3(place, key=self.payload).digest(length=64)
        return keys[:32], keys[32:]

    def verifies(self, index, word, digest, tag):
        own = blake3(digest, key=self.chunk(index, word)[1]).digest()
        return hmac.compare_digest(own, tag)

    def open(self, index, word, text, tag, trailing):
        digest = blake3(text).digest()
        if not self.verifies(index, word, digest, tag):
            verdict = "corrupt"
            if self.verifies(index, word ^ LAST, digest, tag):
                verdict = "final-flag"
            elif any(
                self.verifies(n, word, digest, tag) for n in range(max(0, index - SEARCH), index)
            ):
                verdict = "repeated"
            elif any(
                self.verifies(n, word, digest, tag) for n in range(index + 1, index + SEARCH + 1)
            ):
                verdict = "out-of-order"
            raise Fault(f"{verdict}: chunk {index}")
        need(not trailing, "trailing-data", f"bytes follow chunk {index}, the last")
        return self.cipher(self.chunk(index, word)[0], text)


def chunks(file, key, passphrase):
    header = Header(file.read(HEADER))
    keys = Keys(header, key, passphrase)
    index, last = 0, False
    while not last:
        word = file.read(WORD)
        need(len(word) == WORD, "truncated", f"before chunk {index}")
        word = int.from_bytes(word, "little")
        last, length = bool(word & LAST), word & ~LAST
        fits = (length > 0 or index == 0) and length <= header.chunk if last else length == header.chunk
        need(fits, "chunk-length", f"chunk {index} of {length} bytes")
        text, tag = file.read(length), file.read(TAG)
        need(len(text) == length and len(tag) == TAG, "truncated", f"in chunk {index}")
        yield keys.open(index, word, text, tag, last and file.read(1) != b"")
        index += 1


def read_key(path):
    with open(path, "rb") as file:
        text = file.read(67)
    digits = text[:64]
    if len(digits) != 64 or text[64:] not in (b"", b"\n", b"\r\n") or digits.strip() != digits:
        raise SystemExit(f"reader.py: {path} is not a key file")
    return bytes.fromhex(digits.decode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--key-file")
    source.add_argument("--passphrase-file")
    parser.add_argument("file")
    args = parser.parse_args()
    key = passphrase = None
    if args.key_file:
        key = read_key(args.key_file)
    else:
        with open(args.passphrase_file, "rb") as file:
            passphrase = file.readline().removesuffix(b"\n").removesuffix(b"\r")
    with open(args.file, "rb") as file:
        try:
            for text in chunks(file, key, passphrase):
                sys.stdout.buffer.write(text)
        except Fault as fault:
            sys.stdout.flush()
            raise SystemExit(f"reader.py: {fault}") from None


if __name__ == "__main__":
    main()
