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
    # j1 is i + 1, or i; j2 is i, or i + 1; a cell that i has passed.
    ("rc4_search_engine.vhd", "if inside(j1, past(4)) = '1' and j1(0) = '1' then", "if false then"),
    ("rc4_search_engine.vhd", "if inside_1(7) = '1' then", "if false then"),
    ("rc4_search_engine.vhd", "even_takes_x2(7)  <= inside(j2, past(6)) and not j2(0);", "even_takes_x2(7) <= '0';"),
    ("rc4_search_engine.vhd", "inside_2(7)       <= inside(j2, past(6)) or not", "inside_2(7) <= not"),
    ("rc4_search_engine.vhd", "or j(W - 1 downto 1) < command.pair(W - 2 downto 0) then", "then"),
    ("rc4_search.vhd", "                epoch <= not epoch;", "                epoch <= epoch;"),
]
MUTATIONS_FULL = [
    ("rc4_search_engine.vhd", "write_1     <= (past(4).schedule or past(4).step) and not inside(j1, past(4));", "write_1 <= past(4).schedule or past(4).step;"),
    ("rc4_search_engine.vhd", "if past(6).slot(1) = '0' and (", "if ("),
    ("rc4_search_engine.vhd", "      y2 <= b_now;\n", "      y2 <= even_8;\n"),
    # The last pair is not written.
    ("rc4_search.vhd", "if pair = N / 2 then", "if pair = N / 2 - 1 then"),
    ("rc4_search.vhd", "if lane_no = lane_limit then", "if lane_no = 8 * ENGINES - 1 then"),
]


@pytest.mark.parametrize("file, old, new", shapes(MUTATIONS, MUTATIONS_FULL))
def test_an_error_is_found(file, old, new, tmp_path):
    generics = {"N": 8, "KEY_BYTES": 3, "TEXT_BYTES": 4, "ENGINES": 1, "HIT_WORDS": 4}
    with pytest.raises(SystemExit) as end:
        simulate("rc4_search", "search", generics, "planted_keys", sources=mutated(tmp_path, file, old, new), k=1, searches=12)
    assert end.value.code != 0
