"""The paper's tables with ours in their cells."""

from __future__ import annotations

from functools import partial

from lab.model import Beside, Column, Grid
from lab.results import Results
from lab.weerasinghe2012 import tables

MIB = 2**20
SHOWN = {  # what of ours stands beside a program of the paper
    "sequential": (("new", "sequential", "a new JVM"), ("warm", "sequential", "a warm JVM")),
    "parallel": (("new", "parallel, clock stopped after submitting", "the paper's clock"), ("new", "parallel, until merged", "until the file is merged")),
}


def times(results: Results, machine: str, program: str, cores: str) -> Grid:
    """Tables 1 to 6: time by size."""
    ours = tables.our_times(results, cores).set_index(["jvm", "what", "data_size_kb"]).median_ns / 1e9
    paper = tables.paper_times(results, machine).reset_index()
    where = "held to one core" if cores == "one" else "on all its cores"
    return Grid.of("data size", paper, "{data_size_kb} KB", {Column(f"execution time; ours {said}", "s"): (jvm, what) for jvm, what, said in SHOWN[program]},
                   lambda row, key: (row[program] / 1e9, ours.get((*key, row["data_size_kb"]))),
                   f"Means in the paper, medians here, {where}" + ("; a new JVM for each run." if program == "parallel" else "."))


def throughput(results: Results, claim: str, program: str) -> Grid:
    """Tables 7 and 8: rate by size and machine."""
    what = SHOWN[program][-1][1]
    ours = {cores: tables.our_times(results, cores).query(f"jvm == 'new' and what == {what!r}").set_index("data_size_kb").median_ns for cores in ("all", "one")}

    def pair(row: dict, machine: str) -> tuple[float, float | None]:
        size, times = row["data_size_kb"], ours[tables.CORES[machine]]
        return row[tables.COLUMNS[machine]] * MIB, size * 1024 / times[size] * 1e9 if size in times.index else None
    return Grid.of("data size", results.paper(claim), "{data_size_kb} KB",
                   {Column(f"{machine}, ours on {'one core' if cores == 'one' else 'all cores'}", "B/s"): machine for machine, cores in tables.CORES.items()}, pair,
                   "The paper's MBps are of 1,048,576 bytes. Ours in a new JVM" + (", until the file is merged." if program == "parallel" else "."))


def speed_up(results: Results) -> Grid:
    """Sequential over parallel time at the largest size."""
    table = tables.speed_up(results).set_index("data_size_kb").iloc[-1]
    pairs = ((machine, "one core" if cores == "one" else "all cores") for machine, cores in tables.CORES.items())
    rows = tuple((machine, tuple((table[f"paper, {machine}"], table[f"ours, {cores}, new JVM, {clock}"]) for clock in ("clock stopped after submitting", "until merged")))
                 for machine, cores in pairs)
    return Grid("machine", (Column("speed-up; ours by the paper's clock"), Column("speed-up; ours until the file is merged")), rows,
                f"At {tables.speed_up(results).data_size_kb.iloc[-1]:.0f} KB, in a new JVM; ours on all cores beside the multicores, on one beside the Pentium 4.")


BESIDE = (
    *(Beside(claim, partial(times, machine=machine, program=program, cores=tables.CORES[machine]))
      for machine, claims in tables.MACHINES.items() for claim, program in zip(claims, ("sequential", "parallel"), strict=True)),
    Beside("table-7", partial(throughput, claim="table-7", program="sequential")),
    Beside("table-8", partial(throughput, claim="table-8", program="parallel")),
    Beside("any-architecture", speed_up),
)
