"""Galvane & Uzel (2012): one program in five languages, profiled and improved."""

from functools import partial

from lab import processors
from lab.galvane2012 import beside, figures, measure, tables
from lab.galvane2012.ratios import RATIOS
from lab.galvane2012.verdicts import JUDGES
from lab.model import Experiment, Study, Table
from lab.steady import linear

# A byte of the paper's programs costs the same from a million bytes on. Our own RC4 is so fast that it
# feels when the data leave the second cache, and the JIT's warm-up stands in Java's loops.
PAPERS = "language not in ('our rc4', 'Java')"
LANGUAGES = (linear(("language",), ("us",), "bytes", least=1_000_000, where=PAPERS),)

STUDY = Study(
    name="galvane2012",
    title="Cryptography: RC4 Algorithm",
    authors="Galvane & Uzel",
    year=2012,
    summary=(
        "Two students write the same program in C, x86-64 assembly, Java, Perl and Python, choose C and "
        "Java, and improve both step by step with a profiler in hand. All of its programs and versions "
        "are in ports/; here they are timed and profiled again, with a current compiler, virtual machine "
        "and processor."
    ),
    experiments=(
        Experiment("examples", "The examples and the usage text, by all programs", measure.examples, ("figure-4-1", "figure-4-2", "figure-4-3", "figure-7-1")),
        Experiment("languages", "Six programs, six sizes, as the paper's script sees them", measure.languages,
                   ("script", "figure-3-1", "figure-3-2", "java-twice-c"), ("key", "sizes", "times"), LANGUAGES),
        Experiment("languages-steady", "Six programs, six sizes, by their own clock", measure.languages_steady,
                   ("figure-3-1", "figure-3-2", "assembly", "interpreted", "java-twice-c"), rules=LANGUAGES),
        Experiment("c-sizes", "C, small and large inputs", measure.c_sizes, ("c-small", "c-large", "negligible"),
                   rules=(linear(("level",), ("us",), "bytes", least=1_000_000),)),
        Experiment("java-sizes", "Java, small and large inputs", measure.java_sizes, ("java-small", "java-large")),
        Experiment("c-versions", "C, V0 to V4", measure.c_versions, ("c-versions",)),
        Experiment("c-memory", "C, V0 to V4: what they ask of memory", measure.c_memory, ("memory",)),
        Experiment("java-versions", "Java, V1 to V4, without and with the JIT", partial(measure.java_versions, size=1_000_000, quick=(1, 20), full=(4, 100)), ("java-versions", "modulus")),
        Experiment("java-small-versions", "Java, V1 to V4, 100 bytes", partial(measure.java_versions, size=100, quick=(1_000, 50_000), full=(20_000, 1_000_000)), ("small-v2",)),
        Experiment("final", "C and Java, initial and optimized", measure.final, ("final-small", "final-large")),
        Experiment("key-length", "The key schedule by length of key, modulus and counter", measure.key_length, ("key-length", "counter")),
        Experiment("c-profile", "C, time by function and line (gprof)", measure.c_profile, ("c-functions-small", "c-functions-large", "c-lines")),
        Experiment("c-instructions", "C, instructions by line (callgrind)", measure.c_instructions, ("c-lines",)),
        Experiment("c-misses", "C, reads that miss the cache (callgrind)", measure.c_misses, ("cache",)),
        Experiment("java-profile", "Java, time by method and line (Flight Recorder)", measure.java_profile, ("java-methods-small", "java-methods-large", *tables.LINES)),
        Experiment("java-bytecodes", "Java, bytecodes by line (javap)", measure.java_bytecodes, tables.LINES),
        Experiment("no-swap", "The keystream without the swap", measure.no_swap, ("swap",)),
        Experiment("second-byte", "How often the second byte is 0", measure.second_byte, ("weak",)),
        Experiment("variants", "RC4A's speed, VMPC's keystream", measure.variants, ("variants",)),
    ),
    tables=(*tables.TABLES, Table("processors", "Main ratios by processor", processors.beside(RATIOS), ("c-versions", "java-versions", "java-twice-c"))),
    figures=figures.FIGURES,
    judges=JUDGES,
    beside=beside.BESIDE,
    short="Five languages, 2012",
)
