"""How the report writes numbers, and what may stand in its scripts."""

import math

import numpy as np
import pandas as pd
import pytest

from lab.report.build import data, script
from lab.report.numbers import numeric, shown


@pytest.mark.parametrize(("value", "text"), [
    (0.0, "0"), (12.3456, "12.35"), (1234.5, "1,234"), (-0.5, "−0.5"), (1.5e-7, "1.500 · 10⁻⁷"), (2.5e12, "2.500 · 10¹²"),
    (2048, "2048"), (65536, "65,536"), (np.int64(7), "7"), (math.nan, "–"), (None, "–"), (math.inf, "∞"), (True, "True"), ("text", "text"),
])
def test_numbers_are_written_for_people(value, text):
    assert shown(value) == text


def test_numbers_stand_to_the_right():
    assert numeric(pd.DataFrame({"name": ["a"], "count": [1], "time": [0.5], "so": [True]})) == [False, True, True, False]


def test_no_data_ends_a_script():
    assert "<" not in data({"name": "</script><!--"})
    with pytest.raises(ValueError, match="tag"):
        script("let end = '</SCRIPT>'")
