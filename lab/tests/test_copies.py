"""Records of the lab that are made from other records: they say what those say now."""

import pandas as pd
import pytest

from lab.bench import Bench
from lab.results import Results
from lab.sengupta2013.measure import recorded
from lab.studies import study

# `model` is computed, and `fpga` also routes a design anew: its other rows are compared.
COPIES = [("sengupta2013", name) for name in ("synthesis", "placed")] + [
    ("attacks", name) for name in ("key", "wep", "aircrack", "broadcast", "cookie", "state", "weak")]


def same(ours: pd.DataFrame, source: pd.DataFrame, folder) -> None:
    """Compares after the writer's rounding."""
    source.to_csv(folder / "source.csv", index=False, float_format="%.6g")
    pd.testing.assert_frame_equal(ours, pd.read_csv(folder / "source.csv"))


@pytest.mark.parametrize(("of", "name"), COPIES)
def test_a_copy_is_its_source(of, name, tmp_path):
    experiment = next(each for each in study(of).experiments if each.id == name)
    same(Results(of)[name], experiment.run(Bench(full=True, scratch=tmp_path)), tmp_path)


def test_the_recorded_rows_of_fpgas_are_their_source(tmp_path):
    ours = Results("sengupta2013")["fpga"].query("rows == 'recorded'").drop(columns="rows").reset_index(drop=True)
    source = recorded(Bench(full=True, scratch=tmp_path), "fpga.csv").rename(columns={"folder": "device"})
    same(ours, source[list(ours.columns)], tmp_path)
