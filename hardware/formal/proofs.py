"""Proofs by yosys' SAT solver, of GHDL's Verilog of an entity."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RTL = HERE.parent / "rtl"
BUILD = HERE.parent.parent / "target" / "hardware"
sys.path.insert(0, str(HERE.parent / "syn"))
import flow

INCLUDE = re.compile(r'^ *`include "(\S+)"\n', re.MULTILINE)


def mutated(mutation):
    """Returns the VHDL texts by path, in compile order. A mutation is a file, an old and a new text."""
    texts = {source: source.read_text() for source in flow.sources()}
    if mutation:
        file, old, new = mutation
        path = RTL / file
        assert old in texts[path], f"{file} has no {old!r}"
        texts[path] = texts[path].replace(old, new)
    return texts


def elaborated(entity, generics, name, mutation=None, more=(), without=None, free=None):
    """Writes GHDL's Verilog of an entity, rtl.v, and its netlist flat.il. Returns their folder.

    `without` names an instance to remove: its ports become ports of the entity, core_*. `free` has the pattern of more instances
    to remove, the signal that they read, and the wires that they drive. These become one input, free_i.
    """
    folder = BUILD / f"formal-{re.sub(r'[^a-z0-9]+', '-', name.lower())}"
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for path, text in mutated(mutation).items():
        files.append(folder / path.name)
        files[-1].write_text(text)
    flow.to_verilog(entity, generics, [*files, *more], folder)
    flatten(folder, entity, without, free)
    return folder


def bare_axis(entity, generics, name, mutation=None):
    """rc4_axis without its core: it is the same around every core, and with this one takes any K."""
    return elaborated(entity, {"CORE": "unroll"} | generics, name, mutation, without="unroll_core")


def bare_wb(entity, generics, name, mutation=None):
    """rc4_wb without its registers."""
    return elaborated(entity, {"CORE": "bram"} | generics, name, mutation, without="registers")


def bare_regs(entity, generics, name, mutation=None):
    """rc4_regs without rc4_axis."""
    return elaborated(entity, {"CORE": "unroll"} | generics, name, mutation, without="core_axis")


def bare_search(entity, generics, name, mutation=None):
    """rc4_search without its engines, whose answers are free, and without the FIFO of the hits."""
    answers = [f"engine_n{number + 1}_engine_e_alive_o" for number in range(generics["ENGINES"])]
    return elaborated(entity, generics, name, mutation, without="hits", free=("engine*", "chain", answers))


# What GHDL builds, if not the entity as it is: rc4_still hands everything to rc4_spec.
BUILT = {"rc4_key": ("rc4_key", {"VARIABLE_KEY": "true"}), "rc4_search": ("rc4_search", {"N": 8}), "rc4_still": ("rc4_spec", {"STILL": "true"}), "rc4_spec with CORRECT": ("rc4_spec", {"CORRECT": "true"})}

# What is wiped in rc4_axis, how, and in how many clocks.
STAGES = ["transfer1", "transfer2", "stream2", "input_buffer.head", "input_buffer.tail"]
METER = ["meter.low", "meter.high", "meter.buffered.head", "meter.buffered.tail"]
OUTPUT = ["output_buffer.head", "output_buffer.tail"]
WIPED_AXIS = [({"aresetn": 0}, 1, STAGES + METER + OUTPUT), ({"clear": 1}, 1, STAGES), ({"clear": 1}, 2, STAGES + METER)]


def sat(folder, top, options):
    """Returns true if the solver proves it. Without a proof or a counterexample it fails."""
    log = flow.yosys(f"read_rtlil bench.il\nsat {options} {top}", folder, "sat")
    proven = any(text in log for text in ("no model found: SUCCESS!", "Induction step proven: SUCCESS!"))
    refuted = any(text in log for text in ("model found: FAIL!", "Reached maximum number of time steps"))
    assert proven != refuted, f"the solver gave no answer: {log[-500:]}"
    return proven


def flatten(folder, entity, without=None, free=None):
    """rtl.v to one module of words and registers, flat.il."""
    freed = ""
    if free:
        instances, read, driven = free
        drive = "".join(f"connect -nounset -set {wire} free_i[{bit}]\n" for bit, wire in enumerate(driven))
        freed = f"cd {entity}\ndelete c:{instances}\nexpose w:{read}\nadd -input free_i {len(driven)}\n{drive}cd .."
    flow.yosys(
        f"""
        read_verilog rtl.v
        hierarchy -check -top {entity}
        {f"expose -evert -sep __ {entity}/c:{without}" if without else ""}
        proc
        {freed}
        flatten
        memory_map
        opt_clean
        write_rtlil flat.il
        """,
        folder,
        "flat",
    )
    if without:
        file = folder / "flat.il"
        file.write_text(file.read_text().replace(f"\\{without}__", "\\core_"))


# What a bench takes besides itself.
MODELS = {"pipe.sv": ["serial.sv", "rotor.sv"], "spec.sv": ["serial.sv", "rotor.sv"], "still.sv": ["serial.sv", "cells.sv"], "bram.sv": ["serial.sv"], "unroll.sv": ["serial.sv"]}


def inside(signal, there):
    """Returns the full name of a signal, or None. rotor_i is the signal i of the instance rotor,
    and so is i if the name is unique. s_3 is cell 3 of the memory s, and s_cell_3 too."""
    cell = re.sub(r"_cell_(\d+)$", r"[\1]", signal)
    if cell in there:
        return cell
    # Each name as a word, and its ends without the instances in front.
    plain = {name: [re.sub(r"\W+", "_", name[at:]).strip("_") for at in range(len(name)) if at == 0 or name[at - 1] == "."] for name in there}
    exactly = [name for name, ends in plain.items() if ends[0] == signal]
    found = exactly or [name for name, ends in plain.items() if signal in ends]
    assert len(found) < 2, f"{signal} may be {' or '.join(sorted(found))}"
    return found[0] if found else None


def beside(entity, bench, parameters, folder):
    """Writes bench.il, the bench with the entity beside it, and returns its text. The bench declares the entity's signals in front of the instance."""
    text = (HERE / bench).read_text()
    while INCLUDE.search(text):
        text = INCLUDE.sub(lambda found: (HERE / found[1]).read_text(), text)
    log = flow.yosys("read_rtlil flat.il\nselect -list w:*", folder, "names")
    there = {line.split("/", 1)[1] for line in log.splitlines() if line.startswith(f"{entity}/")}
    script = [f"cd {entity}"]
    for declared in re.findall(r"^  wire (?:\[[^\]]*\] )?([\w, ]+);", text.split("dut core")[0], re.MULTILINE):
        for signal in declared.split(", "):
            inner = inside(signal, there)
            if inner:  # with K = 1 a few are not
                script += [f"rename {inner} {signal}"] if inner != signal else []
                script += [f"expose w:{signal}"]
    (folder / "bench.sv").write_text("".join((HERE / file).read_text() for file in MODELS.get(bench, [])) + text)
    script = "\n".join([*script, "cd .."])
    flow.yosys(
        f"""
        read_rtlil flat.il
        {script}
        rename {entity} dut
        read_verilog -sv bench.sv
        {f"chparam {' '.join(f'-set {key} {value}' for key, value in parameters.items())} bench" if parameters else ""}
        hierarchy -check -top bench
        proc
        flatten
        opt -full
        memory_map
        opt -full
        select -assert-none t:$dlatch
        check -assert
        write_rtlil bench.il
        """,
        folder,
        "bench",
    )
    return text


