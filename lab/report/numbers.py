"""How numbers are written for people: units with prefixes, fixed decimals in a column, powers of ten as superscripts."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Iterable
from typing import TypeGuard

import markupsafe
import pandas as pd

NONE = "–"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
# Units that take prefixes, and which of them; all others are written as they are.
PREFIXED = {"s": "mµn", "B/s": "GMk", "bit/s": "GMk", "Hz": "GMk", "GE": "k", "B": "GMk"}
DIGITS = 3  # significant ones of a measured number


def number(value: float, digits: int = DIGITS) -> str:
    """`1,010`, `0.0650`, `1.23 · 10⁻⁵`: `digits` significant digits, with separators from 1,000 on."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if not value:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    exponent = math.floor(math.log10(abs(round(value, digits - 1 - exponent))))
    if not -4 <= exponent < 9:
        return power(value, digits)
    return fixed(round(value, digits - 1 - exponent), max(0, digits - 1 - exponent))


def fixed(value: float, decimals: int) -> str:
    """A number with `decimals` decimals; a true minus, and no minus before a zero."""
    text = f"{value:,.{decimals}f}"
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text.replace("-", "−")


def power(value: float, digits: int = DIGITS) -> str:
    """`1.23 · 10⁻⁵`, and `10¹²` of an exact power."""
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    raised = "10" + superscript(int(exponent))
    return raised if float(mantissa) == 1 else f"{mantissa.replace('-', '−')}\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}{raised}"


def raised(exponent: str) -> str:
    """`³¹·⁴`: Unicode has no raised point but the one in the middle."""
    return exponent.translate(SUPERSCRIPTS).replace(".", "·")


def superscript(exponent: int) -> str:
    """`⁻¹²`."""
    return str(exponent).translate(SUPERSCRIPTS)


def prefix(size: float, unit: str) -> tuple[float, str]:
    """The factor and the prefix that leave a size between 1 and 1000 of a unit, as far as the unit has them."""
    allowed = PREFIXED.get(unit, "")
    usable = [(factor, letter) for factor, letter in PREFIXES if not letter or letter in allowed]
    return next(((factor, letter) for factor, letter in usable if round(size / factor, 9) >= 1), usable[-1] if size else (1.0, ""))


def united(text: str, unit: str) -> str:
    """A number and its unit, which no line break parts."""
    return f"{text}\N{NO-BREAK SPACE}{unit}" if unit else text


def quantity(value: float | None, unit: str = "", digits: int = DIGITS) -> str:
    """`13.1 ms`, `1.47 GB/s`, `64 %`."""
    if value is None or missing(value):
        return NONE
    factor, letter = prefix(abs(value), unit)
    return united(number(value / factor, digits), letter + unit)


def missing(value: object) -> bool:
    """None, or not a number."""
    return value is None or bool(pd.isna(value))


