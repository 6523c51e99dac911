"""rc4_spec: K bytes in nearly every clock."""

import pytest
from simulate import chosen, simulate

SHAPES = [(256, 2, 16), (64, 4, 32), (8, 1, 8), (16, 2, 3), (32, 4, 1), (64, 8, 5)]
# The rest of what the generics allow at N = 256, and K = 16 where it is small; test_verilated.py has K = 4.
LARGE = [(128, 16, 16), (256, 16, 5), (256, 32, 16), (256, 1, 256), (256, 8, 32)]


@pytest.mark.parametrize("n, k, key_bytes", SHAPES)
def test_core(n, k, key_bytes, keys):
    simulate("rc4_spec", "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes}, chosen(n, keys), keys=keys, phase=1)


@pytest.mark.parametrize("n, k, key_bytes", LARGE)
def test_large(n, k, key_bytes, keys):
    """Where groups are long the sums have many operands: the first words of a key are wrong if one is lost."""
    if keys <= 100 and n == 256:
        pytest.skip("minutes each: make hardware-full")
    tests = None if keys > 100 else ["random_keys"]
    simulate("rc4_spec", "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes}, tests, keys=min(keys, 500), phase=1)
