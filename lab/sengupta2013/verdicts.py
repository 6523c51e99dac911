"""What we say of each claim, in figures taken from the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import pandas as pd

from lab.judge import FLAT, POINTS, RATIO, TIE, Check, Judge, Verdict, alike, faster, judge, near, same_order
from lab.results import Results
from lab.sengupta2013 import tables


# The copies of Design 2 whose ports are shared, whichever way their schedule goes; and all.
SHARED = ("rc4_design2", "rc4_design2_ksa1")
DESIGN_2 = (*SHARED, "rc4_design2_unshared")


def fastest(rows: pd.DataFrame, designs: tuple[str, ...]) -> str:
    """The fastest of these designs that is among the rows."""
    return rows.gbit_per_s[rows.index.intersection(designs)].idxmax()


class Found:
    """The results, asked by name."""

    def __init__(self, results: Results):
        self.rules = results["cases"].set_index(["claim", "rule"])
        self.clocks = results["clocks"].set_index("design")
        self.synthesised = tables.synthesised(results)
        self.unrolling = results["unrolling"].set_index("k")
        self.software = results["software"]
        self.waves = results["waveform"]
        self.placed = tables.placed(results)
        self.paper6 = results.paper("table-6").set_index("design")
        self.paper5 = self.synthesised[self.synthesised.source == "paper"].set_index(["design", "technology_nm"])
        ours = self.synthesised[self.synthesised.source == "ours"]
        # The first library that has most of the designs is the one the text speaks of.
        self.process = ours.groupby("process", sort=False).size().idxmax()
        self.ours = ours[ours.process == self.process].set_index("id")

    def has(self, *designs: str) -> bool:
        """Whether all of these are synthesised."""
        return set(designs) <= set(self.ours.index)

    @property
    def fo4(self) -> str:
        """What the libraries of our flow have for it."""
        ours = self.synthesised[self.synthesised.source == "ours"].drop_duplicates("process")
        return ", ".join(f"{row.process} has {row.fo4_ps / tables.NANOMETRES[row.process]:.3g}" for row in ours.itertuples())

    def missing(self, *designs: str) -> str:
        """Those that are not, for a sentence."""
        names = [tables.name(design) for design in designs if design not in self.ours.index]
        return f" Not synthesised yet: {', '.join(names)}." if names else ""

    def rule(self, claim: str) -> tuple[int, int]:
        """How often a claim's rules were met, and wrong."""
        each = self.rules.loc[claim]
        return int(each.met.sum()), int(each.wrong.sum())


def right(found: Found, claim: str) -> tuple[Check, str]:
    """A claim's rules on random states."""
    met, wrong = found.rule(claim)
    return Check("as printed, they agree with serial rounds in every state tried", wrong == 0), f"{f'wrong in {wrong:,} of' if wrong else 'right in all'} {met:,} random states of a table of 16 cells"


def built(found: Found, *designs: str) -> str:
    """That a circuit was rebuilt and gives RC4's keystream."""
    words = found.clocks.loc[list(designs)].words_compared.min()
    names = " and ".join(tables.name(design) for design in designs)
    return f"Rebuilt in {names}: the first {words:,} bytes of simulated keystream are those of the Python port"


def begins(found: Found, design: str, signal: str) -> int:
    """The first clock in which a stage works, or a port is high."""
    rows = found.waves[(found.waves.design == design) & found.waves.signal.str.startswith(signal) & (found.waves.value == 1)]
    return int(rows.clock.min())


def table_2(found: Found) -> Verdict:
    cases = found.rules.loc["table-2"]
    met = cases.met.to_dict()
    rules, said = right(found, "table-2")
    impossible = met["case 8"]
    return Verdict(
            "table-2",
            f"Taken as printed, the transfers are {said}; the rarest possible case occurred {cases.met.drop('case 8').min():,} "
                   f"times, the impossible one {f'{impossible:,} times' if impossible else 'never'}.",
            (rules, Check("the case that the table calls impossible never comes", impossible == 0)),
        )


