"""Numbers as people read them: each rule with the value where it would fail."""

import pandas as pd
import pytest

from lab.report import numbers

SPACE = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(("value", "written"), [
    (0, "0"), (1010.0, "1,010"), (1234567.0, "1,230,000"), (0.065, "0.0650"), (-0.0067, "−0.00670"), (9.996, "10.0"), (999.7, "1,000"),
    (4.097819e-08, "4.10 · 10⁻⁸"), (1e12, "10¹²"), (float("inf"), "∞"), (float("-inf"), "−∞")])
def test_number(value, written):
    assert numbers.number(value).replace(SPACE, " ") == written


@pytest.mark.parametrize(("value", "unit", "written"), [
    (1.01, "s", "1.01 s"), (6e-7, "s", "600 ns"), (9.936e-5, "s", "99.4 µs"), (0.0130675, "s", "13.1 ms"), (120.0, "s", "120 s"), (1.47e9, "B/s", "1.47 GB/s"),
    (17.27e9, "bit/s", "17.3 Gbit/s"), (57374, "GE", "57.4 kGE"), (64.04, "%", "64.0 %"), (3e-12, "s", "0.00300 ns"), (0.0, "s", "0 s"), (None, "s", "–"), (float("nan"), "s", "–")])
def test_quantity(value, unit, written):
    assert numbers.quantity(value, unit).replace(SPACE, " ") == written


@pytest.mark.parametrize(("values", "unit", "written"), [
    ([0.642, 0.65, 1.1], "", ["0.642", "0.650", "1.100"]),  # the same decimals, zeros kept
    ([0.0043, 0.0084, 0.0126], "s", ["4.30 ms", "8.40 ms", "12.60 ms"]),  # one prefix
    ([0.0002128, 0.0254401, 1.3140923], "s", ["213 µs", "25.4 ms", "1.31 s"]),  # too far apart for one
    ([9959, 10267], "", ["9,959", "10,267"]),  # counted: all digits, separators from 1,000 on
    ([8, 512, 35184372088832], "", ["8", "512", "3.52 · 10¹³"]),
    ([48.5, 0.1, 28], "%", ["48.5 %", "0.1 %", "28.0 %"]),
    (["PASSED", None], "", ["PASSED", "–"])])
def test_column(values, unit, written):
    write = numbers.column(values, unit)
    assert [write(value).replace(SPACE, " ") for value in values] == written


@pytest.mark.parametrize(("paper", "ours", "unit", "written"), [
    (2.0, 2.08, "", "× 1.04"), (336.0, 1.0, "", "÷ 336"), (1.0, 1.0, "s", "same"), (257, 256, "", "÷ 1.004"), (66.0, 85.2, "%", "+19 points"), (48.0, 45.5, "%", "−2.5 points"),
    (1.0, None, "", ""), ("a", "b", "", ""), (0.0, 0.0, "", "same"), (0.0, 3.0, "", ""), (-1.0, 2.0, "", "")])
def test_ratio(paper, ours, unit, written):
    assert numbers.ratio(paper, ours, unit) == written


@pytest.mark.parametrize(("text", "written"), [
    ("Python 1.01e+03 ms", "Python 1,010 ms"), ("seen in 2^30.0 trials", "seen in 2³⁰ trials"), ("256! · 256² = 10^512", "256! · 256² = 10⁵¹²"), ("12% and 12 %", "12 % and 12 %"),
    ("-0.00670 is published, -13.5 sigma", "−0.00670 is published, −13.5 σ"), ("gcc -O2 and 176-240", "gcc -O2 and 176-240"), ("2^-8", "2⁻⁸"), ("2^31.4", "2³¹·⁴"), ("100.0 %", "100 %"),
    ("galvane2012 of 2012-11-20", "galvane2012 of 2012-11-20")])
def test_prose(text, written):
    assert numbers.prose_text(text).replace(SPACE, " ") == written


def test_prose_as_html_keeps_what_is_hostile_harmless():
    assert str(numbers.prose("`a<b>` and <i> Z_r")) == "<code>a&lt;b&gt;</code> and &lt;i&gt; Z<sub>r</sub>"


@pytest.mark.parametrize(("name", "read"), [
    ("process_s", ("process", "s", 1.0)), ("us_min", ("least", "s", 1e-6)), ("paper (ms)", ("paper", "s", 1e-3)), ("gcc -O2 ms", ("gcc -O2", "s", 1e-3)),
    ("paper_without_jit_total_percent", ("paper without JIT total", "%", 1.0)), ("mib_per_s", ("throughput", "B/s", 2.0**20)), ("lut", ("LUT", "", 1.0)), ("ours_ms: quiet runs", ("ours ms: quiet runs", "", 1.0)), ("Gb/s", ("throughput", "bit/s", 1e9)),
    ("bytes", ("bytes", "", 1.0)), ("versions", ("versions", "", 1.0)), ("runs", ("runs", "", 1.0))])
def test_heading(name, read):
    assert numbers.heading(name) == read


def test_a_table_names_no_column_as_the_record_does():
    heads, rows = numbers.table(pd.DataFrame({"own_s": [0.5, 1.5], "data_size_kb": [20, 40]}))
    assert heads == [("own", True), ("data size KB", True)]
    assert [cell.replace(SPACE, " ") for cell in rows[0]] == ["0.50 s", "20"]


def test_a_long_verdict_begins_with_its_answer():
    lead, rest = numbers.parted("It holds. " + "More words follow here and go on. " * 12)
    assert lead.startswith("It holds.") and len(lead.split()) <= numbers.LONG and rest
