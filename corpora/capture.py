"""Captures: ours beside tshark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import outcome
from outcome import Outcome, run

if TYPE_CHECKING:
    from pathlib import Path


def compare(arcfour: Path, path: Path, _folder: Path) -> Outcome:
    """Look for a key; tshark says whether there are packets of WEP at all."""
    done = run(arcfour, "attack", "wep", path, "--json")
    if bad := outcome.ended_badly(done):
        return Outcome(outcome.DIFFERS, bad)
    theirs = run("tshark", "-n", "-r", path, "-Y", "wlan.wep.iv", "-T", "fields", "-e", "frame.number")
    packets = len(theirs.out.split())
    if done.code == 0:
        what = "" if packets or path.suffix == ".ivs" else "ours finds a key where tshark finds no packet"
        return Outcome(outcome.DIFFERS if what else outcome.DECRYPTED, what)
    reason = outcome.why(done).replace(str(path), path.name)
    if packets and "no key found" not in reason:
        return Outcome(outcome.DIFFERS, f"tshark finds {packets} packets; ours: {reason}")
    if not packets and "no key found" in reason:
        return Outcome(outcome.DIFFERS, f"tshark finds no packet; ours: {reason}")
    return Outcome(outcome.CLOSED if packets else outcome.NOTHING if theirs.code == 0 else outcome.UNREADABLE)
