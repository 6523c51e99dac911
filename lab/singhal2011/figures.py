"""The paper's graphs, and those it might have had."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import altair as alt
import pandas as pd

from lab import charts
from lab.charts import FAINT, GREEN, OURS, PURPLE, REBUILT, finding
from lab.model import Figure
from lab.report.numbers import quantity
from lab.results import Results
from lab.singhal2011.tables import PAPERS, grid
from lab.wording import span

ARCFOUR, OPENSSL = "RC4 (Arcfour)", "RC4 (OpenSSL)"
COLOURS = {"RC4": charts.GOLD, OPENSSL: charts.GOLD, ARCFOUR: OURS, "AES-ECB": GREEN, "AES-CBC": PURPLE, "AES-CFB": REBUILT}
MEASURED = {"tables": "AES by lookup tables, as in 2011", "AES instructions": "AES instructions, as now"}
SIZES = [100, 1024, 10240, 51200]
SIZE = alt.X(**charts.between("size_kb", "file", SIZES[0], SIZES[-1], SIZES, charts.LOG, labelExpr="datum.value < 1000 ? datum.value + ' KB' : round(datum.value / 1024) + ' MB'"))
MB = 1.048576


def measured(results: Results, level: str) -> pd.DataFrame:
    """The paper's ciphers on a level."""
    ours = grid(results)
    return ours[ours.cipher.isin((ARCFOUR, OPENSSL, *PAPERS)) & (ours.level == level)]


def lines(data: pd.DataFrame, title: str, ticks: list[float], height: int = 200, axis: str = "throughput", unit: str = "B/s", y: str = "rate") -> alt.LayerChart:
    """A line for each cipher over file size, its name at its end."""
    return charts.curves(data, SIZE, alt.Y(**charts.scaled(y, axis, unit, data[y].tolist(), ticks)), "cipher", COLOURS, height=height, size=35).properties(
        title=finding(title, 66))


def by_size(results: Results, way: str, claim: str) -> alt.VConcatChart:
    """Graph 1 or 2: the throughput by file size, the paper's and ours."""
    paper = results.paper(claim).melt(["size", "size_kb"], var_name="cipher", value_name="ms").assign(rate=lambda t: t.size_kb * 1024 / t.ms * 1e3)
    wide = paper.pivot(index="size_kb", columns="cipher", values="rate")
    ahead = wide["RC4"] / wide.drop(columns="RC4").max(axis=1)
    panels = [lines(paper, f"The paper, 2011: RC4 {span(f'{ahead.min():.1f}', f'{ahead.max():.1f}')} times as fast as the best mode of AES", [3e6, 1e7, 3e7])]
    for level, title in MEASURED.items():
        ours = measured(results, level).query("key_bits == 128").assign(rate=lambda t: t.size_kb * 1024 / t[f"{way}_ms"] * 1e3)
        wide = ours.pivot(index="size_kb", columns="cipher", values="rate")
        ahead = wide[OPENSSL] / wide[[name for name in wide if name.startswith("AES")]].max(axis=1)
        ticks = [1e8, 3e8, 1e9, 3e9] if level == "tables" else [3e8, 1e9, 3e9, 1e10, 2e10]
        first, second = "OpenSSL's RC4", "its best mode of AES"
        if ahead.max() < 1:
            first, second, ahead = "OpenSSL's best mode of AES", "its RC4", 1 / ahead
        panels.append(lines(ours, f"{title}: {first} {span(f'{ahead.min():.2g}', f'{ahead.max():.2g}')} times as fast as {second}", ticks))
    return charts.stack(*panels)


def by_level(panel: Callable[[pd.DataFrame, str], alt.LayerChart]) -> Callable[[Results], alt.VConcatChart]:
    """A panel for each level of AES, of the times and a title."""
    return lambda results: charts.stack(*(panel(measured(results, level), title) for level, title in MEASURED.items()))


