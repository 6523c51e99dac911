"""Campaigns on threads, on a Dask cluster and as a Slurm array count what one core counts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from arcfour import Cipher, campaign
from arcfour.campaign import Campaign, Counts, Folder, merge, run_shard
from arcfour.campaign.search import Search
from distributed import Client, LocalCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
SEED = bytes(range(32))
SMALL = Campaign(SEED, shards=4, keystreams=1000, single=3)
BIG = Campaign(SEED, shards=8, keystreams=1_000_000, single=128)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A cluster of two processes."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """The file of the small campaign."""
    path = tmp_path / "campaign.toml"
    path.write_text(SMALL.toml)
    return path


def start(*words: object) -> subprocess.Popen[bytes]:
    """Start Python in a process group, so that SIGKILL ends all of it like a power cut."""
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def until(condition: Callable[[], Any], process: subprocess.Popen[Any] | None = None) -> Any:
    """Wait for something to become true, a minute at most."""
    for _ in range(6000):
        if found := condition():
            return found
        assert process is None or process.poll() is None, "it ended too soon"
        time.sleep(0.01)
    message = "nothing happened for a minute"
    raise AssertionError(message)


def shell(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `python -m arcfour.campaign`."""
    command = [sys.executable, "-m", "arcfour.campaign", *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_a_cluster_counts_the_same(client: Client, tmp_path: Path) -> None:
    total = merge(run_shard(SMALL, index) for index in range(4))
    seen: list[tuple[int, int]] = []
    assert campaign.run(client, SMALL, progress=lambda *now: seen.append(now)) == total
    assert seen == [(n * 1000, 4000) for n in (1, 2, 3, 4)]
    some = campaign.run(client, SMALL, shards=[3, 1, 3])
    assert some.shards == [(1, 1), (3, 3)]
    folder = tmp_path / "shards"
    assert campaign.run(client, SMALL, shards=[3, 1], folder=folder) == some
    kept = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    seen.clear()
    assert (
        campaign.run(client, SMALL, folder=folder, progress=lambda *now: seen.append(now)) == total
    )
    assert seen == [(3000, 4000), (4000, 4000)]
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
    names = {"campaign.toml", "0.cnt", "1.cnt", "2.cnt", "3.cnt"}
    assert {path.name for path in folder.iterdir()} == names
    assert Counts.load(folder / "2.cnt") == run_shard(SMALL, 2)


def test_a_killed_worker_loses_and_doubles_nothing(tmp_path: Path) -> None:
    scheduler_file = tmp_path / "scheduler.json"
    started = []

    def dask(name: str, *words: object) -> subprocess.Popen[bytes]:
        process = start("-m", "dask", name, "--scheduler-file", scheduler_file, *words)
        started.append(process)
        return process

    folder, output = tmp_path / "shards", tmp_path / "all.cnt"
    (tmp_path / "campaign.toml").write_text(BIG.toml)
    try:
        dask("scheduler", "--port", 0, "--no-dashboard")
        until(scheduler_file.exists)
        worker = ["--nthreads", 1, "--no-nanny", "--no-dashboard"]
        workers = [dask("worker", *worker, "--name", name) for name in "ab"]
        with Client(scheduler_file=str(scheduler_file)) as client:
            client.wait_for_workers(2, timeout=60)
            words = ["run", tmp_path / "campaign.toml", "--folder", folder, "-o", output]
            words += ["--scheduler", client.scheduler.address]
            run = start("-m", "arcfour.campaign", *words)
            started.append(run)
            # Both count, and one shard is done: the worker dies in the middle of another.
            until(lambda: any(folder.glob("*.cnt")) and all(client.processing().values()), run)
            kill(workers[0])
            assert len(list(folder.glob("*.cnt"))) < BIG.shards
            assert run.wait(timeout=120) == 0
            assert len(client.scheduler_info()["workers"]) == 1
    finally:
        for process in started:
            kill(process)
    assert Counts.load(output) == merge(run_shard(BIG, index) for index in range(BIG.shards))


@pytest.fixture
def namespaces() -> Iterator[list[str]]:
    """Two network namespaces with a cable between them, at 10.91.45.1 and 10.91.45.2."""
    names = [f"arcfour-{os.getpid()}-{end}" for end in "ab"]
    cables = [f"cable{os.getpid()}{end}" for end in "ab"]
    made: list[str] = []

    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)

    try:
        try:
            for name in names:
                ip("netns", "add", name)
                made.append(name)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"network namespaces need root and Debian's iproute2: {error}")
        ip("link", "add", cables[0], "type", "veth", "peer", "name", cables[1])
        for number, (name, cable) in enumerate(zip(names, cables, strict=True), 1):
            ip("link", "set", cable, "netns", name)
            ip("-n", name, "address", "add", f"10.91.45.{number}/24", "dev", cable)
            ip("-n", name, "link", "set", cable, "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield names
    finally:
        for name in made:
            ip("netns", "delete", name)


@pytest.mark.full
def test_a_lost_scheduler_loses_and_doubles_nothing(namespaces: list[str], tmp_path: Path) -> None:
    """Machine a has the scheduler and the run, and machine b the workers."""
    started: list[subprocess.Popen[bytes]] = []
    folder, output = tmp_path / "shards", tmp_path / "all.cnt"
    (tmp_path / "campaign.toml").write_text(BIG.toml)

    def on(name: str, *words: Any) -> subprocess.Popen[bytes]:
        command = ["ip", "netns", "exec", name, sys.executable, "-m", *map(str, words)]
        with (tmp_path / words[0]).open("ab") as errors:
            process = subprocess.Popen(
                command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=errors
            )
        started.append(process)
        return process

    def cluster(port: int) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
        """Start a scheduler, two workers and the run; return scheduler and run."""
        address = f"tcp://10.91.45.1:{port}"
        ready = tmp_path / f"{port}.json"
        words = ["--host", "10.91.45.1", "--port", port, "--no-dashboard"]
        words += ["--scheduler-file", ready]
        scheduler = on(namespaces[0], "dask", "scheduler", *words)
        until(ready.exists, scheduler)
        for _ in range(2):
            on(namespaces[1], "dask", "worker", address, "--nthreads", 1, "--no-dashboard")
        words = ["run", tmp_path / "campaign.toml", "--folder", folder, "-o", output]
        return scheduler, on(namespaces[0], "arcfour.campaign", *words, "--scheduler", address)

    try:
        scheduler, run = cluster(8786)
        until(lambda: any(folder.glob("*.cnt")), run)
        kill(scheduler)
        assert run.wait(timeout=120) == 1
        said = (tmp_path / "arcfour.campaign").read_text().splitlines()[-1]
        lost = "lost the scheduler tcp://10.91.45.1:8786; the same command goes on from its folder"
        assert said == f"arcfour.campaign: {lost}"
        for process in started:
            kill(process)
        kept = {path: path.stat().st_mtime_ns for path in folder.glob("*.cnt")}
        assert 0 < len(kept) < BIG.shards
        assert not output.exists()
        _, run = cluster(8796)
        assert run.wait(timeout=120) == 0
    finally:
        for process in started:
            kill(process)
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())
    assert Counts.load(output) == merge(run_shard(BIG, index) for index in range(BIG.shards))


