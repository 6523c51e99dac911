"""What we say of each claim. The judgement is a condition on the results, and so are the figures quoted."""

from __future__ import annotations

from functools import partial
from math import floor

import pandas as pd

from lab.galvane2012 import tables
from lab.galvane2012.programs import KEY
from lab.intervals import decided, extremes
from lab.judge import FLAT, POINTS, RATIO, SIGMA, TIE, Check, Verdict, alike, faster, flat, judge, near, same_order
from lab.report.numbers import number
from lab.results import Results


def shares(table: pd.DataFrame, names: tuple[str, ...]) -> list[Check]:
    """That functions or methods have the paper's shares of the time."""
    return [Check(f"{name} has the paper's {table.paper_percent.get(name, 0.0):.0f} % of the time, within {POINTS:.0f} points",
                  near(table.ours_percent.get(name, 0.0), table.paper_percent.get(name, 0.0))) for name in names]


def lines_alike(table: pd.DataFrame) -> tuple[Check, ...]:
    """That lines have the paper's shares of the time; bytecodes are another quantity and decide nothing."""
    named = table[table.paper_percent > 0].drop("line not printed", errors="ignore")
    return tuple(Check(f"{name} has the paper's {row.paper_percent:.0f} % of the time, within {POINTS:.0f} points, {how}", near(row[column], row.paper_percent))
                 for name, row in named.iterrows() for column, how in (("interpreted_percent", "without the JIT"), ("jit_percent", "with the JIT")))


def said_of(timed: pd.DataFrame) -> str:
    """How many quiet runs the figures of a verdict rest on."""
    least, most = timed.quiet.min(), timed.quiet.max()
    span = f"{least}" if least == most else f"{least} to {most}"
    return f" Each time is the median of {span} quiet runs." if least else f" Each time is the median of up to {most} quiet runs; where there was none, of all."


def gain(before: float, after: float) -> float:
    """Percent of time saved."""
    return 100 * (1 - after / before)


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


@judge("c-functions-small", "c-functions-large", "c-lines")
def c_profile(results: Results) -> list[Verdict]:
    functions = tables.c_functions(results).set_index(["input", "function"])
    small, large = functions.loc["small"], functions.loc["large"]
    lines = tables.c_lines(results).set_index("statement")
    swap, lookup = lines.loc["swap"], lines.loc["lookup"]

    def both(table: pd.DataFrame, name: str) -> str:
        return f"{name} {table.ours_percent[name]:.0f} % (paper: {table.paper_percent[name]:.0f} %)"

    return [
        Verdict(
            "c-functions-small",
            "; ".join(both(small, name) for name in ("rc4_ksa", "rc4_prga", "rc4_keystream", "rc4_crypt"))
            + ".",
            (Check("the key schedule has most of the time", small.ours_percent["rc4_ksa"] > 50),
             *shares(small, ("rc4_ksa", "rc4_prga", "rc4_keystream", "rc4_crypt"))),
        ),
        Verdict(
            "c-functions-large",
            "; ".join(both(large, name) for name in ("rc4_prga", "rc4_crypt"))
            + "; key schedule and keystream's memory do not show, as in the paper. With -O3 the functions "
            "are "
            "inlined and the xor is vectorised: then nothing is left to tell apart.",
            (Check("the PRGA has most of the time", large.ours_percent["rc4_prga"] > 50),
             *shares(large, ("rc4_prga", "rc4_crypt"))),
        ),
        Verdict(
            "c-lines",
            f"By time (gprof) the swap has {swap.time_percent:.0f} % and the look-up "
            f"{lookup.time_percent:.0f} % of the "
            f"PRGA; by instructions (callgrind) {swap.instructions_per_byte:.0f} and "
            f"{lookup.instructions_per_byte:.0f} "
            f"of {lines.instructions_per_byte.sum():.0f} a byte. The swap reads "
            f"{swap.reads_per_byte:.0f} byte, since S[i] is in a register already, and writes "
            f"{swap.writes_per_byte:.0f}; the "
            f"look-up reads {lookup.reads_per_byte:.0f}. A profiler that samples attributes the wait for a load "
            "to the line that uses "
            "it, so shares of single lines say little on a processor that runs many at once.",
            tuple(Check(f"the {name} has {lines.paper_percent[name]:.0f} % of the PRGA's time, within {POINTS:.0f} points", near(lines.time_percent[name], lines.paper_percent[name]))
                  for name in ("swap", "lookup")),
        ),
    ]


