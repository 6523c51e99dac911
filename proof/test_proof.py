"""The proof fails, with the step's name, where an instruction of a kernel is another. `make proof` runs the proof itself before."""

import csv
import os
from pathlib import Path

import lift
import mutate
import processor
import prove
import pytest
import replay
from definition import keystream
from pypcode import OpCode

ROOT = prove.HERE.parent
ELF = Path(os.environ["ARCFOUR_PROGRAMS"]) / "arcfour"


def test_the_definition_gives_the_published_keystreams():
    compared = 0
    for line in (ROOT / "vectors" / "rc4-rfc6229.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            key, offset, expected = line.split()
            start, expected = int(offset), bytes.fromhex(expected)
            assert keystream(bytes.fromhex(key), start + len(expected))[start:] == expected
            compared += 1
    assert compared == 14 * 18


@pytest.fixture(scope="module")
def xor():
    return prove.proof(ELF, "x86_64::stream::xor_turns")


@pytest.fixture(scope="module")
def schedule():
    return prove.proof(ELF, "x86_64::stream::schedule_turns")


ERRORS = {
    "the second S[i + 3] is mended, not the third": (7, "450f47d3", "450f47cb", "step 7, branch taken", "R10 is S[i + 3], for i of step 7"),
    "cmovne for cmove": (7, "450f44cb", "450f45cb", "step 7, branch taken", "R9 is S[i + 2], for i of step 7"),
    "cmp dl, 2 for cmp dl, 3": (7, "80fa03", "80fa02", "step 7, branch not taken", "R10 is S[i + 3], for i of step 7"),
    "S[j] goes to i + 1": (7, "884507", "884508", "step 7, branch not taken",
                           "memory is what the definition makes of it, at every address"),
    "j takes S[i + 1]": (7, "4400d9", "4400c1", "step 7, branch not taken", "RCX is &S[j]"),
    "the byte in another lane": (7, "660f3a20040306", "660f3a20040307", "step 7, branch not taken", "XMM0 is the odd bytes so far"),
    "r14 in r15's place": (33, "415f", "415e", "end of turn, branch not taken", "R15 is the caller's"),
    "j is not written back": (33, "888b01010000", "0f1f44000090", "end of turn, branch not taken",
                              "i and j are written, and no other byte"),
}


@pytest.mark.parametrize(("section", "was", "now", "step", "says"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_refuted_by_the_name_of_its_step(xor, section, was, now, step, says):
    was, now = bytes.fromhex(was), bytes.fromhex(now)
    places = {address for obligation in xor.sections()[section]() for address in obligation.trace
              if xor.code.at(address, len(was)) == was}
    assert len(places) == 1 and len(now) == len(was)
    wrong = xor.patched(xor.code.patched(places.pop(), now))
    refuted = {obligation.name: obligation for obligation in wrong.sections()[section]()}
    assert says in refuted[step].failing(prove.SOLVERS["bitwuzla"])
    # The processor runs the wrong code from the solver's counterexample, and differs from the definition as well.
    start = replay.start_of(refuted[step], min(section, 33) - 1, seed=1)
    assert replay.differs(wrong.code, *start)
    assert not replay.differs(xor.code, *start)


def test_a_step_of_the_key_schedule_needs_each_of_its_instructions(schedule):
    mutants = [mutant for mutant in mutate.mutants(schedule, 0, seed=0) if mutant.sections == [7]]
    verdicts = {mutant.was: mutate.verdict(schedule, mutant) for mutant in mutants}
    survivors = {was for was, (answer, _) in verdicts.items() if answer == "survived"}
    assert survivors == {"CMOVC R12,RBP"}, "the throttle: the address is the same whether and when the move is made"
    assert len(verdicts) > 10


def test_what_is_assumed_can_be(xor, schedule):
    for obligation in [*xor.entry(), *xor.step(7), *xor.turn_end(), *schedule.entry(), *schedule.step(7), *schedule.turn_end(7)]:
        assert prove.SOLVERS["bitwuzla"](obligation.cover()) == "sat", obligation.name


def test_the_table_of_the_readme_is_what_was_recorded():
    assert prove.table() in (prove.HERE / "README.md").read_text()


@pytest.fixture(scope="module")
def forms():
    return processor.forms([prove.proof(ELF, kernel).code for kernel in prove.kernels(ELF)])


def test_the_processor_does_what_the_lifter_says(forms):
    compared, wrong = processor.compare(forms, 4, seed=1)
    assert wrong == []
    with processor.RECORD.open() as file:
        assert {row["form"] for row in csv.DictReader(file)} == set(compared)


# What the lifter would have wrong, and a form that shows it.
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
