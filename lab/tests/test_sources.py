"""Tables that other rooms recorded: each is read there, and is recorded nowhere else."""

import json
from collections import Counter

import pytest

from lab.__main__ import main
from lab.bench import ROOT
from lab.results import Results
from lab.sources import SOURCES, attacks


@pytest.mark.parametrize(("of", "name"), SOURCES, ids="-".join)
def test_a_source_is_there_and_names_its_files(of, name):
    source = SOURCES[of, name]
    assert list(ROOT.glob(source.files))
    assert Results(of).record(name).command == source.files
    assert source.commands()


def test_runs_from_several_seeds_are_added_up():
    lines = [json.loads(line) for line in (ROOT / "attacks/runs/wep.jsonl").read_text("utf-8").splitlines()]
    trials = Counter()
    for line in lines:
        trials[line["key_length"], line["packets"], line["max_prefixes"], line["sender"]] += line["trials"]
    table = Results("attacks")["wep"].set_index(["key_length", "packets", "max_prefixes", "sender"])
    assert max(trials.values()) > max(line["trials"] for line in lines)
    assert table.trials.to_dict() == trials


def test_a_trial_that_counts_every_position_is_made_once():
    line = next(line for line in attacks.lines(attacks.file("broadcast")) if line["positions"] > 1)
    words = attacks.options("broadcast", line)
    assert int(words[words.index("--trials") + 1]) * line["positions"] == line["trials"]


def test_a_run_under_another_folder_is_not_the_record(tmp_path):
    assert "wep" in Results("attacks") and "wep" not in Results("attacks", tmp_path)


def test_the_record_of_another_room_is_not_recorded_here(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab", "run", "attacks:wep", "--full", "--record"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "attacks:wep is not recorded here: the lab reads attacks/runs/wep.jsonl" in capsys.readouterr().err
