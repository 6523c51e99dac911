"""How fast a lost RC4 key is found: rates of the literature, of hashcat, and ours."""

from lab.judge import judges
from lab.model import Experiment, Study
from lab.search import figures, measure, tables, verdicts
from lab.search.beside import BESIDE
from lab.steady import threads

STUDY = Study(
    name="search",
    title="Searching for an RC4 key",
    authors="Tsoi, Kwok, Lam, kholia, the authors of hashcat and john, and others",
    year=2008,
    summary=(
        "A short key that was lost is found by trying every key; nearly all of the time goes into key schedules. "
        "Here is how many keys `arcfour find` tries in a second on this machine, how many hashcat tries on the same cores, and what the "
        "literature reports for CPUs, GPUs and FPGAs. Keys of 40 bits fall in hours; those of 128 bits do not fall to any search."
    ),
    experiments=(
        Experiment("rates", "Keys a second by length of key and cores", measure.rates, ("rates", "hashcat", "engines", "tsoi", "forty-bits"),
                   rules=(threads(("key_length_bytes",), "seconds", "cores"),)),
        Experiment("hashcat", "A planted key, beside hashcat on the same cores", measure.hashcat, ("hashcat",)),
    ),
    tables=tables.TABLES,
    figures=figures.FIGURES,
    judges=judges(verdicts),
    beside=BESIDE,
    literature=True,
    short="Key search",
)
