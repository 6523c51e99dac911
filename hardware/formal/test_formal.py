"""Proofs by yosys' SAT solver: priority forwarding is K serial rounds, from any state, at N = 8; and
the proof refutes designs in which one bypass is missing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
BUILD = HERE.parent.parent / "target" / "hardware"
sys.path.insert(0, str(HERE.parent / "syn"))
import flow

# Each takes one bypass away: the file, the text, and what stands there instead.
MUTATIONS = {
    "x of an earlier j": ("rc4_rounds.vhd", "if js(m) = is1(r) then", "if false then"),
    "y of an earlier i": ("rc4_rounds.vhd", "if js(r) = is1(m) then", "if false then"),
    "x at an earlier j": ("rc4_rounds.vhd", "if js(r) = js(m) then", "if false then"),
    "z at a later j": ("rc4_reads.vhd", "if word(t_i, r) = word(j_i, m) then", "if false then"),
    "z at a later i": ("rc4_reads.vhd", "if word(t_i, r) = word(i_i, m) then", "if false then"),
    "latest write": ("rc4_rounds.vhd", "for m in 0 to r - 1 loop", "for m in r - 1 downto 0 loop"),
}


def prove(name, rounds, mutation=None):
    """Whether the K rounds equal serial ones from every state: the solver's answer."""
    folder = BUILD / f"formal-{re.sub(r'[^a-z0-9]+', '-', name)}-{rounds}"
    folder.mkdir(parents=True, exist_ok=True)
    texts = {file: (RTL / file).read_text() for file in ("rc4_pkg.vhd", "rc4_rounds.vhd", "rc4_reads.vhd")}
    if mutation:
        file, old, new = mutation
        assert old in texts[file], f"{file} has no {old!r}"
        texts[file] = texts[file].replace(old, new)
    for file, text in texts.items():
        (folder / file).write_text(text)
    verilog = subprocess.run(
        ["ghdl", "--synth", "--std=08", "--out=verilog", "-gN=8", f"-gK={rounds}"]
        + [*texts, str(HERE / "equal.vhd"), "-e", "equal"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    (folder / "equal.v").write_text(verilog)
    script = "read_verilog equal.v; hierarchy -top equal; proc; flatten; opt -full; memory_map; opt; techmap; opt; "
    script += "sat -prove equal_o 1 -set-def-inputs"
    log = flow.yosys(script.replace("; ", "\n"), folder, "proof")
    proven = "SAT proof finished - no model found: SUCCESS!" in log
    refuted = "SAT proof finished - model found: FAIL!" in log
    assert proven != refuted, f"the solver gave no answer: {log[-500:]}"
    return proven


ROUNDS = [1, 2, 3, 4] if os.environ.get("FULL") == "1" else [1, 2, 3]


@pytest.mark.parametrize("rounds", ROUNDS)
def test_equal_to_serial_rounds(rounds):
    assert prove("proof", rounds)


@pytest.mark.parametrize("name", MUTATIONS)
def test_mutation_is_refuted(name):
    assert not prove(name, 3, MUTATIONS[name])
