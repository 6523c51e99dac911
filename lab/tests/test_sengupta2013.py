"""The paper's rules are told from wrong ones, and the waveform that is drawn is RC4's."""

import random
import sys

import pandas as pd
import pytest

from lab.bench import ROOT, Bench
from lab.results import Results
from lab.sengupta2013 import measure, rounds

sys.path.insert(0, str(ROOT / "ports" / "python"))
from rc4 import RC4


@pytest.fixture(scope="module")
def results():
    return Results("sengupta2013")


def test_a_wrong_line_of_table_2_is_found(tmp_path, monkeypatch):
    text = rounds.PRINTED.read_text()
    assert rounds.check(500).query("claim == 'table-2'").wrong.sum() == 0
    (tmp_path / "table-2.csv").write_text(text.replace("5,1,0,0,i1>j2", "5,1,0,0,i1>i2"))
    monkeypatch.setattr(rounds, "PRINTED", tmp_path / "table-2.csv")
    wrong = rounds.check(500).query("claim == 'table-2'").set_index("rule").wrong
    assert wrong["case 5"] > 0 and wrong.drop("case 5").sum() == 0


def test_table_3_is_rc4_until_rounds_meet():
    states = [random.Random(seed).sample(range(256), 256) for seed in range(50)]
    first = sum(rounds.matthews(state, 1) == rounds.stream(state, 1) for state in states)
    later = sum(rounds.matthews(state, 2048) == rounds.stream(state, 2048) for state in states)
    assert first > 45 and later == 0


@pytest.mark.parametrize("design", measure.SHOWN)
def test_the_waveform_is_rc4s(results, design):
    core = measure.CORES[design]
    waves = results["waveform"].query("design == @design").pivot_table(index="clock", columns="signal", values="value")
    key = waves[(waves.key_valid_i == 1) & (waves.key_ready_o == 1)].key_i.astype(int).tolist()
    assert len(key) == measure.SMALL_KEY
    taken = waves[(waves.z_valid_o == 1) & (waves.z_ready_i == 1)].z_o.astype(int)
    words = [z >> 4 * place & 15 for z in taken for place in range(core.words)]
    model = RC4(key, measure.SMALL)
    assert len(words) >= 60 and words == [model.prga() for _ in words]


def test_the_recorded_waveform_is_of_these_cores(results, tmp_path):
    here = measure.waveform(Bench(full=False, scratch=tmp_path)).reset_index(drop=True)
    pd.testing.assert_frame_equal(here, results["waveform"].reset_index(drop=True), check_dtype=False)


def test_stages_are_drawn_in_order(results):
    for design, table in results["waveform"].query("signal.str.startswith('stage') and value == 1").groupby("design"):
        first = table.groupby("signal").clock.min().sort_values()
        assert first.is_monotonic_increasing and first.is_unique, design
