"""What the lab writes into the repository: two pages, and the numbers that READMEs quote.

`python -m lab write` writes all of it anew from the committed results; a test holds it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd

from lab import front
from lab.bench import ROOT
from lab.judge import MEANING, TOLERANCES, Status
from lab.model import Study
from lab.numbers import NUMBERS, run, verdicts
from lab.studies import NAMES, study

LAB = ROOT / "lab"
# Those that quote numbers. Hardware has its own, ../hardware/syn/datasheet.py.
READMES = [ROOT / "README.md", LAB / "README.md", *(LAB / name / "README.md" for name in NAMES),
           *(ROOT / name / "README.md" for name in ("capi/provider", "capi/single", "ports", "python", "stats", "survey"))]
QUOTED = re.compile(r"(?P<value>[^\s|()<>*`]+)(?P<mark><!--=(?P<name>[\w.-]+)-->)")
RUN = re.compile(r"bench/runs/\d{4}-\d\d-\d\d-(?P<processor>[\w-]+?-family-\d+)[\w-]*")
INVENTORY = "inventory.csv"  # what a paper has that makes no claim: programs, options, algorithms


def main(check: bool) -> int:
    """Write what is out of date, or name it: 0 if all is well, 1 if something was to be written and was not."""
    stale = [path for path, text in texts().items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is out of date: `python -m lab write`", file=sys.stderr)
        else:
            path.write_text(texts()[path], "utf-8")
            print(path.relative_to(ROOT))
    return 1 if check and stale else 0


def texts() -> dict[Path, str]:
    """Every file that the lab writes, and what it has to say."""
    found = {LAB / "VERDICTS.md": verdicts_page(), LAB / "PAPERS.md": papers_page()} | front.pictures()
    return found | {path: spliced(path.read_text("utf-8")) for path in READMES if path.exists()}


def spliced(text: str) -> str:
    """A README with its numbers, and its links to a run of the benchmark, as the records have them."""
    def number(found: re.Match) -> str:
        if found["name"] not in NUMBERS:
            raise RuntimeError(f"no number is called {found['name']!r}: see lab/numbers.py")
        return NUMBERS[found["name"]]() + found["mark"]
    return RUN.sub(lambda found: f"bench/runs/{run(found['processor']).name}", QUOTED.sub(number, text))


def row(*cells: object) -> str:
    """A line of a table in Markdown."""
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |\n"


def head(*cells: str) -> str:
    """The first two lines of one."""
    return row(*cells) + "|" + "---|" * len(cells) + "\n"


def verdicts_page() -> str:
    """VERDICTS.md: what each verdict means, by which tolerances it is reached, how many there are."""
    text = """# What a verdict means

Written by `python -m lab write` from [judge.py](judge.py); do not edit.

Each claim has conditions on the recorded data (`lab/results`). The data meet a condition, fail it,
or cannot decide it. The verdict follows:

"""
    text += head("verdict", "when") + "".join(row(f"**{status}**", MEANING[status]) for status in Status)
    text += "\nTolerances, by the kind of claim:\n\n" + head("claim of", "condition", "more")
    text += "".join(row(*line) for line in TOLERANCES)
    text += """
`python -m lab judge --checks` and the report have the conditions of every claim.

"""
    text += head("study", *Status)
    for name in NAMES:
        found = [verdict.status for verdict in verdicts(study(name))]
        text += row(name, *(found.count(status) for status in Status))
    return text


def papers_page() -> str:
    """PAPERS.md: everything in each paper, and where it is here."""
    text = """# Everything in the papers, and where it is here

Written by `python -m lab write` from the studies' `claims.toml` and `inventory.csv`; do not edit.
The tables quote the papers; [VERDICTS.md](VERDICTS.md) explains the verdicts.

<!-- vale off -->
"""
    for name in NAMES:
        found = study(name)
        text += f"\n## {name}: {found.title}\n\n" + head("in the paper", "what it is", "here", "verdict")
        text += "".join(row(*line) for line in inventory(found))
    return f"{text}\n<!-- vale on -->\n"


def inventory(found: Study) -> list[tuple[str, str, str, str]]:
    """A line for each claim and for each thing of the paper that makes none."""
    status = {verdict.claim: verdict.status for verdict in verdicts(found)}
    lines = []
    for claim in found.claims.values():
        made = [f"`{experiment.id}`" for experiment in found.experiments if claim.id in experiment.claims]
        kind = "" if claim.kind == "statement" else f"{claim.kind}: "
        lines.append((claim.label, kind + claim.caption, ", ".join(made) or claim.how, status[claim.id]))
    return lines + [(each.where, f"{each.kind}: {each.what}", each.here, "–") for each in listed(found).itertuples()]


def listed(found: Study) -> pd.DataFrame:
    """What the paper has that makes no claim: where, kind, what, here (files of this repository, separated by spaces)."""
    path = found.folder / INVENTORY
    return pd.read_csv(path, comment="#") if path.exists() else pd.DataFrame(columns=["where", "kind", "what", "here"])
