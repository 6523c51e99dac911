"""Singhal & Raina 2011: AES and RC4 compared, on a machine of today."""

from lab import processors
from lab.judge import judges
from lab.model import Experiment, Study, Table
from lab.singhal2011 import measure, verdicts
from lab.singhal2011.beside import BESIDE
from lab.singhal2011.figures import FIGURES
from lab.singhal2011.ratios import RATIOS
from lab.singhal2011.tables import TABLES
from lab.steady import both_ways, linear, same

GRID = ("table-1", "table-2", *(f"graph-{n}" for n in (1, 2, 3, 4, 5, 6, 8, 9)), "conclusion", "modes")

# Ciphers whose encryption is their decryption. RC4 is one of them, and uses its key only in the
# schedule.
STREAMS = "cipher.str.contains('RC4|CTR|OFB') or cipher == 'ChaCha20'"
ONE_RC4 = "cipher.str.startswith('RC4')"
MS, NS = ("encrypt_ms", "decrypt_ms"), ("encrypt_ns_per_byte", "decrypt_ns_per_byte")
STEADY = (linear(("cipher", "key_bits"), MS, "size_kb", 1024), both_ways(*MS, STREAMS), same(("cipher", "size_kb"), MS, "the length of RC4's key", ONE_RC4))

STUDY = Study(
    name="singhal2011",
    title="Comparative Analysis of AES and RC4 Algorithms for Better Utilization",
    authors="Nidhi Singhal and J. P. S. Raina",
    year=2011,
    summary=(
        "The paper times RC4 and AES (ECB, CBC, CFB) on a laptop of 2011 over files of 100 KB to 50 MB and finds RC4 "
        "ahead in everything. Here the same ciphers run through OpenSSL, with the AES instructions that processors "
        "have had since and with those hidden, beside our RC4 and what one would choose today."
    ),
    experiments=(
        Experiment("masks", "Does hiding the AES instructions take effect?", measure.masks, ("table-1", "conclusion")),
        Experiment("times-aes", "Times with AES instructions", measure.times("AES instructions"), GRID, rules=STEADY),
        Experiment("times-no-aes", "Times without AES instructions", measure.times("no AES instructions"), GRID, rules=STEADY),
        Experiment("times-tables", "Times with lookup tables only", measure.times("tables"), GRID, rules=STEADY),
        Experiment("speeds", "RC4 as it is, with its state at the start of a page, and beside a busy processor", measure.speeds, ("table-1", "table-2"),
                   rules=(both_ways(*NS),)),
        Experiment("memory", "Peak memory, and the state kept", measure.memory, ("graph-7",)),
        Experiment("kinds", "Text, sound, pictures and film", measure.kinds, ("future-work",),
                   rules=(both_ways(*NS, STREAMS), same(("cipher", "key_bits"), NS, "the content, which RC4 never looks at", ONE_RC4))),
        Experiment("media", "Compressed sound and film, several sizes, two keys", measure.media, ("compressed-media",), ("sizes",),
                   (both_ways(*NS, STREAMS), same(("cipher", "bytes"), NS, "the key or the content, which RC4 never looks at", ONE_RC4))),
        Experiment("own-file", "RC4 and AES on a file of your own", measure.own_file, ("conclusion",), ("file", "times"),
                   (both_ways("encrypt_mb_per_s", "decrypt_mb_per_s", STREAMS),)),
        Experiment("leak", "What is left to see of a picture", measure.leak, ("conclusion",)),
        Experiment("errors", "Wrong bytes after a wrong bit and after a lost byte", measure.errors, ("error-propagation",)),
        Experiment("operations", "Instructions per byte", measure.operations, ("operations",)),
        Experiment("energy", "Energy by the processor's counter", measure.energy, ("energy",)),
    ),
    tables=(*TABLES, Table("processors", "Main ratios by processor", processors.beside(RATIOS), ("conclusion",))),
    figures=FIGURES,
    judges=judges(verdicts),
    beside=BESIDE,
    short="AES and RC4, 2011",
)
