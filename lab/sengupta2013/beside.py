"""The paper's tables with ours in their cells."""

from __future__ import annotations

import re
from functools import partial

from lab.model import Beside, Cell, Column, Grid
from lab.results import Results
from lab.sengupta2013 import tables
from lab.sengupta2013.cores import MATTHEWS, PAPERS

PARTS = (("KSA", "ksa_ge"), ("PRGA", "prga_ge"), ("S-box", "s_box_ge"), ("K-box", "k_box_ge"), ("sequential", "sequential_ge"),
         ("combinational", "combinational_ge"))
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def lowered(text: str) -> str:
    """The paper's names with their indices where they belong: `S₀[i₁]`."""
    text = text.replace("<->", "↔").replace(">", " → ")
    return re.sub(r"\b([ijtSZ])(\d)\b", lambda found: found[1] + found[2].translate(LOWERED), text)


def equations(results: Results, claim: str) -> Grid:
    """Tables 1 and 4: the equations of two loops, compared with two serial rounds."""
    wrong = results["cases"].query(f"claim == {claim!r}")
    said = "; ".join(f"{row.rule}: {f'wrong in {row.wrong:,} of' if row.wrong else 'right in all'} {row.met:,} states" for row in wrong.itertuples())

    def right(text: str) -> Cell:
        judged = [row.wrong == 0 for row in wrong.itertuples() if row.rule.partition(" = ")[2] and row.rule.partition(" = ")[2] in text]
        return all(judged) if judged else not wrong.wrong.all()
    return Grid.of("step", results.paper(claim), "{step}", {Column("first loop"): "first_loop", Column("second loop"): "second_loop"},
                   lambda row, loop: (lowered(row[loop]), right(row[loop])), lowered(f"Evaluated on random states beside two serial rounds: {said}."))


def transfers(results: Results) -> Grid:
    """Table 2: the transfers of each case."""
    met = results["cases"].query("claim == 'table-2'").set_index("rule")
    rows = []
    for each in results.paper("table-2").itertuples():
        condition = " & ".join(f"{pair} {'=' if equal else '≠'} {other}" for pair, other, equal in
                               (("i₂", "j₁", each.i2_is_j1), ("j₂", "i₁", each.j2_is_i1), ("j₂", "j₁", each.j2_is_j1)))
        row = met.loc[f"case {each.case}"]
        rows.append((str(each.case), ((condition, f"met in {row.met:,}"), (lowered(each.transfers.replace(" ", ", ")), bool(row.wrong == 0)))))
    return Grid("case", (Column("condition, and in how many states ours meet it"), Column("register-to-register transfers")), tuple(rows),
                f"Applied to {met.met.sum():,} random states; the last case is impossible, and was never met.")


def matthews(results: Results) -> Grid:
    """Table 3: the stages of the design of [17], and whether they give RC4."""
    row = results["cases"].query("claim == 'table-3'").iloc[0]
    printed = results.paper("table-3")
    stages = tuple((f"stage {stage}", ((lowered("; ".join(group.operation)), None),)) for stage, group in printed.groupby("stage"))
    return Grid("stage", (Column("operations, each next byte a clock later"),), (*stages, ("keystream", (("RC4's", bool(row.wrong == 0)),))),
                f"Run clock by clock as printed, with nothing forwarded: {row.wrong:,} of {row.met:,} bytes are not RC4's (N = 16).")


def table_5(results: Results) -> Grid:
    """Areas and clocks: each row of the paper's beside the same design in our flow."""
    both = tables.synthesised(results).assign(clock_hz=lambda t: 1e6 * t.clock_mhz, bit_per_s=lambda t: 1e9 * t.gbit_per_s)
    ours = both.query("process == 'Sky130'").set_index("id").to_dict()
    ids = {core.name: core.id for core in PAPERS} | {"Design 2": "rc4_design2_ksa1"}
    columns = {**{Column(name, "GE"): column for name, column in PARTS}, Column("total", "GE"): "area_ge", Column("clock", "Hz"): "clock_hz",
               Column("KSA (clocks)"): "ksa_clocks", Column("throughput", "bit/s"): "bit_per_s"}
    return Grid.of("technology and design", both.query("source == 'paper'"), "{technology_nm:.0f} nm, {design}", columns,
                   lambda row, column: (row[column], ours[column].get(ids[row["design"]])),
                   "Ours: the design rebuilt, on Sky130's 130 nm cells, before placement and without wires, whatever the paper's technology. Design 2 with its schedule in 256 clocks.")


def table_6(results: Results) -> Grid:
    """Clocks."""
    ours = results.rows("clocks").assign(ksa_clocks_per_round=lambda t: t.ksa_clocks / tables.N, prga_clocks_per_byte=lambda t: 1 / t.words_per_clock).to_dict()
    ids = {core.paper: core.id for core in (MATTHEWS, *PAPERS)}
    columns = {Column("clocks a KSA round"): "ksa_clocks_per_round", Column("clocks of the KSA"): "ksa_clocks", Column("clocks a byte"): "prga_clocks_per_byte",
               Column("clocks before the first byte"): "prga_lag_clocks"}
    return Grid.of("design", results.paper("table-6"), "{design}", columns, lambda row, column: (row[column], ours[column].get(ids.get(row["design"]))),
                   "Counted in simulation at N = 256 with a key of 16 bytes. The paper quotes the designs of [10] and [16], which are not rebuilt. [17] is rebuilt after its patent.")


def areas(results: Results) -> Grid:
    """Figure 12: the savings by sharing the ports."""
    ours = tables.synthesised(results).query("process == 'Sky130'").set_index("id")
    paper = results.paper("table-5").query("technology_nm == 90").set_index("design")
    rows = [(f"Pipelined-{letter}", tuple((float(paper[theirs][f"Pipelined-{letter}"]), float(ours[mine][f"rc4_pipelined_{letter.lower()}"]))
                                          for theirs, mine in (("s_box_ge", "s_box_ge"), ("total_ge", "area_ge")))) for letter in "AB"]
    saved = tuple((100 * (1 - one[0] / other[0]), 100 * (1 - one[1] / other[1])) for one, other in zip(rows[1][1], rows[0][1], strict=True))
    said = ", ".join(f"{name} {theirs:.0f} % in the paper and {mine:.0f} % here" for name, (theirs, mine) in zip(("S-box", "total"), saved, strict=True))
    return Grid("design", (Column("S-box", "GE"), Column("total", "GE")), tuple(rows), f"Pipelined-B differs from Pipelined-A by the shared ports alone. They save: {said}.")


def unrolling(results: Results) -> Grid:
    """Cases and comparisons by rounds."""
    table = results["unrolling"].query("k > 1")
    return Grid.of("rounds in a clock", table, "{k}", {Column("cases, after the paper; comparisons built"): "comparisons"},
                   lambda row, built: (int(2**row["paper_pairs"]), int(row[built])))


BESIDE = (
    Beside("table-1", partial(equations, claim="table-1")),
    Beside("table-2", transfers),
    Beside("table-3", matthews),
    Beside("table-4", partial(equations, claim="table-4")),
    Beside("table-5", table_5),
    Beside("table-6", table_6),
    Beside("figure-12", areas),
    Beside("unrolling", unrolling),
)
