"""Counts and campaigns, against the keystreams themselves."""

from __future__ import annotations

import copy
import pickle
from hashlib import shake_256
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from arcfour import Cipher, campaign, statistics
from arcfour.campaign import Campaign, Counts, merge, run_shard

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SEED = bytes(range(32))


def plan(**changes: Any) -> Campaign:
    arguments: dict[str, Any] = {
        "seed": SEED,
        "shards": 4,
        "keystreams": 1000,
        "single": 3,
        "digraphs": 2,
        "pairs": [(1, 3)],
        "equal": [(1, 2), (2, 3)],
        "long_term": 5,
        "absab": (2, 3),
        "roos": 4,
        "roos_output": True,
        "glimpse": 2,
    }
    return Campaign(**{**arguments, **changes})


def light(**changes: Any) -> Campaign:
    """One whose counts are small."""
    return Campaign(**{"seed": SEED, "shards": 4, "keystreams": 1000, "single": 3, **changes})


def test_counts_are_those_of_the_keystreams() -> None:
    """With keys of one byte all keys are known by their first bytes, whatever the seed."""
    counts = run_shard(plan(key_length=1, keystreams=5000, roos_output=False), 0)
    digraphs = counts.digraphs
    firsts = {tuple(Cipher("rc4", bytes([k])).keystream(3)) for k in range(256)}
    assert set(zip(*np.nonzero(digraphs[0]), strict=True)) == {z[:2] for z in firsts}
    assert set(zip(*np.nonzero(digraphs[1]), strict=True)) == {z[1:] for z in firsts}
    assert set(zip(*np.nonzero(counts.pairs[0]), strict=True)) == {z[::2] for z in firsts}


def test_shapes_types_and_sums() -> None:
    counts = run_shard(plan(), 0)
    shapes = {
        "single": (3, 256),
        "digraphs": (2, 256, 256),
        "pairs": (1, 256, 256),
        "equal": (2, 2),
        "long_term": (256, 256, 256),
        "absab": (3, 2),
        "roos": (4, 256),
        "roos_output": (1, 256, 256),
        "glimpse": (2, 256),
    }
    for name, shape in shapes.items():
        table = getattr(counts, name)
        assert table.shape == shape
        assert table.dtype == np.uint64
        table += 1  # it belongs to the caller
        assert (getattr(counts, name) == table - 1).all()
    assert (counts.single.sum(axis=1) == 1000).all()
    assert (counts.digraphs.sum(axis=2) == counts.single[:2]).all()
    assert (counts.digraphs.sum(axis=1) == counts.single[1:]).all()
    assert (counts.pairs[0].sum(axis=1) == counts.single[0]).all()
    assert counts.equal[0, 1] == np.trace(counts.digraphs[0])
    assert counts.equal.sum(axis=1).tolist() == [1000, 1000]
    assert counts.long_term.sum(axis=(1, 2)).tolist() == [0, *[1000] * 5, *[0] * 250]
    assert (counts.long_term[1] == counts.digraphs[0]).all()
    assert counts.absab.sum(axis=1).tolist() == [2000, 2000, 2000]
    assert (counts.roos.argmax(axis=1) == 0).all()  # Roos: some 37 % each
    assert counts.roos_output.sum() == 1000
    assert (counts.glimpse.sum(axis=1) == 1000).all()


def test_tables_not_counted_are_empty() -> None:
    counts = run_shard(Campaign(SEED, 1, 10, single=1), 0)
    assert counts.digraphs.shape == (0, 256, 256)
    assert counts.absab.shape == (0, 2)


def test_statistics() -> None:
    single = statistics.single_byte(100_000, 5, seed=SEED)
    pairs = statistics.digraphs(100_000, 4, seed=SEED)
    assert (single.shape, pairs.shape) == ((5, 256), (4, 256, 256))
    assert (pairs.sum(axis=2) == single[:4]).all()
    assert (pairs.sum(axis=1) == single[1:]).all()
    assert single[1, 0] > 1.8 * 100_000 / 256  # Mantin and Shamir
    again = statistics.single_byte(100_000, 5, seed=SEED)
    assert (single == again).all()
    assert (single != statistics.single_byte(100_000, 5)).any()
    dropped = statistics.single_byte(100_000, 3, seed=SEED, drop=2)
    assert (dropped == single[2:]).all()
    tkip = statistics.single_byte(100_000, 1, seed=SEED, key_pattern="tkip")
    assert (tkip != single[:1]).any()