def test_a_killed_shard_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    plan = Campaign(SEED, shards=2, keystreams=1 << 21, single=128)
    part = tmp_path / "1.cnt.part"
    text = "from arcfour.campaign import Campaign, run_shard\n"
    text += f"plan = Campaign.parse({plan.toml!r})\n"
    text += f"run_shard(plan, 1, checkpoint={str(part)!r}, seconds=0)"

    def counted() -> int:
        return Counts.load(part).keystreams if part.exists() else 0

    child = start("-c", text)
    until(lambda: counted() > 1 << 19, child)
    kill(child)
    before = counted()
    again = start("-c", text)
    after = until(lambda: counted() != before and counted(), again)
    kill(again)
    assert before < after < 1 << 21
    assert run_shard(plan, 1, checkpoint=part) == run_shard(plan, 1)


def test_a_checkpoint_is_of_its_shard(tmp_path: Path) -> None:
    part = tmp_path / "part"
    for other in (run_shard(SMALL, 1), run_shard(Campaign(SEED, 4, 1000, single=4), 0)):
        other.save(part, overwrite=True)
        with pytest.raises(ValueError, match=r"part' is no checkpoint of shard 0 of this campaign"):
            run_shard(SMALL, 0, checkpoint=part)
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"part': damaged"):
        run_shard(SMALL, 0, checkpoint=part)
    for seconds in (-1, float("nan")):
        with pytest.raises(ValueError, match=r"seconds is .*; it must be 0 or more"):
            run_shard(SMALL, 0, seconds=seconds)