def by_key(way: str, what: str):
    """Graphs 3 to 6: the largest file with each key."""
    ticks, unit = ([3e-3, 1e-2, 3e-2, 0.1, 0.3], "s") if what == "time" else ([1e8, 3e8, 1e9, 3e9, 1e10], "B/s")

    def panel(ours: pd.DataFrame, title: str) -> alt.LayerChart:
        ours = ours[ours.size_kb == ours.size_kb.max()]
        ours["value"] = ours[f"{way}_ms"] / 1e3 if what == "time" else ours.size_kb * 1024 / ours[f"{way}_ms"] * 1e3
        times = ours.pivot(index="cipher", columns="key_bits", values=f"{way}_ms")
        percent = 100 * (times[256] / times[128] - 1)

        def slower(family: str) -> str:
            each = percent[percent.index.str.startswith(family)]
            return f"{span(f'{round(each.min()):+}', f'{round(each.max()):+}')} %".replace("-", "−").replace("+0", "0")
        x = alt.X("key_bits:O", title="key (bits)", axis=alt.Axis(labelAngle=0, grid=False))
        y = alt.Y(**charts.scaled("value", f"{what}, 50 MB", unit, ours.value.tolist(), ticks))
        return charts.curves(ours, x, y, "cipher", COLOURS, height=170, size=45).properties(title=finding(
            f"{title}: 256 bits instead of 128 change RC4's time by {slower('RC4')}, AES's by {slower('AES')}", 66))
    return by_level(panel)


def cpu(way: str):
    """Graph 8 or 9: CPU time for a megabyte, by file size."""
    def panel(ours: pd.DataFrame, title: str) -> alt.LayerChart:
        ours = ours.query("key_bits == 128")
        ours = ours.assign(cost=ours[f"{way}_cpu_ms"] / 1e3 / (ours.size_kb * 1024))
        spread = ours.groupby("cipher").cost.agg(lambda cost: cost.max() / cost.min()).max()
        return lines(ours.assign(cost=1e9 * ours.cost), f"{title}: CPU time for a byte, within {spread:.1f} times over all files", [0.1, 0.3, 1, 3, 10], 170, "CPU time for a byte (ns)", "", "cost")
    return by_level(panel)


def memory(results: Results) -> alt.VConcatChart:
    """Graph 7: peak memory by file size, whole and in pieces."""
    ways = {"whole_kib": "The file held in memory: what grows is the buffer", "pieces_kib": "The same in pieces of 64 KiB: nothing grows"}
    panels = []
    for column, title in ways.items():
        data = results["memory"].query("key_bits == 128 and cipher in ['RC4 (Arcfour)', 'RC4 (OpenSSL)', 'AES-CBC']").assign(bytes=lambda t: t[column] * 1024.0)
        panels.append(lines(data, title, [3e6, 1e7, 3e7, 1e8], 150, "peak memory", "B", "bytes"))
    return charts.stack(*panels)


def today(results: Results) -> alt.LayerChart:
    """The throughput of everything on 1 MB, without AES instructions and with them."""
    data = grid(results).query("size_kb == 1024 and (key_bits == 128 or cipher.str.startswith('ChaCha'))")
    data = data[data.level.isin(["no AES instructions", "AES instructions"])].assign(rate=lambda t: MB * 1e9 / t.encrypt_ms)
    wide = data.pivot_table(index="cipher", columns="level", values="rate")
    order = list(wide.sort_values("AES instructions", ascending=False).index)
    data = data.assign(family=data.cipher.str.extract("^(RC4|AES|ChaCha20)")[0], said=[quantity(rate, "B/s", 2) for rate in data.rate],
                       right=data.groupby("cipher").rate.transform("max"), now=data.level == "AES instructions")
    colours = {"RC4": OURS, "AES": GREEN, "ChaCha20": PURPLE}
    axis = charts.scaled("rate", "encryption of 1 MB", "B/s", [1e8, 3e10], [1e8, 3e8, 1e9, 3e9, 1e10])
    x = alt.X(**axis)
    base = alt.Chart(data).encode(y=charts.names("cipher", order), x=x)
    colour = charts.coloured("family", colours)
    best = base.transform_filter("datum.now")
    return (base.mark_line(color=FAINT).encode(detail="cipher:N") + base.transform_filter("!datum.now").mark_point(size=80, filled=False, fill="transparent").encode(color=colour)
            + best.mark_point(size=80).encode(color=colour) + best.mark_text(align="left", dx=10).encode(x=alt.X(**{**axis, "shorthand": "right:Q"}), text="said:N", color=colour)).properties(
        width=420, height=charts.ROW * len(order), title=finding("With AES instructions (solid) AES leads; without them (hollow) ChaCha20, which needs none, and RC4", 66))


