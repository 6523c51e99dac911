"""RC4A and PARC4-I timed as in the paper, our repair beside them, and the leaks of their keystreams."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from lab import depth, english
from lab.bench import Bench
from lab.quiet import Samples
from lab.sealing import sealing

SIZES = [93_415_936 * n for n in range(1, 11)]  # bytes; the paper's column says bits, its text bytes
CORES = [1, 2, 4, 6, 8]  # of the paper, and 2
LANES = {"rc4": 4, "rc4a": 2, "rc4a-equal": 2, "parc4i": 4, "parc4i-text": 4, "parc4r": 4}
BLOCK = 256  # bytes, the paper's
KEY = "Handa and Kapoor"


def program(bench: Bench) -> Path:
    """The Rust program of `parallel/`."""
    return bench.programs / "handa2015"


def threads() -> list[int]:
    """The paper's numbers of cores as far as this machine has them, 2, and all it has."""
    cores = os.cpu_count() or 1
    return sorted({n for n in CORES if n < cores} | {cores})


# Times


def timed(*works: str, sizes: list[int] = SIZES, counts: list[int] | None = None) -> Callable[[Bench], pd.DataFrame]:
    """An experiment: median seconds of some programs in memory, taken in turn in one run.

    The program has verified both directions before it prints a time.
    """
    def run(bench: Bench) -> pd.DataFrame:
        text, key = write_text(bench), ["--key", bench.key] if bench.key else []
        runs = {(size, work, count): partial(once, bench, [program(bench), "time", work, "--text", text, "--bytes", size, "--threads", count, *key])
                for size in bench.sizes or bench.pick(sizes[:1], sizes) for work in works for count in bench.threads or counts or threads()}
        return pd.DataFrame([row(work, size, count, samples) for (size, work, count), samples in bench.race(runs, bench.pick(1, 5)).items()])
    return run


PROCESSES = 40  # of each kind, enough to see a second speed that one in ten has


def speeds(bench: Bench) -> pd.DataFrame:
    """Where two speeds of RC4A's definition could come from: the place of its tables, or a busy processor beside it."""
    text = write_text(bench)
    plain, aligned = ([program(bench), "time", work, "--text", text, "--bytes", SIZES[0]] for work in ("rc4a-plain", "rc4a-aligned"))

    def crowded() -> dict[str, float]:
        with bench.busy([*plain, "--runs", 10_000]):
            return once(bench, plain)
    works: dict[tuple[str], Callable[[], dict[str, float]]] = {
        ("as it is",): partial(once, bench, plain), ("tables at the start of a page",): partial(once, bench, aligned), ("another processor busy",): crowded}
    return pd.DataFrame([{"condition": condition} | row("rc4a-plain", SIZES[0], 1, samples) for (condition,), samples in bench.race(works, bench.pick(2, PROCESSES)).items()])


def oversubscribed(bench: Bench) -> pd.DataFrame:
    """PARC4-I on the paper's numbers of threads, whatever the number of cores is: the table has both."""
    return timed("parc4i", sizes=SIZES[-1:], counts=CORES)(bench).assign(cores=os.cpu_count())


