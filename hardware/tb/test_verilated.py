# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs GHDL's Verilog of the cores in Verilator, on many keys. GHDL simulates the VHDL, but synthesis reads this
Verilog, and the two may differ. GHDL 2.0 once lost a bypass of rc4_spec with K = 2 at N = 256, and at no smaller N.
Only one word in some hundreds showed it."""

import pytest
import verilate
from simulate import BUILD, SOURCES, few, shapes, variant
from test_refusals import mutated

SHAPES = [("rc4_spec", 256, 2, 16)]
FULL = [
    ("rc4_still", 256, 2, 16),
    ("rc4_spec", 256, 4, 16),
    ("rc4_still", 256, 4, 16),
    ("rc4_bram", 256, 1, 16),
    ("rc4_bram", 256, 1, 256),
    ("rc4_pipe", 256, 1, 16),
    ("rc4_spec", 256, 1, 16),
    ("rc4_spec", 256, 2, 256),
    ("rc4_spec", 256, 8, 16),
    ("rc4_spec with CORRECT", 256, 8, 16),
    ("rc4_pipe", 256, 4, 5),
    ("rc4_pipe", 256, 8, 16),
    ("rc4_unroll", 256, 2, 16),
    ("rc4_design2", 256, 2, 16),
    ("rc4_design2_unshared", 256, 2, 16),
    ("rc4_matthews", 256, 1, 16),
]
# All 2^24 keys of eight words of three bits.
EVERY = [("rc4_spec", 1)]
EVERY_FULL = [("rc4_spec with CORRECT", 1), ("rc4_still", 1), ("rc4_pipe", 1), ("rc4_bram", 1), ("rc4_unroll", 1), ("rc4_unroll", 4), ("rc4_matthews", 1)]

# Where there are few keys, the compiler takes longer to make the program fast than that saves.
LEVEL = {False: "-O0", True: "-O1"}  # by whether there are many keys


@pytest.mark.parametrize("entity, n, k, key_bytes", shapes(SHAPES, FULL))
def test_random_keys(entity, n, k, key_bytes, keys):
    """Keys, stops, pauses, gaps and wipes at random."""
    entity, more = variant(entity)
    model = verilate.core(entity, n, k, key_bytes, level=LEVEL[not few(keys)], more=more)
    found = model.run("random", 500 if few(keys) else 20000, 300, 1)
    assert found["words"] > 0


@pytest.mark.parametrize("entity, k", shapes(EVERY, EVERY_FULL))
def test_every_key(entity, k, keys):
    """Every key there is at N = 8 and KEY_BYTES = 8; the first ones in the quick set."""
    entity, more = variant(entity)
    model = verilate.core(entity, 8, k, 8, level=LEVEL[not few(keys)], more=more)
    count = 2**15 if few(keys) else 2**24
    assert model.run("every", 0, count, 16)["keys"] == count


def axis(core, k, folder=None, sources=SOURCES):
    """rc4_axis around a core, as a program."""
    folder = folder or BUILD / "verilated" / f"rc4_axis-{core}-{k}"
    generics = {"CORE": core, "K": k, "KEY_BYTES": 16}
    return verilate.build("rc4_axis", [verilate.to_verilog("rc4_axis", generics, folder, sources)], 256, k, 16, folder)


@pytest.mark.parametrize("core, k", shapes([], [("bram", 1), ("pipe", 2), ("spec", 4), ("unroll", 8)]))
def test_axis(core, k, keys):
    """Keys of every length and too long, any tkeep, drops, gaps, stops and wipes at random."""
    assert axis(core, k).run("random", keys, 300, 1)["words"] > 0


@pytest.mark.full
@pytest.mark.parametrize(
    "old, new, found",
    [
        ("lane := place + number1(b);", "lane := place + number1(0);", '"wrong": [1-9]'),
        ("elsif state = draining and coming_valid = '0' and valid1 = '0' then", "elsif state = draining then", '"wrong": [1-9]|without a key'),
        ("wipe <= clear or too_long;", "wipe <= too_long;", "a wipe leaves a schedule"),
        ("elsif key_count = KEY_BYTES - 1 then", "elsif false then", "no error"),
    ],
)
def test_an_error_in_the_wrapper_is_found(old, new, found, tmp_path):
    """Errors in rc4_axis that the driver finds."""
    model = axis("unroll", 2, tmp_path, mutated(tmp_path, "rc4_axis.vhd", old, new))
    with pytest.raises(verilate.WrongKeystream, match=found):
        model.run("random", 300, 300, 1)


@pytest.mark.full
def test_an_error_is_found(tmp_path):
    """One bypass taken away from the leading core: the keys find it."""
    sources = mutated(tmp_path, "rc4_spec.vhd", "meets(sum, 3 * K)", "'0'")
    model = verilate.core("rc4_spec", 32, 4, 16, sources, tmp_path, LEVEL[False])
    with pytest.raises(verilate.WrongKeystream, match='"wrong": [1-9]'):
        model.run("random", 200, 300, 1)
