"""The paper's two programs, the sealed file beside them, and attacks on the one key of all chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lab import depth, english
from lab.bench import Bench
from lab.quiet import Samples
from lab.sealing import sealing
from lab.shapes import counted

JAVA = Path(__file__).parent / "java"
C = Path(__file__).parent / "c"
KIB = 1024
MIB = KIB * KIB
CHUNK = 10_000  # bytes, as FileChunkAndEncrypt.java has it
SIZES = [20, 40, 60, 80, 100, 120, 140, 160, 180, 200]  # KB of 1024 bytes, as in the paper
LISTING = 2_532_271  # bytes: the size that the listing of §4.3 has written into it
ONE_CORE = ["taskset", "--cpu-list", "0"]
COUNTS = ("threads", "tasks")  # columns that are no times

Rows = list[dict[str, int]]  # what one process printed, a run each


def java(bench: Bench, program: str, prefix: list[str] | None = None) -> pd.DataFrame:
    """A program at the paper's sizes, each run in a new JVM, as the paper's main() is, and in warm ones.

    Nanoseconds from the start until the file is saved; of the parallel program also until all tasks are submitted and all are done.
    """
    asked, together, warm_up = bench.pick(5, 100), bench.pick(5, 10), bench.pick(50, 200)
    inputs = text_files(bench, bench.pick([20 * KIB, 100 * KIB, 200 * KIB], [size * KIB for size in SIZES]))
    tables = []
    for state, runs, warm, processes in (("new", 1, 0, asked), ("warm", together, warm_up, asked // together)):
        bench.note(f"{program}, {state} JVM")
        works = {size: partial(jvm, bench, program, file, runs, warm, prefix=prefix) for size, file in inputs.items()}
        tables.append(raced(bench, works, processes, lambda size: {"program": program.lower(), "data_size_kb": size / KIB, "jvm": state}))
    return pd.concat(tables)


def one_core(bench: Bench) -> pd.DataFrame:
    """Both programs with one core to run on."""
    return pd.concat([java(bench, program, ONE_CORE) for program in ("Sequential", "Parallel")])


def pools(bench: Bench) -> pd.DataFrame:
    """The tasks of the parallel program by every policy that §3 names, in warm JVMs, the listing's own size among them."""
    works = {}
    counts: list[int | None] = [*bench.threads] if bench.threads else [None]
    for size, file in text_files(bench, bench.pick([200 * KIB, LISTING], [200 * KIB, LISTING, 16 * MIB])).items():
        for policy in ("cached", "fixed", "each", "single"):
            for count in counts if policy == "fixed" else [None]:
                words = [policy, "RC4", *([count] if count else [])]
                works[policy, count, size] = partial(jvm, bench, "Parallel", file, 3, warm_up(bench, size), words)
    return raced(bench, works, bench.pick(2, 9), lambda policy, count, size: {"policy": policy if count is None else f"{policy} of {count}", "size_bytes": size})


def aes(bench: Bench) -> pd.DataFrame:
    """The future work: a block cipher on the same harness, RC4 beside it, in warm JVMs."""
    works = {}
    for size, file in text_files(bench, bench.pick([LISTING], [LISTING, 16 * MIB])).items():
        for cipher in ("RC4", "AES"):
            for program, words in (("Sequential", [cipher]), ("Parallel", ["cached", cipher])):
                works[program.lower(), cipher, size] = partial(jvm, bench, program, file, 3, warm_up(bench, size), words)
    return raced(bench, works, bench.pick(2, 9), lambda program, cipher, size: {"program": program, "cipher": cipher, "size_bytes": size})


