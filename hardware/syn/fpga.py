#!/usr/bin/env python3
"""Maps the cores to FPGAs, places and routes them where there is a router: LUT, FF, block RAM and clock, into results/.

    fpga.py [--device NAME]... [--design NAME]... [--seeds NUMBER] [--nextpnr PROGRAM]
    fpga.py --device NAME --design NAME... [--seeds NUMBER] [--synthesis COMMAND] [--options OPTIONS] [--no-copies]

The second form tries other settings than the device's. Its row goes into trials.csv, and the row in fpga.csv stays.
"""

import argparse
import json
import re
import shlex
import sys
from collections import Counter
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import flow
import rates
import synth
from designs import Design, designs
from devices import Device, devices
from recording import record, write_whole

# What a router's log says of a kind of cell: how many are used, and how many there are.
USED = re.compile(r"(\w+):\s+(\d+)\s*/\s*(\d+)\s+\d+%")

# An enable of at least this number of flip-flops is spread over the device.
ENABLED = 64

# The kinds of cell between a pin and the circuit.
PAD = re.compile(r".*BUF|(MISTRAL_)?[IO]B")


@dataclass(frozen=True)
class Row:
    """A line of the results."""

    design: str
    status: str  # "routed"; "mapped", where there is no router or no routing ended; "does not fit": the device is too small, or full
    lut: int
    ff: int  # the core's
    bram: int
    clock_mhz: float | str  # of the fastest circuit, and its seed; the median of all seeds
    clock_mhz_median: float | str
    seed: int | str
    seeds: int
    bytes_per_clock: float
    gbit_per_s: float | str
    nextpnr: str  # its version; empty without a router
    revision: str


@dataclass(frozen=True)
class Trial:
    """A line of the trials: a design under other settings."""

    design: str
    synthesis: str
    options: str
    copied: int  # LUTs, by `copy_enables`
    seeds: int
    lut: int
    clock_mhz_lowest: float
    clock_mhz_median: float
    clock_mhz: float
    revision: str


# What tells a trial from another.
SETTINGS = ("design", "synthesis", "options", "copied")


@dataclass(frozen=True)
class Mapped:
    """A design on a device."""

    used: dict[str, int]  # by the router's names of what there is, or by kinds of cell
    available: dict[str, int]  # empty without a router
    ff: int
    clocks: dict[int, float]  # MHz by seed; empty if it was not routed
    copied: int = 0  # LUTs, by `copy_enables`

    def count(self, kind: str) -> int:
        """Returns the number of used cells of the kinds that match."""
        return sum(number for name, number in self.used.items() if re.fullmatch(kind, name))

    @property
    def best(self) -> tuple[int, float]:
        """The seed of the fastest circuit, and its clock."""
        return max(self.clocks.items(), key=lambda item: item[1])


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


def own_flip_flops(module: dict, kind: str) -> int:
    """Counts the core's flip-flops in the mapped harness: all without a connection to a pin, directly or through a buffer.
    Names do not tell, because yosys may drop the name of a register."""
    pins = {bit for name in ("in", "out") for bit in module["ports"][name]["bits"]}
    cells = [(cell["type"], {bit for bits in cell["connections"].values() for bit in bits if isinstance(bit, int)}) for cell in module["cells"].values()]
    for name, bits in cells:
        if PAD.fullmatch(name) and bits & pins:
            pins |= bits
    return sum(1 for name, bits in cells if re.fullmatch(kind, name) and not bits & pins)


def copy_enables(module: dict, kind: str) -> int:
    """Duplicates each LUT that drives logic and also the enables of many flip-flops; returns the number of copies. A single
    such LUT is placed among the flip-flops, and every path through it is long."""
    cells = module["cells"]
    drivers: dict[int, str] = {}
    enabled: Counter[int] = Counter()
    logic: dict[int, list[list[int]]] = {}  # the connections that a bit is in
    for name, cell in cells.items():
        for port, bits in cell["connections"].items():
            for bit in bits:
                if cell["port_directions"][port] == "output":
                    drivers[bit] = name
                elif port == "CE" and re.fullmatch(kind, cell["type"]):
                    enabled[bit] += 1
                else:
                    logic.setdefault(bit, []).append(bits)
    wanted = [bit for bit, number in enabled.items() if number >= ENABLED and bit in logic]
    wanted = [bit for bit in wanted if bit in drivers and cells[drivers[bit]]["type"] == "LUT4"]
    free = max(drivers) + 1
    for new, bit in enumerate(sorted(wanted), free):
        name = drivers[bit]
        cells[f"{name}_copy"] = cells[name] | {"connections": cells[name]["connections"] | {"Z": [new]}}
        module["netnames"][f"{name}_copy"] = {"hide_name": 0, "bits": [new], "attributes": {}}
        for bits in logic[bit]:
            bits[:] = [new if old == bit else old for old in bits]
    return len(wanted)


