"""Tests that changed C text makes the proof fail, with the names of the step and the claim."""

import c_lanes
import c_stream
import llvm_ir
import prove_c
import pytest
import z3
from c_turns import BLOCK
from definition import keystream
from memory import array, select, store

SOURCE = prove_c.SOURCE.read_text()
MEMORY = "the memory equals the definition's, at every address"

# The proof, the text and its mutant, the obligation, and a claim that fails.
ERRORS = {
    "wipe: a byte too few": (c_stream.Wipe, "while (len--) *bytes++ = 0;", "while (--len) *bytes++ = 0;",
                             "turn, branch not taken", "no byte is left"),
    "key schedule: j without S[i]": (c_stream.Schedule, "j = (j + x + key[k]) & 255;", "j = (j + key[k]) & 255;",
                                     "shuffle, branch taken, branch not taken", MEMORY),
    "key schedule: the key repeats a byte late": (
        c_stream.Schedule, "if (++k == key_len) k = 0;", "if (++k > key_len) k = 0;", "shuffle, branch taken, branch not taken",
        "k is the number of the step modulo the length"),
    "bytes: the next S[i] is updated for another j": (
        c_stream.Bytes, "if (RARELY(j == (uint8_t)(i + 1)))", "if (RARELY(j == (uint8_t)(i + 2)))",
        "turn, branch taken, branch not taken", "x1 has its value of cut point 0"),
    "blocks: the next S[i] is updated for another j": (
        c_stream.Blocks, "if (RARELY((uint8_t)(j + minus_i) == (k) + 1))", "if (RARELY((uint8_t)(j + minus_i) == (k)))",
        "step 7, branch not taken", "b has its value of cut point 7"),
    "blocks: S[j] goes to i + 1": (c_stream.Blocks, "*AT(k) = (uint8_t)y;", "*AT((k) + 1) = (uint8_t)y;", "step 3, branch not taken", MEMORY),
    "blocks: the byte in another place": (c_stream.Blocks, "<< shift((k) - 1);   ", "<< shift(k);   ", "step 5, branch not taken",
                                          "keystream has its value of cut point 5"),
    "one stream: half of a block is lost": (c_stream.XorPortable, "& ~(size_t)(BLOCK - 1)", "& ~(size_t)(WORD - 1)",
                                                 "parts, branch not taken, branch taken", "call 3 takes the bytes that come next"),
    "one stream: the end is left out": (c_stream.XorPortable, "out + head + body, len - head - body", "out + head + body, len - body",
                                        "parts, branch not taken, branch taken", "every byte is done"),
    "skip: the last bytes twice": (c_stream.Skip, "for (; n; n -= len) {", "for (; n; n -= len - 1) {",
                                   "turn, branch taken, branch taken", "n.addr has its value of cut point 0"),
    "key: a byte too many": (c_stream.Key, "key_len > 256) return -1;", "key_len > 257) return -1;",
                             "whole, branch not taken, branch not taken", "the length is right"),
    "five jobs: a wrong common i": (c_lanes.Jobs, "(i - jobs[l].stream->i) % 256;", "(i - jobs[l].stream->i) % 128;",
                                              "loop 1, lane 1, branch taken, branch taken", "the function writes 1 words, and no other byte"),
    "five jobs: the end of each is too long": (c_lanes.Jobs, "jobs[l].len - head[l] - body);", "jobs[l].len - body);",
                                               "loop 4, lane 0", "the call takes the bytes that come next"),
    "five jobs: fewer bytes than all have": (c_lanes.Jobs, "if (most < body) body = most;", "if (most > body) body = most;",
                                             "loop 1, lane 1, branch not taken, branch not taken", "fact 1 about body"),
}


def found(kind, text, step):
    """Returns the obligation of one step."""
    return next(obligation for obligation in kind(prove_c.compiled(text)).obligations() if obligation.name == step)


@pytest.mark.parametrize(("kind", "was", "now", "step", "says"), ERRORS.values(), ids=ERRORS)
def test_an_error_is_refuted_by_the_name_of_its_step(kind, was, now, step, says):
    assert was in SOURCE
    assert found(kind, SOURCE.replace(was, now), step).refuted(says)


def test_an_error_in_five_streams_is_refuted():
    was, now = "y = s[(l) * sizeof(arcfour1) + (uint8_t)j##l];", "y = s[(uint8_t)j##l];"
    assert was in SOURCE
    (obligation,) = c_lanes.Lanes(prove_c.compiled(SOURCE.replace(was, now))).step(6)
    assert obligation.name == "step 2 of lane 1"
    assert obligation.refuted(MEMORY)


def test_the_assumptions_can_be_true():
    module = prove_c.compiled(SOURCE)
    for kind in (c_stream.Wipe, c_stream.Bytes, c_stream.XorPortable, c_stream.Skip, c_stream.Key):
        for obligation in kind(module).obligations():
            assert prove_c.SOLVERS["bitwuzla"](obligation.cover()) == "sat", (kind.name, obligation.name)


def test_each_step_of_a_block_has_two_paths():
    names = [obligation.name for obligation in c_stream.Blocks(prove_c.compiled(SOURCE)).obligations()]
    assert sum(name.startswith("step ") for name in names) == 2 * BLOCK + 1  # the first step begins at the head of the loop


def test_the_table_of_the_readme_is_what_was_recorded():
    assert prove_c.table() in (prove_c.HERE / "README.md").read_text()


def test_the_interpreter_gives_the_keystream_on_numbers(monkeypatch):
    monkeypatch.setattr(llvm_ir, "STACK", z3.BitVecVal(1 << 20, 64))
    module, key = prove_c.compiled(SOURCE), b"Wiki"
    stream, key_at, data_at = (z3.BitVecVal(at, 64) for at in (1000, 4000, 8000))
    memory = store(array("memory"), key_at, z3.BitVecVal(int.from_bytes(key, "little"), 8 * len(key)))
    memory = store(memory, stream + 256, z3.BitVecVal(0, 16))
    schedule = module.function("schedule_portable")
    (scheduled,) = schedule.paths(schedule.called([stream, key_at, z3.BitVecVal(len(key), 64)], memory), set())
    for name, count, length in (("bytes_portable", 20, 20), ("blocks_portable", 2, 32)):
        memory = store(scheduled.memory, data_at, z3.BitVecVal(0, 8 * length))
        function = module.function(name)
        (ended,) = function.paths(function.called([stream, data_at, data_at, z3.BitVecVal(count, 64)], memory), set())
        assert bytes(z3.simplify(select(ended.memory, data_at + n)).as_long() for n in range(length)) == keystream(key, length), name