def warm_up(bench: Bench, size: int) -> int:
    """Runs before those that count, so that the JVM has compiled: fewer of a large file."""
    return bench.pick(2, max(3, min(100, 20 * MIB // size)))


def pthreads(bench: Bench) -> pd.DataFrame:
    """The future work: the mechanism in C on Linux, in three ways.

    They are a pool of pthreads, a thread for each task, and a pool without chunk files.
    """
    program = bench.linked(C / "parallel.c", "-pthread")
    folder = bench.scratch / "chunks-c"
    folder.mkdir()
    works = {}
    for size, file in text_files(bench, bench.pick([LISTING], [200 * KIB, LISTING, 16 * MIB])).items():
        for policy, counts in (("pool", bench.threads or [1, 2, 4]), ("memory", bench.threads or [1, 2, 4]), ("each", [0])):
            for count in counts:
                argv = [program, file, folder, 3, policy, count]
                works[policy, count, size] = partial(printed, bench, argv, 1)
    rows = []
    for (policy, count, size), samples in bench.race(works, bench.pick(2, 9)).items():
        rows += [row | {"threads": count or row["threads"]} for row in clocks({"policy": policy, "size_bytes": size}, samples)]
    return pd.DataFrame(rows)


def jvm(bench: Bench, program: str, file: Path, runs: int, warm: int, words: list | None = None, prefix: list[str] | None = None) -> Rows:
    """The lines a program prints but for the warm-up. It has compared its output with the JDK's own cipher before each."""
    classes = bench.scratch / "classes"
    if not classes.exists():
        bench.check(["javac", "-d", classes, *sorted(JAVA.glob("*.java"))])
    folder = bench.scratch / "chunks"
    folder.mkdir(exist_ok=True)
    # The largest files take the sequential program four copies in memory.
    argv = [*(prefix or []), "java", "-Xmx12g", "-cp", classes, program, file, folder, warm + runs, *(words or [])]
    return printed(bench, argv, warm)


def printed(bench: Bench, argv: list, warm: int) -> Rows:
    """The lines of a program that prints its clocks as CSV, without the warm-up's."""
    return bench.csv(argv).to_dict("records")[warm:]


def raced(bench: Bench, works: dict[Any, partial[Rows]], asked: int | dict[Any, int], labels: Callable[..., dict]) -> pd.DataFrame:
    """Time pieces of work in turn; `labels` makes a row's first cells of a piece's name, a size or several parts."""
    found = bench.race(works, asked).items()
    return pd.DataFrame([line for name, samples in found for line in clocks(labels(*name) if isinstance(name, tuple) else labels(name), samples)])


def clocks(labels: dict, samples: Samples) -> list[dict]:
    """A line of the table for each clock of the runs that count."""
    runs = [row for process in samples.kept for row in process]
    each = len(runs) // len(samples.kept)
    counts = {name: count * each for name, count in samples.counts.items()}
    more = {name: max(row[name] for row in runs) for name in COUNTS if name in runs[0]}
    return [labels | {"clock": clock} | more | counts | spread([row[clock] for row in runs]) for clock in runs[0] if clock not in COUNTS]


def spread(nanoseconds: list[int]) -> dict[str, float]:
    """The mean, which the paper gives, the median, which we do, and the quartiles."""
    low, middle, high = np.percentile(nanoseconds, [25, 50, 75])
    return {"mean_ns": np.mean(nanoseconds), "median_ns": middle, "q1_ns": low, "q3_ns": high}


def text_files(bench: Bench, sizes: list[int]) -> dict[int, Path]:
    """Text files of these sizes, or of the user's sizes."""
    return {size: english.file(bench.scratch, size) for size in bench.sizes or sizes}


def seal(bench: Bench) -> pd.DataFrame:
    """The whole process, start and end included, at the paper's sizes."""
    sizes = bench.sizes or [size * KIB for size in bench.pick([20, 100, 200], SIZES)]
    table = sealed(bench, {size: bench.pick(10, 100) for size in sizes}).rename(columns={"size_bytes": "data_size_kb"})
    return table.assign(data_size_kb=table.data_size_kb / KIB)


def sealed(bench: Bench, asked_of: dict[int, int]) -> pd.DataFrame:
    """`arcfour seal` on one and two threads: wall time of the process by size; every file is opened again."""
    works = sealing(bench, asked_of, bench.threads or (1, 2), lambda forth, _: round(forth.wall * 1e9))
    return pd.DataFrame([{"program": f"seal, {counted(threads, 'thread')}", "size_bytes": size} | samples.counts | spread(samples.kept)
                         for (size, threads), samples in bench.race(works, {each: asked_of[each[0]] for each in works}).items()])


def large_sizes(bench: Bench) -> dict[int, int]:
    """Sizes beyond the paper in bytes, and how often each is run."""
    if bench.sizes:
        return dict.fromkeys(bench.sizes, bench.pick(2, 3))
    return bench.pick({1 * MIB: 3, 16 * MIB: 2}, {1 * MIB: 9, 4 * MIB: 9, 16 * MIB: 5, 64 * MIB: 3, 256 * MIB: 3, 1024 * MIB: 3})


def large_java(bench: Bench, program: str) -> pd.DataFrame:
    """A program's clocks, and the threads that its pool grew to: a JVM for each run.

    The first run of a JVM compiles and is left out.
    """
    asked = large_sizes(bench)
    works = {size: partial(jvm, bench, program, english.file(bench.scratch, size), 1, 1) for size in asked}
    return raced(bench, works, asked, lambda size: {"threads": 1, "program": program.lower(), "size_bytes": size})


def large_seal(bench: Bench) -> pd.DataFrame:
    """The same files sealed."""
    return sealed(bench, large_sizes(bench))


def encrypted_chunks(bench: Bench, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole chunks of prose, and the parallel program's output for them: one chunk a row."""
    file = english.file(bench.scratch, count * CHUNK)
    jvm(bench, "Parallel", file, 1, 0)
    both = file.read_bytes(), (bench.scratch / "chunks" / "encrypted").read_bytes()
    plain, cipher = (np.frombuffer(data, np.uint8).reshape(count, CHUNK) for data in both)
    return plain, cipher


def one_key(bench: Bench) -> pd.DataFrame:
    """How much of a file is read from its ciphertext alone, by the number of its chunks."""
    plain, cipher = encrypted_chunks(bench, len(english.prose()) // CHUNK)
    model = english.Model()
    rows = []
    for count in bench.pick([2, 4, 8], [2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, len(plain)]):
        bench.note(f"{count} chunks")
        read = depth.read(cipher[:count], model)
        rows.append({"chunks": count, "file_bytes": count * CHUNK, "read_fraction": (read == plain[:count]).mean(), "sample": repr(read[0, 40:100].tobytes())[2:-1]})
    return pd.DataFrame(rows)


def crib(bench: Bench) -> pd.DataFrame:
    """The first two chunks xored: placements of a phrase ranked by how much like text the other chunk reads."""
    phrase = b"GNU General Public License"
    plain, cipher = encrypted_chunks(bench, 2)
    xored = cipher[0] ^ cipher[1]
    equal = (xored == (plain[0] ^ plain[1])).mean()
    model = english.Model()
    windows = np.lib.stride_tricks.sliding_window_view(xored, len(phrase)) ^ np.frombuffer(phrase, np.uint8)
    score = model.single[windows[:, 0]] + model.pair[windows[:, :-1], windows[:, 1:]].sum(axis=1)
    texts = [chunk.tobytes() for chunk in plain]
    rows = []
    for rank, at in enumerate(np.argsort(-score)[:10], start=1):
        stands = [number for number, text in enumerate(texts) if text[at:].startswith(phrase)]
        rows.append({"rank": rank, "offset": at, "log_likelihood": score[at], "other_chunk_reads": repr(windows[at].tobytes())[2:-1],
                     "phrase_stands_in": " and ".join(f"chunk {n}" for n in stands) or "neither", "xor_equals_plaintext_xor": equal, "phrase": phrase.decode()})
    return pd.DataFrame(rows)
