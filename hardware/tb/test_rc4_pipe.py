# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_pipe: K bytes in every clock."""

import pytest
from simulate import chosen, shapes, simulate

SHAPES = [(256, 1, 16), (8, 1, 8), (16, 2, 16), (32, 4, 1)]
FULL = [(256, 2, 5), (256, 4, 32), (16, 1, 3)]


@pytest.mark.parametrize("n, k, key_bytes", shapes(SHAPES, FULL))
def test_core(n, k, key_bytes, keys):
    simulate("rc4_pipe", "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes}, chosen(n, key_bytes, keys), keys=keys, phase=1)
