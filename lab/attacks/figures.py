"""A success curve for each attack, with the published points; and the cost of the state."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from lab import charts
from lab.charts import OURS, PAPER, REBUILT, finding
from lab.model import Figure
from lab.report.numbers import superscript
from lab.results import Results

HEIGHT, WIDTH = 250, 430
SHARE = alt.Scale(domain=[0, 1], nice=False)


def curve(table: pd.DataFrame, published: pd.DataFrame, x: alt.X, title: str, limit: str = "") -> alt.LayerChart:
    """Shares with their intervals in our colour, the published ones hollow; both tables have `rate`.

    Points that differ in the column `limit` are not joined, and its text stands at the last of each.
    """
    y = alt.Y("rate:Q", title="found", scale=SHARE, axis=alt.Axis(labelExpr="format(100 * datum.value, 'd') + ' %'", values=[0, 0.25, 0.5, 0.75, 1]))
    base = alt.Chart(table).encode(x=x)
    line = base.mark_line(color=OURS).encode(y=y)
    layers = [line.encode(detail=f"{limit}:N") if limit else line,
              base.mark_rule(color=OURS).encode(y=alt.Y("low:Q", title="found", scale=SHARE), y2="high:Q"),
              base.mark_point(**charts.dot(OURS, True)).encode(y=y)]
    if limit:
        layers.append(alt.Chart(table.drop_duplicates(limit, keep="last")).mark_text(align="left", dx=8, dy=10, color=OURS).encode(x=x, y=y, text=f"{limit}:N"))
    if not published.empty:
        layers.append(alt.Chart(published).mark_point(**charts.dot(PAPER, False)).encode(x=x, y=y))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=finding(title, 66))


def powers(field: str, title: str, tables: Sequence[pd.DataFrame]) -> alt.X:
    """An axis of powers of two."""
    values = np.log2(np.concatenate([table[field] for table in tables]).astype(float))
    low, high = int(np.floor(values.min())), int(np.ceil(values.max()))
    said = " : ".join(f"datum.value == {2**power} ? '2{superscript(power)}'" for power in range(low, high + 1))
    return alt.X(**charts.between(field, title, 2**low, 2**high, [2**power for power in range(low, high + 1)], charts.DOUBLING, labelExpr=f"{said} : ''"))


def draw_wep(results: Results) -> alt.LayerChart:
    """Keys of 13 bytes by packets; aircrack-ng's published points too."""
    paper, other = results.paper("wep"), results.paper("aircrack")
    table = results["wep"].query("key_length == 13 and sender == 'source'").assign(limit=lambda t: t.max_prefixes.map("≤ {:,} prefixes".format))
    row = table.set_index("packets").loc[int(paper.packets.iloc[0])]
    x = alt.X(**charts.between("packets", "packets", 10_000, 50_000, range(10_000, 50_001, 10_000), format=",d"))
    chart = curve(table, paper, x, f"WEP keys of 13 bytes, simulated: from {row.name:,} packets {100 * row.rate:.0f} % are found; published are "
                                   f"{100 * paper.rate.iloc[0]:.0f} % (hollow orange), and less of aircrack-ng (grey)", "limit")
    y = alt.Y("rate:Q", title="found", scale=SHARE)
    points = alt.Chart(other).encode(x=x, y=y)
    return alt.layer(chart, points.mark_line(color=REBUILT, strokeDash=[4, 3]), points.mark_point(**charts.dot(REBUILT, False))).properties(title=chart.title)


def draw_key(results: Results) -> alt.LayerChart:
    """By the length of the key."""
    paper, table = results.paper("key"), results["key"]
    x = alt.X(**charts.between("key_length", "bytes of the key", 4, 25, sorted(table.key_length.unique())))
    row = table.set_index("key_length").loc[int(paper.key_length.iloc[0])]
    return curve(table, paper, x, f"From the table after the key schedule, {100 * row.rate:.0f} % of the keys of 40 bits are found; published are {100 * paper.rate.iloc[0]:.0f} %")


