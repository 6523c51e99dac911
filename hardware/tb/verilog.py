# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes a core as one file of Verilog, for people without VHDL: lints it, simulates it and proves it equal to GHDL's text.

    verilog.py [--core CORE] [--bus BUS] [--k K] [--key-bytes BYTES] [--words WORDS] [--correct true] [--folder FOLDER]

GHDL's text loses this machine's paths and two causes of lint warnings: initial values that are all unknown, and non-blocking assignments
in combinational logic.
"""

import argparse
import re
import sys
from pathlib import Path

import verilate
from cocotb_tools.runner import get_runner
from simulate import BUILD, HARDWARE, check

sys.path.append(str(HARDWARE / "syn"))  # last: syn has a search.py too
import flow

MOST_K = {"unroll": 128, "pipe": 32, "spec": 32, "still": 16, "bram": 1}
CORES = tuple(MOST_K)
BUSES = ("none", "axis", "axil", "wb")
KEYS, WORDS = 200, 300  # of the simulation of a bare core, or of rc4_axis

# Warnings of Verilator's -Wall about any output of GHDL: all modules are in one file, and unused
# nets keep their names. Ports are left open by name, and AXI prescribes its names.
WAIVED = ("DECLFILENAME", "UNUSEDSIGNAL", "PINCONNECTEMPTY", "SYMRSVDWORD")


def tidy(text, entity, generics):
    """Returns GHDL's text under a head, without this machine's paths and the causes of lint warnings."""
    text = re.sub(r"/\* \S*/rtl/(\S+?)\s*\*/", r"// rtl/\1", text)
    text = re.sub(r"^  initial\n    \w+ <= \d+'bX+;\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"always @\*\n    case .*?endcase", lambda found: found[0].replace(" <= ", " = "), text, flags=re.DOTALL)
    values = ", ".join(f"{name} = {value}" for name, value in generics.items())
    head = [
        "// SPDX-License-Identifier: MIT OR Apache-2.0",
        f"// {entity} of Arcfour with {values}, as Verilog: written by `make hardware-verilog` from VHDL by GHDL; the comments name",
        "// the lines of VHDL. RC4 is broken: this is for reading old data and for studying the cipher.",
        *(f"// verilator lint_off {name}" for name in WAIVED),
    ]
    return "\n".join([*head, text])


def release(entity, generics, folder):
    """Writes the Verilog of an entity in `folder`. Returns the file, and GHDL's original."""
    original = verilate.to_verilog(entity, generics, folder / "ghdl")
    file = folder / f"{entity}.v"
    file.write_text(tidy(original.read_text(), entity, generics))
    return file, original


def lint(entity, file):
    """Verilator finds nothing to warn of, whatever it can be told to look for."""
    verilate.run([sys.executable, "-m", "verilator", "--lint-only", "-Wall", "--top-module", entity, file], file.parent)


def netlist(entity, file, folder):
    """Returns yosys' netlist of a file, with generated names replaced by numbers in their order."""
    log = f"""
    read_verilog {file}
    hierarchy -check -top {entity}
    proc
    setattr -unset init w:*
    setattr -unset src *
    setattr -mod -unset src *
    opt_clean
    write_rtlil netlist.il
    """
    flow.yosys(log, folder, "netlist")
    lines = [line for line in (folder / "netlist.il").read_text().splitlines() if not line.startswith(("#", "autoidx"))]
    # Generated names have line numbers in them, by which yosys orders the wires. The order of the cells does not follow them.
    wires = [line for line in lines if line.startswith("  wire ")]
    cells = [line for line in lines if not line.startswith("  wire ")]
    numbers = {}
    made_up = re.compile(r"(?<!\S)\$\S*[:$]\S*")
    cells, wires = ([made_up.sub(lambda name: f"${numbers.setdefault(name[0], len(numbers))}", line) for line in part] for part in (cells, wires))
    return sorted(wires) + cells


