"""The data sheet's tables of the layouts, and what they tell of the estimates."""

from pathlib import Path

from designs import designs
from layout import technology
from pages import LIBRARIES, head, line
from ratios import PAIRS, of_routed
from recording import recorded
from synth import RESULTS

# Of a layout: a column, the column of its estimate, the unit, and digits.
FIGURES = (("area_ge", "estimate_ge", 1000, 1), ("period_ps", "estimate_ps", 1000, 2), ("pj_per_byte", "estimate_pj_per_byte", 1, 0))
ERRORS = {"wiring": "drc", "antenna": "antenna", "slew": "slew", "load": "load"}  # of a layout, and their columns


def full_size(library: str) -> list[dict[str, str]]:
    """The routed cores of full size: small ones have no rate."""
    return [row for row in laid_out(RESULTS / LIBRARIES[library]).values() if row["gbit_per_s"]]


def worst_layout(library: str) -> tuple[float, str] | None:
    """The largest error of an estimated period among the routed cores of full size, as routed over estimated, and its core. None without a layout."""
    return max(((float(row["period_ps"]) / float(row["estimate_ps"]), row["design"]) for row in full_size(library)), default=None)


def laid_out(folder: Path) -> dict:
    """Returns the routed rows, without rows with older sources than their row in synthesis.csv."""
    netlists, found = recorded(folder / "synthesis.csv"), recorded(folder / "routed.csv")
    return {name: row for name, row in found.items() if row["source"] == netlists.get(name, row)["source"]}


def error(estimate: float, routed: float) -> str:
    """The error of an estimate in per cent."""
    return f"{round(100 * estimate / routed - 100):+d} %"


def sized(name: str) -> str:
    """A design; if it is no RC4, its entity and the size of its table."""
    design = designs()[name]
    n = design.generics.get("N", 256)
    return f"`{name}`" if n == 256 else f"`{design.entity}`, N = {n}"


def layouts() -> str:
    """Routed layouts beside their estimates, for each library; empty before any design is laid out."""
    text = ""
    for library, folder in LIBRARIES.items():
        rows = laid_out(RESULTS / folder)
        if not rows:
            continue
        text += f"\n**Routed** on {library}: layouts by OpenROAD beside the estimate of the same netlist:\n\n"
        columns = [name for what in ("kGE", "period, ns", "pJ/byte") for name in (f"{what}: estimate", "routed", "error")]
        text += head("design", *columns, "wires, m: estimate", "routed", "Gb/s, routed")
        for name, row in rows.items():
            cells = []
            for theirs, ours, scale, digits in FIGURES:
                one, other = float(row[ours]) / scale, float(row[theirs]) / scale
                cells += [f"{one:.{digits}f}", f"{other:.{digits}f}", error(one, other)]
            rate = f"{float(row['gbit_per_s']):.2f}" if name in recorded(RESULTS / folder / "synthesis.csv") else ""
            text += line(sized(name), *cells, *(f"{float(row[each]):.2f}" for each in ("estimate_wire_m", "wire_m")), rate)
        columns = ["clock gates", "clock to the first flip-flop, ns", "to the last", "skew, ns", "hold slack, ns", *(f"{kind} errors" for kind in ERRORS)]
        text += "\n" + head("design", "side, µm", *columns)
        for name, row in rows.items():
            times = (f"{float(row[column]) / 1000:.3f}" for column in ("latency_first_ps", "latency_last_ps", "skew_ps", "hold_slack_ps"))
            errors = (row[f"{kind}_violations"] for kind in ERRORS.values())
            text += line(sized(name), row["side_um"], row["clock_gates"], *times, *errors)
        commits = sorted({row["openroad"] for row in rows.values()})
        text += f"\nThe error is of the estimate, relative to the routed figure. OpenROAD is {', '.join(f'`{commit}`' for commit in commits)}.\n"
    return text + routed_ratios()


def routed_ratios() -> str:
    """The ratios of routed cores of full size in the cell libraries."""
    return of_routed({library: {row["design"]: row for row in full_size(library)} for library in LIBRARIES})


def correction(libraries: dict) -> str:
    """The meaning of the column `corrected`."""
    worst = {library: worst_layout(library) for library in libraries}
    said = ", and ".join(f"{found[0]:.2f} × on {library} (`{found[1]}`)" for library, found in worst.items() if found)
    without = "".join(f" The column is empty for {library}, where no core of full size is laid out." for library, found in worst.items() if not found)
    return f"""`corrected` is the clock in MHz if routing lengthens the period as in the worst core under *Routed*. That is {said}.{without}

""" * bool(said)


def spread(row: dict[str, str]) -> tuple[float, float, float]:
    """The square of a placement or a layout in mm², its wires in m, and its wires on a mm²."""
    square, length = (float(row["side_um"]) / 1000) ** 2, float(row["wire_m"])
    return square, length, length / square


def crowding(libraries: dict) -> str:
    """How much wire the estimates put on an area, and layouts. A library has a table if an estimate has more wire than its square has tracks. It has
    none without a layout of full size."""
    text = ""
    for library, found in libraries.items():
        densest = max((row for row in full_size(library) if row["drc_violations"] == "0"), key=lambda row: spread(row)[2], default=None)
        tracks = sum(1 / pitch for pitch in technology(LIBRARIES[library])["pitches_um"])
        shown = {name: spread(found[name]) for core, others in PAIRS for name in (core, *others) if name in found}
        if not densest or all(density <= tracks for *_, density in shown.values()):
            continue
        most = spread(densest)[2]
        text += f"""**Wires on the area, {library}.** The layers that the layouts use have {tracks:.2f} m of tracks on a mm². Power, vias and pins take a part of
them. The densest routed layout is `{densest["design"]}`, with {most:.2f} m of wire on a mm². The square of an estimate is made for the cells alone, and some
estimates put more wire on the square than there are tracks. The last column is the square that this wire takes at {most:.2f} m/mm². On a larger square
wires are longer, so the column is a lower bound:

"""
        text += head("design", "square for the cells, mm²", "wires, m", "m/mm²", "square for the wires, mm²")
        for name, (square, length, density) in shown.items():
            text += line(f"`{name}`", *(f"{each:.2f}" for each in (square, length, density, length / most)))
        text += "\n"
    return text
