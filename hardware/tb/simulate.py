# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builds an entity with GHDL and runs the cocotb tests of a module on it."""

import atexit
import os
import re
import sys
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner
from rfc6229 import vectors

HARDWARE = Path(__file__).resolve().parent.parent
BUILD = HARDWARE.parent / "target" / "hardware"
SOURCES = [HARDWARE / "rtl" / line for line in (HARDWARE / "rtl" / "files.txt").read_text().split()]
# From line_coverage.py: where the programs are kept, which count the lines they run.
COUNTED = os.environ.get("COUNTED")


@cache
def compiled(entity, sources):
    """Compiles an entity once for all its shapes, in this process. Returns the runner and the folder."""
    BUILD.mkdir(parents=True, exist_ok=True)
    folder = mkdtemp(prefix="ghdl-", dir=COUNTED or BUILD)
    if not COUNTED:
        atexit.register(rmtree, folder, ignore_errors=True)
    runner = get_runner("ghdl")
    runner.build(
        hdl_library="work",
        sources=sources,
        hdl_toplevel=entity,
        build_args=["--std=08"],
        build_dir=folder,
        always=True,
        log_file=BUILD / f"{entity}-build.log",
    )
    return runner, folder


def simulate(entity, module, generics, tests=None, sources=None, ghw=False, vcd=False, **options):
    """Runs the tests of `module` on `entity`; ends the process with an error if one fails or
    none runs.

    `generics` go to the entity, and with `options` to the tests as environment variables in upper
    case. `tests` selects by name; without it all run. `ghw` writes a
    waveform, waves.ghw, in the folder returned; `vcd` writes waves.vcd, which lacks records and arrays.
    Returns the folder of the logs and waves.
    """
    name = "-".join([entity, *(f"{key}{value}" for key, value in generics.items())])
    build = BUILD / re.sub(r"[^\w-]", "", f"{name}-{module}")
    build.mkdir(parents=True, exist_ok=True)
    runner, folder = compiled(entity, tuple(sources or SOURCES))
    plusargs = ["--ieee-asserts=disable-at-0"]
    if ghw:
        plusargs.append(f"--wave={build}/waves.ghw")
    if vcd:
        plusargs.append(f"--vcd={build}/waves.vcd")
    environment = {key.upper(): str(value) for key, value in {**generics, **options}.items()}
    results = runner.test(
        hdl_toplevel=entity,
        hdl_toplevel_library="work",
        hdl_toplevel_lang="vhdl",
        test_module=module,
        testcase=tests,
        parameters=generics,
        build_dir=folder,
        test_args=["--std=08"],
        plusargs=plusargs,
        extra_env={**environment, "COCOTB_LOG_LEVEL": "WARNING"},
        log_file=build / "test.log",
        results_xml=str(build / "results.xml"),
    )
    # The runner looks at the results under pytest only, and takes none for good.
    check(results)
    return build


def variant(name):
    """Splits "rc4_spec with CORRECT" into the entity and the generic that is true."""
    entity, _, generic = name.partition(" with ")
    return entity, {generic: "true"} if generic else {}


def few(keys):
    """Returns true for the quick set, with few keys. It leaves some similar shapes to the full set."""
    return keys <= 100


def chosen(n, key_bytes, keys):
    """The tests to run on a core of N = n. The quick set runs one test at full size: RFC 6229, or random keys if RFC 6229 has
    no key of this length. The smaller shapes run all tests."""
    if n == 256 and few(keys):
        return "rfc6229" if vectors(key_bytes, 272) else "random_keys"
    return None


def shapes(quick, full):
    """Parameters of a test: the quick set, and the others."""
    return [*(pytest.param(*shape) for shape in quick), *(pytest.param(*shape, marks=pytest.mark.full) for shape in full)]


def check(results):
    """Ends the process with an error unless tests ran and all passed."""
    try:
        tests, failed = get_results(results)
    except RuntimeError as error:
        sys.exit(str(error))
    if failed or not tests:
        sys.exit(f"{results}: {failed} of {tests} tests failed")
