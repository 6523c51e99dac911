"""The steps of the flow: GHDL, yosys with abc, OpenSTA. Each ends with an error or a clean log."""

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from liberty import Library

HARDWARE = Path(__file__).resolve().parent.parent
# What a tool may print and exit with 0. OpenSTA times a broken netlist without a cell it lacks.
ERROR = re.compile(r"\berror\b", re.IGNORECASE)
# GHDL names files too, and a folder may be called after an error.
ERROR_OF_GHDL = re.compile(r":error: ")
ERROR_OR_WARNING = re.compile(r"\b(error|warning)\b", re.IGNORECASE)
# In GHDL's Verilog: a path and a line of the VHDL; the number of a net.
COMMENT = re.compile(r"/\*.*?\*/")
NUMBER = re.compile(r"\bn(\d+)_")
# The label of a generate statement that chooses a part, in the part's name.
CHOICE = re.compile(r"\bif_[a-z]+_")
# Stages of the inverter chain that FO4 is measured on; the outer ones shape the edge.
CHAIN = 12
# The fewest flip-flops that share a gated clock.
GATED = 4
# From gates to cells in abc.
MAPPING = "dch -f; map -B 0.9"
CHAIN_FROM, CHAIN_TO = 4, 10


class FlowError(Exception):
    """A tool failed, or says that it did."""


@dataclass(frozen=True)
class Timing:
    """OpenSTA's figures of a netlist."""

    period_ps: float
    start: str  # the register or port where the critical path starts
    end: str


@dataclass(frozen=True)
class Area:
    """Areas in NAND2 equivalents."""

    total: float
    sequential: float  # flip-flops and clock gates
    flip_flops: int
    clock_gates: int

    @property
    def combinational(self) -> float:
        return self.total - self.sequential


def need(*programs: str) -> None:
    """Refuses to begin without programs that come later."""
    missing = [Path(program).name for program in programs if not shutil.which(program)]
    if missing:
        raise FlowError(f"not installed: {', '.join(missing)}; the targets of make install what they take")


def program(name: str) -> str:
    """The path of a program that an option names; it is run in other folders."""
    found = shutil.which(name)
    if not found:
        raise argparse.ArgumentTypeError(f"{name}: no program")
    return str(Path(found).absolute())


def folder(name: str) -> Path:
    """The folder that an option names."""
    if not Path(name).is_dir() or not name:
        raise argparse.ArgumentTypeError(f"{name}: no folder")
    return Path(name)


def run(
    command: list[str],
    folder: Path,
    log: str,
    output: str | None = None,
    bad: re.Pattern[str] = ERROR,
) -> str:
    """Runs a tool in `folder`; returns its log. A line that matches `bad` is a failure."""
    need(command[0])
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    text = done.stderr + ("" if output else done.stdout)
    if output:
        (folder / output).write_text(done.stdout)
    (folder / log).write_text(text)
    lines = [line for line in text.splitlines() if bad.search(line)]
    if done.returncode or lines:
        what = lines[0].strip() if lines else f"exit status {done.returncode}"
        raise FlowError(f"{Path(command[0]).name}: {what}; see {folder / log}")
    return text


def sources() -> list[Path]:
    """The VHDL files, in compile order."""
    return [HARDWARE / "rtl" / name for name in (HARDWARE / "rtl/files.txt").read_text().split()]


def canonical(verilog: str) -> str:
    """Returns GHDL's Verilog without comments and empty lines, with nets numbered in their order.

    So the same circuit has the same text in every folder, and after a mere rewording of the VHDL.
    """
    numbers: dict[str, int] = {}
    text = NUMBER.sub(lambda net: f"n{numbers.setdefault(net[1], len(numbers))}_", COMMENT.sub("", verilog))
    return "".join(line for line in text.splitlines(keepends=True) if line.strip())


