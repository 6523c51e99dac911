"""Each rule on recorded times breaks where it should, and all records keep the rules."""

import shutil

import pandas as pd
import pytest

from lab import run, steady
from lab.judge import Status
from lab.model import Experiment
from lab.report import build
from lab.results import RECORDED, Results
from lab.studies import NAMES, study

EVERY = [(name, experiment) for name in NAMES for experiment in study(name).experiments if experiment.id in Results(name)]
SIZES = [1_000_000, 20_000_000, 40_000_000]


def series(*costs: float, **more) -> pd.DataFrame:
    """One program at three sizes, by its time per byte in ns."""
    seconds = [size * cost / 1e9 for size, cost in zip(SIZES, costs, strict=True)]
    return pd.DataFrame({"work": "one", "size_bytes": SIZES, "threads": 1, "encryption_s": seconds, "decryption_s": seconds, "overall_s": seconds} | more)


LINEAR = steady.linear(("work",), ("encryption_s",))
BOTH = steady.both_ways("encryption_s", "decryption_s")
THREADS = steady.threads(("size_bytes",), "overall_s")


def test_a_cost_that_depends_on_the_size_is_a_fault_above_ten_megabytes_only():
    assert steady.faults(series(9.0, 1.0, 1.09), [LINEAR]) == []
    fault, = steady.faults(series(1.0, 1.85, 1.28), [LINEAR])
    assert fault == "a byte costs more at one size than at another (encryption_s): 1 of 1 by more than 10%, the worst by 45% (work one)"


def test_a_rule_may_begin_at_other_sizes_and_leave_programs_out():
    table = series(1.3, 1.0, 1.0)
    assert steady.faults(table, [steady.linear(("work",), ("encryption_s",), least=1_000_000)])
    assert steady.faults(table, [steady.linear(("work",), ("encryption_s",), least=1_000_000, where="work != 'one'")]) == []


def test_encryption_and_decryption_must_agree():
    assert steady.faults(series(1, 1, 1), [BOTH]) == []
    assert "the worst by 20%" in steady.faults(series(1, 1, 1, decryption_s=[0.001, 0.024, 0.04]), [BOTH])[0]


def test_two_threads_may_cost_their_beginning_and_no_more():
    two = series(1, 1, 1, threads=2)
    assert steady.faults(pd.concat([series(1, 1, 1), two]), [THREADS]) == []
    late = two.assign(overall_s=two.overall_s + 0.0009)  # nearly twice the time of a megabyte
    assert steady.faults(pd.concat([series(1, 1, 1), late]), [THREADS]) == []
    slow = two.assign(overall_s=two.overall_s * 1.3)
    assert "2 of 3" in steady.faults(pd.concat([series(1, 1, 1), slow]), [THREADS])[0]


def test_what_a_cipher_cannot_tell_apart_must_take_the_same_time():
    rule = steady.same(("cipher",), ("ms",), "the length of the key", "cipher == 'RC4'")
    table = pd.DataFrame({"cipher": ["RC4", "RC4", "AES", "AES"], "key_bits": [128, 256, 128, 256], "ms": [1.0, 1.05, 1.0, 1.4]})
    assert steady.faults(table, [rule]) == []
    assert len(steady.faults(table.assign(ms=[0.076, 0.053, 1, 1]), [rule])) == 1


def test_a_time_that_is_missing_or_nothing_is_a_fault():
    for spoilt in (float("nan"), 0.0):
        assert steady.faults(series(1, 1, 1, decryption_s=[0.001, 0.02, spoilt]), [BOTH]), spoilt


@pytest.mark.parametrize(("name", "experiment"), [pytest.param(*each, id=f"{each[0]}:{each[1].id}") for each in EVERY if each[1].rules])
def test_one_slow_cell_is_found_in_every_table_that_has_rules(name, experiment):
    """Three times as slow, in some row: the rules look at rows and columns that are there."""
    table = Results(name)[experiment.id]
    if steady.faults(table, experiment.rules):
        pytest.skip("it has faults already")
    times = [column for column in table if column in ("encryption_s", "encrypt_ms", "encrypt_ns_per_byte", "encrypt_mb_per_s")] or \
            [column for column in ("seconds", "median_ns", "us", "gbit_per_s") if column in table]
    table = table.astype(dict.fromkeys(times, float))

    def slow(row: int) -> pd.DataFrame:
        spoilt = table.copy()
        spoilt.loc[row, times] *= 3
        return spoilt
    assert any(steady.faults(slow(row), experiment.rules) for row in (*table.index[[0, -1]], *table.index))


