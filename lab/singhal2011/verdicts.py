"""The conditions of each claim on the results, and the figures that its verdict names in claims.toml."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

import numpy as np
import pandas as pd

from lab.intervals import Draws, Estimate, decided, estimate, extremes
from lab.judge import FLAT, RATIO, TIE, Check, Verdict, faster, judge
from lab.results import NotMeasured, Results
from lab.shapes import quiet_runs
from lab.singhal2011.measure import BYTE_PATH, KEY_BITS, LEVELS, RC4
from lab.singhal2011.tables import COLUMNS, GRID, PAPERS, size_name
from lab.wording import ends, series

AES, SOFT, TABLES = "AES instructions", "no AES instructions", "tables"
WAYS = {"encrypt": "encryption", "decrypt": "decryption"}


class Times:
    """The grid, asked by name."""

    def __init__(self, results: Results, *experiments: str):
        tables = {name: results[name] for name in experiments}
        self.table = pd.concat(tables.values(), ignore_index=True)
        self.sizes = sorted(self.table.size_kb.unique())
        self.cells = self.table.set_index(["level", "cipher", "key_bits", "size_kb"])
        self.draws = {level: Draws(results, name) for name, table in tables.items() for level in table.level.unique()}

    def __call__(self, level: str, cipher: str, column: str, size_kb: int | None = None, bits: int = 128) -> float:
        return float(self.cells.loc[(level, cipher, bits, size_kb or self.sizes[-1]), column])

    def drawn(self, level: str, cipher: str, column: str, size_kb: int | None = None, bits: int = 128) -> np.ndarray:
        """The same, and from the runs drawn again. A run is a process, whose median counts."""
        size_kb = size_kb or self.sizes[-1]
        row = self.cells.loc[(level, cipher, bits, size_kb)]
        wall = column.replace("_cpu_ms", "_ms")  # whose extremes are recorded
        recorded = extremes(row[wall], row[wall.replace("_ms", "_min_ms")], row[wall.replace("_ms", "_max_ms")]).scaled(row[column] / row[wall])
        return self.draws[level]((int(size_kb), cipher, bits), recorded, lambda run: [median(run[column.replace("_ms", "_ns")])])

    def against(self, level: str, rc4: str, column: str, size_kb: int | None = None) -> np.ndarray:
        """RC4's time over the time of the fastest mode of the paper."""
        return self.drawn(level, rc4, column, size_kb) / np.min([self.drawn(level, mode, column, size_kb) for mode in PAPERS], axis=0)

    def worst(self, level: str, rc4: str, column: str) -> Estimate:
        """The same at the size where it is greatest."""
        return estimate(np.max([self.against(level, rc4, column, kb) for kb in self.sizes], axis=0))

    def wins(self, level: str, rc4: str, column: str) -> int:
        """At how many sizes RC4 is ahead of every mode of the paper."""
        return sum(self(level, rc4, column, kb) < min(self(level, mode, column, kb) for mode in PAPERS) for kb in self.sizes)

    def lead(self, level: str, rc4: str, mode: str, way: str) -> np.ndarray:
        """How many times as long as RC4 a mode takes, in the middle of all sizes."""
        return np.median([self.drawn(level, mode, f"{way}_ms", kb) / self.drawn(level, rc4, f"{way}_ms", kb) for kb in self.sizes], axis=0)

    def growth(self, level: str, cipher: str, way: str) -> np.ndarray:
        """How much longer the longest key takes than the shortest, for the largest file, in per
        cent."""
        return 100 * (self.drawn(level, cipher, f"{way}_ms", bits=KEY_BITS[-1]) / self.drawn(level, cipher, f"{way}_ms") - 1)


def some(ratio: np.ndarray) -> str:
    """A recorded factor, to two digits."""
    return f"{ratio[0]:.2g}"


def less(ratio: float) -> bool:
    """Whether a time is less than the one that it is divided by."""
    return ratio < 1


def same(ratio: float) -> bool:
    """Whether two modes take the same time."""
    return abs(ratio - 1) < 0.15


