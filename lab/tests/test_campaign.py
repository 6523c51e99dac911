"""Campaigns on Dask and as a Slurm array: the counts are those of one process, whatever dies."""

import os
import signal
import subprocess
import sys
import time

import pytest
from distributed import Client

from lab.bench import ROOT
from lab.campaign.shards import Shards

ARCFOUR = ROOT / "target" / "release" / "arcfour"
SHARDS = 6
CAMPAIGN = f"""\
seed = '{"c4" * 32}'
shards = {SHARDS}
keystreams = 3000000
key-length = 16
[count]
single = 128
"""


@pytest.fixture(name="campaign", scope="module")
def fixture_campaign(tmp_path_factory):
    """A campaign's file, and the bytes that one process counts for it."""
    tmp_path = tmp_path_factory.mktemp("alone")
    path = tmp_path / "campaign.toml"
    path.write_text(CAMPAIGN)
    alone = Shards.prepare(path, tmp_path / "alone", ARCFOUR)
    for index in range(SHARDS):
        alone.run(index)
    alone.merge(tmp_path / "alone.cnt")
    return path, (tmp_path / "alone.cnt").read_bytes()


def command(*words):
    """`python -m lab.campaign` with our program."""
    return [sys.executable, "-m", "lab.campaign", *map(str, words), "--arcfour", str(ARCFOUR)]


def until(condition, process=None):
    """Wait for something to become true, a minute at most."""
    for _ in range(600):
        if found := condition():
            return found
        assert process is None or process.poll() is None, "it ended too soon"
        time.sleep(0.1)
    raise AssertionError("nothing happened for a minute")


def test_a_killed_worker_loses_and_doubles_nothing(campaign, tmp_path):
    path, expected = campaign
    scheduler_file = tmp_path / "scheduler.json"
    started = []

    def start(*words):
        # A group of its own, so that SIGKILL takes the worker and what it runs, as a power cut does.
        process = subprocess.Popen([str(word) for word in words], cwd=ROOT, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=os.environ | {"PYTHONPATH": str(ROOT)})
        started.append(process)
        return process

    def dask(name, *words):
        return start(sys.executable, "-m", "dask", name, "--scheduler-file", scheduler_file, *words)

    try:
        dask("scheduler", "--port", 0, "--no-dashboard")
        until(scheduler_file.exists)
        workers = [dask("worker", "--nthreads", 1, "--no-nanny", "--no-dashboard", "--name", name) for name in "ab"]
        with Client(scheduler_file=str(scheduler_file)) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
            folder = tmp_path / "shards"
            run = start(*command("run", path, "--folder", folder, "--out", tmp_path / "all.cnt", "--scheduler", address))
            # Both count, and one shard is done: the worker dies in the middle of another.
            until(lambda: any(folder.glob("*.cnt")) and all(client.processing().values()), run)
            os.killpg(workers[0].pid, signal.SIGKILL)
            assert len(list(folder.glob("*.cnt"))) < SHARDS
            assert run.wait(timeout=120) == 0
            assert len(client.scheduler_info()["workers"]) == 1
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert (tmp_path / "all.cnt").read_bytes() == expected


def test_a_local_cluster_counts_the_same_and_goes_on(campaign, tmp_path):
    path, expected = campaign
    shards = Shards.prepare(path, tmp_path / "shards", ARCFOUR)
    shards.run(4)
    before = shards.file(4).stat().st_mtime_ns
    words = command("run", path, "--folder", shards.folder, "--out", tmp_path / "all.cnt", "--workers", 2)
    subprocess.run(words, check=True, cwd=ROOT)
    assert (tmp_path / "all.cnt").read_bytes() == expected
    assert shards.file(4).stat().st_mtime_ns == before, "it was there: nothing to count"


@pytest.mark.parametrize("tasks", [1, 4, 1000])
def test_slurm_tasks_count_each_shard_once(campaign, tmp_path, tasks):
    path, expected = campaign
    folder = tmp_path / "a folder"
    done = subprocess.run(command("slurm", path, "--folder", folder, "--tasks", tasks),
                          check=True, cwd=ROOT, capture_output=True, text=True)
    script = tmp_path / "job.sh"
    script.write_text(done.stdout)
    subprocess.run(["bash", "-n", script], check=True)
    array = next(line for line in done.stdout.splitlines() if line.startswith("#SBATCH --array="))
    last = int(array.partition("0-")[2])
    assert last + 1 <= tasks
    for task in reversed(range(last + 1)):
        subprocess.run(["bash", script], check=True, env=os.environ | {"SLURM_ARRAY_TASK_ID": str(task)})
    Shards.prepare(path, folder, ARCFOUR).merge(tmp_path / "all.cnt")
    assert (tmp_path / "all.cnt").read_bytes() == expected


def test_what_is_wrong_is_named(campaign, tmp_path):
    path, _ = campaign
    other = tmp_path / "other.toml"
    other.write_text(CAMPAIGN.replace("128", "127"))
    Shards.prepare(path, tmp_path / "shards", ARCFOUR)
    for words, code, message in [
        (["slurm", other, "--folder", tmp_path / "shards"], 1, "holds another campaign"),
        (["slurm", tmp_path / "nowhere", "--folder", tmp_path / "new"], 1, "nowhere"),
        (["slurm", path, "--folder", tmp_path / "shards", "--tasks", 0], 2, "0 is no number from 1 on"),
        (["slurm", path, "--folder", tmp_path / "shards", "--time", "a b"], 2, "nothing that sbatch takes"),
    ]:
        done = subprocess.run(command(*words), check=False, cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    shards = Shards.prepare(path, tmp_path / "few", ARCFOUR)
    shards.run(0)
    with pytest.raises(RuntimeError, match=r"cannot read .*1\.cnt"):
        shards.merge(tmp_path / "few.cnt")