def to_verilog(entity: str, generics: Mapping[str, int | str], files: Iterable[Path], folder: Path) -> Path:
    """Writes GHDL's Verilog of an entity, rtl.v in `folder`. Returns the file.

    The generate statements named if_ choose a part by a generic. Their labels are taken out of the names,
    so a part has one name whichever way it was chosen.
    """
    flags = [f"-g{name}={value}" for name, value in generics.items()]
    command = ["ghdl", "--synth", "--std=08", "--out=verilog", *flags, *map(str, files), "-e", entity]
    run(command, folder, "ghdl.log", output="rtl.v", bad=ERROR_OF_GHDL)
    file = folder / "rtl.v"
    file.write_text(CHOICE.sub("", file.read_text()))
    return file


def elaborate(entity: str, generics: dict[str, int], folder: Path) -> None:
    """VHDL to rtl.v."""
    file = to_verilog(entity, generics, sources(), folder)
    file.write_text(canonical(file.read_text()))
    # GHDL 2.0 writes a constant of many bits as text, "0110", and yosys reads letters in it.
    text = re.search(r'"[^"]*"', (folder / "rtl.v").read_text())
    if text:
        raise FlowError(f"{entity}: GHDL wrote a constant of {len(text[0]) - 2} bits as text")


def yosys(script: str, folder: Path, name: str) -> str:
    """Runs a script in a separate process; returns its log."""
    (folder / f"{name}.ys").write_text(script)
    program = f"from pyosys import libyosys; libyosys.run_pass('tee -q -o {name}.log script {name}.ys')"
    log = folder / f"{name}.log"
    log.unlink(missing_ok=True)
    try:
        run([sys.executable, "-c", program], folder, f"{name}.err")
    except FlowError:
        said = re.search(r"^ERROR: .*", log.read_text() if log.exists() else "", re.MULTILINE)
        if said:
            raise FlowError(f"yosys: {said[0]}; see {log}") from None
        raise
    return log.read_text()


def prepare(top: str, library: Library, folder: Path, name: str, flat: bool) -> dict:
    """rtl.v to registers of the library and generic gates, in `name`.il; returns yosys' statistics."""
    flatten = "-flatten " if flat else ""
    # A pass of yosys wants flip-flops with an enable and no reset, and one enable for each set of them.
    # The enables it leaves become gates: inside a flip-flop abc would not see their delay.
    gate_clocks = f"""
        dfflegalize -cell $_DFF_P_ x -cell $_DFFE_PP_ x -cell $_SDFFCE_PP?P_ x
        dffunmap -srst-only
        opt_expr
        opt_merge
        opt_clean
        clockgate -liberty {library.path.name} -min_net_size {GATED}
        dffunmap -ce-only
        opt_clean
    """
    yosys(
        f"""
        read_verilog rtl.v
        hierarchy -check -top {top}
        synth -nofsm {flatten}-run begin:fine
        select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
        opt -fast -full
        memory_map
        opt -undriven -fine
        techmap
        opt -fast
        check -assert
        {gate_clocks if library.clock_gates else ""}
        dfflibmap -liberty {library.path.name}
        rename -enumerate -pattern register_% {" ".join(f"t:{cell}" for cell in library.flip_flops)}
        tee -q -o {name}.json stat -json
        write_rtlil {name}.il
        """,
        folder,
        f"{name}-prepare",
    )
    statistics = json.loads((folder / f"{name}.json").read_text())
    cells = sum((Counter(module["num_cells_by_type"]) for module in statistics["modules"].values()), Counter())
    if library.clock_gates and not any(cells[gate] for gate in library.clock_gates):
        raise FlowError(f"{top}: no clock gate was made, though {library.name} has some")
    return statistics


