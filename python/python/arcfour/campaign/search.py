"""A key search in shards: `arcfour find` on every core of a cluster."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING

from arcfour._native import create_file
from arcfour.campaign import each
from arcfour.campaign.slurm import job_name

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator

    from distributed import Client

__all__ = ["Search", "run"]

MAX_SHARDS = 10_000
# The options of `arcfour find` that this module chooses.
CHOSEN = ("--shard", "--threads", "--record", "--resume", "--estimate", "--json")
# How often a shard is asked whether another has found a key.
SECONDS = 1.0
SCRIPT = """\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array=1-{tasks}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time={time}
#SBATCH --mem=1G
#SBATCH --requeue
# Task K of the array has shards K, K + {tasks}, ... of {shards}.
# One that is requeued goes on from its record.
# When all are done: {merge}
set -euo pipefail
cd {directory}
for ((shard = SLURM_ARRAY_TASK_ID; shard <= {shards}; shard += {tasks})); do
    {command} --threads 1 --shard "$shard/{shards}" --record {folder}/"$shard.json" --resume
done
"""


@dataclass(frozen=True)
class Search:
    """A key search, and the folder that keeps the record of shard K, from 1, as `K.json`.

    The records are in `arcfour find`'s format. `arcfour find merge` proves by them which keys were
    tried.
    """

    folder: Path
    shards: int
    program: str
    options: tuple[str, ...]
    """What `arcfour find` is told of the key and the text."""
    directory: Path
    """Where the program runs, so that the options may name files in it."""

    @classmethod
    def prepare(
        cls, folder: str | os.PathLike[str], shards: int, program: str, options: tuple[str, ...]
    ) -> Search:
        """Check the options, make the folder if it is not there, and put them into it.

        Raises ValueError if the program refuses them, or the folder holds another search.
        """
        if not 1 <= shards <= MAX_SHARDS:
            message = f"{shards} shards; there must be 1 to {MAX_SHARDS}"
            raise ValueError(message)
        for option in options:
            name = option.partition("=")[0]
            if name in CHOSEN:
                message = f"{name} is chosen for each shard; leave it out of the options after --"
                raise ValueError(message)
        search = cls(Path(folder).resolve(), shards, program, options, Path.cwd())
        search._done(search._words("--shard", f"1/{shards}", "--estimate"))
        search.folder.mkdir(parents=True, exist_ok=True)
        inside = search.folder / "search.json"
        text = json.dumps({"options": options, "shards": shards}, indent=1) + "\n"
        with suppress(FileExistsError):
            create_file(inside, text)
        if inside.read_text("utf-8") != text:
            message = f"'{search.folder}' holds another search; choose another folder"
            raise ValueError(message)
        search._stop.unlink(missing_ok=True)
        return search

    def record(self, shard: int) -> Path:
        """Return the path of a shard's record."""
        return self.folder / f"{shard}.json"

    def search(self, shard: int, note: Callable[[int], object] | None = None) -> list[str]:
        """Search a shard on this core; return the keys found, as hexadecimal digits.

        It goes on from its record, and ends early, with what it has, once `stop` was called.
        `note` is called each second with 0; an exception that it raises ends the search.
        """
        words = self._words("--threads", "1", "--shard", f"{shard}/{self.shards}")
        words += ["--record", str(self.record(shard)), "--resume"]
        return self._done(words, note).split()

    def stop(self) -> None:
        """End all shards that are being searched, wherever they are."""
        self._stop.touch()

    def merge(self) -> str:
        """Return what the records say together: the keys found, a line each.

        Raises ValueError if keys are missing and none was found.
        """
        records = [
            str(path) for n in range(1, self.shards + 1) if (path := self.record(n)).exists()
        ]
        return self._done([self.program, "find", "merge", *records])

    def slurm(self, tasks: int, time: str) -> str:
        """Return a script for sbatch, of at most `tasks` array tasks."""
        records = f"{quote(str(self.folder))}/[0-9]*.json"
        return SCRIPT.format(
            name=job_name(self.folder),
            tasks=min(tasks, self.shards),
            time=time,
            shards=self.shards,
            directory=quote(str(self.directory)),
            folder=quote(str(self.folder)),
            command=join(self._words()),
            merge=f"{quote(self.program)} find merge {records}",
        )

    @property
    def _stop(self) -> Path:
        return self.folder / "stop"

    def _words(self, *words: str) -> list[str]:
        return [self.program, "find", *self.options, *words]

    def _done(self, words: list[str], note: Callable[[int], object] | None = None) -> str:
        """Run the program; return what it prints."""
        try:
            process = subprocess.Popen(  # noqa: S603  # the program that the user names
                words,
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        except OSError as error:
            message = f"cannot run the program '{self.program}': {error.strerror}"
            raise ValueError(message) from error
        with process:
            stopped = False
            try:
                while True:
                    try:
                        printed, said = process.communicate(timeout=SECONDS)
                        break
                    except subprocess.TimeoutExpired:
                        if note is not None:
                            note(0)
                        if not stopped and self._stop.exists():
                            stopped = True
                            process.terminate()
            except BaseException:
                process.terminate()
                raise
        if process.returncode and not stopped:
            # An error is the last message, and may have several lines.
            *_, reason = ("\n" + said).rpartition("\narcfour: ")
            raise ValueError(reason.strip() or f"exit code {process.returncode}")
        return printed


def run(
    client: Client | None, search: Search, *, threads: int | None = None, every: bool = False
) -> Generator[list[str], None, None]:
    """Search all shards on a Dask cluster, or on threads of this machine; yield the keys of each.

    Ends after the first that has keys, unless `every` shard is to be searched.
    """
    shards = each(client, search.search, range(1, search.shards + 1), threads=threads)
    complete = False
    try:
        for keys in shards:
            yield keys
            if keys and not every:
                return
        complete = True
    finally:
        if not complete:
            search.stop()
        shards.close()
