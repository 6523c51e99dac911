"""Proves a netlist equal to GHDL's Verilog: abc compares the logic between the registers.

Both sides become next-state functions. A register of the netlist has the name of its net before
mapping. A clock gate and its flip-flops are one function: D if the gate is open, else the old
value. Registers that synthesis merged or found constant are proved in the same way. If they agree
before the clock, they agree after it, and a reset makes them agree.
"""

import json
import subprocess
from collections import Counter
from pathlib import Path

import flow
from liberty import Library
from pyosys import libyosys

ABC = Path(libyosys.__file__).parent / "yosys-abc"
SECONDS = 1800


def prove(top: str, library: Library, folder: Path, name: str, clock: str) -> int:
    """Compares rtl.v with `name`-ports.v. Returns the number of registers. A difference is a FlowError."""
    flow.yosys(
        f"""
        read_verilog rtl.v
        hierarchy -check -top {top}
        proc
        flatten
        memory_map
        setundef -zero
        opt_expr
        opt_clean
        techmap
        dffunmap
        simplemap
        opt_clean
        write_json lec-gold.json
        design -reset
        read_rtlil {name}.il
        write_json lec-generic.json
        design -reset
        read_liberty -lib -ignore_miss_func {library.path.name}
        read_verilog {name}-ports.v
        write_json lec-gate.json
        """,
        folder,
        "lec-read",
    )
    gold, generic, gate = (
        json.loads((folder / f"lec-{side}.json").read_text())["modules"][top] for side in ("gold", "generic", "gate")
    )
    registers = correspondence(gold, generic, library)
    cut_gold(gold, registers, clock)
    cut_gate(gate, registers, library, clock)
    same_inputs(gold, gate)
    for side, module in (("gold", gold), ("gate", gate)):
        (folder / f"lec-{side}.json").write_text(json.dumps({"modules": {top: module}}))
    flow.yosys(
        f"""
        read_json lec-gold.json
        hierarchy -top {top}
        opt_clean
        write_blif lec-gold.blif
        design -reset
        read_json lec-gate.json
        read_liberty -ignore_miss_func -ignore_miss_dir -ignore_miss_data_latch {library.path.name}
        hierarchy -top {top}
        proc
        flatten
        techmap
        opt_clean
        write_blif lec-gate.blif
        """,
        folder,
        "lec-write",
    )
    command = [str(ABC), "-c", f"cec -T {SECONDS} lec-gold.blif lec-gate.blif"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    (folder / "lec.log").write_text(done.stdout + done.stderr)
    if "Networks are equivalent" not in done.stdout:
        lines = done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]]
        # Which input shows it may follow.
        verdict = next((line for line in lines if "NOT EQUIVALENT" in line), lines[-1])
        raise flow.FlowError(f"{top}: the netlist is not proven equal to the VHDL: {verdict}; see {folder / 'lec.log'}")
    return len(registers)


def names(module: dict) -> dict:
    """Each named bit: (name, index) to its net."""
    return {
        (name, index): bit
        for name, net in module["netnames"].items()
        for index, bit in enumerate(net["bits"])
        if not name.startswith("$")
    }


def correspondence(gold: dict, generic: dict, library: Library) -> dict:
    """For the Q of each register of `gold`: the flip-flop of the netlist, by its instance, or a constant."""
    owner = {}
    for instance, cell in generic["cells"].items():
        pins = library.flip_flops.get(cell["type"])
        if pins:
            for pin, inverted in pins.outputs.items():
                for bit in cell["connections"].get(pin, []):
                    owner[bit] = (instance, inverted)
    there = names(generic)
    held = {cell["connections"]["Q"][0] for cell in gold["cells"].values() if cell["type"].startswith("$_DFF")}
    found = {}
    for key, bit in names(gold).items():
        if bit in held and key in there and bit not in found:
            other = there[key]
            if other in owner:
                found[bit] = owner[other]
            elif other in ("0", "1"):
                found[bit] = (other, False)
    return found


def fresh(module: dict):
    """New numbers of nets."""
    used = [bit for cell in module["cells"].values() for bits in cell["connections"].values() for bit in bits]
    used += [bit for net in module["netnames"].values() for bit in net["bits"]]
    number = max(bit for bit in used if isinstance(bit, int))
    while True:
        number += 1
        yield number


def gates(module: dict, number):
    """Returns a function that adds a gate to the module and returns its output."""

    def add(kind: str, **inputs):
        out = next(number)
        cell = {"type": kind, "parameters": {}, "attributes": {}, "hide_name": 0}
        cell["port_directions"] = {pin: "input" for pin in inputs} | {"Y": "output"}
        cell["connections"] = {pin: [bit] for pin, bit in inputs.items()} | {"Y": [out]}
        module["cells"][f"lec${out}"] = cell
        return out

    return add


def port(module: dict, name: str, direction: str, bit) -> None:
    module["ports"][name] = {"direction": direction, "bits": [bit]}
    module["netnames"][name] = {"hide_name": 0, "bits": [bit], "attributes": {}}


def replace(module: dict, bits: dict) -> None:
    """Other nets for these, wherever they are read."""
    for cell in module["cells"].values():
        for pin, old in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                cell["connections"][pin] = [bits.get(bit, bit) for bit in old]
    for name, found in module["ports"].items():
        if found["direction"] == "output":
            found["bits"] = [bits.get(bit, bit) for bit in found["bits"]]
            module["netnames"][name]["bits"] = found["bits"]


