"""The shards of a campaign in a folder: what every way of running them has in common.

The folder holds `campaign.toml` and, when counted, `0.cnt`, `1.cnt`, … A shard is deterministic and
its file appears in one step, so counting one twice, or on two machines at once, gives the same file.
"""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shards:
    """A campaign's folder, which every machine that works on it can reach, and the program."""

    folder: Path
    arcfour: Path

    @classmethod
    def prepare(cls, campaign: Path, folder: Path, arcfour: Path) -> Shards:
        """Put the campaign into the folder; another campaign that is there already is an error."""
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        inside = folder / "campaign.toml"
        if not inside.exists():
            shutil.copyfile(campaign, inside)
        elif tomllib.loads(inside.read_text("utf-8")) != tomllib.loads(campaign.read_text("utf-8")):
            raise ValueError(f"{folder} holds another campaign; choose another folder")
        return cls(folder, arcfour)

    @property
    def campaign(self) -> Path:
        """The campaign's file in the folder."""
        return self.folder / "campaign.toml"

    @property
    def count(self) -> int:
        """How many shards there are."""
        text = tomllib.loads(self.campaign.read_text("utf-8"))
        shards = text.get("shards")
        if not isinstance(shards, int) or shards < 1:
            raise ValueError(f"{self.campaign}: shards is {shards!r}; it must be 1 or more")
        return shards

    def file(self, index: int) -> Path:
        """The counts of one shard."""
        return self.folder / f"{index}.cnt"

    def run(self, index: int) -> None:
        """Count one shard, unless it is there; a shard that was stopped goes on."""
        run([self.arcfour, "bias", "shard", self.campaign, "--index", index, "--out", self.file(index)])

    def merge(self, out: Path) -> None:
        """Add up all shards into `out`, in one step; what is damaged or missing is named."""
        files = [self.file(index) for index in range(self.count)]
        run([self.arcfour, "bias", "merge", *files, "--out", out, "--force"])


def run(words: list[object]) -> None:
    """Run a program; what it complains of is the error."""
    done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{words[0]} ended with {done.returncode}")
