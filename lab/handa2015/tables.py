"""The paper's tables with ours beside them, and the experiment's counts with their confidence intervals."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd

from lab.handa2015.measure import LANES
from lab.processes import cycles, speeds
from lab.results import Results
from lab.shapes import counted, wide
from lab.wilson import Z95, wilson

PAPER = {1: "table-1", 4: "table-2", 6: "table-3", 8: "table-4"}  # by cores
NAMES = {
    "rc4a-plain": "RC4A, definition",
    "rc4a": "RC4A, fastest backend",
    "parc4i": "PARC4-I as printed",
    "parc4i-text": "PARC4-I by the text",
    "parc4i-keyed": "PARC4-I, a key for each block",
    "parc4r": "PARC4-R",
    "seal": "arcfour seal and open",
}
CIPHERS = {
    "rc4": "RC4",
    "rc4a": "RC4A",
    "rc4a-equal": "RC4A, equal keys",
    "parc4i": "PARC4-I as printed",
    "parc4i-text": "PARC4-I by the text",
    "parc4r": "PARC4-R",
}
N = 256
BEHIND = 1 - (N - 1) / N * 2 / N  # a lookup one swap behind: another value if i and j differ and the index is i or j


# Times


def paper_times(results: Results) -> pd.DataFrame:
    """Tables 1 to 4 under one another."""
    return pd.concat([results.paper(claim).assign(cores=cores) for cores, claim in PAPER.items()], ignore_index=True)


def our_times(results: Results) -> pd.DataFrame:
    """All our times under one another, with names for people."""
    keyed = results["keyed"]
    every = [results[name] for name in ("rc4a", "parc4i", "parc4r", "seal")]
    clocks = [results.record(name).ghz for name in ("rc4a", "parc4i", "parc4r", "seal", "keyed")]
    every = [table.assign(ghz=ghz) for table, ghz in zip([*every, keyed[keyed.work == "parc4i-keyed"]], clocks, strict=True)]
    every = pd.concat(every, ignore_index=True)
    return every.assign(name=every.work.map(NAMES), ns_per_byte=every.overall_s / 2 / every.size_bytes * 1e9)


def sequential(results: Results) -> pd.DataFrame:
    """Table 1: encryption, decryption, overall."""
    ours = our_times(results)
    times = {"paper": results.paper("table-1")} | {NAMES[work]: ours[ours.work == work] for work in ("rc4a-plain", "rc4a")}
    parts = [table.set_index("size_bytes")[["encryption_s", "decryption_s", "overall_s"]].add_prefix(f"{name}: ") for name, table in times.items()]
    return pd.concat(parts, axis=1, join="inner").rename(columns=lambda name: name.removesuffix("_s") + " (s)").sort_index().round(5).reset_index()


def parallel(results: Results) -> pd.DataFrame:
    """Tables 2 to 4: overall seconds, the paper's on 4, 6 and 8 cores, ours on those there are."""
    paper = paper_times(results)
    columns = {f"paper, PARC4-I, {cores} cores (s)": paper[paper.cores == cores].set_index("size_bytes").overall_s for cores in PAPER if cores > 1}
    ours = our_times(results)
    for work in ("parc4i", "parc4i-text", "parc4i-keyed", "parc4r", "seal"):
        for count, group in ours[ours.work == work].groupby("threads"):
            columns[f"{NAMES[work]}, {counted(count, 'thread')} (s)"] = group.set_index("size_bytes").overall_s
    return pd.DataFrame(columns).sort_index().round(4).rename_axis("size_bytes").reset_index()


def speed_ups(results: Results) -> pd.DataFrame:
    """Tidy: size, who, threads, speed-up and efficiency over a sequential RC4A, and over the same on one thread."""
    paper = paper_times(results)
    base = paper[paper.cores == 1].set_index("size_bytes").overall_s
    rows = [(each.size_bytes, "paper, PARC4-I", "paper, RC4A", each.cores, base[each.size_bytes] / each.overall_s) for each in paper[paper.cores > 1].itertuples()]
    ours = our_times(results)
    time = ours.set_index(["work", "threads", "size_bytes"]).overall_s
    for each in ours[~ours.work.isin(["rc4a-plain", "rc4a"])].itertuples():
        for work, count in (("rc4a-plain", 1), ("rc4a", 1), (each.work, 1)):
            if (work, count, each.size_bytes) in time.index:
                label = NAMES[work] if work != each.work else "itself, 1 thread"
                rows.append((each.size_bytes, each.name, label, each.threads, time[work, count, each.size_bytes] / each.overall_s))
    table = pd.DataFrame(rows, columns=["size_bytes", "name", "baseline", "threads", "speed_up"])
    return table.assign(efficiency=table.speed_up / table.threads)


