"""Chapters 5, 9 and 10: the improvements step by step, the final programs, and the outlook."""

from __future__ import annotations

from functools import partial

from lab.galvane2012 import tables
from lab.galvane2012.programs import said_of
from lab.intervals import decided, extremes
from lab.judge import FLAT, POINTS, RATIO, TIE, Check, Verdict, alike, faster, judge, near
from lab.results import Results


def gain(before: float, after: float) -> float:
    """Percent of time saved."""
    return 100 * (1 - after / before)


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


JUDGES = (steps, versions, final, rest, small_inputs)
