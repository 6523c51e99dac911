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


def test_an_output_is_written_over_in_place_and_keeps_nothing_of_the_last(bench, tmp_path):
    out = tmp_path / "out"
    bench.time(["printf", "a longer text"], stdout=out)
    before = out.stat().st_ino
    bench.time(["printf", "short"], stdout=out)
    assert out.read_bytes() == b"short" and out.stat().st_ino == before
