"""The conditions of each claim on the results, and the figures that its verdict names in claims.toml.

Our times are medians over runs. A figure over "the sizes" is a median over the paper's ten sizes, so that
one disturbed row decides nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from lab.intervals import Draws, decided, estimate, notch, together
from lab.judge import FLAT, TIE, Check, Verdict, alike, faster, flat, judge
from lab.results import Results
from lab.weerasinghe2012 import tables
from lab.weerasinghe2012.measure import KIB
from lab.wording import ends

T = TypeVar("T", float, np.ndarray)

SEQUENTIAL, SUBMITTED, MERGED = tables.CLOCKS.values()

# The runner's cell of a row, by experiment.
CELLS: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(("sequential", "parallel", "one-core"), lambda row: int(KIB * row.data_size_kb)),
    **dict.fromkeys(("large-sequential", "large-parallel"), lambda row: row.size_bytes),
    "pools": lambda row: (*policy(row.policy), row.size_bytes),
    "aes": lambda row: (row.program, row.cipher, row.size_bytes),
    "pthreads": lambda row: (row.policy, 0 if row.policy == "each" else row.threads, row.size_bytes),
}


def policy(name: str) -> tuple[str, int | None]:
    """`fixed of 4`: the policy and its threads, if the user chose them."""
    word, _, count = name.partition(" of ")
    return word, int(count) if count else None


def medians(results: Results, experiment: str, rows: pd.DataFrame, by: Sequence[str]) -> dict[Any, np.ndarray]:
    """Median nanoseconds of some rows, and from the runs drawn again, by what names a row. A run is a process, which may print several lines."""
    draws, found = Draws(results, experiment), {}
    for row in rows.itertuples():
        name = tuple(getattr(row, each) for each in by)
        recorded = notch(row.median_ns, row.q1_ns, row.q3_ns, row.quiet or row.runs)
        found[name if len(by) > 1 else name[0]] = draws(CELLS[experiment](row), recorded, partial(times_of, clock=row.clock, jvm=getattr(row, "jvm", None)))
    return found


def times_of(run: list[dict[str, int]], clock: str, jvm: str | None) -> list[int]:
    """The times by a clock, if the program has it, and if its JVM was as new as this; a warm one prints several lines."""
    return [line[clock] for line in run if clock in line and jvm in (None, "new" if len(run) == 1 else "warm")]


class Times:
    """Our median nanoseconds by JVM, clock and size, and the paper's."""

    def __init__(self, results: Results, machine: str):
        self.cores = tables.CORES[machine]
        self.paper = tables.paper_times(results, machine)
        ours = tables.our_times(results, self.cores)
        self.ours = ours.set_index(["jvm", "what", "data_size_kb"]).median_ns.sort_index()
        self.results = results
        self.sizes = sorted(set(self.paper.index) & set(ours.data_size_kb))
        self.largest = self.sizes[-1]

    def __call__(self, jvm: str, what: str) -> pd.Series:
        return self.ours[jvm, what].loc[self.sizes]

    def drawn(self, jvm: str, what: str) -> dict[int, np.ndarray]:
        """The same by size, and from the runs drawn again."""
        experiment = "one-core" if self.cores == "one" else "sequential" if what == SEQUENTIAL else "parallel"
        rows = tables.clocked(self.results[experiment])
        found = medians(self.results, experiment, rows[(rows.jvm == jvm) & (rows.what == what)], ["data_size_kb"])
        return {size: found[size] for size in self.sizes}

    def rate(self, jvm: str, what: str) -> pd.Series:
        """MiB/s by size."""
        return pd.Series(self.sizes, self.sizes) / 1024 / (self(jvm, what) / 1e9)

    def rates(self, jvm: str, what: str) -> list[np.ndarray]:
        """The same, and from the runs drawn again."""
        return [size / 1024 / (time / 1e9) for size, time in self.drawn(jvm, what).items()]

    def ratios(self, jvm: str, over: str, under: str) -> list[np.ndarray]:
        """One time over another at each size, and from the runs drawn again."""
        one, other = self.drawn(jvm, over), self.drawn(jvm, under)
        return [one[size] / other[size] for size in self.sizes]

    def rising(self) -> Check:
        """Whether each size takes longer than the one before, by the intervals of their medians."""
        new = self.drawn("new", SEQUENTIAL)
        steps = {f"{more} KB": estimate(new[more] / new[less]) for less, more in pairwise(self.sizes)}
        return together("rising", steps, lambda ratio: ratio > 1, every=True)

    def possible(self, how: str, what: str, **figures: str) -> Check:
        """Whether the printed nanoseconds are ones that our program, compiled, could take."""
        printed, ours = self.paper[how][self.largest], self.drawn("warm", what)[self.largest]
        return decided("possible", estimate(ours / printed), lambda ratio: ratio <= 1, size=self.largest, printed=printed, ours=ours[0], **figures)

    def work(self) -> Check:
        """Whether the place where the listing reads its clock is after the work."""
        share = np.median(self.ratios("new", SUBMITTED, MERGED), axis=0)
        return decided("work", estimate(share), lambda part: part >= 1 - FLAT)