def test_the_faults_of_what_is_recorded_are_those_that_are_listed():
    """A listed record that passes fails this test too, so that the list shrinks."""
    found = {(name, each.id) for name, each in EVERY if steady.faults(Results(name)[each.id], each.rules)}
    assert found == steady.refused()


def test_times_that_could_be_held_to_a_rule_are():
    """A table with both directions, or with numbers of threads, has rules."""
    for name, experiment in EVERY:
        columns = set(Results(name)[experiment.id])
        if {"encryption_s", "encrypt_ms", "encrypt_ns_per_byte", "encrypt_mb_per_s"} & columns or {"threads", "seconds"} <= columns:
            assert experiment.rules, f"{name}:{experiment.id}"


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory):
    """The committed results of a study with one slow cell, as a slow quarter of an hour would leave them."""
    base = tmp_path_factory.mktemp("disturbed")
    shutil.copytree(RECORDED / "handa2015", base / "handa2015")
    path = base / "handa2015" / "parc4r.csv"
    table = pd.read_csv(path)
    table.loc[table.index[-1], ["encryption_s", "decryption_s", "overall_s"]] *= 1.45
    table.to_csv(path, index=False)
    return base


def test_no_verdict_rests_on_a_disturbed_record(disturbed):
    """And the claims that never read it keep their verdicts."""
    found = study("handa2015")
    before = {verdict.claim: verdict.status for verdict in found.verdicts(Results("handa2015"))}
    after = {verdict.claim: verdict.status for verdict in found.verdicts(Results("handa2015", disturbed))}
    for judging in found.judges:
        sound = found.sound(Results("handa2015", disturbed))
        try:
            judging.run(sound)
        except steady.Disturbed:
            pass
        reads = "parc4r" in sound.found
        assert {after[claim] for claim in judging.claims} == ({Status.DISTURBED} if reads else {before[claim] for claim in judging.claims}), judging.claims
    assert Status.DISTURBED in after.values() and Status.DISTURBED not in before.values()


def test_a_drawing_of_a_disturbed_record_says_so(disturbed):
    """And no other does."""
    found = study("handa2015")
    figures = {figure.id: build.piece(found, figure, disturbed) for figure in found.figures}
    read = {name: {command.split(":")[1].split()[0] for command in made.commands} for name, made in figures.items()}
    assert {name for name, made in figures.items() if made.disturbed} == {name for name in figures if "parc4r" in read[name]} != set()


class Recorder:
    """A study of one experiment, which the recorder runs."""

    def __init__(self, table: pd.DataFrame):
        self.name = "one"
        self.experiments = (Experiment("timed", "A table", lambda bench: table, (), rules=(LINEAR,)),)


def test_a_disturbed_experiment_is_not_recorded_and_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "RECORDED", tmp_path)
    listed = tmp_path / "refused"
    listed.write_text("study,experiment\none,timed\nother,kept\n")
    monkeypatch.setattr(steady, "REFUSED", listed)
    written, failed = run.measure(Recorder(series(1, 1.85, 1.28)), tmp_path, run.Choice(full=True), None)
    assert (written, failed) == ([], ["one:timed"])
    assert not list(tmp_path.rglob("*.csv"))
    said = capsys.readouterr().err
    assert "disturbed: a byte costs more" in said and "not recorded" in said
    assert ("one", "timed") in steady.refused()
    written, failed = run.measure(Recorder(series(1, 1.3, 1.28)), tmp_path, run.Choice(full=True), None)
    assert [path.name for path in written] == ["timed.csv"] and not failed
    assert steady.refused() == {("other", "kept")}, "what passes is taken off the list"
