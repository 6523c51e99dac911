"""The numbers that READMEs quote, by name, each out of a recorded run.

A README has them as `1.62<!--=kernel.five.xor-->`: `python -m lab write` writes the number before
the comment, and a test checks it. No number is typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pandas as pd

from lab.bench import ROOT
from lab.judge import Status, Verdict
from lab.model import Study
from lab.results import Results
from lab.studies import NAMES, study

RUNS = ROOT / "bench" / "runs"
ZEN_5 = "amd-epyc-family-26"  # the processor of the figures, where a page names no other one
INTEL = "intel"
GIB = 1 << 30


@cache
def run(processor: str = ZEN_5) -> Path:
    """The newest recorded run of the benchmark on a kind of processor: the folders are named by date and processor."""
    return max(path.parent for path in RUNS.glob(f"????-??-??-{processor}*/summary.csv"))


@cache
def table(path: Path) -> pd.DataFrame:
    """A recorded table."""
    return pd.read_csv(path)


def engine(work: str, name: str, size: int, processor: str = ZEN_5) -> pd.Series:
    """A row of the benchmark's summary."""
    rows = table(run(processor) / "summary.csv").query("work == @work and engine == @name and bytes == @size")
    return rows.iloc[0]


def kernel(name: str, streams: int) -> dict:
    """The figure of a kernel of RC4 by `arcfour bench kernels`, in the same run, on the fastest backend."""
    found = json.loads((run() / "kernels.json").read_text("utf-8"))
    return next(each for each in found if each["name"] == name and each["family"] == "rc4" and each["streams"] == streams)


def rate(command: str) -> float:
    """GB/s of a whole command on 1 GiB in the benchmark, the median of its quiet runs if there are any."""
    rows = table(run() / "commands.csv").query("command == @command and bytes == @GIB")
    return GIB / 1e9 / (rows[rows.accepted] if rows.accepted.any() else rows).wall_seconds.median()


def peak(command: str) -> float:
    """Peak memory of a whole command in MiB, as the benchmark's own table says."""
    rows = [[cell.strip() for cell in line.split("|")] for line in (run() / "summary.md").read_text("utf-8").splitlines()]
    column = next(row.index("peak MiB") for row in rows if "peak MiB" in row)
    return float(next(row[column] for row in rows if row[1:3] == [command, "1 GiB"]))


def counted(what: str, engine: str = "arcfour bias") -> float:
    """Million keystreams a second that are counted, the median of the samples in quiet moments."""
    rows = table(run() / "statistics.csv").query("counted == @what and engine == @engine")
    rows = rows[rows.accepted] if rows.accepted.any() else rows
    return (rows.keystreams / rows.nanoseconds).median() * 1000


def sealed_to_file() -> float:
    """GB/s of `arcfour seal` from file to file at 1 GiB, on two threads: the lab's run, another day than the benchmark's."""
    return GIB / Results("weerasinghe2012").rows("large-seal").median_ns["seal, 2 threads", GIB]


def core(column: str) -> float:
    """A figure of `rc4_spec` with K = 4 on Sky130, as the post-placement table of the data sheet says."""
    rows = [[cell.strip() for cell in line.split("|")] for line in (ROOT / "hardware" / "README.md").read_text("utf-8").splitlines()]
    at = next(row.index(column) for row in rows if "corrected" in row)
    return float(next(row[at] for row in rows if row[1:2] == ["`rc4_spec_4`"]))


def seconds(name: str, experiments: str = "") -> float:
    """How long the recorded experiments of a study took, or those whose names match."""
    results = Results(name)
    return sum(results.record(each.id).seconds for each in study(name).experiments if each.id in results and re.search(experiments, each.id))


def tally(status: Status) -> str:
    """How many claims of the studies of papers have this verdict."""
    return str(sum(verdict.status is status for name in NAMES for verdict in verdicts(study(name))))


@cache
def verdicts(found: Study) -> tuple[Verdict, ...]:
    """The verdicts of a study on the committed results."""
    return tuple(found.verdicts(Results(found.name)))


def port(experiment: str, size: int, unit: float = 1e3, **labels: object) -> str:
    """Milliseconds (or microseconds, by the unit) of a port in a recorded experiment of galvane2012."""
    rows = Results("galvane2012")[experiment].query("bytes == @size")
    for name, value in labels.items():
        rows = rows[rows[name] == value]
    return f"{rows.us.iloc[0] / unit:.3g}"


