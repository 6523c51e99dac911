"""The conditions of each claim on the results, and the figures that its verdict names in claims.toml."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from math import nan, prod

import pandas as pd

from lab.handa2015 import tables
from lab.handa2015.ratios import KEPT
from lab.intervals import Estimate, bootstrap, bootstrapped, decided, extremes, measured
from lab.judge import FLAT, SIGMA, TIE, Check, Verdict, alike, faster, judge
from lab.processors import processor
from lab.results import NotMeasured, Results
from lab.shapes import counted
from lab.wording import ends, series

READ = 0.1  # a cipher hides a text if less than this share of it is read without the key; guessing reads some
FEW = 3  # standard deviations within which a printed statistic may be one of ours
CLAIMS = {"table-2": 4, "table-3": 6, "table-4": 8}  # cores of each


class Times:
    """Seconds at the largest size: ours by work and threads, the paper's by cores."""

    def __init__(self, results: Results):
        self.size, paper, ours = tables.at_largest(results)
        self.ours, self.paper = ours.set_index(["work", "threads"]).overall_s, paper.set_index("cores").overall_s
        self.most = int(self.ours["parc4i"].index.max())
        self.cores = results.record("parc4i").cores
        self.table = results["parc4i"].query("work == 'parc4i' and size_bytes == @self.size")
        self.runs = results.runs("parc4i")

    def rate(self, seconds: float) -> str:
        """MB/s each way."""
        return f"{2 * self.size / 1e6 / seconds:.0f} MB/s"

    @property
    def efficiency(self) -> float:
        """Of PARC4-I on the most threads, over itself on one."""
        return self.ours["parc4i", 1] / self.ours["parc4i", self.most] / self.most

    @property
    def sure(self) -> Estimate:
        """The same with its interval: by drawing the runs again, or by their ends in a record that is older."""
        row = self.table.set_index("threads")
        alone, together = (extremes(*row.loc[count, ["overall_s", "overall_min_s", "overall_max_s"]]) for count in (1, self.most))
        ratio = alone / together
        if self.runs is not None:
            drawn = bootstrap(*([run["encryption_s"] + run["decryption_s"] for run in measured(self.runs, (self.size, "parc4i", count))] for count in (1, self.most)))
            ratio = drawn.scaled(ratio.value / drawn.value)
        return ratio.scaled(1 / self.most)

    def paper_efficiency(self, cores: int) -> float:
        return self.paper[1] / self.paper[cores] / cores


def cost(table: pd.DataFrame) -> pd.Series:
    """Nanoseconds a byte, one way, by size."""
    return table.set_index("size_bytes").sort_index().pipe(lambda t: t.overall_s / 2 / t.index * 1e9)


@judge("table-1")
def table_1(results: Results) -> Verdict:
    times = Times(results)
    paper = results.paper("table-1")
    ours = results["rc4a"].query("work == 'rc4a-plain'")
    theirs, here = cost(paper), cost(ours)
    grow = {name: costs.iloc[-1] / costs.iloc[0] for name, costs in (("theirs", theirs), ("ours", here))}
    apart = {name: (table.decryption_s / table.encryption_s - 1).abs().max() for name, table in (("theirs", paper), ("ours", ours))}
    return Verdict("table-1",
        processes(results) | {"paper_first": theirs.iloc[0], "paper_last": theirs.iloc[-1], "paper_grows": grow["theirs"] - 1, **ends("", here), "several": len(here) > 1, "sizes": len(here), "paper_s": times.paper[1], "paper_rate": times.rate(times.paper[1]),
         "plain_s": times.ours["rc4a-plain", 1], "plain_rate": times.rate(times.ours["rc4a-plain", 1]),
         "fast_s": times.ours["rc4a", 1], "fast_rate": times.rate(times.ours["rc4a", 1])},
        (Check("grows", alike(grow["ours"], grow["theirs"], FLAT), grow), Check("ways", apart["ours"] <= apart["theirs"], apart)))


