"""The data sheet's tables of the FPGAs, of the key search, and of the tried settings."""

from collections import Counter
from pathlib import Path

from devices import devices
from pages import LIBRARIES, head, line
from ratios import of_routed
from recording import read_rows, recorded
from search_cells import FILE as SEARCH_CELLS
from search_cells import KEYS
from synth import RESULTS

SEARCH = Path(__file__).resolve().parents[2] / "lab/results/search/rates.csv"


def fpga() -> str:
    """Returns a row for each design on each device: routed, or only its resources."""
    text = head("device", "design", "LUT", "FF", "block RAM", "MHz", "median", "seeds", "Mb/s")
    for device in devices().values():
        for design, row in recorded(RESULTS / device.name / "fpga.csv").items():
            cells = ["not routed" if row["status"] == "mapped" else row["status"], "", "", ""]
            if row["status"] == "routed":
                mhz, median = (f"{float(row[name]):.1f}" for name in ("clock_mhz", "clock_mhz_median"))
                cells = [mhz, median, row["seeds"], f"{float(row['gbit_per_s']) * 1000:.0f}"]
            text += line(device.title, f"`{design}`", row["lut"], row["ff"], row["bram"], *cells)
    caveats: dict[str, list[str]] = {}
    for device in devices().values():
        if device.caveat and (RESULTS / device.name / "fpga.csv").exists():
            caveats.setdefault(device.caveat, []).append(device.title)
    own = [f"{', '.join(f'`{name}`' for name in device.own)} on {device.title}" for device in devices().values() if device.own]
    missing = []
    for device in devices().values():
        found = recorded(RESULTS / device.name / "fpga.csv")
        routed = [name for name, row in found.items() if row["status"] != "mapped" or not device.nextpnr]
        names = [f"`{name}`" for name in device.designs if name not in routed]
        if names:
            missing.append(f"{device.title} {', '.join(names)}")
    text += "".join(f"\n{caveat}. These are {'; '.join(titles)}.\n" for caveat, titles in caveats.items())
    text += f"\nAll designs of a device have the same options, except {'; '.join(own)} ([why](syn/README.md#on-fpgas)).\n" if own else ""
    text += other_routers()
    text += f"\nNot routed for lack of time: {'; '.join(missing)}. Where such a design has a row, its LUTs are counted after mapping.\n" if missing else ""
    return text + fpga_ratios()


def fpga_ratios() -> str:
    """The ratios of routed cores on the FPGAs, at their median clocks."""
    cores = {}
    for device in devices().values():
        routed = {name: row for name, row in recorded(RESULTS / device.name / "fpga.csv").items() if row["status"] == "routed"}
        rates = {name: float(row["clock_mhz_median"]) * float(row["bytes_per_clock"]) * 8 / 1000 for name, row in routed.items()}
        cores[device.title] = {name: row | {"gbit_per_s": rates[name]} for name, row in routed.items()}
    return of_routed(cores, ", at their median clocks")


def other_routers() -> str:
    """Which rows are by another version of nextpnr than most of them."""
    found = [(row["nextpnr"], device.title, f"`{name}`") for device in devices().values() for name, row in recorded(RESULTS / device.name / "fpga.csv").items() if row["nextpnr"]]
    most = Counter(version for version, _, _ in found).most_common(1)[0][0]
    others: dict[tuple[str, str], list[str]] = {}
    for version, title, name in found:
        if version != most:
            others.setdefault((version, title), []).append(name)
    text = "".join(f"- {title}: {version} for {', '.join(names)}\n" for (version, title), names in others.items())
    return f"\nThe version of nextpnr is {most}.{' Other versions routed some rows:' if text else ''}\n\n{text}"


# Kwok and Lam 2008: clocks a key and engine; engines and block RAMs of the XC2VP20; millions of keys a second.
KWOK_LAM = {"clocks": 773, "engines": 176, "brams": 88, "rate": 10.7}
# Of rc4_search: rounds of a schedule, accesses of the RAM for two of them, clocks of a turn of all keys.
ROUNDS, ACCESSES, TURN = 256, 3, 12