def map_gates(library: Library, target_ps: int, folder: Path, name: str) -> dict:
    """`name`.il to `name`.v, mapped by abc for this clock; returns yosys' statistics.

    `name`-ports.v is the same netlist with its ports whole, for simulation: OpenSTA wants them
    bit by bit.
    """
    (folder / f"{name}.abc").write_text(
        f"strash; {MAPPING} -D {target_ps}; topo; buffer -c; "
        f"upsize -D {target_ps}; dnsize -D {target_ps}; stime -p\n"
    )
    # Without a driver abc takes what a flip-flop drives for free, and never buffers it.
    (folder / f"{name}.sdc").write_text(f"set_driving_cell {library.inverter}\n")
    unused = " ".join(f"-dont_use {cell}" for cell in library.unused)
    ties = "setundef -zero\n"
    if library.tie_low and library.tie_high:
        ties += f"hilomap -hicell {' '.join(library.tie_high)} -locell {' '.join(library.tie_low)}"
    yosys(
        f"""
        read_liberty -lib -ignore_miss_func {library.path.name}
        read_rtlil {name}.il
        abc -liberty {library.path.name} {unused} -constr {name}.sdc -script {name}.abc
        {ties}
        opt_clean -purge
        check -mapped -assert
        tee -q -o {name}.json stat -json -liberty {library.path.name}
        write_verilog -noattr -noexpr -nohex -nodec {name}-ports.v
        splitnets -ports
        opt_clean -purge
        write_verilog -noattr -noexpr -nohex -nodec {name}.v
        """,
        folder,
        name,
    )
    return json.loads((folder / f"{name}.json").read_text())


def area(cells: dict[str, int], library: Library) -> Area:
    """The area of these cells."""
    nand2 = library.areas[library.nand2]
    stray = [cell for cell in cells if cell not in library.areas]
    if stray:
        raise FlowError(f"cells that are not of {library.name}: {', '.join(stray)}")
    flip_flops = {cell: count for cell, count in cells.items() if cell in library.flip_flops}
    gates = {cell: count for cell, count in cells.items() if cell in library.clock_gates}
    sequential = flip_flops | gates
    return Area(
        total=sum(library.areas[cell] * count for cell, count in cells.items()) / nand2,
        sequential=sum(library.areas[cell] * count for cell, count in sequential.items()) / nand2,
        flip_flops=sum(flip_flops.values()),
        clock_gates=sum(gates.values()),
    )


def in_ns(library: Library) -> str:
    """OpenSTA's commands to read a library. OpenSTA would take times in the library's unit, and report them in it."""
    return f"read_liberty {library.path.name}\nset_cmd_units -time ns -capacitance pF"


def sta(script: str, folder: Path, name: str) -> str:
    (folder / f"{name}.tcl").write_text(script)
    command = ["sta", "-no_splash", "-exit", f"{name}.tcl"]
    return run(command, folder, f"{name}.sta.log", bad=ERROR_OR_WARNING)


def period(top: str, library: Library, folder: Path, name: str, clock: str, wires: str = "") -> Timing:
    """The shortest clock of `name`.v: ideal clock, the wires of this SPEF file or none, inputs at the clock edge."""
    guess = 1000.0  # ns; the slack gives the rest
    log = sta(
        f"""
        {in_ns(library)}
        read_verilog {name}.v
        link_design {top}
        {f"read_spef {wires}" if wires else ""}
        create_clock -name clk -period {guess} [get_ports {clock}]
        foreach port [all_inputs] {{
          if {{[get_full_name $port] ne "{clock}"}} {{ set_input_delay 0 -clock clk $port }}
        }}
        set_output_delay 0 -clock clk [all_outputs]
        report_checks -path_delay max -digits 5
        """,
        folder,
        name,
    )
    slack = re.search(r"(-?[\d.]+)\s+slack", log)
    start = re.search(r"Startpoint: (\S+)", log)
    end = re.search(r"Endpoint: (\S+)", log)
    if not slack or not start or not end or not float(slack.group(1)) < guess:
        raise FlowError(f"sta: no timing path; see {folder / f'{name}.sta.log'}")
    netlist = (folder / f"{name}.v").read_text()
    return Timing(
        (guess - float(slack.group(1))) * 1000,
        held(netlist, start.group(1)),
        held(netlist, end.group(1)),
    )


