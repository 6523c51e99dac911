"""Results on disk: a table for each experiment, with a record of the run that made it."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from lab.bench import ROOT
from lab.schema import schema
from lab.sources import SOURCES, Source

RECORDED = ROOT / "lab" / "results"


@dataclass(frozen=True)
class Record:
    """The origin of a table, sufficient to make it again."""

    command: str
    full: bool
    date: str
    revision: str
    seconds: float
    cpu: str
    cores: int
    system: str
    commands: list[str]
    seed: int | None = None  # of the order of its runs; none in records that are older
    ghz: float | None = None  # the clock that its runs were held to; none in quick runs
    files: str | None = None  # the file system under its scratch files; none in records that are older

    @classmethod
    def made(cls, source: Source) -> Record:
        """The record of a table of another room. What it says of a run says that room."""
        return cls(source.files, True, "", "", 0.0, "", 0, "", source.commands())

    @classmethod
    def of(cls, command: str, full: bool, date: str, seconds: float, commands: list[str], seed: int, ghz: float | None, scratch: Path) -> Record:
        """The record of a run that just ended on this machine, with its files in the folder `scratch`."""
        return cls(command, full, date, revision(), round(seconds, 1), cpu(), os.cpu_count() or 1,
                   f"{platform.system()} {platform.release()}, Python {platform.python_version()}", commands, seed, ghz, file_system(scratch))


class NotMeasured(FileNotFoundError):
    """An experiment has no table under the folder of results."""


@lru_cache(maxsize=256)
def read(path: Path, written: int) -> pd.DataFrame:
    """A table, read once: figures, tables and verdicts ask for the same ones again and again. `written` tells a new one."""
    return pd.read_csv(path)


@lru_cache(maxsize=32)
def made(source: Source) -> pd.DataFrame:
    """A table of another room's records, read once likewise: they do not change while the lab reads."""
    return source.table()


def printed(study: str, claim: str) -> pd.DataFrame:
    """The paper's own numbers for a claim: `claims/<id>.csv` of the study, as printed."""
    return pd.read_csv(ROOT / "lab" / study / "claims" / f"{claim}.csv", comment="#")


class Results:
    """The results of a study under a folder: `results["threads"]` is a table."""

    def __init__(self, study: str, base: Path = RECORDED):
        self.study = study
        self.folder = base / study

    def source(self, experiment: str) -> Source | None:
        """The records of another room that make the table. A run under another folder has none."""
        return SOURCES.get((self.study, experiment)) if self.folder.parent == RECORDED else None

    def __contains__(self, experiment: str) -> bool:
        return self.source(experiment) is not None or (self.folder / f"{experiment}.csv").exists()

    def __getitem__(self, experiment: str) -> pd.DataFrame:
        if source := self.source(experiment):
            return made(source).copy()
        if experiment not in self:
            raise NotMeasured(f"Not measured yet: `python -m lab run {self.study}:{experiment} --full` does.")
        path = self.folder / f"{experiment}.csv"
        return read(path, path.stat().st_mtime_ns).copy()

    def rows(self, experiment: str) -> pd.DataFrame:
        """The same, each row under what tells it apart by the study's schema."""
        return self[experiment].set_index(schema(self.study)["rows"][experiment])

    def runs(self, experiment: str) -> pd.DataFrame | None:
        """Every run that an experiment is made of; none in records that are older."""
        path = self.folder / "runs" / f"{experiment}.csv"
        return pd.read_csv(path) if path.exists() else None

    def of(self, study: str) -> Results:
        """Another study's results under the same folder."""
        return Results(study, self.folder.parent)

    def elsewhere(self) -> list[Results]:
        """The same study's results on other processors: `processors/NAME` under its folder."""
        return [Results(f"processors/{folder.name}", self.folder) for folder in sorted((self.folder / "processors").glob("*"))]

    def paper(self, claim: str) -> pd.DataFrame:
        """The paper's own numbers for a claim."""
        return printed(self.study, claim)

    def record(self, experiment: str) -> Record:
        """The origin of an experiment's table."""
        if source := self.source(experiment):
            return Record.made(source)
        return Record(**json.loads((self.folder / f"{experiment}.json").read_text("utf-8")))

    def write(self, experiment: str, table: pd.DataFrame, record: Record, runs: pd.DataFrame) -> Path:
        """Put a table, the runs it is made of and its record where they belong, the record last; answers the table's path."""
        self.folder.mkdir(parents=True, exist_ok=True)
        each = self.folder / "runs" / f"{experiment}.csv"
        each.unlink(missing_ok=True)
        if len(runs):
            each.parent.mkdir(exist_ok=True)
            runs.to_csv(each, index=False, float_format="%.6g")
        table.to_csv(self.folder / f"{experiment}.csv", index=False, float_format="%.6g")
        text = json.dumps(asdict(record), indent=1, ensure_ascii=False)
        (self.folder / f"{experiment}.json").write_text(text + "\n", "utf-8")
        return self.folder / f"{experiment}.csv"


def revision() -> str:
    """The commit of the working tree, marked when files differ from it."""
    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", ROOT, *words], check=False, capture_output=True, text=True).stdout.strip()
    dirty = git("status", "--porcelain", "--", ".", ":!lab/results", ":!lab/refused.csv")  # the files that a sitting writes
    return git("rev-parse", "--short=12", "HEAD") + ("+" if dirty else "")


def file_system(folder: Path) -> str:
    """The kind of file system, as coreutils names it. `tmpfs` is memory: no time of a disk is in what its files take."""
    return subprocess.run(["stat", "--file-system", "--format=%T", folder], check=True, capture_output=True, text=True).stdout.strip()


def cpu() -> str:
    """The processor's name with family and model, which tell kinds apart that share a name: `AMD EPYC, family 26, model 2`."""
    fields = [line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines()]
    first = {name.strip(): value.strip() for name, _, value in reversed(fields)}
    if "model name" not in first:
        return platform.processor() or platform.machine()
    more = [f"{word} {first[name]}" for word, name in (("family", "cpu family"), ("model", "model")) if name in first]
    return ", ".join([first["model name"], *more])