def ratios(results: Results) -> pd.DataFrame:
    """Table 1 over tables 2 to 4 at each size, and by how much encryption and decryption differ in each."""
    paper = paper_times(results)
    overall = paper.pivot(index="size_bytes", columns="cores", values="overall_s")
    apart = paper.assign(apart=(paper.encryption_s - paper.decryption_s).abs()).pivot(index="size_bytes", columns="cores", values="apart")
    columns = {f"table 1 / table of {cores} cores": overall[1] / overall[cores] for cores in PAPER if cores > 1}
    columns |= {f"encryption and decryption apart, {counted(cores, 'core')} (s)": apart[cores] for cores in PAPER}
    return pd.DataFrame(columns).reset_index()


def model(results: Results) -> pd.DataFrame:
    """Amdahl's law: the serial share that our own times on one thread and on most give (Karp and Flatt's metric), on more cores.

    It takes all cores to be alike and memory to be no limit; neither is measured here.
    """
    sizes = results["parc4i"].query("work == 'parc4i'").pivot(index="size_bytes", columns="threads", values="overall_s")
    times, most = sizes.iloc[-1], int(sizes.columns.max())
    ratio = (sizes[most] / sizes[1]).median()  # over the sizes, so that one disturbed row decides nothing
    serial = max(0.0, (ratio - 1 / most) / (1 - 1 / most))
    rows = [{"cores": cores, "how": "measured" if cores in times.index else "model", "PARC4-I, overall (s)":
             times[cores] if cores in times.index else times[1] * (serial + (1 - serial) / cores)} for cores in sorted({*times.index, *PAPER})]
    table = pd.DataFrame(rows)
    return table.assign(**{"speed-up": times[1] / table["PARC4-I, overall (s)"], "serial share": serial})


def speed_up(results: Results) -> pd.DataFrame:
    """Speed-up and efficiency at the largest size that all have."""
    table = speed_ups(results)
    size = largest(results)
    return table[table.size_bytes == size].drop(columns="size_bytes").round(3).reset_index(drop=True)


def largest(results: Results) -> int:
    """The largest size that all was measured at, but the keys for each block."""
    ours = our_times(results)
    return int(ours[ours.work != "parc4i-keyed"].groupby("work").size_bytes.max().min())


def at_largest(results: Results) -> tuple[int, pd.DataFrame, pd.DataFrame]:
    """That size, and the paper's times and ours at it."""
    size = largest(results)
    paper, ours = (table[table.size_bytes == size] for table in (paper_times(results), our_times(results)))
    return size, paper, ours


def per_byte(results: Results) -> pd.DataFrame:
    """Nanoseconds a byte and core, one way: the mean of encryption and decryption at the largest size."""
    paper = paper_times(results)
    paper = paper[paper.size_bytes == paper.size_bytes.max()]
    rows = [("paper, RC4A" if each.cores == 1 else "paper, PARC4-I", each.cores, each.overall_s / 2 / each.size_bytes * 1e9, None) for each in paper.itertuples()]
    ours = our_times(results)
    rows += [(each.name, each.threads, each.ns_per_byte, each.ghz) for each in ours[ours.size_bytes == largest(results)].itertuples()]
    table = pd.DataFrame(rows, columns=["name", "threads", "ns per byte", "ghz"])
    table["ns per byte and core"] = table["ns per byte"] * table.threads
    table["cycles per byte and core"] = table["ns per byte and core"] * table.pop("ghz").astype(float)
    return table.round(3)


def processes(results: Results) -> pd.DataFrame:
    """RC4A in cycles, process by process, at all sizes: whether it has one speed on this processor."""
    sizes = cycles(results, "rc4a", lambda cell, printed: both_ways(printed) / cell[0])
    bytes_ = results["speeds"].size_bytes[0]
    few = cycles(results, "speeds", lambda _, printed: both_ways(printed) / bytes_)
    return speeds({f"{NAMES[work]}, all sizes": sizes.cycles[[cell[1] == work for cell in sizes.cell]] for work in ("rc4a-plain", "rc4a")}
                  | {f"{NAMES['rc4a-plain']}, {condition}": costs.cycles for (condition,), costs in few.groupby("cell", sort=False)})