def test_threads_count_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shards depend only on the seed, for any number of keystreams."""
    monkeypatch.setattr(statistics, "SHARD", 30_000)
    one = statistics.single_byte(100_000, 3, seed=SEED, threads=1)
    assert (one.sum(axis=1) == 100_000).all()
    assert (statistics.single_byte(100_000, 3, seed=SEED, threads=3) == one).all()
    plan = Campaign(SEED, 3, 30_000, single=3)
    rest = run_shard(Campaign(SEED, 4, 10_000, single=3), 3)
    whole = merge(run_shard(plan, index) for index in range(3))
    assert (one == whole.single + rest.single).all()
    for threads in (0, 257):
        with pytest.raises(ValueError, match=f"threads is {threads}; it must be 1 to 256"):
            statistics.single_byte(10, threads=threads)


@pytest.mark.parametrize("family", ["RC4A", "vmpc", "parc4i"])
def test_every_family_is_counted(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keystream by keystream, whatever is held at a time."""
    how: dict[str, Any] = dict(family=family, iv=b"IV" if family == "vmpc" else None, seed=SEED)
    how |= dict(key_length=5, drop=1)
    single = statistics.single_byte(1000, 3, **how)
    pairs = statistics.digraphs(1000, 2, **how)
    groups = [shake_256(SEED + bytes([n, *bytes(7)])).digest(256 * 5) for n in range(4)]
    keys = b"".join(groups)
    counted = np.zeros_like(single)
    for at in range(1000):
        cipher = Cipher(family.lower(), keys[5 * at :][:5], iv=how["iv"])
        cipher.skip(1)
        counted[range(3), list(cipher.keystream(3))] += 1
    assert (single == counted).all()
    assert (pairs.sum(axis=2) == single[:2]).all()
    assert (pairs.sum(axis=1) == single[1:]).all()
    monkeypatch.setattr(statistics, "BLOCK", 1)
    assert (statistics.single_byte(1000, 3, **how, threads=1) == single).all()


def test_statistics_of_families_refuse() -> None:
    with pytest.raises(ValueError, match="rc5"):
        statistics.single_byte(10, family="rc5")
    with pytest.raises(TypeError):
        statistics.single_byte(10, family="vmpc")
    with pytest.raises(TypeError):
        statistics.digraphs(10, iv=b"x")
    with pytest.raises(ValueError, match="key_pattern is 'tkip'; of 'rc4a' it must be None"):
        statistics.single_byte(10, family="rc4a", key_pattern="tkip")


@pytest.mark.parametrize("family", ["rc4", "spritz"])
def test_progress(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "SHARD", 40_000)
    monkeypatch.setattr(statistics, "BLOCK", 1 << 18)
    seen: list[tuple[int, int]] = []
    statistics.single_byte(100_000, 8, family=family, progress=lambda *now: seen.append(now))
    assert seen == sorted(seen)
    assert seen[-1] == (100_000, 100_000)
    assert len({done for done, _ in seen}) > 1

    def stop(done: int, total: int) -> None:
        message = f"{done} of {total}"
        raise KeyError(message)

    with pytest.raises(KeyError, match="of 1099511627776"):
        statistics.single_byte(1 << 40, 8, family=family, progress=stop)


def test_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    statistics.single_byte(100_000, 1, progress=True)
    text = capsys.readouterr().err
    assert "100%" in text
    assert "100k/100k" in text


def published(first: int, table: Any) -> str:
    """Counts as Vanhoef and Piessens publish theirs."""
    head = "%%%%\r\n%    [position] [byte-value] [count]\r\n%\r\n      \r\n"
    return head + "".join(
        f"{first + r:3} {v:3} {count}\r\n" for (r, v), count in np.ndenumerate(table)
    )


def test_published_tables(tmp_path: Path) -> None:
    counts = run_shard(Campaign(SEED, 1, 1 << 18, single=4), 0)
    other = run_shard(Campaign(bytes(32), 1, 1 << 20, single=3), 0)
    for first in (0, 1):
        (tmp_path / "table.txt").write_bytes(published(first, other.single).encode())
        table = statistics.read_table(tmp_path / "table.txt")
        assert (table.single == other.single).all()
        rows = statistics.compare(counts, table)
        assert rows.dtype == statistics.AGREEMENTS
        assert rows["position"].tolist() == [1, 2, 3]
        assert (rows["verdict"] == "agrees").all()
        assert (rows["degrees"] == 255).all()
    ours, theirs = counts.single[0], other.single[0]
    pooled = (ours + theirs) / (counts.keystreams + other.keystreams)
    chi_square = sum(
        ((found - pooled * size) ** 2 / (pooled * size)).sum()
        for found, size in ((ours, counts.keystreams), (theirs, other.keystreams))
    )
    assert rows[0]["chi_square"] == pytest.approx(chi_square)
    assert {row["event"]: row for row in statistics.verify(table)}["Z2 = 0"]["verdict"] == "seen"
    turned = run_shard(Campaign(SEED, 1, 1 << 18, single=3, drop=1), 0)
    (tmp_path / "table.txt").write_text(published(0, turned.single))
    rows = statistics.compare(counts, statistics.read_table(tmp_path / "table.txt"))
    assert "differs" in rows["verdict"]
    with pytest.raises(ValueError, match="another drop"):
        statistics.compare(counts, turned)
    (tmp_path / "table.txt").write_text("0 0 7\n0 2 7\n")
    with pytest.raises(ValueError, match=r"table.txt': line 2 is of position 0 and value 2"):
        statistics.read_table(tmp_path / "table.txt")
    with pytest.raises(FileNotFoundError):
        statistics.read_table(tmp_path / "none")


