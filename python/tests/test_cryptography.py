"""arcfour.compat.cryptography against the package cryptography, call by call."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from arcfour.compat import cryptography as ours
from conftest import outcome
from cryptography.exceptions import AlreadyFinalized
from cryptography.hazmat.decrepit.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers import Cipher
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

THEIRS: Any = SimpleNamespace(
    Cipher=Cipher, algorithms=algorithms, AlreadyFinalized=AlreadyFinalized
)
OURS: Any = ours
KEY = b"0123456789abcdef"


def named(result: object) -> object:
    """An exception by its name: AlreadyFinalized is a class of each package."""
    return result.__name__ if isinstance(result, type) else result


def start(package: Any, key: Any = KEY) -> Any:
    return package.Cipher(package.algorithms.ARC4(key), mode=None).encryptor()


def ended(package: Any) -> Any:
    context = start(package)
    assert context.finalize() == b""
    return context


def into(package: Any, data: Any, room: Any) -> tuple[int, bytes]:
    return start(package).update_into(data, room), bytes(room)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: start(p).update(b"Plaintext"),
        lambda p: start(p).update(b""),
        lambda p: start(p).update(bytearray(5000)),
        lambda p: start(p).update("text"),
        lambda p: start(p).update(None),
        lambda p: start(p).finalize(),
        lambda p: start(p, bytearray(KEY)).update(b"abc"),
        lambda p: start(p, "0123456789abcdef"),
        lambda p: start(p, None),
        lambda p: ended(p).update(b"abc"),
        lambda p: ended(p).update(b""),
        lambda p: ended(p).update_into(b"abc", bytearray(3)),
        lambda p: ended(p).finalize(),
        lambda p: into(p, b"abc", bytearray(3)),
        lambda p: into(p, b"abc", bytearray(10)),
        lambda p: into(p, b"abc", bytearray(2)),
        lambda p: into(p, b"abc", bytes(3)),
        lambda p: into(p, b"abc", "abc"),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), None, None).decryptor().update(b"abc"),
        lambda p: p.Cipher(b"RC4", mode=None),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY)),
        lambda p: p.algorithms.ARC4(KEY).name,
        lambda p: p.algorithms.ARC4(KEY).key_size,
        lambda p: bytes(p.algorithms.ARC4(KEY).key),
        lambda p: p.algorithms.ARC4.key_sizes,
    ],
)
def test_the_same(call: Callable[[Any], Any]) -> None:
    assert named(outcome(lambda: call(OURS))) == named(outcome(lambda: call(THEIRS)))


@pytest.mark.parametrize("size", range(40))
def test_key_sizes(size: int) -> None:
    key = bytes(range(size))
    result = named(outcome(lambda: start(OURS, key).update(b"abc")))
    assert result == named(outcome(lambda: start(THEIRS, key).update(b"abc")))


@given(
    st.sampled_from([5, 7, 8, 10, 16, 20, 24, 32]).flatmap(
        lambda size: st.binary(min_size=size, max_size=size)
    ),
    st.lists(st.binary(max_size=6000), max_size=5),
)
def test_a_stream_in_any_pieces(key: bytes, pieces: list[bytes]) -> None:
    mine, other = start(OURS, key), start(THEIRS, key)
    for piece in pieces:
        room = bytearray(piece)
        assert mine.update_into(room, room) == len(piece)
        assert room == other.update(piece)
    assert mine.finalize() == other.finalize() == b""


def test_a_cipher_starts_anew_each_time() -> None:
    cipher = OURS.Cipher(OURS.algorithms.ARC4(KEY), mode=None)
    sealed = cipher.encryptor().update(b"Attack at dawn")
    assert cipher.decryptor().update(sealed) == b"Attack at dawn"


def test_there_are_no_modes() -> None:
    with pytest.raises(TypeError, match="RC4 has no modes: the mode must be None, not 'ECB'"):
        OURS.Cipher(OURS.algorithms.ARC4(KEY), mode="ECB")
