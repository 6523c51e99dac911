"""The programs under test, built in the experiment's own folder and timed by their own clock."""

from __future__ import annotations

import importlib.util
import re
import statistics
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pandas as pd

from lab.bench import ROOT, Bench
from lab.quiet import Quiet

PORTS = ROOT / "ports"
KEY = "Batumki"
C_VERSIONS = ("V0", "V1", "V2", "V3", "V4")
JAVA_VERSIONS = ("V1", "V2", "V3", "V4")
LEVELS = ("-O0", "-O1", "-O2", "-O3")
Command = list[str | Path]


def build(bench: Bench) -> dict[str, Command]:
    """Every port as its Makefile builds it, and our program, by the names in the charts."""
    bench.check(["make", "-C", PORTS, f"BUILD={bench.scratch}", "all"])
    return {
        "C": [bench.scratch / "c/rc4"],
        "assembly": [bench.scratch / "asm/rc4"],
        "Java": java(bench),
        "Perl": ["perl", PORTS / "perl/rc4.pl"],
        "Python": ["python3", PORTS / "python/rc4.py"],
        "our rc4": [bench.release / "rc4"],
    }


def java(bench: Bench, *options: str) -> Command:
    """Java's virtual machine with `options` on the port that `build` compiled."""
    return ["java", *options, "-cp", bench.scratch / "java", "RC4"]


def gcc(bench: Bench, *options: str, source: Path = PORTS / "c/rc4.c") -> Path:
    """The C port, or a changed copy of it, compiled with `options`."""
    program = bench.scratch / "-".join(["rc4", source.parent.name, *(word.strip("-") for word in options)])
    bench.check(["gcc", *options, "-o", program, source])
    return program


def changed(bench: Bench, source: Path, *replacements: tuple[str, str]) -> Path:
    """A copy of a port with pieces of its text replaced; each must stand in it exactly once."""
    text = source.read_text("utf-8")
    for old, new in replacements:
        if text.count(old) != 1:
            raise RuntimeError(f"{source} has {old!r} {text.count(old)} times, not once")
        text = text.replace(old, new)
    copy = bench.scratch / "changed" / source.name
    copy.parent.mkdir(exist_ok=True)
    copy.write_text(text, "utf-8")
    return copy


class Entry(NamedTuple):
    """What to time: how to label it, the program, its bytes and encryptions, the key."""

    labels: dict[str, object]
    command: Command
    size: int
    loop: int
    key: str = KEY


@dataclass(frozen=True)
class Run:
    """One run of a program, and the slower of the probes before and after it."""

    probe: float
    own_us: float
    process_us: float


def own_time(output: Path) -> float:
    """Microseconds an encryption took, as the program reports it. It verified its output before."""
    return float(re.search(r"encryption time = ([\d.]+) us", output.read_text("utf-8"))[1])


def race(bench: Bench, entries: list[Entry], runs: int) -> pd.DataFrame:
    """Time the entries in turn until `runs` runs of each were in quiet moments.

    Rounds are repeated for those that lack some, to three times as many at most (a quick run takes what it
    gets); what has none then keeps its noisy runs. Of all its `runs`, `quiet` were so. `us` is an
    encryption by the program's own clock; `process_us` the whole process over the number of encryptions,
    as a script outside sees it.
    """
    output = bench.scratch / "output"
    quiet = Quiet()
    samples: list[list[Run]] = [[] for _ in entries]
    before = quiet.probe()
    for _ in range(runs * bench.pick(1, 3)):
        for taken, entry in zip(samples, entries, strict=True):
            if sum(quiet.accepts(run.probe) for run in taken) < runs:
                options = [f"--bench={entry.size}", f"--bench-loop={entry.loop}"]
                sample = bench.time([*entry.command, *options, entry.key], stdout=output)
                after = quiet.probe()
                taken.append(Run(max(before, after), own_time(output), 1e6 * sample.wall / entry.loop))
                before = after
    rows = []
    for taken, entry in zip(samples, entries, strict=True):
        calm = [run for run in taken if quiet.accepts(run.probe)]
        kept = calm or taken
        own, process = [run.own_us for run in kept], [run.process_us for run in kept]
        rows.append(
            {
                **entry.labels,
                "bytes": entry.size,
                "loop": entry.loop,
                "runs": len(taken),
                "quiet": len(calm),
                "us": statistics.median(own),
                "us_min": min(own),
                "us_max": max(own),
                "process_us": statistics.median(process),
                "process_us_min": min(process),
                "process_us_max": max(process),
            }
        )
    return pd.DataFrame(rows)


def python_port() -> ModuleType:
    """The Python port as a module: the definition, slow and plain."""
    spec = importlib.util.spec_from_file_location("rc4_port", PORTS / "python/rc4.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
