"""Measures times, memory, state, energy, content, and the picture that ECB leaves visible."""

from __future__ import annotations

import base64
import os
import re
import shlex
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from lab import english
from lab.bench import Bench
from lab.singhal2011 import content

SIZES_KB = (100, 500, 1024, 2048, 5120, 10240, 51200)
KEY_BITS = (128, 192, 256)
RC4 = ("RC4 (Arcfour)", "RC4 (OpenSSL)")
# OpenSSL's RC4 has two loops and takes the slower one on processors of AMD; bit 20 of the first word forces the other.
BYTE_PATH = "RC4 (OpenSSL, its byte path)"
BYTE_BIT = 1 << 20
MODES = ("ECB", "CBC", "CFB", "OFB", "CTR", "GCM")
CHACHA = ("ChaCha20", "ChaCha20-Poly1305")

# The processor features that OpenSSL sees. AES-NI is bit 57 of the first word, VAES and VPCLMULQDQ
# are bits 41 and 42 of the second. Without SSSE3 (bit 41) AES uses lookup tables. A word missing in
# the variable counts as 0, so both are always given.
LEVELS = {
    "AES instructions": "~0x0:~0x0",
    "no AES instructions": "~0x200000000000000:~0x60000000000",
    "tables": "~0x200020000000000:~0x60000000000",
}
AES_BIT, SSSE3_BIT = 57, 41


def program(bench: Bench) -> Path:
    """Compile evp.c against libarcfour and OpenSSL."""
    return bench.linked(Path(__file__).parent / "evp.c", "-lcrypto")


def ciphers(modes: tuple[str, ...] = MODES, key_bits: tuple[int, ...] = KEY_BITS, rc4: tuple[str, ...] = RC4) -> list[tuple[str, int]]:
    """Every cipher with every key size it has."""
    return ([(name, bits) for name in (*rc4, *(f"AES-{mode}" for mode in modes)) for bits in key_bits]
            + [(name, 256) for name in CHACHA])


