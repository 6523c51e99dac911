# SPDX-License-Identifier: MIT OR Apache-2.0
"""The released form of the cores: the core description for FuseSoC, and GHDL's Verilog, read by three other tools and without
a latch. tb/test_verilated.py simulates this Verilog of the bare cores. Icarus simulates the buses here."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import verilate
import verilog
import yaml
from cocotb_tools.runner import get_runner
from simulate import BUILD, HARDWARE, SOURCES, check, few, shapes

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import flow

RELEASED = {
    "rc4_unroll": {"N": 16, "K": 2, "KEY_BYTES": 5},
    "rc4_pipe": {"N": 16, "K": 2, "KEY_BYTES": 5},
    "rc4_spec": {"N": 16, "K": 2, "KEY_BYTES": 5},
    "rc4_still": {"N": 16, "K": 2, "KEY_BYTES": 5},
    "rc4_bram": {"N": 16, "K": 1, "KEY_BYTES": 5},
    "rc4_axis": {"CORE": "bram", "K": 1, "KEY_BYTES": 16},
    "rc4_wb": {"CORE": "bram", "K": 1, "KEY_BYTES": 5, "WORDS": 2},
    "rc4_search": {"N": 16, "KEY_BYTES": 5, "TEXT_BYTES": 4, "ENGINES": 2, "HIT_WORDS": 8},
}
RELEASED_FULL = {
    "rc4_axil": {"CORE": "bram", "K": 1, "KEY_BYTES": 16, "WORDS": 8},
    "rc4_search_axil": {"KEY_BYTES": 5, "TEXT_BYTES": 4, "ENGINES": 2, "HIT_WORDS": 8},
}
DESCRIPTION = yaml.safe_load((HARDWARE / "rc4.core").read_text().removeprefix("CAPI=2:\n"))
TARGETS = DESCRIPTION["targets"]


def test_fusesoc_has_every_file():
    """rc4.core lists the files of rtl/files.txt, in the same order."""
    listed = re.findall(r"^      - (rtl/\S+)$", (HARDWARE / "rc4.core").read_text(), re.MULTILINE)
    assert [HARDWARE / name for name in listed] == SOURCES


def own_generics(entity):
    """The generics of an entity with their defaults, from its file."""
    (file,) = (HARDWARE / "rtl").rglob(f"{entity}.vhd")
    text = re.search(r"generic \((.*?)\n  \);", file.read_text(), re.DOTALL)[1]
    return {name: yaml.safe_load(default) for name, default in re.findall(r'^ *(\w+) *: \w+ *:= ("\w+"|\d+)', text, re.MULTILINE)}


def test_fusesoc_has_every_generic():
    """Each generic of a target's entity is a parameter, with the default of the entity and of the data sheet."""
    parameters = {name: parameter["default"] for name, parameter in DESCRIPTION["parameters"].items()}
    for target in TARGETS.values():
        given = {}
        for text in target["parameters"]:
            name, _, value = text.partition("=")
            given[name] = yaml.safe_load(value) if value else parameters[name]
        assert given == own_generics(target["toplevel"])
    stated = (HARDWARE / "registers/README.md").read_text()
    for name, default in own_generics("rc4_axil").items():
        line = re.search(rf"^\| `{name}` \|.*$", stated, re.MULTILINE)[0]
        assert f"`{default}` (default)" in line or f"{default} (default)" in line or f"default {default} " in line, line


# Of each target what a user may choose, so that the entity would refuse it with another target's default.
CHOICES = {"default": {"K": 1, "CORE": "bram"}, "axil": {"CORE": "pipe"}, "wb": {"CORE": "unroll", "WORDS": 3}, "search_axil": {"ENGINES": 4}, "paper": {"N": 16}}


