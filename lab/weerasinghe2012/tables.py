"""The paper's tables with ours beside them."""

from __future__ import annotations

import pandas as pd

from lab.results import Results
from lab.shapes import wide

CORES = {"Core i3": "all", "Core 2 Duo": "all", "Pentium 4": "one"}  # which of ours stand for a machine of the paper
MACHINES = {"Core i3": ("table-1", "table-2"), "Core 2 Duo": ("table-3", "table-4"), "Pentium 4": ("table-5", "table-6")}
COLUMNS = {"Core i3": "core_i3_mbps", "Core 2 Duo": "core_2_duo_mbps", "Pentium 4": "pentium_4_mbps"}
CLOCKS = {
    ("sequential", "saved"): "sequential",
    ("parallel", "submitted"): "parallel, clock stopped after submitting",
    ("parallel", "merged"): "parallel, until merged",
}
STATES = {"new": "new JVM", "warm": "warm JVM"}
LISTING = 2_532_271  # bytes: the size that the listing of §4.3 has written into it
POLICIES = {"cached": "the cached pool", "fixed": "a fixed pool of as many threads as cores", "each": "a thread for each task", "single": "one thread"}


def paper_times(results: Results, machine: str) -> pd.DataFrame:
    """Nanoseconds as printed, by size: sequential and parallel."""
    sequential, parallel = (results.paper(claim).set_index("data_size_kb").execution_time_ns for claim in MACHINES[machine])
    return pd.DataFrame({"sequential": sequential, "parallel": parallel})


def our_times(results: Results, cores: str) -> pd.DataFrame:
    """Nanoseconds, one row for each size, JVM and clock of `CLOCKS`."""
    every = results["one-core"] if cores == "one" else pd.concat([results["sequential"], results["parallel"]])
    return clocked(every)


def clocked(times: pd.DataFrame) -> pd.DataFrame:
    """The rows of the clocks of `CLOCKS`, by name."""
    return times.assign(what=[CLOCKS.get(pair) for pair in zip(times.program, times.clock, strict=True)]).dropna(subset="what")


def beside(results: Results, machines: list[str], cores: str) -> pd.DataFrame:
    """The paper's times and our medians by size, a column for each machine and program, JVM and clock."""
    parts = [paper_times(results, machine).add_prefix(f"paper, {machine}: ") for machine in machines]
    ours = our_times(results, cores).set_index(["jvm", "what", "data_size_kb"]).median_ns.sort_index()
    parts += [ours[jvm, what].rename(f"ours, {STATES[jvm]}: {what}") for jvm in STATES for what in CLOCKS.values()]
    return pd.concat(parts, axis=1, join="inner").add_suffix(" (ns)").round().astype(int).reset_index()


def mib_per_second(size_kb: pd.Series, nanoseconds: pd.Series) -> pd.Series:
    """What the paper calls MBps: its arithmetic has 1024 bytes in a KB and 1024 KB in an MB."""
    return size_kb / 1024 / (nanoseconds / 1e9)


def throughput(results: Results, claim: str) -> pd.DataFrame:
    """The paper's MBps and ours in the same unit, tidy: size, series, source, MiB/s."""
    program = "sequential" if claim == "table-7" else "parallel"
    names = {column: f"paper, {machine}" for machine, column in COLUMNS.items()}
    paper = results.paper(claim).rename(columns=names).melt("data_size_kb", list(names.values()), "series", "mib_per_s")
    ours = []
    for cores, label in (("all", ""), ("one", ", one core")):
        times = our_times(results, cores).query("program == @program" + (" and jvm == 'warm'" if cores == "one" else ""))
        for (jvm, what), group in times.groupby(["jvm", "what"], sort=False):
            said = what.removeprefix("parallel, ") if program == "parallel" else "whole job"
            ours.append(group.assign(series=f"ours, {STATES[jvm]}{label}: {said}"))
    if program == "parallel":
        ours += [group.assign(series=f"arcfour {threads}, whole process") for threads, group in results["seal"].groupby("program", sort=False)]
    rates = [group.assign(source="ours", mib_per_s=mib_per_second(group.data_size_kb, group.median_ns)) for group in ours]
    return pd.concat([paper.assign(source="paper"), *rates], ignore_index=True)[["data_size_kb", "series", "source", "mib_per_s"]]


