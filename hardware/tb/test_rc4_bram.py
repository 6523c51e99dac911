# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_bram: three clocks a byte, the table in a block RAM."""

import pytest
from simulate import chosen, shapes, simulate
from test_refusals import mutated

SHAPES = [(256, 16), (256, 256), (8, 8), (64, 32)]
FULL = [(256, 5), (8, 1)]


@pytest.mark.parametrize("n, key_bytes", shapes(SHAPES, FULL))
def test_core(n, key_bytes, keys):
    simulate("rc4_bram", "cores", {"N": n, "K": 1, "KEY_BYTES": key_bytes}, chosen(n, key_bytes, keys), keys=keys)


@pytest.mark.parametrize("n, key_bytes", shapes([(8, 8)], [(256, 16)]))
def test_what_is_read_while_it_is_written_does_not_matter(n, key_bytes, keys, tmp_path):
    """So a synthesis need not make the RAM give the old word, or the new one (designs.toml, no_rw_check)."""
    old = "at <= s(to_integer(read_a));"
    new = "at <= not write_d when write_e = '1' and write_a = read_a else s(to_integer(read_a));"
    sources = mutated(tmp_path, "rc4_bram.vhd", old, new)
    simulate("rc4_bram", "cores", {"N": n, "K": 1, "KEY_BYTES": key_bytes}, chosen(n, key_bytes, keys), sources=sources, keys=keys)
