"""Runs tasks, each after what it requires."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from model import Invalid, Task, Tasks
from passed import Passed

ROOT = Path(__file__).parent.parent


class Runner:
    """The state of one call of `make`: the tasks that are done, their seconds, their processor time, and the failures."""

    def __init__(self, tasks: Tasks, target: Path, given: dict[str, str], jobs: int, passed: Passed) -> None:
        self.tasks = tasks
        self.target = target
        self.given = given  # the variables of the command line
        self.jobs = jobs  # how many tasks run side by side where a task says so
        self.passed = passed
        self.seconds = {name: seconds for name, (seconds, _) in passed.tasks.items()}
        self.processor = {name: used for name, (_, used) in passed.tasks.items()}  # seconds on all processors, of a task's script
        self.start = time.monotonic() - passed.spent
        self.failed: list[str] = []
        self.processes: set[subprocess.Popen] = set()

    def run(self, goals: Iterable[str]) -> bool:
        """Runs the goals and all that they require, one after the other, until one fails."""
        for name in self.order(goals):
            if not self.one(name, None):
                return False
        return True

    def order(self, goals: Iterable[str]) -> list[str]:
        """The tasks that are still to be done for the goals. A task names the others that it runs side by side when it runs."""
        return [name for name in self.tasks.closure(goals, side_by_side=False) if name not in self.seconds]

    def one(self, name: str, output: IO | None) -> bool:
        """Runs one task, whose requirements are done."""
        task = self.tasks[name]
        start = time.monotonic()
        right = self.is_fresh(task) or self.script(task, output)
        if right and task.side_by_side:
            right = self.beside(task)
        self.seconds[name] = time.monotonic() - start
        if right:
            self.passed.add(name, self.seconds[name], self.processor.get(name, 0), self.spent())
        else:
            self.failed.append(name)
        return right

    def spent(self) -> float:
        """The seconds of this call, and of the call that it goes on with."""
        return time.monotonic() - self.start

    def is_fresh(self, task: Task) -> bool:
        """Whether the file that the task makes is there, and no older than what it is made from."""
        if not task.makes:
            return not task.run
        made = ROOT / task.makes.replace("$TARGET", str(self.target))
        return made.exists() and all(made.stat().st_mtime >= (ROOT / each).stat().st_mtime for each in task.made_from)

    def script(self, task: Task, output: IO | None) -> bool:
        """Runs the task's script in bash, from the root of the repository."""
        values = self.tasks.shell | {name: self.given.get(name, value) for name, value in task.variables.items()}
        head = "".join(f"{name}={quoted(value, name in task.variables)}\n" for name, value in values.items())
        shown = "\n".join(f"$ {line}" for line in task.run.strip().splitlines())
        print(f"== {task.name}\n{shown}", file=output, flush=True)
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", head + task.run], cwd=ROOT, env=self.environment(task),
                                   stdout=output, stderr=output and subprocess.STDOUT, start_new_session=output is not None)
        self.processes.add(process)
        _, ended, used = os.wait4(process.pid, 0)
        status = process.returncode = os.waitstatus_to_exitcode(ended)
        self.processor[task.name] = used.ru_utime + used.ru_stime
        self.processes.discard(process)
        if status:
            print(f"== {task.name} failed with {status}", file=output, flush=True)
        return status == 0

    def environment(self, task: Task) -> dict[str, str]:
        """The environment of a task's programs."""
        programs = str(self.target / (task.programs or "release"))
        target = {"TARGET": str(self.target), "PROGRAMS": programs, "ARCFOUR_PROGRAMS": programs}
        # Programs print and sort as the tests expect. In a Turkish locale, [a-z] of sed has no i.
        target |= {"LC_ALL": "C.UTF-8", "LANGUAGE": ""}
        return os.environ | target | {name: value.replace("$TARGET", str(self.target)) for name, value in self.tasks.export.items()}

    def beside(self, parent: Task) -> bool:
        """Runs tasks side by side, the first ones first; a failure ends only those that require the task."""
        waiting = self.order(parent.side_by_side)
        running: set[str] = set()
        done: queue.Queue[tuple[str, bool, IO]] = queue.Queue()
        right = True
        while waiting or running:
            for name in self.ready(waiting, running)[:self.jobs - len(running)]:
                waiting.remove(name)
                running.add(name)
                output: IO = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 closed when it is shown
                threading.Thread(target=lambda name=name, output=output: done.put((name, self.one(name, output), output)), daemon=True).start()
            if not running:
                print(f"== not run, since a task failed that they require: {' '.join(waiting)}", flush=True)
                self.failed += waiting
                break
            name, ended_well, output = done.get()
            running.remove(name)
            right = right and ended_well
            with output:
                output.seek(0)
                print(output.read(), end="", flush=True)
        self.table(parent)
        return right and not waiting

    def ready(self, waiting: list[str], running: set[str]) -> list[str]:
        """The tasks whose requirements are done and whose locks are free, of each lock one."""
        locks = {self.tasks[name].lock for name in running} - {""}
        found = []
        for name in waiting:
            task = self.tasks[name]
            if task.lock not in locks and all(other in self.seconds and other not in self.failed for other in task.requires):
                found.append(name)
                locks |= {task.lock} - {""}
        return found

    def table(self, parent: Task) -> None:
        """Prints the seconds and the processor time of each task."""
        print(f"\nseconds  processor  task ({self.jobs} side by side)")
        for name in self.order_of_table(parent):
            word = "failed" if name in self.failed else f"{self.seconds[name]:.0f}"
            print(f"{word:>7}  {self.processor.get(name, 0):>9.0f}  {name}")
        print(f"{'':>7}  {sum(self.processor.values()):>9.0f}  all", flush=True)

    def order_of_table(self, parent: Task) -> list[str]:
        """What ran for a task, but what took less than a second."""
        return [name for name in self.tasks.closure(parent.side_by_side) if name in self.failed or self.seconds.get(name, 0) >= 1]

    def stop(self) -> None:
        """Ends all that runs."""
        for process in list(self.processes):
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                process.terminate()


def quoted(value: str | list[str], given: bool) -> str:
    """A value in a script: what the user gave is taken as written; ours may name other variables."""
    if isinstance(value, list):
        return f"({' '.join(quoted(word, given) for word in value)})"
    return "'" + value.replace("'", "'\\''") + "'" if given else f'"{value}"'


def check(tasks: Tasks, goals: list[str], given: Iterable[str]) -> None:
    """Refuses a variable that none of the goals takes."""
    takes = {name for goal in tasks.closure(goals) for name in tasks[goal].variables}
    for name in given:
        if name not in takes:
            offered = f"takes only {', '.join(sorted(takes))}" if takes else "takes none"
            raise Invalid(f"{' '.join(goals)} does not take the variable {name}; it {offered}")
