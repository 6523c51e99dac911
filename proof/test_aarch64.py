"""Tests that a mutant of the AArch64 kernel fails the proof at its step, and differs under qemu."""

import csv
import os
from pathlib import Path

import lift
import mutate
import prove
import pytest
import qemu
from pypcode import OpCode

OBJECT, SINGLE = Path(os.environ["ARCFOUR_AARCH64"]), Path(os.environ["ARCFOUR_SINGLE"]) / "aarch64.o"
BITWUZLA = prove.SOLVERS["bitwuzla"]


@pytest.fixture(scope="module")
def kernel():
    return prove.proof(OBJECT, "aarch64::xor_turns")


@pytest.fixture(scope="module")
def single():
    return prove.proof(SINGLE, "single::clang::aarch64::blocks_aarch64")


# The section, the steps before it, the instruction and its mutant, the obligation, and a claim that
# fails.
ERRORS = {
    "a tst of two values instead of four": (7, 6, "ff151e72", "ff191f72", "step 7, branch not taken", "x9 is S[i + 3], for i of step 7"),
    "b.ne instead of b.eq": (7, 6, "00150054", "01150054", "step 7, branch not taken", "x9 is S[i + 3], for i of step 7"),
    "S[j] goes to i + 1": (7, 6, "8f1c0039", "8f200039", "step 7, branch not taken",
                           "the memory equals the definition's, at every address"),
    "j takes S[i + 1]": (7, 6, "e7000a0b", "e7000b0b", "step 7, branch not taken", "w7 is j in its low byte"),
    "the byte in another lane": (7, 6, "adc10faa", "ad810faa", "step 7, branch not taken", "x13 is the odd bytes so far"),
    "the first word without its even bytes": (9, 8, "ad210eaa", "1f2003d5", "first word",
                                              "the memory equals the definition's, at every address"),
    "j is not written back": (18, 16, "07040439", "1f2003d5", "end of turn, branch not taken",
                              "only i and j are written"),
    "a register of the caller instead of the table's next base": (18, 16, "e40305aa", "f40305aa", "end of turn, branch taken",
                                                           "no other register is written"),
}


@pytest.mark.parametrize(("section", "steps", "was", "now", "path", "says"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_refuted_by_the_name_of_its_step(kernel, section, steps, was, now, path, says):
    was, now = bytes.fromhex(was), bytes.fromhex(now)
    places = {address for obligation in kernel.sections()[section]() for address in obligation.trace
              if kernel.code.at(address, len(was)) == was}
    assert len(places) == 1
    wrong = kernel.patched(kernel.code.patched(places.pop(), now))
    refuted = {obligation.name: obligation for obligation in wrong.sections()[section]()}[path]
    assert refuted.refuted(says)
    # qemu runs the mutant from the solver's counterexample, and differs from the definition too.
    start = qemu.start_of(refuted, steps, seed=1)
    assert qemu.differs(wrong.code, *start, turns=2)
    assert not qemu.differs(kernel.code, *start, turns=2)


def test_the_kernel_runs_any_number_of_turns_under_qemu(kernel):
    table = bytes(range(255, -1, -1))
    assert not any(qemu.differs(kernel.code, table, i, j=n * 19 & 255, turns=n) for n in range(1, 40, 6) for i in (0, 16, 240))


def test_an_error_in_the_assembly_of_the_c_file_is_refuted(single):
    right = next(item for item in single.code.instructions() if item.mnem == "orr")
    place, was = right.addr.offset, single.code.at(right.addr.offset, right.length)
    wrong = single.patched(single.code.patched(place, bytes([was[0], was[1] ^ 0x80, *was[2:]])))  # lsl by 32 more
    (refuted,) = [found for found in wrong.step(3) if found.name == "step 3, branch not taken"]
    assert refuted.refuted(f"{single.registers['odd']} is the odd bytes so far")
    start = qemu.start_of(refuted, 2, seed=1)
    assert qemu.differs(wrong.code, *start, turns=2)
    assert not qemu.differs(single.code, *start, turns=2)


def test_the_assumptions_can_be_true(kernel):
    for obligation in [*kernel.entry(), *kernel.step(7), *kernel.step(16), *kernel.word(), *kernel.turn_end(), *kernel.lemmas()]:
        assert BITWUZLA(obligation.cover()) == "sat", obligation.name


def test_a_step_needs_each_of_its_instructions(kernel):
    mutants = [mutant for mutant in mutate.mutants(kernel, 0, seed=0) if mutant.sections == [7]]
    verdicts = {mutant.was: mutate.verdict(kernel, mutant)[0] for mutant in mutants}
    assert len(verdicts) > 10 and "survived" not in verdicts.values()


@pytest.fixture(scope="module")
def forms(kernel, single):
    return qemu.forms([kernel.code, single.code])


def test_qemu_does_what_the_lifter_says(forms):
    compared, wrong = qemu.compare(forms, 2, seed=1)
    assert wrong == []
    with qemu.RECORD.open() as file:
        recorded = {row["form"]: int(row["states"]) for row in csv.DictReader(file)}
    assert set(recorded) == set(compared) and min(recorded.values()) >= 2000


# Each operation of the lifter, and the beginning of a form that shows an error in it.
WRONG = {OpCode.INT_SUB: "sub w15", OpCode.INT_AND: "and w12", OpCode.INT_ZEXT: "ldrb w8", OpCode.INT_XOR: "eor", OpCode.INT_OR: "orr",
         OpCode.INT_EQUAL: "tst", OpCode.INT_SBORROW: "subs", OpCode.INT_LEFT: "orr"}


@pytest.mark.parametrize("operation", WRONG, ids=lambda operation: operation.name)
def test_a_lifter_with_a_wrong_operation_differs_from_qemu(forms, monkeypatch, operation):
    right = lift.PURE[operation]
    monkeypatch.setitem(lift.PURE, operation, lambda *given: right(*given) + 1)
    name = next(name for name in forms if name.startswith(WRONG[operation]))
    assert qemu.compare({name: forms[name]}, 20, seed=1)[1]
