# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_spec and rc4_still, the same core with another table: K bytes in nearly every clock."""

import pytest
from simulate import chosen, few, shapes, simulate, variant
from test_refusals import mutated

SHAPES = [(256, 2, 16), (8, 1, 8), (16, 2, 3), (32, 4, 1)]
FULL = [(64, 4, 32), (64, 8, 5)]
# The rest of what the generics allow at N = 256, and K = 8 and 16 where they are small; test_verilated.py has K = 4.
LARGE = [(64, 8, 5), (128, 16, 16)]
LARGE_FULL = [(256, 16, 5), (256, 32, 16), (256, 1, 256), (256, 8, 32)]
CORES = ["rc4_spec", "rc4_still"]


@pytest.mark.parametrize("n, k, key_bytes", shapes(SHAPES, FULL))
@pytest.mark.parametrize("core", CORES)
def test_core(core, n, k, key_bytes, keys):
    simulate(core, "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes}, chosen(n, key_bytes, keys), keys=keys, phase=1)


@pytest.mark.parametrize("n, k, key_bytes", shapes(LARGE, LARGE_FULL))
@pytest.mark.parametrize("core", CORES)
def test_large(core, n, k, key_bytes, keys):
    """Sums of long groups have many operands, and the first words of a key are wrong if one is
    lost. At N = 256 with K = 16 and 32 only a few keys are tried. A clock takes GHDL too long, and
    Verilator takes too long to compile the core."""
    if core == "rc4_still" and k > 16:
        pytest.skip("rc4_still takes K up to 16")
    tests, count = ("random_keys", 2 if few(keys) else 8) if few(keys) or n * k >= 4096 else (None, keys)
    simulate(core, "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes}, tests, keys=count, phase=1)


@pytest.mark.parametrize("n, k, key_bytes", shapes([(8, 1, 8), (16, 2, 3), (32, 4, 1), (64, 8, 5)], [(128, 16, 16), (256, 2, 16), (64, 4, 32)]))
def test_correct(n, k, key_bytes, keys):
    """The core that adds a difference after a hit."""
    tests = "random_keys" if k >= 8 and few(keys) else chosen(n, key_bytes, keys)
    simulate("rc4_spec", "cores", {"N": n, "K": k, "KEY_BYTES": key_bytes, "CORRECT": "true"}, tests, keys=keys, phase=1)


@pytest.mark.parametrize(
    "core, n, k",
    shapes([("rc4_spec", 64, 8), ("rc4_spec with CORRECT", 32, 4)], [("rc4_spec", 16, 2), ("rc4_spec", 32, 4), ("rc4_spec with CORRECT", 16, 2), ("rc4_spec with CORRECT", 64, 8)]),
)
def test_trees(core, n, k, keys, tmp_path):
    """The logic of long groups, in groups of a small table: there are more hits in the same number of clocks."""
    sources = mutated(tmp_path, "rc4_pkg.vhd", "return k > 8;", "return k > 1;")
    entity, more = variant(core)
    simulate(entity, "cores", {"N": n, "K": k, "KEY_BYTES": 5} | more, "random_keys" if few(keys) else None, sources=sources, keys=keys, phase=1)


ERRORS = [
    ("rc4_rotor.vhd", "for step in 1 to (log2(K) + 1) / 2 loop", "for step in 1 to 0 loop"),
    ("rc4_spec.vhd", "any0 and not after_hit(r - 1)", "any0"),
]
ERRORS_FULL = [
    ("rc4_rotor.vhd", "any_in(hits, m + 1, r - 1)", "'0'"),
    ("rc4_rotor.vhd", "any_in(hits, m + 1, K - 1)", "'0'"),
    ("rc4_rotor.vhd", "any_in(hits, r + 1, m - 1)", "'0'"),
    ("rc4_rotor.vhd", "any_in(hits, m + 1, 3 * K - 1)", "'0'"),
    ("rc4_spec.vhd", "any_in(hits(target), r + 1, K - 1)", "'0'"),
    ("rc4_spec.vhd", "found := after_hit(target);", "found := '0';"),
    ("rc4_spec.vhd", "e(r) mod K <= target", "e(r) mod K < target"),
    ("rc4_spec.vhd", "met1(r) and not (first and", "met1(r) and not ('0' and"),
    ("rc4_spec.vhd", "e(r) mod K = target), to_x(target)", "e(r) mod K = target), to_x(0)"),
    ("rc4_spec.vhd", "after_hit(r) and not after_hit(r - 1)", "after_hit(r)"),
    ("rc4_spec.vhd", "only(not any0, change(1))", "only('0', change(1))"),
]


@pytest.mark.parametrize("file, old, new", shapes(ERRORS, ERRORS_FULL))
def test_an_error_in_the_trees_is_found(file, old, new, tmp_path):
    sources = mutated(tmp_path, "rc4_pkg.vhd", "return k > 8;", "return k > 1;")
    changed = mutated(tmp_path, file, old, new)
    sources = [path if path.name == file else source for source, path in zip(sources, changed, strict=True)]
    with pytest.raises(SystemExit) as end:
        simulate("rc4_spec", "cores", {"N": 32, "K": 4, "KEY_BYTES": 5, "CORRECT": "true"}, "random_keys", sources=sources, keys=60, phase=1)
    assert end.value.code != 0
