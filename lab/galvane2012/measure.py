"""The measurements for each table and figure. Sizes are the paper's. The paper takes one average of
many iterations; we take the median of several runs with fewer iterations, which shows the
spread."""

from __future__ import annotations

import random
import subprocess
from functools import partial
from pathlib import Path

import pandas as pd

from lab.bench import Bench
from lab.definition import port, rc4
from lab.galvane2012 import profiles
from lab.galvane2012.programs import C_VERSIONS, JAVA_VERSIONS, KEY, LEVELS, Entry, build, changed, gcc, java, race
from lab.results import printed

# Figure 3.1's sizes. Its first row is one byte, but the paper's manual (chapter 7), and so every
# port, refuses one byte in benchmark mode. Two bytes replace it.
SIZES = (2, 100, 10_000, 1_000_000, 5_000_000, 10_000_000)
# Bytes that a language encrypts in a run by its own clock, where one encryption is not more.
BUDGET = {"C": 5e7, "assembly": 5e7, "Java": 5e8, "Perl": 1e6, "Python": 2e6, "our rc4": 5e7}
SETUP = 1000  # bytes that take about as long as a key schedule
INTERPRETED = ("Perl", "Python")
COUNTS = ("instructions", "reads", "writes")


paper = partial(printed, "galvane2012")  # its own text or numbers for a claim


def examples(bench: Bench) -> pd.DataFrame:
    """The examples of §4.2 and the usage text, by all six programs."""
    rows = []
    system = bench.check(["uname", "-o"]).stdout
    usage = paper("figure-7-1").line
    for name, command in build(bench).items():
        for claim in ("figure-4-1", "figure-4-2"):
            example = paper(claim).iloc[0]
            done = bench.check([*command, example.option, example.key], input=example.input.encode())
            rows.append((claim, name, done.stdout.decode(), example.output))
        example = paper("figure-4-3").iloc[0]
        secret = bench.check([*command, example.key], input=system).stdout
        back = bench.check([*command, example.key], input=secret).stdout
        rows.append(("figure-4-3", name, back.decode().strip(), example.output))
        wrong = subprocess.run([str(word) for word in command], capture_output=True, check=False, text=True)
        shown = [" ".join(line.split()) for line in wrong.stderr.splitlines()[1:]]
        rows += [("figure-7-1", name, line, expected) for line, expected in zip(shown, usage, strict=True)]
    return pd.DataFrame(rows, columns=["claim", "program", "output", "paper"])


def languages(bench: Bench) -> pd.DataFrame:
    """The paper's script (§3.2): the whole process over a number of encryptions, which it does not give.

    Ten, unless the user says; Perl and Python from 10^6 bytes once.
    """
    commands = build(bench)

    def times(name: str, size: int) -> int:
        return bench.times or (1 if name in INTERPRETED and size >= 1_000_000 else 10)

    entries = [Entry({"language": name}, commands[name], size, times(name, size), bench.key or KEY)
               for size in bench.sizes or bench.pick(SIZES[:4], SIZES) for name in commands]
    return race(bench, entries, bench.pick(2, 5))


def languages_steady(bench: Bench) -> pd.DataFrame:
    """Time by the programs' own clock, over enough encryptions that start-up and warm-up vanish."""
    commands = build(bench)
    budget = bench.pick(0.1, 1)
    entries = [Entry({"language": name}, commands[name], size, max(1, round(budget * BUDGET[name] / (size + SETUP))))
               for size in bench.pick(SIZES[:4], SIZES) for name in commands]
    return race(bench, entries, bench.pick(2, 5))


SMALL = (50, 100, 200, 300)
LARGE = (1_000_000, 2_000_000, 3_000_000, 4_000_000)


def c_sizes(bench: Bench) -> pd.DataFrame:
    """V0 in C at every level of optimisation: 9 runs of 20,000 small, 5 large encryptions."""
    small, large, runs = bench.pick((2_000, 2, 2), (20_000, 5, 9))
    entries = [Entry({"level": level}, [program, "--paper-version=V0"], size, loop, key="Batunki")
               for level in LEVELS for program in [gcc(bench, level)] for sizes, loop in ((SMALL, small), (LARGE, large)) for size in sizes]
    return race(bench, entries, runs)


