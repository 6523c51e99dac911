"""Campaigns: counts over more keystreams than one core makes.

A campaign is cut into shards that any machine can count, in any order; their counts are added up.
The same shard always gives the same counts, and nothing is counted twice. The files are the same as
for `arcfour bias`, so both can work on one campaign.

    from arcfour import campaign

    plan = campaign.Campaign.load("campaign.toml")
    counts = campaign.run(None, plan, folder="shards")  # on the cores of this machine
    print(counts.single[1])  # how often each value came at position 2

    from dask.distributed import Client

    with Client("scheduler:8786") as client:  # on a Dask cluster
        counts = campaign.run(client, plan, folder="shards")

`python -m arcfour.campaign` does the same from the shell, on the cores of this machine, on a Dask
cluster, or as a Slurm array. It also runs key searches of `arcfour find` there, in shards.
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from arcfour._count import on_threads, reporting
from arcfour._native import Campaign, Counts, create_file, merge, run_shard, threads_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterable

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
        with suppress(FileExistsError):
            create_file(inside, campaign.toml)
        if Campaign.load(inside) != campaign:
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
        """Return the shards that are not counted yet. Check the files of the others."""
        missing = []
        for index in shards:
            if self.file(index).exists():
                self.load(index)
            else:
                missing.append(index)
        return missing

    def count(self, index: int, progress: Callable[[int], object] | None = None) -> None:
        """Count a shard on this core, unless it is there.

        A checkpoint is written twice a minute; a shard whose worker was killed goes on from there.
        `progress` is as for `run_shard`.
        """
        path = self.file(index)
        if path.exists():
            return
        checkpoint = path.with_name(path.name + ".part")
        counts = run_shard(self.campaign, index, checkpoint=checkpoint, progress=progress)
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
    client: Client | None,
    campaign: Campaign,
    *,
    shards: Iterable[int] | None = None,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
) -> Counts:
    """Count shards of a campaign, and add them up.

    `client` is the client of a Dask cluster, whose workers count. With None the threads of this
    machine count: `threads`, 1 to 256, by default one for each core that this process may use.

    `shards` are all of the campaign by default. With `folder`, a path that names the same folder on
    every worker, each worker keeps its shards there as `K.cnt`. A shard that is there already is
    not counted again, and one that was stopped goes on from its last checkpoint. Two shards for
    each thread of the cluster are under way at a time. If a worker is lost, others count its
    shards.

    `progress` is a function. It is called after each shard, and on threads about ten times a
    second, with the number of keystreams counted and the total. An exception that it raises ends
    the run, and so does Ctrl-C. True draws a bar, in a notebook too (package `tqdm`).
    """
    wanted = list(dict.fromkeys(range(campaign.shards) if shards is None else shards))
    kept = None if folder is None else Folder.prepare(folder, campaign)
    missing = wanted if kept is None else kept.missing(wanted)
    there = (len(wanted) - len(missing)) * campaign.keystreams
    work = partial(_shard, campaign) if kept is None else kept.count
    total = None
    with (
        reporting(campaign.keystreams * len(wanted), progress=progress) as report,
        closing(
            each(
                client,
                work,
                missing,
                threads=threads,
                size=campaign.keystreams,
                report=lambda done: report(there + done),
            )
        ) as shards_done,
    ):
        for counts in shards_done:
            if counts is not None:
                total = counts if total is None else merge((total, counts))
    return _some(total) if kept is None else kept.merge(wanted)


def _shard(
    campaign: Campaign, index: int, progress: Callable[[int], object] | None = None
) -> Counts:
    return run_shard(campaign, index, progress=progress)


def _some(total: Counts | None) -> Counts:
    if total is None:
        message = "there are no shards to count"
        raise ValueError(message)
    return total


def each(
    client: Client | None,
    work: Callable[..., T],
    jobs: Iterable[int],
    *,
    threads: int | None = None,
    size: int = 1,
    report: Callable[[int], object] = lambda _done: None,
) -> Generator[T, None, None]:
    """Yield what `work` gives for each job, as the jobs are done, by a cluster or by threads here.

    `work` gets a job and, on threads, the function of `on_threads`; `report` gets the size of all
    that is done.
    """
    if client is None:
        yield from on_threads(work, jobs, threads_of(threads), lambda _: size, report)
        return
    for done, result in enumerate(_on_cluster(client, work, jobs), 1):
        report(done * size)
        yield result


def _on_cluster(
    client: Client, work: Callable[[int], T], jobs: Iterable[int]
) -> Generator[T, None, None]:
    """Yield what the workers give for each job; two jobs a thread are under way."""
    from distributed import as_completed  # noqa: PLC0415  # an optional dependency

    rest = iter(jobs)
    pending = set()

    def submit(job: int) -> object:
        future: object = client.submit(work, job, pure=False)
        pending.add(future)
        return future

    room = 2 * max(1, sum(client.nthreads().values()))
    done = as_completed([submit(job) for _, job in zip(range(room), rest, strict=False)])
    try:
        for future in done:
            pending.remove(future)
            yield future.result()
            for job in rest:
                done.add(submit(job))
                break
    finally:
        client.cancel(list(pending))
