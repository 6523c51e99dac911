"""Chapters 2 to 4 and 7: the cipher, the five languages, their sizes and their examples."""

from __future__ import annotations


import pandas as pd

from lab.galvane2012 import tables
from lab.galvane2012.programs import KEY, said_of
from lab.judge import FLAT, RATIO, SIGMA, Check, Verdict, alike, faster, flat, judge, same_order
from lab.report.numbers import number
from lab.results import Results


@judge("swap", "weak")
def foundations(results: Results) -> list[Verdict]:
    still = results["no-swap"]
    repeats = still.without_swap_bytes
    byte = results["second-byte"].iloc[0]
    return [
        Verdict(
            "swap",
            "Stronger than the paper says: without the swap there is nothing to crack. The keystream of all "
            f"{len(still)} "
            f"keys repeats after {repeats.max()} bytes or sooner, whatever the key: j grows by 0 + 1 + … + "
            "255 "
            "= 128 (mod 256) in a turn of i, so after two turns everything is as before. RC4 proper does not "
            "repeat in the 65,536 bytes looked at.",
            (Check("without the swap every keystream repeats after 512 bytes or sooner", (repeats > 0).all() and (repeats <= 512).all()),
             Check("with it none repeats in 65,536 bytes", (still.rc4_bytes == 0).all())),
        ),
        Verdict(
            "weak",
            f"The second byte is 0 in {byte.probability:.5f} of {int(byte.keystreams):,} keystreams, "
            f"{1 + byte.relative_bias:.3f} times as often as it should be ({byte.z:.0f} sigma). "
            "RFC 7465 took RC4 out of TLS in 2015, three years after the paper.",
            (Check(f"the second byte is 0 too often, by {SIGMA:.0f} standard deviations at least", byte.z >= SIGMA),),
        ),
    ]


@judge("script", "figure-3-1", "figure-3-2", "assembly", "interpreted", "java-twice-c")
def languages(results: Results) -> list[Verdict]:
    tidy = tables.languages(results).set_index(["language", "bytes"])
    size = tidy.index.get_level_values("bytes").max()
    ours, paper = tidy.own_s.xs(size, level="bytes"), tidy.paper_s.xs(size, level="bytes")
    order = ["Assembly", "C", "Java", "Python", "Perl"]
    same = same_order(list(ours[order]), list(paper[order]))
    straight = [tidy.own_s["C", size] / size for size in sorted(tidy.index.get_level_values("bytes").unique()) if size >= 1_000_000]
    times_faster = ", ".join(f"{language} {number(paper[language] / ours[language], 2)}" for language in order)
    first = tidy.xs(2, level="bytes")
    small = tidy.index.get_level_values("bytes") <= 100
    startup = 1 - (tidy.own_s / tidy.process_s)[small].groupby("language").mean()
    java_c, paper_java_c = ours.Java / ours.C, paper.Java / paper.C
    perl_java, perl_c = ours.Perl / ours.Java, ours.Perl / ours.C
    middle = tidy.xs(10_000, level="bytes")
    script = results["languages"]
    return [
        Verdict(
            "script",
            f"`python -m lab run galvane2012:languages --key KEY --sizes N,N --times M` is that script. Recorded with it: {len(script.language.unique())} programs at "
            f"{len(script.bytes.unique())} sizes, key {KEY}.",
            (Check("every program has run at every size", len(script) == len(script.language.unique()) * len(script.bytes.unique())),
             Check("and reported a time", (script.process_us > 0).all())),
        ),
        Verdict(
            "figure-3-1",
            f"At {size:,} bytes the order {'still holds' if same else 'has changed'}: "
            + ", ".join(f"{name} {1e3 * ours[name]:.3g} ms" for name in order)
            + f". Speed-up since 2012: {times_faster}. Below 10,000 bytes, the paper's figures and ours measure "
            "start-up, not encryption: "
            f" for one byte the paper has {1e3 * paper_small(results, 'C'):.3g} ms for C, "
            "while its own "
            f"§4.3 has 0.0015 ms for fifty. Ours (two bytes, the whole process over ten) is "
            f"{1e3 * first.process_s.C:.2g} ms for C and {1e3 * first.process_s.Java:.2g} ms for Java; by "
            "their own "
            f"clocks {1e6 * first.own_s.C:.2f} and {1e6 * first.own_s.Java:.2f} µs.",
            (Check(f"at {size:,} bytes every two languages that the paper tells apart are in its order", same),
             Check("the interpreted languages take more than ten times as long as Java", min(ours.Perl, ours.Python) > 10 * ours.Java)),
        ),
        Verdict(
            "figure-3-2",
            "The shape is the same: flat while starting the program dominates (at 100 bytes and less it is "
            f"{100 * startup.min():.0f} % of the time or more in every language), then straight. Our rc4 is "
            "below all: "
            f"{1e3 * ours['our rc4']:.3g} ms for {size:,} bytes, {ours.C / ours['our rc4']:.1f} times as "
            "fast as C; its whole "
            "process takes longer because it measures the processor's clock first, to print cycles per byte.",
            (Check("at 100 bytes and less, more than half of the process's time is start-up, in every language", (startup > 0.5).all()),
             Check(f"from 1,000,000 bytes on, a byte costs the same in C by its own clock, within {FLAT:.0%}", flat(straight))),
        ),
        Verdict(
            "assembly",
            f"C takes {ours.C / ours.Assembly:.2f} times as long as the assembly of ports/ "
            f"(paper: {paper.C / paper.Assembly:.2f}). That says little of assembly: our rc4, whose kernel "
            "is "
            f"assembly too, but built on how the processor orders loads and stores, takes "
            f"{ours['our rc4'] / ours.Assembly:.2f} of the time.",
            (Check("assembly takes less time than C, beyond a tie", faster(ours.Assembly, ours.C)),
             Check(f"by no more than the paper's {paper.C / paper.Assembly:.2f} and {FLAT:.0%} of that", ours.C / ours.Assembly <= (1 + FLAT) * paper.C / paper.Assembly)),
        ),
        Verdict(
            "interpreted",
            f"Perl takes {perl_java:.0f} times as long as Java and {perl_c:.0f} times as long as C (paper: "
            f"{paper.Perl / paper.Java:.0f} and {paper.Perl / paper.C:.0f}); Python "
            f"{ours.Python / ours.Java:.0f} and "
            f"{ours.Python / ours.C:.0f} ({paper.Python / paper.Java:.0f} and {paper.Python / paper.C:.0f}).",
            (Check("Perl takes more than 100 times as long as Java", perl_java > 100),
             Check("Perl takes more than 100 times as long as C", perl_c > 100)),
        ),
        Verdict(
            "java-twice-c",
            f"At {size:,} bytes Java takes {java_c:.2f} times as long as C (paper: {paper_java_c:.2f}). At "
            "10,000 "
            f"bytes the whole process takes {middle.process_s.Java / middle.process_s.C:.0f} times as long, "
            "but by "
            f"their own clocks {middle.own_s.Java / middle.own_s.C:.2f} times: the important difference of "
            "small "
            "inputs is the start of the virtual machine.",
            (Check(f"at {size:,} bytes Java takes 2 times as long as C, within a factor of {1 + RATIO:.2f}", alike(java_c, 2)),
             Check("at 10,000 bytes the whole process takes Java more than 5 times as long", middle.process_s.Java > 5 * middle.process_s.C),
             Check("it does by the programs' own clocks too", middle.own_s.Java > 5 * middle.own_s.C)),
        ),
    ]


