"""The tables, rules and circuits that the paper prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from lab.judge import TIE, Check, Verdict, alike, judge, near, same_order
from lab.results import Results
from lab.sengupta2013 import tables
from lab.sengupta2013.verdicts.found import SHARED, Found, as_serial, begins, built, fastest, right


@judge("table-2", given=Found)
def table_2(found: Found) -> Verdict:
    cases = found.rules.loc["table-2"]
    met = cases.met.to_dict()
    impossible = met["case 8"]
    return Verdict("table-2",
        right(found, "table-2") | {"rarest": cases.met.drop("case 8").min(), "never": not impossible, "impossible": impossible},
        (as_serial(found, "table-2"), Check("impossible", impossible == 0)))


@judge("table-3", given=Found)
def table_3(found: Found) -> Verdict:
    met, wrong = found.rule("table-3")
    return Verdict("table-3",
        {"wrong": 100 * wrong / met, "bytes": met, "rate": found.clocks.words_per_clock["rc4_pipe_1"]},
        (Check("printed", wrong == 0),
         Check("bypasses", found.clocks.words_per_clock["rc4_pipe_1"] == 1)))


@judge("table-4", given=Found)
def table_4(found: Found) -> Verdict:
    rules = found.rules.loc["table-4"]
    first, second = (rules.loc[rule] for rule in ("j2 = j1 + S1[i2] + K[i2]", "j2 = j0 + S0[i1] + S1[i2] + K[i2]"))
    return Verdict("table-4",
        {"right": not first.wrong, "wrong": first.wrong, "states": first.met, "second": 100 * second.wrong / second.met},
        (Check("first", first.wrong == 0), Check("second", second.wrong == 0)))


@judge("table-5", given=Found)
def table_5(found: Found) -> Verdict:
    pairs = [("Design 1", "rc4_design1"), ("Pipelined-A", "rc4_pipelined_a"), ("Pipelined-B", "rc4_pipelined_b"), ("Pipelined-C", "rc4_pipelined_c"), ("Design 2", fastest(found.ours, SHARED))]
    clocks, checks, areas = [], [], []
    for design, ours in pairs:
        theirs = found.paper5.loc[(design, 90)]
        have = found.has(ours)
        if have:
            areas.append((found.cell(ours, "area_ge"), theirs.area_ge))
            clocks.append((found.cell(ours, "period_fo4"), theirs.period_fo4))
        checks += [Check("area", alike(*areas[-1]) if have else None, {"design": design}), Check("clock", alike(*clocks[-1]) if have else None, {"design": design})]
    checks += [Check("order", same_order(*zip(*areas, strict=True))), Check("small", None)]
    return Verdict("table-5",
        {"process": found.process, "areas": some([mine / theirs for mine, theirs in areas]), "clocks": some([mine for mine, _ in clocks], 0),
         "paper_clocks": some([theirs for _, theirs in clocks], 0), "fo4": tables.FO4_PS_PER_NM, "own_fo4": found.fo4,
         "whole": found.has(*(ours for _, ours in pairs)), "missing": found.missing(*(ours for _, ours in pairs))},
        tuple(checks))


def some(values: list[float], decimals: int = 2) -> str:
    """The least and the greatest."""
    return f"{min(values, default=0):.{decimals}f} to {max(values, default=0):.{decimals}f}"


def over(rate: float) -> str:
    """The clocks of N bytes: N, N/2."""
    return "N" if rate == 1 else f"N/{rate:.0f}"


@judge("table-6", given=Found)
def table_6(found: Found) -> Verdict:
    parts, fits = [], []
    for design, ours in (("[17]", "rc4_matthews"), ("Design 1", "rc4_design1"), ("Design 2", "rc4_design2_ksa1")):
        theirs, mine = found.paper6.loc[design], found.clocks.loc[ours]
        same_rate = abs(mine.words_per_clock * theirs.prga_clocks_per_byte - 1) < 1e-9
        fits.append(Check("clocks", same_rate and 0 <= theirs.ksa_clocks - mine.ksa_clocks <= 1 and 0 <= theirs.prga_lag_clocks - mine.prga_lag_clocks <= 1, {"design": design}))
        parts.append(f"{design}: KSA {mine.ksa_clocks:.0f} (paper {theirs.ksa_clocks:.0f}), N bytes in {over(mine.words_per_clock)} + {mine.prga_lag_clocks:.0f} "
                     f"(paper {over(1 / theirs.prga_clocks_per_byte)} + {theirs.prga_lag_clocks:.0f})")
    return Verdict("table-6",
        {"counted": "; ".join(parts), **{name: clocks.ksa_clocks + clocks.prga_lag_clocks for name, clocks in
                                         (("rival", found.clocks.loc["rc4_matthews"]), ("rival_paper", found.paper6.loc["[17]"]))}},
        (*fits, Check("others", None)))


def pipeline(found: Found, claim: str, design: str, stages: list[str]) -> Verdict:
    """The stages of a figure begin one clock after the other, and the output follows."""
    starts = [begins(found, design, f"stage {stage}") for stage in stages] + [begins(found, design, "z_valid_o")]
    steps = {after - before for before, after in pairwise(starts)}
    return Verdict(claim,
        {"stages": ", ".join(stages), "clocks": ", ".join(str(clock - starts[0] + 1) for clock in starts[:-1]), "rate": found.clocks.words_per_clock[design]},
        (Check("stages", steps == {1}),
         Check("rate", found.clocks.words_per_clock[design] == found.paper5.loc[tables.name(design)].bytes_per_clock.iloc[0])))


@judge("figure-12", given=Found)
def sharing(found: Found) -> Verdict:
    theirs = 1 - found.paper5.loc[("Pipelined-B", 90)].s_box_ge / found.paper5.loc[("Pipelined-A", 90)].s_box_ge
    mine = 1 - found.ours.s_box_ge["rc4_pipelined_b"] / found.ours.s_box_ge["rc4_pipelined_a"]
    clock = found.ours.period_fo4["rc4_pipelined_b"] / found.ours.period_fo4["rc4_pipelined_a"]
    return Verdict("figure-12",
        {"paper": 100 * theirs, "process": found.process, "ours": 100 * mine, "clock": clock},
        (Check("saves", mine > TIE),
         Check("much", near(100 * mine, 100 * theirs))))


@judge("ksa", given=Found)
def ksa(found: Found) -> Verdict:
    two, one = found.clocks.ksa_clocks["rc4_design2"], found.clocks.ksa_clocks["rc4_design2_ksa1"]
    table5, table6 = int(found.paper5.loc[("Design 2", 65)].ksa_clocks), found.paper6.ksa_clocks["Design 2"]
    return Verdict("ksa",
        {"two": two, "table_5": table5, "table_6": table6, "area": found.paper5.loc[("Design 2", 90)].ksa_ge, "one": one},
        (Check("two", two == tables.N // 2), Check("tables", table5 == two and table6 in (two, two + 1))))


DESIGNS_12 = ("rc4_design1", "rc4_design2")
Conditions = Callable[[Found], tuple[Check, ...]]


def runs(found: Found, *designs: str) -> tuple[Check, ...]:
    """That the circuit runs in these cores: RC4's keystream, at the rate of the paper."""
    return tuple(Check("runs", found.clocks.words_compared[design] > 0 and found.clocks.words_per_clock[design] == found.paper5.loc[tables.name(design)].bytes_per_clock.iloc[0],
                       {"design": tables.name(design)}) for design in designs)


