"""Weerasinghe 2012: RC4 on several threads, and the flaws of its clock and of its single key."""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from lab import processors
from lab.judge import judges
from lab.model import Experiment, Study, Table
from lab.shapes import recorded
from lab.steady import Rule, threads
from lab.weerasinghe2012 import beside, figures, measure, tables, verdicts
from lab.weerasinghe2012.ratios import RATIOS

MULTICORE = ("table-1", "table-2", "table-3", "table-4", "table-7", "table-8", "figure-2", "figure-3-core-2-duo", "figure-4", "figure-5", "clock", "unit",
             "any-architecture", "quad-core")
ONE_CORE = ("table-5", "table-6", "figure-3-p4", "unit", "any-architecture", "quad-core")
SCALE = ("files-cost",)
SECRECY = ("figure-1",)
OWN = ("sizes",)


def two_seal(size: str) -> Rule:
    """Two threads that seal, with buffers of their own, are no slower than one. Costs a byte are not compared: a disk writes when it likes."""
    rule = threads((size,), "median_ns", unit=1e-9, begin=0.003)
    return lambda table: rule(table.assign(threads=table.program.str.extract(r"(\d+) thread", expand=False).astype(int)))


def pooled(table: pd.DataFrame) -> Iterator[str]:
    """Several threads of C encrypt no longer than one. When the file is merged decides a file system."""
    yield from threads(("policy", "size_bytes"), "median_ns", unit=1e-9)(table.query("clock == 'encrypted'"))


STUDY = Study(
    name="weerasinghe2012",
    title="Improving throughput of RC4 algorithm using multithreading techniques in multicore processors",
    authors="T. D. B. Weerasinghe",
    year=2012,
    summary=(
        "A Java program cuts a file into chunks of 10,000 bytes, encrypts each with RC4 and one key in a thread pool, and merges them. We rebuild it, read its "
        "clock where the listing stops it and where the work is done, show what one key for all chunks gives away, and do the same job with sealed files up to "
        "1 GiB."
    ),
    experiments=(
        Experiment("sequential", "The sequential program, a new JVM for each run and warm ones", partial(measure.java, program="Sequential"), MULTICORE, OWN),
        Experiment("parallel", "The parallel program, by the paper's clock and by the right one", partial(measure.java, program="Parallel"), MULTICORE, OWN),
        Experiment("one-core", "Both programs held to one core", measure.one_core, ONE_CORE, OWN),
        Experiment("pools", "The same tasks by a cached pool, a fixed one, a thread each, one thread", measure.pools, ("cost-effective", "listing-file"), ("sizes", "threads")),
        Experiment("aes", "AES on the same harness", measure.aes, ("block-ciphers",), OWN),
        Experiment("pthreads", "The mechanism in C, by pthreads", measure.pthreads, ("c-on-linux", "files-cost"), ("sizes", "threads"), (pooled,)),
        Experiment("seal", "arcfour seal on the same files", measure.seal, ("table-8", "figure-5"), ("sizes", "threads"), (two_seal("data_size_kb"),)),
        Experiment("large-sequential", "The sequential program up to 1 GiB", partial(measure.large_java, program="Sequential"), SCALE, OWN),
        Experiment("large-parallel", "The parallel program up to 1 GiB", partial(measure.large_java, program="Parallel"), SCALE, OWN),
        Experiment("large-seal", "arcfour seal up to 1 GiB", measure.large_seal, SCALE, ("sizes", "threads"), (two_seal("size_bytes"),)),
        Experiment("one-key", "Reading the parallel program's output without its key", measure.one_key, SECRECY),
        Experiment("crib", "Two chunks xored, and a guessed phrase dragged through them", measure.crib, SECRECY),
    ),
    tables=(
        Table("times-multicore", "Time, all cores, beside the paper's", partial(tables.beside, machines=["Core i3", "Core 2 Duo"], cores="all"), ("table-1", "table-2", "table-3", "table-4")),
        Table("times-one-core", "Time, one core, beside the paper's", partial(tables.beside, machines=["Pentium 4"], cores="one"), ("table-5", "table-6")),
        Table("throughput-sequential", "Throughput of the sequential programs", partial(tables.wide_throughput, claim="table-7"), ("table-7",)),
        Table("throughput-parallel", "Throughput of the parallel programs", partial(tables.wide_throughput, claim="table-8"), ("table-8",)),
        Table("arithmetic", "The paper's arithmetic, done again", tables.arithmetic, ("table-7", "table-8", "unit")),
        Table("speed-up", "Speed-up over the sequential program, by the clock used", tables.speed_up, ("clock", "any-architecture", "quad-core")),
        Table("pools", "The same tasks, by who runs them", tables.pools, ("cost-effective", "listing-file")),
        Table("aes", "AES and RC4 on the same harness", recorded("aes"), ("block-ciphers",)),
        Table("pthreads", "The mechanism in C", recorded("pthreads"), ("c-on-linux",)),
        Table("large", "Beyond the paper: 1 MiB to 1 GiB", tables.large, SCALE),
        Table("one-key", "What is read without the key", tables.one_key, ("figure-1",)),
        Table("crib", "The placements of a guessed phrase that read best", tables.crib, ("figure-1",)),
        Table("processors", "Main ratios by processor", processors.beside(RATIOS), ("block-ciphers",)),
    ),
    figures=figures.FIGURES,
    judges=judges(verdicts),
    beside=beside.BESIDE,
    diagrams=figures.DIAGRAMS,
    short="Multithreading, 2012",
)
