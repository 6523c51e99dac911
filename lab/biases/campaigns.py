"""The campaigns: counters, sizes, and the place of the shards.

The shards stay in `target/campaigns`, by the campaign's name and size. A stopped campaign
continues, and a finished one is not counted again.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

from lab.bench import ROOT, Bench

KEY_LENGTHS = (5, 8, 13, 16, 20, 24, 32)
STREAM = 1 << 20  # bytes of a long keystream

# Keystreams in all: quick, full.
FIRST = (1 << 23, 1 << 30)
LENGTHS = (1 << 20, 1 << 25)
STATE = (1 << 18, 1 << 23)
LONG = (1 << 10, 1 << 18)

FIRST_COUNTS = """\
single = 257
digraphs = 1
pairs = [[256, 258]]
equal = [[1, 2], [1, 3], [1, 4], [2, 4]]
"""
STATE_COUNTS = """\
roos = 33
roos-output = true
glimpse = 256
"""
LONG_COUNTS = f"""\
long-term = {STREAM}
absab = [{STREAM}, 4]
"""


def first(bench: Bench) -> Path:
    """The first bytes, 16-byte keys."""
    return count(bench, "first", FIRST, FIRST_COUNTS)


def length(bench: Bench, key_length: int) -> Path:
    """Single bytes of keys of another length, three times as far."""
    return count(bench, f"length-{key_length}", LENGTHS, f"single = {3 * key_length}\n", key_length)


def state(bench: Bench) -> Path:
    """The counters that need the key and the table."""
    return count(bench, "state", STATE, STATE_COUNTS)


def long(bench: Bench) -> Path:
    """Long keystreams, after their first 1024 bytes."""
    return count(bench, "long", LONG, LONG_COUNTS, drop=1024)


def count(bench: Bench, name: str, sizes: tuple[int, int], counts: str, key_length: int = 16, drop: int = 0) -> Path:
    """Count a campaign on all cores and merge it: the file of its counts."""
    keystreams = bench.pick(*sizes)
    shards = bench.pick(2, 16)
    folder = ROOT / "target" / "campaigns" / f"{name}-{keystreams}"
    campaign = folder / "campaign.toml"
    seed = sha256(f"arcfour biases {name}".encode()).hexdigest()
    text = (f"seed = '{seed}'\nshards = {shards}\nkeystreams = {keystreams // shards}\n"
            f"key-length = {key_length}\ndrop = {drop}\n[count]\n{counts}")
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