def openmp(bench: Bench) -> pd.DataFrame:
    """The same in C with OpenMP, built as the paper says, beside the Rust programs, in one run."""
    text, built = write_text(bench), bench.scratch / "parc4i"
    # The options of §8.
    bench.check(["gcc", "-O3", "-march=native", "-g0", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-o", built, Path(__file__).parent / "c/parc4i.c"])
    works = {}
    for size in bench.sizes or bench.pick(SIZES[:1], SIZES[-1:]):
        for work in ("rc4a", "parc4i", "parc4i-rolled"):
            for count in [1] if work == "rc4a" else bench.threads or threads():
                rust = "rc4a-plain" if work == "rc4a" else work
                works["Rust", work, size, count] = partial(once, bench, [program(bench), "time", rust, "--text", text, "--bytes", size, "--threads", count])
                works["C, gcc -O3 -march=native, OpenMP", work, size, count] = partial(once, bench, [built, "time", work, text, size, count])
    return pd.DataFrame([{"language": language} | row(work, size, count, samples)
                         for (language, work, size, count), samples in bench.race(works, bench.pick(1, 5)).items()])


def write_text(bench: Bench) -> Path:
    """The prose that is repeated to each size."""
    text = bench.scratch / "text"
    text.write_bytes(english.prose())
    return text


def once(bench: Bench, argv: Sequence[object]) -> dict[str, float]:
    """The two times that a program prints."""
    return bench.csv(argv).iloc[0].to_dict()


def row(work: str, size: int, count: int, samples: Samples) -> dict:
    """One line of a table of times."""
    runs = pd.DataFrame(samples.kept)
    overall = runs.encryption_s + runs.decryption_s
    return {"work": work, "size_bytes": size, "threads": count, **samples.counts, "encryption_s": runs.encryption_s.median(), "decryption_s": runs.decryption_s.median(),
            "overall_s": overall.median(), "overall_min_s": overall.min(), "overall_max_s": overall.max()}


def seal(bench: Bench) -> pd.DataFrame:
    """`arcfour seal` and `open` from file to file, whole processes, at two sizes beside which their start is short; all is compared."""
    works = sealing(bench, bench.sizes or bench.pick(SIZES[:1], [SIZES[4], SIZES[-1]]), bench.threads or threads(),
                    lambda forth, back: {"encryption_s": forth.wall, "decryption_s": back.wall})
    return pd.DataFrame([row("seal", size, count, samples) for (size, count), samples in bench.race(works, bench.pick(1, 5)).items()])


def own_file(bench: Bench) -> pd.DataFrame:
    """A file of the reader's own, by PARC4-I as printed, with a key for each block, and by PARC4-R; all of it must decrypt."""
    source = bench.file or write_text(bench)
    there, back = bench.scratch / "encrypted", bench.scratch / "decrypted"

    def run(work: str, count: int) -> float:
        there.unlink(missing_ok=True)
        back.unlink(missing_ok=True)
        argv = [program(bench), "file", work, "--key", bench.key or KEY, "--threads", count]
        seconds = float(bench.csv([*argv, source, there]).seconds[0])
        bench.check([*argv, there, back])
        bench.check(["cmp", source, back])
        return seconds

    works = {(work, count): partial(run, work, count) for work in ("parc4i", "parc4i-keyed", "parc4r") for count in bench.threads or threads()}
    return pd.DataFrame([{"work": work, "threads": count, "bytes": source.stat().st_size, **samples.counts, "seconds": pd.Series(samples.kept).median()}
                         for (work, count), samples in bench.race(works, bench.pick(1, 5)).items()])


# ENT


def keystream(bench: Bench, cipher: str, size: int, key: str = KEY) -> np.ndarray:
    """The first bytes of a keystream."""
    made = bench.check([program(bench), "keystream", cipher, key, size]).stdout
    return np.frombuffer(made, np.uint8)


def ent_large(bench: Bench) -> pd.DataFrame:
    """ENT's report on a long keystream of each cipher; two of them by Debian's `ent` too, which must agree."""
    size = bench.pick(1 << 24, 1 << 30)
    rows = []
    for cipher in LANES:
        bench.note(cipher)
        report = json.loads(piped(bench, cipher, size, [bench.programs / "arcfour", "ent", "--json"]))
        agrees = None
        if cipher in ("rc4a", "parc4i"):
            prose = piped(bench, cipher, size, [bench.programs / "arcfour", "ent"])
            agrees = prose == piped(bench, cipher, size, ["ent"])
        rows.append({"cipher": cipher, "bytes": size, "debian_ent_prints_the_same": agrees} | report)
    return pd.DataFrame(rows)


def piped(bench: Bench, cipher: str, size: int, reader: list[str | Path]) -> str:
    """The output of a program that reads a keystream from a pipe."""
    source = subprocess.Popen([program(bench), "keystream", cipher, KEY, str(size)], stdout=subprocess.PIPE)
    printed = bench.check(reader, stdin=source.stdout, text=True).stdout
    assert source.stdout is not None  # a pipe was asked for
    source.stdout.close()
    if source.wait() != 0:
        raise RuntimeError(f"handa2015 keystream {cipher} failed with {source.returncode}")
    return printed


def numbers(separator: str) -> Callable[[np.ndarray], bytes]:
    """A listing of bytes as decimal numbers."""
    return lambda data: "".join(f"{byte}{separator}" for byte in data).encode()


NOTATIONS: dict[str, Callable[[np.ndarray], bytes]] = {
    "raw bytes": lambda data: data.tobytes(),
    "hexadecimal digits": lambda data: data.tobytes().hex().encode(),
    "hexadecimal, each and a space": lambda data: data.tobytes().hex(" ").encode(),
    "decimal, each and a line feed": numbers("\n"),
    "decimal, each and CR LF": numbers("\r\n"),
    "decimal, each and a space": numbers(" "),
    "decimal, each and a comma": numbers(","),
}


def ent_small(bench: Bench) -> pd.DataFrame:
    """ENT on files of the paper's lengths: encrypted text and bare keystream, in several notations."""
    samples = bench.pick(10, 250)
    file = bench.scratch / "listing"
    rows = []
    for cipher, size in (("rc4a", 327), ("parc4i", 370)):
        stream = keystream(bench, cipher, samples * size)
        text = np.frombuffer(english.text(samples * size), np.uint8)
        for content, data in (("keystream", stream), ("encrypted text", stream ^ text)):
            for notation, write in NOTATIONS.items():
                bench.note(f"{cipher}, {content}, {notation}")
                for sample in data.reshape(samples, size):
                    file.write_bytes(write(sample)[:size])
                    report = bench.json([bench.programs / "arcfour", "ent", "--json", file])
                    rows.append({"cipher": cipher, "content": content, "notation": notation, "bytes": size}
                                | {name: report[name] for name in ("entropy", "chi_square", "mean", "pi", "serial_correlation")})
    table = pd.DataFrame(rows).groupby(["cipher", "content", "notation", "bytes"], sort=False)
    spread = table.agg(["mean", "std"])
    spread.columns = [f"{name}_{what}" for name, what in spread.columns]
    return spread.assign(samples=samples).reset_index()


# The experiment


def structure(bench: Bench) -> pd.DataFrame:
    """Counts over many keys: equal bytes in a round, agreement with RC4, equal neighbours."""
    keys, size = bench.pick((16, 1 << 20), (256, 1 << 22))
    names = ["cipher", "quantity", "a", "b", "hits", "trials"]
    table = counted(bench, "structure", ["--keys", keys, "--bytes", size], names)
    return table[table.quantity != "cipher"].assign(keys=keys, bytes_per_key=size)


def broadcast(bench: Bench) -> pd.DataFrame:
    """One plaintext under many keys: the second round read by the commonest ciphertext byte."""
    log_keys, trials = bench.pick((9, 32), (12, 256))
    names = ["cipher", "ciphertexts", "hits", "trials"]
    return counted(bench, "broadcast", ["--log-keys", log_keys, "--trials", trials], names)


def counted(bench: Bench, action: str, options: list[object], names: list[str]) -> pd.DataFrame:
    """The output of an action of the program, cipher after cipher."""
    tables = []
    for cipher in LANES:
        bench.note(cipher)
        tables.append(bench.csv([program(bench), action, cipher, *options], names=names))
    return pd.concat(tables)


def one_message(bench: Bench) -> pd.DataFrame:
    """One message under one key, read from its ciphertext alone, as if the bytes of a round had one keystream."""
    model, size = english.Model(), bench.pick(2_000, 16_000)
    parts = np.frombuffer(english.prose(), np.uint8)
    parts = parts[: len(parts) // size * size].reshape(-1, size)[: bench.pick(2, 10)]
    rows = []
    for cipher, lanes in LANES.items():
        bench.note(cipher)
        for number, plain in enumerate(parts):
            encrypted = plain ^ keystream(bench, cipher, size, f"message {number}")
            read = depth.read(encrypted.reshape(1, size), model, lanes, width=64)[0]
            rows.append({"cipher": cipher, "message": number, "bytes": size, "read_fraction": (read == plain).mean(), "sample": repr(read[1000:1064].tobytes())[2:-1]})
    return pd.DataFrame(rows)


def blocks(bench: Bench) -> pd.DataFrame:
    """Blocks of 256 bytes that all begin with the scheduled state, read from the ciphertext alone."""
    model = english.Model()
    text = np.frombuffer(english.prose(), np.uint8)
    rows = []
    for count in bench.pick([2, 4, 8], [1, 2, 3, 4, 6, 8, 12, 16, 24]):
        for trial in range(bench.pick(4, 24)):
            plain = text[trial * 24 * BLOCK :][: count * BLOCK].reshape(count, BLOCK)
            encrypted = plain ^ keystream(bench, "parc4i", BLOCK, f"blocks {trial}")
            for attack, read in (("blocks alone", depth.read(encrypted, model)), ("blocks and rounds", depth.read(encrypted, model, lanes=4, width=64))):
                rows.append({"attack": attack, "blocks": count, "trial": trial, "read_fraction": (read == plain).mean()})
    table = pd.DataFrame(rows).groupby(["attack", "blocks"]).read_fraction.agg(["mean", "std", "count"]).reset_index()
    return table.rename(columns={"mean": "read_fraction", "std": "read_sd", "count": "trials"})
