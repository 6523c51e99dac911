"""Chapters 2 to 4: the needs of the cipher, five languages beside one another, and the printed
examples."""

from __future__ import annotations

from functools import partial

import numpy as np

from lab.galvane2012 import tables
from lab.galvane2012.programs import KEY
from lab.galvane2012.verdicts.times import drawn
from lab.intervals import decided, estimate
from lab.judge import FLAT, SIGMA, Check, Verdict, alike, faster, judge, same_order
from lab.report.numbers import number
from lab.results import Results
from lab.wording import series


LANGUAGES = {name: language for language, name in tables.LANGUAGES.items()}  # as the record names them


@judge("swap", "weak")
def foundations(results: Results) -> list[Verdict]:
    """RC4 without its swap, and RC4's second byte."""
    still = results["no-swap"]
    repeats = still.without_swap_bytes
    byte = results["second-byte"].iloc[0]
    return [
        Verdict("swap", {"keys": len(still), "repeats": repeats.max()},
                (Check("repeats", (repeats > 0).all() and (repeats <= 512).all()),
                 Check("rc4", (still.rc4_bytes == 0).all()))),
        Verdict("weak", {"share": byte.probability, "keystreams": int(byte.keystreams), "times": 1 + byte.relative_bias, "sigma": byte.z},
                (Check("often", byte.z >= SIGMA),)),
    ]


@judge("script")
def script(results: Results) -> Verdict:
    """The script of §3.2."""
    table = results["languages"]
    programs, sizes = len(table.language.unique()), len(table.bytes.unique())
    return Verdict("script", {"programs": programs, "sizes": sizes, "key": KEY},
        (Check("ran", len(table) == programs * sizes),
         Check("timed", (table.process_us > 0).all())))


@judge("figure-3-1", "figure-3-2", "assembly", "interpreted", "java-twice-c")
def languages(results: Results) -> list[Verdict]:
    """Chapter 3."""
    tidy = tables.languages(results).set_index(["language", "bytes"])
    size = tidy.index.get_level_values("bytes").max()
    ours, paper = tidy.own_s.xs(size, level="bytes"), tidy.paper_s.xs(size, level="bytes")
    order = ["Assembly", "C", "Java", "Python", "Perl"]
    same = same_order(list(ours[order]), list(paper[order]))
    sizes = sorted(tidy.index.get_level_values("bytes").unique())
    clocks, processes = (drawn(results, experiment, "language", "bytes", clock=clock)
                         for experiment, clock in (("languages-steady", "us"), ("languages", "process_us")))
    largest = {name: clocks[LANGUAGES.get(name, name), size] for name in order}
    apart = np.max([largest[one] / largest[other] for one in order for other in order if faster(paper[one], paper[other])], axis=0)
    byte = [clocks["C", each] / each for each in sizes if each >= 1_000_000]
    first = tidy.xs(2, level="bytes")
    startup = np.min([1 - np.mean([clocks[name, each] / processes[name, each] for each in sizes if each <= 100], axis=0)
                      for name in results["languages"].language.unique()], axis=0)
    process, own = (times["Java", 10_000] / times["C", 10_000] for times in (processes, clocks))
    return [
        Verdict("figure-3-1",
                {"size": size, "same": same,
                 "times": series({name: number(1e3 * ours[name]) for name in order}, "{name} {value} ms"),
                 "faster": series({name: number(paper[name] / ours[name], 2) for name in order}, "{name} {value}"),
                 "paper_one_ms": 1e3 * results.paper("figure-3-1").set_index("bytes")["C"].loc[1],
                 "c_process_ms": 1e3 * first.process_s.C, "java_process_ms": 1e3 * first.process_s.Java,
                 "c_own_us": 1e6 * first.own_s.C, "java_own_us": 1e6 * first.own_s.Java},
                (decided("order", estimate(apart), partial(faster, other=1), size=size),
                 decided("interpreted", estimate(np.minimum(largest["Perl"], largest["Python"]) / largest["Java"]), lambda ratio: ratio > 10))),
        Verdict("figure-3-2",
                {"startup": 100 * startup[0], "rc4_ms": 1e3 * ours["our rc4"], "size": size, "times": ours.C / ours["our rc4"]},
                (decided("startup", estimate(100 * startup), lambda percent: percent > 50),
                 decided("flat", estimate(np.max(byte, axis=0) / np.min(byte, axis=0)), lambda ratio: ratio <= 1 + FLAT))),
        Verdict("assembly", {"c": ours.C / ours.Assembly, "paper": paper.C / paper.Assembly, "rc4": ours["our rc4"] / ours.Assembly},
                (decided("faster", estimate(largest["Assembly"] / largest["C"]), partial(faster, other=1)),
                 decided("limit", estimate(largest["C"] / largest["Assembly"]), lambda ratio: ratio <= (1 + FLAT) * paper.C / paper.Assembly,
                         theirs=paper.C / paper.Assembly))),
        Verdict("interpreted",
                {"perl_java": ours.Perl / ours.Java, "perl_c": ours.Perl / ours.C, "paper_perl_java": paper.Perl / paper.Java, "paper_perl_c": paper.Perl / paper.C,
                 "python_java": ours.Python / ours.Java, "python_c": ours.Python / ours.C,
                 "paper_python_java": paper.Python / paper.Java, "paper_python_c": paper.Python / paper.C},
                tuple(decided(name.lower(), estimate(largest["Perl"] / largest[name]), lambda ratio: ratio > 100) for name in ("Java", "C"))),
        Verdict("java-twice-c", {"size": size, "large": ours.Java / ours.C, "paper": paper.Java / paper.C, "process": process[0], "own": own[0]},
                (decided("twice", estimate(largest["Java"] / largest["C"]), partial(alike, theirs=2), size=size),
                 *(decided(name, estimate(ratio), lambda ratio: ratio > 5) for name, ratio in (("process", process), ("own", own))))),
    ]


@judge("figure-4-1", "figure-4-2", "figure-4-3", "figure-7-1")
def examples(results: Results) -> list[Verdict]:
    """The output of the programs."""
    table = results["examples"]
    found = []
    for claim in ("figure-4-1", "figure-4-2", "figure-4-3", "figure-7-1"):
        rows = table.query("claim == @claim")
        right = rows.assign(same=rows.output == rows.paper).groupby("program", sort=False).same.all()
        figures = {"right": right.sum(), "programs": len(right), "names": ", ".join(right.index[right])}
        if claim != "figure-7-1":
            figures["output"] = rows.paper.iloc[0]
        found.append(Verdict(claim, figures, tuple(Check("lines", ok, {"program": program}) for program, ok in right.items())))
    return found