@judge("java-methods-small", "java-methods-large", "java-lines-small", "java-lines-large", "java-lines-v2", "java-lines-v3")
def java_profile(results: Results) -> list[Verdict]:
    methods = tables.java_methods(results).set_index(["input", "method"])
    lines = tables.java_lines(results).set_index(["claim", "statement"])
    small, large = methods.loc["small"], methods.loc["large"]

    def row(table: pd.DataFrame, name: str, column: str = "ours_percent") -> float:
        return float(table[column].get(name, 0.0))

    def both(table: pd.DataFrame, names: tuple[str, ...]) -> str:
        return ", ".join(
            f"{name} {row(table, name):.0f} % (paper: {row(table, name, 'paper_percent'):.0f} %)"
            for name in names
        )

    loop = ["i", "j", "swap", "lookup", "loop"]
    v1, v2, v3 = (lines.loc[claim] for claim in ("java-lines-large", "java-lines-v2", "java-lines-v3"))
    found = [
        Verdict(
            "java-methods-small",
            f"{both(small, ('ksa', 'prga', 'posValue', 'encrypt'))}. The key schedule's 256 rounds should "
            "outweigh 100 bytes of output. In our measurement they do, because most calls of posValue also come from the schedule.",
            (Check("key schedule and PRGA have nine tenths of the time between them", row(small, "ksa") + row(small, "prga") > 90),
             *shares(small, ("ksa", "prga"))),
        ),
        Verdict(
            "java-methods-large",
            f"{both(large, ('prga', 'posValue', 'encrypt'))}. With the JIT, which inlines it, posValue has "
            f"{row(large, 'posValue', 'ours_jit_percent'):.0f} % of the samples and prga "
            f"{row(large, 'prga', 'ours_jit_percent'):.0f} %.",
            (Check("the PRGA has most of the time", row(large, "prga") > 50),
             *shares(large, ("prga", "posValue", "encrypt"))),
        ),
    ]
    schedule = ["ksa j", "ksa loop", "ksa table"]
    t = lines.loc["java-lines-small"]
    key_bytecodes, key_paper = (
        t[column].reindex(schedule).sum() for column in ("bytecodes_percent", "paper_percent")
    )
    found.append(
        Verdict(
            "java-lines-small",
            f"The key schedule's lines, its swap aside, are {key_bytecodes:.0f} % of the bytecodes executed "
            "and "
            f"{t.jit_percent.reindex(schedule).sum():.0f} % of the time with the JIT (paper: "
            f"{key_paper:.0f} %), "
            f"posValue {row(t, 'posValue', 'bytecodes_percent'):.0f} % and "
            f"{row(t, 'posValue', 'jit_percent'):.0f} % "
            f"(paper: {row(t, 'posValue', 'paper_percent'):.0f} %). Our V1 keeps its table from one "
            "encryption "
            "to the next; the paper's line 77 seems to allocate it each time.",
            lines_alike(t),
        )
    )
    inside = v1.bytecodes_percent.reindex(loop).sum()
    found.append(
        Verdict(
            "java-lines-large",
            f"The PRGA's loop is {inside:.0f} % of the bytecodes, posValue "
            f"{row(v1, 'posValue', 'bytecodes_percent'):.0f} % and the xor "
            f"{row(v1, 'xor', 'bytecodes_percent'):.0f} % "
            f"(paper, of the time: over 60 %, {row(v1, 'posValue', 'paper_percent'):.0f} % and "
            f"{row(v1, 'xor', 'paper_percent'):.0f} %). A call costs more than other bytecodes: by the "
            "recorder "
            f"posValue has {row(large, 'posValue'):.0f} % of the time.",
            (Check("the PRGA's loop has more than 60 % of the time with the JIT", v1.jit_percent.reindex(loop).sum() > 60), *lines_alike(v1)),
        )
    )
    for claim, table, version in (("java-lines-v2", v2, "V2"), ("java-lines-v3", v3, "V3")):
        names = ", ".join(
            f"{name} {table.bytecodes_percent[name]:.0f} and {table.jit_percent[name]:.0f} % (paper: "
            f"{table.paper_percent[name]:.0f} %)"
            for name in ("lookup", "i", "j", "swap", "xor")
        )
        inside = table.bytecodes_percent.reindex(loop).sum()
        found.append(
            Verdict(
            claim,
            f"With the JIT the look-up has {table.jit_percent['lookup']:.0f} % of the time, against {table.paper_percent['lookup']:.0f} % in the paper; the PRGA's loop "
                "has "
                f"{inside:.0f} % of the bytecodes. Shares of bytecodes and of time in {version}: {names}. The swap is as long as the look-up, and the paper's "
                "profiler "
                "hardly saw it: hprof stopped the program at safepoints only. Ours is no better without the "
                f"JIT: the Flight Recorder attributes {table.interpreted_percent['keystream array']:.0f} % to the "
                "line "
                "that allocates the keystream, once an encryption, as the last one that made a call. That "
                "is why bytecodes are counted.",
            (Check("the PRGA's loop has more than 60 % of the time with the JIT", table.jit_percent.reindex(loop).sum() > 60), *lines_alike(table)),
        )
        )
    return found