def search() -> str:
    """The key search, and what was published; nothing before anything is routed."""
    rows = recorded(RESULTS / "ecp5-85f" / "search.csv")
    if not rows:
        return ""
    text = head("array", "LUT", "FF", "block RAM", "MHz", "median", "seeds", "clocks a key and engine", "Mkeys/s", "engines on the device", "Mkeys/s of the device")
    for design, row in rows.items():
        mhz, median, clocks = (f"{float(row[name]):.1f}" for name in ("clock_mhz", "clock_mhz_median", "clocks_per_key"))
        text += line(
            f"`{design}`", row["lut"], row["ff"], row["bram"], mhz, median, row["seeds"], clocks, f"{float(row['mkeys_per_s']):.2f}",
            row["device_engines"], f"{float(row['device_mkeys_per_s']):.0f}",
        )
    last = list(rows.values())[-1]
    each = float(last["clocks_per_key"])
    by_engine = KWOK_LAM["clocks"] / each
    by_ram = by_engine * KWOK_LAM["brams"] / KWOK_LAM["engines"]
    schedules, after = KEYS * ROUNDS // 2 * ACCESSES // 2, 3 * TURN
    by_engine_at_best = KWOK_LAM["clocks"] * KEYS / (schedules + after)
    core = on_a_core()
    array, device = (float(last[name]) * 1e6 / core for name in ("mkeys_per_s", "device_mkeys_per_s"))
    return f"""
`rc4_search` on the ECP5, routed. The last two columns scale the array to the device by area (80 % of the LUTs, all block RAMs):

{text}
Kwok and Lam (IEEE Trans. VLSI 16(8), 2008) try {KWOK_LAM["rate"]} million keys a second on an XC2VP20 at 47 MHz. {KWOK_LAM["engines"]} engines on {KWOK_LAM["brams"]} block RAMs
take {KWOK_LAM["clocks"]} clocks a key and engine. In keys per clock, an engine here does {by_engine:.1f} × theirs, and a block RAM {by_ram:.2f} ×. The limit is {by_engine_at_best * KWOK_LAM["brams"] / KWOK_LAM["engines"]:.2f} ×.
Two rounds of a schedule take {ACCESSES} accesses. So a batch of {KEYS} keys keeps both ports of the RAM busy for {schedules} clocks, and {after} clocks end it.

`{last["design"]}` tries {array:.2f} × the {core / 1e6:.2f} million keys of 40 bits a second of `arcfour find` on one core ([the lab's run](../lab/results/search/rates.json)), and the
filled device {device:.0f} ×.
"""


def search_cells() -> str:
    """The key search as cells of a library; nothing before it is synthesised."""
    if not SEARCH_CELLS.exists():
        return ""
    titles = {name: title for title, name in LIBRARIES.items()}
    text = head("array", "library", "kGE", "flip-flops", "RAM, kbit", "MHz", "FO4", "Mkeys/s", "thousand keys/s and kGE")
    for row in read_rows(SEARCH_CELLS):
        text += line(
            f"`{row['design']}`", titles.get(row["library"], row["library"]), f"{float(row['area_ge']) / 1000:.1f}", row["flip_flops"],
            f"{float(row['ram_bits']) / 1000:.1f}", f"{float(row['clock_mhz']):.0f}", f"{float(row['period_fo4']):.1f}",
            f"{float(row['mkeys_per_s']):.2f}", f"{float(row['kkeys_per_s_per_kge']):.0f}",
        )
    return f"""
`rc4_search` as cells, pre-placement, each netlist proven, without the RAMs of the tables and the registers at their outputs. If the SRAM is
slower than the logic, the SRAM sets the clock.

{text}"""


def on_a_core() -> float:
    """Keys of 5 bytes a second that `arcfour find` was recorded to try on one core."""
    return next(float(row["keys_per_s"]) for row in read_rows(SEARCH) if (row["key_length_bytes"], row["cores"]) == ("5", "1"))


def tried_settings() -> str:
    """The tried settings for FPGAs, beside the records with the settings of devices.toml."""
    text = head("design", "yosys", "nextpnr", "copied", "seeds", "LUT", "slowest", "median", "fastest MHz")
    for device in devices().values():
        folder = RESULTS / device.name
        known = recorded(folder / "fpga.csv") | recorded(folder / "search.csv")
        tried = read_rows(folder / "trials.csv")
        for design in dict.fromkeys(row["design"] for row in tried):
            if row := known.get(design):
                text += line(f"`{design}`", "as in `devices.toml`", "as there", "as there", row["seeds"], row["lut"], "", row["clock_mhz_median"], row["clock_mhz"])
            for row in (row for row in tried if row["design"] == design):
                clocks = [row[name] for name in ("clock_mhz_lowest", "clock_mhz_median", "clock_mhz")]
                text += line(f"`{design}`", f"`{row['synthesis']}`", f"`{row['options']}`", row["copied"], row["seeds"], row["lut"], *clocks)
    return text
