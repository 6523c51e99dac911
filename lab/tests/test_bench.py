"""The stopwatch and the gauge of the lab."""

import sys

import pytest

from lab.bench import Bench


@pytest.fixture
def bench(tmp_path):
    return Bench(full=False, scratch=tmp_path)


def test_peak_is_the_commands_own_and_not_the_interpreters(bench):
    assert bench.peak(["/bin/true"]) < 8 * 1024
    hungry = bench.peak([sys.executable, "-c", "x = b'x' * (200 << 20)"])
    assert 200 * 1024 < hungry < 260 * 1024


def test_time_tells_waiting_from_working(bench):
    waiting = bench.time(["sleep", "0.2"])
    assert waiting.wall >= 0.2 > waiting.cpu


def test_a_command_that_fails_is_named(bench):
    for run in (bench.check, bench.time, bench.peak):
        with pytest.raises(RuntimeError, match="false"):
            run(["/bin/false"])


def test_the_record_names_commands_once_and_without_this_machines_paths(bench, tmp_path):
    for _ in range(2):
        bench.check(["test", "-d", tmp_path])
    assert bench.commands == ["test -d $SCRATCH"]
