# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_axis: the cores on AXI4-Stream."""

import pytest
from simulate import few, shapes, simulate

SHAPES = [("unroll", 4, 5), ("spec", 4, 5), ("pipe", 1, 16), ("still", 2, 16)]
FULL = [("unroll", 1, 16), ("spec", 2, 16), ("spec", 8, 3), ("unroll", 4, 32), ("bram", 1, 256)]
# What depends on the core and not on the bus. The cores with a rotor take GHDL ten times as long as rc4_unroll.
OF_CORE = {"spec": ["idle_and_back_pressure", "rate"], "pipe": ["packets", "rate"], "still": ["packets", "rate"]}


@pytest.mark.parametrize("core, k, key_bytes", shapes(SHAPES, FULL))
def test_bus(core, k, key_bytes, keys):
    tests = OF_CORE.get(core) if few(keys) else None
    simulate("rc4_axis", "axis", {"CORE": core, "K": k, "KEY_BYTES": key_bytes}, tests, n=256)


@pytest.mark.parametrize("core, k, key_bytes", shapes([("unroll", 2, 5)], [("spec", 4, 16), ("pipe", 1, 5)]))
def test_peer(core, k, key_bytes):
    """Runs the same bus under the models of another project."""
    simulate("rc4_axis", "axis_peer", {"CORE": core, "K": k, "KEY_BYTES": key_bytes}, n=256)