def circuit(*designs: str, ksa: int = 0) -> Conditions:
    """The designs run, and their schedule takes `ksa` clocks."""
    def conditions(found: Found) -> tuple[Check, ...]:
        return (*runs(found, *designs), *(Check("schedule", found.clocks.ksa_clocks[design] == ksa, {"clocks": ksa}) for design in designs if ksa))
    return conditions


CIRCUITS: tuple[tuple[str, tuple[str, ...], Conditions], ...] = (
    ("figure-1", DESIGNS_12, circuit(*DESIGNS_12)),
    ("figure-6", ("rc4_design1",), circuit("rc4_design1")),
    ("figure-8", ("rc4_design1",), circuit("rc4_design1", ksa=256)),
    ("figure-11", ("rc4_design2",), circuit("rc4_design2", ksa=128)),
    ("figure-13", ("rc4_design2",), circuit("rc4_design2")),
    ("figure-14", ("rc4_design2",), circuit("rc4_design2", ksa=128)),
)
# The claims that have rules, where the rules stand, and the cores that are built by them.
RULES = (("table-1", "table-1", ()), *((f"figure-{number}", "table-2" if number == 3 else f"figure-{number}", DESIGNS_12) for number in (2, 3, 4, 5)))


@judge(*(claim for claim, _, _ in RULES), given=Found)
def as_printed(found: Found) -> Iterator[Verdict]:
    """The rules of tables and circuits on random states, and the cores that have them."""
    for claim, rules, designs in RULES:
        yield Verdict(claim, right(found, rules) | (built(found, *designs) if designs else {}), (as_serial(found, rules), *runs(found, *designs)))


@judge(*(claim for claim, *_ in CIRCUITS), given=Found)
def circuits(found: Found) -> Iterator[Verdict]:
    """The circuits that have no rule of their own."""
    for claim, designs, conditions in CIRCUITS:
        yield Verdict(claim, built(found, *designs), conditions(found))


@judge("figure-7", "figure-9", "figure-10", given=Found)
def pipelines(found: Found) -> Iterator[Verdict]:
    """Which stage works when."""
    yield pipeline(found, "figure-7", "rc4_design1", ["1", "2", "3"])
    yield pipeline(found, "figure-9", "rc4_pipelined_a", ["1", "2"])
    yield pipeline(found, "figure-10", "rc4_design2", ["1", "2"])


@judge("own-clocks")
def own_clocks(results: Results) -> Verdict:
    """The text's statements about Design 2 and [17], beside Table 6."""
    text, table = (results.paper(claim).set_index("design") for claim in ("own-clocks", "table-6"))
    quantities = (("KSA", "ksa_clocks"), ("lag of the PRGA", "prga_lag_clocks"))
    return Verdict("own-clocks",
        {"clocks": "; ".join(f"{design} a KSA of {text.ksa_clocks[design]:.0f} and a lag of {text.prga_lag_clocks[design]:.0f} (Table 6: {table.ksa_clocks[design]:.0f} and "
                             f"{table.prga_lag_clocks[design]:.0f})" for design in text.index)},
        tuple(Check("same", table[quantity][design] == text[quantity][design], {"design": design, "part": name})
              for design in text.index for name, quantity in quantities))
