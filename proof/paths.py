"""From a cut point to the next: what the proofs of every processor's code share."""

from memory import within
from obligation import Obligation


def path_obligations(name, assumed, ends, loads, stores, goals):
    """One obligation for each path that leads to one of `ends`; `goals` gives what has to hold there."""
    found = []
    for end in ends:
        claims = goals(end)
        claims["every access is within what the function may touch"] = within(end.accesses, loads, stores)
        way = "".join(", branch taken" if taken else ", branch not taken" for taken in end.branches)
        found.append(Obligation(name + way, [*assumed, *end.path], claims, list(end.trace)))
    return found


class Sections:
    """A proof whose `sections` give its obligations, one section from each cut point."""

    def obligations(self):
        for section in self.sections():
            yield from section()
