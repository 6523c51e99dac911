"""The probe for quiet moments."""

import os

from lab.quiet import Quiet


def test_a_slow_probe_is_refused_and_the_best_is_kept():
    quiet = Quiet()
    quiet.best = 1.0
    assert quiet.accepts(1.0, 1.05)
    assert not quiet.accepts(1.0, 1.5)


def test_probing_measures_and_leaves_the_processors_as_they_were():
    before = os.sched_getaffinity(0)
    quiet = Quiet()
    assert 0 < quiet.probe() < 1
    assert 0 < quiet.best < float("inf")
    assert os.sched_getaffinity(0) == before
