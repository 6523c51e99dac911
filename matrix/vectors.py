"""Test vectors of others, each a key, an offset, a plaintext and a ciphertext."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING

import debian
from row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interfaces import Interface

ROOT = Path(__file__).parents[1]
Vector = tuple[bytes, int, bytes, bytes]


@dataclass(frozen=True)
class Vectors:
    """A set of vectors, and where it is from."""

    tests: str
    version: str
    rows: list[Vector]

    def run(self, interface: Interface) -> Row:
        """Encrypt each by the interface."""
        failed = 0
        for key, offset, plain, cipher in self.rows:
            try:
                failed += interface.encrypt(key, offset, plain) != cipher
            except (OSError, ValueError):
                failed += 1
        return Row(interface.name, self.tests, self.version, len(self.rows), failed)


def sets(*, quick: bool) -> Iterator[Vectors]:
    """Yield every set, or the one that is among our own files."""
    yield Vectors("test vectors", "RFC 6229", list(rfc6229()))
    if quick:
        return
    name = "cryptography_vectors"
    folder = Path(str(import_module(name).__file__)).parent / "ciphers" / "ARC4"
    found = [vector for file in sorted(folder.glob("*.txt")) for vector in nist(file.read_text())]
    yield Vectors("test vectors", f"{name} {metadata.version(name)}", found)
    version, folder = debian.source("openssl")
    file = folder / "test/recipes/30-test_evp_data/evpciph_rc4.txt"
    yield Vectors("`evpciph_rc4.txt`", f"OpenSSL {version}", list(evp_test(file.read_text())))
    version, folder = debian.source("nettle")
    file = folder / "testsuite/arcfour-test.c"
    yield Vectors("`arcfour-test.c`, its vectors", f"Nettle {version}", list(nettle(file.read_text())))
    version, folder = debian.source("libgcrypt20")
    file = next(folder.parent.glob("libgcrypt-*/cipher/arcfour.c"))
    yield Vectors("`arcfour.c`, its self-test's vectors", f"libgcrypt {version}", list(libgcrypt(file.read_text())))


def rfc6229() -> Iterator[Vector]:
    """Read our file of them."""
    for line in (ROOT / "vectors/rc4-rfc6229.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            key, offset, keystream = line.split()
            data = bytes.fromhex(keystream)
            yield bytes.fromhex(key), int(offset), bytes(len(data)), data


def nist(text: str) -> Iterator[Vector]:
    """Read blocks of `NAME = VALUE`."""
    for block in text.split("\n\n"):
        fields = dict(re.findall(r"^(\w+) = (\w+)$", block, re.MULTILINE))
        if "KEY" in fields:
            yield (
                bytes.fromhex(fields["KEY"]),
                int(fields["OFFSET"]),
                bytes.fromhex(fields["PLAINTEXT"]),
                bytes.fromhex(fields["CIPHERTEXT"]),
            )


def evp_test(text: str) -> Iterator[Vector]:
    """Read RC4's data of OpenSSL's evp_test, in both directions."""
    for block in text.split("\n\n"):
        fields = dict(re.findall(r"^(\w+) = (\S+)$", block, re.MULTILINE))
        if fields.get("Cipher") == "RC4":
            key, *both = (bytes.fromhex(fields[name]) for name in ("Key", "Plaintext", "Ciphertext"))
            yield key, 0, both[0], both[1]
            yield key, 0, both[1], both[0]


def nettle(text: str) -> Iterator[Vector]:
    """Read the arguments of its test function, strings of hexadecimal digits side by side."""
    for call in re.findall(r"test_arcfour\(((?:\s*S?H?E?X?\([^)]*\),?)+)\)", text):
        key, plain, cipher = (
            bytes.fromhex("".join(re.findall(r'"([^"]*)"', argument)))
            for argument in re.findall(r"HEX\(([^)]*)\)", call)
        )
        yield key, 0, plain, cipher


def libgcrypt(text: str) -> Iterator[Vector]:
    """Read the arrays of its self-test, which encrypts and decrypts."""
    found = re.findall(r"static const byte (\w+)_1\[\] =\s*\{([^}]*)\}", text)
    arrays = {name: bytes(int(byte, 0) for byte in re.findall(r"0x\w\w", body)) for name, body in found}
    yield arrays["key"], 0, arrays["plaintext"], arrays["ciphertext"]
    yield arrays["key"], 0, arrays["ciphertext"], arrays["plaintext"]
