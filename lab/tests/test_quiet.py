"""The probe for quiet moments."""

import os

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
    """Probes that take what is written down, the last for ever."""

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
    assert order[:2] == ["a", "b"], "in turn"


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
