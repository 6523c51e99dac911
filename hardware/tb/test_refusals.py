# SPDX-License-Identifier: MIT OR Apache-2.0
"""Failures that must occur: illegal generics before the first clock, and mutants of the cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from simulate import SOURCES, compiled, shapes, simulate, variant

ILLEGAL = [
    ("rc4_unroll", {"N": 200}, "N is 200"),
    ("rc4_unroll", {"N": 4}, "N is 4"),
    ("rc4_unroll", {"N": 512}, "N is 512"),
    ("rc4_unroll", {"K": 3}, "K is 3"),
    ("rc4_unroll", {"KEY_BYTES": 257}, "KEY_BYTES is 257"),
    ("rc4_pipe", {"N": 16, "K": 4, "KEY_BYTES": 8}, "K is 4; it must be a power of two from 1 to 2"),
    ("rc4_spec", {"K": 64}, "K is 64; it must be a power of two from 1 to 32"),
    ("rc4_spec", {"STILL": "true", "CORRECT": "true"}, "STILL and CORRECT are true; at most one of them may be"),
    ("rc4_still", {"K": 32}, "K is 32; it must be a power of two from 1 to 16"),
    ("rc4_bram", {"K": 2}, "K is 2"),
    ("rc4_axis", {"CORE": "fast"}, "it must be unroll, pipe, spec, still or bram"),
    ("rc4_regs", {"K": 3}, "K is 3; it must be 1, 2 or 4"),
    ("rc4_regs", {"CORE": "fast"}, "it must be unroll, pipe, spec, still or bram"),
    ("rc4_regs", {"CORE": "bram", "K": 2}, "K is 2"),
    ("rc4_regs", {"KEY_BYTES": 257}, "KEY_BYTES is 257"),
    ("rc4_regs", {"WORDS": 256}, "WORDS is 256; it must be 1 to 255"),
    ("rc4_search", {"ENGINES": 3}, "ENGINES is 3"),
    ("rc4_search", {"N": 8, "KEY_BYTES": 3, "TEXT_BYTES": 7}, "TEXT_BYTES is 7; it must be 1 to 6"),
    ("rc4_search", {"HIT_WORDS": 1}, "HIT_WORDS is 1"),
]

# An error each that only some states show: the file, the text, and what stands there instead.
MUTATIONS = [
    ("rc4_spec", "rc4_rotor.vhd", "eq(t4(r), e4(m))", "'0'"),
    ("rc4_spec", "rc4_spec.vhd", "meets(sum, 2 * K)", "'0'"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "x_old <= x_to;", "x_old <= x_from;"),
    ("rc4_still", "rc4_cells.vhd", "eq(e2(m), (AHEAD + 4) * K + r)", "'0'"),
    ("rc4_pipe", "rc4_rotor.vhd", "eq(e2(m), (AHEAD + 3) * K + r)", "'0'"),
    ("rc4_unroll", "rc4_rounds.vhd", "if js(r) = js(m) then", "if false then"),
    ("rc4_bram", "rc4_bram.vhd", "base when t = j else ", ""),
]
MUTATIONS_FULL = [
    ("rc4_still", "rc4_cells.vhd", "eq(t4(r), j4(m))", "'0'"),
    ("rc4_still", "rc4_cells.vhd", "eq(t4(r), i4 + m)", "'0'"),
    ("rc4_still", "rc4_cells.vhd", "not (i_lost3(r) or rst_i)", "not rst_i"),
    ("rc4_still", "rc4_cells.vhd", "eq(e2(m), (AHEAD + 3) * K + r)", "'0'"),
    ("rc4_still", "rc4_cells.vhd", "eq(e0(r), e2(m)) and live(2)", "'0'"),
    ("rc4_still", "rc4_spec.vhd", "meets(sum, 3 * K)", "'0'"),
    ("rc4_bram", "rc4_bram.vhd", "write_d when t = write_a else ", ""),
    ("rc4_spec", "rc4_rotor.vhd", "eq(e0(r), e1(m)) and live(1)", "'0'"),
    ("rc4_spec", "rc4_rotor.vhd", "eq(e0(r), e2(m)) and live(2)", "'0'"),
    ("rc4_spec", "rc4_rotor.vhd", "eq(e0(r), e0(m))", "'0'"),
    ("rc4_spec", "rc4_rotor.vhd", "eq(t4(r), m - K)", "'0'"),
    ("rc4_spec", "rc4_spec.vhd", "to_std_logic(e0(r) = (5 * K + target) mod N)", "'0'"),
    ("rc4_spec", "rc4_spec.vhd", "meets(sum, 4 * K)", "'0'"),
    ("rc4_spec", "rc4_spec.vhd", "meets(sum, 3 * K)", "'0'"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "late <= (others => '0');  -- the sums have it now", ""),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "only(found, not x_to)", "only(found, not x_from)"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "only(found, x_from)", "only('0', x_from)"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "x0 <= x0_now;", "x0 <= x0;"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "x0 <= x1_now;", "x0 <= x1;"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "from_x := x1_now;", "from_x := x1;"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "from_x := x0_now;", "from_x := x1_now;"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "to_x   := x1;", "to_x   := x2_now;"),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "several(0) or ", ""),
    ("rc4_spec with CORRECT", "rc4_spec.vhd", "if r > 0 or first = '0' then", "if true then"),
]


@pytest.mark.parametrize("entity, generics, message", ILLEGAL)
def test_illegal_generics_are_refused(entity, generics, message, tmp_path):
    flags = [f"-g{name}={value}" for name, value in generics.items()]
    _, library = compiled(entity, tuple(SOURCES))
    run = subprocess.run(
        ["ghdl", "-r", "--std=08", f"--workdir={library}", entity, *flags, "--stop-time=1ns"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode != 0
    assert message in run.stdout + run.stderr


def mutated(folder, file, old, new):
    """Returns the sources with a mutation in one of them."""
    source = next(path for path in SOURCES if path.name == file)
    text = source.read_text()
    assert old in text, f"{file} has no {old!r}"
    (folder / file).write_text(text.replace(old, new))
    return [folder / file if path == source else path for path in SOURCES]


@pytest.mark.parametrize("entity, file, old, new", shapes(MUTATIONS, MUTATIONS_FULL))
def test_an_error_is_found(entity, file, old, new, tmp_path):
    sources = mutated(tmp_path, file, old, new)
    entity, more = variant(entity)
    generics = {"N": 16, "K": 1 if entity == "rc4_bram" else 2, "KEY_BYTES": 5} | more
    with pytest.raises(SystemExit) as end:
        simulate(entity, "cores", generics, tests="random_keys", sources=sources)
    assert end.value.code != 0


@pytest.mark.parametrize("test, change", [("random_keys", MUTATIONS[-1][1:]), ("no_such_test", None)])
def test_an_error_is_found_without_pytest(test, change, tmp_path):
    """Synthesis and the lab simulate by themselves: a wrong core, and no test at all, end them too."""
    sources = [str(path) for path in (mutated(tmp_path, *change) if change else SOURCES)]
    code = f"""
from simulate import simulate
generics = {{"N": 16, "K": 1, "KEY_BYTES": 5}}
simulate("rc4_bram", "cores", generics, {test!r}, {sources})
"""
    here = str(Path(__file__).resolve().parent)
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    environment["PYTHONPATH"] = here
    run = subprocess.run([sys.executable, "-c", code], env=environment, check=False, capture_output=True, text=True)
    assert run.returncode == 1
    assert "results.xml" in run.stderr
