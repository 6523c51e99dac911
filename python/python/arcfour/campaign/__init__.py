"""Campaigns: counts over more keystreams than one core makes.

A campaign is cut into shards that any machine can count, in any order; their counts are added up.
The same shard always gives the same counts, and nothing is counted twice. The files are those of
`arcfour bias`, so both can work on one campaign.

    from dask.distributed import Client
    from arcfour import campaign

    plan = campaign.Campaign.load("campaign.toml")
    with Client("scheduler:8786") as client:
        counts = campaign.run(client, plan, folder="shards")
    print(counts.single[1])  # how often each value came at position 2

`python -m arcfour.campaign` does the same from the shell, on the cores of this machine, on a Dask
cluster, or as a Slurm array; and carries `arcfour find` there, a key search in shards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from arcfour._count import reporting
from arcfour._native import Campaign, Counts, merge, run_shard

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterable, Iterator

    from distributed import Client

T = TypeVar("T")

__all__ = ["Campaign", "Counts", "Folder", "merge", "run", "run_shard"]


@dataclass(frozen=True)
class Folder:
    """A folder that keeps the shards of a campaign, as `0.cnt`, `1.cnt`, ...

    Beside them are `campaign.toml` and, while shard K is counted, its checkpoint `K.cnt.part`.
    """

    path: Path
    campaign: Campaign

    @classmethod
    def prepare(cls, path: str | os.PathLike[str], campaign: Campaign) -> Folder:
        """Make the folder if it is not there, and put the campaign into it.

        Raises ValueError if it holds another campaign.
        """
        folder = cls(Path(path).resolve(), campaign)
        folder.path.mkdir(parents=True, exist_ok=True)
        inside = folder.path / "campaign.toml"
        if not inside.exists():
            inside.write_text(campaign.toml, "utf-8")
        elif Campaign.load(inside) != campaign:
            message = f"'{folder.path}' holds another campaign; choose another folder"
            raise ValueError(message)
        return folder

    def file(self, index: int) -> Path:
        """Return the path of a shard's counts."""
        return self.path / f"{index}.cnt"

    def load(self, index: int) -> Counts:
        """Read the counts of a shard.

        Raises OSError if they are not there, ValueError if they are damaged or of another shard.
        """
        path = self.file(index)
        counts = Counts.load(path)
        if counts.campaign != self.campaign or counts.shards != [(index, index)]:
            message = f"'{path}' holds {counts!r}, not shard {index} of {self.campaign!r}"
            raise ValueError(message)
        return counts

    def missing(self, shards: Iterable[int]) -> list[int]:
        """Return those of the shards that are not counted yet. Those that are there are checked."""
        missing = []
        for index in shards:
            if self.file(index).exists():
                self.load(index)
            else:
                missing.append(index)
        return missing

    def count(self, index: int) -> None:
        """Count a shard on this core, unless it is there.

        A checkpoint is written twice a minute; a shard whose worker was killed goes on from there.
        """
        path = self.file(index)
        if path.exists():
            return
        checkpoint = path.with_name(path.name + ".part")
        counts = run_shard(self.campaign, index, checkpoint=checkpoint)
        counts.save(path, overwrite=True)
        checkpoint.unlink(missing_ok=True)

    def merge(self, shards: Iterable[int]) -> Counts:
        """Add up counted shards, one in memory at a time."""
        total = None
        for index in shards:
            counts = self.load(index)
            total = counts if total is None else merge((total, counts))
        return _some(total)


def run(
    client: Client,
    campaign: Campaign,
    *,
    shards: Iterable[int] | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> Counts:
    """Count shards of a campaign on the workers of a Dask cluster, and add them up.

    `shards` are all of the campaign by default. With `folder`, a path that names the same folder
    on every worker, each worker keeps its shards there as `K.cnt`. A shard that is there already is
    not counted again, and one that was stopped goes on from its last checkpoint.
    Twice as many shards as the cluster has threads are under way at a time. A worker that is lost
    loses its shards, which others then count.

    `progress` is a function, called after each shard with the number of keystreams counted and that
    of all; an exception that it raises ends the run, and so does Ctrl-C. True draws a bar, in a
    notebook too (package `tqdm`).
    """
    wanted = list(dict.fromkeys(range(campaign.shards) if shards is None else shards))
    if folder is not None:
        kept = Folder.prepare(folder, campaign)
        missing = kept.missing(wanted)
        with reporting(campaign.keystreams * len(wanted), progress=progress) as report:
            there = len(wanted) - len(missing)
            for done, _ in enumerate(count(client, kept, missing), there + 1):
                report(done * campaign.keystreams)
        return kept.merge(wanted)
    total = None
    with reporting(campaign.keystreams * len(wanted), progress=progress) as report:
        for done, counts in enumerate(_each(client, partial(run_shard, campaign), wanted), 1):
            total = counts if total is None else merge((total, counts))
            report(done * campaign.keystreams)
    return _some(total)


def count(client: Client, folder: Folder, shards: Iterable[int]) -> Iterator[None]:
    """Count shards into a folder on the workers of a Dask cluster; yield after each."""
    return _each(client, folder.count, shards)


def _some(total: Counts | None) -> Counts:
    if total is None:
        message = "there are no shards to count"
        raise ValueError(message)
    return total


def _each(
    client: Client, function: Callable[[int], T], shards: Iterable[int]
) -> Generator[T, None, None]:
    """Yield what the function returns for each shard, as it comes, some under way at a time."""
    from distributed import as_completed  # noqa: PLC0415  # an optional dependency

    rest = iter(shards)
    pending = set()

    def submit(index: int) -> object:
        future: object = client.submit(function, index, pure=False)
        pending.add(future)
        return future

    room = 2 * max(1, sum(client.nthreads().values()))
    done = as_completed([submit(index) for _, index in zip(range(room), rest, strict=False)])
    try:
        for future in done:
            pending.remove(future)
            yield future.result()
            for index in rest:
                done.add(submit(index))
                break
    finally:
        client.cancel(list(pending))