def processes(results: Results) -> dict[str, object]:
    """How far the processes of the definition lie apart in cycles. Records without a clock do not tell."""
    try:
        found = tables.processes(results).set_index("program")
    except NotMeasured:
        return {"told": False, "count": 0, "one_speed": False} | dict.fromkeys(("lower", "upper", "page_lower", "page_upper", "busy"), nan)
    everywhere, alone, page, crowded = (found.loc[f"{tables.NAMES['rc4a-plain']}, {condition}"] for condition in (
        "all sizes", "as it is", "tables at the start of a page", "another processor busy"))
    lower, upper = everywhere["lower tenth (cycles/byte)"], everywhere["upper tenth (cycles/byte)"]
    return {"told": True, "count": everywhere.processes, "lower": lower, "upper": upper, "one_speed": upper <= (1 + FLAT) * lower,
            "page_lower": page["lower tenth (cycles/byte)"], "page_upper": page["upper tenth (cycles/byte)"],
            "busy": crowded["median (cycles/byte)"] / alone["median (cycles/byte)"]}


@judge("table-2", "table-3", "table-4")
def columns(results: Results) -> Iterator[Verdict]:
    times = Times(results)
    model = tables.model(results).set_index("cores")
    text = ", ".join(f"{times.ours['parc4i', count]:.2f} s on {counted(count, 'thread')}" for count in times.ours["parc4i"].index)
    for claim, cores in CLAIMS.items():
        have = times.cores >= cores and ("parc4i", cores) in times.ours.index
        theirs = times.paper_efficiency(cores)
        yield Verdict(claim,
            {"paper": times.paper[cores], "cores": cores, "ours": text, "measured": have, "here": times.cores, "serial": model["serial share"].iloc[0],
             "model": model["PARC4-I, overall (s)"].get(cores, nan)},
            (Check("speed_up", alike(times.ours["parc4i", 1] / times.ours["parc4i", cores], theirs * cores) if have else None, {"cores": cores, "theirs": theirs * cores}),
             decided("used", times.sure, partial(alike, theirs=theirs, tolerance=FLAT), cores=times.most, theirs=theirs)))


@judge("tables-computed")
def computed(results: Results) -> Verdict:
    table = tables.ratios(results)
    spread = {cores: table[f"table 1 / table of {cores} cores"] for cores in CLAIMS.values()}
    apart = {cores: table[f"encryption and decryption apart, {counted(cores, 'core')} (s)"] for cores in tables.PAPER}
    return Verdict("tables-computed",
        {"ratios": "; ".join(f"{values.min():.3f} to {values.max():.3f} for {cores} cores" for cores, values in spread.items()),
         "first": apart[1].max(), "others": max(apart[cores].max() for cores in CLAIMS.values())},
        tuple(Check("scatters", values.max() / values.min() > 1.01, {"cores": cores, "by": values.max() / values.min() - 1}) for cores, values in spread.items()))


@judge("bits-or-bytes", "whose-table-1")
def readings(results: Results) -> Iterator[Verdict]:
    largest = results.paper("table-1").sort_values("size_bytes").iloc[-1]
    rate = 2 * largest.size_bytes / 1e6 / largest.overall_s
    yield Verdict("bits-or-bytes",
        {"rate": rate, "eighth": rate / 8})
    yield Verdict("whose-table-1")


@judge("figure-1")
def structure_of_blocks(results: Results) -> Verdict:
    blocks = results.rows("blocks").read_fraction
    some = int(blocks["blocks alone"].index.max())
    four = blocks.get(("blocks and rounds", 4))
    return Verdict("figure-1",
        {"blocks": some, "bytes": some * tables.N, "alone": blocks["blocks alone", some], "rounds": four is not None, "four": nan if four is None else four},
        (Check("hidden", blocks["blocks alone", some] < READ, {"limit": READ, "blocks": some}),))


@judge("figure-2")
def mechanism(results: Results) -> Verdict:
    times = Times(results)
    within = results["keyed"].set_index(["work", "threads"]).overall_s
    most = times.most
    price = within["parc4i-keyed", most] / within["parc4i", most]
    return Verdict("figure-2",
        {"price": price, "block": tables.N, "repaired": times.ours["parc4r", most], "threads": counted(most, "thread"),
         "gain": times.ours["parc4i", most] / times.ours["parc4r", most]},
        (Check("faster", faster(times.ours["parc4i", most], times.ours["parc4i", 1]), {"threads": counted(most, "thread")}),
         Check("price", price < 1 + FLAT)))