def prove(entity, file, original):
    """yosys makes the same netlist of the file as of GHDL's text, which synthesis and the proofs read."""
    ours, theirs = (netlist(entity, each, each.parent) for each in (file, original))
    if ours != theirs:
        first = next((pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]), (len(ours), len(theirs)))
        raise RuntimeError(f"{file.name} is not what GHDL wrote: {first}")


def simulate(entity, generics, file, folder):
    """The file gives RC4's keystream: bare cores and rc4_axis in Verilator, the register buses under cocotb in Icarus."""
    if entity in ("rc4_axil", "rc4_wb"):
        runner = get_runner("icarus")
        runner.build(sources=[file], hdl_toplevel=entity, build_dir=folder, always=True, timescale=("1ns", "1ps"))
        environment = {"N": "256", "ROUNDS": "1", "COCOTB_LOG_LEVEL": "WARNING"} | {name: str(value) for name, value in generics.items()}
        results = folder / "results.xml"
        runner.test(hdl_toplevel=entity, test_module="registers", build_dir=folder, extra_env=environment, results_xml=str(results))
        check(results)
        return "the tests of the registers pass"
    model = verilate.build(entity, [file], generics.get("N", 256), generics["K"], generics["KEY_BYTES"], folder)
    return model.run("random", KEYS, WORDS, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", default="spec", choices=CORES)
    parser.add_argument("--bus", default="none", choices=BUSES, help="none: the bare core")
    parser.add_argument("--k", type=int, help="bytes a clock; 2, and 1 of bram")
    parser.add_argument("--key-bytes", type=int, default=16, help="of the longest key, 1 to 256")
    parser.add_argument("--words", type=int, help="that wait to be read, on axil and wb; 8")
    parser.add_argument("--correct", default="false", choices=("false", "true"), help="hits cost fewer clocks, and the clock is longer: of the bare core spec")
    parser.add_argument("--folder", type=Path, default=BUILD / "release")
    args = parser.parse_args()
    correct = args.correct == "true"
    if correct and (args.core, args.bus) != ("spec", "none"):
        parser.error(f"--correct is for the bare core spec; the core is {args.core}, the bus {args.bus}")
    if args.words is not None and args.bus not in ("axil", "wb"):
        parser.error(f"--words is for the buses axil and wb; the bus is {args.bus}")
    k = (1 if args.core == "bram" else 2) if args.k is None else args.k
    most = min(MOST_K[args.core], 4) if args.bus in ("axil", "wb") else MOST_K[args.core]
    if k not in (2**n for n in range(most.bit_length())):
        parser.error(f"--k is {k}; it must be a power of two up to {most} for the core {args.core} on the bus {args.bus}")
    if not 1 <= args.key_bytes <= 256:
        parser.error(f"--key-bytes is {args.key_bytes}; it must be 1 to 256")
    if args.words is not None and not 1 <= args.words <= 255:
        parser.error(f"--words is {args.words}; it must be 1 to 255")
    sizes = {"K": k, "KEY_BYTES": args.key_bytes}
    if args.bus == "none":
        entity, generics = f"rc4_{args.core}", {"N": 256} | sizes | ({"CORRECT": "true"} if correct else {})
    else:
        entity, generics = f"rc4_{args.bus}", {"CORE": args.core} | sizes | ({} if args.bus == "axis" else {"WORDS": 8 if args.words is None else args.words})
    folder = args.folder / f"{entity}-{args.core}-k{k}-{args.key_bytes}{'-correct' if correct else ''}"
    try:
        file, original = release(entity, generics, folder)
        lint(entity, file)
        print(f"simulated: {simulate(entity, generics, file, folder / 'simulation')}", flush=True)
        prove(entity, file, original)
    except (RuntimeError, flow.FlowError) as error:
        print(f"verilog: {str(error).splitlines()[0]}", file=sys.stderr)
        return 1
    print("linted with Verilator -Wall; the netlist is that of GHDL's text, which the proofs are of")
    print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
