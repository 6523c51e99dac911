"""rc4_axis: the cores on AXI4-Stream."""

import pytest
from simulate import simulate

SHAPES = [("spec", 2, 16), ("spec", 4, 5), ("spec", 8, 3), ("pipe", 1, 16), ("unroll", 4, 32), ("bram", 1, 256)]


@pytest.mark.parametrize("core, k, key_bytes", SHAPES)
def test_bus(core, k, key_bytes):
    simulate("rc4_axis", "axis", {"CORE": core, "K": k, "KEY_BYTES": key_bytes}, n=256)


@pytest.mark.parametrize("core, k, key_bytes", [("spec", 4, 16), ("pipe", 1, 5)])
def test_peer(core, k, key_bytes):
    """The same bus under the models of another project."""
    simulate("rc4_axis", "axis_peer", {"CORE": core, "K": k, "KEY_BYTES": key_bytes}, n=256)
