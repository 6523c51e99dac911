"""What the tables of the pages share: the libraries' names, and the lines of a table."""

# The name of a library in the pages, and its folder of results.
LIBRARIES = {
    "Sky130 HD": "sky130_fd_sc_hd__tt_025C_1v80",
    "SG13G2": "sg13g2_stdcell_typ_1p20V_25C",
}


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def head(*cells: str) -> str:
    return line(*cells) + "|---|" + "--:|" * (len(cells) - 1) + "\n"