def bend(times: Mapping[int, T]) -> T:
    """The slope over the first half of the sizes, divided by the slope over the second: 1 is a
    straight line."""
    sizes = list(times)
    middle = sizes[(len(sizes) - 1) // 2]
    first = (times[middle] - times[sizes[0]]) / (middle - sizes[0])
    second = (times[sizes[-1]] - times[middle]) / (sizes[-1] - middle)
    return first / second


@judge("table-1", "table-3", "table-5")
def sequential(results: Results) -> Iterator[Verdict]:
    """Times of the sequential program."""
    for machine, (claim, _) in tables.MACHINES.items():
        times = Times(results, machine)
        printed, new = times.paper.sequential, times("new", SEQUENTIAL)
        theirs = bend(printed.to_dict())
        halves = len(times.sizes) > 2  # two sizes have none
        ours = bend(times.drawn("new", SEQUENTIAL)) if halves else np.array([math.nan])
        straight = decided("straight", estimate(ours), lambda ratio: flat([max(ratio, 0.001), 1])) if halves else Check("straight", None, {"interval": "no halves"})
        yield Verdict(claim,
            {"straight": flat([theirs, 1], 0.25), "theirs": theirs, "halves": halves, "ours": ours[0], "ns": printed[times.largest] / times.largest / 1024,
             "ms": new[times.largest] / 1e6, "size": times.largest, "printed": printed[times.largest], "times": printed[times.largest] * 1000 / new[times.largest]},
            (times.possible("sequential", SEQUENTIAL),
             times.rising(),
             straight))


@judge("table-2", "table-4", "table-6")
def parallel(results: Results) -> Iterator[Verdict]:
    """Times of the parallel program."""
    for machine, (_, claim) in tables.MACHINES.items():
        times = Times(results, machine)
        submitted, merged = times("new", SUBMITTED), times("new", MERGED)
        yield Verdict(claim,
            {"submitted": submitted[times.largest] / 1e6, "size": times.largest, "merged": merged[times.largest] / 1e6, "printed": times.paper.parallel[times.largest]},
            (times.possible("parallel", MERGED), times.work()))


@judge("table-7", "table-8")
def throughput(results: Results) -> Iterator[Verdict]:
    """The paper's divisions, and what they divide."""
    arithmetic = tables.arithmetic(results)
    times = Times(results, "Core i3")
    for claim, what in (("table-7", SEQUENTIAL), ("table-8", MERGED)):
        worst = arithmetic[arithmetic.table == claim.removeprefix("table-")]["largest difference from size / time in MiB/s"].max()
        printed = results.paper(claim).set_index("data_size_kb").core_i3_mbps
        rates = times.rate("warm", what)
        figures = {"exact": worst < 1e-5, "part": 1 / worst if worst else 0, "printed": printed[times.largest], **ends("", rates)}
        if claim == "table-8":
            figures |= {**ends("submitted", times.rate("warm", SUBMITTED)), "seal": tables.seal_rates(results)[times.largest], "size": times.largest}
        yield Verdict(claim, figures, (Check("divided", worst < 1e-3), 
            decided("reached", estimate(printed[times.largest] / np.max(times.rates("warm", what), axis=0)), lambda ratio: ratio <= 1, size=times.largest)))


@judge("figure-1")
def mechanism(results: Results) -> Verdict:
    """One key for all chunks."""
    read = results.rows("one-key").read_fraction
    equal = results["crib"].xor_equals_plaintext_xor[0]
    some = [count for count in (4, 8) if count in read.index]
    return Verdict("figure-1",
        {"equal": equal, "read": ", ".join([f"{read.iloc[0]:.0%} of {read.index[0]} chunks", *(f"{read[count]:.1%} of {count}" for count in some)])
         + f" and {read.iloc[-1]:.1%} of {read.index[-1]}"},
        (Check("xored", equal < 0.5),
         Check("hidden", read.iloc[-1] < 0.1, {"chunks": read.index[-1]})))


@judge("figure-2", "figure-3-core-2-duo", "figure-3-p4")
def execution_times(results: Results) -> Iterator[Verdict]:
    """The parallel program below the sequential one."""
    for claim, machine in zip(("figure-2", "figure-3-core-2-duo", "figure-3-p4"), tables.MACHINES, strict=True):
        times = Times(results, machine)
        theirs = times.paper.sequential / times.paper.parallel
        ours = {what: times("new", SEQUENTIAL) / times("new", what) for what in (SUBMITTED, MERGED)}
        below = sum(faster(times("new", MERGED)[kb], times("new", SEQUENTIAL)[kb]) for kb in times.sizes)
        yield Verdict(claim,
            ends("paper", theirs) | ends("submitted", ours[SUBMITTED]) | ends("merged", ours[MERGED]),
            (decided("sooner", estimate(np.max(times.ratios("new", MERGED, SEQUENTIAL), axis=0)), partial(faster, other=1), below=below, sizes=len(times.sizes)),
             decided("factor", estimate(np.median(times.ratios("new", SEQUENTIAL, MERGED), axis=0)), partial(alike, theirs=theirs.median()), theirs=theirs.median())))


@judge("figure-4", "figure-5")
def throughput_curves(results: Results) -> Iterator[Verdict]:
    """Throughput by size."""
    times = Times(results, "Core i3")
    rates = times.rates("new", SEQUENTIAL)
    printed = results.paper("table-7").set_index("data_size_kb").core_i3_mbps
    scale = printed[times.largest] / np.max(times.rates("warm", SEQUENTIAL), axis=0)
    yield Verdict("figure-4",
        {"first": rates[0][0], "last": rates[-1][0], "scale": scale[0]},
        (decided("higher", estimate(rates[-1] / rates[0]), lambda ratio: ratio > 1),
         decided("scale", estimate(scale), lambda ratio: ratio <= 1)))
    fast, merged = {what: times.rate("warm", what) for what in (SUBMITTED, MERGED)}, times.rates("warm", MERGED)
    yield Verdict("figure-5",
        {"first": fast[MERGED].iloc[0], "last": fast[MERGED].iloc[-1], "best": fast[MERGED].max(), "times": (fast[SUBMITTED] / fast[MERGED]).median()},
        (decided("higher", estimate(merged[-1] / merged[0]), lambda ratio: ratio > 1),
         times.work()))


@judge("clock")
def clock(results: Results) -> Verdict:
    """Where the listing takes its time."""
    times = Times(results, "Core i3")
    return Verdict("clock", ends("", times("new", SUBMITTED) / times("new", MERGED)), (times.work(),))


@judge("unit")
def unit(results: Results) -> Verdict:
    """Nanoseconds."""
    checks, per_byte, ratios = [], [], []
    for machine in tables.MACHINES:
        times = Times(results, machine)
        printed = times.paper.sequential[times.largest]
        per_byte.append(printed / times.largest / 1024)
        ratios.append(printed * 1000 / times("new", SEQUENTIAL)[times.largest])
        checks.append(times.possible("sequential", SEQUENTIAL, machine=machine))
    return Verdict("unit", ends("", per_byte) | ends("ratio", ratios), tuple(checks))


@judge("any-architecture")
def any_architecture(results: Results) -> Verdict:
    """Is the file whole sooner?"""
    speed = tables.speed_up(results).set_index("data_size_kb")
    checks, said = [], []
    for label, machine in (("one core", "Pentium 4"), ("all cores", "Core i3")):
        times = Times(results, machine)
        for jvm, state in tables.STATES.items():
            merged = speed[f"ours, {label}, {state}, until merged"]
            above = int((merged > 1).sum())
            said.append(f"{label}, {state}: {merged.min():.2f} to {merged.max():.2f}, above 1 at {above} of {len(merged)} sizes")
            checks.append(decided("sooner", estimate(np.min(times.ratios(jvm, SEQUENTIAL, MERGED), axis=0)), lambda ratio: ratio > 1, cores=label, state=state))
    submitted = speed[[f"ours, one core, {state}, clock stopped after submitting" for state in tables.STATES.values()]]
    return Verdict("any-architecture",
        {"speeds": "; ".join(said)} | ends("clock", submitted) | ends("paper", speed["paper, Pentium 4"]), tuple(checks))


@judge("quad-core")
def quad_core(results: Results) -> Verdict:
    """More cores, more gain?"""
    speed = tables.speed_up(results).set_index("data_size_kb")
    duo, i3 = speed["paper, Core 2 Duo"], speed["paper, Core i3"]
    two, one = (speed[[f"ours, {label}, {state}, until merged" for state in tables.STATES.values()]] for label in ("all cores", "one core"))
    new = [np.median(Times(results, machine).ratios("new", SEQUENTIAL, MERGED), axis=0) for machine in ("Core i3", "Pentium 4")]
    cores = results.record("parallel").cores
    return Verdict("quad-core",
        {"ahead": (duo > i3).sum(), "sizes": len(duo), "cores": cores} | ends("duo", duo) | ends("two", two) | ends("one", one),
        (Check("printed", (i3 > duo).all()),
         decided("ours", estimate(new[0] / new[1]), lambda ratio: ratio > 1, cores=cores)))


@judge("cost-effective")
def cost_effective(results: Results) -> Verdict:
    """The cached pool beside other ways to run the same tasks."""
    table = tables.pools(results)
    wide = table.pivot(index="data_size_kb", columns="policy", values="median_ns") / 1e6
    size = wide.index[-1]
    most = table.set_index(["policy", "data_size_kb"]).threads
    others = [policy for policy in wide if policy != "cached"]
    sure = medians(results, "pools", results["pools"].query("clock == 'merged'"), ["policy", "size_bytes"])
    sizes = sorted({size for _, size in sure})
    return Verdict("cost-effective",
        {"size": size, "times": ", ".join(f"{tables.POLICIES[policy]} {wide[policy][size]:,.1f} ms" for policy in wide), "threads": most["cached", size],
         "cores": results.record("pools").cores},
        tuple(together("cached", {f"{each / 1024:,.0f} KB": estimate(sure["cached", each] / sure[other, each]) for each in sizes}, lambda ratio: ratio * (1 - TIE) <= 1,
                       every=True, other=tables.POLICIES[other]) for other in others))


@judge("files-cost")
def files_cost(results: Results) -> Verdict:
    """What the chunk files cost."""
    large = tables.large_times(results).set_index(["series", "size_mib"])
    biggest = large.index.get_level_values("size_mib").max()
    java, pool = large.mib_per_s["Java, sequential", biggest], large.loc["Java, parallel: until merged", biggest]
    counts = pd.concat([results[f"large-{name}"] for name in ("sequential", "parallel")]).groupby("size_bytes").runs.min()
    memory = results.of("handa2015")
    apart = "rolled" in memory
    threads = memory["rolled"].query("work == 'parc4i'").set_index("threads").overall_s if apart else {1: math.nan, 2: 1}
    return Verdict("files-cost",
        without_files(results) | {"size": biggest, "once": counts[counts.index.max()] == 1, "pool": pool.mib_per_s, "threads": pool.threads, "java": java, "one": large.mib_per_s["arcfour seal, 1 thread", biggest],
         "two": large.mib_per_s["arcfour seal, 2 threads", biggest], "apart": apart, "gain": threads[1] / threads[2]},
        # One run has no interval.
        (mechanism_faster(results, max(counts[counts > 1].index, default=counts.index.max())),))


def mechanism_faster(results: Results, size: int) -> Check:
    """Whether the parallel program has a file of this size sooner."""
    rows = {name: results[f"large-{name}"].query("clock == @clock") for name, clock in (("sequential", "saved"), ("parallel", "merged"))}
    times = {name: medians(results, f"large-{name}", each, ["size_bytes"]) for name, each in rows.items()}
    return decided("faster", estimate(times["parallel"][size] / times["sequential"][size]), lambda ratio: ratio < 1, size=size / 2**20)


def without_files(results: Results) -> dict[str, object]:
    """What threads gain in C if the chunks stay in memory. Older records have no such rows."""
    table = results["pthreads"].query("policy == 'memory' and clock == 'encrypted'")
    if table.empty:
        return {"held": False, "held_mib": 0, "held_count": 0, "held_gain": math.nan}
    times = table[table.size_bytes == table.size_bytes.max()].set_index("threads").median_ns
    best = times.drop(1).idxmin()
    return {"held": True, "held_mib": table.size_bytes.max() / 2**20, "held_count": best, "held_gain": times[1] / times[best]}


@judge("listing-file")
def listing_file(results: Results) -> Verdict:
    """The listing's own size and limit."""
    table = results["pools"].query("policy == 'cached' and size_bytes == @tables.LISTING")
    merged = table[table.clock == "merged"].iloc[0]
    ends_at = medians(results, "pools", table[table.clock == "merged"], ["policy"])["cached"]
    return Verdict("listing-file",
        {"bytes": tables.LISTING, "tasks": merged.tasks, "last": tables.LISTING % 10_000, "ms": merged.median_ns / 1e6, "threads": merged.threads},
        (decided("ends", estimate(ends_at / 1e9), lambda seconds: seconds < 100),))


@judge("block-ciphers")
def block_ciphers(results: Results) -> Verdict:
    """AES on the same harness."""
    rows = results["aes"].query("clock in ('saved', 'merged')")
    table = rows.set_index(["program", "cipher", "size_bytes"]).median_ns
    size = table.index.get_level_values("size_bytes").max()
    gain = {cipher: table["sequential", cipher, size] / table["parallel", cipher, size] for cipher in ("RC4", "AES")}
    times = medians(results, "aes", rows, ["program", "cipher", "size_bytes"])
    return Verdict("block-ciphers",
        {"size": size, "alone": table["sequential", "AES", size] / 1e6, "together": table["parallel", "AES", size] / 1e6, "aes": gain["AES"], "rc4": gain["RC4"]},
        (decided("faster", estimate(times["parallel", "AES", size] / times["sequential", "AES", size]), partial(faster, other=1)),))


@judge("c-on-linux")
def c_on_linux(results: Results) -> Verdict:
    """The mechanism in C."""
    merged = results["pthreads"].query("clock == 'merged'")
    sure = medians(results, "pthreads", merged, ["policy", "size_bytes", "threads"])
    table = merged.set_index(["policy", "size_bytes", "threads"]).median_ns
    size = table.index.get_level_values("size_bytes").max()
    rows = table.xs(size, level="size_bytes")
    one = rows["pool", 1]
    best = rows["pool"].idxmin()
    return Verdict("c-on-linux",
        {"size": size, "one": one / 1e6, "count": best, "pool": rows["pool", best] / 1e6, "each": rows["each"].iloc[0] / 1e6},
        (together("multicores", {f"{count} threads": estimate(sure["pool", size, count] / sure["pool", size, 1]) for count in rows["pool"].index if count > 1},
                  lambda ratio: ratio < 1 - TIE, every=False),
         Check("gpus", None)))


@judge("processors")
def processors(results: Results) -> Verdict:
    """A contradiction of the paper with itself."""
    return Verdict("processors")


@judge("better-machines", "gpus")
def elsewhere(results: Results) -> Iterator[Verdict]:
    """What needs machines that are not here."""
    yield Verdict("better-machines", checks=(Check("gains", None),))
    yield Verdict("gpus", checks=(Check("tested", None),))
