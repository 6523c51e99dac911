"""Times `arcfour find` alone, and beside hashcat with a key to be found."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from functools import partial
from pathlib import Path
from statistics import median

import pandas as pd

from lab.bench import ROOT, Bench
from lab.definition import rc4

KEY_LENGTHS = (5, 9, 13, 16, 32)
KNOWN = "41 42 43"
# The padding of passwords in PDF files: /U of revision 2 is this text, encrypted with the file's key
# (ISO 32000-1:2008, algorithm 4).
PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
# A Word file of Office 97, and the salt in its header, after which the verifier stands.
DOCUMENT = ROOT / "vectors" / "office" / "office97.doc"
SALT = bytes.fromhex("b0b1b2b3b4b5b6b7b8b9babbbcbdbebf")


def rates(bench: Bench) -> pd.DataFrame:
    """Keys a second, by the length of the key, on one core and on all."""
    ciphertext = bench.scratch / "ciphertext"
    ciphertext.write_bytes(secrets.token_bytes(16))
    keys = bench.pick(1 << 18, 1 << 23)
    cores = sorted(os.sched_getaffinity(0))
    works = {(length, count): partial(shard, bench, ciphertext, length, cores[:count], keys)
             for length in KEY_LENGTHS for count in sorted({1, len(cores)})}
    return pd.DataFrame([{"key_length_bytes": length, "cores": count, "keys": keys} | samples.counts | {"seconds": median(samples.kept), "keys_per_s": keys / median(samples.kept)}
                         for (length, count), samples in bench.race(works, bench.pick(1, 2)).items()])


def shard(bench: Bench, ciphertext: Path, length: int, cores: list[int], keys: int) -> float:
    """Seconds for the first keys of 2^32, four unknown bytes at the end."""
    mask = " ".join(["6b"] * (length - 4) + ["??"] * 4)
    return bench.time([*on(cores), bench.programs / "arcfour", "find", "--ciphertext", ciphertext, "--plain", KNOWN,
                       "--key-mask", mask, "--shard", f"1/{(1 << 32) // keys}", "--all", "--threads", len(cores)]).wall


def hashcat(bench: Bench) -> pd.DataFrame:
    """Both find a key planted at random in a document, and both try all keys of a document without one."""
    if not shutil.which("hashcat"):
        raise RuntimeError("this experiment takes the Debian packages hashcat and pocl-opencl-icd")
    low = bench.pick(1, 4)  # values of the second byte: 2^24 keys each
    key = bytes([secrets.randbelow(256), secrets.randbelow(low), *secrets.token_bytes(3)])
    cores = sorted(os.sched_getaffinity(0))
    rows = []
    for document, mode, write in (("PDF 1.3", 10410, pdf), ("Office 97", 9710, office)):
        for engine, search in (("arcfour find", arcfour), ("hashcat", cracked)):
            for planted in (True, False):
                found, seconds = search(bench, write(bench, key, planted), mode, key[0], low, cores)
                if found != (key.hex() if planted else ""):
                    raise RuntimeError(f"{engine} found {found!r} in a file of {document}")
                rows.append({"document": document, "engine": engine, "cores": len(cores), "keys": low << 24, "planted": planted, "seconds": seconds})
                bench.note(f"{document}: {engine}, {'planted' if planted else 'no'} key: {seconds:.1f} s")
    return pd.DataFrame(rows)


def pdf(bench: Bench, key: bytes, planted: bool) -> tuple[list[str | Path], str]:
    """A file of PDF 1.3 by its /U: the arguments of `arcfour find`, and hashcat's line."""
    encrypted = rc4(key, PADDING) if planted else secrets.token_bytes(len(PADDING))
    path = bench.scratch / "U"
    path.write_bytes(encrypted)
    return ["--ciphertext", path, "--plain", PADDING.hex()], f"$pdf$1*2*40*-4*1*16*{'00' * 16}*32*{encrypted.hex()}*32*{'00' * 32}"


def office(bench: Bench, key: bytes, planted: bool) -> tuple[list[str | Path], str]:
    """The same for a Word file of Office 97, by its verifier ([MS-OFFCRYPTO] 2.3.6)."""
    verifier = secrets.token_bytes(16)
    both = rc4(md5(key + bytes(4)), verifier + md5(verifier)) if planted else secrets.token_bytes(32)
    file = DOCUMENT.read_bytes()
    header = file.index(b"\1\0\1\0" + SALT)
    start = header + 4 + len(SALT)
    path = bench.scratch / "document.doc"
    path.write_bytes(file[:start] + both + file[start + 32:])
    return ["--office", path], f"$oldoffice$1*{SALT.hex()}*{both[:16].hex()}*{both[16:].hex()}"


def arcfour(bench: Bench, document: tuple[list[str | Path], str], mode: int, first: int, low: int, cores: list[int]) -> tuple[str, float]:
    """The key that `arcfour find` finds, if any, and the seconds."""
    found = bench.scratch / "found"
    # All of a shard is no failure, though no key is found.
    sample = bench.time([*on(cores), bench.programs / "arcfour", "find", *document[0], "--shard", "1/1",
                         "--key-mask", f"{first:02x} [00-{low - 1:02x}] ?? ?? ??", "--threads", len(cores)], stdout=found)
    return found.read_text().strip(), sample.wall


def cracked(bench: Bench, document: tuple[list[str | Path], str], mode: int, first: int, low: int, cores: list[int]) -> tuple[str, float]:
    """The same by hashcat."""
    (bench.scratch / "hash").write_text(document[1] + "\n")
    found = bench.scratch / "cracked"
    found.unlink(missing_ok=True)
    options = ["--force", "--quiet", "--potfile-disable", "--restore-disable", "--logfile-disable", "--optimized-kernel-enable",
               "--session", "arcfour-lab", "--hex-charset", "--outfile", found, "--outfile-format", "3"]
    charsets = ["-1", f"{first:02x}", "-2", bytes(range(low)).hex()]
    command = [*on(cores), "hashcat", "-m", mode, "-a", "3", *options, *charsets, bench.scratch / "hash", "?1?2?b?b?b"]
    # Its exit code is 1 if it found nothing.
    sample = bench.time(["bash", "-c", '"$@" || [ $? = 1 ]', "bash", *command])
    # Its line, a colon, and the key.
    return (found.read_text().strip().rpartition(":")[2] if found.exists() else ""), sample.wall


def on(cores: list[int]) -> list[str]:
    """Keep a command on these processors."""
    return ["taskset", "--cpu-list", ",".join(map(str, cores))]


def md5(text: bytes) -> bytes:
    """MD5, which these formats are made of."""
    return hashlib.md5(text, usedforsecurity=False).digest()
