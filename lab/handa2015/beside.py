"""The paper's tables with ours in their cells."""

from __future__ import annotations

from functools import partial

from lab.handa2015 import tables
from lab.model import Beside, Column, Grid
from lab.results import Results
from lab.shapes import counted

WAYS = (("encryption", "encryption_s"), ("decryption", "decryption_s"), ("overall", "overall_s"))
ENT = (("entropy (bits per byte)", "entropy_bits_per_byte", "entropy"), ("chi-square", "chi_square", "chi_square"), ("arithmetic mean", "mean", "mean"),
       ("Monte Carlo value for π", "pi", "pi"), ("serial correlation", "serial_correlation", "serial_correlation"))


def times(results: Results, claim: str, work: str, cores: int, note: str) -> Grid:
    """Tables 1 to 4: seconds by size."""
    ours = tables.our_times(results).query("work == @work")
    threads = ours.threads[ours.threads <= cores].max()
    ours = ours[ours.threads == threads].set_index("size_bytes")
    return Grid.of("bytes", results.paper(claim), "{size_bytes:,}", {Column(name, "s"): column for name, column in WAYS},
                   lambda row, column: (row[column], ours[column].get(row["size_bytes"])), note.format(threads=counted(int(threads), "thread"), cores=cores))


def ent(results: Results, claim: str, cipher: str) -> Grid:
    """Figure 3 or 4: the output of ENT, beside our nearest notation."""
    table = results["ent-small"].query("cipher == @cipher")
    paper = results.paper(claim).iloc[0]
    table["off"] = (table.entropy_mean - paper.entropy_bits_per_byte).abs() / table.entropy_std + (table.mean_mean - paper["mean"]).abs() / table.mean_std
    best = table.sort_values("off").iloc[0]
    rows = (("bytes", ((int(paper["bytes"]), int(best["bytes"])),)), *((name, ((float(paper[theirs]), float(best[f"{mine}_mean"])),)) for name, theirs, mine in ENT))
    return Grid("ENT says", (Column("value", digits=5),), rows,
                f"Ours: the mean over {best.samples} files of that length that hold {best.content} as {best.notation}, the notation that comes closest.")


def by_cores(results: Results, what: str) -> Grid:
    """Figures 5 and 6: the largest size by cores."""
    size, printed, every = tables.at_largest(results)
    paper, ours = printed.set_index("cores").overall_s, every[every.work == "parc4i"].set_index("threads").overall_s
    column = Column("encryption and decryption", "s")
    if what == "speed-up":
        column = Column("speed-up over RC4A on one core")
        paper, ours = paper[1] / paper, every[every.work == "rc4a"].overall_s.iloc[0] / ours
    rows = tuple((counted(cores, "core"), ((paper.get(cores), ours.get(cores)),)) for cores in sorted({*paper.index, *ours.index}))
    return Grid("cores", (column,), rows, f"{size:,} bytes. PARC4-I on our threads; the paper's one core is its RC4A. This machine has no more cores.")


PARALLEL = "The paper on {cores} cores; ours, PARC4-I as printed, on {threads}: this machine has no more cores."
BESIDE = (
    Beside("table-1", partial(times, claim="table-1", work="rc4a-plain", cores=1, note="RC4A by its plain definition on one core; our fastest backend stands in the table below.")),
    *(Beside(claim, partial(times, claim=claim, work="parc4i", cores=cores, note=PARALLEL)) for cores, claim in tables.PAPER.items() if cores > 1),
    Beside("figure-3", partial(ent, claim="figure-3", cipher="rc4a")),
    Beside("figure-4", partial(ent, claim="figure-4", cipher="parc4i")),
    Beside("figure-5", partial(by_cores, what="time")),
    Beside("figure-6", partial(by_cores, what="speed-up")),
)
