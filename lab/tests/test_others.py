"""A load that lasts is seen, and keeps an experiment from being recorded."""

import os
import signal
import subprocess
import time

import pandas as pd

from lab import run
from lab.bench import Bench
from lab.model import Experiment
from lab.others import MOST, Others, elsewhere


def test_a_program_that_is_no_child_of_ours_is_seen():
    started = subprocess.run(["sh", "-c", "(while :; do :; done) > /dev/null & echo $!"], stdout=subprocess.PIPE, text=True, check=True)
    try:
        others = Others()
        time.sleep(1.0)
        assert others.share() > MOST
    finally:
        os.kill(int(started.stdout), signal.SIGKILL)


def test_our_children_are_not_others(monkeypatch):
    before, own = elsewhere(), os.times()
    monkeypatch.setattr(os, "times", lambda: (own[0], own[1], own[2] + 60, own[3], own[4]))
    assert elsewhere() < before - 30


def test_a_share_that_is_too_large_is_a_fault():
    assert run.crowded(MOST) == []
    assert run.crowded(0.5) == ["other programs kept 50% of a processor busy; 20% are the most"]


class Crowded:
    """A study of one experiment, beside which other programs ran."""

    name = "one"

    def __init__(self) -> None:
        self.experiments = (Experiment("timed", "A table", self.run, ()),)

    def run(self, bench: Bench) -> pd.DataFrame:
        bench.quiet.others = 0.5
        return pd.DataFrame({"time": [1.0]})


def test_what_was_timed_beside_others_is_not_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "RECORDED", tmp_path)
    assert run.measure(Crowded(), tmp_path, run.Choice(full=True), None) == ([], ["one:timed"])
    assert "disturbed: other programs kept 50% of a processor busy" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.csv"))
