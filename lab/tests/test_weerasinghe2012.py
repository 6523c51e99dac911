"""The mechanism without chunk files: the same output from memory, and what its record will say. Which size of large files decides."""

import shutil

import pandas as pd
import pytest

from lab.bench import Bench
from lab.judge import Status
from lab.model import answers
from lab.results import RECORDED, Results
from lab.weerasinghe2012 import measure
from lab.weerasinghe2012.verdicts import files_cost, without_files


@pytest.mark.parametrize("size", [1, 10_000, 30_000, 123_457])
def test_each_policy_makes_the_same_file_and_only_memory_needs_no_chunk_files(tmp_path, size):
    """The program compares its output with libarcfour's before it prints a line."""
    table = measure.pthreads(Bench(False, tmp_path, sizes=[size], threads=[1, 3]))
    assert set(table.policy) == {"pool", "memory", "each"}
    assert set(table.tasks) == {size // measure.CHUNK + 1}
    assert not list((tmp_path / "chunks-c").iterdir()), "all that a run writes is gone"


def recorded(folder, rows):
    """A record of the C program: policy, threads and milliseconds until all is encrypted."""
    (folder / "weerasinghe2012").mkdir()
    table = pd.DataFrame(rows, columns=["policy", "threads", "ms"]).assign(clock="encrypted", size_bytes=1 << 24)
    table.assign(median_ns=table.ms * 1e6).to_csv(folder / "weerasinghe2012" / "pthreads.csv", index=False)
    return Results("weerasinghe2012", folder)


def test_the_gain_is_that_of_the_fastest_count_in_memory(tmp_path):
    found = without_files(recorded(tmp_path, [("pool", 1, 900), ("pool", 2, 100), ("memory", 1, 40), ("memory", 2, 20), ("memory", 4, 25)]))
    assert found == {"held": True, "held_mib": 16, "held_count": 2, "held_gain": 2.0}


def test_a_record_without_these_rows_says_so(tmp_path):
    assert not without_files(recorded(tmp_path, [("pool", 1, 900)]))["held"]


def test_one_run_of_the_largest_file_decides_nothing(tmp_path):
    """The mechanism is faster in the one run of 2 GiB, and slower in three runs of 1 GiB."""
    shutil.copytree(RECORDED / "weerasinghe2012", tmp_path / "weerasinghe2012", ignore=shutil.ignore_patterns("runs", "figures"))
    for name, clock, times in (("sequential", "saved", (10, 40)), ("parallel", "merged", (20, 30))):
        rows = [{"program": name, "clock": clock, "threads": 1, "size_bytes": gib << 30, "runs": runs, "quiet": runs} | dict.fromkeys(("median_ns", "q1_ns", "q3_ns"), seconds * 1e9)
                for gib, runs, seconds in zip((1, 2), (3, 1), times, strict=True)]
        pd.DataFrame(rows).to_csv(tmp_path / "weerasinghe2012" / f"large-{name}.csv", index=False)
    seal = pd.DataFrame({"program": ["seal, 1 thread", "seal, 2 threads"], "size_bytes": 2 << 30, "median_ns": 1e9})
    seal.to_csv(tmp_path / "weerasinghe2012" / "large-seal.csv", index=False)
    [verdict] = answers(files_cost, Results("weerasinghe2012", tmp_path))
    assert verdict.status is Status.FAILS and "so the condition takes a smaller size" in verdict.text
    assert verdict.checks[0].says.startswith("at 1,024 MiB")
