"""Tests of the program that runs the targets of `make`."""

import os
import re
import subprocess
from pathlib import Path

import fresh
import packages
import pytest
from model import FILES, Invalid, load
from passed import Passed
from run import WIDTH, listed
from schedule import ROOT, Runner, check

TASKS = load()


def made(folder: Path, text: str, jobs: int = 2, **given: str) -> Runner:
    """A runner of these tasks, whose folder of built files is `folder`."""
    (folder / "one.toml").write_text(f'section = "One"\n{text}')
    return Runner(load(folder, ["one"]), folder, given, jobs, Passed(folder, ""))


def make(*words: str) -> subprocess.CompletedProcess:
    """The root's Makefile, as a user calls it."""
    clean = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKE_VARIABLES", "MFLAGS")}
    return subprocess.run(["make", "--no-print-directory", *words], cwd=ROOT, env=clean, capture_output=True, text=True)


def test_every_file_of_tasks_is_read():
    assert {path.stem for path in Path(__file__).parent.glob("*.toml")} == set(FILES)


@pytest.mark.parametrize("name", TASKS.tasks)
def test_every_script_is_bash(name):
    subprocess.run(["bash", "-n"], input=TASKS[name].run, text=True, check=True)


@pytest.mark.parametrize("name", TASKS.tasks)
def test_every_path_of_a_script_may_have_a_space(name):
    assert re.findall(r"(?<![\"\w/])\$(?:TARGET|PROGRAMS|PWD|PAGE|ARCFOUR_\w+)\b.*", TASKS[name].run) == []


def test_a_list_of_the_shell_is_an_array(tmp_path, capfd):
    text = '[shell]\nWORDS = ["a b", "$TARGET/c"]\n[tasks.show]\nrun = \'printf "<%s>" "${WORDS[@]}"\''
    folder = tmp_path / "with space"
    folder.mkdir()
    assert made(folder, text).run(["show"])
    assert f"<a b><{folder}/c>" in capfd.readouterr().out


