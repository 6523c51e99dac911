"""The paper's tables with ours in their cells."""

from __future__ import annotations

from functools import partial

from lab.model import Beside, Column, Grid
from lab.results import Results
from lab.singhal2011.tables import PAPERS, grid

CIPHERS = {"RC4": "RC4 (OpenSSL)"} | {name: name for name in PAPERS}


def times(results: Results, way: str, claim: str, level: str, note: str) -> Grid:
    """Table I or II: file sizes by ciphers."""
    ours = grid(results).query(f"key_bits == 128 and level == {level!r}").set_index(["size_kb", "cipher"])[f"{way}_ms"] / 1e3
    return Grid.of("file", results.paper(claim), "{size}", {Column(name, "s"): name for name in CIPHERS},
                   lambda row, name: (row[name] / 1e3, ours.get((row["size_kb"], CIPHERS[name]))), note)


THEN = "OpenSSL with AES by lookup tables, as processors had to compute it in 2011; keys of 128 bits."
NOW = "The same with AES instructions. The RC4 is OpenSSL's in both; ours is in the charts."
BESIDE = tuple(
    Beside(claim, partial(times, way=way, claim=claim, level=level, note=note), title)
    for claim, way in (("table-1", "encrypt"), ("table-2", "decrypt"))
    for level, note, title in (("tables", THEN, f"Average time of {way}ion, AES as in 2011"), ("AES instructions", NOW, f"Average time of {way}ion, AES as processors have it now"))
)
