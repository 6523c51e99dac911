"""Handa & Kapoor 2015: PARC4-I timed as in the paper, and its keystream analysed."""

from lab import processors
from lab.handa2015 import beside, figures, measure, tables, verdicts
from lab.handa2015.measure import SIZES
from lab.handa2015.ratios import RATIOS
from lab.judge import judges
from lab.model import Experiment, Study, Table
from lab.shapes import recorded
from lab.steady import both_ways, linear, threads

COLUMNS = ("table-2", "table-3", "table-4")
PARALLEL = (*COLUMNS, "figure-2", "figure-5", "figure-6", "efficiency")
OWN = ("key", "sizes", "threads")
WAYS = ("encryption_s", "decryption_s")
SERIES = linear(("work", "threads"), WAYS)
STEADY = (both_ways(*WAYS), threads(("work", "size_bytes"), "overall_s"))

STUDY = Study(
    name="handa2015",
    title="PARC4-I: Parallel Implementation of Enhanced RC4A using PASCs and Loop Unrolling Mechanism",
    authors="D. Handa, B. Kapoor",
    year=2015,
    summary=(
        "Four tables, and blocks of 256 bytes on several cores, are meant to make RC4A faster and keep its security. We time it as the paper does, and show by "
        "experiment that its keystream is RC4's, one byte after the other, in four bytes that are nearly always equal, and that blocks with one keystream are "
        "read without the key. PARC4-R, our repair, does the same work with a key for each lane and chunk."
    ),
    experiments=(
        Experiment("rc4a", "Sequential RC4A at the paper's sizes", measure.timed("rc4a-plain", "rc4a", counts=[1]), ("table-1", "figure-5"), ("key", "sizes"), (SERIES, *STEADY)),
        Experiment("speeds", "RC4A as it is, with its tables at the start of a page, and beside a busy processor", measure.speeds, ("table-1",), rules=(both_ways(*WAYS),)),
        Experiment("parc4i", "PARC4-I in blocks over a thread pool, both readings", measure.timed("parc4i", "parc4i-text"), PARALLEL, OWN, (SERIES, *STEADY)),
        Experiment("oversubscribed", "PARC4-I on 1 to 8 threads, whatever the cores", measure.oversubscribed, COLUMNS, OWN, STEADY),
        Experiment("rolled", "PARC4-I unrolled and rolled", measure.timed("parc4i", "parc4i-rolled", sizes=SIZES[-1:]), ("unrolling", "as-scalable", "parallel-gains"), OWN, STEADY),
        Experiment("openmp", "The same in C with OpenMP by GCC, beside Rust", measure.openmp, ("compiler", "unrolling"), ("sizes", "threads"),
                   (both_ways(*WAYS), threads(("language", "work", "size_bytes"), "overall_s"))),
        Experiment("own-file", "A file of your own, from file to file", measure.own_file, ("figure-2",), ("key", "threads", "file"), (threads(("work",), "seconds", begin=0.0001),)),
        Experiment("keyed", "PARC4-I with a key for each block", measure.timed("parc4i", "parc4i-keyed", sizes=SIZES[:1]), ("figure-2",), OWN, STEADY),
        Experiment("parc4r", "PARC4-R on the same work", measure.timed("parc4r"), ("figure-2", "figure-5", "figure-6"), OWN, (SERIES, *STEADY)),
        Experiment("seal", "arcfour seal and open on the same work", measure.seal, ("figure-5",), ("sizes", "threads"), (SERIES, *STEADY)),
        Experiment("ent-small", "ENT on files of a few hundred bytes, in several notations", measure.ent_small, ("figure-3", "figure-4")),
        Experiment("ent-large", "ENT on a gibibyte of keystream", measure.ent_large, ("secure",)),
        Experiment("structure", "Equal bytes within rounds and agreement with RC4", measure.structure, ("secure", "distinct")),
        Experiment("broadcast", "One plaintext under many keys", measure.broadcast, ("secure",)),
        Experiment("one-message", "One message read from its ciphertext alone", measure.one_message, ("secure",)),
        Experiment("blocks", "Blocks under one keystream, read from the ciphertext alone", measure.blocks, ("figure-1",)),
    ),
    tables=(
        Table("sequential", "RC4A, sequential, beside Table 1", tables.sequential, ("table-1",)),
        Table("parallel", "Everything in parallel, beside tables 2 to 4", tables.parallel, ("table-2", "table-3", "table-4")),
        Table("speed-up", "Speed-up and efficiency at the largest size", tables.speed_up, ("figure-6", "speed-up", "efficiency")),
        Table("per-byte", "What a byte costs a core, one way", tables.per_byte, ("table-1", "unrolling")),
        Table("processes", "Cycles a byte of RC4A, process by process", tables.processes, ("table-1",)),
        Table("ratios", "The paper's tables over one another", tables.ratios, ("tables-computed", "halving", "speed-up")),
        Table("model", "More cores than this machine has: a model", tables.model, ("table-2", "table-3", "table-4")),
        Table("oversubscribed", "More threads than this machine has cores", recorded("oversubscribed"), ("table-2", "table-3", "table-4")),
        Table("rolled", "PARC4-I unrolled and rolled", recorded("rolled"), ("unrolling", "as-scalable", "parallel-gains")),
        Table("processors", "Main ratios by processor", processors.beside(RATIOS), ("unrolling", "as-scalable", "figure-2")),
        Table("openmp", "C with OpenMP beside Rust", recorded("openmp"), ("compiler", "unrolling")),
        Table("ent-small", "ENT on short files, by notation", tables.ent_small, ("figure-3", "figure-4")),
        Table("ent-large", "ENT on a long keystream", tables.ent_large, ("secure",)),
        Table("structure", "What the bytes of a round have to do with one another and with RC4", tables.structure, ("secure", "distinct")),
        Table("broadcast", "Bytes recovered from one plaintext under many keys", tables.broadcast, ("secure",)),
        Table("one-message", "One message read without the key", tables.one_message, ("secure",)),
        Table("blocks", "Blocks under one keystream, read without the key", tables.blocks, ("figure-1",)),
    ),
    figures=figures.FIGURES,
    judges=judges(verdicts),
    beside=beside.BESIDE,
    diagrams=figures.DIAGRAMS,
    short="PARC4-I, 2015",
)
