"""Work on the threads of this machine, with a report of its progress."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

J = TypeVar("J")
T = TypeVar("T")

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


def on_threads(
    work: Callable[[J, Callable[[int], None]], T],
    jobs: Iterable[J],
    threads: int,
    size: Callable[[J], int],
    report: Callable[[int], object],
) -> Generator[T]:
    """Do the jobs on threads; yield their results in the order of completion.

    `work` gets a job and a function. It calls the function some times a second with the progress of
    the job, from 0 to its size. `report` gets the sum over all jobs. The function raises an
    exception once the caller has ended, by Ctrl-C too, and `work` lets the exception pass.
    """
    stop = Event()
    far: dict[int, int] = {}
    finished = 0

    def start(number: int, job: J) -> T:
        def note(done: int) -> None:
            far[number] = done
            if stop.is_set():
                raise InterruptedError

        return work(job, note)

    rest = enumerate(jobs)
    with ThreadPoolExecutor(threads) as pool:
        futures = {
            pool.submit(start, *job): job for _, job in zip(range(threads), rest, strict=False)
        }
        try:
            while futures:
                ready, _ = wait(futures, PATIENCE, FIRST_COMPLETED)
                for future in ready:
                    (number, job), result = futures.pop(future), future.result()
                    far.pop(number, None)
                    finished += size(job)
                    yield result
                    for following in rest:
                        futures[pool.submit(start, *following)] = following
                        break
                report(finished + sum(list(far.values())))
        finally:
            stop.set()