@judge("figure-3", "figure-4")
def entropies(results: Results) -> Iterator[Verdict]:
    distance = tables.distance(results)
    raw = results["ent-small"]
    for claim, cipher in (("figure-3", "rc4a"), ("figure-4", "parc4i")):
        printed = results.paper(claim).iloc[0]
        nearest = distance[distance.cipher == tables.CIPHERS[cipher]].sort_values("largest").iloc[0]
        plain = raw[(raw.cipher == cipher) & (raw.content == "keystream") & (raw.notation == "raw bytes")].iloc[0]
        yield Verdict(claim,
            {"bytes": printed["bytes"], "entropy": plain.entropy_mean, "spread": plain.entropy_std, "printed": printed.entropy_bits_per_byte,
             "holds": nearest["file holds"], "written": nearest["written as"], "largest": nearest.largest},
            (Check("entropy", abs(plain.entropy_mean - printed.entropy_bits_per_byte) <= FEW * plain.entropy_std, {"bytes": printed["bytes"], "few": FEW}),
             Check("listing", nearest.largest <= FEW, {"few": FEW})))


@judge("figure-5")
def by_cores(results: Results) -> Verdict:
    times = Times(results)
    here = [count for count in CLAIMS.values() if count <= times.cores and ("parc4i", count) in times.ours.index]
    return Verdict("figure-5",
        {"one": times.ours["parc4i", 1], "more": times.ours["parc4i", times.most], "threads": times.most, "rc4a": times.ours["rc4a", 1],
         "repaired": times.ours["parc4r", 1]},
        (Check("faster", faster(times.ours["parc4i", times.most], times.ours["parc4i", 1]), {"threads": counted(times.most, "thread")}),
         Check("ordered", all(faster(times.ours["parc4i", b], times.ours["parc4i", a]) for a, b in pairwise(here)) if len(here) == len(CLAIMS) else None)))


@judge("figure-6")
def speed_up_figure(results: Results) -> Verdict:
    times = Times(results)
    name = tables.NAMES["parc4i"]
    gain = tables.speed_ups(results)
    gain = gain[(gain.size_bytes == times.size) & (gain.name == name) & (gain.threads == times.most)].set_index("baseline")
    own, plain, fast = (gain.speed_up[base] for base in ("itself, 1 thread", tables.NAMES["rc4a-plain"], tables.NAMES["rc4a"]))
    theirs = times.paper_efficiency(8)
    return Verdict("figure-6",
        {"own": own, "threads": times.most, "plain": plain, "fast": fast},
        (decided("own", times.sure, partial(alike, theirs=theirs, tolerance=FLAT), threads=times.most, theirs=theirs),
         Check("fast", alike(fast / times.most, theirs, FLAT) or fast / times.most > theirs)))


@judge("secure")
def secure(results: Results) -> Verdict:
    counts = tables.counts(results).set_index(["cipher", "quantity", "a", "b"])
    ent = tables.ent_large(results).set_index("cipher")
    message = tables.one_message(results).set_index("cipher")["read (%)"]
    printed, reading, repaired = (tables.CIPHERS[c] for c in ("parc4i", "parc4i-text", "parc4r"))
    worst = tables.controls(results).holm.min()
    same = counts.loc[("rc4a-equal", "all-equal", 0, 0)]
    exact, behind, equal = (counts.loc[("parc4i", *what)] for what in (("is-rc4", 4, 0), ("is-rc4", 1, 0), ("all-equal", 0, 0)))
    correlation = ent["serial correlation"]
    return Verdict("secure",
        {"exact": exact.hits, "rounds": exact.trials, "behind": behind.frequency, "low": behind.low, "high": behind.high, "equal": equal.frequency,
         "bytes": ent.bytes[printed], "correlation": correlation[printed], "reading": reading, "correlation_text": correlation[reading],
         "correlation_rc4a": correlation["RC4A"], "read": message[printed], "read_text": message[reading], "repaired": repaired,
         "read_repaired": message[repaired], "worst": worst, "same": same.frequency},
        (Check("correlation", abs(ent["standard deviations from 0"][printed]) <= SIGMA),
         Check("equal", abs(equal.z) <= SIGMA),
         Check("hidden", message[printed] < 100 * READ, {"limit": READ})))


