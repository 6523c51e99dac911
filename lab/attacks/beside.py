"""The published figures, with ours in the same cells."""

from __future__ import annotations

from lab.model import Beside, Column, Grid
from lab.results import Results


def shares(claim: str, by: str, column: str, of: str, note: str):
    """Success rates by the attack's input. `of` selects the rows."""
    def build(results: Results) -> Grid:
        ours, paper = results[claim].query(of).set_index(by).rate, results.paper(claim)
        return Grid.of(by.replace("_", " "), paper[paper[by].isin(ours.index)], f"{{{by}:,}}", {Column(column, "%"): "rate"},
                       lambda row, rate: (100 * row[rate], 100 * ours[row[by]]), note)
    return Beside(claim, build)


def aircrack(results: Results) -> Grid:
    """aircrack-ng as published and as run here; and ours on the same files."""
    table = results["aircrack"].pivot(index="packets", columns="program", values="rate") * 100
    published = results.paper("aircrack").set_index("packets").rate * 100
    rows = tuple((f"{packets:,}", ((float(published[packets]) if packets in published.index else None, row["aircrack-ng"]), (None, row["arcfour"])))
                 for packets, row in table.iterrows())
    return Grid("packets", (Column("aircrack-ng", "%"), Column("arcfour", "%")), rows, "Both programs had the same capture files.")


def steps(claim: str):
    """A power of two, by the number of entries."""
    def build(results: Results) -> Grid:
        row = results.paper(claim).iloc[0]
        ours = results.rows("model").expected_log2[int(row.n)]
        return Grid("entries", (Column("steps, as a power of 2"),), ((f"{row.n:.0f}", ((float(row.log2), float(ours)),)),), "Ours is the model of plain guessing.")
    return Beside(claim, build)


BESIDE = (
    shares("key", "key_length", "keys found", "trials > 0", "Key lengths in bytes."),
    shares("wep", "packets", "keys found", "key_length == 13 and sender == 'source'", "WEP keys of 13 bytes, simulated packets."),
    Beside("aircrack", aircrack),
    shares("cookie", "requests", "cookies in the list", "alphabet == 'rfc6265' and not known_everywhere", "The published list is of 8,388,608 cookies, and so is ours."),
    steps("state"),
    steps("maximov"),
)
