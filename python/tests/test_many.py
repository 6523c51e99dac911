"""keystreams(): the keystreams of many keys, each as Cipher makes it."""

from __future__ import annotations

import signal
import threading
from typing import Any

import arcfour
import numpy as np
import pytest
from arcfour import Cipher, keystreams

KEYS = [bytes([n % 251, n // 251]) + bytes(n % 9) for n in range(500)]


def one_by_one(keys: list[bytes], n: int, family: str = "rc4", **options: Any) -> list[bytes]:
    return [Cipher(family, key, **options).keystream(n) for key in keys]


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("n", [1, 16, 257])
def test_each_row_is_the_keystream_of_its_key(n: int, threads: int | None) -> None:
    rows = keystreams(KEYS, n, threads=threads)
    assert rows.shape == (500, n)
    assert rows.dtype == np.uint8
    assert [row.tobytes() for row in rows] == one_by_one(KEYS, n)


@pytest.mark.parametrize("family", ["rc4", "rc4a"])
@pytest.mark.parametrize("n", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 200_000])
def test_rows_that_are_made_in_parts(n: int, family: str) -> None:
    rows = keystreams(KEYS[:37], n, family=family, threads=1)
    assert [row.tobytes() for row in rows] == one_by_one(KEYS[:37], n, family)


@pytest.mark.parametrize("family", arcfour.families)
@pytest.mark.parametrize("drop", [0, 1, 3072])
def test_every_family_and_drop(family: str, drop: int) -> None:
    iv = b"IV" if family.startswith("vmpc") else None
    rows = keystreams(KEYS[:50], 20, family=family.upper(), iv=iv, drop=drop)
    expected = one_by_one(KEYS[:50], 20, family, iv=iv, drop=drop)
    assert [row.tobytes() for row in rows] == expected


def test_an_array_of_keys() -> None:
    keys = np.arange(600, dtype=np.uint8).reshape(120, 5)
    assert (keystreams(keys, 40) == keystreams([row.tobytes() for row in keys], 40)).all()


def test_nothing_to_do() -> None:
    assert keystreams([], 9).shape == (0, 9)
    assert keystreams(KEYS, 0).shape == (500, 0)
    assert keystreams(np.zeros((0, 16), dtype=np.uint8), 9).shape == (0, 9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (dict(keys=[b"a", b""], n=1), ValueError, "key 1 has 0 bytes; it must have 1 to 256"),
        (dict(keys=[bytes(257)], n=1), ValueError, "key 0 has 257 bytes"),
        (dict(keys=np.zeros((2, 257), dtype=np.uint8), n=1), ValueError, "key 0 has 257 bytes"),
        (dict(keys=np.zeros((2, 16)), n=1), TypeError, "array of bytes with two dimensions"),
        (dict(keys=b"one key", n=1), TypeError, "array of bytes with two dimensions"),
        (dict(keys=["text"], n=1), TypeError, "bytes-like"),
        (dict(keys=5, n=1), TypeError, "not iterable"),
        (dict(keys=[b"a"], n=-1), ValueError, "n is -1; it must be 0 to"),
        (dict(keys=[b"a"] * 4, n=1 << 62), MemoryError, "4 keystreams of 4611686"),
        (dict(keys=[b"a"], n=1 << 62), MemoryError, "4.00 EiB"),
        (dict(keys=[b"a"], n=(1 << 63) - 1), MemoryError, "EiB"),
        (dict(keys=[b"a"], n=1, family="rc5"), ValueError, 'no family "rc5"'),
        (dict(keys=[b"a"], n=1, family="vmpc"), TypeError, "vmpc needs an IV"),
        (dict(keys=[b"a"], n=1, iv=b"x"), TypeError, "rc4 takes no IV"),
        (dict(keys=[b"a"], n=1, drop=-1), ValueError, "drop is -1"),
        (dict(keys=[b"a"], n=1, threads=0), ValueError, "threads is 0; it must be 1 to 256"),
    ],
    ids=str,
)
def test_bad_arguments(
    arguments: Any, error: type[Exception], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(error, match=message):
        keystreams(**arguments)
    assert capfd.readouterr().err == ""


def test_interrupts_end_it() -> None:
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        keystreams([b"Key"], 1, drop=1 << 50)
    timer.join()
