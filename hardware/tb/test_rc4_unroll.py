# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_unroll: K rounds a clock by priority forwarding."""

import pytest
from simulate import chosen, shapes, simulate

SHAPES = [(256, 2, 5), (8, 4, 3), (16, 2, 16), (32, 8, 1)]
FULL = [(256, 1, 16), (256, 4, 32), (8, 1, 8)]


@pytest.mark.parametrize("n, k, key_bytes", shapes(SHAPES, FULL))
def test_core(n, k, key_bytes, keys):
    simulate("rc4_unroll", "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes}, chosen(n, key_bytes, keys), keys=keys)
