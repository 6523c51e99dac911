# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scripts of syn/ that need more than the tests have: what they say without it, and where trials go."""

import csv
import sys
from dataclasses import replace

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import calibrate
import die
import fpga
from devices import devices


def run(monkeypatch, capsys, module, *arguments):
    """The exit code of a script, and what it says on standard error."""
    monkeypatch.setattr(sys, "argv", [f"{module.__name__}.py", *arguments])
    return module.main(), capsys.readouterr().err


def test_die_without_klayout(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "klayout", None)
    code, said = run(monkeypatch, capsys, die, "--results", str(tmp_path))
    assert code == 1
    assert said.startswith("die: KLayout cannot be loaded") and said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_calibrate_without_qflow(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, said = run(monkeypatch, capsys, calibrate, "--results", str(tmp_path))
    assert code == 1
    assert said.startswith("calibrate: not installed: qflow, graywolf, qrouter;") and said.count("\n") == 1
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


def test_a_trial_is_of_one_device(monkeypatch, capsys):
    with pytest.raises(SystemExit) as end:
        run(monkeypatch, capsys, fpga, "--design", "rc4_bram", "--options", "--freq 130")
    assert end.value.code == 2
    assert "one --device" in capsys.readouterr().err
