"""The paper's figures with our times in them, and pictures of what the keystream gives away."""

from __future__ import annotations

import altair as alt
import pandas as pd

from lab import charts
from lab.handa2015 import tables
from lab.results import Results

SIZES_ALT = (
    "Overall time against input size on log scales: the paper's RC4A and PARC4-I on 4, 6 and 8 cores, and "
    "ours well below them."
)
FIGURE_5_ALT = (
    "Time for the largest input against the number of cores, the paper's PARC4-I beside our ciphers on log "
    "scales."
)
FIGURE_6_ALT = (
    "Speed-up over sequential RC4A against the number of cores: the paper's, just below the diagonal, and "
    "ours by baseline."
)
ENT_ALT = (
    "Entropy that ENT reports for short files, by the notation the bytes are written in. The paper's "
    "figures lie on decimal "
    "numbers on lines of their own, far from raw bytes."
)
STRUCTURE_ALT = (
    "Frequencies of equal bytes on a log scale: about 0.992 or 1 for both readings of PARC4-I and RC4A "
    "with equal keys, chance for RC4A and PARC4-R."
)
BROADCAST_ALT = (
    "Share of the second round's bytes recovered against the number of ciphertexts: RC4, PARC4-I and RC4A "
    "with equal keys rise, "
    "the last two by the share of their bytes that are RC4's; RC4A and PARC4-R stay at chance."
)
MESSAGE_ALT = (
    "Share of one English message read from its ciphertext alone, by cipher: most of it for PARC4-I, next "
    "to nothing for RC4A and PARC4-R."
)
BLOCKS_ALT = (
    "Share of an English text read from blocks that share a keystream, rising to all of it; faster when "
    "the four equal bytes are used too."
)

RIGHT = alt.Legend(orient="right", columns=1, labelLimit=400)


def shown(results: Results) -> pd.DataFrame:
    """All times, the paper's and ours, tidy: series, source, cores, bytes, seconds."""
    paper = tables.paper_times(results)
    paper["series"] = ["paper: " + ("RC4A" if cores == 1 else "PARC4-I") for cores in paper.cores]
    ours = tables.our_times(results).rename(columns={"threads": "cores"})
    ours["series"] = "ours: " + ours.name
    columns = ["series", "cores", "size_bytes", "overall_s"]
    return pd.concat(
        [paper[columns].assign(source="paper"), ours[columns].assign(source="ours")], ignore_index=True
    )


def colour(names: list[str]) -> alt.Color:
    """A colour for each series, grey beyond the palette."""
    return alt.Color(
        "series:N",
        title=None,
        sort=names,
        legend=RIGHT,
        scale=alt.Scale(domain=names, range=[*charts.PALETTE, "#999999", "#CCCCCC"][: len(names)]),
    )


def dash() -> alt.StrokeDash:
    """The paper's lines dashed."""
    return alt.StrokeDash(
        "source:N", title=None, legend=None, scale=alt.Scale(domain=["ours", "paper"], range=[[1, 0], [7, 4]])
    )


def sizes(results: Results) -> alt.LayerChart:
    """Tables 1 to 4 in one picture: ours on the most threads measured."""
    table = shown(results)
    paper = table[table.source == "paper"].copy()
    paper["series"] += [f", {cores} core" + "s" * (cores > 1) for cores in paper.cores]
    ours = table[(table.source == "ours") & ~table.series.str.contains("text")]
    ours = ours[ours.cores == ours.groupby("series").cores.transform("max")].copy()
    ours["series"] += [f", {tables.thread_count(cores)}" for cores in ours.cores]
    both = pd.concat([paper, ours])
    names = list(dict.fromkeys(both.series))
    base = alt.Chart(both, title="Encryption and decryption together").encode(
        x=alt.X(
            "size_bytes:Q",
            title="input (bytes, log scale)",
            scale=alt.Scale(type="log", domain=[9e7, 1e9]),
            axis=alt.Axis(values=[1e8, 2e8, 4e8, 6e8, 1e9], format="~s"),
        ),
        y=alt.Y(**charts.log("overall time (s, log scale)", "overall_s")),
        color=colour(names),
    )
    return base.mark_line().encode(strokeDash=dash()) + base.mark_point(size=25)


