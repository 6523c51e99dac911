"""The lab's command line: python -m lab list | run | draw | judge | report."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import lab.charts
from lab import run
from lab.model import Study
from lab.report.build import build
from lab.results import RECORDED
from lab.studies import NAMES, study

PAGE = Path("target/report/index.html")


def main() -> int:
    """Run what the command line asks for; the exit code is 0, 1 (work failed) or 2 (usage)."""
    parser = argparse.ArgumentParser(prog="python -m lab", description=lab.__doc__)
    parser.add_argument("action", choices=["list", "run", "draw", "judge", "report"],
                        help="list the experiments; measure them; draw from results; print the verdicts; "
                             "write everything on one page")
    parser.add_argument("what", nargs="*", metavar="STUDY[:EXPERIMENT]", help="all studies, unless named")
    parser.add_argument("--full", action="store_true", help="the sizes of the papers, not those of minutes")
    parser.add_argument("--results", type=Path, default=RECORDED, metavar="DIR",
                        help="where results are written and read (default: lab/results, which is committed)")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE",
                        help="where the report is written (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.action == "report":
        if arguments.what:
            parser.error("the report is of all studies; it takes no names")
        build(arguments.results, arguments.page)
        print(arguments.page)
        return 0
    try:
        chosen = [select(word) for word in arguments.what or NAMES]
    except ValueError as error:
        parser.error(str(error))
    for chosen_study, experiment in chosen:
        match arguments.action:
            case "list":
                for each in chosen_study.experiments:
                    print(f"{chosen_study.name}:{each.id:<24} {each.title}")
            case "run":
                run.measure(chosen_study, arguments.results, arguments.full, experiment)
            case "draw":
                run.draw(chosen_study, arguments.results)
            case "judge":
                run.judge(chosen_study, arguments.results)
    return 0


def select(word: str) -> tuple[Study, str | None]:
    """`study` or `study:experiment`, as typed."""
    name, _, experiment = word.partition(":")
    if name not in NAMES:
        raise ValueError(f"no study is called {name!r}; there are: {', '.join(NAMES)}")
    found = study(name)
    known = [each.id for each in found.experiments]
    if experiment and experiment not in known:
        raise ValueError(f"{name} has no experiment {experiment!r}; there are: {', '.join(known)}")
    return found, experiment or None


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError) as error:
        sys.exit(f"lab: {error}")
