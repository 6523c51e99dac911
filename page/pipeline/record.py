"""Simulates cores with GHDL and writes what stood in each of their stages, clock by clock, for the page.

    record.py [FOLDER]    writes FOLDER/*.json, by default beside this file

Every value is read from the waveform of the simulation. A group is the K rounds that go through a core
together; which group is in which stage follows from the core's own step signal. Of each round that is
through, j and the keystream are compared with the Python port before anything is written.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HARDWARE_TESTS = HERE.parent.parent / "hardware" / "tb"
sys.path.insert(0, str(HARDWARE_TESTS))
# The simulator imports the test and the driver by this path.
os.environ["PYTHONPATH"] = f"{HARDWARE_TESTS}{os.pathsep}{HERE}"

import pywellen
from simulate import simulate

sys.path.insert(0, str(HERE.parent.parent / "ports" / "python"))
from rc4 import RC4

KEY = (1, 2, 3, 4, 5)
K = 2
PERIOD = 10  # ns; the first rising edge is at 5 ns
CLOCKS = 64  # recorded, from two before the stream enters the pipeline
LEAD = 2


class Waves:
    """The signals of a simulation by name, as they stand when a clock ends."""

    def __init__(self, path, top):
        self.top = top
        wave = pywellen.Waveform(str(path))
        self.unit = {"fs": 10**6, "ps": 10**3, "ns": 1}[str(wave.timescale).lstrip("1 ")]
        # Without the label of the table that rc4_spec chose.
        self.signals = {variable.full_name.replace("if_turning.", ""): variable.signal for variable in wave.all_vars()}

    def at(self, clock, name):
        """The value of a signal just before the clock's rising edge; None where it is not known yet."""
        value = self.signals[f"{self.top}.{name}"].value_at((5 + PERIOD * clock) * self.unit - 1)
        if isinstance(value, str):
            digits = value.strip("'\"")
            return int(digits, 2) if set(digits) <= {"0", "1"} and digits else None
        return value


def simulated(core, n, clocks):
    generics = {"N": n, "KEY_BYTES": len(KEY)}
    # Design 2 has no generic K; its tests know it from the environment.
    options = {} if core == "rc4_spec" else {"K": K}
    if core == "rc4_spec":
        generics["K"] = K
    build = simulate(core, "clocked", generics, ghw=True, KEY=" ".join(map(str, KEY)), CLOCKS=clocks, **options)
    [waveform] = build.glob("*.ghw")
    return Waves(waveform, core)


def spec(n, clocks):
    """rc4_spec: three groups wait ahead, one adds its j, five are in the rotor."""
    waves = simulated("rc4_spec", n, clocks)
    stages = [
        ["ahead", "read S[i] for a group three clocks on"],
        ["wait", "S[i], kept right where a j meets it"],
        ["sum", "the sums of S[i] for the next j, without a carry that runs"],
        ["0: j", "one addition gives every j; compare it with the i to come"],
        ["1: columns", "read S[j], column by column"],
        ["2: rows", "read S[j], row by row, or take it on its way"],
        ["3: swap", "write both cells, turn the table, add t"],
        ["4: columns", "read S[t], column by column"],
        ["5: rows", "read S[t], row by row: keystream"],
    ]
    slots = [None] * len(stages)
    rows = []
    for clock in range(4, 4 + len(KEY) + clocks):
        def word(name, r):
            return waves.at(clock, f"{name}.[{r}]")

        i = waves.at(clock, "rotor.i")

        def values(stage, group):
            rounds = []
            for r in range(K):
                known = {}
                x = {1: "x2", 2: "x1", 3: "x0", 4: "rotor.x1", 5: "rotor.x2", 6: "rotor.x3", 7: "rotor.x4"}.get(stage)
                if stage == 0:
                    known["x"] = waves.at(clock, "x_ahead") >> (r * (n.bit_length() - 1)) & (n - 1)
                if x:
                    known["x"] = word(x, r)
                if 3 <= stage <= 6:
                    known["j"] = (word(f"rotor.e{stage - 3}", r) + i - 2 * K) % n
                if stage == 6:
                    known["y"] = word("rotor.yy", r)
                if stage == 7:
                    known["y"] = word("rotor.y4", r)
                    known["t"] = (word("rotor.t4", r) + group * K + K) % n
                if stage == 8:
                    known["z"] = waves.at(clock, "z_group") >> (r * (n.bit_length() - 1)) & (n - 1)
                rounds.append(known)
            return rounds

        flags = {name: waves.at(clock, name) for name in ("go", "any0", "again", "stop")}
        # A hit on the next group: a row of hit1 that is not all zero, and it counts when nothing goes on.
        next_hit = any(word("hit1", r) for r in range(K))
        stall = ""
        if flags["go"] == 0 and rows:
            stall = "same" if flags["any0"] else "again" if flags["again"] else "next" if next_hit else "full"
        rows.append({
            "groups": list(slots),
            "stages": [values(stage, group) if group is not None else None for stage, group in enumerate(slots)],
            "stall": stall,
            "z": [waves.at(clock, "z_o") >> (r * (n.bit_length() - 1)) & (n - 1) for r in range(K)]
            if waves.at(clock, "z_valid_o") else None,
        })
        if waves.at(clock, "step"):
            after = clock + 1
            stream = waves.at(after, "kind3.stream") and waves.at(after, "kind3.valid")
            first = waves.at(after, "kind3.first")
            new = None if not stream else 0 if first else None if slots[0] is None else slots[0] + 1
            slots = [new, *slots[:-1]]
    return stages, rows


