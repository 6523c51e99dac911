"""Intervals around ratios of times, and the verdicts that they leave open."""

import numpy as np
import pandas as pd
import pytest

from lab.intervals import Draws, Estimate, bootstrap, bootstrapped, decided, estimate, extremes, measured, notch, sampled, together
from lab.judge import Check, Status, Verdict
from lab.results import Results

MET, FAILED, OPEN, UNKNOWN = Check("a condition", True), Check("a condition", False), Check("a condition", None, open=True), Check("a condition", None)


@pytest.mark.parametrize(("checks", "status"), [
    ((OPEN,), Status.UNDECIDED), ((OPEN, MET), Status.UNDECIDED), ((OPEN, FAILED), Status.UNDECIDED),
    ((OPEN, MET, FAILED), Status.PARTLY), ((OPEN, OPEN, MET, FAILED), Status.PARTLY),
    ((UNKNOWN,), Status.UNTESTABLE), ((OPEN, UNKNOWN), Status.UNDECIDED), ((MET, UNKNOWN), Status.PARTLY), ((MET, MET), Status.HOLDS), ((FAILED,), Status.FAILS)])
def test_a_verdict_is_undecided_where_an_open_condition_changes_it(checks, status):
    assert Verdict("a claim", {}, checks).status is status


@pytest.mark.parametrize(("low", "high", "met", "is_open"), [(0.5, 0.9, False, False), (1.1, 1.4, True, False), (0.9, 1.4, None, True)])
def test_an_interval_decides_or_leaves_open(low, high, met, is_open):
    check = decided("above", Estimate((low + high) / 2, low, high), lambda ratio: ratio > 1)
    assert (check.met, check.open) == (met, is_open)
    assert f"interval {low:.2f} to {high:.2f}" in str(check.figures["interval"])


def test_a_band_inside_the_interval_leaves_open():
    assert decided("near", Estimate(1.0, 0.5, 2.0), lambda ratio: 0.9 < ratio < 1.1).open


def test_a_band_inside_the_interval_leaves_open_where_the_figure_lies_outside():
    assert decided("near", Estimate(1.2, 0.5, 2.0), lambda ratio: 0.9 < ratio < 1.1).open


ABOVE, BELOW, ABOUT = Estimate(1.2, 1.1, 1.3), Estimate(0.8, 0.7, 0.9), Estimate(1.1, 0.9, 1.3)


@pytest.mark.parametrize(("parts", "every", "met"), [
    ((ABOVE, ABOUT), True, None), ((BELOW, ABOUT), True, False), ((ABOVE, ABOVE), True, True),
    ((ABOVE, ABOUT), False, True), ((BELOW, ABOUT), False, None), ((BELOW, BELOW), False, False)])
def test_conditions_together(parts, every, met):
    check = together("above", dict(zip("ab", parts, strict=True)), lambda ratio: ratio > 1, every)
    assert (check.met, check.open) == (met, met is None)
    assert check.figures["parts"].startswith(f"a ({parts[0]}); b (")


def test_the_bootstrap_covers_what_it_should():
    """Of ratios whose truth is 1, between 88 and 99 of 100 intervals hold it."""
    draw = np.random.default_rng(7)
    found = [bootstrap(draw.lognormal(0, 0.1, 15), draw.lognormal(0, 0.1, 15)) for _ in range(200)]
    assert 0.88 <= np.mean([each.low <= 1 <= each.high for each in found]) <= 0.995
    assert all(each.low <= each.value <= each.high for each in found)


@pytest.mark.parametrize(("count", "of"), [(5, lambda runs: extremes(np.median(runs), min(runs), max(runs))),
                                           (27, lambda runs: notch(np.median(runs), np.percentile(runs, 25), np.percentile(runs, 75), len(runs)))])
def test_intervals_from_summaries_cover_the_median(count, of):
    draw = np.random.default_rng(8)
    found = [of(draw.normal(10, 1, count)) for _ in range(400)]
    assert 0.91 <= np.mean([each.low <= 10 <= each.high for each in found]) <= 0.98


def test_a_ratio_of_estimates_holds_all_ratios_of_their_ends():
    ratio = Estimate(2, 1.8, 2.2) / Estimate(1, 0.9, 1.1)
    assert (ratio.value, round(ratio.low, 3), round(ratio.high, 3)) == (2, 1.636, 2.444)


def test_runs_of_a_cell_are_read_from_the_record(tmp_path):
    folder = tmp_path / "one" / "runs"
    folder.mkdir(parents=True)
    (folder / "timed.csv").write_text('run,cell,probe_ms,ghz_before,ghz_after,counts,measured\n'
                                      '0,"(8, \'a\', 1)",1,3,3,True,"{""s"": 1.5}"\n1,"(8, \'a\', 1)",1,3,2,False,"{""s"": 9}"\n2,"(8, \'b\', 1)",1,3,2,False,"{""s"": 4}"\n')
    runs = Results("one", tmp_path).runs("timed")
    assert measured(runs, (8, "a", 1)) == [{"s": 1.5}]
    assert measured(runs, (8, "b", 1)) == [{"s": 4}], "all, where none counts"
    assert Results("one", tmp_path).runs("other") is None