def paper_small(results: Results, language: str) -> float:
    return results.paper("figure-3-1").set_index("bytes")[language].loc[1]


@judge("figure-4-1", "figure-4-2", "figure-4-3", "figure-7-1")
def examples(results: Results) -> list[Verdict]:
    table = results["examples"]
    found = []
    for claim in ("figure-4-1", "figure-4-2", "figure-4-3", "figure-7-1"):
        rows = table.query("claim == @claim")
        right = rows.assign(same=rows.output == rows.paper).groupby("program", sort=False).same.all()
        what = (
            "The usage text is the paper's, word for word,"
            if claim == "figure-7-1"
            else f"The output is the paper's {rows.paper.iloc[0]!r}"
        )
        found.append(
            Verdict(
            claim,
            f"{what} in {right.sum()} of {len(right)} programs: {', '.join(right.index[right])}.",
            tuple(Check(f"{program}: every line is the paper's", ok) for program, ok in right.items()),
        )
        )
    return found


def slope(table: pd.DataFrame, time: str) -> float:
    """How much more time per byte the largest size takes than the smallest: 1 is proportional."""
    first, last = table.iloc[0], table.iloc[-1]
    return (last[time] / last["bytes"]) / (first[time] / first["bytes"])


@judge("c-small", "c-large", "java-small", "java-large")
def basic(results: Results) -> list[Verdict]:
    c = results["c-sizes"]
    found = []
    for claim, language, ours in (
        ("c-small", "C", c.query("level == '-O2'")),
        ("c-large", "C", c.query("level == '-O2'")),
        ("java-small", "Java", results["java-sizes"]),
        ("java-large", "Java", results["java-sizes"]),
    ):
        paper = results.paper(claim)
        ours = ours[ours["bytes"].isin(paper["bytes"])]
        ours_slope, paper_slope = slope(ours, "us"), slope(paper, "ms")
        first, last = ours.iloc[0], ours.iloc[-1]
        what = "V0 with gcc -O2" if language == "C" else "V1"
        if claim.endswith("small"):
            fixed = first.us - (last.us - first.us) / (last["bytes"] - first["bytes"]) * first["bytes"]
            text = (
                f"{what}: six times the bytes take {last.us / first.us:.2f} times as long ({first.us:.2f} to "
                f"{last.us:.2f} µs; paper: {1e3 * paper.ms.iloc[0]:.2f} to {1e3 * paper.ms.iloc[-1]:.2f}). "
                "A line "
                f"through both ends leaves {fixed:.2f} µs for no byte at all, the key schedule."
            )
            checks: tuple[Check, ...] = (Check(f"a byte costs less at the largest size than at the smallest, by more than {FLAT:.0%}", ours_slope < 1 - FLAT),
                      Check(f"by the paper's factor ({paper_slope:.2f}), within a factor of {1 + RATIO:.2f}", alike(ours_slope, paper_slope)))
        else:
            text = (
                f"{what}: {last.us / 1e3:.2f} ms for {int(last['bytes']):,} bytes (paper: "
                f"{paper.ms.iloc[-1]:.2f}), "
                f"{ours_slope:.3f} times as long a byte as at {int(first['bytes']):,} (paper: "
                f"{paper_slope:.3f})."
            )
            checks = (Check(f"a byte costs the same at the largest size as at the smallest, within {FLAT:.0%}", alike(ours_slope, 1, FLAT)),)
        if language == "C":
            size = int(last["bytes"])
            levels = c.query("bytes == @size").set_index("level").us
            text += (
                " By level: "
                + ", ".join(
                    f"{level} {us:.2f} µs" if claim.endswith("small") else f"{level} {us / 1e3:.2f} ms"
                    for level, us in levels.items()
                )
                + f" at {size:,} bytes; the paper's compiler may have been given none."
            )
        text += said_of(ours)
        found.append(Verdict(
            claim,
            text,
            checks,
        ))
    return found


JUDGES = (foundations, languages, examples, basic)
