"""Rate, area and energy of a core relative to others."""

from pages import head, line

# What is compared: a core, and the fastest recorded one of these designs. The paper unshared the ports on the
# critical path of Design 2; which of our two readings is faster the mapper decides.
ONE_BYTE = ("rc4_pipelined_c", "rc4_matthews")
TWO_BYTES = ("rc4_design2", "rc4_design2_unshared")
PAIRS = [
    ("rc4_unroll_1", ONE_BYTE),
    ("rc4_pipe_1", ONE_BYTE),
    ("rc4_spec_2", TWO_BYTES),
    ("rc4_spec_4", TWO_BYTES),
    ("rc4_spec_8", ("rc4_spec_4",)),
    ("rc4_spec_8_correct", ("rc4_spec_8",)),
    ("rc4_spec_16_correct", ("rc4_spec_8_correct",)),
    ("rc4_still_2", TWO_BYTES),
    ("rc4_still_2", ("rc4_spec_2",)),
    ("rc4_still_4", ("rc4_spec_4",)),
]
# The figures of a row that are compared, where all rows have them. Rows without wires have no energy.
COLUMNS = {"rate": "gbit_per_s", "area": "area_ge", "LUTs": "lut", "energy": "pj_per_byte"}


def fastest(found: dict, designs: tuple[str, ...]) -> str | None:
    """The fastest of these designs that is recorded."""
    there = [design for design in designs if design in found]
    return max(there, key=lambda design: float(found[design]["gbit_per_s"]), default=None)


def ratios(libraries: dict) -> str:
    """Rate, area and energy of a core relative to the fastest of other designs, in each library or on each FPGA. The mapper's noise
    leaves two digits."""
    rows = [row for found in libraries.values() for row in found.values()]
    columns = {title: name for title, name in COLUMNS.items() if all(name in row for row in rows)}
    text = head("core", *(cell for name in libraries for cell in (f"{name}: against", *columns)))
    for core, others in PAIRS:
        cells = []
        for found in libraries.values():
            other = fastest(found, others)
            if core not in found or not other:
                cells += ["", *[""] * len(columns)]
                continue
            ratio = [float(found[core][column]) / float(found[other][column]) for column in columns.values()]
            cells += [f"`{other}`", *(f"{number:.2g}" for number in ratio)]
        if any(cells):
            text += line(f"`{core}`", *cells)
    return text


def of_routed(libraries: dict, clocks: str = "") -> str:
    """The ratios of routed cores, in the libraries or on the FPGAs that have both cores of a pair; empty without any."""
    compared = {library: found for library, found in libraries.items() if any(core in found and fastest(found, others) for core, others in PAIRS)}
    return f"\nThe routed cores relative to the paper's designs and to each other{clocks}:\n\n{ratios(compared)}" * bool(compared)
