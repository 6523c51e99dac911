"""Profiles of each line by gprof (time, C), callgrind (instructions, C), Java's Flight Recorder
(time) and javap (bytecodes)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from lab.bench import Bench
from lab.galvane2012.programs import KEY, PORTS, Command

C_SOURCE = PORTS / "c/rc4.c"
JAVA_SOURCE = PORTS / "java/RC4.java"

# The statement of a port's line, by the first that has a piece of its text. The names are in the
# column `statement` in claims/.
STATEMENTS = {
    "posValue": ("return b >= 0",),
    "ksa table": ("s[i] = (byte) i", "s[i] = i;", "S[i] = i;", "for (short i = 0; i < N"),
    "ksa j": ("i % k",),
    "ksa loop": ("i < N",),
    "keystream array": ("keystream = new",),
    "i": ("i = (i + 1)",),
    "j": ("j = (j + posValue(s[i]))", "j = (j + s[i])", "j = (j + S[i])"),
    "swap": ("tmp", "s[i] = s[j]", "SWAP("),
    "xor": ("plaintext[nb] ^ keystream[nb]", "*text ^= *ptr"),
    "lookup": ("keystream[nb] =", "*out =", "output[nb] ="),
    "loop": ("nb < ", "length > 0"),
}


def statement(port: Path, line: int) -> str:
    """The statement of a line of a port."""
    text = lines(port)[line - 1]
    return next((name for name, pieces in STATEMENTS.items() if any(piece in text for piece in pieces)), "other")


@cache
def lines(port: Path) -> list[str]:
    """The lines of a port."""
    return port.read_text("utf-8").splitlines()


def gprof(bench: Bench, program: Path, version: str, size: int, loop: int) -> list[dict]:
    """Samples of 10 ms by line of the C port, compiled with -pg, with the lines' functions and calls."""
    bench.time([program, f"--bench={size}", f"--bench-loop={loop}", f"--paper-version={version}", KEY], cwd=bench.scratch)
    flat = bench.check(["gprof", "-b", "-p", "-l", program, bench.scratch / "gmon.out"], text=True).stdout
    found = re.findall(r"^\s*([\d.]+)\s+[\d.]+\s+([\d.]+)\s.*?(\w+)[.\w]* \(rc4\.c:(\d+) @ \w+\)$", flat, re.MULTILINE)
    return [{"function": function, "line": int(line), "statement": statement(C_SOURCE, int(line)), "samples": round(100 * float(seconds)), "percent": float(share)}
            for share, seconds, function, line in found if float(seconds) > 0]


def callgrind(bench: Bench, program: Path, version: str, text: Path) -> list[dict]:
    """Instructions, reads, writes and reads that miss a first-level cache of 32 KiB, by line of the C port that encrypts the file `text`."""
    out = bench.scratch / "callgrind.out"
    bench.time(["valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes", "--D1=32768,8,64", "--compress-strings=no", "--compress-pos=no",
                f"--callgrind-out-file={out}", program, f"--paper-version={version}", KEY], stdin=text)
    totals: dict[tuple[str, int], Counter] = {}
    file = function = ""
    own = True  # not the cost of a call, which is the callee's
    for row in out.read_text("utf-8").splitlines():
        key, _, value = row.partition("=")
        if key in ("fl", "fi", "fe"):
            file = value
        elif key == "fn":
            function = value
        elif key == "calls":
            own = False
        elif row[:1].isdigit():
            line, *costs = map(int, row.split())
            if own and file.endswith("rc4.c"):
                # The fourth cost is of instructions that miss; zeros at the end of a row are left out.
                named = dict(zip(("instructions", "reads", "writes", "", "misses"), [*costs, 0, 0, 0, 0], strict=False))
                totals.setdefault((function, line), Counter()).update(named)
            own = True
    return [{"function": function, "line": line, "statement": statement(C_SOURCE, line), **cost} for (function, line), cost in totals.items()]


def flight(bench: Bench, command: Command, version: str, size: int, loop: int) -> list[dict]:
    """Samples of the Java port by method and line, from a flight recording of every millisecond."""
    recording = bench.scratch / "recording.jfr"
    recorder = f"-XX:StartFlightRecording=filename={recording},settings=profile,jdk.ExecutionSample#period=1ms"
    virtual_machine, *rest = command
    bench.time([virtual_machine, recorder, "-Xlog:disable", *rest, f"--bench={size}", f"--bench-loop={loop}", f"--paper-version={version}", KEY])
    printed = bench.json(["jfr", "print", "--json", "--events", "jdk.ExecutionSample", "--stack-depth", "1", recording])
    seen: Counter = Counter()
    for event in printed["recording"]["events"]:
        frame = event["values"]["stackTrace"]["frames"][0]
        kind = frame["method"]["type"]["name"]
        if kind.startswith("RC4"):
            seen[frame["method"]["name"], frame["lineNumber"]] += 1
        else:
            seen["(Java's own)", 0] += 1
    total = sum(seen.values())
    return [
        {"method": method, "line": line, "statement": statement(JAVA_SOURCE, line) if line else "other", "samples": count, "percent": 100 * count / total}
        for (method, line), count in seen.most_common()
    ]


# The methods that encrypt, by version: the class that has each.
METHODS = {
    "V1": {"ksa": "V1", "prga": "V1", "encrypt": "V1"},
    "V2": {"shorts": "V2", "ksa": "V2", "prga": "V2", "encrypt": "V2"},
    "V3": {"shorts": "V2", "ksa": "V3", "prga": "V3", "encrypt": "V2"},
    "V4": {"shorts": "V2", "ksa": "V3", "encrypt": "V4"},
}
POS_VALUE = 5.5  # bytecodes of posValue: 5 for a byte of 0 and more, 6 for a negative one


def bytecodes(listings: dict[str, str], version: str, size: int) -> list[dict]:
    """Bytecodes executed by line for one encryption of `size` bytes, as the compiled class has them.

    `listings` are what `javap -c -l -p` prints, by version. An instruction counts as often as the loop it
    stands in runs; each call of posValue adds its own.
    """
    rounds = {"ksa": 256, "prga": size, "encrypt": size, "shorts": len(KEY)}
    rows: defaultdict[tuple[str, int], float] = defaultdict(int)
    for method, holder in METHODS[version].items():
        body = listings[holder].partition(f" {method}(")[2].partition("\n\n")[0]
        code, _, table = body.partition("LineNumberTable:")
        starts = [(int(at), int(line)) for line, at in re.findall(r"line (\d+): (\d+)", table)]
        instructions = [(int(at), word) for at, word in re.findall(r"^\s+(\d+): (.*)$", code, re.MULTILINE)]
        loops = [(int(word.split()[1]), at) for at, word in instructions if word.startswith("goto") and int(word.split()[1]) < at]
        for at, word in instructions:
            times = rounds[method] if any(first <= at <= last for first, last in loops) else 1
            line = max(start for start in starts if start[0] <= at)[1]
            rows[method, line] += times
            if "posValue" in word:
                rows["posValue", next(n for n, t in enumerate(lines(JAVA_SOURCE), 1) if "return b >= 0" in t)] += POS_VALUE * times
    total = sum(rows.values())
    return [
        {"method": method, "line": line, "statement": statement(JAVA_SOURCE, line), "bytecodes": count, "percent": 100 * count / total}
        for (method, line), count in sorted(rows.items())
    ]
