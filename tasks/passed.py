"""The tasks that the last call of make has passed, so that CONTINUE=1 goes on with a call that was stopped.

The record is in the folder of built files. It is kept for a checkout without changes, and counts for the commit alone.
"""

from __future__ import annotations

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
        self.spent = 0.0
        self.lock = threading.Lock()

    def read(self) -> None:
        """Takes over what the call before has passed."""
        kept: dict[str, Any] = json.loads(self.file.read_text("utf-8")) if self.file.exists() else {"commit": ""}
        if not self.commit or kept["commit"] != self.commit:
            raise Invalid(f"CONTINUE=1: {self.file} has no task that passed at this commit, without changes to its files")
        self.tasks, self.spent = kept["tasks"], kept["spent"]

    def add(self, name: str, seconds: float, processor: float, spent: float) -> None:
        """Keeps a task. The file is replaced as a whole, since a call may be stopped at any moment."""
        if not self.commit:
            return
        with self.lock:
            self.tasks[name], self.spent = [seconds, processor], spent
            partial = self.file.with_suffix(".part")
            partial.write_text(json.dumps({"commit": self.commit, "spent": self.spent, "tasks": self.tasks}), "utf-8")
            partial.replace(self.file)


def commit() -> str:
    """The commit of a checkout without changes; nothing for another one."""
    git = ["git", "-C", str(ROOT)]
    changes = subprocess.run([*git, "status", "--porcelain"], check=False, capture_output=True, text=True)
    if changes.returncode or changes.stdout:
        return ""
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
