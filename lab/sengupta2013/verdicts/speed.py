"""The paper's conclusions about speed, area and the future."""

from __future__ import annotations

from typing import Any

from lab.intervals import decided, extremes
from lab.judge import FLAT, POINTS, TIE, Check, Verdict, alike, faster, judge
from lab.sengupta2013 import tables
from lab.shapes import counted
from lab.sengupta2013.verdicts.found import DESIGN_2, Found, fastest
from lab.wording import ends, series


def placed_throughput(found: Found) -> dict[str, Any]:
    """The fastest core that is placed, with wires, beside the fastest copy of Design 2."""
    placed = found.placed[found.placed.process == found.process].set_index("design")
    best, against = placed.gbit_per_s.idxmax(), fastest(placed, DESIGN_2)
    rate, area = (placed[column][best] / placed[column][against] for column in ("gbit_per_s", "area_ge"))
    return {"placed": tables.name(best), "placed_times": rate, "placed_copy": tables.name(against), "placed_area": area,
            "placed_rate": placed.gbit_per_s[best], "placed_copy_rate": placed.gbit_per_s[against]}


@judge("throughput", given=Found)
def throughput(found: Found) -> Verdict:
    rate = found.clocks.words_per_clock["rc4_design2"]
    paper = {nm: found.paper5.loc[("Design 2", nm)].fo4_per_byte for nm in (130, 90, 65)}
    best = found.ours.sort_values("gbit_per_s").iloc[-1]
    against = fastest(found.ours, DESIGN_2)
    copy = found.ours.loc[against]
    per_nm = found.ours.fo4_ps.iloc[0] / tables.NANOMETRES[found.process]
    before = found.ours.loc["rc4_matthews"]
    ahead = faster(1 / copy.gbit_per_s, 1 / before.gbit_per_s)
    return Verdict("throughput",
        {"process": found.process, "ahead": bool(ahead), "copy": tables.name(against), "prior": copy.gbit_per_s / before.gbit_per_s, "copy_rate": copy.gbit_per_s,
         "prior_rate": before.gbit_per_s, "prior_area": copy.area_ge / before.area_ge, "best": best.design, "times": best.gbit_per_s / copy.gbit_per_s,
         "area": best.area_ge / copy.area_ge, "best_rate": best.gbit_per_s, "best_kge": best.area_ge / 1000, "copy_kge": copy.area_ge / 1000, "counted": rate,
         "fo4": tables.FO4_PS_PER_NM, "own_fo4": found.fo4, "per_nm": per_nm, "own_130": paper[130] * tables.FO4_PS_PER_NM / per_nm,
         "own_least": min(paper[90], paper[65]) * tables.FO4_PS_PER_NM / per_nm, "best_fo4": best.fo4_per_byte}
        | {f"fo4_{nm}": value for nm, value in paper.items()} | placed_throughput(found),
        (Check("two", rate == 2),
         Check("prior", ahead, {"process": found.process})))


@judge("unrolling", given=Found)
def unrolling(found: Found) -> Verdict:
    table = found.unrolling
    last = table.index.max()
    proven = [k for k, proof in table.proven.items() if str(proof) == "True"]
    three = table.loc[3]
    third_step, last_step = table.gates[3] / table.gates[2], table.gates[last] / table.gates[last - 1]
    return Verdict("unrolling",
        {"cases": 2**int(three.paper_pairs), "pairs": three.paper_pairs, "three": three.comparisons, "last": last, "most": table.comparisons[last],
         "gates": table.gates[last] / table.gates[1], "proven": ", ".join(str(k) for k in proven), "rate": found.clocks.words_per_clock["rc4_unroll_4"],
         "process": found.process, "gain": found.cell("rc4_unroll_4", "gbit_per_s") / found.cell("rc4_unroll_2", "gbit_per_s"),
         "area": found.cell("rc4_unroll_4", "area_ge") / found.cell("rc4_unroll_2", "area_ge")},
        (Check("cases", 3 not in proven, {"cases": 2**int(three.paper_pairs), "ours": three.comparisons, "paper": three.paper_pairs}),
         Check("gates", last_step >= third_step, {"last": last_step, "third": third_step})))


@judge("pipelining", given=Found)
def pipelining(found: Found) -> Verdict:
    stages = found.waves[(found.waves.design == "rc4_pipe_1") & found.waves.signal.str.startswith("stage")].signal.nunique()
    pipe = found.ours.loc["rc4_pipe_1"]
    copy = "rc4_pipelined_c"
    gain = found.ours.period_fo4[copy] / pipe.period_fo4
    return Verdict("pipelining",
        {"stages": stages, "rate": found.clocks.words_per_clock["rc4_pipe_1"], "fo4": pipe.period_fo4, "kge": pipe.area_ge / 1000, "process": found.process,
         "copy_fo4": found.ours.period_fo4[copy], "copy_kge": found.ours.area_ge[copy] / 1000, "gain": gain, "four_fo4": found.cell("rc4_matthews", "period_fo4"),
         "four_kge": found.cell("rc4_matthews", "area_ge") / 1000, "four_times": found.cell("rc4_matthews", "period_fo4") / pipe.period_fo4},
        (Check("clock", gain <= 1 + FLAT),
         Check("rate", found.clocks.words_per_clock["rc4_pipe_1"] < 1)))


