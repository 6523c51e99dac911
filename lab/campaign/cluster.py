"""A campaign on Dask: a local cluster, or one that runs elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

from distributed import Client, LocalCluster, progress

from lab.campaign.shards import Shards


def count(shards: Shards, scheduler: str | None = None, workers: int | None = None) -> None:
    """Count all shards on the cluster at `scheduler`, or on this machine's cores.

    A worker that dies gives its shard back to the scheduler, which hands it to another one.
    """
    if scheduler:
        with Client(scheduler, timeout="30s") as client:
            submit(client, shards)
    else:
        options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as client:
            submit(client, shards)


def submit(client: Client, shards: Shards) -> None:
    """Hand out the shards and wait; the first error that remains is raised."""
    futures = [client.submit(shards.run, index, key=f"{shards.folder}:{index}", retries=2)
               for index in range(shards.count)]
    if sys.stderr.isatty():
        progress(futures, notebook=False)
    client.gather(futures)


def count_and_merge(campaign: Path, folder: Path, arcfour: Path, out: Path, **options) -> None:
    """From a campaign to the file of its counts."""
    shards = Shards.prepare(campaign, folder, arcfour)
    count(shards, **options)
    shards.merge(out)