def cut_gold(module: dict, registers: dict, clock: str) -> None:
    """Registers become inputs, q.INSTANCE, and outputs, d.INSTANCE.NUMBER."""
    number = fresh(module)
    add = gates(module, number)
    held: dict = {}
    bits: dict = {}
    count: Counter = Counter()
    edge = module["ports"][clock]["bits"][0]
    for instance, cell in list(module["cells"].items()):
        if not cell["type"].startswith("$_DFF"):
            continue
        if cell["type"] != "$_DFF_P_" or cell["connections"]["C"] != [edge]:
            raise flow.FlowError(f"{instance} is a {cell['type']}: registers must follow the rising edge of the clock")
        del module["cells"][instance]
        q, d = cell["connections"]["Q"][0], cell["connections"]["D"][0]
        same, inverted = registers.get(q, (None, False))
        if same is None:
            bits[q] = next(number)  # without a reader in the comparison; otherwise abc reports it
            port(module, f"free.{bits[q]}", "input", bits[q])
            continue
        if same in ("0", "1"):
            bits[q] = same
        else:
            if same not in held:
                held[same] = next(number)
                port(module, f"q.{same}", "input", held[same])
            bits[q] = add("$_NOT_", A=held[same]) if inverted else held[same]
        count[same] += 1
        port(module, f"d.{same}.{count[same]}", "output", add("$_NOT_", A=d) if inverted else add("$_BUF_", A=d))
    replace(module, bits)


def cut_gate(module: dict, registers: dict, library: Library, clock: str) -> None:
    """Does the same for the library's flip-flops. A gated clock becomes a choice of new and old value."""
    number = fresh(module)
    add = gates(module, number)
    clocks = clock_nets(module, library, module["ports"][clock]["bits"][0])
    flip_flops = {instance: cell for instance, cell in module["cells"].items() if cell["type"] in library.flip_flops}
    driver = {
        bit: cell["type"]
        for cell in module["cells"].values()
        for pin, bits in cell["connections"].items()
        if cell["port_directions"][pin] == "output"
        for bit in bits
    }
    bits, next_state = {}, {}
    for instance, cell in flip_flops.items():
        pins = library.flip_flops[cell["type"]]
        wires = {pin: found[0] for pin, found in cell["connections"].items() if found}
        q, d = next(number), wires[pins.data]
        if wires[pins.clock] not in clocks:
            raise flow.FlowError(f"{instance}: its clock is neither the clock nor a clock gate's")
        enable = clocks[wires[pins.clock]]
        if enable is not None:
            d = add("$_MUX_", A=q, B=d, S=enable)
        for pin in pins.tied:
            if library.tie_high is None or driver.get(wires[pin]) != library.tie_high[0]:
                raise flow.FlowError(f"{instance}: its {pin} is not tied high")
        port(module, f"q.{instance}", "input", q)
        next_state[instance] = d
        for pin, inverted in pins.outputs.items():
            if pin in wires:
                bits[wires[pin]] = add("$_NOT_", A=q) if inverted else q
    for instance in flip_flops:
        del module["cells"][instance]
    for instance, cell in list(module["cells"].items()):
        if cell["type"] in library.clock_gates:
            del module["cells"][instance]
    replace(module, bits)
    # A D that was another register's Q has its new net too.
    next_state = {instance: bits.get(d, d) for instance, d in next_state.items()}
    wanted = Counter(same for same, _ in registers.values())
    for same, count in wanted.items():
        if same not in ("0", "1") and same not in next_state:
            raise flow.FlowError(f"{same}: this register is not in the netlist")
        for n in range(1, count + 1):
            port(module, f"d.{same}.{n}", "output", same if same in ("0", "1") else add("$_BUF_", A=next_state[same]))


def clock_nets(module: dict, library: Library, edge) -> dict:
    """The nets that carry the clock, through buffers and clock gates: for each the enable of its gate, or None if it has no gate."""
    readers: dict = {}
    for instance, cell in module["cells"].items():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                for bit in bits:
                    readers.setdefault(bit, []).append((instance, pin))
    found, waiting = {edge: None}, [edge]
    while waiting:
        net = waiting.pop()
        for instance, pin in readers.get(net, []):
            cell = module["cells"][instance]
            gate, wires = library.clock_gates.get(cell["type"]), cell["connections"]
            enable, outputs = found[net], [out for out, function in library.functions.get(cell["type"], {}).items() if function == pin]
            if gate and pin == gate["clock"]:
                if enable is not None:
                    raise flow.FlowError(f"{instance}: this clock gate is behind another one")
                enable, outputs = wires[gate["enable"]][0], [gate["out"]]
            for bit in (bit for out in outputs for bit in wires.get(out, [])):
                found[bit] = enable
                waiting.append(bit)
    return found


def same_inputs(gold: dict, gate: dict) -> None:
    """An input of one side, without a reader on the other: abc needs the same inputs on both."""
    for one, other in ((gold, gate), (gate, gold)):
        number = fresh(other)
        for name, found in one["ports"].items():
            if found["direction"] == "input" and name not in other["ports"]:
                port(other, name, "input", next(number))
