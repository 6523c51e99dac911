"""The published biases of RC4, looked for in our sample."""

from functools import partial

from lab.biases import figures, measure, tables, verdicts
from lab.biases.beside import BESIDE
from lab.judge import judges
from lab.model import Experiment, Study

FIRST = ("second-zero", "first-byte", "zeros", "map", "equalities", "two-zeros")

STUDY = Study(
    name="biases",
    title="The biases of RC4",
    authors="Roos, Jenkins, Fluhrer, McGrew, Mantin, Shamir and others",
    year=1995,
    summary=(
        "Thirty years of papers say what is not random about RC4. Here their events are looked for in "
        "keystreams of our own, by one method: proportion tests with Holm's correction, and for each "
        "event the z-score to expect from its published probability. The keys come from ChaCha20, so "
        "that any count can be repeated (stats/FORMAT.md)."
    ),
    experiments=(
        Experiment("first-bytes", "Single bytes, equalities, the first digraph", measure.first_bytes, FIRST),
        Experiment("first-checks", "The published biases of the first bytes", partial(measure.verify, campaign="first"), (*FIRST, "key-length", "zeros-far-on")),
        Experiment("published-table", "Single bytes beside Vanhoef and Piessens'", measure.published_table, ("published-table",)),
        Experiment("key-lengths", "Single bytes by the length of the key", measure.key_lengths, ("key-length",)),
        Experiment("state-checks", "Key and table: Roos and Jenkins", partial(measure.verify, campaign="state"), ("roos", "roos-output", "glimpse")),
        Experiment("digraphs", "Long-term digraphs by i", measure.digraphs, ("fluhrer-mcgrew",)),
        Experiment("long-checks", "The published biases of long keystreams", partial(measure.verify, campaign="long"), ("fluhrer-mcgrew", "absab")),
        Experiment("dieharder", "Some tests of dieharder on one long keystream", measure.dieharder, ("dieharder",)),
    ),
    tables=(tables.CHECKS, tables.DIEHARDER),
    figures=figures.FIGURES,
    judges=judges(verdicts),
    beside=BESIDE,
    literature=True,
    short="Biases",
)