def both_ways(printed: dict[str, float]) -> float:
    """Nanoseconds one way, the mean of encryption and decryption."""
    return (printed["encryption_s"] + printed["decryption_s"]) / 2 * 1e9


# ENT

# The serial correlation: the share of neighbours that are equal by the proposition of the README, all others being independent.
CORRELATION = {"parc4i": (2 + BEHIND) / 4, "parc4i-text": 3 * BEHIND / 4, "rc4a-equal": BEHIND / 2}
STATISTICS = {"entropy": "entropy_bits_per_byte"} | {name: name for name in ("chi_square", "mean", "pi", "serial_correlation")}


def ent_small(results: Results) -> pd.DataFrame:
    """ENT's output for files of the paper's lengths, by notation, and the paper's figures in
    standard deviations."""
    rows = []
    for each in results["ent-small"].itertuples():
        paper = results.paper("figure-3" if each.cipher == "rc4a" else "figure-4").iloc[0]
        line = {"cipher": CIPHERS[each.cipher], "file holds": each.content, "written as": each.notation, "bytes": each.bytes}
        for name, column in STATISTICS.items():
            mean, deviation = getattr(each, f"{name}_mean"), getattr(each, f"{name}_std")
            line[name] = f"{mean:.4g} ± {deviation:.2g}"
            same = 0.0 if abs(paper[column] - mean) < 1e-6 else float("inf")
            line[f"paper's {name} (sd from ours)"] = round((paper[column] - mean) / deviation, 1) if deviation > 0 else same
        rows.append(line)
    return pd.DataFrame(rows)


def distance(results: Results) -> pd.DataFrame:
    """How far the paper's entropy, mean and chi-square lie from each notation: the largest, in standard deviations."""
    table = ent_small(results)
    columns = [f"paper's {name} (sd from ours)" for name in ("entropy", "chi_square", "mean", "serial_correlation")]
    table["largest"] = table[columns].abs().max(axis=1)
    return table[["cipher", "file holds", "written as", "bytes", "largest"]]


def ent_large(results: Results) -> pd.DataFrame:
    """ENT on a long keystream, and the serial correlation that equal bytes in a round predict."""
    table = results["ent-large"]
    deviation = 1 / table["bytes"] ** 0.5
    return pd.DataFrame({
        "cipher": table.cipher.map(CIPHERS), "bytes": table["bytes"], "entropy (bits per byte)": table.entropy.round(6),
        "chi-square (255 degrees of freedom)": table.chi_square.round(2), "random exceeds it (%)": table.chi_square_percent.round(4),
        "mean": table["mean"].round(4), "pi": table["pi"].round(6), "serial correlation": table.serial_correlation.round(6),
        "predicted": table.cipher.map(CORRELATION).fillna(0.0).round(6), "standard deviations from 0": (table.serial_correlation / deviation).round(1),
    })


# The experiment

# The proposition's value for each quantity of `structure`; all others are chance.
PREDICTED: dict[tuple[str, str, int, int], float] = {
    ("parc4i", "all-equal", 0, 0): BEHIND,
    ("parc4i-text", "all-equal", 0, 0): BEHIND,
    ("rc4a-equal", "all-equal", 0, 0): BEHIND,
    **{("parc4i", "is-rc4", lane, 0): BEHIND for lane in (1, 2, 3)},
    ("parc4i", "is-rc4", 4, 0): 1.0,
    **{("parc4i-text", "is-rc4", lane, 0): BEHIND if lane in (1, 3) else 1.0 for lane in (1, 2, 3, 4)},
    ("rc4a-equal", "is-rc4", 1, 0): BEHIND,
    ("rc4a-equal", "is-rc4", 2, 0): 1.0,
    **{("parc4i", "pair", a, b): 1.0 if b < 4 else BEHIND for a in (1, 2, 3) for b in range(a + 1, 5)},
    **{("parc4i-text", "pair", a, b): 1.0 if (a + b) % 2 == 0 else BEHIND for a in (1, 2, 3) for b in range(a + 1, 5)},
    ("rc4a-equal", "pair", 1, 2): BEHIND,
    ("parc4i", "successive", 0, 0): CORRELATION["parc4i"] + 1 / 4 / N,
    ("parc4i-text", "successive", 0, 0): CORRELATION["parc4i-text"] + 1 / 4 / N,
    ("rc4a-equal", "successive", 0, 0): CORRELATION["rc4a-equal"] + 1 / 2 / N,
}


