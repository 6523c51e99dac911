"""Obligations for all paths from a cut point to the next, shared by all proofs."""

from memory import within
from obligation import Obligation


def path_obligations(name, assumed, ends, loads, stores, goals):
    """Returns one obligation for each path that ends in one of `ends`.

    `goals` returns the claims about an end.
    """
    found = []
    for end in ends:
        claims = goals(end)
        claims["every access is inside the regions of the function"] = within(end.accesses, loads, stores)
        way = "".join(", branch taken" if taken else ", branch not taken" for taken in end.branches)
        found.append(Obligation(name + way, [*assumed, *end.path], claims, list(end.trace)))
    return found


class Sections:
    """A proof with one section for each cut point; each section returns obligations."""

    def obligations(self):
        for section in self.sections():
            yield from section()
