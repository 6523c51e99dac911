"""The plan in figures, held against its own model and the recorded run of the scheduler."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from arcfour.campaign import plan

SCALE = Path(__file__).parents[1] / "scale.md"


def shell(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "arcfour.campaign", "plan", *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_time_and_cost_by_hand() -> None:
    done = shell("--rate", 1 << 20, "--key-rate", 1 << 20, "--price", 0.5, "--cores", 1, 100)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [re.split(r"  +", line) for line in done.stdout.splitlines()[1:9]]
    assert [row[0] for row in rows[::2]] == [
        "2^40 keystreams",
        "2^48 keystreams",
        "search of 40 bits",
        "search of 56 bits",
    ]
    # 2^20 seconds in 1748 shards of ten minutes; one second to start each.
    seconds = 2**20 + 1748 * (1 + plan.MERGE)
    assert rows[0][1:5] == ["1", "1748", f"{seconds / 86400:.1f} days", f"{seconds / 7200:.2f}"]
    # 100 cores: the busiest has 18 of the shards.
    seconds = 18 * (1 + 2**20 / 1748) + 1748 * plan.MERGE
    assert rows[1][3] == f"{seconds / 3600:.1f} hours"


def test_more_cores_never_take_longer_and_cost_more() -> None:
    for work in plan.works(3e6, 5e6):
        times = [work.seconds(cores) for cores in (1, 100, 10_000)]
        costs = [work.core_hours(cores) for cores in (1, 100, 10_000)]
        assert times == sorted(times, reverse=True)
        assert costs == sorted(costs)
        assert all(0 < work.efficiency(cores) <= 1 for cores in (1, 100, 10_000))


def test_the_merge_is_the_recorded_one() -> None:
    text = SCALE.read_text("utf-8")
    found = re.search(r"check and merge on one core, µs per shard \| (\d+)", text)
    assert found
    assert pytest.approx(float(found[1]), rel=0.5) == plan.MERGE * 1e6


def test_rates_are_measured_here() -> None:
    done = shell("--cores", 3)
    assert done.returncode == 0, done.stderr
    rates = re.search(r"on 1 core +([\d,]+) +1\.00 +([\d,]+) +1\.00\n", done.stdout)
    assert rates
    assert all(int(rate.replace(",", "")) > 10_000 for rate in rates.groups())


@pytest.mark.parametrize("words", [["--rate", 0], ["--price", "nan"], ["--key-rate", "many"]])
def test_what_is_no_rate_is_named(words: list[object]) -> None:
    done = shell(*words)
    assert done.returncode == 2
    assert f"it is '{words[1]}'; it must be a number above 0" in done.stderr
