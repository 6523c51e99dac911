"""The tools of an experiment: sizes, programs, a folder for output, and a stopwatch."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from lab.quiet import K, Quiet, Samples, T

ROOT = Path(__file__).parent.parent
# Our programs: those for release, unless the tests name others.
PROGRAMS = Path(os.environ.get("ARCFOUR_PROGRAMS", Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"), "release")))


def in_place(path: str, flags: int) -> int:
    """Opens a file to be written over, with what is in it."""
    return os.open(path, flags & ~os.O_TRUNC, 0o666)


@dataclass(frozen=True)
class Sample:
    """Seconds of one run of a child process."""

    wall: float
    cpu: float  # of the processor, user and system


@dataclass
class Bench:
    """The context of one experiment."""

    full: bool  # the paper's sizes, or those that take seconds
    scratch: Path  # emptied before and after
    programs: Path = PROGRAMS
    commands: list[str] = field(default_factory=list)  # the command, for the record
    quiet: Quiet = field(default_factory=Quiet)  # the gate of this experiment's times
    # Of the user's choice, where an experiment takes them; none: the paper's.
    key: str | None = None
    sizes: list[int] | None = None  # bytes
    threads: list[int] | None = None
    times: int | None = None  # how often each is encrypted in a run
    file: Path | None = None

    def pick(self, quick, full):
        """The value for the size of this run."""
        return full if self.full else quick

    def race(self, works: Mapping[K, Callable[[], T]], asked: int | Mapping[K, int]) -> dict[K, Samples[T]]:
        """Time pieces of work in turn until each has `asked` quiet runs; a quick run accepts every run."""
        return self.quiet.race(works, asked) if self.full else self.quiet.race(works, asked, tries=1, patience=0)

    def note(self, text: str) -> None:
        """Print progress for the user."""
        print(f"    {text}", file=sys.stderr, flush=True)

    def check(self, argv: Sequence[object], **options) -> subprocess.CompletedProcess:
        """Run a command that must succeed; its output is captured, its failure is ours."""
        words = [str(word) for word in argv]
        self.remember(words)
        done = subprocess.run(words, capture_output=True, check=False, **options)
        if done.returncode != 0:
            tail = done.stderr if isinstance(done.stderr, str) else done.stderr.decode(errors="replace")
            raise RuntimeError(f"{shlex.join(words)} failed with {done.returncode}: {tail.strip()[-2000:]}")
        return done

    def json(self, argv: Sequence[object], **options) -> Any:
        """The JSON that a command prints."""
        return json.loads(self.check(argv, **options).stdout)

    def csv(self, argv: Sequence[object], **reading) -> pd.DataFrame:
        """The table that a command prints."""
        return pd.read_csv(io.StringIO(self.check(argv, text=True).stdout), **reading)

    def linked(self, source: Path, *options: str) -> Path:
        """A C program that uses our library, compiled without a warning."""
        built = self.scratch / source.stem
        self.check(["gcc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "capi/include", "-o", built, source,
                    self.programs / "libarcfour.a", *options, "-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"])
        return built

    def time(self, argv: Sequence[object], stdin: Path | None = None, stdout: Path | None = None, cwd: Path | None = None) -> Sample:
        """Run a command from a file to a file (nothing, if None) and time it by `wait4`.

        A file that is there is written over in place. A virtual machine may give freed memory back to its host.
        Memory for a new file then took up to twice the time of sealing the file.
        """
        words = [str(word) for word in argv]
        self.remember(words)
        with open(stdin or os.devnull, "rb") as source, open(stdout or os.devnull, "wb", opener=in_place) as sink:
            start = time.perf_counter()
            child = subprocess.Popen(words, stdin=source, stdout=sink, stderr=subprocess.PIPE, cwd=cwd)
            assert child.stderr is not None  # a pipe was asked for
            errors = child.stderr.read()
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - start
            child.stderr.close()
            if stdout is not None:
                os.ftruncate(sink.fileno(), os.lseek(sink.fileno(), 0, os.SEEK_CUR))  # the child's position is ours
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError(f"{shlex.join(words)} failed with {child.returncode}: {errors.decode(errors='replace').strip()}")
        return Sample(wall, usage.ru_utime + usage.ru_stime)

    @contextmanager
    def busy(self, argv: Sequence[object]) -> Iterator[None]:
        """A command that lasts, on the last processor. This program and the others that it starts keep to the first."""
        ours = os.sched_getaffinity(0)
        words = ["taskset", "--cpu-list", str(max(ours)), *map(str, argv)]
        self.remember(words)
        os.sched_setaffinity(0, {min(ours)})
        neighbour = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            neighbour.kill()
            neighbour.wait()
            os.sched_setaffinity(0, ours)

    def peak(self, argv: Sequence[object]) -> int:
        """Run a command that must succeed; answers its largest resident set in KiB.

        Linux carries the high-water mark over `execve`, so a child would never show less memory
        than this interpreter. GNU time, which is small, starts the child instead.
        """
        report = self.scratch / "peak"
        self.check(["/usr/bin/time", "--format", "%M", "--output", report, *argv], stdin=subprocess.DEVNULL)
        return int(report.read_text().split()[-1])

    def remember(self, argv: Sequence[object]) -> None:
        """Put a command into the record."""
        line = shlex.join(map(str, argv)).replace(str(self.scratch), "$SCRATCH")
        line = line.replace(str(self.programs), f"target/{self.programs.name}").replace(f"{ROOT}/", "")
        if line not in self.commands:
            self.commands.append(line)