def kinds(results: Results) -> alt.LayerChart:
    """Each kind of content against the cipher's median over all kinds."""
    data = results["kinds"]
    middle = data.groupby("cipher")["encrypt_ns_per_byte"].transform("median")
    data = data.assign(percent=100 * (data.encrypt_ns_per_byte / middle - 1))[["cipher", "content", "percent", "encrypt_ns_per_byte"]]
    repeat = (results["kinds"].encrypt_max / results["kinds"].encrypt_ns_per_byte - 1).median() * 100
    band = pd.DataFrame({"low": [-repeat], "high": [repeat]})
    reach = 10 * math.ceil(max(data.percent.abs().max(), repeat, 10) / 10)
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    shade = alt.Chart(band).mark_rect(color=FAINT, opacity=0.35).encode(x=alt.X("low:Q", scale=scale, title="time per byte against the median of all contents (%)", axis=alt.Axis(values=[-reach, -reach / 2, 0, reach / 2, reach])), x2="high:Q")
    points = alt.Chart(data).mark_tick(thickness=2, size=16, color=OURS).encode(
        x=alt.X("percent:Q", scale=scale, title="time per byte against the median of all contents (%)"), y=charts.names("cipher", None))
    return (shade + points).properties(width=420, height=charts.ROW * data.cipher.nunique(), title=finding(
        f"{data.content.nunique()} kinds of content, each a mark: {(data.percent.abs() <= repeat).sum()} of {len(data)} lie as close together as repetitions of one and the same file (shaded)", 66))


def leak(results: Results) -> alt.FacetChart:
    """The picture, and its encryption by each cipher."""
    data = results["leak"]
    data = data.assign(url="data:image/png;base64," + data.png_base64, x=0, y=0,
                       panel=data.cipher.replace({"none": "the picture"}))[["panel", "url", "x", "y"]]
    axis = {"axis": None, "scale": alt.Scale(domain=[-1, 1])}
    picture = alt.Chart(data).mark_image(width=160, height=160, smooth=False).encode(alt.X("x:Q", **axis), alt.Y("y:Q", **axis), alt.Url("url:N"))
    return picture.properties(width=160, height=160).facet(alt.Facet("panel:N", title=None, sort=list(data.panel)), columns=5)


SEEN = "RC4 lies above AES in the paper and, by lookup tables, here; with AES instructions OpenSSL's RC4 lies below all modes, and Arcfour's among them"
FIGURES = (
    Figure("graph-1", "Encryption by file size", f"Lines of throughput over file size, in panels for the paper and for us. {SEEN}.", partial(by_size, way="encrypt", claim="table-1"), ("graph-1", "table-1")),
    Figure("graph-2", "Decryption by file size", f"Lines of throughput over file size, in panels for the paper and for us. {SEEN}.", partial(by_size, way="decrypt", claim="table-2"), ("graph-2", "table-2")),
    *(Figure(f"graph-{number}", f"{way.capitalize()}ion {quantity} by key size",
             f"Level lines for RC4, lines that {'rise' if quantity == 'time' else 'fall'} with the key for every mode of AES.", by_key(way, quantity), (f"graph-{number}",))
      for number, way, quantity in ((3, "encrypt", "time"), (4, "decrypt", "time"), (5, "encrypt", "throughput"), (6, "decrypt", "throughput"))),
    Figure("graph-7", "Peak memory by file size", "OpenSSL's ciphers lie on one line, rising with a file held in memory, level in pieces; Arcfour's RC4, which "
           "loads none of OpenSSL, lies a little below.", memory, ("graph-7",)),
    *(Figure(f"graph-{number}", f"CPU time of {way}ion by file size", "Level lines of CPU time for a byte over file size, in panels for AES by lookup tables and by instructions.", cpu(way), (f"graph-{number}",))
      for number, way in ((8, "encrypt"), (9, "decrypt"))),
    Figure("today", "Throughput of everything one might choose, on 1 MB", "A row for each cipher with its throughput with AES instructions and without them.", today, ("conclusion",)),
    Figure("kinds", "The content makes no difference", "One mark per cipher and kind of content. Nearly all lie in the shaded band around 0 %, which shows the spread when the same file is repeated.", kinds, ("future-work",)),
    Figure("leak", "What is left to see of a picture", "A padlock, which stays visible under AES-ECB; under CBC, CTR and RC4 only noise is seen.", leak, ("conclusion",)),
)
