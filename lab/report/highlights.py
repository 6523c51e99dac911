"""The results worth knowing, in figures taken from the results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lab.results import NotMeasured, Results

Telling = tuple[str, str]  # a figure to remember, and what it is


@dataclass(frozen=True)
class Highlight:
    """What to know, and where on the page it comes from."""

    study: str
    anchor: str
    figure: str
    text: str


def highlights(results: dict[str, Results]) -> list[Highlight]:
    """Those whose experiments have a record."""
    found = []
    for study, claim, tell in WORTH_KNOWING:
        try:
            found.append(Highlight(study, f"{study}-{claim}", *tell(results[study])))
        except NotMeasured:
            continue
    return found


def languages(results: Results) -> Telling:
    """The same program in five languages, and ours."""
    table = results["languages-steady"]
    rate = (table[table.bytes == table.bytes.max()].set_index("language").eval("us * 1000 / bytes")).sort_values()
    return (f"{rate.drop('our rc4').max() / rate.drop('our rc4').min():.0f} ×",
            f"lies between the fastest port of one program and the slowest: {rate.index[-1]} takes {rate.iloc[-1]:.0f} ns for a byte, "
            f"C {rate['C']:.2f}, Java {rate['Java']:.2f}, and our rc4 {rate['our rc4']:.2f}.")


def clock(results: Results) -> Telling:
    """The clock that is stopped before the work is done."""
    times = results["parallel"].query("jvm == 'warm'").pivot(index="data_size_kb", columns="clock", values="median_ns")
    ratio = times.merged / times.submitted
    return (f"{ratio.median():.1f} ×",
            f"is what the work takes of the time that a clock shows which stops, as the paper's does, when it is handed to the threads: the median over "
            f"{len(ratio)} sizes, {ratio.min():.1f} to {ratio.max():.1f}.")


def one_key(results: Results) -> Telling:
    """Chunks under one key, read without it."""
    last = results["one-key"].sort_values("chunks").iloc[-1]
    return (f"{100 * last.read_fraction:.1f} %",
            f"of an English text are read without the key when its {last.chunks} chunks are encrypted under the same one, as the parallel "
            "program does. The sealed file gives every chunk a key of its own.")


def four_times(results: Results) -> Telling:
    """PARC4-I repeats itself."""
    row = results["structure"].query("cipher == 'parc4i' and quantity == 'all-equal'").iloc[0]
    return (f"{100 * row.hits / row.trials:.1f} %",
            "of the rounds of PARC4-I as printed give four equal bytes: its four tables get the same key and stay the same for ever. "
            "The fourth byte of a round is always RC4's next byte.")


def one_message(results: Results) -> Telling:
    """What that costs."""
    read = 100 * results["one-message"].groupby("cipher")["read_fraction"].mean()
    return (f"{read['parc4i']:.0f} %",
            f"of a single English message under PARC4-I is read from its ciphertext alone; under RC4, {read['rc4']:.0f} %, which is guessing, "
            f"and under our repair, PARC4-R, {read['parc4r']:.0f} %.")


def order(results: Results) -> Telling:
    """AES against RC4, with AES instructions and without."""
    def rates(level: str) -> dict[str, float]:
        table = results[f"times-{level}"].query("size_kb == 1024 and key_bits == 128").set_index("cipher")
        return {cipher: 1.048576 / ms for cipher, ms in table["encrypt_ms"].items()}
    fast, slow = rates("aes"), rates("tables")
    return (f"{fast['AES-CTR'] / fast['RC4 (OpenSSL)']:.0f} ×",
            f"as fast as RC4 is AES-128-CTR in OpenSSL with AES instructions ({fast['AES-CTR']:.1f} and {fast['RC4 (OpenSSL)']:.2f} GB/s); "
            f"without them {slow['AES-CTR'] / slow['RC4 (OpenSSL)']:.2f} ×. That is how the order of 2011 has turned.")


def picture(results: Results) -> Telling:
    """ECB and a picture."""
    table = results["leak"].set_index("cipher")
    none, ecb, rc4 = (table.loc[name, "distinct_blocks"] for name in ("none", "AES-ECB", "RC4 (Arcfour)"))
    return (f"{ecb} = {none}",
            f"different blocks has a drawing under AES-ECB, as many as before: its outline stays to be seen. Under RC4, CBC and CTR there are {rc4}.")


def limits(results: Results) -> Telling:
    """Unrolling, which was held to need 2^9 cases."""
    three = results["unrolling"].set_index("k").loc[3]
    return (f"{three.comparisons:.0f}",
            f"comparisons of words let a circuit do three rounds of RC4 at once, where the paper of 2013 expected {2**int(three.paper_pairs)} cases and gave up; "
            "a solver proves it right from every state of a small table.")


def gate_delays(results: Results) -> Telling:
    """The fastest core against the paper's fastest."""
    table = results["synthesis"]
    table = table[table["library"] == table.groupby("library", sort=False).size().idxmax()].set_index("design")
    best, copy = table.loc[table.gbit_per_s.idxmax()], table.loc[table.gbit_per_s[["rc4_design2", "rc4_design2_ksa1"]].idxmax()]
    return (f"{best.gbit_per_s / copy.gbit_per_s:.1f} ×",
            f"the keystream of the paper's fastest design, rebuilt in the same flow, has our fastest core: {best.gbit_per_s:.1f} against {copy.gbit_per_s:.2f} Gb/s in a 130 nm library, before placement "
            f"({best.area_ge / 1000:.0f} and {copy.area_ge / 1000:.0f} thousand gates).")


def second_byte(results: Results) -> Telling:
    """Mantin and Shamir's byte."""
    row = results["first-checks"].set_index("event").loc["Z2 = 0"]
    return (f"{1 + row.relative_bias:.3f} ×",
            f"as often as chance allows is the second byte of keystream zero, in 2^{np.log2(row.keystreams):.0f} keystreams "
            f"({row.sigma:+.0f} sigma): the plainest of the biases for which RC4 was given up.")


WORTH_KNOWING: tuple[tuple[str, str, Callable[[Results], Telling]], ...] = (
    ("galvane2012", "figure-3-2", languages),
    ("weerasinghe2012", "clock", clock),
    ("weerasinghe2012", "figure-1", one_key),
    ("handa2015", "distinct", four_times),
    ("handa2015", "secure", one_message),
    ("sengupta2013", "unrolling", limits),
    ("sengupta2013", "throughput", gate_delays),
    ("singhal2011", "conclusion", order),
    ("singhal2011", "conclusion", picture),
    ("biases", "second-zero", second_byte),
)
