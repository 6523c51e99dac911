"""Campaigns in an object store: a real server of S3, and workers that race for shards."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import fsspec
import pytest
from arcfour.campaign import Campaign, Counts, merge, run_shard
from arcfour.campaign.store import Store
from slurm_daemons import free_ports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = bytes(range(32))
SMALL = Campaign(SEED, shards=6, keystreams=1000, single=3)
# A shard takes longer than the test.
LONG = Campaign(SEED, shards=1, keystreams=1 << 40, single=3)
ACCOUNT = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Start a server of S3; give its address."""
    (port,) = free_ports(1)
    words = ["-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        yield f"http://127.0.0.1:{port}"
        process.terminate()


@pytest.fixture
def bucket(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a bucket; give its URL."""
    for name, value in (ACCOUNT | {"AWS_ENDPOINT_URL": server}).items():
        monkeypatch.setenv(name, value)
    url = f"s3://{tmp_path.name.replace('_', '-')}"
    for attempt in range(60):
        try:
            fsspec.filesystem("s3", skip_instance_cache=True).mkdir(url)
            break
        except Exception:
            if attempt == 59:
                raise
            time.sleep(0.5)
    return f"{url}/c1"


def command(plan: Path, url: str, *words: object) -> list[str]:
    words = ("run", plan, "--folder", url, "-o", plan.parent / "all.cnt", *words)
    return [sys.executable, "-m", "arcfour.campaign", *map(str, words)]


def shell(plan: Path, url: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(plan, url, *words), check=False, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.toml"
    path.write_text(SMALL.toml)
    return path


def names(url: str) -> set[str]:
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    return {path.rpartition("/")[2] for path in files.ls(url, detail=False)}


def test_two_runs_race_and_count_each_shard_once(bucket: str, plan: Path) -> None:
    store = Store.prepare(bucket, SMALL)
    racers = [
        subprocess.Popen(command(plan, bucket, "--force"), stderr=subprocess.DEVNULL)
        for _ in range(2)
    ]
    for racer in racers:
        racer.wait(timeout=120)
    # A run that ended while the other still counted says so; the next one finds all shards.
    done = shell(plan, bucket, "--force")
    assert (done.returncode, done.stderr) == (0, "")
    assert names(bucket) == {"campaign.toml", *(f"{n}.cnt" for n in range(6))}
    assert store.claims() == {}
    total = Counts.load(plan.parent / "all.cnt")
    assert total == merge(run_shard(SMALL, index) for index in range(6))


def test_an_owned_shard_is_left_to_its_owner(bucket: str, plan: Path) -> None:
    store = Store.prepare(bucket, SMALL)
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.pipe_file(f"{bucket}/3.claim", b"node7:42")
    assert not store.count(3)
    done = shell(plan, bucket)
    assert done.returncode == 1
    assert done.stderr == (
        f"arcfour.campaign: 1 shards of '{bucket}' are not counted, first 3; "
        "claimed by node7:42; --release frees the claims of lost workers\n"
    )
    assert names(bucket) >= {"0.cnt", "5.cnt", "3.claim"}
    done = shell(plan, bucket, "--release")
    assert (done.returncode, done.stderr) == (0, "")
    assert Counts.load(plan.parent / "all.cnt").shards == [(0, 5)]


def test_a_killed_worker_leaves_its_claim_and_a_stopped_worker_none(
    bucket: str, plan: Path
) -> None:
    plan.write_text(LONG.toml)
    store = Store.prepare(bucket, LONG)
    for number, left in ((signal.SIGKILL, 1), (signal.SIGTERM, 0)):
        store.release()
        with subprocess.Popen(command(plan, bucket), stderr=subprocess.DEVNULL) as run:
            while not store.claims():
                assert run.poll() is None
                time.sleep(0.1)
            assert store.claims()[0].endswith(f":{run.pid}")
            run.send_signal(number)
            run.wait(timeout=60)
        assert len(store.claims()) == left


@pytest.mark.parametrize("kind", ["s3", "memory"])
def test_claims_that_disappear_are_no_claims(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker removes its claim after another has listed the names."""
    url = request.getfixturevalue("bucket") if kind == "s3" else "memory://gone/c1"
    store, (files, root) = Store(url, SMALL), fsspec.url_to_fs(url)
    files.pipe_file(f"{root}/campaign.toml", b"")
    files.pipe_file(f"{root}/2.claim", b"node7:42")
    with monkeypatch.context() as listed:
        listed.setattr(Store, "_names", lambda _: {"1.claim", "2.claim"})
        assert store.claims() == {2: "node7:42"}
        with pytest.raises(ValueError, match=r"6 shards .* claimed by node7:42; --release"):
            store.merge(range(6))
        listed.setattr(Store, "claims", lambda _: {1: "node1:1", 2: "node7:42"})
        store.release()
    assert store.claims() == {}

    def lost(*_: object, **__: object) -> None:
        """Another user releases all claims while the shard is counted."""
        store.release()
        raise InterruptedError

    monkeypatch.setattr("arcfour.campaign.store.run_shard", lost)
    with pytest.raises(InterruptedError):
        store.count(3)


def test_what_is_wrong_with_a_store_is_named(
    bucket: str, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.prepare(bucket, SMALL)
    for index in range(6):
        store.count(index)
    files = fsspec.filesystem("s3", skip_instance_cache=True)
    record = files.cat_file(f"{bucket}/2.cnt")
    for damaged, message in [
        (record[: len(record) // 2], f"'{bucket}/2.cnt': damaged"),
        (record.replace(b"counts 1", b"counts 2", 1), f"'{bucket}/2.cnt': not a file of counts"),
        (run_shard(SMALL, 1).to_bytes(), f"'{bucket}/2.cnt' holds"),
    ]:
        files.pipe_file(f"{bucket}/2.cnt", damaged)
        done = shell(plan, bucket)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert message in done.stderr
    plan.write_text(LONG.toml)
    assert "holds another campaign; choose another URL" in shell(plan, bucket).stderr
    (port,) = free_ports(1)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    done = shell(plan, bucket)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert f"'{bucket}' cannot be used: " in done.stderr


def test_a_store_without_conditional_writes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "_create", lambda *_: True)
    with pytest.raises(ValueError, match="has no conditional writes; workers would count twice"):
        Store.prepare("memory://c1", SMALL)
