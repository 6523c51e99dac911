"""Runs targets of `make`: `python3 tasks/run.py TASK…`. Called by the Makefile."""

from __future__ import annotations

import os
import signal
import sys
import textwrap
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 an older Python reads this file too
    sys.exit("make needs Python 3.11 or later, the Debian package python3")

import packages
from model import Invalid, Tasks, load
from passed import Passed, changes, commit
from schedule import ROOT, Runner, check

WIDTH = 80
NAME = 18


def listed(tasks: Tasks) -> str:
    """The tasks that have a help, by section."""
    lines, section = [], ""
    for task in tasks.tasks.values():
        if not task.help:
            continue
        if task.section != section:
            section = task.section
            lines += ["", section]
        head = f"  make {task.name:<{NAME - 1}} "
        lines += textwrap.wrap(task.help, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_long_words=False)
    return "\n".join(lines)


def refuse_writers() -> None:
    """Writing what a test compares with makes that test pass whatever is right: by hand only."""
    writers = [name for name in os.environ if name.startswith("ARCFOUR_WRITE_") or name == "TRYCMD"]
    if writers and os.environ.get("CI"):
        raise Invalid(f"{' '.join(writers)} must not be set where CI is: it writes what the tests compare with")


def main(goals: list[str]) -> int:
    """Runs the goals; answers the exit code."""
    tasks = load()
    if not goals or goals == ["help"]:
        print(listed(tasks))
        return 0
    # The Makefile names the variables of its command line; make puts them into the environment.
    given = {name: os.environ.get(name, "") for name in os.environ.get("MAKE_VARIABLES", "").split() if name != "CARGO_TARGET_DIR"}
    jobs = given.pop("JOBS", "3")
    if not jobs.isdecimal() or int(jobs) == 0:
        raise Invalid(f"JOBS={jobs}: it must be a whole number from 1")
    go_on = given.pop("CONTINUE", "")
    if go_on not in ("", "1"):
        raise Invalid(f"CONTINUE={go_on}: it must be 1")
    refuse_writers()
    check(tasks, goals, given)
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").absolute()
    # With a variable, a task may do less than it does without one. A call begins with the files of its commit.
    passed = Passed(target, "" if given or (not go_on and changes()) else commit())
    if go_on:
        passed.read()
        print(f"passed before: {' '.join(passed.tasks)}", flush=True)
    wanted = [tasks[name] for name in tasks.closure(goals)]
    packages.install(packages.wanted(wanted), packages.services(wanted))
    target.mkdir(parents=True, exist_ok=True)
    runner = Runner(tasks, target, given, int(jobs), passed)
    # A shell's background ignores SIGINT, and programs inherit that. Tests send SIGINT to our commands.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    try:
        right = runner.run(goals)
    except KeyboardInterrupt:
        runner.stop()
        return 130
    if runner.failed:
        print(f"failed: {' '.join(dict.fromkeys(runner.failed))}", file=sys.stderr)
    print(f"{runner.spent():.0f} seconds")
    return 0 if right else 1


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except Invalid as error:
        print(f"make: {error}", file=sys.stderr)
        status = 2
    sys.exit(status)
