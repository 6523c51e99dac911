"""Small faults put into files: bytes, numbers, words, whole parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

SECTOR = 512
NUMBER = re.compile(rb"\d+")
REFERENCE = re.compile(rb"\d+ 0 R")
WORD = re.compile(rb"/[A-Za-z0-9]+|<<|>>|endobj|stream|obj|R\b|\[|\]|\(|\)")
# The parts of a PDF file that determine how it is read and decrypted.
WORDS = (
    b"/Length /Filter /Type /Encrypt /V /R /O /U /P /CF /StmF /StrF /Identity /StdCF /Crypt /First /N /Prev "
    b"/Size /Root /ID /Index /W /XRefStm /Metadata /EncryptMetadata /ObjStm /XRef /EFF /AESV2 /V2 /None endstream "
    b"endobj stream trailer startxref xref obj << >> [ ] ( ) < > R null true false %"
).split()
LARGE = b"4294967295 2147483648 18446744073709551615 -1 1e9 99999999999999999999999 0 16777215".split()
# Places of the compound header, and of an entry of its directory, that lead elsewhere.
HEADER = (0x18, 0x1A, 0x1C, 0x1E, 0x20, 0x2C, 0x30, 0x38, 0x3C, 0x40, 0x44, 0x48, 0x4C, 0x50)
ENTRY = (0x02, 0x04, 0x40, 0x42, 0x43, 0x44, 0x48, 0x4C, 0x74, 0x78, 0x79, 0x7C)
LINKS = (0, 1, 2, 3, 5, 0x1000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF)
ROOT_ENTRY = "Root Entry".encode("utf-16le")
# Versions of the encryption, records of Excel, names of providers.
ENCRYPTION = re.compile(
    b"|".join(
        re.escape(mark)
        for mark in (
            b"\1\0\1\0",
            b"\2\0\2\0",
            b"\3\0\2\0",
            b"\4\0\2\0",
            b"\x2f\0\x36",
            b"\x2f\0\xc8",
            b"\x2f\0\xca",
        )
    )
    + b"|"
    + re.escape("Microsoft".encode("utf-16le"))
)


def pdf(random: Random, data: bytes) -> bytes:
    """Put one to three faults into a PDF file."""
    return several(random, data, random.choice((1, 1, 1, 2, 3)), (*ANY, *PDF))


def compound(random: Random, data: bytes) -> bytes:
    """Put one to five faults into a compound file of Office."""
    return several(random, data, random.choice((1, 1, 2, 3, 5)), (*ANY, *COMPOUND))


def several(
    random: Random, data: bytes, count: int, faults: tuple[Callable[[Random, bytearray], None], ...]
) -> bytes:
    """Put `count` faults in, or fewer if nothing is left."""
    changed = bytearray(data)
    for _ in range(count):
        if changed:
            random.choice(faults)(random, changed)
    return bytes(changed)


def one_bit(random: Random, data: bytearray) -> None:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def one_byte(random: Random, data: bytearray) -> None:
    data[random.randrange(len(data))] = random.randrange(256)


def cut_out(random: Random, data: bytearray) -> None:
    at = random.randrange(len(data))
    del data[at : at + random.choice((1, 2, 5, 20, 100, 1000))]


def cut_off(random: Random, data: bytearray) -> None:
    del data[random.randrange(len(data)) :]


def copied(random: Random, data: bytearray) -> None:
    to, source, size = random.randrange(len(data)), random.randrange(len(data)), random.randrange(1, 120)
    data[to : to + size] = data[source : source + size]


def put_in(random: Random, data: bytearray) -> None:
    at = random.randrange(len(data))
    more = (random.randbytes(3), b"9999999999", b"-1", b"<<" * 50, b"[" * 500, b"0 0 R", b"1 0 R")
    data[at:at] = random.choice((*WORDS, *more))


def number_of_that_length(random: Random, data: bytearray) -> None:
    if found := list(NUMBER.finditer(data)):
        place = random.choice(found)
        size = len(place[0])
        value, most = int(place[0][:18]), 10 ** min(size, 12)
        new = random.choice((0, 1, most - 1, value + 1, max(0, value - 1), random.randrange(most)))
        data[place.start() : place.end()] = b"%0*d" % (size, new) if new < 10**size else b"9" * size


def other_number(random: Random, data: bytearray) -> None:
    if found := list(NUMBER.finditer(data)):
        place = random.choice(found)
        data[place.start() : place.end()] = random.choice(LARGE)


def other_word(random: Random, data: bytearray) -> None:
    if found := list(WORD.finditer(data)):
        place, word = random.choice(found), random.choice(WORDS)
        size = len(place[0])
        data[place.start() : place.end()] = word[:size].ljust(size) if random.random() < 0.7 else word


def two_references(random: Random, data: bytearray) -> None:
    found = list(REFERENCE.finditer(data))
    if len(found) > 1:
        one, other = sorted(random.sample(found, 2), key=lambda place: place.start())
        data[other.start() : other.end()], data[one.start() : one.end()] = one[0], other[0]


def link(random: Random, data: bytearray, at: int) -> None:
    if at + 4 <= len(data):
        near = int.from_bytes(data[at : at + 4], "little") + 1 & 0xFFFFFFFF
        data[at : at + 4] = random.choice((*LINKS, near, random.randrange(256))).to_bytes(4, "little")


def header(random: Random, data: bytearray) -> None:
    link(random, data, random.choice(HEADER))


def sector(random: Random, data: bytearray) -> None:
    link(random, data, SECTOR * random.randrange(1 + len(data) // SECTOR) + 4 * random.randrange(SECTOR // 4))


def directory(random: Random, data: bytearray) -> None:
    if (at := data.find(ROOT_ENTRY)) >= 0:
        link(random, data, at + 128 * random.randrange(8) + random.choice(ENTRY))


def sector_copied(random: Random, data: bytearray) -> None:
    to, source = (SECTOR * random.randrange(1 + len(data) // SECTOR) for _ in range(2))
    data[to : to + SECTOR] = data[source : source + SECTOR]


def encryption(random: Random, data: bytearray) -> None:
    if found := list(ENCRYPTION.finditer(data)):
        at = random.choice(found).start() + random.randrange(60)
        if at < len(data):
            data[at] = random.choice((0, 1, 2, 4, 5, 16, 40, 56, 128, 255, data[at] ^ 1, data[at] + 1 & 255))


ANY = (one_bit, one_byte, cut_off, copied)
PDF = (
    cut_out,
    put_in,
    number_of_that_length,
    number_of_that_length,
    other_number,
    other_word,
    two_references,
)
COMPOUND = (header, sector, directory, sector_copied, encryption)