def timed(results: Results) -> Times:
    """The grid of times at all levels."""
    return Times(results, *GRID)


@judge("table-1", "table-2", given=timed)
def orders(times: Times) -> Iterator[Verdict]:
    """Tables I and II: who is ahead of whom."""
    yield order(times, "encrypt", "table-1")
    yield order(times, "decrypt", "table-2")


def order(times: Times, way: str, claim: str) -> Verdict:
    theirs, ours, total = RC4[1], RC4[0], len(times.sizes)
    wins = {level: times.wins(level, theirs, f"{way}_ms") for level in (TABLES, SOFT, AES)}
    forced = BYTE_PATH in set(times.table.cipher)

    def factors(level: str, rc4: str) -> str:
        return ", ".join(f"{mode[4:]} {some(times.lead(level, rc4, mode, way))}" for mode in PAPERS)
    return Verdict(claim,
        {"sizes": total, "wins_tables": wins[TABLES], "wins_aes": wins[AES], "wins_soft": wins[SOFT], "factors_tables": factors(TABLES, theirs),
         "factors_aes": factors(AES, theirs), "factors_ours": factors(AES, ours), "forced": forced,
         "loop": some(times.lead(AES, BYTE_PATH, theirs, way)) if forced else "", "ours": some(times.lead(AES, ours, theirs, way))},
        tuple(decided("ahead", times.worst(level, name, f"{way}_ms"), less, name=name, level=COLUMNS[level]) for level in (TABLES, SOFT, AES) for name in RC4))


@judge("graph-1", "graph-2", given=timed)
def modes(times: Times) -> Iterator[Verdict]:
    """Graphs 1 and 2: the modes among themselves, and RC4 below them."""
    yield among(times, "encrypt", "graph-1")
    yield among(times, "decrypt", "graph-2")


def among(times: Times, way: str, claim: str) -> Verdict:
    ratio = {level: times.lead(level, "AES-CBC", "AES-CFB", way) for level in (TABLES, SOFT, AES)}
    ecb = {level: times.lead(level, "AES-CBC", "AES-ECB", way) for level in (TABLES, SOFT, AES)}
    return Verdict(claim,
        {f"{name}_{short}": some(value[level]) for name, value in (("cfb", ratio), ("ecb", ecb)) for short, level in (("tables", TABLES), ("soft", SOFT), ("aes", AES))},
        (*(decided("cfb", estimate(ratio[level]), same, level=COLUMNS[level]) for level in ratio),
         *(decided("ecb", estimate(ecb[level] / np.minimum(1, ratio[level])), less, level=COLUMNS[level]) for level in ecb)))


@judge("graph-3", "graph-4", "graph-5", "graph-6", given=timed)
def key_sizes(times: Times) -> Iterator[Verdict]:
    """Graphs 3 to 6: the cost of a longer key."""
    yield key_size(times, "encrypt", "graph-3", throughput=False)
    yield key_size(times, "decrypt", "graph-4", throughput=False)
    yield key_size(times, "encrypt", "graph-5", throughput=True)
    yield key_size(times, "decrypt", "graph-6", throughput=True)


