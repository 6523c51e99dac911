"""The attacks that broke RC4: the success of each published attack, and of ours."""

from lab.attacks import figures, measure, tables, verdicts
from lab.attacks.beside import BESIDE
from lab.judge import judges
from lab.model import Experiment, Study

STUDY = Study(
    name="attacks",
    title="The attacks that retired RC4",
    authors="Fluhrer, Mantin, Shamir, Klein, AlFardan, Vanhoef, Piessens and others",
    year=1995,
    summary=(
        "Each attack makes its data from a seed, attacks them knowing nothing else, and is counted over many trials. Here is how often `arcfour attack` "
        "succeeds, with 95 % intervals, beside what the literature published: keys from states, WEP, the same plaintext under many keys, a cookie, "
        "weak keys, and the state from keystream, which is out of reach for 256 entries."
    ),
    experiments=(
        Experiment("key", "The key from the table after the key schedule", measure.trials("key"), ("key",)),
        Experiment("wep", "WEP keys by the number of packets", measure.trials("wep"), ("wep",)),
        Experiment("aircrack", "The same capture files, attacked by aircrack-ng too", measure.aircrack, ("aircrack",)),
        Experiment("broadcast", "The first 256 bytes by the number of ciphertexts", measure.trials("broadcast"), ("broadcast",)),
        Experiment("cookie", "A cookie by the number of requests", measure.trials("cookie"), ("cookie",)),
        Experiment("state", "The state from keystream, of small tables", measure.trials("state"), ("state", "maximov")),
        Experiment("model", "What that is expected to cost, up to 256 entries", measure.model, ("state", "maximov")),
        Experiment("weak", "Weak keys, and the IV after the key", measure.weak, ("weak",)),
    ),
    tables=tables.TABLES,
    figures=figures.FIGURES,
    judges=judges(verdicts),
    beside=BESIDE,
    literature=True,
    short="Attacks",
)
