"""How numbers are written in the report."""

from __future__ import annotations

import math
import numbers

import pandas as pd


def shown(value: object) -> str:
    """A cell: four digits of a measured number, all of a counted one, a dash for none."""
    if value is None or pd.isna(value):
        return "–"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return str(value)
    if isinstance(value, numbers.Integral):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if math.isinf(value):
        return "∞"
    size = abs(value)
    if size and not 1e-4 <= size < 1e9:
        mantissa, exponent = f"{value:.3e}".split("e")
        return power(mantissa, int(exponent))
    return (f"{value:,.0f}" if size >= 1000 else f"{value:.4g}").replace("-", "−")


def power(mantissa: str, exponent: int) -> str:
    """`1.234 · 10⁻⁵`."""
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa.replace('-', '−')} · 10{raised}"


def numeric(table: pd.DataFrame) -> list[bool]:
    """Which columns of a table are to stand to the right."""
    return [kind.kind in "iuf" for kind in table.dtypes]