@judge("software", given=Found)
def software(found: Found) -> Verdict:
    table = found.software
    kernels = table[~table.what.str.contains("seal")]
    one = kernels[(kernels.streams == 1) & (kernels.cores == 1)].sort_values("cycles_per_byte").iloc[0]
    # No runs of a kernel are recorded. Its times with the other core idle and with it busy stand for them.
    sure = extremes(one.cycles_per_byte, *kernels[(kernels.what == one.what) & (kernels.streams == 1)].cycles_per_byte.agg(["min", "max"]))
    best = kernels.loc[kernels.groupby("cores").gbit_per_s.idxmax()].set_index("cores")
    return Verdict("software",
        {"one": one.cycles_per_byte, "one_rate": one.gbit_per_s, "ghz": one.ghz, "rumour": one.cycles_per_byte < 3, "streams": best.streams.iloc[0],
         "rates": " and ".join(f"{row.gbit_per_s:.1f} Gb/s on {counted(count, 'core')}" for count, row in best.iterrows()), "asic": found.paper5.gbit_per_s.max(),
         "cycles": best.cycles_per_byte.iloc[0], "seal": table[table.what.str.contains("seal")].gbit_per_s.max()},
        (decided("seven", sure, lambda cycles: cycles >= 7),
         decided("three", sure, lambda cycles: cycles > 3)))


@judge("clock-performance", given=Found)
def lose_clock(found: Found) -> Verdict:
    """Two bytes a clock against one, by the clock."""
    paper = {nm: found.paper5.loc[("Pipelined-C", nm)].period_ps / found.paper5.loc[("Design 2", nm)].period_ps for nm in (90, 65)}
    ours: dict[str, float] = {}
    for process, rows in found.synthesised[found.synthesised.source == "ours"].groupby("process", sort=False):
        periods = rows.set_index("id").period_ps
        ours |= {f"{tables.name(copy)} on {process}": periods["rc4_pipelined_c"] / periods[copy]
                 for copy in ("rc4_design2", "rc4_design2_ksa1") if {copy, "rc4_pipelined_c"} <= set(periods.index)}
    return Verdict("clock-performance",
        {"paper": series(paper, "{value:.2f} of Pipelined-C's at {name} nm", " and "),
         "ours": series(ours, "{value:.2f} ({name})")},
        (*(Check("paper", ratio >= 1 - POINTS / 100, {"nm": nm}) for nm, ratio in paper.items()),
         *(Check("ours", ratio >= 1 - POINTS / 100, {"name": name}) for name, ratio in ours.items())))


@judge("critical-path", given=Found)
def critical_path(found: Found) -> Verdict:
    """Where the longest path of Design 2 begins and ends."""
    rows = found.synthesised[(found.synthesised.id == "rc4_design2") & (found.synthesised.source == "ours")]
    return Verdict("critical-path",
        {"paths": "; ".join(f"from {row.critical_from} to {row.critical_to} on {row.process}" for row in rows.itertuples())},
        (*(Check("first", "ksa" in row.critical_from, {"process": row.process}) for row in rows.itertuples()),
         Check("through", rows.critical_to.str.contains("s_box").all()),
         Check("begins", rows.critical_from.str.contains("prga").all())))


@judge("times-faster", given=Found)
def times_faster(found: Found) -> Verdict:
    """Six times, and twice, in bytes a clock."""
    copy = fastest(found.ours, DESIGN_2)
    bytes_a_clock = found.clocks.words_per_clock["rc4_design2"] / found.clocks.words_per_clock["rc4_matthews"]
    printed = found.paper6.prga_clocks_per_byte["[10] and [16]"] / found.paper6.prga_clocks_per_byte["Design 2"]
    return Verdict("times-faster",
        {"counted": bytes_a_clock, "printed": printed, "process": found.process, "copy": tables.name(copy), "rate": found.ours.gbit_per_s[copy] / found.ours.gbit_per_s["rc4_matthews"]},
        (Check("six", alike(printed, 6)),
         Check("twice", alike(bytes_a_clock, 2))))


@judge("port-sharing", given=Found)
def port_sharing(found: Found) -> Verdict:
    """The clocks with and without shared ports."""
    printed = found.paper5.period_ps["Pipelined-B", 90] / found.paper5.period_ps["Pipelined-A", 90]
    ours = found.synthesised[found.synthesised.source == "ours"].set_index(["process", "id"])
    slower, gained, paths, checks = {}, {}, {}, []
    for process in ours.index.unique("process"):
        rows = ours.loc[process]
        if not {"rc4_pipelined_a", "rc4_pipelined_b", "rc4_design2", "rc4_design2_unshared"} <= set(rows.index):
            continue
        slower[process] = rows.period_ps["rc4_pipelined_b"] / rows.period_ps["rc4_pipelined_a"]
        gained[process] = rows.period_ps["rc4_design2_unshared"] / rows.period_ps["rc4_design2"]
        paths[process] = rows.critical_from["rc4_design2_unshared"]
        checks += [Check("slower", alike(slower[process], printed), {"process": process, "printed": printed}),
                   Check("faster", faster(gained[process], 1), {"process": process}),
                   Check("path", "ksa" in paths[process], {"process": process})]
    return Verdict("port-sharing",
        {"printed": printed, "slower": series(slower, "{value:.2f} on {name}"), "gained": series(gained, "{value:.2f} of the period with shared ports on {name}"),
         "paths": series(paths, "at {value} on {name}")},
        tuple(checks))