SPREAD = ["us", "us_min", "us_max"]


@judge("memory", "modulus", "key-length", "counter")
def steps(results: Results) -> list[Verdict]:
    memory = results["c-memory"].set_index("version")
    accesses = memory.reads_per_byte + memory.writes_per_byte
    saved = accesses["V0"] - accesses["V2"]
    peak = (memory.peak_kib["V0"] - memory.peak_kib["V2"]) * 1024 / 1e6
    java = tables.java_versions(results).set_index("version")
    with_jit, without = java.ours_with_jit_gain_percent["V3"], java.ours_without_jit_gain_percent["V3"]
    keys = results["key-length"].set_index(["language", "index", "key_bytes"]).us.sort_index()
    spread = {
        name: keys.xs(("modulus" if name in ("C", "Java") else "counter"), level="index")[name]
        if name != "our rc4"
        else keys["our rc4", "unrolled"]
        for name in ("C", "Java", "assembly", "our rc4")
    }
    timed = results["key-length"].query("index == 'modulus'").set_index(["language", "key_bytes"])
    alone = {name: extremes(*timed.loc[(name, 256), SPREAD]) / extremes(*timed.loc[(name, 7), SPREAD]) for name in ("C", "Java")}
    flat = {name: 100 * (times.max() / times.min() - 1) for name, times in spread.items()}
    counter = {
        name: gain(keys[name, "modulus"].median(), keys[name, "counter"].median()) for name in ("C", "Java")
    }
    return [
        Verdict(
            "memory",
            f"V2 saves {saved:.2f} accesses a byte, {10 * saved:.0f} million for ten million bytes, and "
            f"{peak:.1f} MB of peak memory. It is {100 * saved / accesses['V0']:.0f} % of all accesses: V0 "
            "has "
            f"{accesses['V0']:.1f} a byte, V2 {accesses['V2']:.1f}, and the table's own cannot be saved.",
            (Check("the output made in the PRGA saves 20 million accesses for 10 million bytes, within 5 %", alike(saved, 2, 0.05)),
             Check(f"and 10 MB of memory, within {FLAT:.0%}", alike(peak, 10, FLAT))),
        ),
        Verdict(
            "modulus",
            ("It is the reverse now: " if with_jit > without else "")
            + f"AND {'saves' if without >= 0 else 'costs'} {abs(without):.0f} % without the JIT (paper: saves "
            f"{java.paper_without_jit_gain_percent['V3']:.0f} %) and {'saves' if with_jit >= 0 else 'costs'} {abs(with_jit):.0f} % with it (paper: "
            f"saves {java.paper_with_jit_gain_percent['V3']:.0f} %)."
            + (
                " This JIT does not turn % 256 into & 255 by itself: for all it knows the sum of two shorts "
                "is negative, and then the two differ."
                if with_jit > 10
                else ""
            )
            + (" In the interpreter both instructions cost the same." if abs(without) < 10 else ""),
            (Check(f"without the JIT it saves {java.paper_without_jit_gain_percent['V3']:.0f} %, within {POINTS:.0f} points", near(without, java.paper_without_jit_gain_percent["V3"])),
             Check(f"with it {java.paper_with_jit_gain_percent['V3']:.0f} %, within {POINTS:.0f} points", near(with_jit, java.paper_with_jit_gain_percent["V3"]))),
        ),
        Verdict(
            "key-length",
            "Between keys of 1 and 256 bytes the slowest schedule takes longer than the fastest by "
            + ", ".join(f"{value:.0f} % ({name})" for name, value in flat.items())
            + ". Those keys differ in their bytes too: a key of 7 bytes and the same bytes repeated to 256 give one schedule, and tell what the length alone does." + said_of(results["key-length"]),
            tuple(decided(f"in {name} 256 bytes, which repeat a key of 7, take the time of the 7, within {FLAT:.0%}", alone[name], partial(alike, theirs=1, tolerance=FLAT)) for name in ("C", "Java")),
        ),
        Verdict(
            "counter",
            "A counter "
            + " and ".join(
                f"{'saves' if value > 0 else 'costs'} {abs(value):.0f} % of the schedule in {name}"
                for name, value in counter.items()
            )
            + ". The reason given, that keys are short, is none: the modulus is computed 256 times whatever "
            "the length.",
            tuple(Check(f"in {name} a counter changes the schedule by no more than a tie ({TIE:.0%})", abs(value) <= 100 * TIE) for name, value in counter.items()),
        ),
    ]