@pytest.mark.full
@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_fusesoc_runs(target, chosen, tmp_path):
    """FuseSoC itself finds the core, and GHDL elaborates each of its targets with the generics that FuseSoC gives."""
    command = [Path(sys.executable).with_name("fusesoc"), "--cores-root", HARDWARE, "run", f"--target={target}", "--tool=ghdl"]
    choice = CHOICES[target] if chosen else {}
    options = [f"--{name}={value}" for name, value in choice.items()]
    done = subprocess.run([*command, "arcfour:crypto:rc4", *options], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    entity = TARGETS[target]["toplevel"]
    run = re.search(rf"^ghdl -r .* {entity} (.*)$", done.stdout + done.stderr, re.MULTILINE)[1]
    given = {name: yaml.safe_load(value) for name, value in re.findall(r'-g(\w+)=("?\w+"?)', run)}
    assert given == own_generics(entity) | choice


def test_every_file_says_its_licence():
    for folder in ("rtl", "tb", "registers", "waves", "boards"):
        for file in (HARDWARE / folder).rglob("*"):
            if file.suffix in (".vhd", ".py", ".c", ".h", ".cpp", ".rdl"):
                assert re.search(r"SPDX-License-Identifier: MIT OR Apache-2\.0( \*/)?$", file.read_text()[:250], re.MULTILINE), file


@pytest.mark.parametrize("entity, generics", shapes(RELEASED.items(), RELEASED_FULL.items()))
def test_others_read_the_verilog(entity, generics, keys):
    """Verilator, which warns of nothing, Icarus and yosys read the Verilog that is handed on: no name in it is a keyword of theirs. In
    it is GHDL's netlist, and no path of this machine."""
    folder = BUILD / "verilog" / entity
    shutil.rmtree(folder, ignore_errors=True)
    file, original = verilog.release(entity, generics, folder)
    assert str(HARDWARE) not in file.read_text()
    verilog.lint(entity, file)
    if entity == "rc4_spec" or not few(keys):
        verilog.prove(entity, file, original)
    icarus = subprocess.run(["iverilog", "-g2012", "-t", "null", "-s", entity, file], cwd=folder, capture_output=True, text=True, check=False)
    assert icarus.returncode == 0, icarus.stderr[-500:]
    flow.yosys(f"read_verilog {Path(file).name}\nhierarchy -check -top {entity}\nproc\ncheck -assert\nselect -assert-none t:$dlatch", folder, "read")


def test_another_netlist_is_found(tmp_path):
    file, original = verilog.release("rc4_bram", RELEASED["rc4_bram"], tmp_path)
    text = file.read_text()
    file.write_text(text.replace(" + ", " - ", 1))
    with pytest.raises(RuntimeError, match="is not what GHDL wrote"):
        verilog.prove("rc4_bram", file, original)


@pytest.mark.full
@pytest.mark.parametrize("options", ["--core bram", "--core unroll", "--core spec --k 4 --key-bytes 5", "--core spec --k 8 --correct true", "--core unroll --k 4 --bus axis", "--core still --bus axis", "--core bram --bus axil"])
def test_the_verilog_that_is_handed_on(options, tmp_path):
    """Runs `make hardware-verilog`: lint, simulation, GHDL's netlist; its last line names the file."""
    command = [sys.executable, HARDWARE / "tb/verilog.py", *options.split(), "--folder", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert Path(done.stdout.splitlines()[-1]).suffix == ".v" and "simulated" in done.stdout


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


@pytest.mark.parametrize("words, says", [
    ("--k 0", "--k is 0; it must be a power of two up to 32 for the core spec on the bus none"),
    ("--k 3", "--k is 3; it must be a power of two"),
    ("--core bram --k 2", "up to 1 for the core bram"),
    ("--bus wb --k 8", "up to 4 for the core spec on the bus wb"),
    ("--key-bytes 257", "--key-bytes is 257; it must be 1 to 256"),
    ("--bus wb --words 256", "--words is 256; it must be 1 to 255"),
    ("--bus axis --words 8", "--words is for the buses axil and wb; the bus is axis"),
    ("--bus axis --correct true", "--correct is for the bare core spec"),
])
def test_a_wrong_choice_is_named(monkeypatch, capsys, words, says):
    monkeypatch.setattr(sys, "argv", ["verilog.py", *words.split()])
    with pytest.raises(SystemExit) as ended:
        verilog.main()
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
