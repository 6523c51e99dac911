"""rc4_spec: K bytes in nearly every clock."""

import pytest
from simulate import simulate

SHAPES = [(256, 2, 16), (64, 4, 32), (8, 1, 8), (16, 2, 3), (32, 4, 1), (64, 8, 5)]


@pytest.mark.parametrize("n, k, key_bytes", SHAPES)
def test_core(n, k, key_bytes, keys):
    simulate("rc4_spec", "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes}, keys=keys, phase=1)