@judge("c-versions", "java-versions")
def versions(results: Results) -> list[Verdict]:
    c = tables.c_versions(results).set_index("version")
    paper = c.pop("paper_ms")
    levels = {column.removeprefix("gcc ").removesuffix(" ms"): c[column] for column in c if column.endswith(" ms")}
    timed = results["c-versions"]
    best = {level: times.idxmin() for level, times in levels.items()}
    as_paper = [
        level for level, times in levels.items() if times.idxmin() == "V3" and times["V4"] > times["V3"]
    ]
    java = tables.java_versions(results).set_index("version")
    total = {name: java[f"ours_{name}_total_percent"]["V4"] for name in ("without_jit", "with_jit")}
    paper_total = {name: java[f"paper_{name}_total_percent"]["V4"] for name in ("without_jit", "with_jit")}
    order = java.ours_with_jit_ms.is_monotonic_decreasing
    return [
        Verdict(
            "c-versions",
            "Fastest by level: "
            + ", ".join(
                f"{level} {version} ({levels[level][version]:.1f} ms)" for level, version in best.items()
            )
            + "; V0 there "
            + ", ".join(f"{times['V0']:.1f}" for times in levels.values())
            + " ms (paper: "
            f"{paper['V0']:.1f} to {paper['V3']:.1f}, V4 {paper['V4']:.1f}). "
            + (
                f"The paper's order, V3 first and V4 after it, holds with {', '.join(as_paper)}. "
                if as_paper
                else "The paper's V3 is first at no level. "
            )
            + (
                "With -O3 gcc joins V4's eight bytes in registers: "
                f"{gain(levels['-O3']['V3'], levels['-O3']['V4']):.0f} % "
                "less time than V3. What the paper found about V4 was about its compiler."
                if best["-O3"] == "V4"
                else ""
            )
            + said_of(timed),
            tuple(check for level in levels for check in (
                Check(f"gcc {level}: V3 takes the least time, or ties for it", not any(faster(levels[level][other], levels[level]["V3"]) for other in levels[level].index)),
                Check(f"gcc {level}: V4 takes longer than V3, beyond a tie", faster(levels[level]["V3"], levels[level]["V4"])))),
        ),
        Verdict(
            "java-versions",
            f"In total {total['without_jit']:.0f} % less time without the JIT and {total['with_jit']:.0f} % "
            "with it "
            f"(paper: {paper_total['without_jit']:.0f} and {paper_total['with_jit']:.0f}), but by other "
            "steps: V2 gains "
            f"{java.ours_without_jit_gain_percent['V2']:.0f} % without the JIT, V3 "
            f"{java.ours_with_jit_gain_percent['V3']:.0f} "
            f"% with it. The ratio without/with goes "
            + ", ".join(f"{value:.0f}" for value in java.ours_ratio)
            + " (paper: "
            + ", ".join(f"{value:.0f}" for value in java.paper_ratio)
            + "). The paper's 36.22 % for V3 is "
            f"{java.paper_without_jit_gain_percent['V3']:.1f} % by its own times." + said_of(results["java-versions"]),
            (Check("each version takes less time than the one before, with the JIT", order),
             *(Check(f"in total {paper_total[name]:.0f} % less time {name.replace('_', ' ').replace('jit', 'the JIT')}, within {POINTS:.0f} points",
                     near(total[name], paper_total[name])) for name in total)),
        ),
    ]


