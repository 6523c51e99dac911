"""Arrays on a real Slurm count and search each shard once, whatever happens to the nodes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from arcfour import Cipher
from arcfour.campaign import Campaign, Counts, Folder, merge, run_shard
from slurm_daemons import Slurm

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SEED = bytes(range(32))
SMALL = Campaign(SEED, shards=6, keystreams=1000, single=3)
# A shard takes seconds, so that a node can be killed in the middle of one.
BIG = Campaign(SEED, shards=6, keystreams=1 << 22, single=128)


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    slurm = Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        slurm.start()
        yield slurm
    finally:
        slurm.stop()


def shell(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `python -m arcfour.campaign`."""
    command = [sys.executable, "-m", "arcfour.campaign", *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def script_of(plan: Campaign, folder: Path, *options: object) -> str:
    """Return the script that counts a campaign."""
    file = folder.parent / f"{folder.name}.toml"
    file.write_text(plan.toml)
    done = shell("slurm", file, "--folder", folder, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def counted(plan: Campaign, folder: Path) -> bool:
    """Tell whether the folder holds each shard once, as one core counts it, and no more."""
    names = {"campaign.toml", *(f"{n}.cnt" for n in range(plan.shards))}
    assert {path.name for path in folder.iterdir()} == names
    merged = Folder.prepare(folder, plan).merge(range(plan.shards))
    assert merged.keystreams == plan.shards * plan.keystreams
    return merged == merge(run_shard(plan, index) for index in range(plan.shards))


def test_arrays_count_and_search_at_once(slurm: Slurm, tmp_path: Path) -> None:
    count = slurm.submit(script_of(SMALL, tmp_path / "all shards", "--tasks", 3))
    (tmp_path / "text").write_bytes(Cipher("rc4", bytes.fromhex("0a0bc0de")).encrypt(b"Attack"))
    release = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"
    program = Path(os.environ.get("ARCFOUR_PROGRAMS", release)) / "arcfour"
    options = ["--folder", tmp_path / "keys", "--program", program, "--shards", 4, "--tasks", 2]
    text = ["-c", tmp_path / "text", "--key-mask", "0a 0b ?? ??", "--plain-text", "Attack", "--all"]
    find = slurm.submit(shell("find", "--slurm", *options, "--", *text).stdout)
    names = {task["JobName"] for job in (count, find) for task in slurm.tasks(job)}
    assert names == {"arcfour-all_shards", "arcfour-keys"}
    assert slurm.ended(count) == {"COMPLETED"}, slurm.said(count)
    assert counted(SMALL, tmp_path / "all shards")
    assert slurm.ended(find) == {"COMPLETED"}, slurm.said(find)
    records = sorted((tmp_path / "keys").glob("[1-4].json"))
    merged = subprocess.run(
        [program, "find", "merge", *records], capture_output=True, text=True, check=True
    )
    assert merged.stdout == "0a0bc0de\n"
    assert merged.stderr == "arcfour: 65536 of 65536 keys were tried, each once\n"


@pytest.mark.full
def test_a_killed_node_is_replaced(slurm: Slurm, tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    job = slurm.submit(script_of(BIG, folder, "--tasks", 3))
    # One shard is done and each node is in the middle of another.
    slurm.until(lambda: list(folder.glob("*.cnt")) and slurm.nodes("alloc") == 3)
    slurm.kill_node("node1")
    assert len(list(folder.glob("*.cnt"))) < BIG.shards
    slurm.until(lambda: slurm.nodes("down") == 1)
    try:
        assert slurm.ended(job) == {"COMPLETED"}, slurm.said(job)
        assert sorted(task["Restarts"] for task in slurm.tasks(job)) == ["0", "0", "1"]
        assert counted(BIG, folder)
    finally:
        slurm.start_node("node1")
        slurm.until(lambda: slurm.nodes("idle") == 3)


@pytest.mark.full
def test_a_time_limit_strikes_and_the_same_script_goes_on(slurm: Slurm, tmp_path: Path) -> None:
    plan = Campaign(SEED, shards=1, keystreams=1 << 40, single=8)
    part = tmp_path / "shards" / "0.cnt.part"
    script = script_of(plan, tmp_path / "shards", "--time", "00:01:00")
    job = slurm.submit(script)
    assert slurm.ended(job) == {"TIMEOUT"}
    assert "stopped; the same command goes on from its folder" in slurm.said(job)
    kept = Counts.load(part)
    assert 0 < kept.keystreams < plan.keystreams
    again = slurm.submit(script)
    slurm.until(lambda: Counts.load(part).keystreams > kept.keystreams)
    slurm.run("scancel", again)
    assert slurm.ended(again) == {"CANCELLED"}
    # Each keystream so far was counted once, so all rows have this number of bytes.
    more = Counts.load(part)
    assert (more.single.sum(axis=1) == more.keystreams).all()


@pytest.mark.full
def test_a_full_disk_fails_the_task_and_leaves_no_half_shard(slurm: Slurm, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*sudo, "mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk], check=True)
    try:
        plan = Campaign(SEED, shards=6, keystreams=1000, single=64)
        script = script_of(plan, disk / "shards", "--tasks", 3)
        filler = disk / "filler"
        filler.write_bytes(bytes(os.statvfs(disk).f_bavail * 4096 - 4096))
        job = slurm.submit(script)
        assert slurm.ended(job) == {"FAILED"}
        assert {task["ExitCode"] for task in slurm.tasks(job)} == {"1:0"}
        assert slurm.said(job).count("No space left on device") == 3, slurm.said(job)
        assert {path.name for path in (disk / "shards").iterdir()} == {"campaign.toml"}
        filler.unlink()
        assert slurm.ended(slurm.submit(script)) == {"COMPLETED"}
        assert counted(plan, disk / "shards")
    finally:
        subprocess.run([*sudo, "umount", "--lazy", disk], check=True)


@pytest.mark.full
def test_two_arrays_in_one_folder_count_each_shard_once(slurm: Slurm, tmp_path: Path) -> None:
    script = script_of(BIG, tmp_path / "shards", "--tasks", 3)
    jobs = [slurm.submit(script), slurm.submit(script)]
    assert [slurm.ended(job) for job in jobs] == [{"COMPLETED"}] * 2
    assert counted(BIG, tmp_path / "shards")
