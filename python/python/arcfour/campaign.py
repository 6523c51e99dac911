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
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ._native import Campaign, Counts, merge, run_shard

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from distributed import Client

__all__ = ["Campaign", "Counts", "merge", "run", "run_shard"]


def run(
    client: Client,
    campaign: Campaign,
    *,
    shards: Iterable[int] | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Counts:
    """Count shards of a campaign on the workers of a Dask cluster, and add them up.

    `shards` are all of the campaign by default. With `folder`, each shard is kept there as
    `K.cnt`, and one that is there already is not counted again: a run that was stopped goes on.
    Twice as many shards as the cluster has threads are under way at a time. A worker that is lost
    loses its shards, which others then count.
    """
    wanted = list(dict.fromkeys(range(campaign.shards) if shards is None else shards))
    kept, missing = _kept(campaign, wanted, folder)
    total = merge(kept) if kept else None
    for index, counts in _counted(client, campaign, missing):
        if folder is not None:
            counts.save(_path(folder, index))
        total = counts if total is None else merge((total, counts))
    if total is None:
        message = "there are no shards to count"
        raise ValueError(message)
    return total


def _path(folder: str | os.PathLike[str], index: int) -> Path:
    return Path(folder) / f"{index}.cnt"


def _kept(
    campaign: Campaign, wanted: list[int], folder: str | os.PathLike[str] | None
) -> tuple[list[Counts], list[int]]:
    """The shards of the folder, and the numbers of those it has not."""
    if folder is None:
        return [], wanted
    Path(folder).mkdir(parents=True, exist_ok=True)
    kept, missing = [], []
    for index in wanted:
        path = _path(folder, index)
        if not path.exists():
            missing.append(index)
            continue
        counts = Counts.load(path)
        if counts.campaign != campaign or counts.shards != [(index, index)]:
            message = f"'{path}' holds {counts!r}, not shard {index} of {campaign!r}"
            raise ValueError(message)
        kept.append(counts)
    return kept, missing


def _counted(
    client: Client, campaign: Campaign, indexes: list[int]
) -> Iterator[tuple[int, Counts]]:
    """The shards, as they are counted."""
    from distributed import as_completed  # noqa: PLC0415  # an optional dependency

    rest = iter(indexes)
    numbers = {}

    def submit(index: int) -> object:
        future = client.submit(run_shard, campaign, index, pure=False)
        numbers[future] = index
        return future

    room = 2 * max(1, sum(client.nthreads().values()))
    done = as_completed([submit(index) for _, index in zip(range(room), rest, strict=False)])
    try:
        for future in done:
            yield numbers.pop(future), future.result()
            for index in rest:
                done.add(submit(index))
                break
    finally:
        client.cancel(list(numbers))