def test_a_cluster_run_refuses_other_shards(client: Client, tmp_path: Path) -> None:
    run_shard(Campaign(SEED, 4, 1000, single=4), 0).save(tmp_path / "0.cnt")
    with pytest.raises(ValueError, match=r"0.cnt' holds .* not shard 0 of"):
        campaign.run(client, SMALL, folder=tmp_path)
    with pytest.raises(ValueError, match="holds another campaign"):
        campaign.run(client, BIG, folder=tmp_path)
    with pytest.raises(IndexError, match="the shard is 4; it must be 0 to 3"):
        campaign.run(client, SMALL, shards=[0, 4])
    with pytest.raises(ValueError, match="no shards"):
        campaign.run(client, SMALL, shards=[])


def test_threads_count_the_same(tmp_path: Path) -> None:
    total = merge(run_shard(SMALL, index) for index in range(4))
    seen: list[tuple[int, int]] = []
    for threads in (None, 1, 3):
        seen.clear()
        assert total == campaign.run(
            None, SMALL, threads=threads, progress=lambda *now: seen.append(now)
        )
        assert seen[-1] == (4000, 4000)
    assert campaign.run(None, SMALL, folder=tmp_path, shards=[2, 1]).shards == [(1, 2)]
    assert campaign.run(None, SMALL, folder=tmp_path) == total
    with pytest.raises(ValueError, match="threads is 0; it must be 1 to 256"):
        campaign.run(None, SMALL, threads=0)
    with pytest.raises(IndexError, match="the shard is 4; it must be 0 to 3"):
        campaign.run(None, SMALL, shards=[0, 4])


