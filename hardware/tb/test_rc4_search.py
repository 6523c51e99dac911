# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_search: engines that try keys."""

import pytest
from simulate import few, shapes, simulate
from test_refusals import mutated

# N, words of a key, words of a text, engines
SHAPES = [(8, 3, 4, 2), (256, 5, 3, 1)]
FULL = [(8, 8, 6, 1), (16, 2, 3, 4), (8, 5, 2, 32), (256, 16, 16, 2), (256, 256, 1, 1), (256, 13, 16, 16)]


@pytest.mark.parametrize("n, key_bytes, text_bytes, engines", shapes(SHAPES, FULL))
def test_search(n, key_bytes, text_bytes, engines, keys):
    generics = {"N": n, "KEY_BYTES": key_bytes, "TEXT_BYTES": text_bytes, "ENGINES": engines, "HIT_WORDS": 4}
    tests = ["planted_keys", "clocks"] if few(keys) and n == 256 else None
    searches = {(True, True): 3, (True, False): 12, (False, True): 5, (False, False): 100}[few(keys), n == 256]
    simulate("rc4_search", "search", generics, tests, k=1, searches=searches)


# A special case each that only some states show: the file, the text, and what stands there instead.
MUTATIONS = [
    ("rc4_search_engine.vhd", "elsif back = '1' then", "elsif false then"),
    ("rc4_search_engine.vhd", "else '1' when j1 = (past(3).pair(W - 2 downto 0) & '1')", "else '1' when false"),
    ("rc4_search.vhd", "                  epoch <= not epoch;", "                  epoch <= epoch;"),
]
MUTATIONS_FULL = [
    ("rc4_search_engine.vhd", "j_word <= j_b + word;", "j_word <= j_a + word;"),
    ("rc4_search.vhd", "if lane_no = lane_limit then", "if lane_no = 4 * ENGINES - 1 then"),
]


@pytest.mark.parametrize("file, old, new", shapes(MUTATIONS, MUTATIONS_FULL))
def test_an_error_is_found(file, old, new, tmp_path):
    generics = {"N": 8, "KEY_BYTES": 3, "TEXT_BYTES": 4, "ENGINES": 1, "HIT_WORDS": 4}
    with pytest.raises(SystemExit) as end:
        simulate("rc4_search", "search", generics, "planted_keys", sources=mutated(tmp_path, file, old, new), k=1, searches=12)
    assert end.value.code != 0