@judge("distinct")
def distinct(results: Results) -> Verdict:
    equal = tables.counts(results).set_index(["cipher", "quantity", "a", "b"]).loc[("parc4i", "all-equal", 0, 0)]
    return Verdict("distinct",
        {"equal": equal.frequency, "rounds": equal.trials, "low": equal.low, "high": equal.high, "predicted": equal.predicted, "chance": equal.chance},
        (Check("distinct", equal.frequency < 0.5),))


@judge("speed-up")
def divided(results: Results) -> Verdict:
    times = Times(results)
    printed = tables.paper_times(results).pivot(index="size_bytes", columns="cores", values="overall_s")
    ratios = {cores: printed[1] / printed[cores] for cores in CLAIMS.values()}
    return Verdict("speed-up",
        {**ends("eight", ratios[8]), **ends("six", ratios[6]), "first": ratios[8].iloc[0], "last": ratios[8].iloc[-1], "threads": times.most, "ours": times.efficiency * times.most},
        (Check("printed", alike(ratios[8].median(), 7.3, 0.01) and alike(ratios[6].median(), 5.7, 0.01)),
         Check("rises", ratios[8].iloc[-1] > (1 + TIE) * ratios[8].iloc[0])))


@judge("halving")
def halving(results: Results) -> Verdict:
    printed = tables.paper_times(results).pivot(index="size_bytes", columns="cores", values="overall_s")
    steps = {(a, b): printed[b].iloc[-1] / printed[a].iloc[-1] for a, b in ((4, 6), (6, 8))}
    return Verdict("halving",
        {"six": steps[4, 6], "eight": steps[6, 8]},
        tuple(Check("halved", alike(step, 1 / 2), {"few": few, "many": many}) for (few, many), step in steps.items()))


@judge("efficiency")
def efficiency(results: Results) -> Verdict:
    times = Times(results)
    theirs = {cores: times.paper_efficiency(cores) for cores in CLAIMS.values()}
    repaired = times.ours["parc4r", 1] / times.ours["parc4r", times.most] / times.most
    full = [cores for cores in theirs if cores <= times.cores and ("parc4i", cores) in times.ours.index]
    return Verdict("efficiency",
        {"paper": series(theirs, "{value:.2f} on {name} cores"), "threads": times.most, "ours": times.efficiency,
         "name": tables.CIPHERS["parc4r"], "repaired": repaired},
        (Check("printed", all(alike(value, 0.9, 0.1) for value in theirs.values())),
         decided("ours", times.sure, lambda value: value >= 0.9, cores=times.most),
         Check("more", all(times.ours["parc4i", 1] / times.ours["parc4i", cores] / cores >= 0.9 for cores in full) if len(full) == len(theirs) else None)))


def ratio(results: Results, experiment: str, over: list[tuple], under: list[tuple]) -> Estimate:
    """Some overall times of a table over others, each named by its row. The interval is by drawing the runs again, or by their ends in an older record."""
    names = [name for name in ("language", "work", "size_bytes", "threads") if name in results[experiment]]
    rows = results[experiment].set_index(names)
    def product(cells: list[tuple]) -> Estimate:
        return prod((extremes(*rows.loc[cell, ["overall_s", "overall_min_s", "overall_max_s"]]) for cell in cells), start=Estimate(1.0, 1.0, 1.0))
    value = product(over) / product(under)
    runs = results.runs(experiment)
    if runs is None:
        return value
    def sums(cell: tuple) -> list[float]:
        # The runner names the cells of `rolled` by size, work and threads.
        *names, size, threads = cell
        name = (*names, int(size), int(threads)) if len(names) == 2 else (int(size), *names, int(threads))
        return [run["encryption_s"] + run["decryption_s"] for run in measured(runs, name)]
    drawn = bootstrapped([sums(cell) for cell in over], [sums(cell) for cell in under])
    return drawn.scaled(value.value / drawn.value)