def without_dask(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `python -m arcfour.campaign` where the package distributed is missing."""
    lines = [
        "import runpy, sys",
        "sys.modules['distributed'] = None",
        "runpy.run_module('arcfour.campaign', run_name='__main__', alter_sys=True)",
    ]
    command = [sys.executable, "-c", "\n".join(lines), *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_one_machine_needs_no_dask(plan: Path, tmp_path: Path, lost: list[object]) -> None:
    output = tmp_path / "all.cnt"
    words = ["run", plan, "--folder", tmp_path / "shards", "-o", output]
    done = without_dask(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert Counts.load(output) == merge(run_shard(SMALL, index) for index in range(4))
    done = without_dask(*lost, "--plain-text", "Attack")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0a0bc0de\n", "")
    done = without_dask(*words[:-2], "--scheduler", "tcp://head:8786", "-o", tmp_path / "new")
    assert done.returncode == 0, done.stderr  # All shards are there: none has to be counted.
    folder = tmp_path / "other"
    done = without_dask(*words[:3], folder, "-o", tmp_path / "3", "--scheduler", "tcp://head:8786")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "install the package with its extra dask" in done.stderr


def test_an_interrupt_ends_the_threads_and_the_next_run_goes_on(tmp_path: Path) -> None:
    huge = Campaign(SEED, shards=8, keystreams=1 << 40, single=8)
    (tmp_path / "campaign.toml").write_text(huge.toml)
    words = ["-m", "arcfour.campaign", "run", tmp_path / "campaign.toml"]
    words += ["--folder", tmp_path / "shards", "-o", tmp_path / "all.cnt", "--threads", 2]
    command = [sys.executable, *map(str, words)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
        until((tmp_path / "shards" / "campaign.toml").exists, run)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=30)[1]
    assert run.returncode == 130, said
    assert said == "arcfour.campaign: stopped; the same command goes on from its folder\n"
    # Each thread kept what it counted, long before the first checkpoint was due.
    kept = [Counts.load(path).keystreams for path in (tmp_path / "shards").glob("*.cnt.part")]
    assert len(kept) == 2
    assert min(kept) > 0


def test_this_machine_counts_what_is_missing(plan: Path, tmp_path: Path) -> None:
    folder = Folder.prepare(tmp_path / "shards", SMALL)
    folder.count(2)
    before = folder.file(2).stat().st_mtime_ns
    output = tmp_path / "all.cnt"
    words = ["run", plan, "--folder", folder.path, "-o", output]
    done = shell(*words, "--workers", 1)  # the old name of --threads
    assert (done.returncode, done.stderr) == (0, "")
    assert Counts.load(output) == merge(run_shard(SMALL, index) for index in range(4))
    assert folder.file(2).stat().st_mtime_ns == before
    done = shell(*words)
    assert (done.returncode, "--force replaces it" in done.stderr) == (1, True)
    assert shell(*words, "--force").returncode == 0


@pytest.mark.parametrize("tasks", [1, 3, 1000])
def test_slurm_tasks_count_each_shard_once(plan: Path, tmp_path: Path, tasks: int) -> None:
    folder = tmp_path / "a folder"
    done = shell("slurm", plan, "--folder", folder, "--tasks", tasks)
    assert done.returncode == 0, done.stderr
    script = tmp_path / "job.sh"
    script.write_text(done.stdout)
    line = next(line for line in done.stdout.splitlines() if line.startswith("#SBATCH --array="))
    last = int(line.partition("0-")[2])
    assert last + 1 <= tasks
    for task in reversed(range(last + 1)):
        environment = os.environ | {"SLURM_ARRAY_TASK_ID": str(task)}
        subprocess.run(["bash", str(script)], check=True, env=environment)
    merged = Folder.prepare(folder, SMALL).merge(range(4))
    assert merged == merge(run_shard(SMALL, index) for index in range(4))


def test_what_is_wrong_is_named(plan: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(BIG.toml)
    folder = Folder.prepare(tmp_path / "shards", SMALL).path
    for words, code, message in [
        (["slurm", other, "--folder", folder], 1, "holds another campaign"),
        (
            ["slurm", tmp_path / "nowhere", "--folder", tmp_path / "new"],
            1,
            f"cannot read the campaign '{tmp_path}/nowhere': No such file or directory\n",
        ),
        (["slurm", plan, "--folder", plan], 1, f"cannot use the folder '{plan}': File exists\n"),
        (
            ["run", plan, "--folder", folder, "-o", tmp_path / "no" / "all.cnt"],
            1,
            f"cannot write '{tmp_path}/no/all.cnt': No such file or directory\n",
        ),
        (["slurm", plan, "--folder", folder, "--tasks", 0], 2, "it must be 1 or more"),
        (["slurm", plan, "--folder", folder, "--time", "a b"], 2, "sbatch does not take 'a b'"),
        (["shard", plan, "--folder", folder, "--index", 4], 1, "the shard is 4; it must be 0 to 3"),
    ]:
        done = shell(*words)
        assert (done.returncode, message in done.stderr) == (code, True), done.stderr


@pytest.mark.parametrize("words", ["slurm", "plan --rate 1 --key-rate 1", "run --help"])
def test_a_closed_pipe_is_no_error(words: str, plan: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "arcfour.campaign", *words.split()]
    command += [str(plan), "--folder", str(tmp_path / "shards")] * (words == "slurm")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, check=False, stdout=writer, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    os.close(writer)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE, text=True)
    message = "cannot write standard output: No space left on device"
    assert (done.returncode, done.stderr) == (1, f"arcfour.campaign: {message}\n")


@pytest.fixture
def lost(tmp_path: Path) -> list[object]:
    """What `find` is told of a text whose key of two unknown bytes is lost."""
    (tmp_path / "text").write_bytes(Cipher("rc4", bytes.fromhex("0a0bc0de")).encrypt(b"Attack"))
    release = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"
    program = Path(os.environ.get("ARCFOUR_PROGRAMS", release)) / "arcfour"
    words = ["find", "--folder", tmp_path / "a folder", "--program", program]
    return [*words, "--shards", 5, "--", "-c", tmp_path / "text", "--key-mask", "0a 0b ?? ??"]


def test_a_search_finds_the_key_and_proves_what_was_tried(
    lost: list[object], tmp_path: Path
) -> None:
    done = shell(*lost, "--plain-text", "Attack")
    assert (done.returncode, done.stdout) == (0, "0a0bc0de\n"), done.stderr
    # Whole, and a second time, from the records that are there.
    everything = [lost[0], "--all", *lost[1:], "--plain-text", "Attack"]
    assert shell(*everything).stdout == "0a0bc0de\n"
    records = sorted((tmp_path / "a folder").glob("[1-5].json"))
    assert len(records) == 5
    merged = subprocess.run(
        [str(lost[4]), "find", "merge", *map(str, records)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert merged.stderr == "arcfour: 65536 of 65536 keys were tried, each once\n"


def test_a_full_disk_leaves_no_half_description(lost: list[object], tmp_path: Path) -> None:
    """The next call would refuse the folder."""
    program, options = str(lost[4]), tuple(map(str, (*lost[8:], "--plain-text", "Attack")))
    script = f"""
import resource
from arcfour.campaign import Campaign, Folder
from arcfour.campaign.search import Search
resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
for prepare in (
    lambda: Folder.prepare("counts", Campaign.parse({SMALL.toml!r})),
    lambda: Search.prepare("records", 5, {program!r}, {options!r}),
):
    try:
        prepare()
    except OSError as error:
        print(error.strerror)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == (2 * "File too large\n", "")
    assert not [path for folder in ("counts", "records") for path in (tmp_path / folder).iterdir()]
    Folder.prepare(tmp_path / "counts", SMALL)
    Search.prepare(tmp_path / "records", 5, program, options)


def test_a_slurm_array_searches_each_shard(lost: list[object], tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    done = shell(lost[0], "--slurm", "--tasks", 2, *lost[1:], "--plain-text", "Attack")
    script.write_text(done.stdout)
    assert "--array=1-2\n" in done.stdout
    assert "find merge" in done.stdout
    for task in "21":
        environment = os.environ | {"SLURM_ARRAY_TASK_ID": task}
        subprocess.run(
            ["bash", str(script)], check=True, env=environment, stderr=subprocess.DEVNULL
        )
    assert shell(*lost, "--plain-text", "Attack").stdout == "0a0bc0de\n"
    assert len(list((tmp_path / "a folder").glob("[1-5].json"))) == 5


def test_a_search_that_cannot_be_is_named(lost: list[object], tmp_path: Path) -> None:
    nothing = shell(*lost, "--plain-text", "Nothing like it"[:6])
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert nothing.stderr == "arcfour.campaign: no key matches: every key was tried, once\n"
    for words, message in [
        ([*lost, "--plain-text", "Attack"], "holds another search; choose another folder"),
        ([*lost, "--plain-text", "too long a text"], "the plaintext reaches byte 14, from 0"),
        ([*lost, "--plain", "41", "--shard", "1/2"], "--shard is chosen for each shard; leave it"),
        ([*lost, "--plain", "41", "--threads=2"], "--threads is chosen for each shard; leave it"),
        ([*lost, "--plain", "41", "--estimate"], "--estimate is chosen for each shard; leave it"),
        # All lines of an error.
        ([*lost[:10], "--plain", "41", "--keys", "l1"], "cannot be used with:\n  --"),
        ([*lost[:6], 65537, *lost[7:], "--plain", "41"], "65537 shards; there must be 1 to 10000"),
        (
            [*lost[:4], tmp_path / "none", *lost[5:], "--plain", "41"],
            f"cannot run the program '{tmp_path}/none': No such file or directory\n",
        ),
    ]:
        done = shell(*words)
        assert (done.returncode, message in done.stderr) == (1, True), done.stderr
