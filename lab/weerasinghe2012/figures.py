"""The paper's figures with our times in the same pictures, and what it has none of."""

from __future__ import annotations

from functools import partial

import altair as alt
import pandas as pd

from lab import charts
from lab.charts import FAINT, GREEN, OURS, PAPER, PURPLE, REBUILT, finding
from lab.model import Diagram, Figure
from lab.report.numbers import quantity
from lab.results import Results
from lab.shapes import counted
from lab.weerasinghe2012 import tables

MIB = 2**20
SIZE = alt.X(**charts.between("data_size_kb", "data size (KB of 1024 bytes)", 0, 200, [20, 60, 100, 140, 200]))
# Of our series of throughput those that are shown: under which name, and in which colour.
SHOWN = {"ours, new JVM: whole job": ("new JVM", OURS), "ours, warm JVM: whole job": ("warm JVM", GREEN),
         "ours, new JVM: clock stopped after submitting": ("new JVM, by the paper's clock", PURPLE), "ours, new JVM: until merged": ("new JVM, until merged", OURS),
         "ours, warm JVM: clock stopped after submitting": ("warm JVM, by the paper's clock", charts.GOLD), "ours, warm JVM: until merged": ("warm JVM, until merged", GREEN),
         "arcfour seal, 2 threads, whole process": ("arcfour seal", REBUILT)}
SUBMITTED, MERGED = "ours, parallel, by the paper's clock", "ours, parallel, until merged"


def by_size(table: pd.DataFrame, y: str, title: str, unit: str, colours: dict[str, str], ticks: list[float], height: int = 300) -> alt.LayerChart:
    """Lines by data size on a log scale, the paper's with hollow points, each named at its end."""
    return charts.curves(table, SIZE, alt.Y(**charts.scaled(y, title, unit, table[y].tolist(), ticks)), "series", colours, height=height, size=35)


def times(results: Results, machine: str) -> alt.LayerChart:
    """Figure 2 or 3: the paper's two lines and our three."""
    paper = tables.paper_times(results, machine).reset_index().melt("data_size_kb", var_name="program", value_name="ns")
    paper["series"] = "paper, " + paper.program
    ours = tables.our_times(results, tables.CORES[machine]).query("jvm == 'new'").rename(columns={"median_ns": "ns"})
    ours = ours.assign(series=ours.what.map(dict(zip(tables.CLOCKS.values(), ("ours, sequential", SUBMITTED, MERGED), strict=True))))
    both = pd.concat([paper, ours])[["data_size_kb", "series", "ns"]].assign(s=lambda t: t.ns / 1e9)
    colours = {"paper, sequential": PAPER, "paper, parallel": PAPER, "ours, sequential": REBUILT, SUBMITTED: PURPLE, MERGED: OURS}
    gap = both[both.series == "ours, sequential"].s.median() / both[both.series == "paper, sequential"].s.median()
    count = 1 if tables.CORES[machine] == "one" else results.record("parallel").cores
    title = f"The paper's times on the {machine} are {gap:,.0f} times shorter than ours on {counted(count, 'core')}: its nanoseconds must be microseconds"
    return by_size(both, "s", "execution time", "s", colours, [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1], 320).properties(title=finding(title))


def throughput(results: Results, claim: str) -> alt.VConcatChart:
    """Figure 4 or 5: a panel for the paper's machines, one for ours."""
    tidy = tables.throughput(results, claim).assign(rate=lambda t: t.mib_per_s * MIB)
    paper = tidy[tidy.source == "paper"]
    colours = {"paper, Core i3": PAPER, "paper, Core 2 Duo": PAPER, "paper, Pentium 4": PAPER}
    top = by_size(paper, "rate", "throughput", "B/s", colours, [1e9, 1e10, 1e11], 200).properties(
        title=finding(f"The paper: up to {quantity(paper.rate.max(), 'B/s', 2)}, by its own arithmetic"))
    ours = tidy[tidy.series.isin(SHOWN)].assign(series=lambda t: [SHOWN[name][0] for name in t.series])
    low = by_size(ours, "rate", "throughput", "B/s", dict(SHOWN.values()), [1e6, 1e7, 1e8, 1e9], 260).properties(
        title=finding(f"Ours: up to {quantity(ours.rate.max(), 'B/s', 2)}"))
    return charts.stack(top, low)


