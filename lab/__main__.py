"""The lab's command line: python -m lab list | run | record | draw | judge | report | write."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

import lab.charts
from lab import run, sitting, written
from lab.bench import PROGRAMS
from lab.clock import Clock
from lab.model import Study
from lab.report.build import build
from lab.results import RECORDED, NotMeasured
from lab.studies import NAMES, study

TARGET = Path("target/lab")
PAGE = Path("target/report/index.html")
OPTIONS = ("key", "sizes", "threads", "times", "file")
UNITS = {"": 1, "B": 1, "KB": 1000, "KiB": 1 << 10, "MB": 10**6, "MiB": 1 << 20, "GB": 10**9, "GiB": 1 << 30}


def main() -> int:
    """Run the command line. The exit code is 0, 1 (work failed) or 2 (usage)."""
    parser = argparse.ArgumentParser(prog="python -m lab", description=lab.__doc__)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, says: str, what: bool = True) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=says, description=says)
        if what:
            made.add_argument("what", nargs="*", metavar="STUDY[:EXPERIMENT]", help="all studies, unless named")
        return made

    action("list", "list the experiments, and which options each takes")
    measure = action("run", "measure, into target/lab unless told otherwise")
    measure.add_argument("--full", action="store_true", help="the sizes of the papers, not those of minutes")
    measure.add_argument("--record", action="store_true", help="overwrite the committed results in lab/results")
    measure.add_argument("--key", type=key, help="the key, for experiments that take one")
    measure.add_argument("--sizes", type=sizes, metavar="N,N…", help="sizes in bytes, or with KiB, MB, GiB …")
    measure.add_argument("--threads", type=counts, metavar="N,N…", help="numbers of threads")
    measure.add_argument("--times", type=whole("a number", 10_000_000), metavar="N", help="how often a run encrypts")  # the paper's most
    measure.add_argument("--file", type=existing, metavar="FILE", help="a file of your own")
    record = action("record", "time the papers' experiments anew in one sitting, nothing else running, into lab/results; a second call goes on")
    record.add_argument("--minutes", type=whole("a number of minutes", 1440), default=sitting.MINUTES, metavar="N", help="for all of it (default: %(default)g)")
    record.add_argument("--seed", type=int, metavar="N", help="of the order of runs (default: by chance; it is recorded)")
    record.add_argument("--anew", action="store_true", help="forget a sitting that was broken off")
    record.add_argument("--plan", action="store_true", help="print what is left and how long it takes, and measure nothing")
    for name, says in (("draw", "draw the figures from results"), ("judge", "print the verdicts")):
        action(name, says)
    actions.choices["judge"].add_argument("--checks", action="store_true", help="with the conditions that decided each")
    report = action("report", "write everything on one page", what=False)
    report.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="where (default: %(default)s)")
    write = action("write", "write the pages and numbers of READMEs that come from recorded runs anew", what=False)
    write.add_argument("--check", action="store_true", help="write nothing; fail if something is out of date")
    for name in ("run", "draw", "judge", "report"):
        actions.choices[name].add_argument("--results", type=Path, metavar="DIR",
                                           help=f"where results are (default: {TARGET if name == 'run' else 'lab/results'})")
    arguments = parser.parse_args()
    if arguments.action == "write":
        return written.main(arguments.check)
    base = arguments.results if "results" in arguments and arguments.results else RECORDED
    if arguments.action == "report":
        build(base, arguments.page)
        print(arguments.page)
        return 0
    try:
        chosen = [select(word) for word in arguments.what or NAMES]
        if arguments.action == "run":
            return measured(chosen, arguments)
        if arguments.action == "record":
            return recorded(arguments)
    except ValueError as error:
        actions.choices[arguments.action].error(str(error))
    for chosen_study, experiment in chosen:
        match arguments.action:
            case "list":
                for each in chosen_study.experiments:
                    options = " ".join(f"--{name}" for name in each.takes)
                    print(f"{f'{chosen_study.name}:{each.id}':<36} {each.title}{f'  [{options}]' if options else ''}")
            case "draw":
                run.draw(chosen_study, base)
            case "judge":
                run.judge(chosen_study, base, arguments.checks)
    return 0


def measured(chosen: list[tuple[Study, str | None]], arguments: argparse.Namespace) -> int:
    """Run experiments; only --record writes into the committed results."""
    own = {name: getattr(arguments, name) for name in OPTIONS if getattr(arguments, name) is not None}
    if arguments.record and (own or not arguments.full):
        raise ValueError("--record keeps runs at the papers' sizes: it goes with --full, and without " + ", ".join(f"--{name}" for name in OPTIONS))
    if arguments.record and arguments.results:
        raise ValueError("--record writes into lab/results: leave --results out")
    if arguments.results and arguments.results.resolve() == RECORDED.resolve():
        raise ValueError("lab/results is written with --record alone")
    base = RECORDED if arguments.record else arguments.results or TARGET
    choice = run.Choice(arguments.full, own, sitting.by_chance(), Clock(PROGRAMS / "handa2015") if arguments.full else None)
    plans = [(chosen_study, experiment, run.chosen(chosen_study, choice, experiment)) for chosen_study, experiment in chosen]
    if not any(plan for _, _, plan in plans):
        raise ValueError(f"no experiment takes {' and '.join(f'--{name}' for name in own)}: see `python -m lab list`")
    failed = []
    try:
        for chosen_study, experiment, _ in plans:
            written, broken = run.measure(chosen_study, base, choice, experiment)
            failed += broken
            for path in written:
                print(path)
    except NotMeasured as missing:
        print(missing, file=sys.stderr)
        return 1
    finally:
        if choice.clock:
            choice.clock.close()
    if failed:
        print(f"lab: failed: {', '.join(failed)}; all others are measured", file=sys.stderr)
    return 1 if failed else 0


def recorded(arguments: argparse.Namespace) -> int:
    """One sitting; then the figures and pages that follow from it."""
    words = arguments.what
    names = [name for name in sitting.TIMED if not words or name in words or name.partition(":")[0] in words]
    for word in words:
        if not any(name == word or name.partition(":")[0] == word for name in names):
            raise ValueError(f"{word} is not timed: `python -m lab run {word} --full --record` records it")
    if arguments.plan:
        left = sitting.begin(names, arguments.seed, arguments.anew).left
        print("\n".join([*left, sitting.plan(left, arguments.minutes)]))
        return 0
    failed = sitting.measure(names, arguments.minutes, arguments.seed, arguments.anew)
    for name in dict.fromkeys(name.partition(":")[0] for name in names):
        run.draw(study(name), RECORDED)
    written.main(False)
    if failed:
        print(f"lab: not recorded, to be measured again: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def whole(what: str, most: int) -> Callable[[str], int]:
    """A whole number from 1 to `most`."""
    def parse(word: str) -> int:
        if not (word.isdecimal() and 1 <= int(word) <= most):
            raise argparse.ArgumentTypeError(f"{word!r}: {what} from 1 to {most} is needed")
        return int(word)
    return parse


def key(word: str) -> str:
    """1 to 256 ASCII characters, none of them NUL."""
    if not (word.isascii() and 1 <= len(word) <= 256 and "\0" not in word):
        raise argparse.ArgumentTypeError(f"{word!r}: a key is 1 to 256 ASCII characters")
    return word


def sizes(word: str) -> list[int]:
    """`100KiB,5MB` in bytes, each 1 to 2^33."""
    found = []
    for part in word.split(","):
        said = re.fullmatch(r"(\d+) ?([KMG]i?B|B|)", part.strip())
        size = int(said[1]) * UNITS[said[2]] if said else 0
        if not 1 <= size <= 1 << 33:
            raise argparse.ArgumentTypeError(f"{part!r}: a size is 1 byte to 8GiB, as 1000, 64KiB, 5MB")
        found.append(size)
    return found


def counts(word: str) -> list[int]:
    """`1,2,4`: numbers of threads, each 1 to 1024."""
    found = [int(part) if part.strip().isdecimal() else 0 for part in word.split(",")]
    if not all(1 <= count <= 1024 for count in found):
        raise argparse.ArgumentTypeError(f"{word!r}: numbers of threads are 1 to 1024, as 1,2,4")
    return found


def existing(word: str) -> Path:
    """A file that can be read and has a byte at least."""
    path = Path(word)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"{word!r}: there is no such file")
    if path.stat().st_size == 0:
        raise argparse.ArgumentTypeError(f"{word!r} is empty: there is nothing to encrypt")
    return path.resolve()


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
    except BrokenPipeError:
        sys.exit(0)
    except (RuntimeError, OSError) as error:
        sys.exit(f"lab: {error}")
