"""rc4_bram: three clocks a byte, the table in a block RAM."""

import pytest
from simulate import chosen, shapes, simulate

SHAPES = [(256, 16), (256, 256), (8, 8), (64, 32)]
FULL = [(256, 5), (8, 1)]


@pytest.mark.parametrize("n, key_bytes", shapes(SHAPES, FULL))
def test_core(n, key_bytes, keys):
    simulate("rc4_bram", "cores", {"N": n, "K": 1, "KEY_BYTES": key_bytes}, chosen(n, key_bytes, keys), keys=keys)
