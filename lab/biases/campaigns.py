"""The campaigns: counters, sizes, and the place of the shards.

The shards stay in `target/campaigns`, by the campaign's name and size. A stopped campaign
continues, and a finished one is not counted again.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from lab.bench import ROOT, Bench

KEY_LENGTHS = (5, 8, 13, 16, 20, 24, 32)
STREAM = 1 << 20  # bytes of a long keystream


@dataclass(frozen=True)
class Campaign:
    """What is counted, and over how many keystreams."""

    quick: int  # keystreams in all
    full: int
    counts: str
    key_length: int = 16
    drop: int = 0  # first bytes that are left out


CAMPAIGNS = {
    "first": Campaign(1 << 23, 1 << 30, "single = 257\ndigraphs = 1\npairs = [[256, 258]]\nequal = [[1, 2], [1, 3], [1, 4], [2, 4]]\n"),
    "state": Campaign(1 << 18, 1 << 23, "roos = 33\nroos-output = true\nglimpse = 256\n"),  # counters that need the key and the table
    "long": Campaign(1 << 10, 1 << 18, f"long-term = {STREAM}\nabsab = [{STREAM}, 4]\n", drop=1024),
    # Single bytes of keys of another length, three times as far.
    **{f"length-{length}": Campaign(1 << 20, 1 << 25, f"single = {3 * length}\n", length) for length in KEY_LENGTHS},
}


def count(bench: Bench, name: str) -> Path:
    """Count a campaign on all cores and merge it: the file of its counts."""
    chosen = CAMPAIGNS[name]
    keystreams = bench.pick(chosen.quick, chosen.full)
    shards = bench.pick(2, 16)
    folder = ROOT / "target" / "campaigns" / f"{name}-{keystreams}"
    campaign = folder / "campaign.toml"
    seed = sha256(f"arcfour biases {name}".encode()).hexdigest()
    text = (f"seed = '{seed}'\nshards = {shards}\nkeystreams = {keystreams // shards}\n"
            f"key-length = {chosen.key_length}\ndrop = {chosen.drop}\n[count]\n{chosen.counts}")
    folder.mkdir(parents=True, exist_ok=True)
    if campaign.exists() and campaign.read_text() != text:
        raise ValueError(f"{folder} holds another campaign: remove it")
    campaign.write_text(text)
    bias = [bench.programs / "arcfour", "bias"]

    def shard(index: int) -> Path:
        bench.note(f"{folder.name}, shard {index} of {shards}")
        file = folder / f"{index}.cnt"
        bench.check([*bias, "shard", campaign, "--index", index, "--output", file])
        return file

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        files = list(pool.map(shard, range(shards)))
    merged = bench.scratch / f"{name}.cnt"
    bench.check([*bias, "merge", *files, "--output", merged, "--force"])
    return merged