@judge("estream", given=Found)
def estream(found: Found) -> Verdict:
    """RC4 beside the hardware ciphers of eSTREAM."""
    theirs = found.results.paper("estream").query("technology_nm == 130").set_index("cipher")
    paper = found.paper5.loc[("Design 2", 130)]
    small = found.ours.area_ge.min() / 1000
    slower = [name for name in theirs.index if theirs.gbit_per_s[name] < paper.gbit_per_s]
    return Verdict("estream",
        {"rate": paper.gbit_per_s, "rates": series(theirs.gbit_per_s, "{name} {value:.2f}"), "kge": paper.area_ge / 1000,
         "areas": series(theirs.kge, "{value:.1f}"), "small": small, "process": found.process},
        (Check("faster", bool(slower)),
         Check("area", paper.area_ge / 1000 > theirs.kge.max()),
         Check("ours", small > theirs.kge.max())))


@judge("ram", given=Found)
def ram(found: Found) -> Verdict:
    """Memory blocks instead of registers."""
    printed = found.results.paper("ram").kge.iloc[0]
    sequential = found.paper5.xs(65, level="technology_nm").sequential_ge
    routed = found.results["fpga"].query("device == 'ecp5-85f' and rows == 'recorded'").set_index("design")
    lut, registers = routed.lut, routed.lut[routed.bram == 0].min()
    return Verdict("ram",
        {"ram": printed, **ends("", sequential / 1000), "lut": lut["rc4_bram"], "registers": registers},
        (Check("paper", printed * 1000 < sequential.min()),
         Check("ours", lut["rc4_bram"] < registers)))


@judge("platform-outlook", given=Found)
def platform(found: Found) -> Verdict:
    """Three other ciphers beside RC4, with nothing shared."""
    others = found.results.paper("estream").query("technology_nm == 130")
    added, small, paper = others.kge.sum(), found.ours.area_ge.min() / 1000, found.paper5.loc[("Design 2", 130)].area_ge / 1000
    return Verdict("platform-outlook",
        {"ciphers": " and ".join(", ".join(others.cipher).rsplit(", ", 1)), "added": added, "small": small, "process": found.process, "small_share": added / small,
         "paper_share": added / paper},
        (Check("beside", added < small), Check("several", None)))


DROP, SHORT, LONG = 1024, 1500, 1_000_000  # bytes: dropped (as in the study biases), of a packet, of a file


@judge("variants-outlook", given=Found)
def variants(found: Found) -> Verdict:
    """RC4 that drops its first bytes: what it costs, and what it hides."""
    core, biases = found.clocks.loc["rc4_design2"], found.results.of("biases")
    clocks = DROP / core.words_per_clock
    times = {size: 1 + clocks / (core.ksa_clocks + core.prga_lag_clocks + size / core.words_per_clock) for size in (SHORT, LONG)}
    seen = {name: biases[f"{name}-checks"].query("verdict == 'seen'").set_index("event").relative_bias.abs() for name in ("first", "long")}
    first, later = seen["first"].max(), seen["long"].max()
    return Verdict("variants-outlook",
        {"drop": DROP, "clocks": clocks, "short": SHORT, "short_times": times[SHORT], "long": LONG, "long_times": times[LONG],
         "first": first, "first_event": seen["first"].idxmax(), "later": later, "later_event": seen["long"].idxmax()},
        (Check("drop", times[SHORT] > 1 + TIE and later < first / 10, {"drop": DROP, "short": SHORT}), Check("trades", None)))


@judge("area-outlook", given=Found)
def area(found: Found) -> Verdict:
    """A smaller core of the same bytes a clock that is no slower."""
    theirs = found.ours[found.ours.design.str.endswith(", rebuilt")]
    checks, told = [], []
    for words, core in ((1, "rc4_pipe_1"), (2, "rc4_spec_2")):
        same = theirs[theirs.bytes_per_clock == words]
        ours = found.ours.loc[core]
        told.append(f"{tables.name(core)} takes {ours.area_ge / same.area_ge.min():.2f} of the area of the smallest of the paper's designs with {counted(words, 'byte')} a clock, "
                    f"and has {ours.gbit_per_s / same.gbit_per_s.max():.1f} times the rate of the fastest")
        checks += [Check("smaller", ours.area_ge < same.area_ge.min(), {"core": tables.name(core)}),
                   Check("faster", ours.gbit_per_s > same.gbit_per_s.max(), {"core": tables.name(core)})]
    return Verdict("area-outlook",
        {"process": found.process, "cores": "; ".join(told)},
        tuple(checks))
