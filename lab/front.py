"""The picture of the front page: how fast RC4 is in each library, out of the newest recorded run of the benchmark.

`python -m lab write` draws it anew, for light pages and for dark ones.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import altair as alt
import pandas as pd

from lab import charts
from lab.bench import ROOT
from lab.numbers import STREAM, engine, kernel, run
from lab.svg import svg

FOLDER = ROOT / "bench"
FILES = {FOLDER / "speed-light.svg": False, FOLDER / "speed-dark.svg": True}
NAMED = {"arcfour": "arcfour, one stream", "openssl-bytes": "OpenSSL 3.0, its byte path forced", "libtomcrypt": "libtomcrypt", "openssl": "OpenSSL 3.0 as it ships",
         "nettle": "nettle", "go": "Go", "textbook-c": "textbook C", "rustcrypto-rc4": "RustCrypto", "libgcrypt": "libgcrypt"}
INK = {False: "#1c1b1a", True: "#eae6df"}


def chart(dark: bool) -> alt.TopLevelMixin:
    """A bar for each library, shorter being faster, with its figure and how many times OpenSSL's time it is."""
    # Cycles per byte of a mebibyte xored in place, ours first among equals.
    rows = [("arcfour, five streams in one loop", kernel("xor in place", 5)["cycles_per_byte"], True)]
    rows += [(label, engine("stream", name, STREAM).cycles_per_byte, name == "arcfour") for name, label in NAMED.items()]
    table = pd.DataFrame(rows, columns=["name", "cycles", "ours"]).sort_values("cycles")
    shipped = table.set_index("name").cycles[NAMED["openssl"]]
    table["said"] = [f"{cycles:.2f}" + (f"   {shipped / cycles:.1f} times as fast as OpenSSL" if ours else "")
                     for cycles, ours in zip(table.cycles, table.ours, strict=True)]
    ours, others = (charts.NIGHT[charts.OURS], charts.NIGHT[charts.FAINT]) if dark else (charts.OURS, charts.FAINT)
    base = alt.Chart(table).encode(y=charts.names("name", table.name, labelColor=INK[dark]))
    bars = base.mark_bar(height=17).encode(
        x=alt.X("cycles:Q", axis=None, scale=alt.Scale(domain=[0, table.cycles.max() * 1.12], nice=False)),
        color=charts.coloured("ours", {True: ours, False: others}))
    text = base.mark_text(align="left", dx=6, fontSize=12, color=INK[dark]).encode(x="cycles:Q", text="said:N")
    title = alt.TitleParams("RC4: core cycles per byte, 1 MiB xored in place; shorter is faster", color=INK[dark], fontSize=14,
                            subtitle=f"medians on one core of a virtual AMD EPYC (Zen 5), {run().name[:10]}", subtitleColor=INK[dark], subtitleFontSize=12)
    return (bars + text).properties(width=430, height=25 * len(table), title=title).configure(background="transparent")


@cache
def pictures() -> dict[Path, str]:
    """Each file and its contents."""
    return {path: svg(chart(dark)) for path, dark in FILES.items()}
