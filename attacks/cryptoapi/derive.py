"""Derives keys of RC4 with the CryptoAPI of Wine, and compares them with wine.txt.

    python3 attacks/cryptoapi/derive.py [--record]

derive.c is compiled with mingw and run under Wine, with an exponent-one key made here. --record writes wine.txt, which
attacks/tests/suite/cryptoapi.rs holds the Rust code to. Fails on a difference.
"""

import argparse
import difflib
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RECORD = HERE / "wine.txt"
WINE = "/usr/lib/wine/wine64"
# Wine asks for nothing, installs nothing and says nothing.
QUIET = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
HEADER = """\
# Keys of RC4 that CryptDeriveKey of {version} derives from the password "password": make cryptoapi-record writes this file.
# Provider, hash, bits, salt (the provider's default, CRYPT_NO_SALT, CRYPT_CREATE_SALT), then PLAINTEXTKEYBLOB, SIMPLEBLOB under the
# exponent-one key with its random padding zeroed, and 16 bytes of keystream; or "refused" and the error.
"""
# A SIMPLEBLOB has 12 bytes of header. The padding of a block of RSA is its type, 2, and random bytes that are not 0.
SIMPLE_HEADER, BITS = 12, 512


def is_prime(number: int, source: random.Random) -> bool:
    """Tell primes by 40 rounds of Miller and Rabin."""
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(40):
        power = pow(source.randrange(2, number - 1), odd, number)
        if power not in (1, number - 1) and all(pow(power, 1 << n, number) != number - 1 for n in range(1, twos)):
            return False
    return True


def exponent_one() -> bytes:
    """Return a PRIVATEKEYBLOB whose exponents are 1, so that its ciphertext is the padded key."""
    source = random.Random(0)

    def prime() -> int:
        while True:
            number = source.getrandbits(BITS // 2) | 3 << BITS // 2 - 2 | 1
            if is_prime(number, source):
                return number

    def little(number: int, bits: int) -> bytes:
        return number.to_bytes(bits // 8, "little")

    p, q = prime(), prime()
    half = BITS // 2
    return (bytes.fromhex("0702000000a40000") + b"RSA2" + little(BITS, 32) + little(1, 32) + little(p * q, BITS)
            + little(p, half) + little(q, half) + little(1, half) + little(1, half) + little(pow(q, -1, p), half)
            + little(1, BITS))


def without_padding(line: str) -> str:
    """Put zeros for the random padding of a SIMPLEBLOB."""
    columns = line.split()
    if len(columns) == 7 and columns[5] != "-":
        blob = bytearray.fromhex(columns[5])
        key = bytes.fromhex(columns[4])[SIMPLE_HEADER:]
        zero = SIMPLE_HEADER + len(key)
        assert blob[SIMPLE_HEADER:zero] == key[::-1], line
        assert blob[zero] == 0 and blob[-2:] == b"\x02\x00" and 0 not in blob[zero + 1:-1], line
        blob[zero + 1:-2] = bytes(len(blob) - zero - 3)
        columns[5] = blob.hex()
    return " ".join(columns)


def derived() -> str:
    """Return the output of derive.c, with a header."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/derive.exe"
        subprocess.run(["x86_64-w64-mingw32-gcc", "-O1", "-Wall", "-Wextra", "-Werror", HERE / "derive.c", "-o", program, "-ladvapi32"],
                       check=True)
        place = {**os.environ, **QUIET, "WINEPREFIX": f"{folder}/wine"}
        version = subprocess.run([WINE, "--version"], env=place, capture_output=True, text=True, check=True).stdout.split()[0]
        try:
            done = subprocess.run([WINE, program, exponent_one().hex()], env=place, capture_output=True, text=True, check=True,
                                  timeout=600)
        finally:
            subprocess.run(["/usr/lib/wine/wineserver64", "-k", "-w"], env=place, check=False, timeout=60)
    lines = map(without_padding, done.stdout.splitlines())
    return HEADER.format(version=version) + "".join(line + "\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write wine.txt beside this file")
    arguments = parser.parse_args()
    now = derived()
    if arguments.record:
        RECORD.write_text(now)
    recorded = RECORD.read_text()
    sys.stdout.writelines(difflib.unified_diff(recorded.splitlines(True), now.splitlines(True), "wine.txt", "now"))
    lines = [line for line in now.splitlines() if not line.startswith("#")]
    refused = sum("refused" in line for line in lines)
    print(f"{len(lines) - refused} keys derived, {refused} calls refused")
    if now != recorded:
        raise SystemExit("wine.txt differs")


if __name__ == "__main__":
    main()
