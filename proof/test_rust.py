"""Tests that a changed instruction makes the proof of the library's portable code fail."""

import os
import re
from pathlib import Path

import pytest
import rust_loops
import rust_portable
from obligation import SOLVERS

TEXT = Path(os.environ["ARCFOUR_RUST"]).read_text()
MEMORY = "the memory equals the definition's, at every address"


def changed(function, was, now):
    """Returns the module with another text in the functions of this name."""
    parts = re.split(r"(?m)^(?=define )", TEXT)
    found = [n for n, part in enumerate(parts) if re.match(rf"define [^\n]*{function}17h", part) and re.search(was, part)]
    assert found
    for n in found:
        parts[n] = re.sub(was, now, parts[n])
    return rust_loops.library("".join(parts))


# The proof, the function, its text and the mutant, the obligation, and a claim that fails.
ERRORS = {
    "step: a swap with the second preloaded byte is not noticed": (rust_portable.Steps, "6Blocks4step", r"(icmp ult i64 %\d+), 2\n", r"\1, 1\n",
                                              "step 1, branch not taken", MEMORY),
    "step: the byte of S[j]": (rust_portable.Steps, "6Blocks4step", r"%_36 = add i64 %x, %_37", "%_36 = add i64 0, %_37",
                               "step 1, branch taken", "it returns the byte of keystream"),
    "next: a byte in another place": (rust_portable.Next, "6Blocks4next", r"shl i64 %_12, 8", "shl i64 %_12, 16", "next",
                                      "the bytes are in order"),
    "of: j is i": (rust_portable.Of, "6Blocks2of", r"%j = zext i8 %_7 to i64", "%j = zext i8 %_5 to i64", "of",
                   "the `Blocks` is at its first step"),
    "bytes: the sum instead of the xor": (rust_loops.Bytes, "8portable5bytes", r"xor i8 %_4, %_5", "add i8 %_4, %_5",
                                          "turn, branch not taken", MEMORY),
    "fill: the same byte twice": (rust_loops.ByteLoops, "8for_each", r"(%_24 = getelementptr inbounds nuw i8, ptr %ptr, i64) 1", r"\1 0",
                                  "turn, branch not taken", "word 0 of the loop's variables is right"),
    "fill: 15 bytes of a block": (rust_loops.BlockLoops, re.escape("8portable4fill28_$u7b$$u7b$closure$u7d$$u7d$"), r"i64 16, i1 false",
                                  "i64 15, i1 false", "turn, branch not taken",
                                  "the next 16 bytes are its bytes, and no other byte is written"),
    "fill: j is i behind the blocks": (rust_loops.Fill, "8portable4fill", r"store i8 %_44, ptr %23", "store i8 %_43, ptr %23",
                                       "parts, branch not taken, branch taken, branch not taken",
                                       "call 4 takes the memory of the call before"),
    "xor: half of a group is lost": (rust_loops.Xor, "8portable3xor", r"%_48 = mul i64 256", "%_48 = mul i64 128",
                                     "entry, branch not taken, branch taken, branch not taken", "rest4 is unchanged"),
    "xor: each group goes to the first": (rust_loops.Xor, "8portable3xor", r"(%_67 = .*), i64 %_68", r"\1, i64 0",
                                                    "group, branch not taken, branch not taken", "the xor takes the bytes that come next"),
    "xor: 15 bytes of a block": (rust_loops.XorOfBlock, "10xor_in2out", r"icmp ult i64 %_18, 16", "icmp ult i64 %_18, 15", "16 bytes", MEMORY),
    "key schedule: j without the key": (rust_loops.KeySchedule, "8portable8schedule", r"%17 = add i8 %_17, %_18", "%17 = add i8 %_17, 0",
                                        "turn, branch taken, branch not taken, branch taken, branch taken, branch taken, branch taken",
                                        "j is the definition's"),
    "prga: S[j] alone": (rust_portable.Prga, "3rc45State4prga", r"%_17 = add i8 %_18, %_22", "%_17 = add i8 0, %_22", "prga",
                         "it returns the byte of keystream"),
}


@pytest.mark.parametrize(("kind", "function", "was", "now", "step", "says"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_refuted_by_the_name_of_its_step(kind, function, was, now, step, says):
    refuted = [obligation for obligation in kind(changed(function, was, now)).obligations() if obligation.name == step]
    assert any(obligation.refuted(says) for obligation in refuted)


def test_an_error_in_five_streams_is_refuted():
    module = changed("8portable5lanes4step", r"add i8 (%\S+), (%\S+)", r"sub i8 \1, \2")
    (obligation,) = rust_loops.LaneSteps(module).step(rust_loops.LaneSteps(module).place())
    assert obligation.refuted(MEMORY)


def test_the_assumptions_can_be_true():
    module = rust_loops.library(TEXT)
    for kind in (rust_portable.Steps, rust_portable.Of, rust_portable.Prga, *rust_loops.PROOFS[:-1]):
        possible = {}
        for obligation in kind(module).obligations():
            # No state takes a path that panics. But some state takes a path from the same begin.
            name = obligation.name.partition(", branch")[0]
            possible[name] = possible.get(name, False) or SOLVERS["bitwuzla"](obligation.cover()) == "sat"
        assert all(possible.values()), possible