def key_size(times: Times, way: str, claim: str, throughput: bool) -> Verdict:
    rc4 = np.max([abs(times.growth(level, name, way)) for level in (TABLES, AES) for name in RC4], axis=0)
    aes = {level: np.array([times.growth(level, mode, way) for mode in PAPERS]) for level in (TABLES, AES)}
    parts = [decided("rc4_ahead", times.worst(level, RC4[1], f"{way}_ms"), less, level=COLUMNS[level]) for level in (TABLES, AES)]
    if claim != "graph-4":  # its paragraph says nothing of the length of keys
        parts += [decided("flat", estimate(rc4), lambda percent: percent < 100 * FLAT),
                  *(decided("longer", estimate(aes[level].min(axis=0)), lambda percent: percent > 100 * TIE, level=COLUMNS[level]) for level in (TABLES, AES))]
    figures: dict[str, object] = {"flat": rc4[0] < 100 * FLAT, "rc4": rc4[0], **ends("tables", aes[TABLES][:, 0]), **ends("aes", aes[AES][:, 0]),
                                  "runs": quiet_runs(times.table)}
    if claim in ("graph-4", "graph-6"):
        against = [times.drawn(AES, name, "encrypt_ms") / times.drawn(AES, name, "decrypt_ms") for name in (RC4[1], *PAPERS)]
        parts.append(decided("decryption", estimate(np.min(against, axis=0)), lambda ratio: ratio > 1 + TIE))
        figures["against"] = ", ".join(f"{some(ratio)} ({name.removeprefix('AES-')})" for ratio, name in zip(against, ("RC4", *PAPERS), strict=True))
    if throughput:
        rate = {name: 1e3 * times.sizes[-1] / times(AES, name, f"{way}_ms") for name in (RC4[1], "AES-ECB")}
        figures |= {"size": size_name(times.sizes[-1]), "rate_rc4": rate[RC4[1]] / 1e6, "rate_ecb": rate["AES-ECB"] / 1e6}
    return Verdict(claim, figures, tuple(parts))


@judge("graph-7")
def memory(results: Results) -> Verdict:
    """Graph 7."""
    table = results["memory"].query("key_bits == 128").set_index(["cipher", "size_kb"])
    largest = max(kb for _, kb in table.index)
    whole = {name: table.loc[(name, largest), "whole_kib"] for name in (RC4[1], *PAPERS)}
    pieces = table.loc[list(PAPERS), "pieces_kib"]
    less = (whole[RC4[1]] - table.loc[(RC4[0], largest), "whole_kib"]) / 1024
    state = {name: int(table.loc[(name, largest), "state_bytes"]) for name in (RC4[1], "AES-ECB")}
    apart = 100 * (max(whole.values()) / min(whole.values()) - 1)
    parts = [Check("more", apart > 5),
             Check("grows", pieces.max() / pieces.min() > 1 + RATIO, {"by": RATIO})]
    return Verdict("graph-7",
        {"size": size_name(largest), "apart": apart, "mib": whole[RC4[1]] / 1024, "pieces": math.ceil(pieces.max() / 1024), "less": less,
         "rc4": state[RC4[1]], "aes": state["AES-ECB"]},
        tuple(parts))


@judge("graph-8", "graph-9", given=timed)
def processor_times(times: Times) -> Iterator[Verdict]:
    """Graphs 8 and 9."""
    yield cpu(times, "encrypt", "graph-8")
    yield cpu(times, "decrypt", "graph-9")


def cpu(times: Times, way: str, claim: str) -> Verdict:
    small, large = times.sizes[0], times.sizes[-1]
    column = f"{way}_cpu_ms"
    ratio = {(level, kb): times.against(level, RC4[1], column, kb) for level in (TABLES, AES) for kb in (small, large)}
    gap = max(abs(times(level, name, column, large) / times(level, name, f"{way}_ms", large) - 1) for level in (TABLES, AES) for name in (RC4[1], *PAPERS))
    alike = times.drawn(TABLES, "AES-ECB", column, small) / times.drawn(TABLES, "AES-CBC", column, small)
    parts = [decided("small", estimate(ratio[TABLES, small]), lambda ratio: ratio > 1, size=size_name(small)),
             *(decided("large", estimate(ratio[level, large]), less, size=size_name(large), level=COLUMNS[level]) for level in (TABLES, AES))]
    figures: dict[str, object] = {f"{name}_{size}": some(ratio[level, kb]) for name, level in (("tables", TABLES), ("aes", AES))
                                  for size, kb in (("small", small), ("large", large))}
    figures |= {"small": size_name(small), "large": size_name(large), "apart": gap >= 0.005, "gap": 100 * gap}
    if way == "encrypt":
        parts.append(decided("same", estimate(alike), same, size=size_name(small)))
        figures["ecb"] = some(alike)
    return Verdict(claim, figures, tuple(parts))