def table_3(found: Found) -> Verdict:
    met, wrong = found.rule("table-3")
    return Verdict(
            "table-3",
            f"Taken as printed, without forwarding, {100 * wrong / met:.0f} % of {met:,} bytes are not RC4's: S[i] of the next round is read "
                   "before the swaps of the rounds ahead are written. [17] has bypasses that the table does not show. Its rate, a "
                   f"byte a clock, is real: our cores that read through all bypasses give {found.clocks.words_per_clock['rc4_pipe_1']:.0f}.",
            (Check("taken as printed, without forwarding, every byte is RC4's", wrong == 0),
                    Check("a byte a clock is reached by a pipeline that reads through bypasses", found.clocks.words_per_clock["rc4_pipe_1"] == 1)),
        )


def table_4(found: Found) -> Verdict:
    rules = found.rules.loc["table-4"]
    first, second = (rules.loc[rule] for rule in ("j2 = j1 + S1[i2] + K[i2]", "j2 = j0 + S0[i1] + S1[i2] + K[i2]"))
    return Verdict(
            "table-4",
            f"The first form of j2 is {f'wrong in {first.wrong:,} of' if first.wrong else 'right in all'} {first.met:,} random states. The second, as printed, lacks K[i1] and is wrong "
                   f"in {100 * second.wrong / second.met:.0f} %; with it the two are the same, and so it is built.",
            (Check("the first form of j2 is right on all states", first.wrong == 0), Check("the second, as printed, is too", second.wrong == 0)),
        )


def table_5(found: Found) -> Verdict:
    pairs = [("Design 1", "rc4_design1"), ("Pipelined-A", "rc4_pipelined_a"), ("Pipelined-B", "rc4_pipelined_b"), ("Pipelined-C", "rc4_pipelined_c"), ("Design 2", fastest(found.ours, SHARED))]
    clocks, checks, areas = [], [], []
    for design, ours in pairs:
        theirs = found.paper5.loc[(design, 90)]
        if not found.has(ours):
            checks.append(Check(f"{design}: rebuilt and synthesised", None))
            continue
        mine = found.ours.loc[ours]
        areas.append((mine.area_ge, theirs.area_ge))
        clocks.append((mine.period_fo4, theirs.period_fo4))
        checks += [Check(f"{design}: the paper's area, within a factor of {1 + RATIO:.2f}", alike(mine.area_ge, theirs.area_ge)),
                   Check(f"{design}: the paper's clock in FO4, within a factor of {1 + RATIO:.2f}", alike(mine.period_fo4, theirs.period_fo4))]
    checks += [Check("the designs have the paper's order by area, but for ties", same_order(*zip(*areas, strict=True))),
               Check("65 nm: no open library is that small", None)]
    return Verdict(
            "table-5",
            f"On {found.process}, before placement, the rebuilt designs have {some([mine / theirs for mine, theirs in areas])} times the areas that the paper prints for 90 nm, "
            f"and a clock of {some([mine for mine, _ in clocks], 0)} FO4 where it has {some([theirs for _, theirs in clocks], 0)}. The areas are of the same size; the paper's clocks, from a commercial tool with "
                   f"strict constraints on libraries of unknown speed (FO4 taken as {tables.FO4_PS_PER_NM} ps per nm; {found.fo4}), are not reached by open tools with the same circuits."
                   + found.missing(*(ours for _, ours in pairs)),
            tuple(checks),
        )


def some(values: list[float], decimals: int = 2) -> str:
    """The least and the greatest."""
    return f"{min(values, default=0):.{decimals}f} to {max(values, default=0):.{decimals}f}"


def over(rate: float) -> str:
    """The clocks of N bytes: N, N/2."""
    return "N" if rate == 1 else f"N/{rate:.0f}"


