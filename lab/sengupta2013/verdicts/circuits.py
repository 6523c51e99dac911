"""The tables, rules and circuits that the paper prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from lab.judge import POINTS, RATIO, TIE, Check, Judge, Verdict, alike, judge, near, same_order
from lab.results import Results
from lab.sengupta2013 import tables
from lab.sengupta2013.verdicts.found import SHARED, Found, answer, begins, built, fastest, right


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


JUDGES: tuple[Judge, ...] = (
    as_printed, circuits, pipelines,
    *(answer(claim, tell) for claim, tell in (
        ("table-2", table_2), ("table-3", table_3), ("table-4", table_4), ("table-5", table_5), ("table-6", table_6), ("figure-12", sharing), ("ksa", ksa))),
)