def router(device: Device) -> str:
    """The program that places and routes."""
    return device.program or str(Path(sys.executable).parent / f"yowasp-nextpnr-{device.nextpnr}")


def router_version(device: Device) -> str:
    """The version of that program."""
    if not device.program:
        return version(f"yowasp-nextpnr-{device.nextpnr}")
    said = synth.first_line(device.program, "--version")
    found = re.search(r"\(Version (\S+)\)", said)
    if not found:
        raise flow.FlowError(f"{device.program} --version says no version of nextpnr: {said}")
    return found[1]


Placed = tuple[dict[str, int], dict[str, int], float | None]


def place(device: Device, folder: Path, seed: int) -> Placed:
    """Places and routes design.json. Returns the used and the available resources, and the clock of
    the routed circuit in MHz. Returns None if the circuit does not fit. Earlier results with the
    same options are read from their files, so that a second call continues the first."""
    key = synth.fingerprint(folder / "design.json", folder / "pins.txt", text=f"{device.nextpnr} {router_version(device)} {device.options} {seed}")
    before = folder / f"routed-{key}.json"
    if not before.exists():
        write_whole(before, json.dumps(place_anew(device, folder, seed)))
    return tuple(json.loads(before.read_text()))


def place_anew(device: Device, folder: Path, seed: int) -> Placed:
    """As `place`, by the router."""
    options = ["--json", "design.json", "--report", "report.json", *device.options]
    options += ["--seed", str(seed), "--timing-allow-fail"]
    failed = None
    try:
        flow.run([router(device), *options], folder, "nextpnr.log", bad=re.compile("^ERROR"))
    except flow.FlowError as error:
        failed = error
    found = USED.findall((folder / "nextpnr.log").read_text())
    used, available = ({name: int(row[column]) for name, *row in found} for column in (0, 1))
    if failed:
        if any(used[name] > available[name] for name in used):
            return used, available, None
        raise failed
    report = json.loads((folder / "report.json").read_text())
    return used, available, max(clock["achieved"] for clock in report["fmax"].values())