def draw_broadcast(results: Results) -> alt.LayerChart:
    """By the number of ciphertexts."""
    paper, table = results.paper("broadcast"), results["broadcast"]
    return curve(table, paper, powers("ciphertexts", "ciphertexts", (table, paper)),
                 f"Of the first 256 bytes of one plaintext, {100 * table.rate.max():.0f} % come out of 2{superscript(int(np.log2(table.ciphertexts.max())))} ciphertexts; "
                 f"published are {100 * paper.rate.iloc[0]:.0f} % of 2³²")


def draw_cookie(results: Results) -> alt.LayerChart:
    """By the number of requests."""
    paper, table = results.paper("cookie"), results["cookie"].query("alphabet == 'rfc6265' and not known_everywhere")
    row = table.set_index("requests").loc[int(paper.requests.iloc[0])]
    return curve(table, paper, powers("requests", "requests", (table, paper)),
                 f"The cookie is among 2²³ candidates in {100 * row.rate:.0f} % of all trials where {100 * paper.rate.iloc[0]:.0f} % are published, and soon in all")


def draw_state(results: Results) -> alt.LayerChart:
    """Steps by entries: measured, expected, published."""
    model = results["model"].rename(columns={"expected_log2": "log2"})
    measured = results["state"].query("known == 0").rename(columns={"mean_log2": "log2"})
    paper = pd.concat([results.paper("state").assign(name="Knudsen et al. 1998"), results.paper("maximov").assign(name="Maximov,\nKhovratovich 2008")])
    x = alt.X(**charts.between("n", "entries of the table", 8, 256, [2**power for power in range(3, 9)], charts.DOUBLING))
    y = alt.Y(**charts.between("log2", "steps, as a power of 2", 8, 1024, [2**power for power in range(3, 11)], charts.DOUBLING, format="d"))
    points = alt.Chart(paper).encode(x=x, y=y)
    whole = model.set_index("n").log2[256]
    return alt.layer(
        alt.Chart(model).mark_line(color=OURS, strokeDash=[4, 3]).encode(x=x, y=y),
        alt.Chart(measured).mark_point(**charts.dot(OURS, True)).encode(x=x, y=y),
        points.mark_point(**charts.dot(PAPER, False)),
        *(points.transform_filter(alt.datum.name == name).mark_text(align="right", dx=-4, dy=dy, lineBreak="\n", color=PAPER).encode(text="name:N")
          for name, dy in zip(paper.name, (-13, 17), strict=True)),  # clear of the dashed line
    ).properties(width=WIDTH, height=HEIGHT + 60, title=finding(
        f"The state from keystream: measured up to {measured.n.max()} entries (dots), expected 2{superscript(round(whole))} for 256 (dashed); the best published needs "
        f"2{superscript(int(results.paper('maximov').log2.iloc[0]))}", 66))


FIGURES = (
    Figure("wep", "WEP keys found by the number of packets",
           "Shares with error bars, joined where the search had the same limit: they rise with the packets. The published point at 22,500 packets is near the first, "
           "and the published points of aircrack-ng are far to the right.", draw_wep, ("wep", "aircrack")),
    Figure("key", "Keys found from a state, by their length",
           "A curve that stays near one up to ten bytes and falls towards zero at 24 bytes, with a published point below it at five.", draw_key, ("key",)),
    Figure("broadcast", "Bytes recovered by the number of ciphertexts",
           "A curve that rises from near zero with the power of two of the ciphertexts, and a published point far to the right.", draw_broadcast, ("broadcast",)),
    Figure("cookie", "Cookies found by the number of requests",
           "A steep curve from zero to one between half a billion and two billion requests, with a published point beside it.", draw_cookie, ("cookie",)),
    Figure("state", "What the state costs, by the number of entries",
           "Both axes are logarithmic: dots up to 18 entries lie on a dashed curve that leads to 256 entries, where two published points stand, one on the curve and one far below.",
           draw_state, ("state", "maximov")),
)
