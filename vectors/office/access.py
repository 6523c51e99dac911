#!/usr/bin/env python3
"""Compare what `arcfour office decrypt` makes of databases with what Jackcess and mdbtools read.

    python3 vectors/office/access.py target/debug/arcfour

Jackcess creates the databases, this encrypts them, Jackcess adds rows, encrypting pages by its own
RC4; then all three must read the same. It needs Debian's mdbtools, maven and openjdk-17-jdk-headless.
Exits 1 if anything differs.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from office import SALT, VERIFIER, CryptoApi, Office97, keystream
from verify import rc4

# With its version: some mirrors do not say which is the newest.
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
PAGE = 4096
PASSWORD = "Quentin"
ROWS = [f"{n},Attack at dawn, row {n}" for n in range(1, 201)]


def xor(data, key):
    return bytes(a ^ b for a, b in zip(data, islice(rc4(key), len(data))))


def masked(page):
    """The first page with its mask off, or on."""
    mask = bytes.fromhex("c7da396b")
    return page[:0x18] + xor(page[0x18 : 0x18 + 128], mask) + page[0x18 + 128 :]


def encrypt(database, number, password, page_key, info=b""):
    """Sets the key of all pages and the password, and encrypts each with the key that is made of its number."""
    head = bytearray(masked(database[:PAGE]))
    head[0x3E:0x42] = number.to_bytes(4, "little")
    for n, byte in enumerate(password.encode("utf-16-le")):
        head[0x42 + n] ^= byte
    if info:
        head[0x299 : 0x29B + len(info)] = len(info).to_bytes(2, "little") + info
    pages = [masked(bytes(head))]
    for n in range(1, len(database) // PAGE):
        page = database[n * PAGE :][:PAGE]
        pages.append(xor(page, page_key(number ^ n)) if number else page)
    return b"".join(pages)


def info(handler):
    """An encryption header, from its version on."""
    key = handler.file_key(PASSWORD)
    stream = keystream(handler.block_key(key, 0), 36)
    text = VERIFIER + handler.hash(VERIFIER)
    cipher = bytes(a ^ b for a, b in zip(text, stream))
    if handler.key_size is None:
        return struct.pack("<HH", 1, 1) + SALT + cipher
    name = "Microsoft Enhanced Cryptographic Provider v1.0\0".encode("utf-16-le")
    header = struct.pack("<8I", 4, 0, 0x6801, 0x8004, handler.key_size, 1, 0, 0) + name
    return (
        struct.pack("<HHII", 2, 2, 4, len(header))
        + header
        + struct.pack("<I", 16)
        + SALT
        + cipher[:16]
        + struct.pack("<I", 20)
        + cipher[16:]
    )


def main(arcfour):
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(HERE / "jackcess/pom.xml", folder)
        subprocess.run(["mvn", "--quiet", "--batch-mode", COPY, "-DoutputDirectory=lib"], cwd=folder, check=True)

        def jackcess(*arguments):
            command = ["java", "-cp", f"{folder}/lib/*", HERE / "jackcess/Orders.java", *arguments]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            return run.stdout.splitlines()

        def mdbtools(path):
            command = ["mdb-export", "--no-header", "--no-quote", path, "Orders"]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            return run.stdout.splitlines()

        plain = {}
        for ending in (".mdb", ".accdb"):
            path = folder / f"plain{ending}"
            jackcess("create", path)
            plain[ending] = path.read_bytes()

        def jet(number):
            return number.to_bytes(4, "little")

        cases = [("key.mdb", 0x12345678, "", jet, None)]
        cases += [("password.mdb", 0, "secret", jet, None), ("both.mdb", 0x9ABCDEF0, "secret", jet, None)]
        for handler in (Office97(), CryptoApi(40), CryptoApi(128)):
            key = handler.file_key(PASSWORD)
            name = f"{handler.handler}-{handler.key_size or 40}.accdb"

            def of_page(number, handler=handler, key=key):
                return handler.block_key(key, number)

            cases.append((name, 0x87654321, "", of_page, handler))
        for name, number, password, page_key, handler in cases:
            path, opened = folder / name, folder / f"opened-{name}"
            start = plain[path.suffix]
            path.write_bytes(
                encrypt(start, number, password, page_key, info(handler) if handler else b"")
            )
            *rows, found = jackcess("append", path, PASSWORD)
            command = [arcfour, "office", "decrypt", path, "--password-env", "PASS", "-o", opened]
            subprocess.run(
                command, check=True, env=os.environ | {"PASS": PASSWORD}, stderr=subprocess.DEVNULL
            )
            checks = {
                "Jackcess writes": rows == ROWS and found == f"password {password or 'null'}",
                "Jackcess reads ours": jackcess("read", opened, "") == [*ROWS, "password null"],
                "mdbtools reads ours": mdbtools(opened) == ROWS,
            }
            if not handler:
                checks["mdbtools reads it"] = mdbtools(path) == ROWS
            failed |= not all(checks.values())
            print(f"{name}: " + ", ".join(f"{what}: {ok}" for what, ok in checks.items()))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
