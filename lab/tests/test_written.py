"""Pages and numbers that the lab writes are up to date, and no number with a unit is typed into a README."""

import re

import pytest

from lab import written
from lab.bench import ROOT
from lab.numbers import INTEL, NUMBERS, ZEN_5, run, verdicts
from lab.studies import NAMES, study

# A digit just before a unit of speed: a quoted number ends with its comment instead.
TYPED = re.compile(r"\d ?(GB/s|MB/s|MiB/s|Gb/s|cycles|million keystreams)")


TEXTS = written.texts()  # once: it judges every claim and draws two pictures


@pytest.mark.parametrize("path", list(TEXTS), ids=lambda path: str(path.relative_to(ROOT)))
def test_up_to_date(path):
    assert path.read_text("utf-8") == TEXTS[path], "`python -m lab write` writes it anew"


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "ports/README.md"], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_measured_number_is_typed(path):
    prose = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert not TYPED.search(prose), TYPED.search(prose)


def test_every_number_can_be_found():
    for name, number in NUMBERS.items():
        assert re.fullmatch(r"[\d.,^-]+", number()), name


def test_a_number_that_is_out_of_date_is_mended_and_an_unknown_one_refused():
    assert written.spliced("at 9.99<!--=kernel.five.xor--> c/B").startswith(f"at {NUMBERS['kernel.five.xor']()}<!--=")
    with pytest.raises(RuntimeError, match="nonsense"):
        written.spliced("1.0<!--=nonsense-->")


@pytest.mark.parametrize("name", NAMES)
def test_the_inventory_names_what_exists(name):
    for each in written.listed(study(name)).itertuples():
        assert each.what and each.kind in ("algorithm", "system", "option")
        for path in each.here.split():
            assert (ROOT / path).exists(), path


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_is_in_the_index(name):
    page = (ROOT / "lab/PAPERS.md").read_text("utf-8").partition(f"\n## {name}:")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if line.startswith("| ")]
    assert {claim.label for claim in study(name).claims.values()} <= set(rows)
    for verdict in verdicts(study(name)):
        assert f"| {verdict.status} |" in page


@pytest.mark.parametrize("processor", [ZEN_5, INTEL])
def test_a_link_to_a_run_goes_to_the_newest_one_on_its_processor(processor):
    newest = run(processor).name
    assert written.spliced(f"bench/runs/2020-01-01{newest[10:]}/summary.md") == f"bench/runs/{newest}/summary.md"
