"""find(): the keys that explain a ciphertext, against a plain loop over all of them."""

from __future__ import annotations

import signal
import threading
from collections import UserDict
from types import MappingProxyType
from typing import Any

import arcfour
import pytest
from arcfour import Cipher, find

KEY = bytes([0x1F, 0x8B, 0x42, 0x06, 0x9D])
TEXT = b"%PDF-1.3 and so on"
FILE = Cipher("rc4", KEY).encrypt(TEXT)
MASK = "1f ?b ?? 06 9d"


@pytest.mark.parametrize(
    "plaintext",
    [
        TEXT,
        "25 50 44 46 2d 31 2e [30-37]",
        {5: b"1.3", 0: "25504446"},
        {9: b"and so"},
        MappingProxyType({9: b"and so"}),
        UserDict({5: b"1.3", 0: "25504446"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("threads", [1, 2, None])
def test_the_key_is_found(plaintext: Any, threads: int | None) -> None:
    assert find(FILE, MASK, plaintext=plaintext, threads=threads) == [KEY]


def test_all_keys_that_match_in_order() -> None:
    """Of one known byte, many keys are right."""
    space = [bytes([a, b]) for a in range(256) for b in range(256)]
    right = [key for key in space if Cipher("rc4", key).encrypt(b"A") == FILE[:1]]
    assert 200 < len(right) < 320
    assert find(FILE[:1], "??{2}", plaintext=b"A") == right


def test_shards_are_the_whole() -> None:
    whole = find(FILE[:1], "?? ?? 07", plaintext=b"A")
    parts = [find(FILE[:1], "?? ?? 07", plaintext=b"A", shard=(n, 7)) for n in range(1, 8)]
    assert sum(parts, []) == whole  # noqa: RUF017
    assert all(parts)


@pytest.mark.parametrize("family", arcfour.families)
def test_every_family(family: str) -> None:
    iv = b"IV" if family.startswith("vmpc") else None
    file = Cipher(family, b"\x05k", iv=iv, drop=9).encrypt(TEXT)
    assert find(file, "?? 6b", plaintext=TEXT, family=family, iv=iv, drop=9) == [b"\x05k"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("printable", b"Attack at dawn, they said, and so they did. What else is there?"),
        ("utf8", "Überfall im Morgengrauen, hieß es, und so geschah es. Was sonst? →".encode()),
        ("zip", bytes.fromhex("504b030414000000080000002100") + bytes(20)),
    ],
)
def test_kinds_of_text(kind: Any, text: bytes) -> None:
    assert find(Cipher("rc4", KEY).encrypt(text), MASK, kind=kind) == [KEY]


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    assert find(FILE, MASK, plaintext=TEXT, progress=lambda *done: seen.append(done)) == [KEY]
    assert seen[-1] == (4096, 4096)
    assert seen == sorted(seen)


def test_progress_that_raises_ends_it() -> None:
    def enough(done: int, _all: int) -> None:
        raise LookupError(done)

    with pytest.raises(LookupError):
        find(FILE, "??{7}", plaintext=TEXT, progress=enough)


def test_interrupts_end_it() -> None:
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        find(FILE, "??{7}", plaintext=TEXT)
    timer.join()


class Odd:
    """An object whose class cannot be read."""

    def __getattribute__(self, name: str) -> object:
        """Refuse."""
        raise LookupError(name)


def test_what_an_odd_plaintext_raises_is_not_hidden() -> None:
    with pytest.raises(LookupError):
        find(FILE, MASK, plaintext=Odd())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (dict(keys="1"), ValueError, "keys: "),
        (dict(keys="??{9}"), ValueError, r"keys: .*2\^72.0 keys; the most is 2\^64"),
        (dict(plaintext="zz"), ValueError, "plaintext: "),
        (dict(plaintext=b""), ValueError, "plaintext: "),
        (dict(plaintext="??"), ValueError, "no byte of the plaintext is known"),
        (dict(plaintext={17: b"on"}), ValueError, "has 18 bytes"),
        (dict(plaintext={-1: b"on"}), ValueError, "offset is -1"),
        (dict(plaintext=5), TypeError, "bytes-like"),
        (dict(plaintext=None), TypeError, "give plaintext= or kind="),
        (dict(kind="text"), ValueError, 'kind is "text"; it must be'),
        (dict(family="vmpc"), TypeError, "needs an IV"),
        (dict(shard=(3, 2)), ValueError, "shard: shard 3 of 2 does not exist"),
        (dict(threads=257), ValueError, "threads is 257; it must be 1 to 256"),
        (dict(keys="??{3}", plaintext="[00-fe]"), RuntimeError, "too little is known"),
    ],
    ids=str,
)
def test_bad_arguments(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    arguments: dict[str, Any] = {"keys": MASK, "plaintext": TEXT, **changes}
    with pytest.raises(error, match=message):
        find(FILE, **arguments)
