"""What the paper concludes of speed, area and the future."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from lab.judge import FLAT, POINTS, Check, Judge, Verdict, faster, judge
from lab.results import Results
from lab.sengupta2013 import tables
from lab.sengupta2013.verdicts.found import DESIGN_2, Found, answer, fastest


def placed_throughput(found: Found) -> str:
    """The same with wires, for the fastest core that is placed."""
    placed = found.placed[found.placed.process == found.process].set_index("design")
    best, against = placed.gbit_per_s.idxmax(), fastest(placed, DESIGN_2)
    rate, area = (placed[column][best] / placed[column][against] for column in ("gbit_per_s", "area_ge"))
    return (f"; with wires, placed, {tables.name(best)} gives {rate:.1f} times that of {tables.name(against)} on {area:.2f} of its area "
            f"({placed.gbit_per_s[best]:.2f} and {placed.gbit_per_s[against]:.2f} Gb/s)")


def throughput(found: Found) -> Verdict:
    rate = found.clocks.words_per_clock["rc4_design2"]
    paper = {nm: found.paper5.loc[("Design 2", nm)].fo4_per_byte for nm in (130, 90, 65)}
    best = found.ours.sort_values("gbit_per_s").iloc[-1]
    against = fastest(found.ours, DESIGN_2)
    copy = found.ours.loc[against]
    per_nm = found.ours.fo4_ps.iloc[0] / tables.NANOMETRES[found.process]
    prior = "rc4_matthews"
    text, ahead = "", None
    if found.has(prior):
        before = found.ours.loc[prior]
        ahead = faster(1 / copy.gbit_per_s, 1 / before.gbit_per_s)
        text = (f"What was known then is the core of [17], which is rebuilt here: in the same flow ({found.process}, before placement, no wires) the fastest copy of Design 2 "
                f"({tables.name(against)}) has {copy.gbit_per_s / before.gbit_per_s:.2f} times its throughput ({copy.gbit_per_s:.2f} and {before.gbit_per_s:.2f} Gb/s) on "
                f"{copy.area_ge / before.area_ge:.2f} times its area. ")
    text += (f"Of today's cores in that flow {best.design} gives {best.gbit_per_s / copy.gbit_per_s:.1f} times the throughput of that copy on "
            f"{best.area_ge / copy.area_ge:.2f} of its area ({best.gbit_per_s:.2f} and {copy.gbit_per_s:.2f} Gb/s, {best.area_ge / 1000:.1f} and {copy.area_ge / 1000:.1f} kGE){placed_throughput(found)}. "
            f"Two bytes a clock are real ({rate:.0f} counted). The paper's Design 2 takes {paper[130]:.1f}, {paper[90]:.1f} and {paper[65]:.1f} FO4 per byte at 130, 90 and "
            f"65 nm if an FO4 is {tables.FO4_PS_PER_NM} ps per nm, which is an assumption ({found.fo4}): with the {per_nm:.2f} of {found.process} it would be "
            f"{paper[130] * tables.FO4_PS_PER_NM / per_nm:.1f} to {min(paper[90], paper[65]) * tables.FO4_PS_PER_NM / per_nm:.1f}. {best.design} takes {best.fo4_per_byte:.1f}. "
            "The paper's figures are of another flow, with estimated wires; its Gb/s and ours do not compare.")
    return Verdict(
            "throughput",
            text,
            (Check("Design 2 gives two bytes a clock, counted", rate == 2),
                    Check(f"in the same flow Design 2 is faster than the core of [17], the fastest known before it, on {found.process}, beyond a tie", ahead)),
        )


def unrolling(found: Found) -> Verdict:
    table = found.unrolling
    last = table.index.max()
    proven = [k for k, proof in table.proven.items() if str(proof) == "True"]
    three = table.loc[3]
    third_step, last_step = table.gates[3] / table.gates[2], table.gates[last] / table.gates[last - 1]
    text = (f"Three rounds need {2**int(three.paper_pairs)} cases only if one asks for every outcome of the {three.paper_pairs:.0f} comparisons together. If each round takes what it "
            f"needs from the latest round that wrote it, {three.comparisons:.0f} comparisons of words are enough, keystream included (5K(K-1)/2), and {last} rounds take "
            f"{table.comparisons[last]:.0f}. Gates grow {table.gates[last] / table.gates[1]:.1f} times from 1 round to {last} (for a table of 16 cells), not exponentially. A solver proves K = "
            f"{', '.join(str(k) for k in proven)} equal to serial rounds from every state of 8 cells")
    rates = found.clocks.words_per_clock["rc4_unroll_4"]
    text += f", and the core with K = 4 gives {rates:.0f} bytes a clock."
    two, four = "rc4_unroll_2", "rc4_unroll_4"
    if found.has(two, four):
        gain = found.ours.gbit_per_s[four] / found.ours.gbit_per_s[two]
        text += (f" It does pay little: the clock grows with K, and on {found.process} K = 4 has {gain:.2f} times the throughput of K = 2 "
                 f"on {found.ours.area_ge[four] / found.ours.area_ge[two]:.2f} times its area. What pays is not to wait for the rounds: the speculative core.")
    return Verdict(
            "unrolling",
            text,
            (Check(f"three rounds take {2**int(three.paper_pairs)} choices (they take {three.comparisons:.0f} comparisons)", three.comparisons >= 2**int(three.paper_pairs)),
                    Check(f"gates grow exponentially: the last round multiplies them by no less than the third does ({last_step:.2f} and {third_step:.2f})", last_step >= third_step),
                    Check("no solver proves three unrolled rounds right", 3 not in proven)),
        )


def pipelining(found: Found) -> Verdict:
    stages = found.waves[(found.waves.design == "rc4_pipe_1") & found.waves.signal.str.startswith("stage")].signal.nunique()
    pipe = found.ours.loc["rc4_pipe_1"]
    text = (f"A table that turns by K cells a clock has S[i] at fixed cells, so that S[j] and S[t] are read in two stages each, with every access forwarded and none "
            f"predicted: {stages} stages give {found.clocks.words_per_clock['rc4_pipe_1']:.0f} byte a clock for every key, at {pipe.period_fo4:.1f} FO4 and {pipe.area_ge / 1000:.1f} kGE on {found.process}")
    copy = "rc4_pipelined_c"
    gain = found.ours.period_fo4[copy] / pipe.period_fo4
    text += (f"; Pipelined-C in the same flow takes {found.ours.period_fo4[copy]:.1f} FO4 and {found.ours.area_ge[copy] / 1000:.1f} kGE, so that the deeper pipeline is {gain:.1f} times as fast")
    four = "rc4_matthews"
    if found.has(four):
        text += (f". Matthews' four stages, with bypasses, take {found.ours.period_fo4[four]:.1f} FO4 and {found.ours.area_ge[four] / 1000:.1f} kGE, "
                 f"{found.ours.period_fo4[four] / pipe.period_fo4:.1f} times the clock period of the {stages}")
    return Verdict(
            "pipelining",
            text + ".",
            (Check(f"a deeper pipeline does not shorten the clock of Pipelined-C in the same flow, by more than {FLAT:.0%}", gain <= 1 + FLAT),
                    Check("or it does not keep a byte a clock", found.clocks.words_per_clock["rc4_pipe_1"] < 1)),
        )


def software(found: Found) -> Verdict:
    table = found.software
    kernels = table[~table.what.str.contains("seal")]
    one = kernels[(kernels.streams == 1) & (kernels.cores == 1)].sort_values("cycles_per_byte").iloc[0]
    text = (f"One stream takes {one.cycles_per_byte:.2f} cycles per byte on one core here ({one.gbit_per_s:.1f} Gb/s at {one.ghz:.1f} GHz), fewer than the three that were rumoured.")
    best = kernels.loc[kernels.groupby("cores").gbit_per_s.idxmax()].set_index("cores")
    asic = found.paper5.gbit_per_s.max()
    parts = [f"{row.gbit_per_s:.1f} Gb/s on {count} core{'s' * (count > 1)}" for count, row in best.iterrows()]
    text += (f" With {best.streams.iloc[0]:.0f} streams at once it is {' and '.join(parts)}, against the {asic:.2f} of Design 2 at 65 nm, which is of one stream "
             f"({best.cycles_per_byte.iloc[0]:.2f} cycles per byte); `arcfour seal`, authentication and files included, {table[table.what.str.contains('seal')].gbit_per_s.max():.1f} Gb/s.")
    return Verdict(
            "software",
            text,
            (Check("the best software takes 7 cycles a byte or more", one.cycles_per_byte >= 7),
                    Check("three cycles a byte are a rumour only", one.cycles_per_byte > 3)),
        )


def lose_clock(found: Found) -> Verdict:
    """Two bytes a clock against one, by the clock."""
    paper = {nm: found.paper5.loc[("Pipelined-C", nm)].period_ps / found.paper5.loc[("Design 2", nm)].period_ps for nm in (90, 65)}
    ours: dict[str, float] = {}
    for process, rows in found.synthesised[found.synthesised.source == "ours"].groupby("process", sort=False):
        periods = rows.set_index("id").period_ps
        ours |= {f"{tables.name(copy)} on {process}": periods["rc4_pipelined_c"] / periods[copy]
                 for copy in ("rc4_design2", "rc4_design2_ksa1") if {copy, "rc4_pipelined_c"} <= set(periods.index)}
    return Verdict("clock-performance", (
        "Design 2's clock is " + " and ".join(f"{ratio:.2f} of Pipelined-C's at {nm} nm" for nm, ratio in paper.items()) + " in the paper; in our flow "
        + ", ".join(f"{ratio:.2f} ({name})" for name, ratio in ours.items()) + ". Two bytes a clock are still worth it."),
        (*(Check(f"the paper's Design 2 keeps Pipelined-C's clock at {nm} nm, within {POINTS:.0f} %", ratio >= 1 - POINTS / 100) for nm, ratio in paper.items()),
         *(Check(f"{name} does, in the same flow", ratio >= 1 - POINTS / 100) for name, ratio in ours.items())))


def critical_path(found: Found) -> Verdict:
    """Where the longest path of Design 2 begins and ends."""
    rows = found.synthesised[(found.synthesised.id == "rc4_design2") & (found.synthesised.source == "ours")]
    return Verdict("critical-path", (
        "The longest path of the rebuilt Design 2 goes " + "; ".join(f"from {row.critical_from} to {row.critical_to} on {row.process}" for row in rows.itertuples())
        + ": from what chooses between schedule and keystream at the shared ports through the reads of the S-box into one of its cells."),
        (Check("it goes through the S-box", rows.critical_to.str.contains("s_box").all()),
         Check("it begins in the PRGA", rows.critical_from.str.contains("prga").all())))


def estream(results: Results, found: Found) -> Verdict:
    """RC4 beside the hardware ciphers of eSTREAM."""
    theirs = results.paper("estream").query("technology_nm == 130").set_index("cipher")
    paper = found.paper5.loc[("Design 2", 130)]
    small = found.ours.area_ge.min() / 1000
    slower = [name for name in theirs.index if theirs.gbit_per_s[name] < paper.gbit_per_s]
    return Verdict("estream", (
        f"By the paper's own figures at 130 nm RC4's {paper.gbit_per_s:.0f} Gb/s stand beside " + ", ".join(f"{name} {theirs.gbit_per_s[name]:.2f}" for name in theirs.index)
        + f", and its {paper.area_ge / 1000:.0f} kGE beside " + ", ".join(f"{theirs.kge[name]:.1f}" for name in theirs.index)
        + f". The smallest of our cores with registers has {small:.1f} kGE on {found.process}. These ciphers are quoted, not rebuilt."),
        (Check("the paper's Design 2 is faster than at least one of the three", bool(slower)),
         Check("it takes more area than each", paper.area_ge / 1000 > theirs.kge.max()),
         Check("so does the smallest of our cores with registers", small > theirs.kge.max())))


def ram(results: Results, found: Found) -> Verdict:
    """Memory blocks instead of registers."""
    printed = results.paper("ram").kge.iloc[0]
    sequential = found.paper5.xs(65, level="technology_nm").sequential_ge
    lut = results["fpga"].query("device == 'ecp5-85f' and rows == 'recorded'").set_index("design").lut
    registers = lut.drop("rc4_bram").min()
    return Verdict("ram", (
        f"The paper synthesises two RAM blocks to {printed} kGE where its registers take {sequential.min() / 1000:.1f} to {sequential.max() / 1000:.1f}. No open 130 nm flow of ours has a "
        f"RAM compiler; on the ECP5 the core with a RAM block takes {lut['rc4_bram']:,.0f} LUT, the smallest with registers {registers:,.0f}, at a third of a byte a clock."),
        (Check("by the paper's figures the RAM is smaller than the registers", printed * 1000 < sequential.min()),
         Check("our core with a RAM block is smaller than any with registers", lut["rc4_bram"] < registers)))


@judge("area-outlook", "platform-outlook", "variants-outlook")
def outlook(results: Results) -> Iterator[Verdict]:
    """What the paper leaves to the future."""
    yield area(Found(results))
    yield Verdict("platform-outlook", "One platform for several stream ciphers is not built here: every core does RC4 alone.")
    yield Verdict("variants-outlook", "RC4's variants have definitions and, in software, speeds here; none is built in hardware.")


def area(found: Found) -> Verdict:
    """A smaller core of the same bytes a clock that is no slower."""
    theirs = found.ours[found.ours.design.str.endswith(", rebuilt")]
    checks, told = [], []
    for words, core in ((1, "rc4_pipe_1"), (2, "rc4_spec_2")):
        same = theirs[theirs.bytes_per_clock == words]
        ours = found.ours.loc[core]
        told.append(f"{tables.name(core)} takes {ours.area_ge / same.area_ge.min():.2f} of the area of the smallest of the paper's designs with {words} byte{'s' * (words > 1)} a clock, "
                    f"and has {ours.gbit_per_s / same.gbit_per_s.max():.1f} times the rate of the fastest")
        checks += [Check(f"{tables.name(core)} is smaller than each of them", ours.area_ge < same.area_ge.min()),
                   Check(f"{tables.name(core)} is faster than each of them", ours.gbit_per_s > same.gbit_per_s.max())]
    return Verdict("area-outlook", f"In {found.process}, without wires: {'; '.join(told)}. A core with a RAM block is the smallest, on the FPGA.", tuple(checks))


JUDGES: tuple[Judge, ...] = (
    outlook,
    *(answer(claim, tell) for claim, tell in (
        ("throughput", throughput), ("unrolling", unrolling), ("pipelining", pipelining), ("software", software), ("clock-performance", lose_clock),
        ("critical-path", critical_path))),
    *(Judge((claim,), partial(lambda tell, results: [tell(results, Found(results))], tell)) for claim, tell in (("estream", estream), ("ram", ram))),
)
