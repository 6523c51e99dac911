"""Cores that Verilator made of GHDL's Verilog, on many keys: GHDL simulates the VHDL, synthesis reads this, and the
two need not be one circuit. GHDL 2.0 once lost a bypass of rc4_spec with K = 2 at N = 256, and at no smaller N; only
one word in some hundreds showed it."""

import pytest
import verilate
from test_refusals import mutated

# rc4_spec with K = 4 is what the data sheet leads with.
SHAPES = {
    ("rc4_spec", 256, 4, 16): 100,
    ("rc4_spec", 256, 2, 16): 100,
}
FULL = {
    ("rc4_bram", 256, 1, 16): 10,
    ("rc4_pipe", 256, 1, 16): 100,
    ("rc4_spec", 256, 1, 16): 100,
    ("rc4_spec", 256, 2, 256): 100,
    ("rc4_spec", 256, 8, 16): 100,
    ("rc4_pipe", 256, 4, 5): 100,
    ("rc4_pipe", 256, 8, 16): 100,
    ("rc4_unroll", 256, 2, 16): 100,
    ("rc4_design2", 256, 2, 16): 100,
    ("rc4_design2_unshared", 256, 2, 16): 100,
    ("rc4_matthews", 256, 1, 16): 100,
}
# All 2^24 keys of eight words of three bits.
EVERY = [("rc4_spec", 1), ("rc4_pipe", 1), ("rc4_bram", 1), ("rc4_unroll", 1), ("rc4_unroll", 4), ("rc4_matthews", 1)]

# Where there are few keys, the compiler takes longer to make the program fast than that saves.
LEVEL = {False: "-O0", True: "-O1"}  # by whether there are many keys


@pytest.mark.parametrize("shape", [*SHAPES, *FULL], ids=lambda shape: "-".join(map(str, shape)))
def test_random_keys(shape, keys):
    """Keys, stops, pauses, gaps and wipes at random."""
    if shape in FULL and keys <= 100:
        pytest.skip("minutes each: make hardware-full")
    model = verilate.core(*shape, level=LEVEL[keys > 100])
    found = model.run("random", keys * (SHAPES | FULL)[shape] // (1 if keys > 100 else 4), 300, 1)
    assert found["words"] > 0


@pytest.mark.parametrize("entity, k", EVERY)
def test_every_key(entity, k, keys):
    """Every key there is at N = 8 and KEY_BYTES = 8; the first ones where not many are asked for."""
    if keys <= 100 and entity != "rc4_spec":
        pytest.skip("minutes each: make hardware-full")
    model = verilate.core(entity, 8, k, 8)
    count = 2**24 if keys > 100 else 2**17
    assert model.run("every", 0, count, 16)["keys"] == count


def test_an_error_is_found(tmp_path):
    """One bypass taken away from the leading core: the keys find it."""
    sources = mutated(tmp_path, "rc4_spec.vhd", "meets(sum, 3 * K)", "'0'")
    model = verilate.core("rc4_spec", 32, 4, 16, sources, tmp_path, LEVEL[False])
    with pytest.raises(verilate.WrongKeystream, match='"wrong": [1-9]'):
        model.run("random", 200, 300, 1)