@judge("operations")
def operations(results: Results) -> Verdict:
    """Instructions per byte."""
    counted = results.rows("operations")["instructions_per_byte"]
    return Verdict("operations",
        {"ours": counted[RC4[0]], "theirs": counted[RC4[1]]},
        tuple(Check("instructions", 8 <= count <= 16, {"name": name}) for name, count in counted.items()))


@judge("period")
def period(_: Results) -> Verdict:
    """The size of the state space, by computation."""
    states = math.log10(math.factorial(256)) + 16 / math.log2(10)
    return Verdict("period", {"states": states}, ())


@judge("energy")
def energy(results: Results) -> Verdict:
    """Energy, or the reason why it is missing."""
    table = results["energy"]
    cost = table.query("level == 'AES instructions'").set_index("cipher")["cpu_s_per_gb"]
    figures: dict[str, object] = {"theirs": cost[RC4[1]], "ours": cost[RC4[0]], "ctr": cost["AES-CTR"]}
    joules = table.query("level == 'AES instructions'").set_index("cipher")["joules_per_gb"]
    counter = bool(joules.notna().any())
    figures |= {"counter": counter, "joules_theirs": joules[RC4[1]], "joules_ours": joules[RC4[0]], "joules_aes": joules["AES-ECB"]}
    return Verdict("energy", figures, tuple(Check("joules", joules[RC4[1]] < joules[mode] if counter else None, {"mode": mode}) for mode in PAPERS))


@judge("conclusion")
def conclusion(results: Results) -> Verdict:
    """Is RC4 better than AES?"""
    times, size = timed(results), 1024
    def rate(level: str, cipher: str, bits: int = 128) -> str:
        return f"{size * 1.024e-3 / times(level, cipher, 'encrypt_ms', size, bits):.2f}"
    leak = results.rows("leak")
    best = {level: min((*PAPERS, "AES-CTR"), key=partial(lambda level, mode: times(level, mode, "encrypt_ms", size), level)) for level in LEVELS}
    least = {level: np.min([times.drawn(level, mode, "encrypt_ms", size) for mode in (*PAPERS, "AES-CTR")], axis=0) for level in LEVELS}
    parts = [decided("less", estimate(times.drawn(level, name, "encrypt_ms", size) / least[level]), partial(faster, other=1),
                     name=name, best=best[level], level=COLUMNS[level]) for level in LEVELS for name in RC4]
    return Verdict("conclusion",
        {"tables_ours": rate(TABLES, RC4[0]), "tables_theirs": rate(TABLES, RC4[1]), "tables_ctr": rate(TABLES, "AES-CTR"), "aes_ctr": rate(AES, "AES-CTR"),
         "aes_gcm": rate(AES, "AES-GCM"), "aes_chacha": rate(AES, "ChaCha20", 256), "tables_chacha": rate(TABLES, "ChaCha20", 256), "blocks": leak.loc["none", "blocks"],
         "different": leak.loc["none", "distinct_blocks"], "ecb": leak.loc["AES-ECB", "distinct_blocks"], "cbc": leak.loc["AES-CBC", "distinct_blocks"]},
        tuple(parts))


@judge("future-work")
def future_work(results: Results) -> Verdict:
    """Does the content matter?"""
    table, drawn = results["kinds"], per_byte(results, "kinds")
    spread = {cipher: spread_of([times for (name, *_), times in drawn.items() if name == cipher]) for cipher in table.cipher.unique()}
    middle, most = np.median([*spread.values()], axis=0), max(spread, key=lambda cipher: spread[cipher][0])
    noise = (100 * (table.encrypt_max / table.encrypt_min - 1)).median()
    return Verdict("future-work",
        {"spread": middle[0], "most": spread[most][0], "cipher": most, "noise": noise},
        (decided("median", estimate(middle), lambda percent: percent < 5),
         decided("noise", estimate(middle), lambda percent: percent < noise),
         *(decided("each", estimate(spread[name]), lambda percent: percent < 5, name=name) for name in RC4)))


