"""The runner of timed experiments: quiet moments, rounds, the clock, a slow spell."""

import json
import os
import statistics
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from lab import sitting
from lab.clock import Clock
from lab.quiet import Quiet


def test_a_slow_probe_is_refused():
    quiet = Quiet()
    quiet.seen = [1.0]
    assert quiet.accepts(1.0, 1.05)
    assert not quiet.accepts(1.0, 1.5)


def test_one_lucky_probe_is_not_what_others_are_held_to():
    quiet = Quiet()
    quiet.seen = [0.5] + [1.0] * 19
    assert quiet.accepts(1.05)
    assert not quiet.accepts(1.2)


def test_probing_measures_and_leaves_the_processors_as_they_were():
    before = os.sched_getaffinity(0)
    quiet = Quiet()
    assert 0 < quiet.probe() < 1
    assert 0 < quiet.best < float("inf")
    assert os.sched_getaffinity(0) == before


class Scripted(Quiet):
    """Probes with given durations; the last repeats for ever."""

    def __init__(self, *seconds):
        super().__init__()
        self.seconds = list(seconds)

    def probe(self):
        seconds = self.seconds.pop(0) if len(self.seconds) > 1 else self.seconds[0]
        self.seen = sorted([*self.seen, seconds])
        return seconds


def test_a_race_goes_on_until_all_have_as_many_quiet_runs_as_asked():
    quiet = Scripted(1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    order = []
    samples = quiet.race({name: lambda name=name: order.append(name) or name for name in "ab"}, asked=2, patience=0)
    assert [each.counts["quiet"] for each in samples.values()] == [2, 2]
    assert samples["b"].counts["runs"] > 2, "the run after the noisy probe was counted"
    assert sorted(order[:2]) == ["a", "b"], "in turn"


def test_a_race_ends_where_the_machine_is_never_quiet_and_keeps_what_there_is():
    quiet = Scripted(2.0)
    quiet.seen = [1.0] * 10
    samples = quiet.race({"a": lambda: 7}, asked=3, tries=2, patience=0)["a"]
    assert samples.counts == {"asked": 3, "runs": 6, "quiet": 0}
    assert samples.kept == [7] * 6


def test_a_best_probe_found_late_judges_the_runs_before_it():
    quiet = Scripted(2.0, 2.0, 1.0)
    samples = quiet.race({"a": lambda: 7}, asked=2, tries=1, patience=0)["a"]
    assert samples.counts["quiet"] == 0


class Machine(Quiet):
    """A machine whose time is counted, not waited for: every probe is alike, and within a spell all work takes `slower` times as long."""

    def __init__(self, spell=(0.0, 0.0), slower=1.5, clock=None, **more):
        self.time, self.spell, self.slower = 0.0, spell, slower
        super().__init__(clock=clock, **more)

    def now(self):
        return self.time

    def probe(self):
        self.seen = [1.0]
        return 1.0

    @property
    def slow(self):
        return self.spell[0] <= self.time < self.spell[1]

    def work(self, seconds):
        took = seconds * (self.slower if self.slow else 1)
        self.time += took
        return took


class Cores(Clock):
    """A clock that follows the machine: it is slower within the spell."""

    def __init__(self):
        super().__init__(Path("none"))
        self.machine = None

    def read(self):
        self.seen.append(3.0 / self.machine.slower if self.machine.slow else 3.0)
        return self.seen[-1]


SIZES = range(1, 11)  # of ten cells; each takes its size in seconds


def costs(samples):
    """Medians of the seconds for a unit of work, by cell."""
    return [statistics.median(samples[size].kept) / size for size in SIZES]


@pytest.mark.parametrize("seed", range(5))
def test_a_slow_spell_shows_as_spread_and_not_as_a_trend(seed):
    """A quarter of the time is slow, which no probe sees."""
    one_by_one = Machine((150, 240))
    turns = [one_by_one.race({size: partial(one_by_one.work, size)}, asked=5, patience=0)[size] for size in SIZES]
    assert max(costs(dict(zip(SIZES, turns, strict=True)))) == 1.5, "one cell after the other: the spell is taken for a size"

    machine = Machine((150, 240), seed=seed)
    samples = machine.race({size: partial(machine.work, size) for size in SIZES}, asked=5, patience=0)
    assert costs(samples) == [1.0] * 10, "in rounds: no median moves"
    touched = [size for size in SIZES if max(samples[size].kept) > min(samples[size].kept)]
    assert len(touched) >= 7, "and the spread of most cells tells of it"


def test_rounds_have_an_order_that_the_seed_gives():
    def order(seed):
        made = []
        machine = Machine(seed=seed)
        machine.race({size: partial(made.append, size) for size in SIZES}, asked=3, patience=0)
        return [made[at:at + 10] for at in (0, 10, 20)]
    assert all(sorted(each) == list(SIZES) for each in order(1)), "each cell once in a round"
    assert all(one != other for one, other in pairwise([list(SIZES), *order(1)]))
    assert order(1) == order(1) != order(2)


def test_a_run_beside_another_clock_is_rejected_and_made_again():
    clock = Cores()
    machine = clock.machine = Machine((20, 40), 1.05, clock)
    sample = machine.race({"a": partial(machine.work, 1)}, asked=60, patience=0)["a"]
    assert set(sample.kept) == {1.0}
    assert sample.counts["quiet"] == 60 < sample.counts["runs"]
    runs = machine.runs()
    assert list(runs.run) == list(range(len(runs)))
    slow = runs[(runs.ghz_before < 2.9) | (runs.ghz_after < 2.9)]
    assert len(slow) >= 19 and not slow.counts.any() and runs.drop(slow.index).counts.all()


def test_a_clock_within_two_per_cent_is_the_same():
    clock = Clock(Path("none"), [3.0, 3.0, 3.0])
    assert clock.accepts(3.05, 2.95)
    assert not clock.accepts(3.0, 3.07)
    assert not clock.accepts(2.93)


def test_a_budget_ends_the_rounds_once_each_cell_has_a_run():
    machine = Machine(budget=20)
    samples = machine.race({size: partial(machine.work, size) for size in SIZES}, asked=5, patience=0)
    assert {each.counts["runs"] for each in samples.values()} == {1}
    machine = Machine(budget=60)
    samples = machine.race({size: partial(machine.work, size) for size in SIZES}, asked=5, patience=0)
    assert {each.counts["runs"] for each in samples.values()} == {2}


def test_cells_may_ask_for_runs_of_their_own():
    samples = Machine().race({"a": int, "b": int}, {"a": 3, "b": 1}, patience=0)
    assert [samples[name].counts for name in "ab"] == [{"asked": 3, "runs": 3, "quiet": 3}, {"asked": 1, "runs": 1, "quiet": 1}]


def test_a_sitting_goes_on_where_it_was_broken_off(tmp_path, monkeypatch):
    monkeypatch.setattr(sitting, "STATE", tmp_path / "state" / "sitting.json")
    names = ["handa2015:rc4a", "handa2015:keyed", "handa2015:seal"]
    seen = []

    def one(breaks, name, choice):
        if name == breaks:
            raise KeyboardInterrupt
        seen.append((name, choice.seed))
        choice.clock.seen.append(3.0)
        return name != "handa2015:rc4a" or len(seen) > 2

    with pytest.raises(KeyboardInterrupt):
        sitting.measure(names, one=partial(one, "handa2015:seal"))
    state = json.loads(sitting.STATE.read_text())
    assert list(state["done"]) == ["handa2015:keyed"], "the first was disturbed"
    assert sitting.measure(names, one=partial(one, "")) == []
    assert [name for name, _ in seen] == ["handa2015:rc4a", "handa2015:keyed", "handa2015:rc4a", "handa2015:seal"]
    assert {seed for _, seed in seen} == {state["seed"]}, "one order of runs"
    assert json.loads(sitting.STATE.read_text())["ghz"] == [3.0] * 4, "one clock"
    assert sitting.begin(names, None, anew=False).left == names, "all is done: the next one is new"


def test_a_sitting_keeps_to_its_minutes():
    shares = sitting.shares(list(sitting.TIMED), 90)
    assert sum(seconds for seconds in shares.values() if seconds > sitting.UNKNOWN) <= 90 * 60
    assert shares["handa2015:parc4i"] > shares["handa2015:parc4r"]


def test_all_that_is_timed_exists_and_all_that_is_disturbed_is_timed():
    from lab.steady import refused
    from lab.studies import study
    for name in sitting.TIMED:
        of, _, experiment = name.partition(":")
        assert experiment in {each.id for each in study(of).experiments}
    assert {f"{of}:{experiment}" for of, experiment in refused()} <= set(sitting.TIMED)