def sampled(path: Path, samples: NDArray[np.uint64]) -> Counts:
    """Counts of samples, of shape (positions, 256), by way of a table."""
    path.write_text(published(0, samples))
    return statistics.read_table(path)


@pytest.mark.parametrize("trials", [1, 40, 300, 6000, 100_000])
def test_small_samples_raise_no_false_alarm(trials: int, tmp_path: Path) -> None:
    """Between samples of one biased distribution p-values are as rare as they say."""
    draw = np.random.default_rng(trials)
    bias = np.ones(256)
    bias[0] = 2
    p, positions, rounds = bias / bias.sum(), 400, 2
    found, totals, tested = [], [], 0
    for _ in range(rounds):
        other = draw.multinomial(trials * draw.integers(1, 30), p, positions).astype(np.uint64)
        mine = draw.multinomial(trials, p, positions).astype(np.uint64)
        rows = statistics.compare(
            sampled(tmp_path / "mine", mine), sampled(tmp_path / "other", other)
        )
        assert "differs" not in rows["verdict"]
        assert ((rows["degrees"] == 0) == (rows["verdict"] == "too few samples")).all()
        found += rows["p_value"][rows["degrees"] > 0].tolist()
        if rows["degrees"].any():
            tested += 1
            spread = np.sqrt(2 * rows["degrees"].sum())
            totals.append((rows["chi_square"].sum() - rows["degrees"].sum()) / spread)
    assert (tested == 0) == (trials < 40)
    for level in (0.1, 0.01):
        most = len(found) * level
        assert sum(p < level for p in found) <= most + 4 * np.sqrt(most) + 1
    assert all(abs(z) < 4 for z in totals)


def test_a_small_sample_that_differs_is_seen(tmp_path: Path) -> None:
    """300 bytes, a fifth of them 0, beside 300 uniform bytes."""
    draw = np.random.default_rng(0)
    skewed = np.full(256, 0.8 / 255)
    skewed[0] = 0.2
    rows = statistics.compare(
        sampled(tmp_path / "a", draw.multinomial(300, skewed, 20).astype(np.uint64)),
        sampled(tmp_path / "b", draw.multinomial(300, np.full(256, 1 / 256), 20).astype(np.uint64)),
    )
    assert (rows["verdict"] == "differs").all()


@pytest.mark.parametrize("keystreams", [1, 7, 60, 500, 4000])
def test_few_keystreams_miss_no_bias(keystreams: int) -> None:
    """What a sample is too small to show is never called missing."""
    shards = Campaign(SEED, 40, keystreams, single=257, digraphs=1, equal=[(1, 2)])
    for index in range(40):
        assert "missing" not in statistics.verify(run_shard(shards, index))["verdict"]


def test_verify() -> None:
    counts = run_shard(Campaign(SEED, 1, 1 << 20, single=257, digraphs=1, equal=[(1, 2)]), 0)
    table = statistics.verify(counts)
    assert table.dtype == statistics.VERDICTS
    rows = {row["event"]: row for row in table}
    z2 = rows["Z2 = 0"]
    assert z2["verdict"] == "seen"
    assert z2["source"].startswith("Mantin, Shamir")
    assert z2["hits"] == counts.single[1, 0]
    assert z2["trials"] == 1 << 20
    assert z2["chance"] == 1 / 256
    assert z2["measured"] == z2["hits"] / z2["trials"]
    assert abs(z2["z"] - z2["expected_z"]) < 5
    assert rows["Z256 = 0"]["verdict"] == "too few samples"
    assert "missing" not in table["verdict"]
    few = statistics.verify(run_shard(Campaign(SEED, 1, 10, single=257, digraphs=1), 0))
    assert (few["verdict"] == "too few samples").all()
    empty = statistics.verify(run_shard(Campaign(SEED, 1, 10, digraphs=1, key_length=5), 0))
    assert (empty.shape, empty.dtype) == ((0,), statistics.VERDICTS)