def test_scripts_run_in_one_locale(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    monkeypatch.setenv("LANGUAGE", "tr")
    assert made(tmp_path, "[tasks.show]\nrun = 'echo \"<$LC_ALL$LANGUAGE>\"'").run(["show"])
    assert "<C.UTF-8>" in capfd.readouterr().out


def test_the_makefile_is_a_front_door():
    assert len((ROOT / "Makefile").read_text("utf-8").splitlines()) <= 120


def test_every_target_that_a_page_names_is_there():
    pages = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    below = re.findall(r"^([a-z-]+):", "".join(path.read_text("utf-8") for path in ROOT.glob("*/Makefile")), re.MULTILINE)
    named = {}
    for page in pages:
        text = (ROOT / page).read_text("utf-8")
        for found in re.findall(r"(?:`|^\$ |^)make ([a-z][a-z-]*)\b(?=[ `\n][^=]?)", text, re.MULTILINE):
            named.setdefault(found, page)
    assert len(named) > 40
    assert {name: page for name, page in named.items() if name not in {*TASKS.tasks, *below, "help"}} == {}


def test_the_list_fits_a_terminal():
    lines = listed(TASKS).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert {line.split()[1] for line in lines if line.startswith("  make ")} == {task.name for task in TASKS.tasks.values() if task.help}


@pytest.mark.parametrize(("text", "says"), [
    ("[tasks.a]\nneed = ['b']", "unknown \\['need'\\]"),
    ("[tasks.a]\nneeds = ['b']", "no task b"),
    ("[tasks.a]\nneeds = ['b']\n[tasks.b]\nneeds = ['a']", "a → b → a"),
])
def test_a_wrong_file_is_refused(tmp_path, text, says):
    with pytest.raises(Invalid, match=says):
        made(tmp_path, text)


def test_what_a_task_requires_runs_before_it_and_once(tmp_path, capfd):
    runner = made(tmp_path, """
[tasks.top]
needs = ["left", "right"]
run = "echo top"
[tasks.left]
needs = ["base"]
run = "echo left"
[tasks.right]
needs = ["base"]
run = "echo right"
[tasks.base]
run = "echo base"
""")
    assert runner.run(["top"])
    printed = [line for line in capfd.readouterr().out.splitlines() if not line.startswith(("$", "="))]
    assert printed == ["base", "left", "right", "top"]


def test_a_task_ends_at_the_first_command_that_fails(tmp_path, capfd):
    runner = made(tmp_path, '[tasks.bad]\nrun = """\nfalse | true\necho later\n"""\n[tasks.next]\nneeds = ["bad"]\nrun = "echo next"')
    assert not runner.run(["next"])
    assert runner.failed == ["bad"]
    assert "\nlater\n" not in capfd.readouterr().out


def test_a_failure_among_others_ends_only_what_requires_it(tmp_path, capfd):
    runner = made(tmp_path, """
[tasks.all]
side_by_side = ["after", "well"]
[tasks.bad]
run = "echo bad >&2; exit 3"
[tasks.after]
needs = ["bad"]
run = "echo never"
[tasks.well]
run = "sleep 0.2; echo well"
""")
    assert not runner.run(["all"])
    printed = capfd.readouterr().out
    assert "\nwell\n" in printed and "\nbad\n== bad failed with 3\n" in printed and "\nnever\n" not in printed
    assert set(runner.failed) == {"bad", "after", "all"}
    assert re.search(r"failed +0  bad\n", printed) and re.search(r"failed +0  after\n", printed)


def test_the_table_has_the_processor_time_of_a_task_and_of_its_children(tmp_path, capfd):
    """One task counts in a child, the other sleeps."""
    runner = made(tmp_path, '''
[tasks.all]
side_by_side = ["busy", "idle"]
[tasks.busy]
run = "bash -c 'for ((n = 0; n < 3000000; n++)); do :; done'; :"
[tasks.idle]
run = "sleep 1"
''')
    assert runner.run(["all"])
    assert runner.processor["busy"] > 0.5 > runner.processor["idle"]
    assert re.search(r"\n +\d+ +[1-9]\d*  busy\n +\d+ +0  idle\n +[1-9]\d*  all\n", capfd.readouterr().out)


def test_tasks_side_by_side_overlap_but_for_those_of_one_lock(tmp_path):
    """Each task writes its name when it begins and when it ends. a and c wait up to a minute for one another."""
    texts = "".join(f"""
[tasks.{name}]
lock = "{lock}"
run = '''
echo {name} | tee -a {tmp_path}/log > {tmp_path}/{name}
timeout 60 bash -c 'until [ -e {tmp_path}/{other} ]; do sleep 0.05; done'; sleep 0.3
echo {name} >> {tmp_path}/log
'''
""" for name, lock, other in (("a", "x", "c"), ("b", "x", "b"), ("c", "", "a")))
    assert made(tmp_path, texts + '[tasks.all]\nside_by_side = ["a", "b", "c"]', jobs=3).run(["all"])
    log = (tmp_path / "log").read_text().split()
    begun = {name: log.index(name) for name in "abc"}
    ended = {name: len(log) - 1 - log[::-1].index(name) for name in "abc"}
    assert ended["a"] < begun["b"]


def test_a_file_is_made_again_only_if_it_is_older(tmp_path, capfd):
    made_file, source = tmp_path / "made", tmp_path / "source"
    source.touch()
    text = f'[tasks.file]\nmakes = "$TARGET/made"\nmade_from = ["{source}"]\nrun = "touch {made_file}; echo made"'
    for change, expected in ((lambda: None, True), (lambda: None, False), (lambda: os.utime(source, (2e9, 2e9)), True)):
        change()
        assert made(tmp_path, text).run(["file"])
        assert ("\nmade\n" in capfd.readouterr().out) is expected


def test_what_the_user_gives_is_not_read_as_shell(tmp_path, capfd):
    text = '[tasks.show]\nvariables = { WORD = "ours" }\nrun = \'echo "<$WORD>"\''
    assert made(tmp_path, text).run(["show"])
    assert made(tmp_path, text, WORD="it's $HOME; \"x\" `id`").run(["show"])
    printed = capfd.readouterr().out
    assert "<ours>" in printed and "<it's $HOME; \"x\" `id`>" in printed


def test_a_variable_that_no_target_takes_is_refused():
    check(TASKS, ["soak"], ["SOAK_SECONDS"])
    with pytest.raises(Invalid, match="soak does not take the variable SECONDS; it takes only SOAK_SECONDS"):
        check(TASKS, ["soak"], ["SECONDS"])


@pytest.mark.parametrize(("words", "says"), [
    (("nonsense",), "there is no task nonsense"),
    (("soak", "SECONDS=3"), "it takes only SOAK_SECONDS"),
    (("setup", "JOBS=0"), "JOBS=0: it must be a whole number from 1"),
])
def test_wrong_usage_is_one_line_before_any_work(words, says):
    done = make(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("make: ") and says in done.stderr.splitlines()[0]


def test_a_closed_pipe_is_no_error():
    done = subprocess.run(["bash", "-o", "pipefail", "-c", "python3 tasks/run.py help | head -n 1"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_missing_packages_are_named():
    assert packages.missing(["bash", "no-such-package"]) == ["no-such-package"]


def test_a_user_without_root_or_sudo_reads_what_is_missing(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(packages.shutil, "which", lambda name: None if name == "sudo" else f"/usr/bin/{name}")
    packages.install(["bash"])
    with pytest.raises(SystemExit, match="neither root nor have sudo: no-such-package"):
        packages.install(["bash", "no-such-package"])


def test_services_of_missing_packages_are_masked_before_they_are_installed(monkeypatch):
    """bash is installed, so its service would stay as it is."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0, "bash installed\n")

    monkeypatch.setattr(packages.subprocess, "run", run)
    monkeypatch.setattr(packages.os, "geteuid", lambda: 0)
    monkeypatch.setattr(packages.shutil, "which", lambda name: f"/usr/bin/{name}")
    services = packages.services([TASKS["survey-test"]])
    packages.install(["bash", "xrdp"], {**services, "bash": ["bash.service"]})
    assert commands[1] == ["systemctl", "mask", "xrdp-sesman.service", "xrdp.service"]
    assert [command[-1] for command in commands[2:]] == ["-q", "xrdp"]


def test_all_packages_of_a_target_are_known_before_it_runs():
    """`make site` requires a target that needs doxygen, and all targets need the packages of the tests."""
    assert {"doxygen", "gdb"} <= set(packages.wanted(TASKS[name] for name in TASKS.closure(["site"])))


def test_the_record_of_clean_roots_names_targets():
    rows = fresh.recorded()
    assert set(rows) <= {task.name for task in TASKS.tasks.values() if task.help}
    assert all(row["result"] == "passed" for row in rows.values())
    text = fresh.PAGE.read_text("utf-8")
    assert fresh.page(text, rows) == text


def test_a_target_that_failed_in_a_clean_root_has_not_passed_there():
    row = {"target": "page", "seconds": "15", "result": "failed", "cache": "yes", "form": ""}
    text = fresh.page(f"{fresh.BEGIN}{fresh.END}", {"page": row, "site": row | {"target": "site", "result": "passed"}})
    assert text.startswith(f"{fresh.BEGIN}\n1 of ") and "| `site` | 15 |" in text and "Failed there: `page`." in text


def test_a_smaller_form_of_a_target_is_marked():
    rows = {"soak": {"target": "soak", "seconds": "99", "result": "passed", "cache": "no", "form": "soak SOAK_SECONDS=60"}}
    text = fresh.page(f"{fresh.BEGIN}{fresh.END}", rows)
    assert "| `soak` | 99*† |" in text and "continued: `soak SOAK_SECONDS=60`." in text.replace("\n", " ")


@pytest.mark.parametrize(("call", "expected"), [
    ("page", ("page", "")),
    ("soak SOAK_SECONDS=60", ("soak", "soak SOAK_SECONDS=60")),
    ("lab STUDY='a b:c'", ("lab", "lab 'STUDY=a b:c'")),
    ("hardware-synth LIBERTY=/cache/a.lib", ("hardware-synth", "")),
    ("mutants SHARD=0/20", ("mutants", "mutants SHARD=0/20")),
    ("hardware-layout hardware-gds DESIGN=small CELLS=/cache/gds", ("hardware-gds", "hardware-layout hardware-gds DESIGN=small")),
])
def test_a_row_keeps_the_form_of_a_call_without_its_paths(call, expected):
    assert fresh.name_and_form(call) == expected


def test_a_target_begins_where_the_steps_ended_that_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(fresh, "commit", lambda: "c0")
    for made in ("base", "setup", "build-tested-c0"):
        (tmp_path / made).mkdir()
    (tmp_path / "base/ready").touch()

    def names(target, cache):
        return [path.name for path in fresh.roots([target], tmp_path, cache)]

    assert names("valgrind", tmp_path) == ["build-tested-c0", "setup", "base"]
    assert names("build-tested", tmp_path) == names("supply-chain", tmp_path) == ["setup", "base"]
    assert names("setup", tmp_path) == names("valgrind", None) == ["base"]


def test_a_row_of_a_continued_call_has_the_seconds_of_both_and_the_commit_of_its_root(tmp_path, monkeypatch):
    record = tmp_path / "changes/arcfour/target/passed.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"commit": "c0c0c0c0c0c0c0c0", "spent": 1000.0, "tasks": {}}')
    called = []
    monkeypatch.setattr(fresh, "commit", lambda: "later")
    monkeypatch.setattr(fresh, "roots", lambda *_arguments: [tmp_path])
    monkeypatch.setattr(fresh.subprocess, "run", lambda *_command, **options: called.append(options["env"]["CALL"]) or subprocess.CompletedProcess([], 0))
    row = fresh.tried("test-full", tmp_path, None, go_on=True)
    assert (row["seconds"], row["commit"], row["form"]) == ("1000", "c0c0c0c0c0c0", "test-full CONTINUE=1")
    assert called == ["test-full CONTINUE=1"]
    assert record.exists()


def test_a_call_records_its_parts_that_have_no_row(tmp_path, monkeypatch):
    record = tmp_path / "changes/arcfour/target/passed.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"tasks": {"test": [9, 1], "page": [20, 5], "hardware-full": [70.4, 60], "proof-second": [5, 5]}}')
    monkeypatch.setattr(fresh, "recorded", lambda: {"page": {}})
    row = {"target": "test", "seconds": "900", "result": "passed", "form": ""}
    assert fresh.parts(row, tmp_path) == [row | {"target": "hardware-full", "seconds": "70", "form": "test"}]
    continued = row | {"form": "test CONTINUE=1"}
    assert fresh.parts(continued, tmp_path)[0]["form"] == "test CONTINUE=1"
    assert fresh.parts(row | {"result": "failed"}, tmp_path) == []


def test_a_row_names_the_commit_that_was_cloned(tmp_path, monkeypatch):
    """The checkout may go on while the target runs."""
    checkout = ["cloned"]

    def run(*_command, **_options):
        checkout[0] = "later"
        return subprocess.CompletedProcess([], 0)

    monkeypatch.setattr(fresh, "commit", lambda: checkout[0])
    monkeypatch.setattr(fresh, "roots", lambda *_arguments: [tmp_path])
    monkeypatch.setattr(fresh.subprocess, "run", run)
    assert fresh.tried("page", tmp_path, None)["commit"] == "cloned"


@pytest.mark.parametrize(("release", "wanted"), [("bookworm", ["always", "old"]), ("trixie", ["always"])])
def test_a_package_of_one_release_is_wanted_there_alone(tmp_path, monkeypatch, release, wanted):
    monkeypatch.setattr(packages.platform, "freedesktop_os_release", lambda: {"VERSION_CODENAME": release})
    tasks = made(tmp_path, '[tasks.a]\npackages = ["always"]\nonly_on = { bookworm = ["old"] }').tasks
    assert packages.wanted([tasks["a"]]) == wanted


def test_every_step_of_the_tests_has_its_packages_in_setup():
    steps = set(TASKS.closure(["test"]))
    extra = {name for name in steps if TASKS[name].packages} - {"setup", "proof-objects"}
    assert {name for name in extra if not name.startswith(".venv/")} == set()
