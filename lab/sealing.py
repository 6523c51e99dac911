"""`arcfour seal` and `open` timed from file to file, as whole processes; what is opened is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from lab import english
from lab.bench import Bench, Sample
from lab.quiet import T


def sealing(bench: Bench, sizes: Iterable[int], threads: Iterable[int], of: Callable[[Sample, Sample], T]) -> dict[tuple[int, int], Callable[[], T]]:
    """The work for each size and number of threads; it answers what `of` makes of the way there and the way back."""
    arcfour = bench.programs / "arcfour"
    key = bench.scratch / "key"
    bench.check([arcfour, "keygen", "-o", key])

    def run(file: Path, count: int) -> T:
        sealed, opened = file.with_suffix(".sealed"), file.with_suffix(".opened")
        forth = bench.time([arcfour, "seal", "--key-file", key, "--threads", count, file], stdout=sealed)
        back = bench.time([arcfour, "open", "--key-file", key, "--threads", count, sealed], stdout=opened)
        bench.check(["cmp", file, opened])
        return of(forth, back)

    files = {size: english.file(bench.scratch, size) for size in sizes}
    return {(size, count): partial(run, file, count) for size, file in files.items() for count in threads}
