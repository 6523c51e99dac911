"""Measure, then draw, then judge: what `python -m lab` does."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from lab.bench import Bench
from lab.model import Study
from lab.results import Record, Results


def measure(study: Study, base: Path, full: bool, only: str | None = None) -> None:
    """Run the experiments of a study (or one of them) and write their tables."""
    results = Results(study, base)
    for experiment in study.experiments:
        if only in (None, experiment.id):
            print(f"  {study.name}:{experiment.id}  {experiment.title}", file=sys.stderr, flush=True)
            scratch = Path(tempfile.mkdtemp(prefix="arcfour-lab-"))
            try:
                bench = Bench(full, scratch)
                date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
                start = time.perf_counter()
                table = experiment.run(bench)
                command = f"python -m lab run {study.name}:{experiment.id}" + (" --full" if full else "")
                record = Record.of(command, full, date, time.perf_counter() - start, bench.commands)
                results.write(experiment.id, table, record)
            finally:
                shutil.rmtree(scratch)


def draw(study: Study, base: Path) -> None:
    """Draw the figures of a study as SVG, from results alone."""
    results = Results(study, base)
    folder = results.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for figure in study.figures:
        figure.draw(results).save(folder / f"{figure.id}.svg")


def judge(study: Study, base: Path) -> None:
    """Print the verdict on each claim of a study."""
    results = Results(study, base)
    print(f"{study.authors} ({study.year}), {study.title}")
    for verdict in study.verdicts(results):
        print(f"  {study.claims[verdict.claim].label:<12} {verdict.status}: {verdict.text}")
