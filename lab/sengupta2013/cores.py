"""The cores of the study, and the paper's names for those that are its designs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Core:
    """An entity of `hardware/rtl` in one configuration."""

    id: str  # as in hardware/syn/designs.toml
    name: str
    entity: str
    words: int  # in a transfer
    k: int | None = None  # the generic; the paper's designs have none
    paper: str | None = None  # the design of the paper's tables that it is

    def generics(self, n: int, key_bytes: int) -> dict[str, int]:
        """The generics of the entity for a table and a key of these sizes."""
        return {"N": n, **({"K": self.k} if self.k else {}), "KEY_BYTES": key_bytes}


PAPERS = (
    Core("rc4_design1", "Design 1", "rc4_design1", 2, paper="Design 1"),
    Core("rc4_pipelined_a", "Pipelined-A", "rc4_pipelined_a", 1, paper="Pipelined-A"),
    Core("rc4_pipelined_b", "Pipelined-B", "rc4_pipelined_b", 1, paper="Pipelined-B"),
    Core("rc4_pipelined_c", "Pipelined-C", "rc4_pipelined_c", 1, paper="Pipelined-C"),
    Core("rc4_design2", "Design 2", "rc4_design2", 2, paper="Design 2"),
    Core("rc4_design2_ksa1", "Design 2, KSA in 256", "rc4_design2_ksa1", 2, paper="Design 2"),
)
OURS = tuple(
    Core(f"{entity}_{k}", f"{entity.removeprefix('rc4_')}, K = {k}", entity, k, k)
    for entity, ks in (("rc4_unroll", (1, 2, 4)), ("rc4_pipe", (1, 2, 4)), ("rc4_spec", (1, 2, 4, 8, 16)))
    for k in ks
) + (Core("rc4_bram", "bram", "rc4_bram", 1, 1),)
MATTHEWS = Core("rc4_matthews", "Matthews' pipeline", "rc4_matthews", 1, paper="[17]")
# A reading of what the paper says. It is synthesised beside its designs, and no experiment simulates it.
READINGS = {"rc4_design2_unshared": "Design 2, ports unshared"}
# Cores of ours that the paper has nothing to compare with. The chart of placed cores has them, no experiment simulates them, and no verdict reads them.
PLACED = {"rc4_still_2": "still, K = 2", "rc4_still_4": "still, K = 4", "rc4_spec_8_correct": "spec, K = 8, CORRECT", "rc4_spec_16_correct": "spec, K = 16, CORRECT"}
CORES = {core.id: core for core in (*PAPERS, MATTHEWS, *OURS)}


def compared(design: str) -> bool:
    """Whether a design of the synthesis results is a bare core with its table in registers, as the paper's are."""
    return (design in CORES or design in READINGS) and design != "rc4_bram"


def name(design: str) -> str:
    """A design of the synthesis results, for people."""
    return CORES[design].name if design in CORES else (READINGS | PLACED).get(design, design)