def chance(quantity: str, lanes: int) -> float:
    """The probability with independent uniform bytes."""
    return N ** -(lanes - 1) if quantity == "all-equal" else 1 / N


def counts(results: Results) -> pd.DataFrame:
    """`structure` with frequencies, intervals, predictions and chance values; z is against chance."""
    table = results["structure"]
    table["frequency"] = table.hits / table.trials
    table[["low", "high"]] = [wilson(*pair) for pair in zip(table.hits, table.trials, strict=True)]
    table["chance"] = [chance(q, LANES[c]) for q, c in zip(table.quantity, table.cipher, strict=True)]
    table["predicted"] = [PREDICTED.get(key) for key in zip(table.cipher, table.quantity, table.a, table.b, strict=True)]
    table["z"] = (table.hits - table.trials * table.chance) / (table.trials * table.chance * (1 - table.chance)) ** 0.5
    return table


# A quantity in words.
EVENTS = {"all-equal": "all bytes of a round equal", "successive": "a byte equals the one after it", "is-rc4": "byte {a} of round r is RC4's byte r",
          "pair": "bytes {a} and {b} of a round equal"}


def structure(results: Results) -> pd.DataFrame:
    """The counts for people to cite."""
    table = counts(results)
    return pd.DataFrame({
        "cipher": table.cipher.map(CIPHERS), "event": [EVENTS[row.quantity].format(a=row.a, b=row.b) for row in table.itertuples()],
        "hits": table.hits, "trials": table.trials, "frequency": table.frequency.map("{:.7g}".format),
        "95 % interval": [f"{low:.7g} to {high:.7g}" for low, high in zip(table.low, table.high, strict=True)],
        "predicted": table.predicted.map(lambda p: "" if pd.isna(p) else f"{p:.7g}"), "chance": table.chance.map("{:.7g}".format), "z against chance": table.z.map("{:,.1f}".format),
    })


def controls(results: Results) -> pd.DataFrame:
    """The counts of the ciphers that should pass, with Holm's correction over all of them."""
    table = counts(results)
    table = table[table.cipher.isin(["rc4a", "parc4r"])]
    table["p"] = table.z.map(lambda z: 2 * (1 - NormalDist().cdf(abs(z))))
    ordered = table.p.sort_values()
    corrected = (ordered * np.arange(len(ordered), 0, -1)).clip(upper=1).cummax()
    return table.assign(holm=corrected)


def broadcast(results: Results) -> pd.DataFrame:
    """How many bytes of the second round are recovered, in percent, by the number of ciphertexts."""
    table = results["broadcast"]
    table["percent"] = (100 * table.hits / table.trials).round(2)
    return wide(table, "ciphertexts", "cipher", "percent", lambda cipher: f"{CIPHERS[cipher]} (%)").reset_index()


def one_message(results: Results) -> pd.DataFrame:
    """The share of a message read from its ciphertext alone: mean over messages with its 95 % interval."""
    table = results["one-message"]
    rows = []
    for cipher, group in table.groupby("cipher", sort=False):
        read = group.read_fraction
        rows.append({"cipher": CIPHERS[cipher], "messages": len(group), "bytes each": group["bytes"].iloc[0], "read (%)": round(100 * read.mean(), 2),
                     "95 % interval, ±": round(100 * half(read.std(), len(read)), 2), "a sample of what is read": group["sample"].iloc[0]})
    return pd.DataFrame(rows)


def half(deviation, count):
    """Half of the 95 % interval of a mean, by the normal approximation."""
    return Z95 * deviation / count**0.5


def blocks(results: Results) -> pd.DataFrame:
    """The share read of blocks that share one keystream."""
    table = results["blocks"]
    table["cell"] = [f"{100 * row.read_fraction:.1f} ± {100 * half(row.read_sd, row.trials):.1f}" for row in table.itertuples()]
    return wide(table, "blocks", "attack", "cell", "{}: read (%, 95 % interval)").reset_index()
