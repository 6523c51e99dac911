"""Chapters 2 to 4: the needs of the cipher, five languages beside one another, and the printed
examples."""

from __future__ import annotations

from lab.galvane2012 import tables
from lab.galvane2012.programs import KEY
from lab.judge import FLAT, SIGMA, Check, Verdict, alike, faster, flat, judge, same_order
from lab.report.numbers import number
from lab.results import Results
from lab.wording import series


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


@judge("script", "figure-3-1", "figure-3-2", "assembly", "interpreted", "java-twice-c")
def languages(results: Results) -> list[Verdict]:
    """Chapter 3."""
    tidy = tables.languages(results).set_index(["language", "bytes"])
    size = tidy.index.get_level_values("bytes").max()
    ours, paper = tidy.own_s.xs(size, level="bytes"), tidy.paper_s.xs(size, level="bytes")
    order = ["Assembly", "C", "Java", "Python", "Perl"]
    same = same_order(list(ours[order]), list(paper[order]))
    straight = [tidy.own_s["C", size] / size for size in sorted(tidy.index.get_level_values("bytes").unique()) if size >= 1_000_000]
    first = tidy.xs(2, level="bytes")
    small = tidy.index.get_level_values("bytes") <= 100
    startup = 1 - (tidy.own_s / tidy.process_s)[small].groupby("language").mean()
    middle = tidy.xs(10_000, level="bytes")
    process, own = middle.process_s.Java / middle.process_s.C, middle.own_s.Java / middle.own_s.C
    script = results["languages"]
    programs, sizes = len(script.language.unique()), len(script.bytes.unique())
    perl_java, perl_c = ours.Perl / ours.Java, ours.Perl / ours.C
    return [
        Verdict("script", {"programs": programs, "sizes": sizes, "key": KEY},
                (Check("ran", len(script) == programs * sizes),
                 Check("timed", (script.process_us > 0).all()))),
        Verdict("figure-3-1",
                {"size": size, "same": same,
                 "times": series({name: number(1e3 * ours[name]) for name in order}, "{name} {value} ms"),
                 "faster": series({name: number(paper[name] / ours[name], 2) for name in order}, "{name} {value}"),
                 "paper_one_ms": 1e3 * results.paper("figure-3-1").set_index("bytes")["C"].loc[1],
                 "c_process_ms": 1e3 * first.process_s.C, "java_process_ms": 1e3 * first.process_s.Java,
                 "c_own_us": 1e6 * first.own_s.C, "java_own_us": 1e6 * first.own_s.Java},
                (Check("order", same, {"size": size}),
                 Check("interpreted", min(ours.Perl, ours.Python) > 10 * ours.Java))),
        Verdict("figure-3-2",
                {"startup": 100 * startup.min(), "rc4_ms": 1e3 * ours["our rc4"], "size": size, "times": ours.C / ours["our rc4"]},
                (Check("startup", (startup > 0.5).all()),
                 Check("flat", flat(straight)))),
        Verdict("assembly", {"c": ours.C / ours.Assembly, "paper": paper.C / paper.Assembly, "rc4": ours["our rc4"] / ours.Assembly},
                (Check("faster", faster(ours.Assembly, ours.C)),
                 Check("limit", ours.C / ours.Assembly <= (1 + FLAT) * paper.C / paper.Assembly, {"theirs": paper.C / paper.Assembly}))),
        Verdict("interpreted",
                {"perl_java": perl_java, "perl_c": perl_c, "paper_perl_java": paper.Perl / paper.Java, "paper_perl_c": paper.Perl / paper.C,
                 "python_java": ours.Python / ours.Java, "python_c": ours.Python / ours.C,
                 "paper_python_java": paper.Python / paper.Java, "paper_python_c": paper.Python / paper.C},
                (Check("java", perl_java > 100),
                 Check("c", perl_c > 100))),
        Verdict("java-twice-c", {"size": size, "large": ours.Java / ours.C, "paper": paper.Java / paper.C, "process": process, "own": own},
                (Check("twice", alike(ours.Java / ours.C, 2), {"size": size}),
                 Check("process", process > 5),
                 Check("own", own > 5))),
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