@judge("unrolling")
def unrolling(results: Results) -> Verdict:
    core = tables.per_byte(results).set_index(["name", "threads"])["ns per byte and core"]
    rust = results["rolled"].query("threads == 1").set_index("work").overall_s
    c = results["openmp"].query("threads == 1 and language.str.startswith('C')").set_index("work").overall_s
    gain = {"Rust": (rust["parc4i"], rust["parc4i-rolled"]), "C by GCC": (c["parc4i"], c["parc4i-rolled"])}
    size = int(results["rolled"].size_bytes.max())
    gcc = next(name for name in results["openmp"].language if name.startswith("C"))
    ratios = {"Rust": ratio(results, "rolled", [("parc4i", size, 1)], [("parc4i-rolled", size, 1)]),
              "C by GCC": ratio(results, "openmp", [(gcc, "parc4i", size, 1)], [(gcc, "parc4i-rolled", size, 1)])}
    others = {f"{language} on {processor(place.record(kept.experiment))}": kept.of(place[kept.experiment])
              for place in results.elsewhere() for language, kept in KEPT.items() if kept.experiment in place}
    return Verdict("unrolling",
        {"others": series(others, "{value:.2f} times as long in {name}"), "elsewhere": bool(others), "slower": " and ".join(f"{slow / fast:.2f} times as long in {name}" for name, (fast, slow) in gain.items()),
         "rc4a": core["paper, RC4A", 1], "parc4i": core["paper, PARC4-I", 8]},
        tuple(decided("faster", each, partial(faster, other=1), language=name) for name, each in ratios.items()))


@judge("compiler")
def compiler(results: Results) -> Verdict:
    table = results["openmp"].set_index(["language", "work", "threads"]).overall_s
    languages = table.index.get_level_values("language").unique()
    most = table.index.get_level_values("threads").max()
    c, rust = next(name for name in languages if name.startswith("C")), next(name for name in languages if name.startswith("Rust"))
    gain = {name: table[name, "parc4i", 1] / table[name, "parc4i", most] for name in (c, rust)}
    size = int(results["openmp"].size_bytes.max())
    apart = ratio(results, "openmp", [(c, "parc4i", size, 1), (rust, "parc4i", size, most)], [(c, "parc4i", size, most), (rust, "parc4i", size, 1)])
    ahead = ratio(results, "openmp", [(c, "parc4i", size, most)], [(c, "rc4a", size, 1)])
    return Verdict("compiler",
        {"c_rc4a": table[c, "rc4a", 1], "rust_rc4a": table[rust, "rc4a", 1], "c_one": table[c, "parc4i", 1], "rust_one": table[rust, "parc4i", 1],
         "c_most": table[c, "parc4i", most], "rust_most": table[rust, "parc4i", most], "threads": most, "c_gain": gain[c], "rust_gain": gain[rust]},
        (decided("gains", apart, partial(alike, theirs=1, tolerance=FLAT), threads=most),
         decided("faster", ahead, partial(faster, other=1))))


@judge("parallel-gains")
def parallel_gains(results: Results) -> Verdict:
    rows = results["rolled"].query("work == 'parc4i'").set_index("threads")
    one, two = (extremes(*rows.loc[count, ["overall_s", "overall_min_s", "overall_max_s"]]) for count in (1, 2))
    gain = one / two
    return Verdict("parallel-gains", {"gain": gain.value}, (decided("caches", gain, lambda ratio: ratio > 2 * (1 + TIE)), Check("energy", None)))


@judge("as-scalable")
def as_scalable(results: Results) -> Verdict:
    table = results["rolled"].set_index(["work", "threads"]).overall_s
    most = table.index.get_level_values("threads").max()
    gain = {work: table[work, 1] / table[work, most] for work in ("parc4i", "parc4i-rolled")}
    size = int(results["rolled"].size_bytes.max())
    apart = ratio(results, "rolled", [("parc4i", size, 1), ("parc4i-rolled", size, most)], [("parc4i", size, most), ("parc4i-rolled", size, 1)])
    return Verdict("as-scalable",
        {"threads": most, "unrolled": gain["parc4i"], "rolled": gain["parc4i-rolled"]},
        (decided("gains", apart, partial(alike, theirs=1, tolerance=FLAT), threads=most),))


@judge("rc4a-fpga")
def rc4a_fpga(results: Results) -> Verdict:
    printed = results.paper("rc4a-fpga").iloc[0]
    clocks = printed.clock_mhz / printed.mb_per_s
    return Verdict("rc4a-fpga", {"clocks": clocks, "loop": 2 * clocks}, (Check("loop", alike(2 * clocks, 3, 0.01)), Check("rate", None)))


@judge("md5-rc4-gpu")
def elsewhere(results: Results) -> Verdict:
    return Verdict("md5-rc4-gpu", checks=(Check("gain", None),))
