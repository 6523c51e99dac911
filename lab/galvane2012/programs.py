"""The programs under test, built in the experiment's own folder and timed by their own clock."""

from __future__ import annotations

import re
import statistics
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lab.bench import ROOT, Bench

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
        "our rc4": [bench.programs / "rc4"],
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
    """A command to time: its label, the program, its bytes and encryptions, and the key."""

    labels: dict[str, object]
    command: Command
    size: int
    loop: int
    key: str = KEY


def race(bench: Bench, entries: list[Entry], asked: int) -> pd.DataFrame:
    """Time the entries in turn until `asked` runs of each were in quiet moments, as far as the gate lets it.

    Of all its `runs`, `quiet` were so; where none was, all count. `us` is an encryption by the program's own
    clock; `process_us` the whole process over the number of encryptions, as a script outside sees it.
    """
    output = bench.scratch / "output"

    def run(entry: Entry) -> tuple[float, float]:
        options = [f"--bench={entry.size}", f"--bench-loop={entry.loop}"]
        sample = bench.time([*entry.command, *options, entry.key], stdout=output)
        # The program reports what an encryption took. It verified its output before.
        own = float(re.findall(r"encryption time = ([\d.]+) us", output.read_text("utf-8"))[0])
        return own, 1e6 * sample.wall / entry.loop

    works = {number: partial(run, entry) for number, entry in enumerate(entries)}
    rows = []
    for number, samples in bench.race(works, asked).items():
        entry = entries[number]
        own, process = zip(*samples.kept, strict=True)
        rows.append({**entry.labels, "bytes": entry.size, "loop": entry.loop, **samples.counts, "us": statistics.median(own), "us_min": min(own), "us_max": max(own),
                     "process_us": statistics.median(process), "process_us_min": min(process), "process_us_max": max(process)})
    return pd.DataFrame(rows)
