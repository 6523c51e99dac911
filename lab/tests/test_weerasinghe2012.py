"""The mechanism without chunk files: the same output from memory, and what its record will say."""

import pandas as pd
import pytest

from lab.bench import Bench
from lab.results import Results
from lab.weerasinghe2012 import measure
from lab.weerasinghe2012.verdicts import without_files


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