def large(results: Results) -> alt.VConcatChart:
    """Throughput and threads from 1 MiB to 1 GiB."""
    tidy = tables.large_times(results).assign(rate=lambda t: t.mib_per_s * MIB)
    tidy = tidy[tidy.series != "Java, parallel: clock stopped after submitting"]
    sizes = sorted(tidy.size_mib.unique())
    said = {"Java, sequential": REBUILT, "Java, parallel: until merged": PURPLE, "arcfour seal, 1 thread": FAINT, "arcfour seal, 2 threads": OURS}
    x = alt.X(**charts.between("size_mib", "data size", sizes[0], sizes[-1], sizes, charts.DOUBLING,
                               labelExpr="datum.value >= 1024 ? datum.value / 1024 + ' GiB' : datum.value + ' MiB'", labelOverlap=True))
    y = alt.Y(**charts.scaled("rate", "throughput", "B/s", tidy.rate.tolist(), [1e7, 1e8, 1e9, 1e10]))
    slow = tidy[tidy.size_mib == sizes[-1]].set_index("series").rate
    rate = charts.curves(tidy, x, y, "series", said, height=260).properties(title=finding(
        f"At {f'{sizes[-1] / 1024:g} GiB' if sizes[-1] >= 1024 else f'{sizes[-1]:g} MiB'} the parallel program in Java makes {quantity(slow['Java, parallel: until merged'], 'B/s', 2)}, "
        f"the sequential one {quantity(slow['Java, sequential'], 'B/s', 2)}"))
    threads = tidy[tidy.series == "Java, parallel: until merged"]
    last = results["large-parallel"].iloc[-1]
    pool = alt.Chart(threads).encode(x=x, y=alt.Y(**charts.scaled("threads", "threads", "", threads.threads.tolist(), [1, 10, 100, 1000, 10000])))
    return rate & (pool.mark_line(color=PURPLE) + pool.mark_point(size=40, color=PURPLE)).properties(
        width=430, height=140, title=finding(f"The cached pool grows to {last.threads:,.0f} threads for {last.tasks:,.0f} chunks"))


def one_key(results: Results) -> alt.LayerChart:
    """How much is read of a file by its size."""
    table = results["one-key"].assign(size_kb=lambda t: t.file_bytes / 1024, percent=lambda t: 100 * t.read_fraction)
    table = table[table.size_kb <= 100]
    base = alt.Chart(table).encode(
        x=alt.X(**charts.between("size_kb", "data size (KB of 1024 bytes); a chunk is 10,000 bytes", 0, 100)),
        y=alt.Y(**charts.between("percent", "bytes of the file read (%)", 0, 105, charts.PERCENT)))
    label = base.mark_text(dx=10, dy=14, align="left").encode(text="label:N").transform_calculate(label="datum.chunks + ' chunks'").transform_filter("datum.chunks < 5")
    whole = table[table.percent > 99].chunks.min()
    return (base.mark_line(color=OURS) + base.mark_point(size=50, color=OURS) + label).properties(
        width=500, height=260, title=finding(f"{whole:.0f} chunks under one key are read without it, by a model of English, from the ciphertext alone"))


TIMES_ALT = ("Time against data size on a log scale, for the paper's {machine} and ours. The paper's lines lie three decades below ours; "
             "by its clock our parallel program looks faster than the sequential one.")
FIGURES = (
    Figure("times-core-i3", "Execution time by data size, Core i3", TIMES_ALT.format(machine="Core i3"), partial(times, machine="Core i3"), ("figure-2",)),
    Figure("times-core-2-duo", "Execution time by data size, Core 2 Duo", TIMES_ALT.format(machine="Core 2 Duo"), partial(times, machine="Core 2 Duo"), ("figure-3-core-2-duo",)),
    Figure("times-one-core", "Execution time by data size, one core", TIMES_ALT.format(machine="Pentium 4"), partial(times, machine="Pentium 4"), ("figure-3-p4",)),
    Figure("throughput-sequential", "Throughput, sequential",
           "Two panels of throughput by data size: thousands of megabytes a second in the paper; a few in a new JVM of ours, hundreds warm.", partial(throughput, claim="table-7"), ("figure-4",)),
    Figure("throughput-parallel", "Throughput, parallel",
           "Two panels of throughput by data size: the paper's, and ours by both clocks, far below them.", partial(throughput, claim="table-8"), ("figure-5",)),
    Figure("large", "Beyond the paper's sizes",
           "Throughput from 1 MiB to 1 GiB of the sequential and the parallel Java program and of arcfour seal, and the number of threads of the Java pool.",
           large, ("files-cost",)),
    Figure("one-key", "What one key for all chunks gives away",
           "The share of a file that is read from its ciphertext alone rises from a third with two chunks to all of it.", one_key, ("figure-1",)),
)
MECHANISM = """
  file [label="file", shape=note]; key [label="one key", style="rounded,bold", color="#B84A00"];
  split [label="cut in chunks\\nof 10,000 bytes"]; merge [label="merge in order"]; out [label="encrypted file", shape=note];
  subgraph cluster_pool { label="cached thread pool"; style="rounded,dashed";
    t3 [label="… chunk n: key schedule, RC4"]; t1 [label="chunk 1: key schedule, RC4"]; t2 [label="chunk 2: key schedule, RC4"]; }
  file -> split; split -> {t1 t2 t3}; {t1 t2 t3} -> merge; merge -> out; key -> {t1 t2 t3} [color="#B84A00"];
"""
DIAGRAMS = (
    Diagram("mechanism", "The mechanism, and what it leaves out: a key for each chunk",
            "A file is cut in chunks of 10,000 bytes; threads of a pool encrypt each chunk by RC4 from the start of its keystream under one and the same key; the chunks are merged in order.",
            MECHANISM, ("figure-1",), ("lab/weerasinghe2012/java",)),
)
