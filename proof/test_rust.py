"""Tests that a changed instruction makes the proof of the library's portable code fail."""

import os
import re
from pathlib import Path

import pytest
import rust_portable
from llvm_ir import Module
from obligation import SOLVERS

TEXT = Path(os.environ["ARCFOUR_RUST"]).read_text()
MEMORY = "the memory equals the definition's, at every address"


def changed(function, was, now):
    """Returns the module with another text in the functions of this name."""
    parts = re.split(r"(?m)^(?=define )", TEXT)
    found = [n for n, part in enumerate(parts) if re.match(rf"define [^\n]*{function}17h", part)]
    assert found and all(re.search(was, parts[n]) for n in found)
    for n in found:
        parts[n] = re.sub(was, now, parts[n])
    return Module("".join(parts))


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
    "prga: S[j] alone": (rust_portable.Prga, "3rc45State4prga", r"%_17 = add i8 %_18, %_22", "%_17 = add i8 0, %_22", "prga",
                         "it returns the byte of keystream"),
}


@pytest.mark.parametrize(("kind", "function", "was", "now", "step", "says"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_refuted_by_the_name_of_its_step(kind, function, was, now, step, says):
    proof = kind(changed(function, was, now))
    (refuted,) = [obligation for obligation in proof.sections()[0]() if obligation.name == step]
    assert refuted.refuted(says)


def test_the_assumptions_can_be_true():
    module = Module(TEXT)
    for kind in (rust_portable.Steps, rust_portable.Of, rust_portable.Prga):
        for obligation in kind(module).sections()[0]():
            assert SOLVERS["bitwuzla"](obligation.cover()) == "sat", obligation.name
