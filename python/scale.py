"""Measure what a campaign of 2^44 keystreams asks of its scheduler, and write scale.md.

The workers are fake and their records are real. A fake worker copies the counts of shard 0 under
the number of another shard. So every file passes every check, and no key schedule runs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import resource
import time
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from arcfour.campaign import Campaign, Counts, Folder, each, run_shard

if TYPE_CHECKING:
    from collections.abc import Callable

KEYSTREAMS = 1 << 24  # of a shard
SUM = 32
MARK = b'"shards":[[0,0]]'
RECORD = """\
# Scale of a campaign: a recorded run

`make campaign-scale`, {day}, Python {python}, on {cores} cores that other programs shared

The scheduler of `python -m arcfour.campaign run` handed out all shards of a campaign. The workers
were fake, and the records were real files. The run was stopped after half of the shards, and
resumed.

| step | seconds | µs per shard |
|---|--:|--:|
{rows}

| figure | value |
|---|--:|
| shards in the sum | {shards:,} |
| keystreams in the sum | {keystreams:,} |
| files in the folder | {files:,} |
| bytes of a record | {size:,} |
| disk space, GiB | {disk:.2f} |
| peak memory, MiB | {memory:,.0f} |
| check and merge on one core, µs per shard | {serial:.0f} |
"""


class FakeWorker:
    """Writes the record of any shard, from the record of shard 0."""

    def __init__(self, folder: Folder) -> None:
        """Count shard 0, the pattern of all records."""
        self.folder = folder
        self.counts = run_shard(folder.campaign, 0)
        record = self.counts.to_bytes()[:-SUM]
        self.before, self.after = record.split(MARK)
        self.magic = self.before[:17]
        self.header = self.before[21:]
        self.length = int.from_bytes(self.before[17:21], "little") - len(MARK)

    def count(self, index: int, _note: Callable[[int], None] | None = None) -> None:
        """Write a record, whole or not at all, as a real worker does."""
        mark = f'"shards":[[{index},{index}]]'.encode()
        length = (self.length + len(mark)).to_bytes(4, "little")
        record = b"".join((self.magic, length, self.header, mark, self.after))
        file = self.folder.file(index)
        part = file.with_name(f"{index}.new")
        part.write_bytes(record + hashlib.sha256(record).digest())
        part.replace(file)


def measured(shards: int, parent: Path | None) -> str:
    """Run the campaign by its scheduler alone; return the record."""
    plan = Campaign(bytes(32), shards=shards, keystreams=KEYSTREAMS, single=1)
    rows = []
    with TemporaryDirectory(dir=parent) as temporary:
        folder = Folder.prepare(Path(temporary) / "shards", plan)
        worker = FakeWorker(folder)
        # A fake record is the real record: shard 0 by the worker is shard 0 by the counter.
        worker.count(0)
        if Counts.load(folder.file(0)) != worker.counts:
            message = "the fake record of shard 0 is not the counted record"
            raise ValueError(message)

        def timed(step: str, done: int, work: Callable[[], object]) -> float:
            start = time.monotonic()
            work()
            seconds = time.monotonic() - start
            rows.append(f"| {step} | {seconds:,.1f} | {seconds / done * 1e6:,.0f} |")
            return seconds

        def hand_out(last: int) -> None:
            missing = folder.missing(range(shards))
            with closing(each(None, worker.count, missing, threads=2)) as counted:
                for _ in counted:
                    if last and folder.file(last).exists():
                        return

        timed("hand out the first half, and stop", shards // 2, lambda: hand_out(shards // 2))
        there = sum(1 for _ in os.scandir(folder.path)) - 1
        timed("check these records, and hand out the rest", shards - there, lambda: hand_out(0))
        check = timed("check all records", shards, lambda: folder.missing(range(shards)))
        totals: list[Counts] = []
        add = timed("merge", shards, lambda: totals.append(folder.merge(range(shards))))
        (total,) = totals
        if total.shards != [(0, shards - 1)] or total.keystreams != shards * KEYSTREAMS:
            message = f"the sum holds {total.shards} and {total.keystreams} keystreams"
            raise ValueError(message)
        with suppress(ValueError):
            totals.append(folder.merge([*range(10), 3]))
        if len(totals) > 1:
            message = "a shard was added twice"
            raise ValueError(message)
        sizes = [entry.stat() for entry in os.scandir(folder.path)]
    return RECORD.format(
        day=datetime.now(UTC).date(),
        python=platform.python_version(),
        cores=len(os.sched_getaffinity(0)),
        shards=shards,
        rows="\n".join(rows),
        keystreams=total.keystreams,
        files=len(sizes),
        size=max(entry.st_size for entry in sizes),
        disk=sum(entry.st_blocks for entry in sizes) * 512 / (1 << 30),
        memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        serial=(check + add) / shards * 1e6,
    )


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=1 << 20, help="a power of 2")
    parser.add_argument("--folder", type=Path, help="where the records are kept meanwhile")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("scale.md"))
    arguments = parser.parse_args()
    arguments.output.write_text(measured(arguments.shards, arguments.folder), "utf-8")


if __name__ == "__main__":
    main()
