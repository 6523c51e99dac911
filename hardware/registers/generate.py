# SPDX-License-Identifier: MIT OR Apache-2.0
"""Generates the registers' constants of rtl/, C headers, Python constants and tables from rc4.rdl. PeakRDL writes the headers.

peakrdl-regblock-vhdl would write a register block too, but this block needs more packages. So the block is rtl/rc4_regs.vhd, with
constants from here."""

import argparse
from pathlib import Path

from peakrdl_cheader.c_standards import CStandard
from peakrdl_cheader.exporter import CHeaderExporter
from systemrdl import RDLCompiler

FOLDER = Path(__file__).resolve().parent
SPDX = "SPDX-License-Identifier: MIT OR Apache-2.0"
MAPS = ("rc4", "rc4_search")
UNUSED = "A write ignores the bits without a field, and they read as 0. A byte without its strobe is not written."
WRITTEN = "Written from registers/rc4.rdl by `make -C hardware registers`."


def elaborated(name):
    """The address map of this name."""
    compiler = RDLCompiler()
    compiler.compile_file(str(FOLDER / "rc4.rdl"))
    return compiler.elaborate(top_def_name=name).top


def reset(register):
    """Returns the value of a register after a reset, or None if the description leaves bits open."""
    value = 0
    for field in register.fields():
        if field.get_property("reset") is None:
            return None
        value |= field.get_property("reset") << field.low
    return value


def access(field):
    return field.get_property("sw").name


def vhdl(top, name):
    """The package of addresses, reset values and places of fields."""
    lines = [
        f"-- {SPDX}",
        f"-- The registers of {top.get_property('desc').rstrip('.')}. {WRITTEN}",
        "library ieee;",
        "use ieee.std_logic_1164.all;",
        "",
        f"package {name}_regs_pkg is",
    ]
    for register in top.registers():
        at = register.inst_name
        lines.append("")
        lines.append(f"  constant {at}_ADDRESS : natural := 16#{register.absolute_address:02X}#;  -- {register.get_property('name')}")
        if (value := reset(register)) is not None:
            lines.append(f'  constant {at}_RESET : std_logic_vector(31 downto 0) := x"{value:08X}";')
        for field in register.fields():
            place = f"{at}_{field.inst_name.upper()}"
            if field.width == 1:
                lines.append(f"  constant {place} : natural := {field.low};")
            elif field.width < 32:
                lines.append(f"  constant {place}_HIGH : natural := {field.high};")
                lines.append(f"  constant {place}_LOW : natural := {field.low};")
    return "\n".join([*lines, "", "end package;", ""])


def python(maps):
    """Returns the registers as dictionaries. A register has its address, its reset value or None,
    and its fields. A field has its lowest bit, its width and its access."""
    lines = [f"# {SPDX}", f'"""The registers. {WRITTEN}"""']
    for name, top in maps.items():
        lines += ["", f"{name.upper()} = {{"]
        for register in top.registers():
            value = reset(register)
            shown = "None" if value is None else f"0x{value:08X}"
            lines.append(f'    "{register.inst_name}": (')
            lines.append(f"        0x{register.absolute_address:02X},")
            lines.append(f"        {shown},")
            lines.append("        {")
            for field in register.fields():
                lines.append(f'            "{field.inst_name}": ({field.low}, {field.width}, "{access(field)}"),')
            lines.append("        },")
            lines.append("    ),")
        lines.append("}")
    return "\n".join([*lines, ""])


def markdown(top):
    """Returns a table of all fields, and a table of the remarks on whole registers."""
    lines = [f"<!-- {WRITTEN} -->", "", f"# Registers of {top.get_property('desc').rstrip('.')}", ""]
    lines += ["| address | register | bits | field | access | reset | meaning |", "|---|---|--:|---|---|--:|---|"]
    remarks = []
    for register in top.registers():
        shown = f"| 0x{register.absolute_address:02X} | `{register.inst_name}` |"
        for field in register.fields():
            bits = str(field.low) if field.width == 1 else f"{field.high}:{field.low}"
            start = field.get_property("reset")
            lines.append(
                f"{shown} {bits} | `{field.inst_name}` | {access(field)} | "
                f"{'' if start is None else hex(start) if start > 9 else start} | {field.get_property('desc')} |"
            )
            shown = "| | |"
        if about := register.get_property("desc"):
            remarks.append(f"| `{register.inst_name}` | {' '.join(about.split())} |")
    return "\n".join([*lines, "", UNUSED, "", "| register | remark |", "|---|---|", *remarks, ""])


def write(root):
    """Writes all files under `root`, which is laid out like hardware/. Returns the files."""
    files = []

    def out(path, text):
        path = root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        files.append(path)

    maps = {name: elaborated(name) for name in MAPS}
    for name, top in maps.items():
        out(f"rtl/{name}_regs_pkg.vhd", vhdl(top, name))
        header = root / "registers" / f"{name}_regs.h"
        header.parent.mkdir(parents=True, exist_ok=True)
        CHeaderExporter().export(top, str(header), std=CStandard.gnu99)
        out(f"registers/{name}_regs.h", f"/* {SPDX} */\n/* {WRITTEN} */\n{header.read_text()}")
        out(f"registers/{name}_regs.md", markdown(top))
    out("registers/rc4_registers.py", python(maps))
    return files


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=Path, metavar="FOLDER", default=FOLDER.parent, help="the folder to write, in place of hardware/")
    write(parser.parse_args().root)