def table_6(found: Found) -> Verdict:
    parts, fits = [], []
    for design, ours in (("Design 1", "rc4_design1"), ("Design 2", "rc4_design2_ksa1")):
        theirs, mine = found.paper6.loc[design], found.clocks.loc[ours]
        same_rate = abs(mine.words_per_clock * theirs.prga_clocks_per_byte - 1) < 1e-9
        fits.append(Check(f"{design}: the clocks printed, but for one that starts each part",
                          same_rate and 0 <= theirs.ksa_clocks - mine.ksa_clocks <= 1 and 0 <= theirs.prga_lag_clocks - mine.prga_lag_clocks <= 1))
        parts.append(f"{design}: KSA {mine.ksa_clocks:.0f} (paper {theirs.ksa_clocks:.0f}), N bytes in {over(mine.words_per_clock)} + {mine.prga_lag_clocks:.0f} "
                     f"(paper {over(1 / theirs.prga_clocks_per_byte)} + {theirs.prga_lag_clocks:.0f})")
    return Verdict(
            "table-6",
            f"Counted in simulation, {'; '.join(parts)}. The paper counts one clock pulse more in each, the one that starts the schedule and "
                   "the one that starts the keystream; the rebuilt cores need neither. Of the cores of others that of [17] is rebuilt, but its clocks are not counted; the others are quoted.",
            (*fits, Check("the same for [10], [16] and [17], whose clocks are not counted here", None)),
        )


def pipeline(found: Found, claim: str, design: str, stages: list[str], said: str) -> Verdict:
    """The stages of a figure begin one clock after the other, and the output follows."""
    starts = [begins(found, design, f"stage {stage}") for stage in stages] + [begins(found, design, "z_valid_o")]
    steps = {after - before for before, after in pairwise(starts)}
    return Verdict(
            claim,
            f"In the simulation the first bytes are in stages {', '.join(stages)} in clocks {', '.join(str(c - starts[0] + 1) for c in starts[:-1])} and at the output in the "
                   f"next one; {said} {found.clocks.words_per_clock[design]:.0f}.",
            (Check("each stage begins one clock after the one before, and the output one after the last", steps == {1}),
                    Check("the core gives as many bytes a clock as its design is to", found.clocks.words_per_clock[design] == found.paper5.loc[tables.name(design)].bytes_per_clock.iloc[0])),
        )


def sharing(found: Found) -> Verdict:
    theirs = 1 - found.paper5.loc[("Pipelined-B", 90)].s_box_ge / found.paper5.loc[("Pipelined-A", 90)].s_box_ge
    text = f"In the paper the shared ports save {100 * theirs:.0f} % of the S-box. "
    mine = 1 - found.ours.s_box_ge["rc4_pipelined_b"] / found.ours.s_box_ge["rc4_pipelined_a"]
    clock = found.ours.period_fo4["rc4_pipelined_b"] / found.ours.period_fo4["rc4_pipelined_a"]
    return Verdict(
            "figure-12",
            text + f"On {found.process} it is {100 * mine:.0f} %, and the clock becomes {clock:.2f} times as long.",
            (Check(f"sharing the ports saves area of the S-box, more than {TIE:.0%}", mine > TIE),
                    Check(f"as much as in the paper, within {POINTS:.0f} points", near(100 * mine, 100 * theirs))),
        )


