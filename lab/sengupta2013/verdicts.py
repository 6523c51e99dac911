"""What we say of each claim, in figures taken from the results."""

from __future__ import annotations

from lab.model import Status, Verdict
from lab.results import Results
from lab.sengupta2013 import tables

HOLDS, PARTLY, FAILS, UNTESTABLE = Status.HOLDS, Status.PARTLY, Status.FAILS, Status.UNTESTABLE


class Found:
    """The results, asked by name."""

    def __init__(self, results: Results):
        self.rules = results["cases"].set_index(["claim", "rule"])
        self.clocks = results["clocks"].set_index("design")
        self.synthesised = tables.synthesised(results)
        self.unrolling = results["unrolling"].set_index("k")
        self.software = results["software"]
        self.waves = results["waveform"]
        self.paper6 = results.paper("table-6").set_index("design")
        self.paper5 = self.synthesised[self.synthesised.source == "paper"].set_index(["design", "technology_nm"])
        ours = self.synthesised[self.synthesised.source == "ours"]
        # The first library that has most of the designs is the one the text speaks of.
        self.process = ours.groupby("process", sort=False).size().idxmax()
        self.ours = ours[ours.process == self.process].set_index("id")

    def has(self, *designs: str) -> bool:
        """Whether all of these are synthesised."""
        return set(designs) <= set(self.ours.index)

    def design2(self) -> str:
        """The copy of Design 2 to compare with: the one that does what table 5 says, if it is synthesised."""
        return "rc4_design2_ksa1" if self.has("rc4_design2_ksa1") else "rc4_design2"

    def missing(self, *designs: str) -> str:
        """Those that are not, for a sentence."""
        names = [tables.name(design) for design in designs if design not in self.ours.index]
        return f" Not synthesised yet: {', '.join(names)}." if names else ""

    def rule(self, claim: str) -> tuple[int, int]:
        """How often a claim's rules were met, and wrong."""
        each = self.rules.loc[claim]
        return int(each.met.sum()), int(each.wrong.sum())


def right(found: Found, claim: str) -> tuple[Status, str]:
    """A claim's rules on random states."""
    met, wrong = found.rule(claim)
    return (FAILS if wrong else HOLDS), f"wrong in {wrong:,} of {met:,} random states of a table of 16 cells"


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
    status, said = right(found, "table-2")
    impossible = met["case 8"]
    return Verdict("table-2", status if impossible == 0 else FAILS,
                   f"Taken as printed, the transfers are {said}; the rarest possible case was met {cases.met.drop('case 8').min():,} "
                   f"times, the impossible one {impossible} times.")


def table_3(found: Found) -> Verdict:
    met, wrong = found.rule("table-3")
    return Verdict("table-3", PARTLY if wrong else HOLDS,
                   f"Taken as printed, without forwarding, {100 * wrong / met:.0f} % of {met:,} bytes are not RC4's: S[i] of the next round is read "
                   "before the swaps of the rounds ahead are written. [17] has bypasses that the table does not show. Its rate, a "
                   f"byte a clock, is real: our cores that read through all bypasses give {found.clocks.words_per_clock['rc4_pipe_1']:.0f}.")


def table_4(found: Found) -> Verdict:
    rules = found.rules.loc["table-4"]
    first, second = (rules.loc[rule] for rule in ("j2 = j1 + S1[i2] + K[i2]", "j2 = j0 + S0[i1] + S1[i2] + K[i2]"))
    return Verdict("table-4", PARTLY if second.wrong and not first.wrong else HOLDS if not second.wrong else FAILS,
                   f"The first form of j2 is wrong in {first.wrong:,} of {first.met:,} random states. The second, as printed, lacks K[i1] and is wrong "
                   f"in {100 * second.wrong / second.met:.0f} %; with it the two are the same, and so it is built.")