def java_sizes(bench: Bench) -> pd.DataFrame:
    """V1 in Java with the JIT: 5 runs of 500,000 small, 50 large encryptions."""
    build(bench)
    small, large, runs = bench.pick((20_000, 20, 2), (500_000, 50, 5))
    entries = [Entry({}, [*java(bench), "--paper-version=V1"], size, loop) for sizes, loop in ((SMALL, small), (LARGE, large)) for size in sizes]
    return race(bench, entries, runs)


def c_versions(bench: Bench) -> pd.DataFrame:
    """V0 to V4 in C at every level of optimisation: 9 runs of 5 encryptions of 10,000,000 bytes."""
    loop, runs = bench.pick((2, 2), (5, 9))
    entries = [Entry({"level": level, "version": version}, [program, f"--paper-version={version}"], 10_000_000, loop)
               for level in LEVELS for program in [gcc(bench, level)] for version in C_VERSIONS]
    return race(bench, entries, runs)


def c_memory(bench: Bench) -> pd.DataFrame:
    """The memory use of each C version: the peak for 10,000,000 bytes, and the reads and writes per byte."""
    program = gcc(bench, "-O2", "-g")
    rows = []
    for version in C_VERSIONS:
        lines, size = c_lines(bench, program, version)
        peak = bench.peak([program, "--bench=10000000", f"--paper-version={version}", KEY])
        rows.append({"version": version, "peak_kib": peak} | {f"{column}_per_byte": lines[column].sum() / size for column in COUNTS})
    return pd.DataFrame(rows)


def java_versions(bench: Bench, size: int, quick: tuple[int, int], full: tuple[int, int]) -> pd.DataFrame:
    """V1 to V4 in Java, seven runs each (quick: two). `quick` and `full` are the encryptions of a run, interpreted and with the JIT."""
    build(bench)
    (interpreted, compiled), runs = bench.pick((quick, 2), (full, 7))
    entries = [Entry({"jit": jit, "version": version}, [*java(bench, *options), f"--paper-version={version}"], size, loop)
               for jit, options, loop in ((False, ["-Xint"], interpreted), (True, [], compiled)) for version in JAVA_VERSIONS]
    return race(bench, entries, runs)


def final(bench: Bench) -> pd.DataFrame:
    """Initial and optimised: 7 runs of 200,000 encryptions of 200 bytes, and of 5 encryptions of
    5,000,000.

    Java has three and ten times this number, which its compiler needs.
    """
    commands = build(bench)
    small, large, runs = bench.pick((50_000, 2, 2), (200_000, 5, 7))
    programs = {("our rc4", ""): commands["our rc4"], ("assembly", ""): commands["assembly"]}
    for level in ("-O2", "-O3"):
        program = gcc(bench, level)
        programs |= {(f"C {level}", version): [program, f"--paper-version={version}"] for version in ("V0", "V3", "V4")}
    programs |= {("Java", version): [*java(bench), f"--paper-version={version}"] for version in ("V1", "V4")}
    entries = [Entry({"language": language, "version": version}, command, size, loop * (10 if size > 200 else 3) if language == "Java" else loop)
               for size, loop in ((200, small), (5_000_000, large)) for (language, version), command in programs.items()]
    return race(bench, entries, runs)


