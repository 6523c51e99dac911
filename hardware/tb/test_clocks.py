# SPDX-License-Identifier: MIT OR Apache-2.0
"""The clocks of the data sheet, at N = 256. Where they depend on the data there is a range."""

import re

import pytest
from simulate import HARDWARE, shapes, simulate

SHEET = [
    ("rc4_unroll", 2, "131", 2.0, 0),
    ("rc4_pipe", 1, "267", 1.0, 0),
    ("rc4_spec", 2, "140-163", 1.954, 0.02),
    ("rc4_still", 2, "140-163", 1.954, 0.02),
]
FULL = [
    ("rc4_unroll", 1, "259", 1.0, 0),
    ("rc4_unroll", 4, "67", 4.0, 0),
    ("rc4_pipe", 2, "139", 2.0, 0),
    ("rc4_pipe", 4, "75", 4.0, 0),
    ("rc4_spec", 1, "268-279", 0.996, 0.005),
    ("rc4_spec", 4, "76-117", 3.611, 0.06),
    ("rc4_spec", 8, "44-100", 5.55, 0.15),
    ("rc4_still", 1, "268-279", 0.996, 0.005),
    ("rc4_still", 4, "76-117", 3.611, 0.06),
]


@pytest.mark.parametrize("entity, k, first, rate, slack", shapes(SHEET, FULL))
def test_clocks(entity, k, first, rate, slack):
    generics = {"N": 256, "K": k, "KEY_BYTES": 16}
    simulate(entity, "clocks", generics, first=first, rate=rate, slack=slack)


@pytest.mark.parametrize("k, first, rate, slack", shapes([], [(8, "44-70", 7.07, 0.15)]))
def test_clocks_with_correct(k, first, rate, slack):
    simulate("rc4_spec", "clocks", {"N": 256, "K": k, "KEY_BYTES": 16, "CORRECT": "true"}, first=first, rate=rate, slack=slack)


@pytest.mark.parametrize("key_bytes", [1, 16])
def test_clocks_of_rc4_bram(key_bytes):
    """The clocks that the README states, without a range."""
    text = " ".join((HARDWARE / "README.md").read_text().split())
    first = {
        1: re.search(r"a key of one byte takes (\d+) clocks after another key", text)[1],
        16: re.search(r"a key of 16 bytes, one a clock, takes (\d+)", text)[1],
    }
    filled = re.search(r"A key long after a reset takes (\d+)", text)[1]
    assert f"| 1/3 | {first[16]} after another key; {filled} if the table is filled |" in text
    simulate("rc4_bram", "clocks", {"N": 256, "K": 1, "KEY_BYTES": key_bytes}, first=first[key_bytes], rate=1 / 3, filled=filled)
