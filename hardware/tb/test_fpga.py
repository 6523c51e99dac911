# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scripts with missing tools and wrong arguments: their messages; the place of trials."""

import csv
import json
import subprocess
import sys
from dataclasses import replace

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import die
import fpga
import fpga_tables
import rates
from devices import devices
from recording import record, recorded
from test_datasheet import write_rows


def run(monkeypatch, capsys, module, *arguments):
    """Returns the exit code of a script, and its standard error."""
    monkeypatch.setattr(sys, "argv", [f"{module.__name__}.py", *arguments])
    return module.main(), capsys.readouterr().err


def test_die_without_klayout(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "klayout", None)
    code, said = run(monkeypatch, capsys, die, "--results", str(tmp_path))
    assert code == 1
    assert said.startswith("die: KLayout cannot be loaded") and said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_rates_without_ghdl(monkeypatch, capsys, tmp_path):
    """The design has no row, and fails the run."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(rates, "FILE", tmp_path / "rates.csv")
    code, said = run(monkeypatch, capsys, rates, "--design", "rc4_bram")
    assert (code, said) == (1, "rates: rc4_bram: not installed: ghdl; the targets of make install what they take\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("script", ["formal/mutation.py", "registers/generate.py", "syn/datasheet.py", "syn/hits.py", "tb/line_coverage.py", "waves/record.py", "waves/try_it.py"])
def test_wrong_arguments_do_nothing(script, tmp_path):
    """Expects exit code 2, the argument in the message, and no file."""
    for wrong in (["--no-such-option"], ["no_such_core", "no_such_core"]):  # two, where one may be a key or a folder
        done = subprocess.run([sys.executable, HARDWARE / script, *wrong], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, wrong[0] in done.stderr) == (2, True), done.stderr
    assert not list(tmp_path.iterdir())


def test_fpga_without_a_router(monkeypatch, capsys, tmp_path):
    """The device without one has no row, and fails the run."""
    known = devices()
    monkeypatch.setattr(fpga, "devices", lambda: {"ecp5-85f": replace(known["ecp5-85f"], nextpnr="of-another-device")})
    code, said = run(monkeypatch, capsys, fpga, "--design", "rc4_bram", "--results", str(tmp_path))
    assert code == 1
    assert said.startswith("fpga: ecp5-85f: rc4_bram: not installed: yowasp-nextpnr-of-another-device;") and said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_trial_leaves_the_row(monkeypatch, capsys, tmp_path):
    """A trial is recorded by its settings, beside the others; the device's row is not written."""
    clocks = iter((100.0, 90.0))

    def route(device, design, name):
        assert name != design.name, "a trial takes a folder of its own"
        return fpga.Mapped({"TRELLIS_COMB": 5}, {}, 1, {seed: next(clocks) + seed for seed in range(device.seeds)})

    monkeypatch.setattr(fpga, "route", route)
    settings = ("--device", "ecp5-85f", "--design", "rc4_bram", "--seeds", "1", "--results", str(tmp_path), "--options")
    for options in ("--freq 130", "--freq 250"):
        assert run(monkeypatch, capsys, fpga, *settings, options) == (0, "")
    with (tmp_path / "ecp5-85f" / "trials.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["options"], row["clock_mhz"], row["seeds"]) for row in rows] == [("--freq 130", "100.0", "1"), ("--freq 250", "90.0", "1")]
    assert {row["synthesis"] for row in rows} == {devices()["ecp5-85f"].synthesis}
    assert not (tmp_path / "ecp5-85f" / "fpga.csv").exists()


def netlist(flip_flops):
    """A LUT that enables some flip-flops, drives a LUT of logic with two of its pins, and the data of the first flip-flop."""
    directions = {"A": "input", "B": "input", "Z": "output", "CE": "input", "DI": "input", "Q": "output"}

    def cell(kind, **connections):
        return {"type": kind, "port_directions": {port: directions[port] for port in connections}, "connections": {port: [bit] for port, bit in connections.items()}}

    cells = {"gate": cell("LUT4", A=2, B="0", Z=3), "logic": cell("LUT4", A=3, B=3, Z=4)}
    cells |= {f"ff{k}": cell("TRELLIS_FF", CE=3, DI=4 if k else 3, Q=10 + k) for k in range(flip_flops)}
    return {"cells": cells, "netnames": {}}


def test_the_lut_of_many_enables_is_copied():
    """The flip-flops keep the LUT, the logic has another one with the same inputs."""
    many = fpga.ENABLED
    module = netlist(many)
    assert fpga.copy_enables(module, "TRELLIS_FF") == 1
    cells = module["cells"]
    copy = cells["gate_copy"]["connections"]["Z"]
    assert copy[0] not in {bit for name, cell in cells.items() if name != "gate_copy" for port, bits in cell["connections"].items() if cell["port_directions"][port] == "output" for bit in bits}
    assert cells["gate_copy"] == cells["gate"] | {"connections": {"A": [2], "B": ["0"], "Z": copy}}
    assert cells["logic"]["connections"] == {"A": copy, "B": copy, "Z": [4]}
    assert {cells[f"ff{k}"]["connections"]["CE"][0] for k in range(many)} == {3}
    assert cells["ff0"]["connections"]["DI"] == copy and cells["ff1"]["connections"]["DI"] == [4]


def test_what_is_not_copied():
    """An enable of few flip-flops; one that drives no logic; a register's; the one that was copied before."""
    few, alone, registered, again = (netlist(number) for number in (fpga.ENABLED - 1, *(3 * [fpga.ENABLED])))
    alone["cells"]["ff0"]["connections"]["DI"] = alone["cells"]["logic"]["connections"]["A"] = alone["cells"]["logic"]["connections"]["B"] = [2]
    registered["cells"]["gate"]["type"] = "TRELLIS_FF"
    fpga.copy_enables(again, "TRELLIS_FF")
    for module in (few, alone, registered, again):
        before = json.dumps(module)
        assert fpga.copy_enables(module, "TRELLIS_FF") == 0
        assert json.dumps(module) == before


def test_a_design_has_settings_of_its_own():
    """They take the place of the device's, and only for that design."""
    device = replace(devices()["ecp5-85f"], own={"rc4_pipe_1": {"copies": True, "options": ["--freq", "1"]}})
    assert (device.of("rc4_pipe_1").copies, device.of("rc4_pipe_1").options) == (True, ["--freq", "1"])
    assert device.of("rc4_bram") == device and not device.copies


def test_a_trial_is_of_one_device(monkeypatch, capsys):
    with pytest.raises(SystemExit) as end:
        run(monkeypatch, capsys, fpga, "--design", "rc4_bram", "--options", "--freq 130")
    assert end.value.code == 2
    assert "one --device" in capsys.readouterr().err


def test_a_device_whose_router_is_elsewhere_wants_its_name(monkeypatch, capsys, tmp_path):
    """Without --nextpnr, an empty result is not written over the routed rows, and a run of all devices leaves the device out."""
    with pytest.raises(SystemExit) as end:
        run(monkeypatch, capsys, fpga, "--device", "xilinx-7", "--design", "rc4_bram", "--results", str(tmp_path))
    assert end.value.code == 2
    assert "--device xilinx-7: --nextpnr must name the router, nextpnr-himbaechel-xilinx" in capsys.readouterr().err
    asked = []
    monkeypatch.setattr(fpga, "router_version", lambda device: "0.11")
    monkeypatch.setattr(fpga, "route", lambda device, design: asked.append(device.name) or fpga.Mapped({}, {}, 1, {1: 90.0}))
    assert run(monkeypatch, capsys, fpga, "--design", "rc4_bram", "--results", str(tmp_path)) == (0, "")
    assert set(asked) == set(devices()) - {"xilinx-7"}


def test_another_router_is_named_by_its_version(monkeypatch, capsys, tmp_path):
    """--nextpnr takes a program, and its row says which version it is."""
    program = tmp_path / "nextpnr"
    program.write_text('#!/bin/sh\necho \'"nextpnr-ecp5" -- Next Generation Place and Route (Version 0.7-1+b2)\' >&2\n')
    program.chmod(0o755)
    monkeypatch.setattr(fpga, "route", lambda device, design: fpga.Mapped({"TRELLIS_COMB": 5}, {}, 1, {1: 90.0}))
    arguments = ("--device", "ecp5-85f", "--design", "rc4_bram", "--results", str(tmp_path), "--nextpnr")
    assert run(monkeypatch, capsys, fpga, *arguments, str(program)) == (0, "")
    assert recorded(tmp_path / "ecp5-85f" / "fpga.csv")["rc4_bram"]["nextpnr"] == "0.7-1+b2"
    code, said = run(monkeypatch, capsys, fpga, *arguments, "/bin/true")
    assert code == 1 and "/bin/true --version says no version of nextpnr" in said


def test_another_version_routes_anew(monkeypatch, tmp_path):
    """A result of the same router is read from its file, a result of another version is not."""
    (tmp_path / "design.json").write_text("{}")
    versions, routed = iter(["0.11", "0.11", "0.12"]), []
    monkeypatch.setattr(fpga, "router_version", lambda device: next(versions))
    monkeypatch.setattr(fpga, "place_anew", lambda device, folder, seed: routed.append(seed) or ({}, {}, 90.0))
    for _ in range(3):
        assert fpga.place(devices()["ecp5-85f"], tmp_path, 1) == ({}, {}, 90.0)
    assert routed == [1, 1]


def test_other_pins_are_routed_anew(monkeypatch, tmp_path):
    (tmp_path / "design.json").write_text("{}")
    routed = []
    monkeypatch.setattr(fpga, "router_version", lambda device: "0.11")
    monkeypatch.setattr(fpga, "place_anew", lambda device, folder, seed: routed.append(seed) or ({}, {}, 90.0))
    for pins in ("a", "a", "b"):
        (tmp_path / "pins.txt").write_text(pins)
        fpga.place(devices()["xilinx-7"], tmp_path, 1)
    assert routed == [1, 1]


def test_a_trial_of_a_design_without_a_row(monkeypatch, tmp_path):
    """Its line stands alone in the table."""
    monkeypatch.setattr(fpga_tables, "RESULTS", tmp_path)
    trial = fpga.Trial("rc4_spec_4", "synth_ecp5", "--freq 1", 0, 1, 5, 90.0, 91.0, 92.0, "")
    record(tmp_path / "ecp5-85f" / "trials.csv", trial, key=fpga.SETTINGS)
    assert fpga_tables.tried_settings().splitlines()[2:] == ["| `rc4_spec_4` | `synth_ecp5` | `--freq 1` | 0 | 1 | 5 | 90.0 | 91.0 | 92.0 |"]


def test_a_router_that_is_no_program_is_named(monkeypatch, capsys, tmp_path):
    """And one in the folder of the call is found from the folders of the designs."""
    with pytest.raises(SystemExit) as end:
        run(monkeypatch, capsys, fpga, "--device", "ecp5-85f", "--nextpnr", "/no/such", "--results", str(tmp_path))
    assert end.value.code == 2
    assert "argument --nextpnr: /no/such: no program" in capsys.readouterr().err
    (tmp_path / "router").symlink_to(sys.executable)
    monkeypatch.chdir(tmp_path)
    assert fpga.flow.program("./router") == str(tmp_path / "router")


def test_routed_cores_stand_beside_each_other(monkeypatch, tmp_path):
    """At their median clocks, on a device that routed both cores of a pair. Design 2 on the ECP5 is mapped only."""
    monkeypatch.setattr(fpga_tables, "RESULTS", tmp_path)
    columns = ("design", "status", "lut", "clock_mhz", "clock_mhz_median", "bytes_per_clock", "gbit_per_s")
    fast, slow = ("rc4_spec_2", "routed", "9000", "160", "150", "1.8", "2.3"), ("rc4_design2", "routed", "15000", "90", "50", "2", "1.4")
    for device in ("ecp5-85f", "xilinx-7"):
        (tmp_path / device).mkdir()
    write_rows(tmp_path / "ecp5-85f" / "fpga.csv", [dict(zip(columns, each, strict=True)) for each in (fast, (slow[0], "mapped", *slow[2:]))])
    assert fpga_tables.fpga_ratios() == ""
    write_rows(tmp_path / "xilinx-7" / "fpga.csv", [dict(zip(columns, each, strict=True)) for each in (fast, slow)])
    table = "| core | Xilinx Artix-7 XC7A100T, speed grade 1: against | rate | LUTs |\n|---|--:|--:|--:|\n| `rc4_spec_2` | `rc4_design2` | 2.7 | 0.6 |\n"
    assert fpga_tables.fpga_ratios().endswith(f":\n\n{table}")
