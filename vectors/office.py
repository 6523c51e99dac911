#!/usr/bin/env python3
"""Write `office.toml`, or compare the file with the text to write (--check).

It is an independent implementation of [MS-OFFCRYPTO] 2.3.5 and 2.3.6, by the standard library only.
It exits 1 if the file differs.
"""

import argparse
import hashlib
import sys
from itertools import islice
from pathlib import Path

from verify import rc4

HERE = Path(__file__).parent
SALT = bytes(range(0xB0, 0xC0))
VERIFIER = bytes(range(16))
BLOCKS = (0, 1, 2, 255, 256, 65536)
# The last is Excel's default, [MS-XLS] 2.2.9. It has 15 characters, the maximum that Office 97 uses.
PASSWORDS = ("Quentin", "", "été à l’aube", "\N{KEY}" * 7, "VelvetSweatshop")


def md5(data):
    return hashlib.md5(data).digest()


def sha1(data):
    return hashlib.sha1(data).digest()


class Office97:
    """2.3.6.2: MD5, 40 bits."""

    handler, hash, key_size = "Office97", staticmethod(md5), None

    def file_key(self, password):
        first = md5(password.encode("utf-16-le"))
        return md5((first[:5] + SALT) * 16)[:5]

    def block_key(self, key, block):
        return md5(key + block.to_bytes(4, "little"))


class CryptoApi:
    """2.3.5.2: SHA-1, 40 to 128 bits; KeySize 0 means 40."""

    handler, hash = "CryptoApi", staticmethod(sha1)

    def __init__(self, key_size):
        self.key_size = key_size

    def file_key(self, password):
        return sha1(SALT + password.encode("utf-16-le"))

    def block_key(self, key, block):
        bits = self.key_size or 40
        start = sha1(key + block.to_bytes(4, "little"))[: bits // 8]
        return start.ljust(16, b"\0") if bits == 40 else start


def keystream(key, length):
    return bytes(islice(rc4(key), length))


def row(handler, password):
    key = handler.file_key(password)
    stream = keystream(handler.block_key(key, 0), 36)
    text = VERIFIER + handler.hash(VERIFIER)
    cipher = bytes(a ^ b for a, b in zip(text, stream))
    lines = ["[[vector]]", f'handler = "{handler.handler}"']
    if handler.key_size is not None:
        lines.append(f"KeySize = {handler.key_size}")
    lines += [
        f'password = "{password}"',
        f'salt = "{SALT.hex()}"',
        f'verifier = "{cipher[:16].hex()}"',
        f'verifier_hash = "{cipher[16:].hex()}"',
        f'file_key = "{key.hex()}"',
        "blocks = [",
    ]
    for block in BLOCKS:
        block_key = handler.block_key(key, block)
        start = keystream(block_key, 16)
        lines.append(f'    [{block}, "{block_key.hex()}", "{start.hex()}"],')
    return "\n".join([*lines, "]"]) + "\n"


HEAD = """\
# Office documents encrypted with RC4: from passwords to keys ([MS-OFFCRYPTO] 2.3.5, 2.3.6). Written by
# office.py. Bytes are lower-case hex. `verifier` and `verifier_hash` are as in the file, encrypted with the
# key of block 0. A row of `blocks` is a block's number, its RC4 key and how its keystream begins.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    handlers = [Office97(), *map(CryptoApi, (0, 40, 48, 56, 64, 104, 128))]
    rows = [row(handler, password) for handler in handlers for password in PASSWORDS]
    text = "\n".join([HEAD, *rows])
    path = HERE / "office.toml"
    fresh = path.exists() and path.read_text() == text
    if not fresh and not check:
        path.write_text(text)
    if not fresh:
        print(f"{path.name} differs" if check else f"wrote {path.name}", file=sys.stderr)
    print(f"office.toml: {len(rows)} vectors")
    return int(check and not fresh)


if __name__ == "__main__":
    sys.exit(main())