def test_merge_adds_and_refuses() -> None:
    shards = [run_shard(light(), index) for index in range(4)]
    total = merge(shards[n] for n in (2, 0, 3, 1))
    assert (total.shards, total.keystreams) == ([(0, 3)], 4000)
    assert (total.single == sum(counts.single for counts in shards)).all()
    assert total == merge(shards)
    assert total != shards[0]
    with pytest.raises(ValueError, match="shard 1 is counted already"):
        merge([total, shards[1]])
    with pytest.raises(ValueError, match="it belongs to another campaign"):
        merge([shards[0], run_shard(light(single=4), 1)])
    with pytest.raises(ValueError, match="no counts to merge"):
        merge([])
    bad: Any
    for bad in (5, [5], [shards[0], None]):
        with pytest.raises(TypeError):
            merge(bad)


def test_campaigns_and_counts_travel(tmp_path: Path) -> None:
    original = light(key_pattern="tkip", drop=3)
    (tmp_path / "campaign.toml").write_text(original.toml)
    counts = run_shard(original, 1)
    counts.save(tmp_path / "1.cnt")
    with pytest.raises(FileExistsError):
        counts.save(tmp_path / "1.cnt")
    counts.save(tmp_path / "1.cnt", overwrite=True)
    for same in (
        pickle.loads(pickle.dumps(original)),
        copy.deepcopy(original),
        Campaign.parse(original.toml),
        Campaign.load(tmp_path / "campaign.toml"),
        counts.campaign,
    ):
        assert same == original
        assert hash(same) == hash(original)
        assert same.hash == original.hash
        assert (same.seed, same.shards, same.keystreams) == (SEED, 4, 1000)
        assert (same.key_length, same.drop) == (16, 3)
    assert original != light()
    for also in (pickle.loads(pickle.dumps(counts)), Counts.load(tmp_path / "1.cnt")):
        assert also == counts


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"seed": bytes(31)}, ValueError, "the seed has 31 bytes; it must have 32"),
        ({"seed": "5a" * 32}, TypeError, "bytes-like"),
        ({"shards": 0}, ValueError, "shards is 0; it must be 1 to 4294967296"),
        ({"keystreams": -1}, ValueError, "keystreams is -1; it must be 1 to 4611686018427387904"),
        ({"keystreams": 1 << 64}, ValueError, "keystreams is 18446744073709551616"),
        ({"key_length": 257}, ValueError, "key_length is 257; it must be 1 to 256"),
        ({"key_length": 2, "key_pattern": "tkip"}, ValueError, "key-length is 2; it must be 3"),
        ({"key_pattern": "wep"}, ValueError, 'key_pattern is "wep"; it must be "tkip"'),
        ({"pairs": [(0, 1)]}, ValueError, "a position of pairs is 0; it must be 1 to"),
        ({"pairs": [(1, 2, 3)]}, ValueError, "length"),
        ({"pairs": 5}, TypeError, "pairs"),
        ({"digraphs": 3000}, ValueError, "the number of cells is"),
        ({"single": -1}, ValueError, "single is -1; it must be 0 to 16777216"),
        ({"equal": [(1, 1 << 70)]}, ValueError, "a position of equal is 1180591620717411303424"),
        ({"singel": 1}, TypeError, "singel"),
    ],
    ids=str,
)
def test_bad_campaigns(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        plan(**changes)


def test_bad_files_and_shards(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Campaign.load(tmp_path / "missing")
    (tmp_path / "bad.toml").write_text("seed = 5")
    with pytest.raises(ValueError, match=r"bad.toml': line 1, column 8: invalid type"):
        Campaign.load(tmp_path / "bad.toml")
    data = bytearray(run_shard(light(), 0).to_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "bad.cnt").write_bytes(data)
    with pytest.raises(ValueError, match=r"bad.cnt': damaged: the checksum"):
        Counts.load(tmp_path / "bad.cnt")
    with pytest.raises(ValueError, match="not a file of counts"):
        Counts.parse(b"")
    for index in (4, -1, 1 << 64):
        with pytest.raises(IndexError, match=f"the shard is {index}; it must be 0 to 3"):
            run_shard(light(), index)


def test_a_campaign_shows_what_it_counts() -> None:
    what: dict[str, Any] = dict(
        single=3,
        digraphs=2,
        pairs=[(1, 3), (2, 5)],
        equal=[(1, 2)],
        long_term=9,
        absab=(7, 4),
        roos=5,
        roos_output=True,
        glimpse=6,
    )
    plan = campaign.Campaign(bytes(32), 2, 100, key_pattern="tkip", key_length=16, **what)
    assert {name: getattr(plan, name) for name in what} == what
    assert plan.key_pattern == "tkip"
    plan = campaign.Campaign(bytes(32), 2, 100, single=1)
    assert plan.key_pattern is None
    counts = campaign.run_shard(campaign.Campaign(bytes(32), 1, 1000, pairs=what["pairs"]), 0)
    assert len(counts.pairs) == len(counts.campaign.pairs)