def wide_throughput(results: Results, claim: str) -> pd.DataFrame:
    """`throughput` with a column for each series."""
    return wide(throughput(results, claim), "data_size_kb", "series", "mib_per_s", "{} (MiB/s)").round(2).reset_index()


def arithmetic(results: Results) -> pd.DataFrame:
    """Tables 7 and 8 computed anew from tables 1 to 6, and what they ask of a byte."""
    rows = []
    for claim, how in (("table-7", "sequential"), ("table-8", "parallel")):
        printed = results.paper(claim).set_index("data_size_kb")
        for machine, column in COLUMNS.items():
            times = paper_times(results, machine)[how]
            computed = mib_per_second(times.index.to_series(), times)
            rows.append({"table": claim.removeprefix("table-"), "machine": machine,
                         "largest difference from size / time in MiB/s": (computed / printed[column] - 1).abs().max(),
                         "ns per byte at 200 KB, as printed": times[200] / (200 * 1024),
                         "ns per byte from 20 to 200 KB, as printed": (times[200] - times[20]) / (180 * 1024)})
    return pd.DataFrame(rows)


def speed_up(results: Results) -> pd.DataFrame:
    """Sequential over parallel time: the paper's means, and our medians by clock, JVM and cores."""
    columns = {f"paper, {machine}": (times := paper_times(results, machine)).sequential / times.parallel for machine in MACHINES}
    for cores, label in (("all", "all cores"), ("one", "one core")):
        ours = our_times(results, cores)
        for jvm, state in STATES.items():
            times = ours[ours.jvm == jvm].pivot(index="data_size_kb", columns="what", values="median_ns")
            for what in list(CLOCKS.values())[1:]:
                columns[f"ours, {label}, {state}, {what.removeprefix('parallel, ')}"] = times["sequential"] / times[what]
    return pd.DataFrame(columns).dropna().reset_index()


def large_times(results: Results) -> pd.DataFrame:
    """Beyond the paper, tidy: MiB, series, seconds, MiB/s, threads."""
    java = clocked(pd.concat([results["large-sequential"], results["large-parallel"]]))
    both = pd.concat([java.assign(series="Java, " + java.what.str.replace(", ", ": ")), results["large-seal"].assign(series=lambda t: "arcfour " + t.program)])
    both = both.assign(size_mib=both.size_bytes / 2**20, seconds=both.median_ns / 1e9, mib_per_s=mib_per_second(both.size_bytes / 1024, both.median_ns))
    return both[["size_mib", "series", "seconds", "mib_per_s", "threads"]].reset_index(drop=True)


def large(results: Results) -> pd.DataFrame:
    """Throughput by size, and the threads of the Java pool."""
    tidy = large_times(results)
    rates = wide(tidy, "size_mib", "series", "mib_per_s", "{} (MiB/s)").round(1)
    threads = tidy[tidy.series == "Java, parallel: until merged"].set_index("size_mib").threads
    return rates.assign(**{"Java, parallel: most threads": threads.astype(int)}).reset_index()


def pools(results: Results) -> pd.DataFrame:
    """Until the file is merged, by policy and size: median, quartiles, threads, and how many runs were quiet."""
    table = results["pools"].query("clock == 'merged'")
    return table.assign(data_size_kb=table.size_bytes / 1024).drop(columns="clock").reset_index(drop=True)


def seal_rates(results: Results) -> pd.Series:
    """MiB/s of arcfour seal on two threads by KB."""
    table = results["seal"].query("program == 'seal, 2 threads'").set_index("data_size_kb")
    return mib_per_second(table.index.to_series(), table.median_ns)


def one_key(results: Results) -> pd.DataFrame:
    """What is read of a file by the number of its chunks."""
    table = results["one-key"]
    return pd.DataFrame({"chunks": table.chunks, "file (bytes)": table.file_bytes, "bytes read without the key (%)": (100 * table.read_fraction).round(2),
                         "a sample of what is read": table["sample"]})


def crib(results: Results) -> pd.DataFrame:
    """The placements that read best."""
    return results["crib"][["rank", "offset", "other_chunk_reads", "phrase_stands_in", "log_likelihood"]].round(1)
