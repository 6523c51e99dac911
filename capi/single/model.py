"""Estimates the speed of arcfour.c on aarch64 by LLVM's scheduling models, and writes MODEL.md.
`make embed-full` runs it.

Marks the loops in a copy of the file, compiles that, and hands the assembly to llvm-mca.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

COMPILER = ["aarch64-linux-gnu-gcc", "-std=c99", "-O2"]
MCA = "llvm-mca-19"
PROCESSORS = {
    "Cortex-A76": "cortex-a76",
    "Neoverse N1": "neoverse-n1",
    "Neoverse V2": "neoverse-v2",
    "Apple M1": "apple-m1",
}
# A loop: its first and last line in the source, and how many bytes it makes.
LOOPS = {
    "plain loop, one stream": ("uint8_t x = s[++i], y;", "*out++ = (uint8_t)(*in++ ^ s[(uint8_t)(x + y)]);", 1),
    "portable, one stream": ("next = s + (uint8_t)(BLOCK - minus_i);", "in += BLOCK, out += BLOCK;", 16),
    "portable, five streams": ("next = s + (uint8_t)(i + LANE_BLOCK);", "i = (uint8_t)(i + LANE_BLOCK), here = next;", 40),
    "assembly, one stream": ('"add %w[t], %w[i], #16\\n\\t"', '"b.ne 5b\\n\\t"', 16),
}
# To compare with: RC4 as it is defined.
PLAIN = """
void plain(arcfour1 *stream, const uint8_t *in, uint8_t *out, size_t len) {
    uint8_t *s = stream->s, i = stream->i, j = stream->j;
    for (; len; len--) {
        uint8_t x = s[++i], y;
        j = (uint8_t)(j + x);
        y = s[j];
        s[i] = y;
        s[j] = x;
        *out++ = (uint8_t)(*in++ ^ s[(uint8_t)(x + y)]);
    }
    stream->i = i;
    stream->j = j;
}
"""
HEAD = """# A model of arcfour.c on aarch64

Written by `make embed-full` (`model.py`): {mca}, of the code that
{compiler} makes with -O2.

**A model, not a measurement.** It shows the least time: it has no cache misses, no branch misses,
and no load that hits an older store. The last two make RC4 slow on real machines. LLVM has no table
for Cortex-A76 and Apple M1, and uses those for Cortex-A57 and Apple's Cyclone.

    {sum}  arcfour.c

| processor | width | loop | instructions a byte | cycles a byte |
|---|--:|---|--:|--:|
"""
CHAIN = """
The chain of the assembly kernel, three steps of it. All other work runs beside the chain:

```
x1 ── preloaded three steps ago        x2 ─────────────┐               x3 ─────────────┐
 │                                                     │                               │
j0 ──add 1──> j1 ─────────────────────────────────add 1──> j2 ────────────────────add 1──> j3
               ├─and 1─ load S[j] 4 ─ add 1 ─ and 1 ─ load Z 4 ─ orr 2      (no later step waits for it)
               └─sub 1─ sub 1 ─ tst 1 ─ b.eq: 4 of 256 steps load x again
```

One addition a step, unless a preloaded value must be loaded again. So the width decides, not the
chain: about 14 instructions a byte, 3 loads and 2 stores among them.
"""


def main():
    source = Path("arcfour.c").read_text()
    sum256 = hashlib.sha256(source.encode()).hexdigest()
    source += PLAIN
    for name, (first, last, _) in LOOPS.items():
        key = name.replace(",", "").replace(" ", "-")
        if source.count(first) != 1 or source.count(last) != 1:
            sys.exit(f"model.py: {name}: its first or last line is not there exactly once")
        if first.startswith('"'):
            source = source.replace(first, f'"// LLVM-MCA-BEGIN {key}\\n\\t" {first}')
            source = source.replace(last, f'{last} "// LLVM-MCA-END {key}\\n\\t"')
        else:
            source = source.replace(first, f'__asm__ __volatile__("// LLVM-MCA-BEGIN {key}"); {first}')
            source = source.replace(last, f'{last} __asm__ __volatile__("// LLVM-MCA-END {key}");')
    # Beside the assembly little of the portable code is called: that is compiled by itself.
    compiled = [subprocess.run(
        [*COMPILER, *flags, "-I.", "-S", "-x", "c", "-", "-o", "-"], input=source, capture_output=True, text=True, check=True
    ).stdout for flags in (["-DARCFOUR1_PORTABLE"], [])]
    rows = []
    for processor, cpu in PROCESSORS.items():
        command = [MCA, "-mtriple=aarch64-linux-gnu", f"-mcpu={cpu}", "-iterations=200", "-instruction-info=false",
                   "-resource-pressure=false"]
        for is_assembly, code in enumerate(compiled):
            said = subprocess.run(command, input=re.sub(r"(?m)^\s*// LLVM-MCA", "# LLVM-MCA", code), capture_output=True, text=True, check=True).stdout
            for part in re.split(r"\[\d+\] Code Region - ", said)[1:]:
                key = part.split()[0]
                name = next(loop for loop in LOOPS if loop.replace(",", "").replace(" ", "-") == key)
                if name.startswith("assembly") != is_assembly:
                    continue
                number = {field: float(re.search(rf"^{field}: +([\d.]+)", part, re.MULTILINE)[1])
                          for field in ("Iterations", "Instructions", "Total Cycles", "Dispatch Width")}
                total = number["Iterations"] * LOOPS[name][2]
                rows.append((processor, number["Dispatch Width"], list(LOOPS).index(name), name,
                             number["Instructions"] / total, number["Total Cycles"] / total))
    if len(rows) != len(PROCESSORS) * len(LOOPS):
        sys.exit(f"model.py: llvm-mca gave {len(rows)} regions")
    rows.sort(key=lambda row: (list(PROCESSORS).index(row[0]), row[2]))
    version = re.search(r"LLVM version [\d.]+", subprocess.run([MCA, "--version"], capture_output=True, text=True, check=True).stdout)
    compiler = subprocess.run([COMPILER[0], "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    table = "".join(f"| {processor} | {width:.0f} | {name} | {instructions:.1f} | {cycles:.2f} |\n"
                    for processor, width, _, name, instructions, cycles in rows)
    Path("MODEL.md").write_text(HEAD.format(mca=f"llvm-mca of {version[0]}", compiler=compiler, sum=sum256) + table + CHAIN)


if __name__ == "__main__":
    main()
