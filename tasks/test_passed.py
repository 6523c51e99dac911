"""Tests of CONTINUE=1: a call of make goes on where the last one was stopped."""

import subprocess
from pathlib import Path

import passed
import pytest
import run
from model import Invalid, load
from passed import Passed
from schedule import Runner

TASKS = """
section = "One"
[tasks.all]
side_by_side = ["first", "second"]
[tasks.first]
run = "echo first >> $TARGET/log"
[tasks.second]
needs = ["first"]
run = "echo second >> $TARGET/log; [ -e $TARGET/ready ]"
"""


@pytest.fixture(autouse=True)
def clean(monkeypatch) -> None:
    """The checkout of these tests has no changes."""
    monkeypatch.setattr(passed, "changes", lambda: "")
    monkeypatch.setattr(run, "changes", lambda: "")


def call(folder: Path, commit: str, go_on: bool) -> tuple[bool, Runner]:
    """A call of make in that folder, at that commit: whether all passed, and its state."""
    (folder / "one.toml").write_text(TASKS)
    record = Passed(folder, commit)
    if go_on:
        record.read()
    runner = Runner(load(folder, ["one"]), folder, {}, 2, record)
    return runner.run(["all"]), runner


def test_a_call_goes_on_with_what_has_not_passed(tmp_path):
    right, first = call(tmp_path, "c0", go_on=False)
    assert not right
    (tmp_path / "ready").touch()
    right, second = call(tmp_path, "c0", go_on=True)
    assert right
    assert (tmp_path / "log").read_text().split() == ["first", "second", "second"]
    assert second.seconds["first"] == first.seconds["first"]
    assert second.spent() > first.spent() - 0.5
    assert set(second.passed.tasks) == {"first", "second", "all"}


def test_without_it_a_call_begins_anew(tmp_path):
    (tmp_path / "ready").touch()
    for _ in range(2):
        assert call(tmp_path, "c0", go_on=False)[0]
    assert (tmp_path / "log").read_text().split() == ["first", "second"] * 2


REFUSED = r"CONTINUE=1: .*passed\.json has no task that passed at this commit"


@pytest.mark.parametrize("commit", ["c1", ""])
def test_another_commit_does_not_go_on(tmp_path, commit):
    call(tmp_path, "c0", go_on=False)
    with pytest.raises(Invalid, match=REFUSED):
        call(tmp_path, commit, go_on=True)


def test_changes_by_a_task_go_on_and_others_do_not(tmp_path, monkeypatch):
    """`make embed-full` writes a table into the checkout."""
    state = ["clean"]
    monkeypatch.setattr(passed, "changes", lambda: state[0])
    record = Passed(tmp_path, "c0")
    for state[0] in ("first task's", "second task's"):
        record.add(state[0], 1, 1, 1)
    for state[0] in ("first task's", "second task's"):
        Passed(tmp_path, "c0").read()
    state[0] = "a developer's"
    with pytest.raises(Invalid, match=REFUSED):
        Passed(tmp_path, "c0").read()


def test_a_checkout_with_changes_keeps_no_record(tmp_path, monkeypatch):
    monkeypatch.setattr(passed, "ROOT", tmp_path)  # no checkout at all
    assert passed.commit() == ""
    call(tmp_path, passed.commit(), go_on=False)
    assert not (tmp_path / "passed.json").exists()


def test_a_call_begins_without_changes_or_keeps_no_record(tmp_path, monkeypatch):
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path))
    (tmp_path / "one.toml").write_text('section = "One"\n[tasks.show]\nrun = "true"')
    monkeypatch.setattr(run, "load", lambda: load(tmp_path, ["one"]))
    monkeypatch.setattr(run, "changes", lambda: "a developer's")
    assert run.main(["show"]) == 0
    assert not (tmp_path / "passed.json").exists()
    monkeypatch.setattr(run, "changes", lambda: "")
    assert run.main(["show"]) == 0
    assert (tmp_path / "passed.json").exists()


def test_a_digest_tells_changes_apart(tmp_path, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(passed, "ROOT", tmp_path)

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a", *words], check=True, capture_output=True)

    git("init")
    file = tmp_path / "file"
    file.write_text("one")
    git("add", ".")
    git("commit", "-m", "one")
    seen = [passed.changes()]
    for change in (lambda: file.write_text("two"), lambda: file.write_text("three"), (tmp_path / "new").touch):
        change()
        seen.append(passed.changes())
    assert seen[0] == ""
    assert len(set(seen)) == 4
    (tmp_path / "new").unlink()
    file.write_text("one")
    assert passed.changes() == ""


def test_a_task_with_a_variable_is_not_kept(tmp_path, monkeypatch):
    """SOAK_SECONDS=1 is not the soak of `make soak`."""
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path))
    monkeypatch.setenv("MAKE_VARIABLES", "WORD")
    monkeypatch.setenv("WORD", "short")
    (tmp_path / "one.toml").write_text('section = "One"\n[tasks.show]\nvariables = { WORD = "long" }\nrun = "true"')
    monkeypatch.setattr(run, "load", lambda: load(tmp_path, ["one"]))
    monkeypatch.setattr(run, "commit", lambda: "c0")
    assert run.main(["show"]) == 0
    assert not (tmp_path / "passed.json").exists()
    monkeypatch.setenv("MAKE_VARIABLES", "")
    assert run.main(["show"]) == 0
    assert (tmp_path / "passed.json").exists()


def test_its_value_is_one(monkeypatch):
    monkeypatch.setenv("MAKE_VARIABLES", "CONTINUE")
    monkeypatch.setenv("CONTINUE", "yes")
    with pytest.raises(Invalid, match="CONTINUE=yes: it must be 1"):
        run.main(["setup"])
