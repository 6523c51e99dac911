"""Simulates the cores, counts the parts of their netlists, and reads the records of the synthesis
flow."""

from __future__ import annotations

import filecmp
import json
import os
import re
import statistics
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pandas as pd

from lab.bench import ROOT, Bench
from lab.sengupta2013 import rounds
from lab.sengupta2013.cores import CORES, Core
from lab.sources import synthesis

HARDWARE = ROOT / "hardware"
TOOLS = ROOT / ".venv" / "hardware" / "bin"
SIMULATION = ROOT / "lab" / "sengupta2013" / "simulation.py"
N, KEY_BYTES = 256, 16
SMALL, SMALL_KEY = 16, 3  # where pictures are taken: a table in which rounds often touch each other
SHOWN = ("rc4_design1", "rc4_pipelined_a", "rc4_design2", "rc4_pipe_1", "rc4_spec_2")


def simulate(bench: Bench, what: str, core: Core, n: int, key_bytes: int, words: int, file: str) -> str:
    """Run `simulation.py`; answers the file it wrote."""
    path = bench.scratch / file
    generics = json.dumps(core.generics(n, key_bytes))
    bench.check([TOOLS / "python", SIMULATION, what, core.entity, generics, core.words, words, path], text=True)
    return str(path)


def recorded(name: str) -> Callable[[Bench], pd.DataFrame]:
    """The records of `make hardware-synth`, which takes hours, so quick and full runs read the same rows."""
    def run(bench: Bench) -> pd.DataFrame:
        bench.commands.append(f"read hardware/syn/results/*/{name}.csv")
        return synthesis.recorded(name)
    return run


ECP5 = "ecp5-85f"  # of hardware/syn/devices.toml


def fpga(bench: Bench) -> pd.DataFrame:
    """The records of `make hardware-fpga`, and the smallest design routed now."""
    command = [TOOLS / "python", HARDWARE / "syn" / "fpga.py", "--device", ECP5, "--design", "small", "--seeds", "1", "--results", bench.scratch]
    bench.check(command, text=True)
    here = pd.read_csv(bench.scratch / ECP5 / "fpga.csv").assign(device=ECP5, rows="routed in this run")
    return pd.concat([recorded("fpga")(bench), here], ignore_index=True)


def clocks(bench: Bench) -> pd.DataFrame:
    """The clocks of the key schedule and of the keystream, counted in simulation."""
    words = bench.pick(512, 2048)

    def count(core: Core) -> dict:
        file = simulate(bench, "clocks", core, N, KEY_BYTES, words, f"{core.id}.json")
        found = json.loads(Path(file).read_text("utf-8"))
        return {"design": core.id, "words_compared": words, **found}

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return pd.DataFrame(pool.map(count, CORES.values()))


def waveform(bench: Bench) -> pd.DataFrame:
    """The ports and stages of some cores, clock by clock, out of waveforms that GHDL wrote.

    Clock 0 is the first in which the key is complete. Values of several bits are whole numbers.
    """
    tables = []
    for design in SHOWN:
        core = CORES[design]
        file = simulate(bench, "waves", core, SMALL, SMALL_KEY, 64, f"{design}.csv")
        waves = pd.read_csv(file).apply(pd.to_numeric, errors="coerce")
        waves.index -= int((waves.busy_o == 1).idxmax())
        waves.index.name = "clock"
        chosen = pd.concat([waves[list(PORTS)], stages(core, waves)], axis=1)
        tables.append(chosen.melt(ignore_index=False, var_name="signal", value_name="value").reset_index()
                      .assign(design=design))
    return pd.concat(tables, ignore_index=True).dropna(subset="value").astype({"value": int})


PORTS = ("rst_i", "key_i", "key_valid_i", "key_ready_o", "busy_o", "z_o", "z_valid_o", "z_ready_i")


def stages(core: Core, waves: pd.DataFrame) -> pd.DataFrame:
    """A column for each stage of the pipeline, "stage: what it does": 1 where it works in that clock."""
    if core.paper:
        # Past the entity that wires the paper's designs and the label of the PRGA it chose.
        waves = waves.rename(columns=lambda signal: re.sub(r"^core\.(\w+\.(?=prga\.))?", "", signal))
        step = waves.prga_step == 1
    else:
        # Past the label of the table that rc4_spec chose.
        waves = waves.rename(columns=lambda signal: signal.removeprefix("if_turning."))
        step = (waves.ce_i == 1) & (waves.go == 1)
    match core.entity:
        case "rc4_design1":
            even = waves["prga.phase"] == 0
            found = {"1: i and j": step & even, "2: swap": step & ~even, "3: Z": step & even & (waves["prga.valid"] == 1)}
        case "rc4_pipelined_a" | "rc4_design2":
            found = {"1: i, j and swap": step, "2: Z": step & (waves["prga.valid2"] == 1)}
        case _:
            wanted = waves["rotor.z_wanted"].fillna(0).astype(int)
            does = ("compare", "S[j], columns", "S[j], rows", "swap, turn", "S[t], columns", "S[t], rows")
            found = {"0: compare": step & (waves["rotor.z_i"] == 1)}
            found |= {f"{n}: {does[n]}": step & ((wanted.to_numpy() >> (5 - n)) & 1 == 1) for n in range(1, 6)}
            if core.entity == "rc4_pipe":
                found = {"next j": step & (waves.valid == 1) & (waves.stream == 1), **found}
    return pd.DataFrame({f"stage {label}": flags.astype(int) for label, flags in found.items()}, index=waves.index)