EMBEDDED = ("one", "five", "portable.one", "portable.five", "plain", "key", "portable.key")
LINE = re.compile(r"x86-64 one stream ([\d.]+), five ([\d.]+); portable one stream ([\d.]+), five ([\d.]+);"
                  r" plain loop ([\d.]+); cycles per key: (\d+), portable (\d+)$")


def embedded(compiler: str, figure: str) -> str:
    """A figure of the recorded line of `make bench-embed`: cycles per byte, or per key."""
    lines = (ROOT / "capi" / "single" / "bench" / "recorded.txt").read_text("utf-8").splitlines()
    line = next(line for line in lines if f"; {compiler} " in line)
    found = LINE.search(line)
    assert found is not None, line
    return found[1 + EMBEDDED.index(figure)]


def provided(provider: str, size: int) -> str:
    """MB/s by a provider, or the ratio of the two, by the size of a call: recorded by `make -C capi/provider speed`."""
    lines = (ROOT / "capi" / "provider" / "recorded.txt").read_text("utf-8").splitlines()
    at = lines.index(provider)
    column = [int(found) for found in re.findall(r"(\d+) bytes", lines[lines.index("legacy") + 1])].index(size)
    if provider == "ratio":
        return lines[at + 1].split()[column]
    return f"{float(lines[at + 2].split()[1 + column].rstrip('k')) / 1000:.0f}"


def in_python(label: str) -> str:
    """The first figure of a row that `make python-bench` printed, as recorded; the last of these is the one."""
    lines = (ROOT / "python" / "recorded.md").read_text("utf-8").splitlines()
    return next(line for line in reversed(lines) if line.startswith(f"| {label} |")).split("|")[2].strip()


USR = ROOT / "survey" / "real" / "usr.tsv"


@cache
def scanned() -> pd.DataFrame:
    """What the survey finds in the programs under /usr, as `make survey-usr-record` wrote it."""
    lines = USR.read_text("utf-8").splitlines()
    return pd.read_csv(USR, sep="\t", skiprows=sum(line.startswith("# ") for line in lines))


def scan(count: str) -> str:
    """A count of that run, in front of the table."""
    found = re.search(rf"^# {count}: (\d+)$", USR.read_text("utf-8"), re.MULTILINE)
    assert found is not None, count
    return f"{int(found[1]):,}"


def programs(code: bool, named: bool) -> str:
    """How many files have RC4 in machine code, define a function of RC4 by name, or both."""
    rows = scanned()
    in_code = rows.evidence.str.contains("in machine code")
    by_name = rows.evidence.str.match("exports|contains")
    files = [set(zip(rows.path[which], rows.within[which].fillna(""))) for which in (in_code, by_name)]
    wanted = [each for each, is_wanted in zip(files, (code, named)) if is_wanted]
    return str(len(set.intersection(*wanted)))


STREAM = 1 << 20
PORTS = {"C": "C", "assembly": "assembly", "Java": "Java", "Perl": "Perl", "Python": "Python", "rc4": "our rc4"}
ENGINES = ("arcfour", "arcfour-c", "arcfour-portable", "openssl", "openssl-bytes", "libtomcrypt", "nettle", "go", "textbook-c", "rustcrypto-rc4", "rustcrypto-rc4-native", "libgcrypt")
COUNTED = {"single": "single bytes, 256 positions", "digraphs": "digraphs, 512 positions"}

