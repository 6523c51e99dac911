"""Rates beside the published ones, and the cost of keys of each length."""

from __future__ import annotations

import pandas as pd

from lab.model import Table
from lab.results import Results
from lab.shapes import counted, wide
from lab.sources.synthesis import RESULTS

KEY_BITS = (40, 48, 56, 64, 128)
CIRCUITS = ("rc4_pipe_1", "rc4_spec_4", "rc4_spec_8")


def ours(results: Results, cores: int = 1) -> float:
    """Keys of five bytes that one core tries in a second, or `cores` cores together."""
    return results["rates"].query("key_length_bytes == 5").set_index("cores").keys_per_s[cores]


def circuits() -> pd.DataFrame:
    """Our circuits on the 130 nm library: clocks of a key schedule, and keys a second."""
    table = pd.read_csv(RESULTS / "sky130_fd_sc_hd__tt_025C_1v80" / "synthesis.csv").set_index("design").loc[list(CIRCUITS)].reset_index()
    return table.assign(keys_per_s=table.clock_mhz * 1e6 / table.ksa_clocks)[["design", "clock_mhz", "ksa_clocks", "keys_per_s"]]


def units(results: Results) -> pd.DataFrame:
    """Keys a second of one core, card or chip: published, and ours."""
    rows = [(f"{row.device}: {row.tries}", row.kind, row.keys_per_s / row.units, row.source) for row in results.paper("rates").itertuples()]
    rows.append(("arcfour find, this machine", "ours, CPU", ours(results), "measured"))
    rows += [(f"{row.design}: one core, 130 nm, before placement", "ours, circuit", row.keys_per_s, "hardware/syn/results") for row in circuits().itertuples()]
    return pd.DataFrame(rows, columns=["device", "kind", "keys_per_s", "source"]).sort_values("keys_per_s", ignore_index=True)


def build_units(results: Results) -> pd.DataFrame:
    """The same, for reading."""
    table = units(results)
    return table.assign(keys_per_s=(table.keys_per_s / 1e6).map("{:,.2f}".format)).rename(columns={"keys_per_s": "million keys/s, one core, card or chip"})


def build_lengths(results: Results) -> pd.DataFrame:
    """Ours by the length of the key."""
    table = wide(results["rates"], "key_length_bytes", "cores", "keys_per_s", lambda cores: f"million keys/s, {counted(cores, 'core')}") / 1e6
    return table.round(2).reset_index().rename(columns={"key_length_bytes": "key (bytes)"})


def costs(results: Results) -> pd.DataFrame:
    """Hours of one unit for all keys of `bits` bits."""
    paper = results.paper("rates").set_index("device")
    rates = {"one of our cores": ours(results)} | {device: paper.keys_per_s[device] for device in ("RTX 4080", "XC2VP20, 47 MHz")}
    return pd.DataFrame([{"key_bits": bits, "unit": unit, "hours": 2.0**bits / rate / 3600} for bits in KEY_BITS for unit, rate in rates.items()])


def build_costs(results: Results) -> pd.DataFrame:
    """The same, for reading."""
    table = costs(results).pivot(index="key_bits", columns="unit", values="hours")
    return table.map("{:.3g}".format).reset_index().rename(columns={"key_bits": "unknown bits of the key"})


TABLES = (
    Table("units", "Keys a second of one core, card or chip", build_units, ("rates", "engines", "tsoi")),
    Table("lengths", "Keys a second by the length of the key", build_lengths, ("rates",)),
    Table("costs", "Hours for every key", build_costs, ("forty-bits",)),
)