def key_length(bench: Bench) -> pd.DataFrame:
    """The key schedule by length of key, with the modulus of the paper and with a counter for it."""
    commands = build(bench)
    c_counter = gcc(bench, "-O2", source=changed(
        bench, profiles.C_SOURCE,
        ("unsigned keylength)\n{\n    unsigned i, j;", "unsigned keylength)\n{\n    unsigned i, j, k = 0;"),
        ("key[i % keylength]", "key[k]"),
        ("SWAP(unsigned char, s->S[i], s->S[j]);", "SWAP(unsigned char, s->S[i], s->S[j]);\n        k = k + 1 == keylength ? 0 : k + 1;")))
    java_counter = bench.scratch / "counter"
    bench.check(["javac", "-d", java_counter, changed(
        bench, profiles.JAVA_SOURCE,
        ("for (int i = 0; i < N; i++) {\n                j = (j + s[i] + k[i % k.length]) & 255;",
         "for (int i = 0, c = 0; i < N; i++, c = c + 1 == k.length ? 0 : c + 1) {\n                j = (j + s[i] + k[c]) & 255;"))])
    programs: dict[tuple[str, str], list[str | Path]] = {
        ("C", "modulus"): [gcc(bench, "-O2")],
        ("C", "counter"): [c_counter],
        ("Java", "modulus"): java(bench),
        ("Java", "counter"): ["java", "-cp", java_counter, "RC4"],
        ("assembly", "counter"): commands["assembly"],
        ("our rc4", "unrolled"): commands["our rc4"],
    }
    loop, runs = bench.pick((20_000, 2), (50_000, 5))
    lengths = bench.pick((1, 7, 256), (1, 2, 5, 7, 8, 16, 32, 64, 128, 256))
    entries = [Entry({"language": language, "index": index, "key_bytes": length}, command, 2, loop * 4 if language == "Java" else loop, key=(KEY * 37)[:length])
               for length in lengths for (language, index), command in programs.items()]
    return race(bench, entries, runs)


def c_profile(bench: Bench) -> pd.DataFrame:
    """gprof of V0 at -O2, nothing inlined: 100 bytes and 10,000,000, five times the paper's iterations."""
    # The program ends by _exit, at which no profile would be written.
    program = gcc(bench, "-O2", "-g", "-pg", "-no-pie", "-fno-inline", "-D_exit=exit")
    tables = []
    for name, size, loop in (("small", 100, bench.pick(500_000, 5_000_000)), ("large", 10_000_000, bench.pick(20, 500))):
        table = pd.DataFrame(profiles.gprof(bench, program, "V0", size, loop))
        tables.append(table.assign(input=name, bytes=size, loop=loop))
    return pd.concat(tables)


def c_lines(bench: Bench, program: Path, version: str) -> tuple[pd.DataFrame, int]:
    """callgrind of a version by line, and the bytes of its input."""
    text = bench.scratch / "text"
    size = bench.pick(100_000, 1_000_000)
    text.write_bytes(random.Random(1).randbytes(size))
    return pd.DataFrame(profiles.callgrind(bench, program, version, text)).sort_values("line"), size


def c_instructions(bench: Bench) -> pd.DataFrame:
    """Instructions, reads and writes by line of V0 at -O2, a byte of input."""
    table, size = c_lines(bench, gcc(bench, "-O2", "-g"), "V0")
    table = table[["function", "line", "statement"]].assign(**{f"{column}_per_byte": table[column] / size for column in COUNTS})
    return table[table.instructions_per_byte > 0.001]


def c_misses(bench: Bench) -> pd.DataFrame:
    """Reads of the PRGA's lines, and how many of them miss the first-level cache, of V0 at -O2."""
    table, size = c_lines(bench, gcc(bench, "-O2", "-g"), "V0")
    table = table.query("function == 'prga' and reads > 0").groupby("statement", as_index=False)[["reads", "misses"]].sum()
    return table.assign(bytes=size)


def java_profile(bench: Bench) -> pd.DataFrame:
    """Flight recordings of the paper's profiles, every millisecond, without the JIT and with it."""
    build(bench)
    fine = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"]
    runs = [("V1", "small", 100), ("V4", "small", 100), *((v, "large", 1_000_000) for v in JAVA_VERSIONS)]
    tables = []
    for jit, options in ((False, ["-Xint"]), (True, fine)):
        small, large = bench.pick((50_000, 2), (1_000_000, 100) if jit else (400_000, 20))
        for version, name, size in runs:
            loop = small if name == "small" else large
            # With the JIT an encryption takes a tenth to a hundredth of the time, so ten times more are made.
            loop *= 10 if jit and name == "large" else 1
            table = pd.DataFrame(profiles.flight(bench, java(bench, *options), version, size, loop))
            tables.append(table.assign(jit=jit, version=version, input=name, bytes=size, loop=loop))
    return pd.concat(tables)