def column(values: Iterable[object], unit: str = "", digits: int = DIGITS) -> Callable[[object], str]:
    """How to write the values of a column: one prefix and one number of decimals for all, if they
    span less than three decades.

    Whole numbers that were counted keep all their digits; words stay as they are.
    """
    sizes = sorted(abs(float(value)) for value in values if plain(value) and value)
    counted = unit not in PREFIXED and all(size.is_integer() and size < 1e9 for size in sizes)
    if counted or unit == "%":
        return lambda value: united(fixed(value, 0 if counted else 1), unit) if plain(value) else word(value, unit)
    if sizes:
        factor, letter = prefix(sizes[len(sizes) // 2], unit)
        least, middle, most = (size / factor for size in (sizes[0], sizes[len(sizes) // 2], sizes[-1]))
        decimals = max(0, digits - 1 - math.floor(math.log10(middle)))
        if least * 10**decimals >= 10 and most < 10_000 and decimals < digits + 2:
            return lambda value: united(fixed(value / factor, decimals), letter + unit) if plain(value) else word(value, unit)
    return lambda value: own(value, unit, digits) if plain(value) else word(value, unit)


def own(value: float, unit: str, digits: int = DIGITS) -> str:
    """A value of a column that spans too much for one prefix: with its own; a count keeps its digits."""
    if float(value).is_integer() and abs(value) < 1e9 and unit not in PREFIXED:
        return united(fixed(value, 0), unit)
    return quantity(value, unit, digits)


def is_number(value: object) -> TypeGuard[float]:
    """A number, and no truth value."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and type(value).__name__ != "bool_"


def plain(value: object) -> TypeGuard[float]:
    """A number that can be written in digits."""
    return is_number(value) and not missing(value) and not math.isinf(value)


def word(value: object, unit: str = "") -> str:
    """Everything but plain numbers."""
    if missing(value):
        return NONE
    if is_number(value):
        return united(number(value), unit)
    if value is True or value is False or type(value).__name__ == "bool_":
        return "yes" if value else "no"
    return str(value)


def ratio(paper: object, ours: object, unit: str = "") -> str:
    """Ours over the paper's: `× 1.04` and `÷ 336`; of shares the difference in points."""
    if not (plain(paper) and plain(ours)):
        return ""
    if unit == "%":
        points = round(ours - paper, 1)
        return f"{'+' if points > 0 else '−' if points < 0 else '±'}{abs(points):.{0 if abs(points) >= 10 else 1}f} points"
    if not paper or not ours:
        return "same" if paper == ours else ""
    times = ours / paper
    if times < 0:
        return ""
    if abs(times - 1) < 0.0005:
        return "same"
    more = times if times >= 1 else 1 / times
    return f"{'×' if times >= 1 else '÷'} {number(more, 4 if more < 1.01 else DIGITS)}"


# Words of a column's name in a record, for people.
UNITS = {"s": ("s", 1.0), "ms": ("s", 1e-3), "us": ("s", 1e-6), "µs": ("s", 1e-6), "ns": ("s", 1e-9), "percent": ("%", 1.0), "%": ("%", 1.0),
         "mib_per_s": ("B/s", 2.0**20), "MiB/s": ("B/s", 2.0**20), "mb_per_s": ("B/s", 1e6), "MB/s": ("B/s", 1e6), "GB/s": ("B/s", 1e9),
         "KB/s": ("B/s", 1024.0), "gbit_per_s": ("bit/s", 1e9), "Gb/s": ("bit/s", 1e9), "mhz": ("Hz", 1e6), "MHz": ("Hz", 1e6),
         "KiB": ("KiB", 1.0), "kib": ("KiB", 1.0), "GE": ("GE", 1.0), "bytes": ("bytes", 1.0), "ns/byte": ("ns/byte", 1.0)}
NAMES = {"lut": "LUT", "ff": "FF", "bram": "block RAMs", "us": "", "p_value": "p", "ntuple": "n-tuple", "t_samples": "t-samples", "p_samples": "p-samples",
         "min": "least", "max": "most", "q1": "lower quartile", "q3": "upper quartile", "ghz": "clock (GHz)", "quiet": "quiet runs", "loop": "encryptions a run",
         "jit": "JIT", "kb": "KB", "mib": "MiB", "rc4": "RC4", "aes": "AES", "png": "PNG"}
TAIL = re.compile(r"^(?P<name>.*?)[_ ]?\(?(?P<unit>" + "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True)) + r")\)?(?P<rest>(_min|_max)?)$")


def heading(name: str) -> tuple[str, str, float]:
    """A column's name for people, its unit, and the factor that brings its figures to that unit."""
    unit, factor = "", 1.0
    found = TAIL.match(name)
    if found and (re.search(r"[_( ]", name) or found["name"] == "") and (found["name"] == "" or name[found.end("name")] in "_ ("):
        unit, factor = UNITS[found["unit"]]
        name = found["name"] + found["rest"] or {"s": "time", "%": "share", "B/s": "throughput", "bit/s": "throughput"}.get(unit, found["unit"])
        unit = "" if name in UNITS else unit
    name = re.sub(r"\b[a-z0-9]*(_[a-z0-9]+)+\b", lambda found: " ".join(NAMES.get(part, part) for part in found[0].split("_")).strip(), name)
    return NAMES.get(name, name) or "time", unit, factor


def table(frame: pd.DataFrame) -> tuple[list[tuple[str, bool]], list[list[str]]]:
    """A table for reading: heads with whether they stand over numbers, and the cells as text."""
    heads, columns = [], []
    for name in frame.columns:
        title, unit, factor = heading(str(name))
        values = frame[name].tolist()
        right = frame[name].dtype.kind in "iuf"
        scaled = [value * factor if plain(value) and factor != 1 else value for value in values]
        write = column(scaled, unit) if right else (lambda value, unit=unit: prose_text(word(value, unit)))
        heads.append((title, right))
        columns.append([write(value) for value in scaled])
    return heads, [list(row) for row in zip(*columns, strict=True)]


def prose_text(text: str) -> str:
    """Prose with numbers as people write them: `2³⁰`, `−0.5`, `12 %`, `σ`, `1,010`."""
    text = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]\d+)\b", lambda found: number(float(found[0])), text)
    text = re.sub(r"(?<!\d)(\d+)\^(-?\d+)(?:\.0|(\.\d+))?(?!\d)", lambda found: found[1] + raised(found[2] + (found[3] or "")), text)
    text = re.sub(r"(?<=\d)\s?%", "\N{NO-BREAK SPACE}%", text)
    text = re.sub(r"(?<=\d) (?=(?:[mµn]?s|[kKMG]i?B(?:/s)?|Gb/s|kGE|FO4)\b)", "\N{NO-BREAK SPACE}", text)
    text = re.sub(r"(?<=\d) sigma\b", "\N{NO-BREAK SPACE}σ", text)
    text = re.sub(r"(?<![\w\d.)\]`-])-(?=\d)", "−", text)
    return re.sub(r"\b100\.0(?=\N{NO-BREAK SPACE}%)", "100", text)


# Words with a hyphen that no line break parts.
WHOLE = re.compile(r"(?<![\w-])((?:PARC4|Pipelined)-[A-Z]|-O[0-3]|[SK]-box|RFC 7465)(?!\w)")


def prose(text: str) -> markupsafe.Markup:
    """The text as HTML, with backticks as code and `Z_r` with a subscript."""
    parts = re.split(r"`([^`]+)`", text)
    made = markupsafe.Markup("")
    for at, part in enumerate(parts):
        if at % 2:
            made += markupsafe.Markup("<code>{}</code>").format(part)
        else:
            safe = markupsafe.escape(prose_text(part))
            lowered = re.sub(r"\b([A-Za-z])_([a-z0-9])\b", r"\1<sub>\2</sub>", str(safe))
            made += markupsafe.Markup(WHOLE.sub(r'<span class="whole">\1</span>', lowered))
    return made


LONG = 45  # words of a verdict that are read at one glance


def parted(text: str) -> tuple[str, str]:
    """Splits a verdict into its answer, at least one sentence up to a length, and the rest."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z`])", text)
    lead = [sentences[0]]
    for sentence in sentences[1:]:
        if len(" ".join([*lead, sentence]).split()) > LONG:
            break
        lead.append(sentence)
    return " ".join(lead), " ".join(sentences[len(lead):])
