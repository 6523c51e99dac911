"""The paper's two programs, the sealed file beside them, and attacks on the one key of all chunks."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from lab import depth, english
from lab.bench import Bench

JAVA = Path(__file__).parent / "java"
KIB = 1024
CHUNK = 10_000  # bytes, as FileChunkAndEncrypt.java has it
SIZES = [20, 40, 60, 80, 100, 120, 140, 160, 180, 200]  # KB of 1024 bytes, as in the paper
ONE_CORE = ["taskset", "--cpu-list", "0"]

Samples = dict[tuple, list[int]]


def sequential(bench: Bench) -> pd.DataFrame:
    """Nanoseconds from the start until the file is read, encrypted and saved."""
    return java(bench, "Sequential", [])


def parallel(bench: Bench) -> pd.DataFrame:
    """Nanoseconds from the start until all tasks are submitted, all are done, and the file is merged."""
    return java(bench, "Parallel", [])


def one_core(bench: Bench) -> pd.DataFrame:
    """Both programs with one core to run on."""
    runs = bench.pick(3, 20)
    return pd.concat([java(bench, program, ONE_CORE, runs) for program in ("Sequential", "Parallel")])


def java(bench: Bench, program: str, prefix: list[str], runs: int | None = None) -> pd.DataFrame:
    """A program at the paper's sizes, each run in a new JVM, as the paper's main() is, and in a warm one."""
    sizes = bench.pick([20, 100, 200], SIZES)
    runs = runs or bench.pick(5, 100)
    warm_up = bench.pick(50, 200)
    inputs = {size: write_text(bench, size * KIB) for size in sizes}
    samples: Samples = {}
    for run in range(runs):  # sizes in turn, so that a disturbance does not hit one of them alone
        if run % 25 == 0:
            bench.note(f"{program}: run {run} of {runs}")
        for size in sizes:
            for row in jvm(bench, program, prefix, inputs[size], 1):
                remember(samples, size, "new", row)
    for size in sizes:
        for row in list(jvm(bench, program, prefix, inputs[size], warm_up + runs))[warm_up:]:
            remember(samples, size, "warm", row)
    rows = [
        {"program": program.lower(), "data_size_kb": size, "jvm": state, "clock": clock} | spread(values)
        for (size, state, clock), values in samples.items()
    ]
    return pd.DataFrame(rows)


def jvm(bench: Bench, program: str, prefix: list[str], file: Path, runs: int) -> Iterator[dict[str, int]]:
    """The lines a program prints. It has compared its output with the JDK's own RC4 before each."""
    classes = bench.scratch / "classes"
    if not classes.exists():
        bench.check(["javac", "-d", classes, *sorted(JAVA.glob("*.java"))])
    folder = bench.scratch / "chunks"
    folder.mkdir(exist_ok=True)
    # The largest files take the sequential program four copies in memory.
    argv = [*prefix, "java", "-Xmx12g", "-cp", classes, program, file, folder, str(runs)]
    printed = bench.check(argv, text=True).stdout
    for row in csv.DictReader(printed.splitlines()):
        yield {clock: int(value) for clock, value in row.items()}


def remember(samples: Samples, size: int, state: str, row: dict[str, int]) -> None:
    """Adds the clocks of one run, but not the number of threads, which is no time."""
    for clock, value in row.items():
        if clock != "threads":
            samples.setdefault((size, state, clock), []).append(value)


def spread(nanoseconds: list[int]) -> dict[str, float]:
    """The mean, which the paper gives, the median, which we do, and the quartiles."""
    low, middle, high = np.percentile(nanoseconds, [25, 50, 75])
    return {
        "runs": len(nanoseconds),
        "mean_ns": np.mean(nanoseconds),
        "median_ns": middle,
        "q1_ns": low,
        "q3_ns": high,
    }


def write_text(bench: Bench, size: int) -> Path:
    """A text file of that many bytes."""
    path = bench.scratch / f"text-{size}"
    path.write_bytes(english.text(size))
    return path