def held(netlist: str, instance: str) -> str:
    """Returns the net at a flip-flop's output, or a port itself."""
    found = re.search(rf"\b{re.escape(instance)} \(.*?\.Q\w*\(\\?(\S+?)\s*\)", netlist, re.DOTALL)
    return found.group(1) if found else instance


def fo4(library: Library, folder: Path) -> float:
    """The delay of an inverter that drives four inverters, in ps. It is the mean of a rising and a
    falling edge in the middle of a chain."""
    a, y, cell = library.inverter_in, library.inverter_out, library.inverter
    lines = [f"module chain(input n0, output [{CHAIN * 3 - 1}:0] load);"]
    lines += [f"wire n{stage};" for stage in range(1, CHAIN + 1)]
    for stage in range(CHAIN):
        lines.append(f"{cell} u{stage} (.{a}(n{stage}), .{y}(n{stage + 1}));")
        lines += [
            f"{cell} l{stage}_{k} (.{a}(n{stage + 1}), .{y}(load[{stage * 3 + k}]));"
            for k in range(3)
        ]
    # The last stage has its three loads and no successor; it is not measured.
    (folder / "fo4.v").write_text("\n".join([*lines, "endmodule", ""]))
    log = sta(
        f"""
        {in_ns(library)}
        read_verilog fo4.v
        link_design chain
        create_clock -name clk -period 1000
        set_input_delay 0 -clock clk [get_ports n0]
        set_input_transition 0.1 [get_ports n0]
        report_checks -unconstrained -rise_from n0 -through u{CHAIN - 1}/{y} -digits 6
        """,
        folder,
        "fo4",
    )
    times = {
        int(found.group(2)): float(found.group(1))
        for found in re.finditer(rf"([\d.]+)\s+[v^]\s+u(\d+)/{y}\b", log)
    }
    if CHAIN_FROM not in times or CHAIN_TO not in times:
        raise FlowError(f"sta: no path through the inverter chain; see {folder / 'fo4.sta.log'}")
    delay = (times[CHAIN_TO] - times[CHAIN_FROM]) * 1000 / (CHAIN_TO - CHAIN_FROM)
    if not math.isfinite(delay) or delay <= 0:
        raise FlowError(f"sta: FO4 of {library.name} is {delay} ps; it must be positive")
    return delay


def cell_models(library: Library, folder: Path) -> None:
    """The library's cells as Verilog for a simulator, made from their functions: cells.v."""
    yosys(
        f"""
        read_liberty -ignore_miss_func -ignore_miss_dir -ignore_miss_data_latch {library.path.name}
        proc
        write_verilog -noattr cells.v
        """,
        folder,
        "cells",
    )
    file = folder / "cells.v"
    models = [woken(model) for model in file.read_text().split("endmodule")]
    # yosys reads no function of a clock gate: a latch, open while the clock is low, and an AND.
    gates = (
        f"module {cell}(input {pin['clock']}, {pin['enable']}, output {pin['out']});\n"
        f"reg on;\nalways @* if (!{pin['clock']}) on = {pin['enable']};\n"
        f"assign {pin['out']} = {pin['clock']} & on;\nendmodule\n"
        for cell, pin in library.clock_gates.items()
    )
    file.write_text("endmodule".join(models) + "".join(gates))


def woken(model: str) -> str:
    """Returns a cell's model with a random initial value in its flip-flop. An unknown value, X, would pass
    gates that neither 0 nor 1 passes, and might stay in a netlist for ever."""
    held = re.findall(r"^  reg (\w+);", model, re.MULTILINE)
    if not held:
        return model
    first, *others = held
    same = "".join(f" {name} = {first};" for name in others)
    return f"{model}  initial begin {first} = $random;{same} end\n"
