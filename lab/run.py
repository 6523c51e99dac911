"""Implements `python -m lab`: measures, then draws, then judges."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.bench import Bench
from lab.clock import Clock
from lab.model import Experiment, Study
from lab.others import MOST
from lab.quiet import Quiet
from lab.results import RECORDED, NotMeasured, Record, Results
from lab.steady import accept, faults
from lab.svg import svg


@dataclass(frozen=True)
class Choice:
    """The options of experiments: the papers' sizes or quick ones, and the user's files and sizes."""

    full: bool = False
    own: dict[str, Any] = field(default_factory=dict)  # key, sizes, threads, file
    seed: int = 0  # of the order of runs
    clock: Clock | None = None  # that all runs of the sitting are held to
    budget: float = float("inf")  # seconds for an experiment

    def bench(self, scratch: Path) -> Bench:
        """The context of an experiment run so."""
        return Bench(self.full, scratch, quiet=Quiet(self.seed, self.clock, self.budget), **self.own)

    def options(self) -> str:
        """As the command line has them."""
        words = ["--full"] * self.full
        for name, value in self.own.items():
            words += [f"--{name}", ",".join(map(str, value)) if isinstance(value, list) else str(value)]
        return "".join(f" {shlex.quote(word)}" for word in words)


def measure(study: Study, base: Path, choice: Choice, only: str | None = None) -> tuple[list[Path], list[str]]:
    """Run the experiments of a study (or one of them); answers the tables written, and the experiments that failed among many."""
    results = Results(study.name, base)
    written, failed = [], []
    for experiment in chosen(study, choice, only):
        if source := results.source(experiment.id):
            if only is not None:
                raise ValueError(f"{study.name}:{only} is not recorded here: the lab reads {source.files}, which `{source.commands()[0]}` makes")
            continue
        name = f"{study.name}:{experiment.id}"
        print(f"  {name}  {experiment.title}", file=sys.stderr, flush=True)
        scratch = Path(tempfile.mkdtemp(prefix="arcfour-lab-"))
        try:
            bench = choice.bench(scratch)
            date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            start = time.perf_counter()
            try:
                table = experiment.run(bench)
            except (RuntimeError, OSError) as error:
                if only is not None:
                    raise
                if isinstance(error, NotMeasured):
                    bench.note(f"left out: {error}")
                else:
                    bench.note(f"failed: {error}")
                    failed.append(name)
                continue
            wrong = [*faults(table, experiment.rules), *crowded(bench.quiet.others)] if choice.full else []
            for each in wrong:
                bench.note(f"disturbed: {each}")
            if wrong and base == RECORDED:
                bench.note("not recorded: measure it again on a quiet machine")
                failed.append(name)
                continue
            command = f"python -m lab run {name}{choice.options()}"
            ghz = round(choice.clock.median, 4) if choice.clock and bench.quiet.made else None
            record = Record.of(command, choice.full, date, time.perf_counter() - start, bench.commands, choice.seed, ghz, scratch)
            if base == RECORDED:
                accept(study.name, experiment.id)
            written.append(results.write(experiment.id, table, record, bench.quiet.runs()))
        finally:
            shutil.rmtree(scratch)
    return written, failed


def crowded(others: float) -> list[str]:
    """A fault, if other programs took too much of the processors."""
    return [f"other programs kept {others:.0%} of a processor busy; {MOST:.0%} are the most"] if others > MOST else []


def chosen(study: Study, choice: Choice, only: str | None) -> list[Experiment]:
    """The experiments named; of a whole study, those that obey every option given."""
    if only is None:
        return [each for each in study.experiments if set(choice.own) <= set(each.takes)]
    experiment = next(each for each in study.experiments if each.id == only)
    for option in choice.own:
        if option not in experiment.takes:
            takes = ", ".join(f"--{name}" for name in experiment.takes) or "none"
            raise ValueError(f"{study.name}:{only} takes no --{option}; of these options it takes: {takes}")
    return [experiment]


def draw(study: Study, base: Path) -> None:
    """Draw the figures of a study as SVG, from results alone; those not measured yet are left out."""
    results = Results(study.name, base)
    folder = results.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for figure in study.figures:
        try:
            chart = figure.draw(results)
        except NotMeasured as missing:
            print(f"  {study.name}, {figure.title}: {missing}", file=sys.stderr)
            continue
        (folder / f"{figure.id}.svg").write_text(svg(chart), "utf-8")
    for path in folder.glob("*.svg"):  # of a figure that is no more
        if path.stem not in {figure.id for figure in study.figures}:
            path.unlink()


def judge(study: Study, base: Path, checks: bool) -> None:
    """Print the verdict on each claim of a study, and on request the conditions that decided it."""
    results = Results(study.name, base)
    print(f"{study.authors} ({study.year}), {study.title}")
    marks = {True: "met", False: "not met", None: "cannot be told"}
    for verdict in study.verdicts(results):
        print(f"  {study.claims[verdict.claim].label:<12} {verdict.status}: {verdict.text}")
        for check in verdict.checks if checks else ():
            print(f"  {'':<12} - {'undecided' if check.open else marks[check.met]}: {check.says}")
