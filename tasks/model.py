"""The tasks of `make`, as the TOML files of this folder define them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
# The files of tasks, in the order of `make help`.
FILES = ("build", "test", "files", "page", "site", "libraries", "proofs", "packages", "lab", "hardware", "speed")
UV = "0.13.9"  # the version that installs Python packages
PROGRAMS = {"release": "build", "tested": "build-tested"}  # a folder of programs under target, and the task that fills it


class Invalid(ValueError):
    """A file of tasks, or what the user asked for, is wrong."""


@dataclass(frozen=True)
class Task:
    """One target of `make`. README.md explains the fields."""

    name: str
    section: str
    help: str = ""
    needs: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    unless: dict[str, list[str]] = field(default_factory=dict)
    only_on: dict[str, list[str]] = field(default_factory=dict)
    services: dict[str, list[str]] = field(default_factory=dict)
    venv: tuple[str, ...] = ()
    programs: str = ""
    variables: dict[str, str] = field(default_factory=dict)
    lock: str = ""
    makes: str = ""
    made_from: tuple[str, ...] = ()
    side_by_side: tuple[str, ...] = ()
    run: str = ""

    @property
    def requires(self) -> tuple[str, ...]:
        """The tasks that must end before this one begins."""
        programs = (PROGRAMS[self.programs],) if self.programs else ()
        return (*programs, *(environment(name) for name in self.venv), *self.needs)


@dataclass(frozen=True)
class Tasks:
    """All tasks, and the words that their scripts share."""

    tasks: dict[str, Task]
    shell: dict[str, str | list[str]]  # variables of the scripts; a list is an array of words
    export: dict[str, str]  # variables of the environment of every program

    def __getitem__(self, name: str) -> Task:
        if name not in self.tasks:
            raise Invalid(f"there is no task {name}; `make help` lists them")
        return self.tasks[name]

    def closure(self, names: Iterable[str], side_by_side: bool = True) -> list[str]:
        """These tasks, the tasks that they require and, if wanted, those that they run side by side. Each stands after what it requires."""
        found: dict[str, None] = {}

        def visit(name: str, above: tuple[str, ...]) -> None:
            if name in above:
                raise Invalid(f"a task requires itself: {' → '.join((*above, name))}")
            if name not in found:
                for other in (*self[name].requires, *(self[name].side_by_side if side_by_side else ())):
                    visit(other, (*above, name))
                found[name] = None

        for name in names:
            visit(name, ())
        return list(found)


def environment(name: str) -> str:
    """The task that makes a virtual environment of Python."""
    return f".venv/{name}"


def load(folder: Path = FOLDER, files: Iterable[str] = FILES) -> Tasks:
    """Reads the files of tasks."""
    found = Tasks({}, {}, {})
    for file in files:
        content = tomllib.loads((folder / f"{file}.toml").read_text("utf-8"))
        found.shell.update(content.get("shell", {}))
        found.export.update(content.get("export", {}))
        for name, values in content["tasks"].items():
            unknown = set(values) - {each.name for each in fields(Task)}
            if unknown or name in found.tasks:
                raise Invalid(f"{file}.toml: {name}: " + (f"unknown {sorted(unknown)}" if unknown else "defined twice"))
            lists: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
            found.tasks[name] = Task(name, content["section"], **lists)
    for name in sorted({name for task in found.tasks.values() for name in task.venv}):
        found.tasks[environment(name)] = virtual_environment(name)
    found.closure(found.tasks)
    return found


def virtual_environment(name: str) -> Task:
    """One virtual environment for each folder that needs Python packages, from its pinned list. /tmp may be too small for pip's files.
    uv needs a third of pip's processor time. It does not read pip's settings, so this names the index that they set."""
    pinned = f"{name}/requirements.txt"
    return Task(environment(name), "", packages=("python3-venv",), makes=f".venv/{name}/ready", made_from=(pinned,), run=f"""
python3 -m venv --clear .venv/{name}
pip="$PWD/.venv/{name}/bin/pip"
TMPDIR="$PWD/.venv/{name}" "$pip" install --quiet --disable-pip-version-check --no-compile uv=={UV}
index=${{PIP_INDEX_URL:-$("$pip" config get global.index-url 2> /dev/null || true)}}
.venv/{name}/bin/uv pip install --quiet --system-certs ${{index:+--default-index "$index"}} \\
    --python .venv/{name}/bin/python --requirement {pinned}
touch .venv/{name}/ready
""")
