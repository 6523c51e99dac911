"""The conditions of each claim on the results, and the figures that its verdict names in claims.toml."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import pandas as pd

from lab.judge import FLAT, RATIO, TIE, Check, Verdict, faster, judge
from lab.results import NotMeasured, Results
from lab.shapes import quiet_runs
from lab.singhal2011.measure import BYTE_PATH, KEY_BITS, LEVELS, RC4
from lab.singhal2011.tables import COLUMNS, PAPERS, grid, size_name
from lab.wording import ends, series

AES, SOFT, TABLES = "AES instructions", "no AES instructions", "tables"
WAYS = {"encrypt": "encryption", "decrypt": "decryption"}


class Times:
    """The grid, asked by name."""

    def __init__(self, table: pd.DataFrame):
        self.table = table
        self.sizes = sorted(table.size_kb.unique())
        self.cells = table.set_index(["level", "cipher", "key_bits", "size_kb"])

    def __call__(self, level: str, cipher: str, column: str, size_kb: int | None = None, bits: int = 128) -> float:
        return float(self.cells.loc[(level, cipher, bits, size_kb or self.sizes[-1]), column])

    def wins(self, level: str, rc4: str, column: str) -> int:
        """At how many sizes RC4 is ahead of every mode of the paper."""
        return sum(self(level, rc4, column, kb) < min(self(level, mode, column, kb) for mode in PAPERS) for kb in self.sizes)

    def lead(self, level: str, rc4: str, mode: str, way: str) -> float:
        """How many times as long as RC4 a mode takes, in the middle of all sizes."""
        return float(pd.Series([self(level, mode, f"{way}_ms", kb) / self(level, rc4, f"{way}_ms", kb) for kb in self.sizes]).median())

    def growth(self, level: str, cipher: str, way: str) -> float:
        """How much longer the longest key takes than the shortest, for the largest file, in per
        cent."""
        return 100 * (self(level, cipher, f"{way}_ms", bits=KEY_BITS[-1]) / self(level, cipher, f"{way}_ms") - 1)


def some(ratio: float) -> str:
    """A factor, to two digits."""
    return f"{ratio:.2g}"


def timed(results: Results) -> Times:
    """The grid of times at all levels."""
    return Times(grid(results))


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
        tuple(Check("ahead", times.wins(level, name, f"{way}_ms") == total, {"name": name, "level": COLUMNS[level]})
                       for level in (TABLES, SOFT, AES) for name in RC4))


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
        (*(Check("cfb", abs(ratio[level] - 1) < 0.15, {"level": COLUMNS[level]}) for level in ratio),
         *(Check("ecb", ecb[level] < min(1, ratio[level]), {"level": COLUMNS[level]}) for level in ecb)))


@judge("graph-3", "graph-4", "graph-5", "graph-6", given=timed)
def key_sizes(times: Times) -> Iterator[Verdict]:
    """Graphs 3 to 6: the cost of a longer key."""
    yield key_size(times, "encrypt", "graph-3", throughput=False)
    yield key_size(times, "decrypt", "graph-4", throughput=False)
    yield key_size(times, "encrypt", "graph-5", throughput=True)
    yield key_size(times, "decrypt", "graph-6", throughput=True)


def key_size(times: Times, way: str, claim: str, throughput: bool) -> Verdict:
    rc4 = max(abs(times.growth(level, name, way)) for level in (TABLES, AES) for name in RC4)
    aes = {level: [times.growth(level, mode, way) for mode in PAPERS] for level in (TABLES, AES)}
    parts = [Check("flat", rc4 < 100 * FLAT),
             *(Check("longer", min(aes[level]) > 100 * TIE, {"level": COLUMNS[level]}) for level in (TABLES, AES))]
    figures: dict[str, object] = {"flat": rc4 < 100 * FLAT, "rc4": rc4, **ends("tables", aes[TABLES]), **ends("aes", aes[AES]), "runs": quiet_runs(times.table)}
    if claim in ("graph-4", "graph-6"):
        against = [times(AES, name, "encrypt_ms") / times(AES, name, "decrypt_ms") for name in (RC4[1], *PAPERS)]
        parts.append(Check("decryption", all(ratio > 1 + TIE for ratio in against)))
        figures["against"] = ", ".join(f"{ratio:.2g} ({name.removeprefix('AES-')})" for ratio, name in zip(against, ("RC4", *PAPERS), strict=True))
    if claim in ("graph-3", "graph-4"):
        parts += [Check("rc4_ahead", times.wins(level, RC4[1], f"{way}_ms") == len(times.sizes), {"level": COLUMNS[level]}) for level in (TABLES, AES)]
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
    def ratio(level: str, kb: int) -> float:
        return times(level, RC4[1], column, kb) / min(times(level, mode, column, kb) for mode in PAPERS)
    gap = max(abs(times(level, name, column, large) / times(level, name, f"{way}_ms", large) - 1) for level in (TABLES, AES) for name in (RC4[1], *PAPERS))
    alike = times(TABLES, "AES-ECB", column, small) / times(TABLES, "AES-CBC", column, small)
    parts = [Check("small", ratio(TABLES, small) > 1, {"size": size_name(small)}),
             *(Check("large", ratio(level, large) < 1, {"size": size_name(large), "level": COLUMNS[level]}) for level in (TABLES, AES))]
    figures: dict[str, object] = {f"{name}_{size}": some(ratio(level, kb)) for name, level in (("tables", TABLES), ("aes", AES))
                                  for size, kb in (("small", small), ("large", large))}
    figures |= {"small": size_name(small), "large": size_name(large), "apart": gap >= 0.005, "gap": 100 * gap}
    if way == "encrypt":
        parts.append(Check("same", abs(alike - 1) < 0.15, {"size": size_name(small)}))
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
    parts = [Check("less", faster(times(level, name, "encrypt_ms", size), times(level, best[level], "encrypt_ms", size)),
                   {"name": name, "best": best[level], "level": COLUMNS[level]}) for level in LEVELS for name in RC4]
    return Verdict("conclusion",
        {"tables_ours": rate(TABLES, RC4[0]), "tables_theirs": rate(TABLES, RC4[1]), "tables_ctr": rate(TABLES, "AES-CTR"), "aes_ctr": rate(AES, "AES-CTR"),
         "aes_gcm": rate(AES, "AES-GCM"), "aes_chacha": rate(AES, "ChaCha20", 256), "tables_chacha": rate(TABLES, "ChaCha20", 256), "blocks": leak.loc["none", "blocks"],
         "different": leak.loc["none", "distinct_blocks"], "ecb": leak.loc["AES-ECB", "distinct_blocks"], "cbc": leak.loc["AES-CBC", "distinct_blocks"]},
        tuple(parts))


@judge("future-work")
def future_work(results: Results) -> Verdict:
    """Does the content matter?"""
    table = results["kinds"]
    value = "encrypt_ns_per_byte"
    spread = table.groupby("cipher", sort=False)[value].agg(lambda times: 100 * (times.max() / times.min() - 1))
    noise = (100 * (table.encrypt_max / table.encrypt_min - 1)).median()
    return Verdict("future-work",
        {"spread": spread.median(), "most": spread.max(), "cipher": spread.idxmax(), "noise": noise},
        (Check("median", spread.median() < 5),
         Check("noise", spread.median() < noise),
         *(Check("each", spread[name] < 5, {"name": name}) for name in RC4)))


@judge("modes", given=lambda results: Times(results["times-aes"]))
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
    table = results.rows("media").encrypt_ns_per_byte
    text = table.xs("text", level="content")
    apart = {kind: (100 * (table.xs(kind, level="content") / text - 1)).median() for kind in table.index.unique("content") if kind != "text"}
    return Verdict("compressed-media",
        {"apart": series(apart, "{value:+.1f} % ({name})"), "count": len(text)},
        tuple(Check("text", abs(value) < 5, {"kind": kind}) for kind, value in apart.items()))


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
