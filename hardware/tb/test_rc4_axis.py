"""rc4_axis: the cores on AXI4-Stream."""

import pytest
from simulate import simulate

SHAPES = [("unroll", 4, 5), ("unroll", 1, 16), ("spec", 4, 5), ("pipe", 1, 16)]
FULL = [("spec", 2, 16), ("spec", 8, 3), ("unroll", 4, 32), ("bram", 1, 256)]
# What depends on the core and not on the bus. The cores with a rotor take GHDL ten times as long as rc4_unroll.
OF_CORE = ["packets", "idle_and_back_pressure", "rekey_in_mid_stream", "rate"]


@pytest.mark.parametrize("core, k, key_bytes", [*SHAPES, *FULL])
def test_bus(core, k, key_bytes, keys):
    if (core, k, key_bytes) in FULL and keys <= 100:
        pytest.skip("a minute or more each: make hardware-full")
    tests = None if keys > 100 or core == "unroll" else OF_CORE
    simulate("rc4_axis", "axis", {"CORE": core, "K": k, "KEY_BYTES": key_bytes}, tests, n=256)


@pytest.mark.parametrize("core, k, key_bytes", [("spec", 4, 16), ("pipe", 1, 5)])
def test_peer(core, k, key_bytes, keys):
    """The same bus under the models of another project."""
    if core == "spec" and keys <= 100:
        pytest.skip("a minute or more: make hardware-full")
    simulate("rc4_axis", "axis_peer", {"CORE": core, "K": k, "KEY_BYTES": key_bytes}, n=256)