def test_a_ratio_of_two_speed_ups_has_the_spread_of_all_four():
    runs = [[4.0, 4.1, 3.9], [2.0, 2.05, 1.95], [4.0, 4.1, 3.9], [2.0, 3.0, 1.95]]
    quiet, wide = bootstrapped([runs[0], runs[1]], [runs[1], runs[0]]), bootstrapped([runs[0], runs[3]], [runs[1], runs[2]])
    assert quiet.value == wide.value == 1.0
    assert wide.high > 1.2 > quiet.high, "one slow run among three may be the median of a draw"
    assert bootstrapped([runs[0]], [runs[1]]) == bootstrap(runs[0], runs[1])


def test_a_cell_that_no_run_has_is_an_error():
    with pytest.raises(KeyError, match="no run is of the cell"):
        measured(pd.DataFrame({"cell": ["('a', 1)"], "counts": [True], "measured": ["1"]}), ("a", 2))


RECORDED = Estimate(10, 8, 13)


def runs_of(folder, *rows: tuple[str, bool, str]) -> Results:
    """A record of a study `one` whose experiment `timed` has these runs: cell, whether it counts, what it measured."""
    (folder / "one" / "runs").mkdir(parents=True)
    pd.DataFrame([(number, *row) for number, row in enumerate(rows)], columns=["run", "cell", "counts", "measured"]).to_csv(folder / "one" / "runs" / "timed.csv", index=False)
    return Results("one", folder)


def drawn(results: Results, cell: object = 1, key: str = "s") -> Estimate:
    """The interval of a cell."""
    return estimate(Draws(results, "timed")(cell, RECORDED, lambda run: [run[key]] if key in run else []))


def test_draws_have_the_recorded_median_and_the_spread_of_the_runs(tmp_path):
    found = drawn(runs_of(tmp_path, *[("1", True, f'{{"s": {value}}}') for value in (1.8, 2, 2.6)], ("1", False, '{"s": 9}'), ("2", True, '{"s": 7}')))
    assert (found.value, round(found.low, 6), round(found.high, 6)) == (10, 9, 13), "the runs are from 0.9 to 1.3 of their median"


def test_draws_of_a_record_without_runs_have_the_recorded_interval(tmp_path):
    found = drawn(Results("one", tmp_path))
    assert found.value == 10 and abs(found.low - 8) < 0.15 and abs(found.high - 13) < 0.2


def test_one_accepted_run_takes_its_spread_from_those_that_were_not(tmp_path):
    found = drawn(runs_of(tmp_path, ("1", True, '{"s": 2}'), ("1", False, '{"s": 1}'), ("1", False, '{"s": 4}')))
    assert (found.value, found.low, found.high) == (10, 5, 20)


def test_times_of_the_same_runs_are_drawn_together_and_of_others_are_not(tmp_path):
    results = runs_of(tmp_path, *[(cell, True, f'{{"s": {value}, "t": {3 * value}}}') for cell in "12" for value in (1, 2, 3, 4, 5)])
    draws = Draws(results, "timed")
    one, same, other = (draws(cell, RECORDED, lambda run, key=key: [run[key]]) for cell, key in ((1, "s"), (1, "t"), (2, "s")))
    assert np.allclose(one, same)
    assert abs(np.corrcoef(one[1:], other[1:])[0, 1]) < 0.1


def test_a_process_of_several_times_is_drawn_whole(tmp_path):
    found = drawn_lists(runs_of(tmp_path, *[("1", True, str(30 * [value])) for value in (1, 2, 3)]))
    assert (found.low, found.high) == (5, 15), "ninety times that were independent would lie closer"


def drawn_lists(results: Results) -> Estimate:
    """The interval of a cell whose runs print several times."""
    return estimate(Draws(results, "timed")(1, RECORDED, lambda run: run))


def test_runs_of_one_number_are_read(tmp_path):
    found = estimate(Draws(runs_of(tmp_path, *[("1", True, value) for value in ("2.0", "2.5", "3.0")]), "timed")(1, RECORDED, lambda seconds: [seconds]))
    assert (found.low, found.high) == (8, 12)


def test_runs_of_another_row_and_unknown_cells_are_not_mistaken(tmp_path):
    results = runs_of(tmp_path, ("1", True, '{"s": 2}'), ("1", True, '{"t": 9}'), ("1", True, '{"t": 1}'))
    assert drawn(results) == Estimate(10, 10, 10)
    with pytest.raises(KeyError, match="no run is of the cell 2"):
        drawn(results, cell=2)
    with pytest.raises(KeyError, match="no run is of the cell 1"):
        drawn(results, key="u")


def test_an_interval_holds_its_figure():
    assert estimate(np.array([1.0, 2.0, 3.0])).low == 1, "the largest of several figures grows when they scatter"


def test_a_figure_of_no_time_is_refused():
    with pytest.raises(ValueError, match="not a number"):
        estimate(np.full(3, np.nan))


def test_a_share_of_few_samples_is_less_sure():
    assert str(sampled(50, 100)) == "50.00, interval 40.38 to 59.62"
    assert sampled(50, 10_000).high < 51
