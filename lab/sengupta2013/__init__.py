"""Sen Gupta et al. 2013: RC4 in hardware, rebuilt in open RTL, and its limits tested."""

from collections.abc import Iterator

import pandas as pd

from lab.model import Experiment, Study
from lab.sengupta2013 import measure
from lab.sengupta2013.beside import BESIDE
from lab.sengupta2013.circuits import DIAGRAMS
from lab.sengupta2013.figures import FIGURES
from lab.sengupta2013.tables import TABLES
from lab.sengupta2013.verdicts import JUDGES
from lab.steady import threads


def shared(table: pd.DataFrame) -> Iterator[str]:
    """Two cores make no fewer bytes than one."""
    yield from threads(("what", "streams"), "per_bit", "cores", begin=0)(table.assign(per_bit=1 / table.gbit_per_s))


STUDY = Study(
    name="sengupta2013",
    title="High-Performance Hardware Implementation for RC4 Stream Cipher",
    authors="S. Sen Gupta, A. Chattopadhyay, K. Sinha, S. Maitra, B. P. Sinha",
    year=2013,
    summary=(
        "The paper unrolls two rounds of RC4 and pipelines them in two stages, for two bytes a clock, and holds that neither more "
        "rounds nor more stages can pay. Its five designs are rebuilt in VHDL, simulated and synthesised with free tools beside cores "
        "that do both. Areas and clocks are before placement, without wires; clocks of different libraries are compared in "
        "delays of an inverter that drives four (FO4), taken as 0.36 ps per nm for the paper's."
    ),
    experiments=(
        Experiment("cases", "Tables 1 to 4 as printed, on random states", measure.cases,
                   ("table-1", "table-2", "table-3", "table-4", "figure-2", "figure-3", "figure-4", "figure-5")),
        Experiment("clocks", "Clocks counted in simulation", measure.clocks,
                   ("table-6", "ksa", "throughput", "times-faster", "figure-1", "figure-8", "figure-11", "figure-14", "variants-outlook")),
        Experiment("waveform", "Waveforms of five cores", measure.waveform,
                   ("figure-6", "figure-7", "figure-9", "figure-10", "figure-13", "pipelining")),
        Experiment("unrolling", "K rounds at once: comparisons, gates, proofs", measure.unrolling, ("unrolling",)),
        Experiment("synthesis", "Areas and clocks recorded by the synthesis flow", measure.recorded("synthesis"),
                   ("table-5", "figure-12", "throughput", "pipelining", "unrolling", "clock-performance", "critical-path", "times-faster", "port-sharing", "estream", "area-outlook", "platform-outlook")),
        Experiment("placed", "The same netlists placed: wires and energy", measure.recorded("placed"), ("throughput",)),
        Experiment("fpga", "FPGAs: recorded, and a small core routed on an ECP5", measure.fpga, ("throughput", "ram")),
        Experiment("software", "Our programs on one core and on two", measure.software, ("software",), rules=(shared,)),
    ),
    tables=TABLES,
    figures=FIGURES,
    judges=JUDGES,
    beside=BESIDE,
    diagrams=DIAGRAMS,
    short="Hardware, 2013",
)