def invariant(entity, bench, parameters, folder, hard=False):
    """Returns true if holds_o of a bench beside the entity is an invariant. It begins with all
    ones, and all ones in a clock imply all ones in the next. CaDiCaL proves hard invariants."""
    text = beside(entity, bench, parameters, folder)
    bits = int(re.search(r"output \[(\d+):0\] holds_o", text)[1]) + 1
    held = f"holds_o {bits}'b{'1' * bits}"
    if not hard:
        return sat(folder, "bench", f"-tempinduct -maxsteps 1 -prove {held}")
    if not sat(folder, "bench", f"-seq 1 -prove {held}"):
        return False
    step = f"-seq 2 -set-at 1 {held} -prove-skip 1"
    whole = unsatisfiable(folder, f"{step} -prove {held}", TOGETHER)
    if whole is not None:
        return whole
    # A wrong bit is found soon; to prove all of them is easier one by one.
    return all(unsatisfiable(folder, f"{step} -prove holds_o[{bit}] 1") for bit in range(bits))


def reached(entity, bench, parameters, folder, clocks):
    """True if `holds_o` of the bench is one, `clocks` clocks after its `count` was 0, from any state."""
    beside(entity, bench, parameters, folder)
    return unsatisfiable(folder, f"-seq {clocks + 1} -set-at 1 count 0 -prove holds_o 1 -prove-skip {clocks}")


