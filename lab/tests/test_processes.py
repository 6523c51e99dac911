"""Processes of one program told apart by their cycles, whatever the clock was; the recorded ones have one speed."""

import pandas as pd
import pytest

from lab.handa2015 import tables as handa
from lab.processes import cycles, speeds
from lab.results import NotMeasured, Results
from lab.singhal2011 import tables as singhal

BYTES = 1000


def written(folder, runs):
    """A record of three processes at two clocks. The second was not accepted."""
    (folder / "one" / "runs").mkdir(parents=True)
    pd.DataFrame({"size": [BYTES]}).to_csv(folder / "one" / "timed.csv", index=False)
    runs.to_csv(folder / "one" / "runs" / "timed.csv", index=False)
    return Results("one", folder)


RUNS = pd.DataFrame({"cell": ["(1000, 'a')"] * 3, "ghz_before": [2.0, 2.0, 4.0], "ghz_after": [2.0, 2.0, 4.0], "counts": [True, False, True],
                     "measured": ['{"ns": 1000}', '{"ns": 9000}', '{"ns": 500}']})


def test_a_faster_clock_is_no_other_speed(tmp_path):
    found = cycles(written(tmp_path, RUNS), "timed", lambda cell, printed: printed["ns"] / cell[0])
    assert found.cycles.tolist() == [2.0, 2.0]
    assert found.cell.tolist() == [(1000, "a")] * 2


def test_runs_without_a_clock_do_not_tell(tmp_path):
    with pytest.raises(NotMeasured, match="No clock stands beside"):
        cycles(written(tmp_path, RUNS.drop(columns=["ghz_before", "ghz_after"])), "timed", lambda cell, printed: 1.0)


def test_two_speeds_show_in_the_tenths():
    row = speeds({"a program": [2.0] * 6 + [3.0] * 4}).iloc[0]
    assert row["lower tenth (cycles/byte)"] == 2.0 and row["upper tenth (cycles/byte)"] == 3.0
    assert row.processes == 10


def test_the_recorded_processes_of_each_loop_have_one_speed_unless_another_processor_is_busy():
    """Each is started anew. Our own RC4 has another speed for files that leave the second cache."""
    loops = pd.concat([handa.processes(Results("handa2015")), singhal.processes(Results("singhal2011")).iloc[1:]]).set_index("program")
    assert loops.processes.min() >= 40
    crowded = loops.index.str.endswith("another processor busy")
    assert crowded.sum() == 3
    alone = loops[~crowded]
    assert (alone["upper tenth (cycles/byte)"] <= 1.1 * alone["lower tenth (cycles/byte)"]).all()