def per_byte(results: Results, experiment: str) -> dict[tuple, np.ndarray]:
    """Nanoseconds a byte of encryption by cipher, key, content and bytes. A run is a process, whose median counts."""
    draws = Draws(results, experiment)

    def times(run: dict, size: int) -> list[float]:
        return [median(run["encrypt_ns"])] if run["bytes"] == size else []
    return {(row.cipher, row.key_bits, row.content, row.bytes):
            draws((row.cipher, row.key_bits, row.content), extremes(row.encrypt_ns_per_byte, row.encrypt_min, row.encrypt_max), partial(times, size=row.bytes))
            for row in results[experiment].itertuples()}


def spread_of(times: Sequence[np.ndarray]) -> np.ndarray:
    """By how many percent the longest time exceeds the shortest."""
    return 100 * (np.max(times, axis=0) / np.min(times, axis=0) - 1)


@judge("modes", given=lambda results: Times(results, "times-aes"))
def all_modes(times: Times) -> Verdict:
    """The five modes that §I names."""
    names = [f"AES-{mode}" for mode in ("ECB", "CBC", "CFB", "OFB", "CTR")]
    if not set(names) <= set(times.table.cipher):
        raise NotMeasured("OFB is not in the recorded grid yet: `python -m lab run singhal2011:times-aes --full` measures it.")
    rate = {name: times.sizes[-1] * 1.024e-3 / times(AES, name, "encrypt_ms") for name in names}
    return Verdict("modes",
        {"size": size_name(times.sizes[-1]), "rates": ", ".join(f"{name[4:]} {value:.2f} GB/s" for name, value in rate.items())},
        tuple(Check("runs", 0 < value < math.inf, {"mode": name[4:]}) for name, value in rate.items()))


@judge("compressed-media")
def media(results: Results) -> Verdict:
    """Does compressed content matter?"""
    drawn = per_byte(results, "media")
    text = {(cipher, bits, size): times for (cipher, bits, content, size), times in drawn.items() if content == "text"}
    apart = {kind: np.median([100 * (drawn[cipher, bits, kind, size] / times - 1) for (cipher, bits, size), times in text.items()], axis=0)
             for kind in dict.fromkeys(content for _, _, content, _ in drawn) if kind != "text"}
    return Verdict("compressed-media",
        {"apart": series({kind: percent[0] for kind, percent in apart.items()}, "{value:+.1f} % ({name})"), "count": len(text)},
        tuple(decided("text", estimate(percent), lambda value: abs(value) < 5, kind=kind) for kind, percent in apart.items()))


@judge("error-propagation")
def error_propagation(results: Results) -> Verdict:
    """How far an error in the ciphertext spreads."""
    table = results.rows("errors")
    return Verdict("error-propagation",
        {"rc4": table.wrong_bytes["RC4"], "flips": int(table.flips["RC4"]), "modes": series(table.wrong_bytes.drop("RC4"), "{value:.1f} ({name})"),
         "lost_rc4": table.wrong_after_loss["RC4"], **ends("lost", table.wrong_after_loss.drop("RC4"))},
        (Check("rc4", table.wrong_bytes["RC4"] <= 1),
         *(Check("more", table.wrong_bytes[mode] > table.wrong_bytes["RC4"], {"mode": mode}) for mode in PAPERS),
         Check("hardware", None)))


@judge("own-tables")
def own_tables(results: Results) -> Verdict:
    """The text's statements about the tables, beside the tables."""
    encrypt, decrypt = (results.paper(claim).set_index("size")[["RC4", *PAPERS]] for claim in ("table-1", "table-2"))
    slower, faster_ = int((decrypt > encrypt).sum().sum()), int((decrypt < encrypt).sum().sum())
    less = encrypt["AES-ECB"] < encrypt[["AES-CBC", "AES-CFB"]].min(axis=1)
    return Verdict("own-tables",
        {"slower": slower, "cells": encrypt.size, "faster": faster_, "equal": encrypt.size - slower - faster_, "ecb": less.sum(), "sizes": len(less),
         "except_": ", ".join(less.index[~less])},
        (Check("decryption", faster_ > encrypt.size / 2),
         Check("ecb", less.all())))
