"""The paper's graphs, and those it might have had."""

from __future__ import annotations

import altair as alt
import pandas as pd

from lab.charts import PALETTE, log
from lab.model import Figure
from lab.results import Results
from lab.singhal2011.measure import RC4
from lab.singhal2011.tables import COLUMNS, PAPERS, grid

PANEL, HEIGHT = 210, 260
MEASURED = {level: f"here, {name}" for level, name in COLUMNS.items()} | {"no AES instructions": "here, without AES instructions"}
PANELS = ["the paper, 2011", *reversed(MEASURED.values())]
CIPHERS = alt.Scale(domain=["RC4", *RC4, *PAPERS], range=[PALETTE[1], PALETTE[1], PALETTE[4], PALETTE[0], PALETTE[2], PALETTE[3]])
SIZE = alt.X("size_kb:Q", title="file (KB)", scale=alt.Scale(type="log"),
             axis=alt.Axis(values=[100, 1000, 10000], format="~s"))


def cipher(shown: list[str]) -> alt.Color:
    """The cipher as a colour, in a legend of those that are there."""
    return alt.Color("cipher:N", title=None, scale=CIPHERS, legend=alt.Legend(values=shown))


def measured(results: Results) -> pd.DataFrame:
    """The paper's ciphers on every level, its names for panels added."""
    ours = grid(results)
    return ours[ours.cipher.isin((*RC4, *PAPERS))].assign(panel=lambda table: table.level.map(MEASURED))


def panels(data: pd.DataFrame, y: alt.Y, x: alt.X, order: list[str]) -> alt.FacetChart:
    """Lines of every cipher in a panel for each source, on the same axes."""
    shown = [name for name in CIPHERS.domain if name in set(data.cipher)]
    lines = alt.Chart(data).mark_line(point=True).encode(
        x, y, cipher(shown), tooltip=["panel", "cipher", *[field for field in data.columns if data[field].dtype.kind in "if"]])
    return lines.properties(width=PANEL, height=HEIGHT).facet(
        alt.Facet("panel:N", title=None, sort=order, header=alt.Header(labelFontSize=12)), columns=len(order))


def by_size(way: str, claim: str):
    """Graph 1 or 2: time by file size, the paper's and ours."""
    def draw(results: Results) -> alt.FacetChart:
        ours = measured(results).query("key_bits == 128").rename(columns={f"{way}_ms": "ms"})
        paper = results.paper(claim).melt(["size", "size_kb"], var_name="cipher", value_name="ms").assign(panel=PANELS[0])
        data = pd.concat([paper, ours])[["panel", "cipher", "size_kb", "ms"]]
        return panels(data, alt.Y(**log(f"{way}ion time (ms)", "ms")), SIZE, PANELS)
    return draw


def by_key(way: str, throughput: bool):
    """Graphs 3 to 6: the largest file with each key."""
    def draw(results: Results) -> alt.FacetChart:
        ours = measured(results)
        ours = ours[(ours.size_kb == ours.size_kb.max()) & (ours.level != "no AES instructions")].assign(
            ms=lambda table: table[f"{way}_ms"], kb_per_s=lambda table: 1e3 * table.size_kb / table[f"{way}_ms"])
        y = log(f"{way}ion throughput (KB/s)", "kb_per_s") if throughput else log(f"{way}ion time (ms)", "ms")
        data = ours[["panel", "cipher", "key_bits", "kb_per_s" if throughput else "ms"]]
        return panels(data, alt.Y(**y), alt.X("key_bits:O", title="key (bits)", axis=alt.Axis(labelAngle=0)),
                      [MEASURED["tables"], MEASURED["AES instructions"]])
    return draw


def cpu(way: str):
    """Graph 8 or 9: CPU time by file size."""
    def draw(results: Results) -> alt.FacetChart:
        data = measured(results).query("key_bits == 128").rename(columns={f"{way}_cpu_ms": "ms"})
        return panels(data[["panel", "cipher", "size_kb", "ms"]], alt.Y(**log(f"CPU time of {way}ion (ms)", "ms")), SIZE, PANELS[1:])
    return draw


def memory(results: Results) -> alt.FacetChart:
    """Graph 7: peak memory by file size, whole and in pieces."""
    ways = {"whole_kib": "the file held in memory", "pieces_kib": "in pieces of 64 KiB"}
    data = results["memory"].query("key_bits == 128").melt(["cipher", "size_kb"], list(ways), "panel", "kib")
    data = data[data.cipher.isin((*RC4, *PAPERS))].assign(panel=lambda table: table.panel.map(ways))
    return panels(data, alt.Y(**log("peak resident set (KiB)", "kib")), SIZE, list(ways.values()))