TOGETHER = 120  # seconds for all bits of an invariant at once


def unsatisfiable(folder, options, seconds=None):
    """True if CaDiCaL proves bench.il from any state; None after a timeout. For steps where yosys' solver takes hours."""
    # yosys wants to solve what it writes, and may not.
    flow.yosys(f"read_rtlil bench.il\nsetattr -unset init w:*\nsat -timeout 1 {options} -dump_cnf step.cnf bench", folder, "step")
    limit = ["-t", str(seconds)] if seconds else []
    done = subprocess.run(["cadical", "-q", "-n", *limit, "step.cnf"], cwd=folder, check=False, capture_output=True, text=True)
    if seconds and done.returncode == 0:
        return None
    assert done.returncode in (10, 20), f"CaDiCaL gave no answer: {done.stdout}{done.stderr}"
    return done.returncode == 20


CALM = {"key_valid_i": 0, "rst_i": 0, "clear_i": 0}


def forgotten(entity, folder, clocks, registers="*", command=None, quiet=None):
    """True if these registers are equal in two copies of the entity, `clocks` clocks after a wipe, from any two states. Then they
    hold nothing of a key. The inputs in `quiet` keep their values, so no key word and no other wipe arrives. All other inputs are
    arbitrary, and equal in both copies."""
    command = command or {"rst_i": 1}
    quiet = CALM if quiet is None else quiet
    names = [registers] if isinstance(registers, str) else registers
    log = flow.yosys(
        f"""
        read_rtlil flat.il
        delete -output o:*
        expose {" ".join(["-dff w:*"] if names == ["*"] else [f"w:{name}" for name in names])}
        async2sync
        dffunmap
        opt_clean
        copy {entity} other
        miter -equiv -flatten {entity} other two
        hierarchy -top two
        opt -full
        write_rtlil bench.il
        """,
        folder,
        "bench",
    )
    assert log.count("New module port") >= len(names), f"{entity} has no register {' or '.join(names)}"
    wiped = " ".join(f"-set-at 1 in_{port} {value}" for port, value in command.items())
    silence = " ".join(f"-set-at {clock} in_{port} {value}" for clock in range(2, clocks + 2) for port, value in quiet.items())
    return sat(folder, "two", f"-seq {clocks + 1} {wiped} {silence} -prove trigger 0 -prove-skip {clocks}")


def reach(entity, outputs, folder):
    """The inputs from which a path without a register leads to one of these outputs."""
    cone = " ".join(f"o:{name}" for name in outputs) + " %u" * (len(outputs) - 1)
    log = flow.yosys(
        f"""
        read_rtlil flat.il
        delete t:$dff
        select -assert-none t:$*ff* t:$*dlatch* t:$mem*
        select -assert-count {len(outputs)} {cone}
        select -list {cone} %ci* i:* %i
        """,
        folder,
        "reach",
    )
    return sorted(line.split("/")[1] for line in log.splitlines() if line.startswith(f"{entity}/"))


def registered(entity, folder):
    """True if registers alone drive the outputs."""
    log = flow.yosys("read_rtlil flat.il\nopt_clean -purge\nselect -list o:* %ci1 c:* %i t:$*dff* %d", folder, "outputs")
    return not any(line.startswith(f"{entity}/") for line in log.splitlines())