def java_bytecodes(bench: Bench) -> pd.DataFrame:
    """Bytecodes that the interpreter executes by line, for the paper's profiles."""
    build(bench)
    listings = {version: bench.check(["javap", "-c", "-l", "-p", "-cp", bench.scratch / "java", f"RC4${version}"], text=True).stdout for version in JAVA_VERSIONS}
    return pd.concat([pd.DataFrame(profiles.bytecodes(listings, version, size)).assign(version=version, input=name, bytes=size)
                      for version in JAVA_VERSIONS for name, size in (("small", 100), ("large", 1_000_000))])


def no_swap(bench: Bench) -> pd.DataFrame:
    """After how many bytes the keystream repeats if the PRGA never swaps; 0 if not in 65,536."""
    source = random.Random(2012)
    rows = []
    for _ in range(bench.pick(20, 100)):
        key = source.randbytes(16)
        still, stream, j = port().ksa(key), bytearray(), 0
        for step in range(1, 65_537):
            i = step & 255
            j = (j + still[i]) & 255
            stream.append(still[(still[i] + still[j]) & 255])
        rows.append({"key": key.hex(), "without_swap_bytes": period(bytes(stream)), "rc4_bytes": period(rc4(key, bytes(65_536)))})
    return pd.DataFrame(rows)


def period(stream: bytes) -> int:
    """The least number of bytes after which `stream` repeats itself to its end, if it does so twice; or 0."""
    at = stream.find(stream[:64], 1)
    while 0 < at <= len(stream) // 2:
        if stream[at:] == stream[:-at]:
            return at
        at = stream.find(stream[:64], at + 1)
    return 0


def second_byte(bench: Bench) -> pd.DataFrame:
    """How often the second byte of keystream is 0, over many random keys."""
    keys = bench.pick(2**20, 2**26)
    campaign = bench.scratch / "campaign.toml"
    campaign.write_text(f"seed = '{'2012' * 16}'\nshards = 1\nkeystreams = {keys}\nkey-length = 16\n[count]\nsingle = 2\n", "utf-8")
    counts = bench.scratch / "0.cnt"
    arcfour = bench.programs / "arcfour"
    bench.check([arcfour, "bias", "shard", campaign, "--index", "0", "--output", counts])
    shown = bench.check([arcfour, "bias", "show", counts, "single:2", "--cell", "0"], text=True).stdout
    _, count, probability, bias, z = shown.splitlines()[1].split()
    return pd.DataFrame([{"keystreams": keys, "zeros": int(count), "probability": float(probability), "relative_bias": float(bias), "z": float(z)}])


def variants(bench: Bench) -> pd.DataFrame:
    """VMPC beside an RC4 whose key schedule runs 768 rounds; RC4A's speed beside RC4's, cycles a byte."""
    arcfour = bench.programs / "arcfour"
    size, key, iv = 65_536, bytes(range(16)), bytes(range(16, 32))
    vmpc = bench.check([arcfour, "keystream", "--family", "vmpc", "--key-hex", key.hex(), "--iv-hex", iv.hex(), "--bytes", str(size)]).stdout
    rows = []
    for name, materials in (("the key", [key]), ("the key, then the IV", [key, iv])):
        cipher = port().RC4(key)
        S, j = list(range(256)), 0
        for material in materials:
            for n in range(768):
                i = n & 255
                j = (j + S[i] + material[n % len(material)]) & 255
                S[i], S[j] = S[j], S[i]
        cipher.S = S
        stream = cipher.crypt(bytes(size))
        same = sum(a == b for a, b in zip(vmpc, stream, strict=True))
        rows.append({"what": f"RC4 of 768 rounds with {name}, bytes in common with VMPC", "backend": "definition", "value": 256 * same / size,
                     "unit": "of those that chance gives"})
    for kernel in bench.json([arcfour, "bench", "kernels", "--json", "--samples", bench.pick(3, 31)]):
        if kernel["name"] == "xor in place" and kernel["streams"] == 1:
            rows.append({"what": kernel["family"], "backend": kernel["backend"], "value": kernel["cycles_per_byte"], "unit": "cycles per byte"})
    return pd.DataFrame(rows)