def figure_5(results: Results) -> alt.LayerChart:
    """Time of the largest size by cores."""
    table = shown(results)
    size = tables.largest(results)
    table = table[table.size_bytes == size]
    names = list(dict.fromkeys(table.series))
    base = alt.Chart(table, title=f"Encryption and decryption of {size:,} bytes").encode(
        x=alt.X(
            "cores:Q",
            title="cores (log scale)",
            scale=alt.Scale(type="log", base=2),
            axis=alt.Axis(values=[1, 2, 4, 6, 8], format="d"),
        ),
        y=alt.Y(**charts.log("overall time (s, log scale)", "overall_s")),
        color=colour(names),
    )
    return base.mark_line().encode(strokeDash=dash()) + base.mark_point()


def figure_6(results: Results) -> alt.LayerChart:
    """Speed-up by cores."""
    table = tables.speed_ups(results)
    table = table[
        (table.size_bytes == tables.largest(results))
        & table.name.str.contains("PARC4")
        & ~table.name.str.contains("text|key for")
    ]
    table = table[table.baseline != "itself, 1 thread"]
    table["series"] = [
        name.replace("paper, ", "paper: ") + " over " + base.removeprefix("paper, ")
        for name, base in zip(table.name, table.baseline, strict=True)
    ]
    table["source"] = ["paper" if series.startswith("paper") else "ours" for series in table.series]
    table["series"] = table.series.where(table.source == "paper", "ours: " + table.series)
    names = list(dict.fromkeys(table.series))
    cores = sorted({*table.threads, 1})
    ideal = (
        alt.Chart(pd.DataFrame({"threads": cores, "speed_up": cores}))
        .mark_line(color="#BBBBBB", strokeDash=[2, 2])
        .encode(x="threads:Q", y="speed_up:Q")
    )
    base = alt.Chart(table, title="Speed-up over one-thread RC4A (dotted: one for each core)").encode(
        x=alt.X("threads:Q", title="cores", axis=alt.Axis(values=[1, 2, 4, 6, 8], format="d")),
        y=alt.Y("speed_up:Q", title="speed-up"),
        color=colour(names),
    )
    return ideal + base.mark_line().encode(strokeDash=dash()) + base.mark_point()


def ent_small(results: Results) -> alt.HConcatChart:
    """Entropy by notation, the paper's as a line."""
    panels = []
    for cipher, claim in (("rc4a", "figure-3"), ("parc4i", "figure-4")):
        table = results["ent-small"]
        table = table[table.cipher == cipher].copy()
        table["low"], table["high"] = (
            table.entropy_mean - 2 * table.entropy_std,
            table.entropy_mean + 2 * table.entropy_std,
        )
        printed = results.paper(claim)
        base = alt.Chart(table, title=f"{tables.CIPHERS[cipher]}, {table['bytes'].iloc[0]} bytes").encode(
            y=alt.Y(
                "notation:N",
                title=None,
                sort=list(dict.fromkeys(table.notation)),
                axis=alt.Axis(labelLimit=220),
            ),
            yOffset=alt.YOffset("content:N"),
            color=alt.Color("content:N", title="the file holds", legend=alt.Legend(orient="bottom")),
        )
        x = alt.X(
            "low:Q",
            title="ENT's entropy (bits per byte), mean ± 2 sd",
            scale=alt.Scale(domain=[2.5, 8]),
            axis=alt.Axis(values=[3, 4, 5, 6, 7, 8]),
        )
        rule = (
            alt.Chart(printed)
            .mark_rule(color=charts.PALETTE[6], strokeDash=[6, 3], strokeWidth=2)
            .encode(x="entropy_bits_per_byte:Q")
        )
        panels.append(
            (
                base.mark_rule(strokeWidth=3).encode(x=x, x2="high:Q")
                + base.mark_point().encode(x="entropy_mean:Q")
                + rule
            ).properties(width=300, height=260)
        )
    return alt.hconcat(
        *panels, title=alt.Title("The paper's entropies (dashed) beside what ENT prints for short files")
    )


