"""The published figures, with ours in the same cells."""

from __future__ import annotations

from lab.model import Beside, Column, Grid
from lab.results import Results
from lab.search.tables import ours

MILLION = 1e6


def rates(results: Results) -> Grid:
    """Each published CPU, by one core of it."""
    mine = ours(results) / MILLION
    return Grid.of("processor and search", results.paper("rates").query("kind == 'CPU'"), "{device}: {tries}", {Column("million keys a second, one core"): mine},
                   lambda row, mine: (row["keys_per_s"] / row["units"] / MILLION, mine),
                   "Ours: `arcfour find` on one core, keys of 5 bytes, three known bytes of plaintext. MD5 and RC4 is more work than RC4 alone.")


def hashcat(results: Results) -> Grid:
    """Seconds of whole commands."""
    table = results["hashcat"]
    seconds = table.set_index(["document", "planted", "engine"]).seconds
    return Grid.of("document", table.drop_duplicates("document"), "{document}", {Column("every key tried", "s"): False, Column("until the planted key was found", "s"): True},
                   lambda row, planted: (seconds[row["document"], planted, "hashcat"], seconds[row["document"], planted, "arcfour find"]),
                   f"Orange is hashcat here, on the same {table.cores.iloc[0]} cores: {table['keys'].iloc[0]:,} keys, the whole command with its start-up. Each program has its own order of keys.")


def engines(results: Results) -> Grid:
    """The FPGA against the cores of this machine."""
    row, cores = results.paper("engines").iloc[0], results["rates"].cores.max()
    rate = ours(results, cores)
    rows = (("million keys a second", ((row.keys_per_s / MILLION, rate / MILLION),)), ("hours for all keys of 40 bits", ((row.hours_for_40_bits, 2**40 / rate / 3600),)))
    return Grid("", (Column(f"{row.engines:.0f} engines at {row.clock_mhz:.0f} MHz; ours, {cores} cores"),), rows, "The FPGA is of 2008. Its figures are as later papers quote them.")


def forty_bits(results: Results) -> Grid:
    """Hours for all keys."""
    row, cores = results.paper("forty-bits").iloc[0], results["rates"].cores.max()
    return Grid("keys", (Column("hours"),), ((f"all of {row.key_bits:.0f} bits", ((float(row.hours), 2**40 / ours(results, cores) / 3600),)),),
                f"The published figure is an upper limit, on {row.cores:.0f} cores of 2011; ours follows from the rate on {cores}.")


BESIDE = (Beside("rates", rates), Beside("hashcat", hashcat), Beside("engines", engines), Beside("forty-bits", forty_bits))