def ask(built: Path, action: str, cipher: str, bits: int, file: Path, last: object, **env: str) -> dict:
    """One process of evp.c, and its answer."""
    names = {RC4[0]: "arcfour", RC4[1]: "RC4", BYTE_PATH: "RC4"}
    name = names.get(cipher) or re.sub("^AES-", f"AES-{bits}-", cipher)
    key = bytes(range(bits // 8)).hex()
    if cipher == BYTE_PATH:
        env = {"OPENSSL_ia32cap": f"{BYTE_BIT:#x}"}
    return Bench(True, built.parent).json([built, action, name, key, file, last], env=os.environ | env)


def capabilities(bench: Bench, env: dict[str, str]) -> str:
    """The two words of the processor's capabilities as OpenSSL sees them."""
    says = bench.check(["openssl", "info", "-cpusettings"], env=os.environ | env, text=True).stdout
    found = re.search(r"OPENSSL_ia32cap=(0x[0-9a-f]+:0x[0-9a-f]+)", says)
    if not found:
        raise RuntimeError(f"openssl info -cpusettings says {says.strip()!r}: these masks are for x86-64")
    return found[1]


def masks(bench: Bench) -> pd.DataFrame:
    """Tests the mask's effect: the features that OpenSSL reports, and the resulting rate."""
    built = program(bench)
    file = english.file(bench.scratch, 1 << 20)
    rows = []
    unmasked = capabilities(bench, {})
    for level, mask in LEVELS.items():
        words = capabilities(bench, {"OPENSSL_ia32cap": mask})
        seen = int(words.split(":")[0], 16)
        times = ask(built, "measure", "AES-ECB", 128, file, 21, OPENSSL_ia32cap=mask)
        rows.append({"level": level, "mask": mask, "openssl_sees": words, "aes_bit": seen >> AES_BIT & 1,
                     "ssse3_bit": seen >> SSSE3_BIT & 1,
                     "aes128_ecb_mb_per_s": 1e3 * times["bytes"] / statistics.median(times["encrypt_cpu_ns"])})
    table = pd.DataFrame(rows)
    if table.openssl_sees[0] != unmasked:
        raise RuntimeError(f"the empty mask hides something: OpenSSL sees {table.openssl_sees[0]}, not {unmasked}")
    if not table.aes_bit[0]:
        raise RuntimeError("this processor has no AES instructions: there is nothing to compare with")
    if table.aes_bit[1:].any() or table.ssse3_bit[2]:
        raise RuntimeError(f"OPENSSL_ia32cap had no effect:\n{table}")
    return table


def times(level: str):
    """The experiment that fills one level's grid: cipher, key, size; several processes for each
    cell, whose median counts."""
    def run(bench: Bench) -> pd.DataFrame:
        built, mask = program(bench), LEVELS[level]
        sizes = bench.pick(SIZES_KB[:4], SIZES_KB)
        files = {size_kb: english.file(bench.scratch, size_kb << 10) for size_kb in sizes}
        # More of the short ones: 20 MiB each way, but 3 to 51 times.
        counts = {size_kb: max(3, min(51, 20480 // size_kb)) if bench.full else 5 for size_kb in sizes}
        works = {(size_kb, *each): partial(ask, built, "measure", *each, file, counts[size_kb], OPENSSL_ia32cap=mask)
                 for size_kb, file in files.items() for each in ciphers(rc4=(*RC4, BYTE_PATH))}
        rows = []
        for (size_kb, cipher, bits), samples in bench.race(works, bench.pick(1, 3)).items():
            row = {"level": level, "cipher": cipher, "key_bits": bits, "size_kb": size_kb, "repeats": counts[size_kb], **samples.counts}
            for way in ("encrypt", "decrypt"):
                wall = [[ns / 1e6 for ns in process[f"{way}_ns"]] for process in samples.kept]
                row |= {f"{way}_ms": statistics.median(map(statistics.median, wall)), f"{way}_min_ms": min(map(min, wall)), f"{way}_max_ms": max(map(max, wall)),
                        f"{way}_cpu_ms": statistics.median(statistics.median(process[f"{way}_cpu_ns"]) for process in samples.kept) / 1e6}
            rows.append(row | {"peak_kib": max(process["peak_kib"] for process in samples.kept)})
        bench.commands.append(f"OPENSSL_ia32cap={shlex.quote(mask)} $SCRATCH/evp measure CIPHER KEY FILE REPEATS"
                              f"  # for each of {len(rows)} rows")
        return pd.DataFrame(rows)
    return run


PROCESSES = 40  # of each kind, enough to see a second speed that one in ten has


def speeds(bench: Bench) -> pd.DataFrame:
    """Where two speeds of OpenSSL's RC4 could come from: the place of its state, or a busy processor beside it."""
    built, file = program(bench), english.file(bench.scratch, 1 << 20)

    def crowded(cipher: str) -> dict:
        with bench.busy([built, "measure", "RC4", bytes(range(16)).hex(), file, 1_000_000]):
            return ask(built, "measure", cipher, 128, file, 5)
    works: dict[tuple[str, str], Callable[[], dict]] = {}
    for cipher in (RC4[1], BYTE_PATH):
        works |= {(cipher, "as it is"): partial(ask, built, "measure", cipher, 128, file, 5),
                  (cipher, "state at the start of a page"): partial(ask, built, "aligned", cipher, 128, file, 5),
                  (cipher, "another processor busy"): partial(crowded, cipher)}
    rows = [{"cipher": cipher, "condition": condition, **samples.counts, **costs(samples.kept)}
            for (cipher, condition), samples in bench.race(works, bench.pick(2, PROCESSES)).items()]
    bench.commands.append("$SCRATCH/evp measure|aligned CIPHER KEY FILE 5  # a process for each run")
    return pd.DataFrame(rows)


def cost(process: dict, way: str = "encrypt") -> float:
    """Nanoseconds a byte, one way."""
    return statistics.median(process[f"{way}_ns"]) / process["bytes"]


def costs(processes: list[dict]) -> dict[str, float]:
    """The median of some processes and the ends, both ways."""
    row: dict[str, float] = {}
    for way in ("encrypt", "decrypt"):
        found = [cost(process, way) for process in processes]
        row |= {f"{way}_ns_per_byte": statistics.median(found), f"{way}_min": min(found), f"{way}_max": max(found)}
    return row


def memory(bench: Bench) -> pd.DataFrame:
    """The peak of a process that holds the file, of one that goes through it in pieces, and the state kept."""
    built, piece = program(bench), 64 << 10
    rows = []
    for size_kb in bench.pick(SIZES_KB[:4], SIZES_KB):
        file = english.file(bench.scratch, size_kb << 10)
        for cipher, bits in ciphers(key_bits=(128, 256)):
            whole = ask(built, "measure", cipher, bits, file, 1)["peak_kib"]
            pieces = ask(built, "pieces", cipher, bits, file, piece)["peak_kib"]
            state = ask(built, "state", cipher, bits, file, 1, GLIBC_TUNABLES="glibc.malloc.tcache_count=0")["state_bytes"]
            rows.append({"cipher": cipher, "key_bits": bits, "size_kb": size_kb, "whole_kib": whole,
                         "pieces_kib": pieces, "state_bytes": state})
    bench.commands += [f"$SCRATCH/evp {action}  # for each row" for action in
                       ("measure CIPHER KEY FILE 1", f"pieces CIPHER KEY FILE {piece}", "state CIPHER KEY FILE 1")]
    return pd.DataFrame(rows)


KINDS_OF = (*RC4, "AES-ECB", "AES-CBC", "AES-CFB", "AES-CTR")


def kinds(bench: Bench) -> pd.DataFrame:
    """The same ciphers on text, sound, pictures and film as they come from a camera, uncompressed for the most part."""
    return by_content(bench, {kind: make(bench.pick(1 << 20, 4 << 20)) for kind, make in content.KINDS.items()}, (128,))


def media(bench: Bench) -> pd.DataFrame:
    """Sound and film as people have them, compressed by ffmpeg, beside text: several sizes, two keys."""
    tables = []
    for size in bench.sizes or bench.pick((1 << 18,), (1 << 20, 4 << 20, 16 << 20)):
        bench.note(f"{size:,} bytes")
        files = {"text": english.text(size)} | {kind: compressed(bench, kind, size) for kind in content.MEDIA}
        tables.append(by_content(bench, files, (128, 256)))
    return pd.concat(tables)


def compressed(bench: Bench, kind: str, size: int) -> bytes:
    """The first bytes of a file that ffmpeg makes: longer and longer, until there are enough."""
    file = bench.scratch / f"media{content.MEDIA[kind].suffix}"
    seconds = 1 + size // content.MEDIA[kind].bytes_per_second
    while True:
        bench.check(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *content.MEDIA[kind].words(seconds), file])
        made = file.read_bytes()
        if len(made) >= size:
            return made[:size]
        seconds *= 2


def by_content(bench: Bench, contents: dict[str, bytes], keys: tuple[int, ...]) -> pd.DataFrame:
    """Time per byte of the paper's ciphers and CTR on each content, in turn."""
    built = program(bench)
    files: dict[str, Path] = {}
    for kind, data in contents.items():
        files[kind] = bench.scratch / f"file-{len(files)}"
        files[kind].write_bytes(data)
    chosen = [*((name, bits) for name in KINDS_OF for bits in keys), (CHACHA[0], 256)]
    works = {(cipher, bits, kind): partial(ask, built, "measure", cipher, bits, file, 5) for cipher, bits in chosen for kind, file in files.items()}
    rows = []
    for (cipher, bits, kind), samples in bench.race(works, bench.pick(3, 9)).items():
        rows.append({"cipher": cipher, "key_bits": bits, "content": kind, "bytes": len(contents[kind]), **samples.counts, **costs(samples.kept)})
    bench.commands.append("$SCRATCH/evp measure CIPHER KEY FILE 5  # in turn over all files and ciphers")
    return pd.DataFrame(rows)


def own_file(bench: Bench) -> pd.DataFrame:
    """RC4 and AES on a file of the reader's own, with AES instructions and by lookup tables: MB/s both ways."""
    built = program(bench)
    file = bench.file or english.file(bench.scratch, 4 << 20)
    chosen = ciphers(key_bits=(128, 256), rc4=(*RC4, BYTE_PATH))
    works = {(level, *each): partial(ask, built, "measure", *each, file, bench.times or 5, OPENSSL_ia32cap=LEVELS[level])
             for level in ("AES instructions", "tables") for each in chosen}
    rows = []
    for (level, cipher, bits), samples in bench.race(works, bench.pick(1, 5)).items():
        row = {"level": level, "cipher": cipher, "key_bits": bits, "bytes": file.stat().st_size, **samples.counts}
        for way in ("encrypt", "decrypt"):
            row[f"{way}_mb_per_s"] = statistics.median(1e3 * cell["bytes"] / statistics.median(cell[f"{way}_ns"]) for cell in samples.kept)
        rows.append(row)
    return pd.DataFrame(rows)


def leak(bench: Bench) -> pd.DataFrame:
    """The visible rest of a picture: its bytes, four a pixel, encrypted and shown as a picture."""
    built = program(bench)
    picture = content.drawing()
    height, width, _ = picture.shape
    pixels = np.concatenate([picture, np.full((height, width, 1), 255, np.uint8)], axis=-1)
    file, sealed = bench.scratch / "picture", bench.scratch / "sealed"
    file.write_bytes(pixels.tobytes())
    rows = []
    for cipher in ("none", "AES-ECB", "AES-CBC", "AES-CTR", RC4[0]):
        if cipher != "none":
            ask(built, "write", cipher, 128, file, sealed)
        seen = np.frombuffer((file if cipher == "none" else sealed).read_bytes()[: pixels.size], np.uint8)
        blocks = seen.reshape(-1, 16)
        share = np.bincount(seen, minlength=256) / seen.size
        shown = seen.reshape(height, width, 4)[..., :3]
        rows.append({"cipher": cipher, "blocks": len(blocks), "distinct_blocks": len(np.unique(blocks, axis=0)),
                     "entropy_bits_per_byte": -sum(p * np.log2(p) for p in share if p),
                     "png_base64": base64.b64encode(content.png(shown)).decode()})
    bench.commands.append("$SCRATCH/evp write CIPHER KEY PICTURE OUTPUT  # for each cipher")
    return pd.DataFrame(rows)


FLIP_EVERY = 64  # bytes from one wrong bit to the next: more than two blocks, so that no two meet


def errors(bench: Bench) -> pd.DataFrame:
    """Wrong bytes of plaintext for a wrong bit of ciphertext, and after a lost byte, by the openssl command."""
    plain = np.frombuffer(english.text(bench.pick(1 << 16, 1 << 20)), np.uint8)
    flips, middle = plain.size // FLIP_EVERY, plain.size // 2
    rows = []
    for cipher in ("RC4", *(f"AES-{mode}" for mode in MODES[:5])):
        name = "rc4" if cipher == "RC4" else re.sub("^AES-", "aes-128-", cipher).lower()
        command = ["openssl", "enc", f"-{name}", "-nopad", "-provider", "default", "-provider", "legacy", "-K", bytes(range(16)).hex()]
        command += [] if cipher in ("RC4", "AES-ECB") else ["-iv", bytes(16).hex()]

        def crypt(data: np.ndarray, *way: str) -> np.ndarray:
            (bench.scratch / "in").write_bytes(data.tobytes())
            bench.check([*command, *way, "-in", bench.scratch / "in", "-out", bench.scratch / "out"])
            return np.frombuffer((bench.scratch / "out").read_bytes(), np.uint8)
        right = crypt(plain)
        if not (crypt(right, "-d") == plain).all():
            raise RuntimeError(f"openssl enc -d -{name} gave something else than was encrypted")
        flipped = right.copy()
        flipped[::FLIP_EVERY] ^= 1
        wrong = (crypt(flipped, "-d") != plain).reshape(flips, FLIP_EVERY).sum(axis=1)
        lost = crypt(np.append(np.delete(right, middle), np.uint8(0)), "-d")[middle:-1] != plain[middle + 1:]
        rows.append({"cipher": cipher, "flips": flips, "wrong_bytes": wrong.mean(), "wrong_bytes_most": wrong.max(), "wrong_after_loss": lost.mean()})
    return pd.DataFrame(rows)


def operations(bench: Bench) -> pd.DataFrame:
    """Instructions per byte, counted by valgrind: the additional cost of a second MiB."""
    built = program(bench)
    rows = []
    for cipher in RC4:
        counts = []
        for mebibytes in (1, 2):
            file = english.file(bench.scratch, mebibytes << 20)
            name = "arcfour" if cipher == RC4[0] else "RC4"
            done = bench.check(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", built, "write", name,
                                bytes(range(16)).hex(), file, "/dev/null"], text=True)
            counts.append(int(re.findall(r"Collected : (\d+)", done.stderr)[0]))
        rows.append({"cipher": cipher, "instructions_per_byte": (counts[1] - counts[0]) / (1 << 20)})
    return pd.DataFrame(rows)


def counter() -> Path | None:
    """The processor package's energy counter, where the kernel lets us read it."""
    for path in sorted(Path("/sys/class/powercap").glob("intel-rapl:*/energy_uj")):
        if os.access(path, os.R_OK) and (path.parent / "name").read_text().startswith("package"):
            return path
    return None


def energy(bench: Bench) -> pd.DataFrame:
    """Joules per GB by the processor's own counter; a table that says so where it has none."""
    meter, built, file = counter(), program(bench), english.file(bench.scratch, 10 << 20)
    rows = []
    for level in ("AES instructions", "tables"):
        for cipher, bits in ciphers(modes=MODES[:5], key_bits=(128,)):
            row = {"level": level, "cipher": cipher, "key_bits": bits, "counter": str(meter or "none"), "joules_per_gb": None}
            count = bench.pick(5, 20)
            before = int(meter.read_text()) if meter else 0
            cell = ask(built, "measure", cipher, bits, file, count, OPENSSL_ia32cap=LEVELS[level])
            if meter:
                wrap = int((meter.parent / "max_energy_range_uj").read_text())
                used = (int(meter.read_text()) - before) % wrap / 1e6
                row["joules_per_gb"] = used / (2 * (count + 1) * cell["bytes"] / 1e9)
            row["cpu_s_per_gb"] = statistics.median(cell["encrypt_cpu_ns"]) / cell["bytes"]
            rows.append(row)
    return pd.DataFrame(rows)
