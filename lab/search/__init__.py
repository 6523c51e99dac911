"""How fast a lost RC4 key is found: rates of the literature, of hashcat, and ours."""

from lab.model import Experiment, Study
from lab.search import figures, measure, tables
from lab.search.verdicts import JUDGES

STUDY = Study(
    name="search",
    title="Searching for an RC4 key",
    authors="Kwok, Lam, kholia, the authors of hashcat and john, and others",
    year=2008,
    summary=(
        "Who has old data and has lost a short key tries every key; the time is nearly all key schedule. "
        "Here is what `arcfour find` tries in a second on this machine, what hashcat tries on the same cores, and what the literature says "
        "of CPUs, GPUs and FPGAs. Keys of 40 bits fall in hours; those of 128 bits do not fall to any search."
    ),
    experiments=(
        Experiment("rates", "Keys a second by length of key and cores", measure.rates, ("rates", "engines", "forty-bits")),
        Experiment("hashcat", "A planted key, beside hashcat on the same cores", measure.hashcat, ("hashcat",)),
    ),
    tables=tables.TABLES,
    figures=figures.FIGURES,
    judges=JUDGES,
)
