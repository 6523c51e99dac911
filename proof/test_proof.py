"""Tests that a changed instruction makes the proof fail at its step.

`make proof` runs the proof itself first.
"""

import csv
import os
from pathlib import Path

import lift
import memory
import mutate
import processor
import prove
import pytest
import replay
import z3
from definition import keystream, rc4a_keystream
from obligation import ALONE, TOGETHER, Answers, Obligation, by_z3
from pypcode import OpCode

ROOT = prove.HERE.parent
ELF = Path(os.environ["ARCFOUR_PROGRAMS"]) / "arcfour"
SINGLE = Path(os.environ["ARCFOUR_SINGLE"])
HELD = prove.kernels(ELF, SINGLE / "gcc.o", SINGLE / "clang.o")


def test_the_definition_gives_the_published_keystreams():
    compared = 0
    for line in (ROOT / "vectors" / "rc4-rfc6229.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            key, offset, expected = line.split()
            start, expected = int(offset), bytes.fromhex(expected)
            assert keystream(bytes.fromhex(key), start + len(expected))[start:] == expected
            compared += 1
    assert compared == 14 * 18


def test_the_definition_of_rc4a_gives_the_keystreams_of_the_vectors():
    compared = 0
    for line in (ROOT / "vectors" / "rc4a.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            key, offset, expected = line.split()
            start, expected = int(offset), bytes.fromhex(expected)
            if start < 1 << 13:
                assert rc4a_keystream(bytes.fromhex(key), start + len(expected))[start:] == expected
                compared += 1
    assert compared == 15


@pytest.fixture(scope="module")
def xor():
    return prove.proof(ELF, "x86_64::stream::xor_turns")


@pytest.fixture(scope="module")
def schedule():
    return prove.proof(ELF, "x86_64::stream::schedule_turns")


@pytest.fixture(scope="module")
def proofs():
    return {kernel: prove.proof(elf, kernel) for kernel, elf in HELD.items()}


# Mutants of the kernels with several tables: the kernel, the section, the bytes before and after,
# the step, a claim that fails.
MORE_ERRORS = {
    "RC4A: the store to i + 1 is not noticed": ("x86_64::rc4a::xor_turns", 1, "4438f1", "4438f9", "step 1, branch not taken",
                                             "R8 is S1[i + 1], for i of the last half of a round that shuffled S1"),
    "RC4A: S1[j1] goes to i + 1": ("x86_64::rc4a::xor_turns", 1, "884501", "884502", "step 1, branch not taken",
                                   "the memory equals the definition's, at every address"),
    "lanes: j takes another lane's S[i]": ("x86_64::lanes::xor_turns", 2, "4400d3", "4400cb", "step 1 of lane 1", "RBX is &S[j] of lane 1"),
    "lanes: the byte in another lane": ("x86_64::lanes::xor_turns", 1, "66410f3a20041700", "66410f3a20041701", "step 1 of lane 0",
                                        "XMM0_Ba is byte 1 of lane 0"),
    "key schedules: the keys of another lane": ("x86_64::lanes::schedule_turns", 2, "41025e10", "41025e20", "step 1 of lane 1",
                                                "RBX is &S[j] of lane 1"),
    "five streams in C: the output of another lane": ("single::gcc::x86_64::five_x86", 82, "498b8740050000", "498b8748050000",
                                                      "output of lane 1", "the memory equals the definition's, at every address"),
    "key schedule in C: the first byte of the key in each step": ("single::clang::x86_64::schedule_x86", 2, "0fb64602", "0fb64601",
                                                                  "step 2, branch not taken", "RCX is &S[j]"),
}


@pytest.mark.parametrize(("kernel", "section", "was", "now", "step", "says"), MORE_ERRORS.values(), ids=MORE_ERRORS)
def test_an_error_with_several_tables_is_refuted(proofs, kernel, section, was, now, step, says):
    proof, was, now = proofs[kernel], bytes.fromhex(was), bytes.fromhex(now)
    places = {address for obligation in proof.sections()[section]() for address in obligation.trace
              if proof.code.at(address, len(was)) == was}
    assert len(places) == 1 and len(now) == len(was)
    wrong = proof.patched(proof.code.patched(places.pop(), now))
    refuted = {obligation.name: obligation for obligation in wrong.sections()[section]()}
    assert refuted[step].refuted(says)


def test_an_address_is_the_same_when_it_is_tidied():
    page, byte = z3.BitVec("table_page", 56), z3.BitVec("byte", 8)
    base, part = z3.Concat(page, z3.BitVecVal(0, 8)), z3.Concat(z3.Extract(3, 0, byte), z3.BitVecVal(0, 4))
    changed = 0
    for address in (base + z3.ZeroExt(56, byte), z3.Concat(page, part) + 0x201, z3.Concat(page, byte) + 256, z3.Concat(page, byte) + 1,
                    z3.Concat(page, part) + 0x10, base + 0xFFFFFFFFFFFFFFFF):
        tidy = memory.tidy(address)
        assert prove.SOLVERS["z3"](Obligation("", [], {"": tidy == address}).smt2()) == "unsat"
        changed += not tidy.eq(z3.simplify(address))
    assert changed >= 3


def test_a_question_is_asked_once():
    asked, x = [], z3.BitVec("x", 8)
    answers = Answers(lambda one: asked.append(one.name) or one.name)
    first, same, other = (Obligation(name, [z3.ULT(x, 4)], {"": z3.ULT(x, bound)}) for name, bound in (("first", 5), ("same", 5), ("other", 6)))
    assert [answers(one) for one in (first, same, other)] == ["first", "first", "other"]
    assert asked == ["first", "other"]


def test_z3_is_asked_about_each_goal_alone_if_all_together_take_too_long(monkeypatch):
    asked, x = [], z3.BitVec("x", 8)

    def ask(text, seconds=ALONE):
        asked.append(seconds)
        return "unknown" if seconds == TOGETHER or "hard" in text else "unsat"

    monkeypatch.setattr("obligation.ask_z3", ask)
    assert by_z3(Obligation("", [], {"one": x == 5, "other": x == 6})) == "unsat"
    assert asked == [TOGETHER, ALONE, ALONE]
    assert by_z3(Obligation("", [], {"one": x == 5, "other": z3.BitVec("hard", 8) == 7})) == "unknown"


ERRORS = {
    "the slow path updates the second S[i + 3], not the third": (7, "450f47d3", "450f47cb", "step 7, branch taken", "R10 is S[i + 3], for i of step 7"),
    "cmovne instead of cmove": (7, "450f44cb", "450f45cb", "step 7, branch taken", "R9 is S[i + 2], for i of step 7"),
    "cmp dl, 2 instead of cmp dl, 3": (7, "80fa03", "80fa02", "step 7, branch not taken", "R10 is S[i + 3], for i of step 7"),
    "S[j] goes to i + 1": (7, "884507", "884508", "step 7, branch not taken",
                           "the memory equals the definition's, at every address"),
    "j takes S[i + 1]": (7, "4400d9", "4400c1", "step 7, branch not taken", "RCX is &S[j]"),
    "the byte in another lane": (7, "660f3a20040306", "660f3a20040307", "step 7, branch not taken", "XMM0 is the odd bytes so far"),
    "r14 instead of r15": (33, "415f", "415e", "end of turn, branch not taken", "R15 is the caller's"),
    "j is not written back": (33, "888b01010000", "0f1f44000090", "end of turn, branch not taken",
                              "only i and j are written"),
}


@pytest.mark.parametrize(("section", "was", "now", "step", "says"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_refuted_by_the_name_of_its_step(xor, section, was, now, step, says):
    was, now = bytes.fromhex(was), bytes.fromhex(now)
    places = {address for obligation in xor.sections()[section]() for address in obligation.trace
              if xor.code.at(address, len(was)) == was}
    assert len(places) == 1 and len(now) == len(was)
    wrong = xor.patched(xor.code.patched(places.pop(), now))
    refuted = {obligation.name: obligation for obligation in wrong.sections()[section]()}
    assert refuted[step].refuted(says)
    # The processor runs the mutant from the solver's counterexample, and differs from the
    # definition too.
    start = replay.start_of(refuted[step], min(section, 33) - 1, seed=1)
    assert replay.differs(wrong.code, *start)
    assert not replay.differs(xor.code, *start)


SINGLE_ERRORS = {
    "the update of another register": (7, "450f44cb", "450f44c3", "step 7, branch taken", "R9 is S[i + 2], for i of step 7"),
    "j is not written back": (17, "888d01010000", "0f1f44000090", "end of turn, branch not taken",
                              "only i and j are written"),
}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(("section", "was", "now", "step", "says"), SINGLE_ERRORS.values(), ids=SINGLE_ERRORS)
def test_an_error_in_the_assembly_of_the_c_file_is_refuted(proofs, compiler, section, was, now, step, says):
    proof = proofs[f"single::{compiler}::x86_64::turns_x86"]
    was, now = bytes.fromhex(was), bytes.fromhex(now)
    places = {address for obligation in proof.sections()[section]() for address in obligation.trace
              if proof.code.at(address, len(was)) == was}
    assert len(places) == 1
    wrong = proof.patched(proof.code.patched(places.pop(), now))
    refuted = {obligation.name: obligation for obligation in wrong.sections()[section]()}[step]
    assert refuted.refuted(says)
    start = replay.start_of(refuted, min(section, 17) - 1, seed=1, bits=4)
    assert replay.differs(wrong.code, *start)
    assert not replay.differs(proof.code, *start)


def test_a_step_of_the_key_schedule_needs_each_of_its_instructions(schedule):
    mutants = [mutant for mutant in mutate.mutants(schedule, 0, seed=0) if mutant.sections == [7]]
    verdicts = {mutant.was: mutate.verdict(schedule, mutant) for mutant in mutants}
    survivors = {was for was, (answer, _) in verdicts.items() if answer == "survived"}
    assert survivors == {"CMOVC R12,RBP"}, "the address dependency: the move changes no value"
    assert len(verdicts) > 10


def test_the_assumptions_can_be_true(xor, schedule, proofs):
    others = [obligation for kernel in ("x86_64::rc4a::xor_turns", "x86_64::lanes::schedule_turns")
              for section in (proofs[kernel].entry(), proofs[kernel].turn_end()) for obligation in section]
    for obligation in [*xor.entry(), *xor.step(17), *xor.turn_end(), *schedule.entry(), *schedule.step(7), *schedule.turn_end(7), *others]:
        assert prove.SOLVERS["bitwuzla"](obligation.cover()) == "sat", obligation.name


def test_the_table_of_the_readme_is_what_was_recorded():
    assert prove.table() in (prove.HERE / "README.md").read_text()


@pytest.fixture(scope="module")
def forms(proofs):
    return processor.forms([proof.code for proof in proofs.values()])


def test_the_processor_does_what_the_lifter_says(forms):
    compared, wrong = processor.compare(forms, 4, seed=1)
    assert wrong == []
    with processor.RECORD.open() as file:
        recorded = {row["form"]: int(row["states"]) for row in csv.DictReader(file)}
    assert set(recorded) == set(compared) and min(recorded.values()) >= 2000


# Each operation of the lifter, and a form that shows an error in it.
WRONG = {OpCode.INT_SUB: "DEC R15", OpCode.INT_LESS: "CMP DL,N", OpCode.INT_ZEXT: "MOVZX EAX,byte ptr [RCX]",
         OpCode.INT_XOR: "PXOR XMM0, XMM1", OpCode.INT_CARRY: "ADD CL,R9B", OpCode.INT_NEGATE: "NOT R13"}


@pytest.mark.parametrize("operation", WRONG, ids=lambda operation: operation.name)
def test_a_lifter_with_a_wrong_operation_differs_from_the_processor(forms, monkeypatch, operation):
    right = lift.PURE[operation]
    monkeypatch.setitem(lift.PURE, operation, lambda *given: right(*given) + 1)
    name = WRONG[operation]
    assert processor.compare({name: forms[name]}, 20, seed=1)[1]


def test_every_mutant_that_survived_is_explained():
    with mutate.SURVIVORS.open() as file:
        rows = list(csv.DictReader(file))
    assert rows and all(row["why"] for row in rows)