def cases(bench: Bench) -> pd.DataFrame:
    """Tables 1 to 4 as printed, on random states, beside serial rounds."""
    return rounds.check(bench.pick(2_000, 50_000))


def unrolling(bench: Bench) -> pd.DataFrame:
    """K rounds at once by priority forwarding: comparisons, gates, and whether a solver proves them right."""
    proofs = bench.pick(2, 3)
    rows = []
    for k in range(1, bench.pick(4, 6) + 1):
        row = {"k": k, "paper_pairs": 3 * k * (k - 1) // 2, "comparisons": 0}
        for entity in ("rc4_rounds", "rc4_reads"):
            files = [str(HARDWARE / "rtl" / f"{name}.vhd") for name in ("rc4_pkg", entity)]
            flags = ["--synth", "--std=08", "--out=verilog", f"-gN={SMALL}", f"-gK={k}"]
            verilog = bench.check(["ghdl", *flags, *files, "-e", entity], cwd=bench.scratch, text=True).stdout
            row["comparisons"] += len(re.findall(r"= \w+ == \w+;", verilog))
            (bench.scratch / f"{entity}.v").write_text(verilog)
            script = f"read_verilog {entity}.v; synth -flatten -top {entity}; abc -g NAND; opt_clean; tee -q -o {entity}.json stat -json"
            program = f"from pyosys import libyosys\nfor step in {script.split('; ')}: libyosys.run_pass(step)"
            bench.check([TOOLS / "python", "-c", program], cwd=bench.scratch, text=True)
            cells = json.loads((bench.scratch / f"{entity}.json").read_text())["design"]["num_cells_by_type"]
            row[f"{entity.removeprefix('rc4_')}_gates"] = sum(cells.values())
        row["gates"] = row["rounds_gates"] + row["reads_gates"]
        rows.append(row | {"proven": proven(bench, k) if k <= proofs else None})
    return pd.DataFrame(rows)


def proven(bench: Bench, k: int) -> bool:
    """Whether the solver proves K rounds equal to serial ones, from every state of a table of 8 cells."""
    program = f"from test_formal import prove; print(prove('lab', {k}))"
    return bench.check([TOOLS / "python", "-c", program], cwd=HARDWARE / "formal", text=True).stdout.strip() == "True"


def software(bench: Bench) -> pd.DataFrame:
    """Our kernels on one core, and on two at once; and `arcfour seal` on one and two threads."""
    program = bench.programs / "arcfour"
    available = sorted(os.sched_getaffinity(0))
    rows = []
    for count in range(1, min(2, len(available)) + 1):
        command = [str(program), "bench", "kernels", "--json", "--samples", str(bench.pick(5, 31))]
        bench.commands.append(f"{count} at once, each on its core: arcfour {' '.join(command[1:])}")
        children = [subprocess.Popen(["taskset", "-c", str(core), *command], stdout=subprocess.PIPE, text=True) for core in available[:count]]
        outputs = [child.communicate()[0] for child in children]
        if any(child.returncode for child in children):
            raise RuntimeError(f"{' '.join(command)} failed")
        found = pd.concat([pd.DataFrame(json.loads(output)) for output in outputs])
        # The first backend listed is the one that this machine uses by default.
        found = found[(found.backend == found.backend.iloc[0]) & (found.family == "rc4") & found.mb_per_s.notna() & (found.bytes >= 2**16)]
        if not found.verified.all():
            raise RuntimeError("a kernel's output was not verified")
        for (kernel, streams), group in found.groupby(["name", "streams"], sort=False):
            rows.append({
                "what": kernel, "streams": streams, "cores": count,
                "gbit_per_s": group.mb_per_s.sum() * 8 / 1000,
                "cycles_per_byte": group.cycles_per_byte.median(), "ghz": group.ghz.median(),
                "kernels_quiet": bool(group.quiet.all()),
            })
    plain, sealed, key = bench.scratch / "plain", bench.scratch / "sealed", bench.scratch / "key"
    size = bench.pick(64, 256) * 2**20
    with plain.open("wb") as file:
        file.truncate(size)
    key.write_text(bytes(range(32)).hex())
    opened = bench.scratch / "opened"

    def seal(count: int) -> float:
        sealed.unlink(missing_ok=True)
        opened.unlink(missing_ok=True)
        wall = bench.time([program, "seal", "--threads", str(count), "--key-file", key, plain, "-o", sealed]).wall
        bench.check([program, "open", "--key-file", key, sealed, "-o", opened])
        if not filecmp.cmp(plain, opened, shallow=False):
            raise RuntimeError("arcfour open gave something else than was sealed")
        return wall

    works = {count: partial(seal, count) for count in range(1, min(2, len(available)) + 1)}
    for count, samples in bench.race(works, bench.pick(3, 5)).items():
        rows.append({"what": "arcfour seal, file to file", "streams": None, "cores": count, **samples.counts,
                     "gbit_per_s": size * 8 / 1e9 / statistics.median(samples.kept)})
    return pd.DataFrame(rows)