@judge("final-small", "final-large")
def final(results: Results) -> list[Verdict]:
    table = tables.final(results).set_index(["bytes", "program"])
    found = []
    for claim, size, unit, scale in (("final-small", 200, "µs", 1e3), ("final-large", 5_000_000, "ms", 1)):
        ours = table.loc[size]
        c, c3, java = ours.loc["C gcc -O2, V3"], ours.loc["C gcc -O3, V4"], ours.loc["Java"]
        paper_c, paper_java = ours.loc["C, paper"], ours.loc["Java, paper"]
        text = (
            f"C gains {c.gain_percent:.0f} % with -O2 and V3, {c3.gain_percent:.0f} % with -O3 and V4 "
            "(paper: "
            f"{paper_c.gain_percent:.0f}), Java {java.gain_percent:.0f} % (paper: "
            f"{paper_java.gain_percent:.0f}). Optimized, "
            f"C takes {scale * c.optimized_ms:.2f} or {scale * c3.optimized_ms:.2f} {unit}, Java "
            f"{scale * java.optimized_ms:.2f} (paper: {scale * paper_c.optimized_ms:.2f} and "
            f"{scale * paper_java.optimized_ms:.2f}); assembly "
            f"{scale * ours.loc['assembly'].optimized_ms:.2f}, our rc4 "
            f"{scale * ours.loc['our rc4'].optimized_ms:.2f}."
        )
        best_c = min(c.optimized_ms, c3.optimized_ms)
        if size == 200:
            first = faster(java.optimized_ms, best_c)
            text += (
                " Java is ahead of C here too." if first else " Java is no longer ahead of C for small inputs."
            )
            checks: tuple[Check, ...] = (Check("the optimized Java is faster than the best C", faster(java.optimized_ms, best_c)),)
        else:
            beats = java.optimized_ms < min(c.initial_ms, c3.initial_ms)
            text += (
                f" Java takes {java.optimized_ms / c.optimized_ms:.2f} times the time of V3 with -O2 and "
                f"{java.optimized_ms / c3.optimized_ms:.2f} times that of V4 with -O3 (paper: "
                f"{paper_java.optimized_ms / paper_c.optimized_ms:.2f})"
                + (
                    " and less than C's V0, as in the paper."
                    if beats
                    else "; C's V0 is faster than Java's best now."
                )
            )
            checks = (Check("the optimized Java is faster than C's V0 at every level measured", beats),
                      Check("the optimized Java takes the paper's multiple of the optimized C (-O2, V3), within a factor of "
                            f"{1 + RATIO:.2f}", alike(java.optimized_ms / c.optimized_ms, paper_java.optimized_ms / paper_c.optimized_ms)))
        text += said_of(results["final"].query("bytes == @size"))
        checks += tuple(Check(f"{name} gains {theirs:.0f} %, within {POINTS:.0f} points", near(gained, theirs)) for name, gained, theirs in (
            ("C with -O2", c.gain_percent, paper_c.gain_percent), ("Java", java.gain_percent, paper_java.gain_percent)))
        found.append(Verdict(
            claim,
            text,
            checks,
        ))
    return found


@judge("variants", "workload", "secure-variant")
def rest(results: Results) -> list[Verdict]:
    table = results["variants"]
    common = table[table.unit.str.startswith("of those")].value.max()
    speed = table[table.unit == "cycles per byte"].pivot(index="backend", columns="what", values="value")
    fastest = speed.rc4.idxmin()
    return [
        Verdict(
            "variants",
            "RC4A does deal with performance: its abstract promises fewer operations a byte, and here it "
            "takes "
            f"{speed.rc4a[fastest]:.2f} cycles a byte beside RC4's {speed.rc4[fastest]:.2f} with the "
            f"{fastest} kernel, "
            f"{speed.rc4a['definition']:.2f} beside {speed.rc4['definition']:.2f} by the plain definition. "
            "VMPC shares "
            f"{common:.2f} times as many bytes with an RC4 of 768 rounds as chance gives{', no more than any two ciphers' if common < 1.5 else ''}: its "
            "step and its "
            "output are other functions.",
            (Check("RC4A does not take less time a byte than RC4 with the kernel, beyond a tie", not faster(speed.rc4a[fastest], speed.rc4[fastest])),
             Check("nor by the plain definition", not faster(speed.rc4a["definition"], speed.rc4["definition"])),
             Check("VMPC's keystream is that of an RC4 with 768 rounds of schedule", common > 200)),
        ),
        Verdict(
            "secure-variant",
            "Others did: of the families that `arcfour families` lists, RC4+ (2008) and Spritz (2014) are redesigns with more secure state or output, RC4A and VMPC are the two the chapter names, "
            "and PARC4-R is ours. Each has its pinned definition, vectors and what breaks it in the cipher library; none is a reason to choose RC4's line for anything new.",
            (),
        ),
        Verdict(
            "workload",
            "Who did what is for the authors to say; the tables are typed in for completeness.",
            (),
        ),
    ]