def seal(bench: Bench) -> pd.DataFrame:
    """The whole process, start and end included, at the paper's sizes."""
    sizes = bench.pick([20, 100, 200], SIZES)
    return (
        sealed(bench, {size * KIB: bench.pick(10, 100) for size in sizes})
        .rename(columns={"size_bytes": "data_size_kb"})
        .assign(data_size_kb=lambda table: table.data_size_kb // KIB)
    )


def sealed(bench: Bench, runs_of: dict[int, int]) -> pd.DataFrame:
    """`arcfour seal` on one and two threads: wall time of the process by size; every file is opened again."""
    arcfour = bench.release / "arcfour"
    key, output, opened = (bench.scratch / name for name in ("key", "sealed", "opened"))
    bench.check([arcfour, "keygen", "-o", key])
    rows = []
    for size, runs in runs_of.items():
        file = write_text(bench, size)
        times: dict[int, list[int]] = {1: [], 2: []}
        for _ in range(runs):
            for threads, walls in times.items():
                argv = [arcfour, "seal", "--key-file", key, "--threads", threads, file]
                sample = bench.time(argv, stdout=output)
                bench.time([arcfour, "open", "--key-file", key, output], stdout=opened)
                bench.check(["cmp", file, opened])
                walls.append(round(sample.wall * 1e9))
        rows += [
            {"program": f"seal, {threads} thread{'s' * (threads > 1)}", "size_bytes": size} | spread(walls)
            for threads, walls in times.items()
        ]
        file.unlink()
    return pd.DataFrame(rows)


def large_sizes(bench: Bench) -> dict[int, int]:
    """Sizes beyond the paper in bytes, and how often each is run."""
    mib = KIB * KIB
    return bench.pick(
        {1 * mib: 3, 16 * mib: 2},
        {1 * mib: 9, 4 * mib: 9, 16 * mib: 5, 64 * mib: 3, 256 * mib: 3, 1024 * mib: 1},
    )


def large_sequential(bench: Bench) -> pd.DataFrame:
    """The sequential program in one JVM for each size."""
    return large_java(bench, "Sequential")


def large_parallel(bench: Bench) -> pd.DataFrame:
    """The parallel program in one JVM for each size, with the threads its pool grew to."""
    return large_java(bench, "Parallel")


def large_java(bench: Bench, program: str) -> pd.DataFrame:
    """A program's clocks; the first run of a JVM compiles and is left out, save where one takes a minute."""
    rows = []
    for size, runs in large_sizes(bench).items():
        bench.note(f"{program}: {size >> 20} MiB")
        file = write_text(bench, size)
        warm_up = 1 if runs > 1 else 0
        printed = pd.DataFrame(jvm(bench, program, [], file, runs + warm_up)).iloc[warm_up:]
        threads = printed.threads.max() if "threads" in printed else 1
        rows += [
            {"program": program.lower(), "size_bytes": size, "clock": clock, "threads": threads}
            | spread(printed[clock].tolist())
            for clock in printed.columns
            if clock != "threads"
        ]
        file.unlink()
    return pd.DataFrame(rows)


def large_seal(bench: Bench) -> pd.DataFrame:
    """The same files sealed."""
    return sealed(bench, large_sizes(bench))


def encrypted_chunks(bench: Bench, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole chunks of prose, and the parallel program's output for them: one chunk a row."""
    file = bench.scratch / "prose"
    file.write_bytes(english.prose()[: count * CHUNK - 1] + b"\n")
    list(jvm(bench, "Parallel", [], file, 1))
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
        follow = [(chunk, chunk) for chunk in range(count)]
        found = depth.keystream(cipher[:count].T, inner=[], outer=follow, model=model)
        read = cipher[:count] ^ found
        rows.append(
            {
                "chunks": count,
                "file_bytes": count * CHUNK,
                "read_fraction": (read == plain[:count]).mean(),
                "sample": repr(read[0, 40:100].tobytes())[2:-1],
            }
        )
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
        rows.append(
            {
                "rank": rank,
                "offset": at,
                "log_likelihood": score[at],
                "other_chunk_reads": repr(windows[at].tobytes())[2:-1],
                "phrase_stands_in": " and ".join(f"chunk {n}" for n in stands) or "neither",
                "xor_equals_plaintext_xor": equal,
                "phrase": phrase.decode(),
            }
        )
    return pd.DataFrame(rows)