def table_5(found: Found) -> Verdict:
    pairs = [("Design 2", found.design2(), 130), ("Pipelined-C", "rc4_pipelined_c", 90), ("Design 1", "rc4_design1", 90)]
    parts, near = [], []
    for design, ours, nm in pairs:
        if found.has(ours):
            mine, theirs = found.ours.loc[ours], found.paper5.loc[(design, nm)]
            parts.append(f"{design}: {mine.area_ge / 1000:.1f} kGE at {mine.period_fo4:.0f} FO4 (paper, {nm} nm: {theirs.area_ge / 1000:.1f} at {theirs.period_fo4:.0f})")
            near.append(mine.period_fo4 < 1.1 * theirs.period_fo4)
    if not parts:
        best = found.ours.sort_values("fo4_per_byte").iloc[0]
        return Verdict("table-5", UNTESTABLE, f"The paper's designs are not in the recorded synthesis of {found.process}; of our own, "
                       f"{best.design} takes {best.area_ge / 1000:.1f} kGE at {best.period_fo4:.1f} FO4.")
    return Verdict("table-5", HOLDS if all(near) else PARTLY,
                   f"On {found.process}, before placement: {'; '.join(parts)}. The areas are of the same size; the paper's clocks, from a commercial tool with "
                   "strict constraints on libraries of unknown speed (FO4 taken as 0.36 ps per nm), are not reached by open tools with the same circuits."
                   + found.missing(*(ours for _, ours, _ in pairs)))


def over(rate: float) -> str:
    """The clocks of N bytes: N, N/2."""
    return "N" if rate == 1 else f"N/{rate:.0f}"


def table_6(found: Found) -> Verdict:
    parts, fits = [], []
    for design, ours in (("Design 1", "rc4_design1"), ("Design 2", "rc4_design2_ksa1")):
        theirs, mine = found.paper6.loc[design], found.clocks.loc[ours]
        same_rate = abs(mine.words_per_clock * theirs.prga_clocks_per_byte - 1) < 1e-9
        fits.append(same_rate and 0 <= theirs.ksa_clocks - mine.ksa_clocks <= 1 and 0 <= theirs.prga_lag_clocks - mine.prga_lag_clocks <= 1)
        parts.append(f"{design}: KSA {mine.ksa_clocks:.0f} (paper {theirs.ksa_clocks:.0f}), N bytes in {over(mine.words_per_clock)} + {mine.prga_lag_clocks:.0f} "
                     f"(paper {over(1 / theirs.prga_clocks_per_byte)} + {theirs.prga_lag_clocks:.0f})")
    return Verdict("table-6", HOLDS if all(fits) else FAILS,
                   f"Counted in simulation, {'; '.join(parts)}. The paper counts one clock pulse more in each, the one that starts the schedule and "
                   "the one that starts the keystream; the rebuilt cores need neither. The cores of others are quoted, not rebuilt.")


def pipeline(found: Found, claim: str, design: str, stages: list[str], said: str) -> Verdict:
    """The stages of a figure begin one clock after the other, and the output follows."""
    starts = [begins(found, design, f"stage {stage}") for stage in stages] + [begins(found, design, "z_valid_o")]
    steps = {after - before for before, after in zip(starts, starts[1:], strict=False)}
    return Verdict(claim, HOLDS if steps == {1} else FAILS,
                   f"In the simulation the first bytes are in stages {', '.join(stages)} in clocks {', '.join(str(c - starts[0] + 1) for c in starts[:-1])} and at the output in the "
                   f"next one; {said} {found.clocks.words_per_clock[design]:.0f}.")


def sharing(found: Found) -> Verdict:
    theirs = 1 - found.paper5.loc[("Pipelined-B", 90)].s_box_ge / found.paper5.loc[("Pipelined-A", 90)].s_box_ge
    text = f"In the paper the shared ports save {100 * theirs:.0f} % of the S-box. "
    if not found.has("rc4_pipelined_a", "rc4_pipelined_b"):
        return Verdict("figure-12", PARTLY, text + built(found, "rc4_pipelined_b", "rc4_design2") + "; the saving is not measured."
                       + found.missing("rc4_pipelined_a", "rc4_pipelined_b"))
    mine = 1 - found.ours.s_box_ge["rc4_pipelined_b"] / found.ours.s_box_ge["rc4_pipelined_a"]
    clock = found.ours.period_fo4["rc4_pipelined_b"] / found.ours.period_fo4["rc4_pipelined_a"]
    return Verdict("figure-12", HOLDS if mine > 0 else FAILS,
                   text + f"On {found.process} it is {100 * mine:.0f} %, and the clock becomes {clock:.2f} times as long.")


