"""The examples of the lab's READMEs: what they name exists, and the short ones run."""

import re
import shlex
import subprocess
import sys

import pytest

from lab.__main__ import main, select
from lab.bench import ROOT
from lab.biases.measure import PUBLISHED, PUBLISHED_AT
from lab.results import RECORDED

READMES = sorted((ROOT / "lab").glob("**/README.md"))
EXAMPLE = re.compile(r"\$ \.venv/lab/bin/python -m (lab .*?)(?:\s+#.*)?$", re.MULTILINE)
EXAMPLES = [(path, found[1]) for path in READMES for found in EXAMPLE.finditer(path.read_text("utf-8"))]
COMMANDS = sorted({command for _, command in EXAMPLES})


@pytest.fixture
def lab(monkeypatch, capfd):
    """Runs `python -m lab` with these words in this process: to start one for each would take longer than all else here.

    Answers the exit code, and what went to standard output and standard error.
    """
    def run(*words):
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(sys, "argv", ["lab", *map(str, words)])
        try:
            code = main()
        except SystemExit as ended:
            code = ended.code
        return code, *capfd.readouterr()
    return run


def test_there_are_examples():
    assert len(COMMANDS) > 8


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_can_be_run(command, lab):
    words = shlex.split(command)[1:]
    for word in words[1:]:
        if re.fullmatch(r"[a-z]+\d{4}(:[\w-]+)?|(biases|search|attacks)(:[\w-]+)?", word):
            select(word)  # raises if there is no such study or experiment
    if words[0] in ("list", "judge"):
        code, printed, complaint = lab(*words)
        assert code == 0 and printed, complaint


OUTPUT = re.compile(r"^\$ \.venv/lab/bin/python -m (lab [^#\n]*).*\n((?:(?!\$ |```).*\n)+)", re.MULTILINE)


def test_output_that_a_readme_prints_is_that_of_the_command():
    """Runs in a separate process, as a reader starts it."""
    printed = [found.groups() for path in READMES for found in OUTPUT.finditer(path.read_text("utf-8"))]
    assert printed
    for command, output in printed:
        done = subprocess.run([sys.executable, "-m", *shlex.split(command)], cwd=ROOT, check=True, capture_output=True, text=True)
        assert done.stdout == output


def test_what_needs_a_file_says_where_to_get_it(tmp_path, lab):
    if PUBLISHED.exists():
        pytest.skip("the published table is here")
    code, printed, complaint = lab("run", "biases:published-table", "--results", tmp_path)
    assert code == 1 and PUBLISHED_AT in complaint and not printed


# The test itself is quick: sizes of kilobytes.
SMALL = [
    ["galvane2012:languages", "--key", "Batumki", "--sizes", "1000,2KiB", "--times", "2"],
    ["weerasinghe2012:sequential", "--sizes", "20KiB"],
    ["weerasinghe2012:pools", "--sizes", "35KiB", "--threads", "1,2"],
    ["weerasinghe2012:aes", "--sizes", "30000"],
    ["weerasinghe2012:pthreads", "--sizes", "30000", "--threads", "1,3"],
    ["handa2015:parc4i", "--key", "my key", "--sizes", "100KB", "--threads", "1,2"],
    ["handa2015:rolled", "--sizes", "1000", "--threads", "1"],
    ["handa2015:openmp", "--sizes", "100001", "--threads", "1,2"],
    ["handa2015:own-file", "--file", "README.md", "--threads", "1,2", "--key", "k"],
    ["singhal2011:own-file", "--file", "README.md"],
]


@pytest.mark.parametrize("words", SMALL, ids=lambda words: words[0])
def test_experiments_obey_options_and_write_where_they_are_told(words, tmp_path, lab):
    before = recorded()
    code, _, complaint = lab("run", *words, "--results", tmp_path)
    assert code == 0, complaint
    study, _, experiment = words[0].partition(":")
    assert (tmp_path / study / f"{experiment}.csv").read_text().count("\n") > 1
    assert recorded() == before, "a run without --record changed the committed results"


def recorded():
    return {path: path.stat().st_mtime_ns for path in RECORDED.glob("*/*")}


@pytest.mark.parametrize(("words", "says"), [
    (["weerasinghe2012:threads"], "no experiment 'threads'"),
    (["nobody2020"], "no study is called 'nobody2020'"),
    (["galvane2012:no-swap", "--record"], "--record"),
    (["galvane2012:no-swap", "--full", "--record", "--key", "k"], "--record"),
    (["galvane2012:no-swap", "--results", "lab/results"], "--record"),
    (["galvane2012:no-swap", "--key", "k"], "takes no --key"),
    (["handa2015:parc4i", "--sizes", "0"], "a size is"),
    (["handa2015:parc4i", "--sizes", "9GiB"], "a size is"),
    (["handa2015:parc4i", "--threads", "0"], "numbers of threads"),
    (["handa2015:parc4i", "--key", ""], "1 to 256"),
    (["galvane2012:languages", "--times", "0"], "1 to 10000000"),
    (["handa2015:own-file", "--file", "no/such/file"], "no such file"),
])
def test_what_it_refuses(words, says, lab):
    before = recorded()
    code, printed, complaint = lab("run", *words)
    assert code == 2 and says in complaint and not printed
    assert recorded() == before