NUMBERS: dict[str, Callable[[], str]] = {
    "bench.date": lambda: run().name[:10],
    **{f"stream.{name}": partial(lambda name: f"{engine('stream', name, STREAM).cycles_per_byte:.2f}", name) for name in ENGINES},
    **{f"times.{name}": partial(lambda name: f"{engine('stream', name, STREAM).cycles_per_byte / engine('stream', 'arcfour', STREAM).cycles_per_byte:.2f}", name) for name in ENGINES},
    **{f"setup.{name}": partial(lambda name: f"{engine('setup', name, 0).cycles:.0f}", name) for name in ENGINES},
    **{f"message64.{name}": partial(lambda name: f"{engine('message', name, 64).cycles_per_byte:.1f}", name) for name in ENGINES},
    **{f"intel.stream.{name}": partial(lambda name: f"{engine('stream', name, STREAM, INTEL).cycles_per_byte:.2f}", name) for name in ENGINES},
    "kernel.five.xor": lambda: f"{kernel('xor in place', 5)['cycles_per_byte']:.2f}",
    "kernel.five.keystream": lambda: f"{kernel('keystream', 5)['cycles_per_byte']:.2f}",
    "kernel.one.xor": lambda: f"{kernel('xor in place', 1)['cycles_per_byte']:.2f}",
    "rc4.gbps": lambda: f"{rate('rc4'):.1f}",
    "rc4.times": lambda: f"{rate('rc4') / rate('openssl enc -rc4'):.1f}",
    "rc4.mib": lambda: f"{peak('rc4'):.0f}",
    "seal.null.gbps": lambda: f"{rate('arcfour seal'):.1f}",
    "seal.null.times": lambda: f"{rate('arcfour seal') / rate('openssl enc -rc4'):.1f}",
    "seal.mib": lambda: f"{peak('arcfour seal'):.0f}",
    "seal.file.gbps": lambda: f"{sealed_to_file():.1f}",
    "bias.million": lambda: f"{counted('single bytes, 256 positions'):.1f}",
    **{f"counted.{name}": partial(lambda what: f"{counted(what):.2f}", what) for name, what in COUNTED.items()},
    **{f"counted.{name}.times": partial(lambda what: f"{counted(what) / counted(what, 'plain C loop'):.1f}", what) for name, what in COUNTED.items()},
    "core.gbps": lambda: f"{core('Gb/s'):.1f}",
    "core.gates": lambda: f"{1000 * core('Sky130 HD: kGE'):,.0f}",
    "core.mhz": lambda: f"{core('MHz'):.0f}",
    "core.corrected": lambda: f"{core('corrected'):.0f}",
    **{f"ports.c.{version}.{level}": partial(port, "c-versions", 10_000_000, level=f"-{level}", version=version)
       for version in ("V0", "V1", "V2", "V3", "V4") for level in ("O2", "O3")},
    **{f"ports.java.{version}.{name}": partial(port, "java-versions", 1_000_000, jit=jit, version=version)
       for version in ("V1", "V2", "V3", "V4") for name, jit in (("jit", True), ("nojit", False))},
    **{f"ports.java.{version}.200": partial(port, "final", 200, 1, language="Java", version=version) for version in ("V1", "V4")},
    **{f"ports.c.{version}.{level}.200": partial(port, "final", 200, 1, language=f"C -{level}", version=version) for version in ("V0", "V4") for level in ("O2", "O3")},
    **{f"ports.all.{name}": partial(port, "languages-steady", 1_000_000, language=language) for name, language in PORTS.items()},
    **{f"seconds.{name}": partial(lambda name: f"{seconds(name):.0f}", name) for name in NAMES},
    **{f"seconds.singhal2011.{part}": partial(lambda part: f"{seconds('singhal2011', f'^{part}'):.0f}", part)
       for part in ("masks", "times-aes", "times-no-aes", "times-tables", "memory", "kinds", "leak", "operations", "energy")},
    **{f"claims.{status.name.lower()}": partial(tally, status) for status in Status},
    "usr.packages": partial(scan, "packages of Debian"),
    "usr.files": partial(scan, "files"),
    "usr.programs": partial(scan, "programs"),
    "usr.code": partial(programs, code=True, named=False),
    "usr.named": partial(programs, code=False, named=True),
    "usr.both": partial(programs, code=True, named=True),
    "biases.first": lambda: power(Results("biases")["first-checks"].keystreams.max()),
    "biases.long": lambda: power(Results("biases")["long-checks"].keystreams.max() * (1 << 20)),
    "biases.minutes": lambda: f"{seconds('biases') / 60:.0f}",
    **{f"embed.{compiler}.{figure}": partial(embedded, name, figure)
       for compiler, name in (("gcc", "gcc"), ("clang", "Debian Clang")) for figure in EMBEDDED},
    **{f"provider.{name}.{size}": partial(provided, name, size)
       for name in ("arcfour-provider", "legacy", "ratio") for size in (8, 16, 64, 256, 1024, 8192, 16384)},
    **{f"python.{name}": partial(in_python, label)
       for name, label in (("kernel", "kernel, in place"), ("place", "arcfour, in place"), ("bytes", "arcfour, new bytes"),
                           ("pycryptodome", "PyCryptodome, new bytes"), ("short", "arcfour"), ("short.pycryptodome", "PyCryptodome"),
                           ("keystreams", "million keystreams of 256 bytes a second and core, at least 3"))},
}


def power(count: float) -> str:
    """`2^30`."""
    return f"2^{int(count).bit_length() - 1}"