def design2(n, clocks):
    """The paper's Design 2: two rounds in stage 1, two bytes read in stage 2."""
    waves = simulated("rc4_design2", n, clocks)
    stages = [
        ["1: two rounds", "both j, two swaps and two sums in one clock, from the table before either"],
        ["2: read", "read both bytes from the table after both rounds, where the first may have moved"],
    ]
    prga = "core.design2.prga"
    rows, slots, begun = [], [None, None], False
    for clock in range(4, 4 + len(KEY) + clocks):
        def at(name):
            return waves.at(clock, f"{prga}.{name}")

        stepping = at("step_i")
        if stepping and not begun:
            begun, slots = True, [0, None]
        first = second = None
        if slots[0] is not None:
            # Both rounds read the table as it was before either; the circuit chooses what the first changed.
            first = [{"j": at("j1"), "cell i": at("read_data_i.[0]"), "cell j": at("read_data_i.[2]")},
                     {"j": at("j2"), "cell i": at("read_data_i.[1]"), "cell j": at("read_data_i.[3]")}]
        if slots[1] is not None:
            # The table is already the second round's, so the first byte may have moved.
            second = [{"address": at("read_addr_o.[4]"), "z": at("read_data_i.[4]")},
                      {"address": at("read_addr_o.[5]"), "z": at("read_data_i.[5]")}]
        rows.append({
            "groups": list(slots), "stages": [first, second], "stall": "",
            "z": [waves.at(clock, "z_o") >> (r * (n.bit_length() - 1)) & (n - 1) for r in range(K)]
            if waves.at(clock, "z_valid_o") else None,
        })
        if stepping and begun:
            slots = [slots[0] + 1, slots[0]]
    return stages, rows


def check(rows, n, shift):
    """Compares the last stage and the output with the Python port. Round r of group g makes word g K + r + shift."""
    count = K * len(rows)
    model = RC4(list(KEY), n)
    words = [None] + [model.prga() for _ in range(count)]
    taken = [word for row in rows if row["z"] for word in row["z"]]
    assert len(taken) > CLOCKS // 2 and taken == words[1 : len(taken) + 1], "the stream is not RC4's"
    seen = 0
    for row in rows:
        group = row["groups"][-1]
        for r, known in enumerate(row["stages"][-1] or []):
            number = group * K + r + shift
            if number > 0:
                assert known["z"] == words[number], f"word {number} is {known['z']}, not {words[number]}"
                seen += 1
    assert seen > CLOCKS // 2, "no keystream was seen in the last stage"


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder.mkdir(parents=True, exist_ok=True)
    ghdl = subprocess.run(["ghdl", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    for core, record, shift in (("rc4_spec", spec, 0), ("rc4_design2", design2, 1)):
        for n in (16, 256):
            stages, rows = record(n, n + 2 * CLOCKS)
            check(rows, n, shift)
            start = next(clock for clock, row in enumerate(rows) if row["groups"][0] is not None)
            rows = rows[start - LEAD : start - LEAD + CLOCKS]
            header = {
                "core": core, "n": n, "k": K, "key": KEY, "shift": shift, "simulator": ghdl,
                "command": "make page-record", "stages": stages,
            }
            lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
            text = json.dumps(header)[:-1] + ', "clocks": [\n' + lines + "\n]}\n"
            (folder / f"{core}-{n}.json").write_text(text)
            print(f"{core}-{n}.json: {len(rows)} clocks, {len(text)} bytes")


if __name__ == "__main__":
    main()
