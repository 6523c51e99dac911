# SPDX-License-Identifier: MIT OR Apache-2.0
"""Counts pairs inside a core: an interaction between rounds, and a stall in the same clock. Every pair must occur while the
keystream is right."""

import pytest
import verilate
from simulate import shapes, variant

# In the rotor: where y comes from, and x of a later group.
ROTOR = {
    "y is an x of the group ahead": "rotor.x_of_1",
    "y is a y of the group ahead": "rotor.y_of_1",
    "y is an x of the second group ahead": "rotor.x_of_2",
    "y is a y of the second group ahead": "rotor.y_of_2",
    "a later x is of stage 1": "rotor.ahead_1",
    "a later x is of stage 2": "rotor.ahead_2",
    "a later x is of stage 3": "rotor.ahead_3",
}
# In the standing table, whose x of a later group is read one clock earlier.
CELLS = {event: signal.replace("rotor.", "cells.") for event, signal in (ROTOR | {"a later x is of stage 4": "rotor.ahead_4"}).items()}
# In the sums of rc4_spec: the hits, and the second addition.
SPEC = {
    "a hit three groups on": "hit3",
    "a hit two groups on": "hit2",
    "a hit in the next group": "hit1",
}
# Where a group has more than one round.
GROUP = {"y is an x of its own group": "rotor.own_x1"}
CELLS_GROUP = {"y is an x of its own group": "cells.own_x1"}
SPEC_GROUP = {"a hit in the same group": "any0", "the second addition": "again"}
# With CORRECT, for the next group.
CORRECT = {"a change of x with the sums": "late"}


def still(events):
    """The events of rc4_spec inside rc4_still."""
    return {event: f"core.{signal}" for event, signal in events.items()}


CORES = {("rc4_still", 8, 1): still(CELLS | SPEC)}
CORES_FULL = {
    ("rc4_spec", 8, 1): ROTOR | SPEC,
    ("rc4_pipe", 8, 1): ROTOR,
    ("rc4_pipe", 16, 2): ROTOR | GROUP,
    ("rc4_spec", 16, 2): ROTOR | SPEC | GROUP | SPEC_GROUP,
    ("rc4_spec with CORRECT", 16, 2): ROTOR | SPEC | GROUP | SPEC_GROUP | CORRECT,
    ("rc4_spec", 32, 4): ROTOR | SPEC | GROUP | SPEC_GROUP,
    ("rc4_still", 16, 2): still(CELLS | SPEC | CELLS_GROUP | SPEC_GROUP),
}


def never(entity, n, k, events, keys):
    """The pairs of an event and a stall that did not occur with `keys` random keys."""
    entity, more = variant(entity)
    folder = verilate.BUILD / "verilated" / "-".join(["events", entity, str(n), str(k), *more])
    model = verilate.core(entity, n, k, 5, folder=folder, level="-O0", more=more, events=events)
    return [pair for pair, seen in model.run("random", keys, 60, 1)["events"].items() if not seen]


@pytest.mark.parametrize("entity, n, k", shapes(CORES, CORES_FULL))
def test_every_event_meets_every_stall(entity, n, k):
    missing = never(entity, n, k, (CORES | CORES_FULL)[entity, n, k], 1000)
    assert not missing, f"never seen: {'; '.join(missing)}"


@pytest.mark.full
def test_what_cannot_occur_is_missed():
    """A group of one round does not hit itself."""
    assert len(never("rc4_spec", 8, 1, SPEC_GROUP, 1000)) == 4 * len(SPEC_GROUP)
