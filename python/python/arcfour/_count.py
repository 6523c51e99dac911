"""Counting on the threads of this machine, and telling whoever waits how far it is."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

from ._native import Campaign, Counts, run_shard

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

PATIENCE = 0.1  # seconds between looks at what the threads do


@contextmanager
def reporting(
    total: int, *, progress: Callable[[int, int], object] | bool | None
) -> Iterator[Callable[[int], object]]:
    """What tells of keystreams counted so far: a function of the caller's, a bar, or nothing."""
    if progress is True:
        from tqdm.auto import tqdm  # noqa: PLC0415  # an optional dependency

        with tqdm(total=total, unit=" keystreams", unit_scale=True) as bar:
            yield lambda done: bar.update(done - bar.n)
    elif not progress:
        yield lambda _done: None
    else:
        yield lambda done: progress(done, total)


def threads_of(threads: int | None) -> int:
    """Check a number of threads; by default one for each core that this process may use."""
    if threads is None:
        available = getattr(os, "sched_getaffinity", None)
        return len(available(0)) if available else os.cpu_count() or 1
    if not 1 <= threads <= 256:  # noqa: PLR2004
        message = f"threads is {threads}; it must be 1 to 256"
        raise ValueError(message)
    return threads


def shards(
    jobs: Iterable[tuple[Campaign, int]], threads: int, report: Callable[[int], object]
) -> Generator[tuple[int, Counts]]:
    """Count shards on threads: the number of each and its counts, as they are done.

    Whatever ends the caller, such as Ctrl-C, ends the threads within a tenth of a second.
    """
    stop = Event()
    under_way: dict[int, int] = {}
    finished = 0

    def count(campaign: Campaign, index: int) -> Counts:
        def note(done: int) -> None:
            under_way[index] = done
            if stop.is_set():
                raise InterruptedError

        return run_shard(campaign, index, progress=note)

    rest = iter(jobs)
    with ThreadPoolExecutor(threads) as pool:
        futures = {
            pool.submit(count, *job): job[1] for _, job in zip(range(threads), rest, strict=False)
        }
        try:
            while futures:
                ready, _ = wait(futures, PATIENCE, FIRST_COMPLETED)
                for future in ready:
                    index, counts = futures.pop(future), future.result()
                    under_way.pop(index, None)
                    finished += counts.keystreams
                    yield index, counts
                    for job in rest:
                        futures[pool.submit(count, *job)] = job[1]
                        break
                report(finished + sum(list(under_way.values())))
        finally:
            stop.set()