def structure(results: Results) -> alt.LayerChart:
    """Every counted event by cipher."""
    table = tables.counts(results)
    table = table[(table.cipher != "rc4") & (table.quantity != "pair")]
    table["event"] = [tables.describe(*key) for key in zip(table.quantity, table.a, table.b, strict=True)]
    table["series"] = table.cipher.map(tables.CIPHERS)
    table["shown"] = table.frequency.clip(lower=1e-9)
    table["none"] = [
        f"none in {trials:,}" if hits == 0 else ""
        for hits, trials in zip(table.hits, table.trials, strict=True)
    ]
    names = list(dict.fromkeys(table.series))
    base = alt.Chart(
        table, title="Equal bytes, and bytes that are RC4's (PARC4: 4 bytes a round, RC4A: 2)"
    ).encode(
        x=alt.X(
            **charts.log("frequency (log scale)", "shown"),
            axis=alt.Axis(values=[10.0**e for e in range(-9, 1)], format="~e"),
        ),
        y=alt.Y("event:N", title=None, sort=list(dict.fromkeys(table.event)), axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("series:N", sort=names),
        color=alt.Color("series:N", title=None, sort=names, legend=alt.Legend(columns=3)),
    )
    marks = base.mark_point(size=70).encode(shape=alt.Shape("series:N", sort=names, legend=None))
    return (marks + base.mark_text(align="left", dx=8).encode(text="none:N")).properties(height=360)


def broadcast(results: Results) -> alt.LayerChart:
    """Recovery of a plaintext under many keys."""
    table = results["broadcast"].copy()
    table["series"] = table.cipher.map(tables.CIPHERS)
    table[["low", "high"]] = [
        [100 * end for end in tables.wilson(*pair)] for pair in zip(table.hits, table.trials, strict=True)
    ]
    table["percent"] = 100 * table.hits / table.trials
    names = list(tables.CIPHERS.values())
    base = alt.Chart(
        table, title="One plaintext under many keys: bytes of the second round recovered"
    ).encode(
        x=alt.X(
            "ciphertexts:Q",
            title="ciphertexts (log scale)",
            scale=alt.Scale(type="log", base=2),
            axis=alt.Axis(values=sorted(table.ciphertexts.unique())),
        ),
        color=alt.Color("series:N", title=None, sort=names, legend=alt.Legend(columns=3)),
    )
    title = "recovered (%), with 95 % intervals"
    y = alt.Y("percent:Q", title=title, scale=alt.Scale(domain=[0, 100]))
    return base.mark_rule().encode(y=alt.Y("low:Q", title=title), y2="high:Q") + base.mark_line(
        point=True
    ).encode(y=y, strokeDash=alt.StrokeDash("series:N", sort=names, legend=None))


def one_message(results: Results) -> alt.LayerChart:
    """Reading of one message."""
    table = tables.one_message(results).rename(columns={"read (%)": "read", "95 % interval, ±": "half"})
    table["low"], table["high"] = table.read - table.half, table.read + table.half
    base = alt.Chart(table, title="One English message, read from its ciphertext alone").encode(
        y=alt.Y("cipher:N", title=None, sort=list(tables.CIPHERS.values()), axis=alt.Axis(labelLimit=200))
    )
    bars = base.mark_bar(color=charts.PALETTE[0]).encode(
        x=alt.X("read:Q", title="bytes read (%), with 95 % intervals", scale=alt.Scale(domain=[0, 100]))
    )
    label = base.mark_text(align="left", dx=12).encode(x="high:Q", text=alt.Text("read:Q", format=".1f"))
    return (
        bars + base.mark_rule(color="black", strokeWidth=2).encode(x="low:Q", x2="high:Q") + label
    ).properties(height=200)


def blocks(results: Results) -> alt.LayerChart:
    """Reading of blocks."""
    table = results["blocks"].copy()
    half = tables.Z95 * table.read_sd / table.trials**0.5
    table["percent"], table["low"], table["high"] = (
        100 * table.read_fraction,
        100 * (table.read_fraction - half),
        100 * (table.read_fraction + half),
    )
    base = alt.Chart(
        table, title="Blocks of 256 bytes under one keystream, read from the ciphertext alone"
    ).encode(
        x=alt.X(
            "blocks:Q",
            title="blocks (log scale)",
            scale=alt.Scale(type="log", base=2),
            axis=alt.Axis(values=sorted(table.blocks.unique())),
        ),
        color=alt.Color("attack:N", title="the attack uses"),
    )
    return base.mark_rule().encode(
        y=alt.Y("low:Q", title="bytes read (%), with 95 % intervals", scale=alt.Scale(domain=[0, 100])),
        y2="high:Q",
    ) + base.mark_line(point=True).encode(y="percent:Q")