@judge(*(f"figure-11-{number}" for number in tables.FIGURES_11))
def appendix(results: Results) -> list[Verdict]:
    lines = tables.java_lines(results).set_index(["claim", "statement"])
    found = []
    for figure in tables.FIGURES_11:
        table = lines.loc[f"figure-11-{figure}"]
        named = table[table.paper_percent > 0].drop("line not printed", errors="ignore")
        near_it = {column: int((named[column] - named.paper_percent).abs().le(POINTS).sum()) for column in ("interpreted_percent", "jit_percent")}
        most = named.paper_percent.idxmax() if len(named) else None
        text = "No line has a share of the time." if most is None else (
            f"Of the {len(named)} kinds of lines printed, {near_it['interpreted_percent']} have the paper's share of the time within {POINTS:.0f} points without the JIT "
            f"and {near_it['jit_percent']} with it. The largest there, {most}, has {named.paper_percent[most]:.0f} % in the paper, "
            f"{named.interpreted_percent[most]:.0f} % without the JIT, {named.jit_percent[most]:.0f} % with it, and {named.bytecodes_percent[most]:.0f} % of the bytecodes. "
            "Without the JIT the recorder attributes a sample to the line of the last call, so our times by line are "
            "no better than hprof's were."
        )
        found.append(Verdict(
            f"figure-11-{figure}",
            text,
            lines_alike(table),
        ))
    return found


@judge("small-v2")
def small_inputs(results: Results) -> Verdict:
    """V2 on small inputs."""
    times = results["java-small-versions"].query("jit").set_index("version").us
    saved = gain(times["V1"], times["V2"])
    return Verdict(
        "small-v2",
        f"For 100 bytes V2 saves {saved:.0f} % with the JIT ({times['V1']:.2f} and {times['V2']:.2f} µs); V3 and V4 take {times['V3']:.2f} and {times['V4']:.2f} µs.",
        (Check(f"for 100 bytes V2 takes as long as V1, within {FLAT:.0%}", alike(times["V2"], times["V1"], FLAT)),),
    )


@judge("lines-79-85-86", "few-lines")
def own_figures(results: Results) -> list[Verdict]:
    """What §5.1.2 says of the appendix, beside the appendix."""
    small = results.paper("figure-11-6").groupby("line").self_percent.sum()
    said = results.paper("lines-79-85-86").set_index("line").percent
    large = results.paper("figure-11-5").groupby("line").self_percent.sum()
    few = large.sort_values(ascending=False).head(len(tables.LINES_11[5]))
    return [
        Verdict(
            "lines-79-85-86",
            "The text gives " + ", ".join(f"line {line} {said[line]:.0f} %" for line in said.index) + "; figure 11.6 prints " + ", ".join(f"{small[line]:.2f} %" for line in said.index)
            + ". The first two look swapped.",
            tuple(Check(f"line {line}: the text's {said[line]:.0f} % is the figure's, rounded (a half up)", floor(small[line] + 0.5) == said[line]) for line in said.index),
        ),
        Verdict(
            "few-lines",
            f"In figure 11.5 the {len(few)} lines that have most, {', '.join(map(str, few.index))}, have {few.sum():.1f} % between them, and all lines printed {large.sum():.1f} %.",
            (Check(f"more than 96 % of V4's time for large inputs is on {len(few)} lines", few.sum() > 96),),
        ),
    ]


JUDGES = (foundations, languages, examples, basic, c_profile, java_profile, steps, versions, final, rest, appendix, small_inputs, own_figures)
