"""The tasks that the last call of make has passed, so that CONTINUE=1 goes on with a call that was stopped.

The record is in the folder of built files. It is kept for a checkout without changes, and counts for the commit alone. A task may
write a record into the checkout, so the changes after each task are kept too.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from model import Invalid

ROOT = Path(__file__).parent.parent


class Passed:
    """The record: the seconds and the processor time of each task, and the seconds of the call."""

    def __init__(self, target: Path, commit: str) -> None:
        self.file = target / "passed.json"
        self.commit = commit  # without one, nothing is kept
        self.tasks: dict[str, list[float]] = {}
        self.changes = [""]  # digests, of the tasks' own changes to the checkout
        self.spent = 0.0
        self.lock = threading.Lock()

    def read(self) -> None:
        """Takes over what the call before has passed."""
        kept: dict[str, Any] = json.loads(self.file.read_text("utf-8")) if self.file.exists() else {"commit": ""}
        if not self.commit or kept["commit"] != self.commit or changes() not in kept["changes"]:
            raise Invalid(f"CONTINUE=1: {self.file} has no task that passed at this commit, with these changes to its files (git status)")
        self.tasks, self.spent, self.changes = kept["tasks"], kept["spent"], kept["changes"]

    def add(self, name: str, seconds: float, processor: float, spent: float) -> None:
        """Keeps a task. The file is replaced as a whole, since a call may be stopped at any moment."""
        if not self.commit:
            return
        with self.lock:
            self.tasks[name], self.spent = [seconds, processor], spent
            self.changes = list(dict.fromkeys([*self.changes, changes()]))
            partial = self.file.with_suffix(".part")
            partial.write_text(json.dumps({"commit": self.commit, "changes": self.changes, "spent": self.spent, "tasks": self.tasks}), "utf-8")
            partial.replace(self.file)


def git(*words: str) -> bytes:
    """What git says of the checkout; nothing without one."""
    return subprocess.run(["git", "-C", str(ROOT), *words], check=False, capture_output=True).stdout


def commit() -> str:
    """The commit of the checkout."""
    return git("rev-parse", "HEAD").decode().strip()


def changes() -> str:
    """A digest of the changes to the checkout; nothing without any."""
    said = git("status", "--porcelain") + git("diff", "HEAD")
    return hashlib.sha256(said).hexdigest() if said else ""