def ksa(found: Found) -> Verdict:
    two, one = found.clocks.ksa_clocks["rc4_design2"], found.clocks.ksa_clocks["rc4_design2_ksa1"]
    table5, table6 = int(found.paper5.loc[("Design 2", 65)].ksa_clocks), found.paper6.ksa_clocks["Design 2"]
    return Verdict(
            "ksa",
            f"It can be: two rounds a clock take {two} clocks, counted. But tables 5 and 6 say {table5} and {table6}, and their KSA area is "
                   f"Design 1's to the gate ({found.paper5.loc[('Design 2', 90)].ksa_ge:.0f}): what was synthesised does one round a clock, which takes {one}.",
            (Check("two rounds a clock take 128 clocks, counted", two == tables.N // 2), Check("tables 5 and 6 say so too", table5 == two and table6 in (two, two + 1))),
        )


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


DESIGNS_12 = ("rc4_design1", "rc4_design2")
Conditions = Callable[[Found], list[tuple[str, bool]]]


def runs(found: Found, *designs: str) -> tuple[Check, ...]:
    """That the circuit runs in these cores: RC4's keystream, at the rate of the paper."""
    return tuple(Check(f"{tables.name(design)}, built with it, gives RC4's keystream at the paper's bytes a clock",
                       found.clocks.words_compared[design] > 0 and found.clocks.words_per_clock[design] == found.paper5.loc[tables.name(design)].bytes_per_clock.iloc[0])
                 for design in designs)


def circuit(*designs: str, ksa: int = 0) -> Conditions:
    """That it runs, and that the schedule takes so many clocks."""
    def conditions(found: Found) -> list[tuple[str, bool]]:
        met = [(check.says, bool(check.met)) for check in runs(found, *designs)]
        return met + [(f"the schedule takes {ksa} clocks", found.clocks.ksa_clocks[design] == ksa) for design in designs if ksa]
    return conditions


CIRCUITS: tuple[tuple[str, tuple[str, ...], str, Conditions], ...] = (
    ("figure-1", DESIGNS_12, "the lowest bits of both counters are fixed", circuit(*DESIGNS_12)),
    ("figure-6", ("rc4_design1",), "its latches are rising-edge flip-flops here", circuit("rc4_design1")),
    ("figure-8", ("rc4_design1",), "6 read and 4 write ports, shared between schedule and keystream", circuit("rc4_design1", ksa=256)),
    ("figure-11", ("rc4_design2",), "6 read and 4 write ports of the S-box, 2 read ports of the K-box", circuit("rc4_design2", ksa=128)),
    ("figure-13", ("rc4_design2",), "double swap and both sums in stage 1, two reads in stage 2", circuit("rc4_design2")),
    ("figure-14", ("rc4_design2",), "two rounds a clock", circuit("rc4_design2", ksa=128)),
)
RULES = (
    ("table-1", "The equations, with S1 between the loops, are", ()),
    ("figure-2", "Both cases of j2 are", DESIGNS_12),
    ("figure-3", "Its transfers, table 2's, are", DESIGNS_12),
    ("figure-4", "Z1 looked back for in S2 is", DESIGNS_12),
    ("figure-5", "The seven conditions give a Z2 that is", DESIGNS_12),
)


@judge(*(claim for claim, _, _ in RULES))
def as_printed(results: Results) -> Iterator[Verdict]:
    """The rules of tables and circuits on random states, and the cores that have them."""
    found = Found(results)
    for claim, said, designs in RULES:
        rules, text = right(found, "table-2" if claim == "figure-3" else claim)
        more = f" {built(found, *designs)}." if designs else ""
        yield Verdict(claim, f"{said} {text}.{more}", (rules, *runs(found, *designs)))


@judge(*(claim for claim, *_ in CIRCUITS))
def circuits(results: Results) -> Iterator[Verdict]:
    """The circuits that have no rule of their own."""
    found = Found(results)
    for claim, designs, note, conditions in CIRCUITS:
        yield Verdict(claim, f"{built(found, *designs)}; {note}.", tuple(Check(says, met) for says, met in conditions(found)))


@judge("figure-7", "figure-9", "figure-10")
def pipelines(results: Results) -> Iterator[Verdict]:
    """Which stage works when."""
    found = Found(results)
    yield pipeline(found, "figure-7", "rc4_design1", ["1", "2", "3"], "the next two bytes enter two clocks later: bytes a clock, counted:")
    yield pipeline(found, "figure-9", "rc4_pipelined_a", ["1", "2"], "the next byte enters a clock later: bytes a clock, counted:")
    yield pipeline(found, "figure-10", "rc4_design2", ["1", "2"], "the next two bytes enter a clock later: bytes a clock, counted:")


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


def answer(claim: str, tell: Callable[[Found], Verdict]) -> Judge:
    """A judge of one claim that asks the results by name."""
    return Judge((claim,), lambda results: [tell(Found(results))])


JUDGES: tuple[Judge, ...] = (
    as_printed, circuits, pipelines, outlook,
    *(answer(claim, tell) for claim, tell in (
        ("table-2", table_2), ("table-3", table_3), ("table-4", table_4), ("table-5", table_5), ("table-6", table_6), ("figure-12", sharing), ("ksa", ksa),
        ("throughput", throughput), ("unrolling", unrolling), ("pipelining", pipelining), ("software", software), ("clock-performance", lose_clock),
        ("critical-path", critical_path))),
    *(Judge((claim,), partial(lambda tell, results: [tell(results, Found(results))], tell)) for claim, tell in (("estream", estream), ("ram", ram))),
)
