# SPDX-License-Identifier: MIT OR Apache-2.0
"""The designs of the paper, in rtl/paper."""

from dataclasses import dataclass

import pytest
from simulate import BUILD, shapes, simulate


@dataclass(frozen=True)
class Design:
    words: int  # in a transfer
    ksa: int  # rounds of the key schedule in a clock
    rate: float  # words in a clock
    # Clocks beyond words / rate: the paper's numbers, less one. The paper counts the clock pulse
    # that starts the schedule and the pulse that starts the keystream. Ours accepts the last key
    # word in the first pulse and has no second, because the stream follows at once.
    lag: int


# Table 6 has Design 1 and Design 2; sections 2.5, 3.1 and 3.2 have the rest.
DESIGNS = {
    "rc4_design1": Design(words=2, ksa=1, rate=1, lag=2 - 1),
    "rc4_pipelined_a": Design(words=1, ksa=2, rate=1, lag=2 - 1),
    "rc4_pipelined_b": Design(words=1, ksa=2, rate=1, lag=2 - 1),
    "rc4_pipelined_c": Design(words=1, ksa=1, rate=1, lag=2 - 1),
    "rc4_design2": Design(words=2, ksa=2, rate=2, lag=2 - 1),
    "rc4_design2_ksa1": Design(words=2, ksa=1, rate=2, lag=2 - 1),
    "rc4_design2_unshared": Design(words=2, ksa=2, rate=2, lag=2 - 1),
    "rc4_matthews": Design(words=1, ksa=1, rate=1, lag=3),
}


@pytest.mark.parametrize("n, key_bytes", shapes([(8, 3)], [(16, 1)]))
@pytest.mark.parametrize("entity", DESIGNS)
def test_core(entity, n, key_bytes, keys):
    generics = {"N": n, "KEY_BYTES": key_bytes}
    simulate(entity, "cores", generics, k=DESIGNS[entity].words, keys=keys)


@pytest.mark.full
@pytest.mark.parametrize("entity", DESIGNS)
def test_full_size(entity, keys):
    """RFC 6229 and all the rest; the quick set has the first words of a key, below."""
    generics = {"N": 256, "KEY_BYTES": 16}
    simulate(entity, "cores", generics, k=DESIGNS[entity].words, keys=keys)


@pytest.mark.parametrize("entity", DESIGNS)
def test_clocks(entity):
    """The clocks of table 6, over a turn of i."""
    design = DESIGNS[entity]
    BUILD.mkdir(parents=True, exist_ok=True)
    simulate(
        entity,
        "throughput",
        {"N": 256, "KEY_BYTES": 16},
        k=design.words,
        words=272,
        clocks=BUILD / f"clocks-{entity}.json",
        ksa_clocks=256 // design.ksa,
        words_per_clock=design.rate,
        prga_lag_clocks=design.lag,
    )