def ksa(found: Found) -> Verdict:
    two, one = found.clocks.ksa_clocks["rc4_design2"], found.clocks.ksa_clocks["rc4_design2_ksa1"]
    table5, table6 = int(found.paper5.loc[("Design 2", 65)].ksa_clocks), found.paper6.ksa_clocks["Design 2"]
    return Verdict("ksa", PARTLY if table5 != two else HOLDS,
                   f"It can be: two rounds a clock take {two} clocks, counted. But tables 5 and 6 say {table5} and {table6}, and their KSA area is "
                   f"Design 1's to the gate ({found.paper5.loc[('Design 2', 90)].ksa_ge:.0f}): what was synthesised does one round a clock, which takes {one}.")


def throughput(found: Found) -> Verdict:
    rate = found.clocks.words_per_clock["rc4_design2"]
    paper = {nm: found.paper5.loc[("Design 2", nm)].fo4_per_byte for nm in (130, 90, 65)}
    best = found.ours.sort_values("fo4_per_byte").iloc[0]
    fastest = found.ours.gbit_per_s.idxmax()
    text = (f"Two bytes a clock are real ({rate:.0f} counted). The paper's Design 2 takes {paper[130]:.1f}, {paper[90]:.1f} and {paper[65]:.1f} FO4 per byte at 130, 90 and "
            f"65 nm if an FO4 is 0.36 ps per nm. {best.design} takes {best.fo4_per_byte:.1f} on {found.process}, {found.ours.gbit_per_s[fastest]:.2f} Gb/s at {best.area_ge / 1000:.1f} kGE, "
            f"with open tools, where the paper has {found.paper5.loc[('Design 2', 130)].gbit_per_s:.2f} Gb/s at 130 nm")
    copy = found.design2()
    if found.has(copy):
        text += (f"; against the copy of Design 2 in the same flow ({found.ours.gbit_per_s[copy]:.2f} Gb/s, {found.ours.area_ge[copy] / 1000:.1f} kGE) that is "
                 f"{best.gbit_per_s / found.ours.gbit_per_s[copy]:.1f} times the throughput on {best.area_ge / found.ours.area_ge[copy]:.2f} of its area")
    surpassed = best.fo4_per_byte < min(paper.values())
    text += ". In gate delays that is faster than any of the paper's." if surpassed else "."
    return Verdict("throughput", PARTLY if surpassed else HOLDS, text)


def unrolling(found: Found) -> Verdict:
    table = found.unrolling
    last = table.index.max()
    proven = [k for k, proof in table.proven.items() if str(proof) == "True"]
    refuted = [k for k, proof in table.proven.items() if str(proof) == "False"]
    three = table.loc[3]
    text = (f"Three rounds need {2**int(three.paper_pairs)} cases only if one asks for every outcome of the {three.paper_pairs:.0f} comparisons together. If each round takes what it "
            f"needs from the latest round that wrote it, {three.comparisons:.0f} comparisons of words are enough, keystream included (5K(K-1)/2), and {last} rounds take "
            f"{table.comparisons[last]:.0f}. Gates grow {table.gates[last] / table.gates[1]:.1f} times from 1 round to {last}, not exponentially. A solver proves K = "
            f"{', '.join(str(k) for k in proven)} equal to serial rounds from every state of 8 cells")
    rates = found.clocks.words_per_clock["rc4_unroll_4"]
    text += f", and the core with K = 4 gives {rates:.0f} bytes a clock."
    two, four = "rc4_unroll_2", "rc4_unroll_4"
    if found.has(two, four):
        gain = found.ours.gbit_per_s[four] / found.ours.gbit_per_s[two]
        text += (f" True is that it pays little: the clock grows with K, and on {found.process} K = 4 has {gain:.2f} times the throughput of K = 2 "
                 f"on {found.ours.area_ge[four] / found.ours.area_ge[two]:.2f} times its area. What pays is not to wait for the rounds: the speculative core.")
    return Verdict("unrolling", PARTLY if refuted else FAILS, text)


