"""The paper's figures with our times in the same pictures, and what it has none of."""

from __future__ import annotations

import altair as alt
import pandas as pd

from lab import charts
from lab.results import Results
from lab.weerasinghe2012 import tables

SIZE = alt.X("data_size_kb:Q", title="data size (KB of 1024 bytes)", scale=alt.Scale(domain=[0, 205]))
WHAT = list(tables.CLOCKS.values())
SOURCES = ["ours, new JVM", "paper, as printed", "paper, read as microseconds"]

MULTICORE_ALT = (
    "Time against data size on a log scale, for the paper's Core i3 and Core 2 Duo. The printed times lie "
    "three "
    "decades below ours; read as microseconds they lie among ours."
)
ONE_CORE_ALT = (
    "Time against data size on one core, on a log scale. By the paper's clock the parallel program takes less time "
    "than the sequential one; until its file is merged it takes about as long."
)
SEQUENTIAL_ALT = (
    "Throughput of the sequential program: thousands of MiB/s in the paper, a few in a new JVM of ours, "
    "hundreds warm."
)
PARALLEL_ALT = "Throughput of the parallel program by both clocks, the paper's figures far above all of ours."
LARGE_ALT = (
    "Throughput from 1 MiB to 1 GiB of the sequential and the parallel Java program and of arcfour seal on "
    "one and two "
    "threads, and the number of threads of the Java pool."
)
ONE_KEY_ALT = (
    "The share of a file that is read from its ciphertext alone rises from a third with two chunks to all "
    "of it with eight."
)


def times(results: Results, machine: str, cores: str) -> alt.LayerChart:
    """The paper's two lines, as printed and as microseconds, and our three."""
    printed = tables.paper_times(results, machine).reset_index().melt("data_size_kb", value_name="ns")
    printed["what"] = printed.variable.map({"sequential": WHAT[0], "parallel": WHAT[1]})
    ours = tables.our_times(results, cores)
    ours = ours[ours.jvm == "new"].rename(columns={"median_ns": "ns"})
    both = pd.concat(
        [
            ours[["data_size_kb", "what", "ns"]].assign(source=SOURCES[0]),
            printed[["data_size_kb", "what", "ns"]].assign(source=SOURCES[1]),
            printed[["data_size_kb", "what", "ns"]].assign(source=SOURCES[2], ns=printed.ns * 1000),
        ]
    )
    both["ms"] = both.ns / 1e6
    count = 1 if cores == "one" else results.record("parallel").cores
    base = alt.Chart(both, title=f"{machine} (paper) and {count} of our cores").encode(
        x=SIZE,
        y=alt.Y(
            **charts.log("time (ms, log scale; the paper's means, our medians)", "ms"),
            axis=alt.Axis(values=[10.0**e for e in range(-3, 3)], format="~g"),
        ),
        color=alt.Color("what:N", title=None, sort=WHAT, legend=alt.Legend(columns=1, labelLimit=400)),
    )
    dash = alt.StrokeDash(
        "source:N",
        title=None,
        sort=SOURCES,
        legend=alt.Legend(columns=1, labelLimit=400),
        scale=alt.Scale(domain=SOURCES, range=[[1, 0], [7, 4], [2, 3]]),
    )
    return base.mark_line().encode(strokeDash=dash) + base.mark_point(size=25)


def multicore(results: Results) -> alt.HConcatChart:
    """Figures 2 and 3."""
    return alt.hconcat(
        *(times(results, machine, "all").properties(width=360) for machine in ("Core i3", "Core 2 Duo"))
    ).resolve_scale(y="shared")


def single_core(results: Results) -> alt.LayerChart:
    """The paper's second figure 3."""
    return times(results, "Pentium 4", "one")


def throughput(results: Results, claim: str, title: str) -> alt.LayerChart:
    """A line for each machine of the paper, each JVM of ours, and the sealed file."""
    tidy = tables.throughput(results, claim)
    tidy = tidy[~tidy.series.str.contains("one core")]
    names = list(dict.fromkeys(tidy.series))
    base = alt.Chart(tidy, title=title).encode(
        x=SIZE,
        y=alt.Y(**charts.log("throughput (MiB/s, log scale)", "mib_per_s"), axis=alt.Axis(format="~s")),
        color=alt.Color(
            "series:N",
            title=None,
            sort=names,
            legend=alt.Legend(columns=1, labelLimit=400, orient="right"),
            scale=alt.Scale(domain=names, range=colours(names)),
        ),
    )
    dash = alt.StrokeDash(
        "source:N",
        title=None,
        legend=alt.Legend(orient="right"),
        scale=alt.Scale(domain=["ours", "paper"], range=[[1, 0], [7, 4]]),
    )
    return base.mark_line().encode(strokeDash=dash) + base.mark_point(size=25)


def colours(names: list[str]) -> list[str]:
    """The palette, and grey beyond its end."""
    return [*charts.PALETTE, "#999999"][: len(names)]


def throughput_sequential(results: Results) -> alt.LayerChart:
    """Figure 4."""
    return throughput(results, "table-7", "Sequential programs")


def throughput_parallel(results: Results) -> alt.LayerChart:
    """Figure 5."""
    return throughput(results, "table-8", "Parallel programs")


def large(results: Results) -> alt.VConcatChart:
    """Throughput and threads from 1 MiB to 1 GiB."""
    tidy = tables.large_times(results)
    names = list(dict.fromkeys(tidy.series))
    sizes = sorted(tidy.size_mib.unique())
    x = alt.X(
        "size_mib:Q",
        title="data size (MiB, log scale)",
        scale=alt.Scale(type="log", base=2),
        axis=alt.Axis(values=sizes, format="d"),
    )
    rate = (
        alt.Chart(tidy, title="Throughput")
        .mark_line(point=True)
        .encode(
            x=x,
            y=alt.Y(**charts.log("throughput (MiB/s, log scale)", "mib_per_s"), axis=alt.Axis(format="~s")),
            color=alt.Color(
                "series:N",
                title=None,
                sort=names,
                legend=alt.Legend(columns=1, labelLimit=400, orient="right"),
            ),
        )
    )
    pool = (
        alt.Chart(tidy[tidy.series == "Java, parallel: until merged"], title="Threads of the cached pool")
        .mark_line(point=True, color=charts.PALETTE[2])
        .encode(x=x, y=alt.Y(**charts.log("threads (log scale)", "threads"), axis=alt.Axis(format="~s")))
    )
    return rate & pool.properties(height=140)


def one_key(results: Results) -> alt.LayerChart:
    """How much is read of a file by its size."""
    table = results["one-key"].assign(
        size_kb=lambda t: t.file_bytes / 1024, percent=lambda t: 100 * t.read_fraction
    )
    base = alt.Chart(table, title="Read from the ciphertext alone, all chunks under one key").encode(
        x=alt.X(
            "size_kb:Q",
            title="data size (KB of 1024 bytes); a chunk is 10,000 bytes",
            scale=alt.Scale(domain=[0, 205]),
        ),
        y=alt.Y("percent:Q", title="bytes of the file read (%)", scale=alt.Scale(domain=[0, 105])),
    )
    label = (
        base.mark_text(dx=8, dy=14, align="left", fontSize=11)
        .encode(text=alt.Text("label:N"))
        .transform_calculate(label="datum.chunks + ' chunks'")
        .transform_filter("datum.chunks < 5")
    )
    return base.mark_line(color=charts.PALETTE[1]) + base.mark_point(size=45, color=charts.PALETTE[1]) + label
