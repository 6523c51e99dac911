"""Times of C and Java by size, the savings of each improvement of chapter 5, and other variants of
RC4."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from lab.galvane2012 import tables
from lab.galvane2012.programs import JAVA_VERSIONS
from lab.galvane2012.verdicts.times import drawn
from lab.intervals import decided, estimate
from lab.judge import FLAT, TIE, Check, Verdict, alike, faster, judge, near
from lab.results import Results
from lab.shapes import quiet_runs
from lab.wording import series

T = TypeVar("T", float, np.ndarray)
Times = Mapping[int, np.ndarray]  # by bytes: recorded, then drawn again


def gain(before: T, after: T) -> T:
    """Percent of time saved."""
    return 100 * (1 - after / before)


def slope(times: Mapping[int, T]) -> T:
    """How much more time per byte the largest size takes than the smallest: 1 is proportional."""
    first, last = min(times), max(times)
    return (times[last] / last) / (times[first] / first)


def line(times: Times) -> tuple[np.ndarray, np.ndarray]:
    """The straight line through all: microseconds a byte, and for no byte."""
    a_byte, none = np.polyfit([*times], [*times.values()], 1)
    return a_byte, none


def bend(times: Times) -> np.ndarray:
    """How far the time of a size lies from the straight line through all, as a share of it."""
    a_byte, none = line(times)
    return np.max([abs(time / (a_byte * size + none) - 1) for size, time in times.items()], axis=0)


@judge("c-small", "c-large", "java-small", "java-large")
def sizes(results: Results) -> list[Verdict]:
    """Time by size, before any improvement."""
    c = results["c-sizes"]
    times = {"c": {size: time for (level, size), time in drawn(results, "c-sizes", "level", "bytes").items() if level == "-O2"},
             "java": drawn(results, "java-sizes", "bytes")}
    found = []
    for claim in ("c-small", "c-large", "java-small", "java-large"):
        language, _, inputs = claim.partition("-")
        paper = results.paper(claim)
        ours = c.query("level == '-O2'") if language == "c" else results["java-sizes"]
        ours = ours[ours["bytes"].isin(paper["bytes"])]
        these = {size: time for size, time in times[language].items() if size in set(paper["bytes"])}
        ours_slope, paper_slope = slope(these), slope(dict(zip(paper["bytes"], paper.ms, strict=True)))
        first, last = ours.iloc[0], ours.iloc[-1]
        figures: dict[str, object] = {"runs": quiet_runs(ours)}
        if inputs == "small":
            per_byte = (last.us - first.us) / (last["bytes"] - first["bytes"])
            figures |= {"times": last.us / first.us, "first": first.us, "last": last.us, "fixed": first.us - per_byte * first["bytes"],
                        "paper_first": 1e3 * paper.ms.iloc[0], "paper_last": 1e3 * paper.ms.iloc[-1]}
            checks: tuple[Check, ...] = (
                decided("cheaper", estimate(ours_slope), lambda ratio: ratio < 1 - FLAT), decided("factor", estimate(ours_slope), partial(alike, theirs=paper_slope), theirs=paper_slope))
        else:
            figures |= {"last": last.us / 1e3, "size": int(last["bytes"]), "paper_last": paper.ms.iloc[-1], "slope": ours_slope[0],
                        "smallest": int(first["bytes"]), "paper_slope": paper_slope}
            checks = (decided("straight", estimate(100 * bend(these)), lambda percent: percent <= 100 * FLAT),)
        if language == "c":
            levels = c[c["bytes"] == last["bytes"]].set_index("level").us
            figures |= {"size": int(last["bytes"]),
                        "levels": series(levels, "{name} {value:.2f} µs") if inputs == "small" else series(levels / 1e3, "{name} {value:.2f} ms")}
        found.append(Verdict(claim, figures, checks))
    return found


@judge("negligible")
def negligible(results: Results) -> Verdict:
    """The share of the key schedule at 100 times the table."""
    size, shares, times = 100 * 256, {}, drawn(results, "c-sizes", "level", "bytes")
    for level in sorted({level for level, _ in times}):
        rows = {each: time for (name, each), time in times.items() if name == level}
        _, schedule = line({each: time for each, time in rows.items() if each <= 300})
        shares[level] = schedule / (schedule + rows[max(rows)] / max(rows) * size)
    return Verdict("negligible", {"size": size, "shares": series({level: f"{share[0]:.1%}" for level, share in shares.items()}, "{value} (gcc {name})")},
                   tuple(decided("negligible", estimate(100 * share), lambda percent: percent < 100 * TIE, level=level, size=size) for level, share in shares.items()))


@judge("memory", "modulus", "key-length", "counter")
def steps(results: Results) -> list[Verdict]:
    """The savings of single improvements."""
    memory = results.rows("c-memory")
    accesses = memory.reads_per_byte + memory.writes_per_byte
    saved = accesses["V0"] - accesses["V2"]
    peak = (memory.peak_kib["V0"] - memory.peak_kib["V2"]) * 1024 / 1e6
    java = tables.java_versions(results).set_index("version")
    by_version = drawn(results, "java-versions", "jit", "version")
    saves = {jit: gain(by_version[jit, "V2"], by_version[jit, "V3"]) for jit in (False, True)}
    plain, jit = saves[False][0], saves[True][0]
    paper_jit, paper_plain = java.paper_with_jit_gain_percent["V3"], java.paper_without_jit_gain_percent["V3"]
    keys = results.rows("key-length").us.sort_index()
    schedules = {"C": "modulus", "Java": "modulus", "assembly": "counter", "our rc4": "unrolled"}
    spread = {name: 100 * (keys[name, index].max() / keys[name, index].min() - 1) for name, index in schedules.items()}
    timed = drawn(results, "key-length", "language", "index", "key_bytes")
    alone = {name: timed[name, "modulus", 256] / timed[name, "modulus", 7] for name in ("C", "Java")}
    middle = {name: np.median([time for each, time in timed.items() if each[:2] == name], axis=0) for name in {each[:2] for each in timed}}
    counter = {name: gain(middle[name, "modulus"], middle[name, "counter"]) for name in ("C", "Java")}
    return [
        Verdict("memory",
                {"saved": saved, "millions": 10 * saved, "peak": peak, "share": 100 * saved / accesses["V0"], "v0": accesses["V0"], "v2": accesses["V2"]},
                (Check("accesses", alike(saved, 2, 0.05)),
                 Check("peak", alike(peak, 10, FLAT)))),
        Verdict("modulus",
                {"reversed": jit > plain, "plain_saves": plain >= 0, "plain": abs(plain), "paper_plain": paper_plain,
                 "jit_saves": jit >= 0, "jit": abs(jit), "paper_jit": paper_jit, "kept": jit > 10, "equal": abs(plain) < 10},
                (decided("plain", estimate(saves[False]), partial(near, theirs=paper_plain), theirs=paper_plain),
                 decided("jit", estimate(saves[True]), partial(near, theirs=paper_jit), theirs=paper_jit))),
        Verdict("key-length", {"spread": series(spread, "{value:.0f} % ({name})"), "runs": quiet_runs(results["key-length"])},
                (*(decided("alone", estimate(ratio), partial(alike, theirs=1, tolerance=FLAT), name=name) for name, ratio in alone.items()), Check("input", None))),
        Verdict("counter",
                {"c_saves": counter["C"][0] > 0, "c": abs(counter["C"][0]), "java_saves": counter["Java"][0] > 0, "java": abs(counter["Java"][0])},
                tuple(decided("tie", estimate(percent), lambda percent: abs(percent) <= 100 * TIE, name=name) for name, percent in counter.items())),
    ]


@judge("c-versions", "java-versions")
def versions(results: Results) -> list[Verdict]:
    """All improvements, one on top of the other."""
    c = tables.c_versions(results).set_index("version")
    paper = c.pop("paper_ms")
    levels = {column.removeprefix("gcc ").removesuffix(" ms"): c[column] for column in c if column.endswith(" ms")}
    best = {level: times.idxmin() for level, times in levels.items()}
    as_paper = [level for level, times in levels.items() if best[level] == "V3" and times["V4"] > times["V3"]]
    in_c, in_java = drawn(results, "c-versions", "level", "version"), drawn(results, "java-versions", "jit", "version")
    least = {level: np.min([in_c[level, version] for version in times.index if version != "V3"], axis=0) / in_c[level, "V3"] for level, times in levels.items()}
    step = np.max([in_java[True, later] / in_java[True, earlier] for earlier, later in pairwise(JAVA_VERSIONS)], axis=0)
    java = tables.java_versions(results).set_index("version")
    total = {name: gain(in_java[name == "with_jit", "V1"], in_java[name == "with_jit", "V4"]) for name in ("without_jit", "with_jit")}
    paper_total = {name: java[f"paper_{name}_total_percent"]["V4"] for name in ("without_jit", "with_jit")}
    return [
        Verdict("c-versions",
                {"best": ", ".join(f"{level} {version} ({levels[level][version]:.1f} ms)" for level, version in best.items()),
                 "v0": ", ".join(f"{times['V0']:.1f}" for times in levels.values()),
                 "paper_v0": paper["V0"], "paper_v3": paper["V3"], "paper_v4": paper["V4"], "some": bool(as_paper), "as_paper": ", ".join(as_paper),
                 "joined": best["-O3"] == "V4", "less": gain(levels["-O3"]["V3"], levels["-O3"]["V4"]), "runs": quiet_runs(results["c-versions"])},
                tuple(check for level in levels for check in (
         decided("least", estimate(least[level]), lambda ratio: not faster(ratio, 1), level=level),
         decided("longer", estimate(in_c[level, "V3"] / in_c[level, "V4"]), partial(faster, other=1), level=level)))),
        Verdict("java-versions",
                {"plain": total["without_jit"][0], "jit": total["with_jit"][0], "paper_plain": paper_total["without_jit"], "paper_jit": paper_total["with_jit"],
                 "v2": java.ours_without_jit_gain_percent["V2"], "v3": java.ours_with_jit_gain_percent["V3"],
                 "ratios": series(java.ours_ratio, "{value:.0f}"), "paper_ratios": series(java.paper_ratio, "{value:.0f}"),
                 "own": java.paper_without_jit_gain_percent["V3"], "runs": quiet_runs(results["java-versions"])},
                (decided("falling", estimate(step), lambda ratio: ratio <= 1),
                 *(decided("total", estimate(total[name]), partial(near, theirs=paper_total[name]), theirs=paper_total[name], jit=name == "with_jit") for name in total))),
    ]


@judge("final-small", "final-large")
def final(results: Results) -> list[Verdict]:
    """The first and the last version of each language."""
    table = tables.final(results).set_index(["bytes", "program"])
    times = drawn(results, "final", "language", "version", "bytes")
    found = []
    for claim, size, scale in (("final-small", 200, 1e3), ("final-large", 5_000_000, 1)):
        ours = table.loc[size]
        c, c3, java = ours.loc["C gcc -O2, V3"], ours.loc["C gcc -O3, V4"], ours.loc["Java"]
        paper_c, paper_java = ours.loc["C, paper"], ours.loc["Java, paper"]
        programs = {"c": c, "c3": c3, "java": java, "paper_c": paper_c, "paper_java": paper_java}
        figures = {name: row.gain_percent for name, row in programs.items()} | {f"{name}_time": scale * row.optimized_ms for name, row in programs.items()}
        figures |= {"assembly": scale * ours.loc["assembly"].optimized_ms, "rc4": scale * ours.loc["our rc4"].optimized_ms,
                    "runs": quiet_runs(results["final"].query("bytes == @size"))}
        if size == 200:
            figures["first"] = faster(java.optimized_ms, min(c.optimized_ms, c3.optimized_ms))
            first = times["Java", "V4", size] / np.minimum(times["C -O2", "V3", size], times["C -O3", "V4", size])
            checks: tuple[Check, ...] = (decided("first", estimate(first), partial(faster, other=1)),)
        else:
            over, paper_over = java.optimized_ms / c.optimized_ms, paper_java.optimized_ms / paper_c.optimized_ms
            figures |= {"over_c": over, "over_c3": java.optimized_ms / c3.optimized_ms, "paper_over_c": paper_over,
                        "beats": java.optimized_ms < min(c.initial_ms, c3.initial_ms)}
            first = times["Java", "V4", size] / np.minimum(times["C -O2", "V0", size], times["C -O3", "V0", size])
            checks = (decided("first", estimate(first), lambda ratio: ratio < 1),
                      decided("multiple", estimate(times["Java", "V4", size] / times["C -O2", "V3", size]), partial(alike, theirs=paper_over)))
        checks += tuple(decided("gains", estimate(gain(times[language, before, size], times[language, after, size])), partial(near, theirs=theirs), name=name, theirs=theirs)
                        for name, language, before, after, theirs in (("C with -O2", "C -O2", "V0", "V3", paper_c.gain_percent), ("Java", "Java", "V1", "V4", paper_java.gain_percent)))
        found.append(Verdict(claim, figures, checks))
    return found


@judge("small-v2")
def small_inputs(results: Results) -> Verdict:
    """V2 on small inputs."""
    times = {version: time for (jit, version), time in drawn(results, "java-small-versions", "jit", "version").items() if jit}
    return Verdict("small-v2", {"saved": gain(times["V1"], times["V2"])[0]} | {version.lower(): times[version][0] for version in JAVA_VERSIONS},
                   (decided("same", estimate(times["V2"] / times["V1"]), partial(alike, theirs=1, tolerance=FLAT)),))


@judge("variants", "workload", "secure-variant")
def rest(results: Results) -> list[Verdict]:
    """Chapters 9 and 10."""
    table = results["variants"]
    common = table[table.unit.str.startswith("of those")].value.max()
    speed = table[table.unit == "cycles per byte"].pivot(index="backend", columns="what", values="value")
    fastest = speed.rc4.idxmin()
    return [
        Verdict("variants",
                {"kernel": fastest, "rc4a": speed.rc4a[fastest], "rc4": speed.rc4[fastest], "rc4a_plain": speed.rc4a["definition"],
                 "rc4_plain": speed.rc4["definition"], "common": common, "chance": common < 1.5},
                (Check("kernel", not faster(speed.rc4a[fastest], speed.rc4[fastest])),
                 Check("plain", not faster(speed.rc4a["definition"], speed.rc4["definition"])),
                 Check("vmpc", common > 200))),
        Verdict("workload"),
        Verdict("secure-variant"),
    ]