def pipelining(found: Found) -> Verdict:
    stages = found.waves[(found.waves.design == "rc4_pipe_1") & found.waves.signal.str.startswith("stage")].signal.nunique()
    pipe = found.ours.loc["rc4_pipe_1"]
    text = (f"A table that turns by K cells a clock has S[i] at fixed cells, so that S[j] and S[t] are read in two stages each, with every access forwarded and none "
            f"predicted: {stages} stages give {found.clocks.words_per_clock['rc4_pipe_1']:.0f} byte a clock for every key, at {pipe.period_fo4:.1f} FO4 and {pipe.area_ge / 1000:.1f} kGE on {found.process}")
    copy = "rc4_pipelined_c"
    if found.has(copy):
        gain = found.ours.period_fo4[copy] / pipe.period_fo4
        text += (f"; Pipelined-C in the same flow takes {found.ours.period_fo4[copy]:.1f} FO4 and {found.ours.area_ge[copy] / 1000:.1f} kGE, so that the deeper pipeline is {gain:.1f} times as fast")
        status = FAILS if gain > 1.1 else HOLDS
    else:
        paper = found.paper5.loc[("Pipelined-C", 90)].period_fo4
        text += f"; the paper's Pipelined-C stands at {paper:.1f} FO4 at 90 nm, by a commercial tool." + found.missing(copy).rstrip(".")
        status = PARTLY
    return Verdict("pipelining", status, text + ".")


def software(found: Found) -> Verdict:
    table = found.software
    kernels = table[~table.what.str.contains("seal")]
    one = kernels[(kernels.streams == 1) & (kernels.cores == 1)].sort_values("cycles_per_byte").iloc[0]
    text = (f"One stream takes {one.cycles_per_byte:.2f} cycles per byte on one core here ({one.gbit_per_s:.1f} Gb/s at {one.ghz:.1f} GHz): three are no rumour.")
    best = kernels.loc[kernels.groupby("cores").gbit_per_s.idxmax()].set_index("cores")
    asic = found.paper5.gbit_per_s.max()
    parts = [f"{row.gbit_per_s:.1f} Gb/s on {count} core{'s' * (count > 1)}" for count, row in best.iterrows()]
    text += (f" With {best.streams.iloc[0]:.0f} streams at once it is {' and '.join(parts)}, against the {asic:.2f} of Design 2 at 65 nm, which is of one stream "
             f"({best.cycles_per_byte.iloc[0]:.2f} cycles per byte); `arcfour seal`, authentication and files included, {table[table.what.str.contains('seal')].gbit_per_s.max():.1f} Gb/s.")
    return Verdict("software", FAILS if one.cycles_per_byte < 7 else HOLDS, text)


DESIGNS_12 = ("rc4_design1", "rc4_design2")
CIRCUITS = (
    ("figure-1", DESIGNS_12, "the lowest bits of both counters are fixed"),
    ("figure-6", ("rc4_design1",), "its latches are rising-edge flip-flops here"),
    ("figure-8", ("rc4_design1",), "6 read and 4 write ports, shared between schedule and keystream"),
    ("figure-11", ("rc4_design2",), "6 read and 4 write ports of the S-box, 2 read ports of the K-box"),
    ("figure-13", ("rc4_design2",), "double swap and both sums in stage 1, two reads in stage 2"),
    ("figure-14", ("rc4_design2",), "two rounds a clock"),
)
RULES = (
    ("table-1", "The equations, with S1 between the loops, are", ()),
    ("figure-2", "Both cases of j2 are", DESIGNS_12),
    ("figure-3", "Its transfers, table 2's, are", DESIGNS_12),
    ("figure-4", "Z1 looked back for in S2 is", DESIGNS_12),
    ("figure-5", "The seven conditions give a Z2 that is", DESIGNS_12),
)


def verdicts(results: Results) -> list[Verdict]:
    """One for each claim."""
    found = Found(results)
    answered = []
    for claim, said, designs in RULES:
        status, text = right(found, "table-2" if claim == "figure-3" else claim)
        more = f" {built(found, *designs)}." if designs else ""
        answered.append(Verdict(claim, status, f"{said} {text}.{more}"))
    answered += [Verdict(claim, HOLDS, f"{built(found, *designs)}; {note}.") for claim, designs, note in CIRCUITS]
    answered += [
        pipeline(found, "figure-7", "rc4_design1", ["1", "2", "3"], "the next two bytes enter two clocks later: bytes a clock, counted:"),
        pipeline(found, "figure-9", "rc4_pipelined_a", ["1", "2"], "the next byte enters a clock later: bytes a clock, counted:"),
        pipeline(found, "figure-10", "rc4_design2", ["1", "2"], "the next two bytes enter a clock later: bytes a clock, counted:"),
    ]
    answered += [judge(found) for judge in
                 (table_2, table_3, table_4, table_5, table_6, sharing, ksa, throughput, unrolling, pipelining, software)]
    order = list(results.study.claims)
    return sorted(answered, key=lambda verdict: order.index(verdict.claim))
