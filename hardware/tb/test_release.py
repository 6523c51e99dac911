# SPDX-License-Identifier: MIT OR Apache-2.0
"""The cores as they are handed on: the core description for FuseSoC, and the Verilog that GHDL makes of them, read by
three other tools, without a latch in it. tb/test_verilated.py simulates the same Verilog of the bare cores; that of the buses
Icarus simulates here."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import verilate
from cocotb_tools.runner import get_runner
from simulate import BUILD, HARDWARE, SOURCES, check, shapes

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import flow

RELEASED = {
    "rc4_unroll": {"N": 16, "K": 2, "KEY_BYTES": 5},
    "rc4_pipe": {"N": 16, "K": 2, "KEY_BYTES": 5},
    "rc4_spec": {"N": 16, "K": 2, "KEY_BYTES": 5},
    "rc4_bram": {"N": 16, "K": 1, "KEY_BYTES": 5},
    "rc4_axis": {"CORE": "bram", "K": 1, "KEY_BYTES": 16},
    "rc4_wb": {"CORE": "bram", "K": 1, "KEY_BYTES": 5, "WORDS": 2},
    "rc4_search": {"N": 16, "KEY_BYTES": 5, "TEXT_BYTES": 4, "ENGINES": 2, "HIT_WORDS": 8},
}
RELEASED_FULL = {
    "rc4_axil": {"CORE": "bram", "K": 1, "KEY_BYTES": 16, "WORDS": 8},
    "rc4_search_axil": {"KEY_BYTES": 5, "TEXT_BYTES": 4, "ENGINES": 2, "HIT_WORDS": 8},
}
TARGETS = re.findall(r"^  (\w+):$", (HARDWARE / "rc4.core").read_text().split("\ntargets:\n")[1], re.MULTILINE)


def test_fusesoc_has_every_file():
    """rc4.core lists the files of rtl/files.txt, in the same order."""
    listed = re.findall(r"^      - (rtl/\S+)$", (HARDWARE / "rc4.core").read_text(), re.MULTILINE)
    assert [HARDWARE / name for name in listed] == SOURCES


@pytest.mark.full
@pytest.mark.parametrize("target", TARGETS)
def test_fusesoc_builds(target, tmp_path):
    """FuseSoC itself finds the core and has GHDL elaborate each of its targets."""
    command = [Path(sys.executable).with_name("fusesoc"), "--cores-root", HARDWARE, "run", f"--target={target}", "--tool=ghdl", "--build"]
    done = subprocess.run([*command, "arcfour:crypto:rc4"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.glob(f"build/*/{target}-ghdl/work-obj08.cf"))


def test_every_file_says_its_licence():
    for folder in ("rtl", "tb", "registers", "waves"):
        for file in (HARDWARE / folder).rglob("*"):
            if file.suffix in (".vhd", ".py", ".c", ".h", ".cpp", ".rdl"):
                assert "SPDX-License-Identifier: MIT OR Apache-2.0" in file.read_text()[:250], file


@pytest.mark.parametrize("entity, generics", shapes(RELEASED.items(), RELEASED_FULL.items()))
def test_others_read_the_verilog(entity, generics):
    """Verilator in its default language, Icarus and yosys read the Verilog: no name in it is a keyword of theirs."""
    folder = BUILD / "verilog" / entity
    shutil.rmtree(folder, ignore_errors=True)
    file = verilate.to_verilog(entity, generics, folder)
    lint = [sys.executable, "-m", "verilator", "--lint-only", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", entity, file]
    subprocess.run(lint, cwd=folder, check=True, capture_output=True)
    icarus = subprocess.run(["iverilog", "-g2012", "-t", "null", "-s", entity, file], cwd=folder, capture_output=True, text=True, check=False)
    assert icarus.returncode == 0, icarus.stderr[-500:]
    flow.yosys(f"read_verilog {Path(file).name}\nhierarchy -check -top {entity}\nproc\ncheck -assert\nselect -assert-none t:$dlatch", folder, "read")


@pytest.mark.full
@pytest.mark.parametrize(
    "entity, module",
    [("rc4_axis", "axis_peer"), ("rc4_axil", "registers"), ("rc4_wb", "registers"), ("rc4_search_axil", "search_registers")],
)
def test_the_verilog_behaves_on_the_bus(entity, module):
    """Verilog that a tool reads is not yet right: GHDL 2.0 once gave the registers here other reset values and latches."""
    folder = BUILD / "verilog" / f"{entity}-bus"
    generics = (RELEASED | RELEASED_FULL)[entity]
    file = verilate.to_verilog(entity, generics, folder)
    runner = get_runner("icarus")
    runner.build(sources=[file], hdl_toplevel=entity, build_dir=folder, always=True, timescale=("1ns", "1ps"))
    environment = {"N": "256", "K": "1", "ROUNDS": "1", "COCOTB_LOG_LEVEL": "WARNING"} | {name: str(value) for name, value in generics.items()}
    results = folder / "results.xml"
    runner.test(hdl_toplevel=entity, test_module=module, build_dir=folder, extra_env=environment, results_xml=str(results))
    check(results)
