# SPDX-License-Identifier: MIT OR Apache-2.0
"""The example of the README: its text is in the file, and its commands give the printed output."""

import re
import shutil
import subprocess

from simulate import HARDWARE

README = (HARDWARE / "README.md").read_text()


def test_the_part_shown_is_of_the_example():
    shown = re.search(r"```vhdl\n(.*?)```", README, re.DOTALL)[1]
    assert shown in (HARDWARE / "tb/example.vhd").read_text()


def test_its_commands_print_what_is_printed(tmp_path):
    commands, printed = re.search(r"```console\n((?:\$ [^\n]*\n)+)(.*?)```", README, re.DOTALL).groups()
    shutil.copytree(HARDWARE / "rtl", tmp_path / "rtl")
    (tmp_path / "tb").mkdir()
    shutil.copy(HARDWARE / "tb/example.vhd", tmp_path / "tb")
    script = "set -e\n" + "".join(line.removeprefix("$ ") + "\n" for line in commands.splitlines())
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")
