"""The results worth knowing, in figures taken from the results."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from lab.report.numbers import number, power, quantity, superscript
from lab.results import NotMeasured, Results
from lab.steady import Disturbed

Telling = tuple[str, str]  # a figure to remember, and the sentence that explains it


@dataclass(frozen=True)
class Highlight:
    """A result, and its place on the page."""

    study: str
    anchor: str
    figure: str
    text: str
    source: str = ""  # who found it, where the study is of several papers


@dataclass(frozen=True)
class Picture:
    """A picture and its caption."""

    name: str
    png_base64: str


def highlights(results: Mapping[str, Results]) -> list[Highlight]:
    """Those whose experiments have a record that nothing disturbed."""
    found = []
    for study, claim, tell, *source in WORTH_KNOWING:
        with suppress(NotMeasured, Disturbed, KeyError):
            found.append(Highlight(study, f"{study}-{claim}", *tell(results[study]), *source))
    return found


def hero(results: Mapping[str, Results]) -> list[Picture]:
    """The picture of the front page: a padlock, encrypted by AES in ECB and by RC4."""
    try:
        table = results["singhal2011"].rows("leak")
    except (NotMeasured, KeyError):
        return []
    shown = {"none": "The picture", "AES-ECB": "AES, block by block (ECB)", "RC4 (Arcfour)": "RC4"}
    return [Picture(title, table.png_base64[cipher]) for cipher, title in shown.items()]


def four_times(results: Results) -> Telling:
    """PARC4-I repeats itself: the consequences."""
    row = results["structure"].query("cipher == 'parc4i' and quantity == 'all-equal'").iloc[0]
    read = 100 * results["one-message"].groupby("cipher")["read_fraction"].mean()
    return (f"{100 * row.hits / row.trials:.1f} %",
            f"of {row.trials / 1e6:.0f} million rounds of PARC4-I give one byte of RC4 four times over (chance: {power(256.0**-3, 1)}). "
            f"{read['parc4i']:.0f} % of an English message can be read from its ciphertext alone.")


def clock(results: Results) -> Telling:
    """The clock that is stopped before the work is done."""
    printed = results.paper("table-8").drop(columns="data_size_kb").max().max() * 2**20
    times = results["parallel"].query("jvm == 'warm'").pivot(index="data_size_kb", columns="clock", values="median_ns")
    merged = (times.index * 1024 / times.merged * 1e9).max()
    return (f"{quantity(printed, 'B/s', 2)}?",
            "is what the paper reports. Its timer stops when the last task is queued, not when the tasks are done, and the unit is likely wrong by a factor of 1,000. "
            f"The rebuilt program reaches {quantity(float(merged), 'B/s', 2)}.")


def one_key(results: Results) -> Telling:
    """Chunks under one key, read without it."""
    last = results["one-key"].sort_values("chunks").iloc[-1]
    return (f"{round(100 * last.read_fraction, 1):g} %",
            f"of an English text can be read without the key, because the program of 2012 encrypts all {last.chunks} chunks of a file with one keystream.")


def limits(results: Results) -> Telling:
    """Unrolling, which was thought to need every outcome of its comparisons."""
    three = results.rows("unrolling").loc[3]
    return (f"{three.comparisons:.0f}",
            f"comparisons are enough for three rounds of RC4 in one clock. The paper counts {three.paper_pairs:.0f} and their {2**int(three.paper_pairs)} outcomes, "
            "which it calls impossible to manage. A solver proves that ours are enough, for a table of 8 cells.")


def order(results: Results) -> Telling:
    """AES against RC4, with AES instructions and without."""
    def rates(level: str) -> dict[str, float]:
        table = results[f"times-{level}"].query("size_kb == 1024 and key_bits == 128").set_index("cipher")
        return {cipher: 1.048576 / ms for cipher, ms in table["encrypt_ms"].items()}
    fast, slow = rates("aes"), rates("tables")
    return (f"{fast['AES-CTR'] / fast['RC4 (OpenSSL)']:.0f} ×",
            f"is the speed of AES-128-CTR with AES instructions, relative to OpenSSL's RC4. AES is {number(fast['AES-CTR'] / fast['RC4 (Arcfour)'], 2)} times as fast as our RC4. "
            f"By lookup tables, as in 2011, RC4 still leads AES ({number(slow['RC4 (OpenSSL)'] / slow['AES-CTR'], 2)}\N{NO-BREAK SPACE}×), but not ChaCha20.")


def second_byte(results: Results) -> Telling:
    """Mantin and Shamir's byte."""
    row = results.rows("first-checks").loc["Z2 = 0"]
    return (f"{1 + row.relative_bias:.3f} ×",
            f"is the frequency of 0 as the second byte of the keystream, relative to chance, in 2{superscript(round(np.log2(row.keystreams)))} keystreams ({row.sigma:+,.0f} σ).")


# In order of weight, six to fill the first screen.
WORTH_KNOWING: tuple[tuple, ...] = (
    ("handa2015", "secure", four_times),
    ("weerasinghe2012", "clock", clock),
    ("weerasinghe2012", "figure-1", one_key),
    ("sengupta2013", "unrolling", limits),
    ("singhal2011", "conclusion", order),
    ("biases", "second-zero", second_byte, "Mantin & Shamir, 2001"),
)