def route(device: Device, design: Design, name: str = "") -> Mapped:
    """Synthesises, places and routes a design, in a folder of the design's name or of another."""
    if device.nextpnr:
        flow.need(router(device))
    folder = synth.BUILD / device.name / (name or design.name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pins.txt").unlink(missing_ok=True)
    flow.elaborate(design.entity, design.generics, folder)
    flow.yosys("read_verilog -lib rtl.v\nwrite_json ports.json", folder, "ports")
    ports = json.loads((folder / "ports.json").read_text())["modules"][design.entity]["ports"]
    (folder / "harness.v").write_text(harness(design.entity, ports, design.clock))
    script = f"""
        read_verilog rtl.v harness.v
        {"setattr -set no_rw_check 1 m:*" if design.no_rw_check else ""}
        {device.synthesis} -top harness
        write_json mapped.json
    """
    # What was mapped before of the same, by the same yosys, is there already.
    source, before = synth.fingerprint(folder / "rtl.v", folder / "harness.v", text=script + version("pyosys")), folder / "mapped-of"
    if not before.exists() or before.read_text() != source:
        before.unlink(missing_ok=True)
        flow.yosys(script, folder, "synth")
        before.write_text(source)
    netlist = json.loads((folder / "mapped.json").read_text())
    module = netlist["modules"]["harness"]
    copied = copy_enables(module, device.ff) if device.copies else 0
    (folder / "design.json").write_text(json.dumps(netlist))
    flip_flops = own_flip_flops(module, device.ff)
    if device.pins:
        ports = [design.clock] + [f"{name}[{k}]" for name in ("in", "out") for k in range(len(module["ports"][name]["bits"]))]
        lines = [device.constraint.format(port=port, pin=pin) for port, pin in zip(ports, device.pins.split(), strict=False)]
        (folder / "pins.txt").write_text("".join(f"{line}\n" for line in lines))
    if not device.nextpnr:
        cells = Counter(cell["type"] for cell in module["cells"].values())
        return Mapped(cells, {}, flip_flops, {}, copied)
    clocks = {}
    for seed in range(1, device.seeds + 1):
        used, available, clock = place(device, folder, seed)
        if clock is None:
            break
        clocks[seed] = clock
    return Mapped(used, available, flip_flops, clocks, copied)


def measure(device: Device, design: Design) -> Row:
    """A row of the results, with the clock after routing."""
    mapped = route(device, design)
    name = design.core or design.name
    counted = rates.recorded().get(name) or rates.measure(name, design.entity, design.generics, design.words)
    rate = counted.bytes_per_clock
    seed, clock = mapped.best if mapped.clocks else ("", 0.0)
    return Row(
        design=design.name,
        status="routed" if mapped.clocks else "does not fit" if device.nextpnr else "mapped",
        lut=mapped.count(device.lut),
        ff=mapped.ff,
        bram=mapped.count(device.bram),
        clock_mhz=round(clock, 1) if clock else "",
        clock_mhz_median=round(median(mapped.clocks.values()), 1) if clock else "",
        seed=seed,
        seeds=len(mapped.clocks),
        bytes_per_clock=rate,
        gbit_per_s=round(8 * rate * clock / 1000, 3) if clock else "",
        nextpnr=router_version(device) if device.nextpnr else "",
        revision=synth.revision(),
    )


def attempt(device: Device, design: Design) -> Trial:
    """A trial's row."""
    mapped = route(device, design, f"{design.name}-{synth.fingerprint(text=f'{device.synthesis} {device.options} {device.copies}')}")
    if not mapped.clocks:
        raise flow.FlowError("a trial is of a circuit that can be routed")
    return Trial(
        design=design.name,
        synthesis=device.synthesis,
        options=shlex.join(device.options),
        copied=mapped.copied,
        seeds=len(mapped.clocks),
        lut=mapped.count(device.lut),
        clock_mhz_lowest=round(min(mapped.clocks.values()), 1),
        clock_mhz_median=round(median(mapped.clocks.values()), 1),
        clock_mhz=round(mapped.best[1], 1),
        revision=synth.revision(),
    )


def tools(device: Device) -> dict[str, Any]:
    """Returns the tools and options of a run."""
    found: dict[str, Any] = {
        "device": device.title,
        "ghdl": synth.first_line("ghdl", "--version"),
        "yosys": version("pyosys"),
        "synthesis": device.synthesis,
    }
    if device.nextpnr:
        found["options"] = " ".join(device.options)
    if device.own:
        found["own"] = device.own
    return found


def write(results: Path, device: Device, row: Row) -> None:
    """Adds a row to the device's results; the design's older row goes."""
    folder = results / device.name
    record(folder / "fpga.csv", row)
    (folder / "run.json").write_text(json.dumps(tools(device), indent=2) + "\n")


def main() -> int:
    known, targets = designs(), devices()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", action="append", choices=targets, metavar="NAME", default=[], help="unless given, all that PyPI has a router for, or that are mapped only")
    parser.add_argument("--design", action="append", choices=known, metavar="NAME", default=[])
    parser.add_argument("--seeds", type=int, help="fewer or more than the device's")
    parser.add_argument("--nextpnr", type=flow.program, metavar="PROGRAM", help="the router of one --device, in place of PyPI's, such as Debian 14's nextpnr-ecp5")
    parser.add_argument("--synthesis", metavar="COMMAND", help="a trial: yosys' command in place of the device's")
    parser.add_argument("--options", type=shlex.split, help="a trial: the router's options in place of the device's")
    parser.add_argument("--no-copies", action="store_true", help="a trial: no LUT is copied")
    parser.add_argument("--results", type=Path, default=synth.RESULTS, help="the folder to write")
    args = parser.parse_args()
    if args.seeds is not None and args.seeds < 1:
        parser.error(f"--seeds {args.seeds}: it must be 1 or more")
    changed = {"synthesis": args.synthesis, "options": args.options, "copies": False if args.no_copies else None, "seeds": args.seeds, "program": args.nextpnr}
    changed = {name: value for name, value in changed.items() if value is not None}
    trial = not changed.keys() <= {"seeds", "program"}
    if args.nextpnr and (trial or len(args.device) != 1 or not targets[args.device[0]].nextpnr):
        parser.error("--nextpnr is for one --device that is routed, and not for a trial")
    if trial and (len(args.device) != 1 or not targets[args.device[0]].nextpnr or not args.design):
        parser.error("--synthesis, --options and --no-copies are for one --device that is routed, and some --design")
    without = [name for name in args.device if targets[name].outside and not args.nextpnr]
    if without:
        parser.error(f"--device {without[0]}: --nextpnr must name the router, {targets[without[0]].outside}")
    failed = False
    for device in (targets[name] for name in args.device or [name for name in targets if not targets[name].outside]):
        for name in args.design or device.designs:
            chosen = replace(device.of(name), **changed)
            # A design that fails has no row; the other rows stay.
            row: Row | Trial
            try:
                if trial:
                    row = attempt(chosen, known[name])
                    record(args.results / device.name / "trials.csv", row, key=SETTINGS)
                else:
                    row = measure(chosen, known[name])
                    write(args.results, device, row)
            except flow.FlowError as error:
                print(f"fpga: {device.name}: {name}: {error}", file=sys.stderr, flush=True)
                failed = True
                continue
            print(device.name, *(f"{column} {value}" for column, value in asdict(row).items()), sep="  ", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