def today(results: Results) -> alt.FacetChart:
    """The throughput of everything on 1 MB."""
    data = grid(results).query("size_kb == 1024 and (key_bits == 128 or cipher.str.startswith('ChaCha'))")
    data = data.assign(panel=data.level.map(MEASURED), mb_per_s=data.size_kb * 1.024 / data.encrypt_ms,
                       family=data.cipher.str.extract("^(RC4|AES|ChaCha20)")[0])[["panel", "cipher", "family", "mb_per_s"]]
    # Points, for a bar on a log scale has no honest length.
    points = alt.Chart(data).mark_point(size=90).encode(
        alt.X(**log("encryption (MB/s)", "mb_per_s"), axis=alt.Axis(format="~s")), alt.Y("cipher:N", title=None, sort=None),
        alt.Color("family:N", title=None, scale=alt.Scale(domain=["RC4", "AES", "ChaCha20"], range=[PALETTE[1], PALETTE[0], PALETTE[2]])),
        tooltip=["panel", "cipher", "mb_per_s"])
    return points.properties(width=PANEL, height=220).facet(
        alt.Facet("panel:N", title=None, sort=PANELS, header=alt.Header(labelFontSize=12)), columns=3)


def kinds(results: Results) -> alt.Chart:
    """Each kind of content against the cipher's median over all kinds."""
    data = results["kinds"]
    middle = data.groupby("cipher")["encrypt_ns_per_byte"].transform("median")
    data = data.assign(percent=100 * (data.encrypt_ns_per_byte / middle - 1))[["cipher", "content", "percent", "encrypt_ns_per_byte"]]
    return alt.Chart(data).mark_point(size=70).encode(
        alt.X("percent:Q", title="time per byte against the median (%)",
              scale=alt.Scale(domain=[min(-10, data.percent.min()), max(10, data.percent.max())])),
        alt.Y("cipher:N", title=None, sort=None), alt.Color("content:N", title=None), alt.Shape("content:N", title=None),
        tooltip=["cipher", "content", "encrypt_ns_per_byte", "percent"])


def leak(results: Results) -> alt.FacetChart:
    """The picture, and what each cipher makes of it."""
    data = results["leak"]
    data = data.assign(url="data:image/png;base64," + data.png_base64, x=0, y=0,
                       panel=data.cipher.replace({"none": "the picture"}))[["panel", "url", "x", "y"]]
    axis = {"axis": None, "scale": alt.Scale(domain=[-1, 1])}
    picture = alt.Chart(data).mark_image(width=160, height=160, smooth=False).encode(alt.X("x:Q", **axis), alt.Y("y:Q", **axis), alt.Url("url:N"))
    return picture.properties(width=160, height=160).facet(
        alt.Facet("panel:N", title=None, sort=list(data.panel), header=alt.Header(labelFontSize=12)), columns=5)


SEEN = ("RC4 lies below AES in the paper and, by lookup tables, here; with AES instructions OpenSSL's RC4 lies above ECB and CBC, while Arcfour's "
        "stays below the modes that encrypt block after block")
FIGURES = (
    Figure("graph-1", "Encryption time by file size", f"Lines of time over file size, in panels for the paper and for us. {SEEN}.",
           by_size("encrypt", "table-1"), ("graph-1", "table-1")),
    Figure("graph-2", "Decryption time by file size", f"Lines of time over file size, in panels for the paper and for us. {SEEN}.",
           by_size("decrypt", "table-2"), ("graph-2", "table-2")),
    Figure("graph-3", "Encryption time by key size", "Flat lines for RC4, lines that rise with the key for every mode of AES.",
           by_key("encrypt", False), ("graph-3",)),
    Figure("graph-4", "Decryption time by key size", "Flat lines for RC4, lines that rise with the key for every mode of AES.",
           by_key("decrypt", False), ("graph-4",)),
    Figure("graph-5", "Encryption throughput by key size", "Flat lines for RC4, lines that fall with the key for every mode of AES.",
           by_key("encrypt", True), ("graph-5",)),
    Figure("graph-6", "Decryption throughput by key size", "Flat lines for RC4, lines that fall with the key for every mode of AES.",
           by_key("decrypt", True), ("graph-6",)),
    Figure("graph-7", "Peak memory by file size", "OpenSSL's ciphers lie on one line, rising with a file held in memory, level in pieces; Arcfour's RC4, which "
           "loads none of OpenSSL, lies a little below.",
           memory, ("graph-7",)),
    Figure("graph-8", "CPU time of encryption by file size", "Lines of CPU time over file size in panels for each level of AES support.",
           cpu("encrypt"), ("graph-8",)),
    Figure("graph-9", "CPU time of decryption by file size", "Lines of CPU time over file size in panels for each level of AES support.",
           cpu("decrypt"), ("graph-9",)),
    Figure("today", "Throughput of everything one might choose, on 1 MB",
           "Points of throughput for RC4, the modes of AES, and ChaCha20, with AES instructions, without, and by lookup tables.",
           today, ("conclusion",)),
    Figure("kinds", "The content makes no difference", "Points for each kind of content, close to zero per cent for every cipher.",
           kinds, ("future-work",)),
    Figure("leak", "What is left to see of a picture", "A padlock, which stays visible under AES-ECB; under CBC, CTR and RC4 only noise is seen.",
           leak, ("conclusion",)),
)
