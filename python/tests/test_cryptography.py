"""arcfour.compat.cryptography against the package cryptography, call by call."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import cryptography.exceptions
import numpy as np
import pytest
from arcfour.compat import cryptography as ours
from conftest import outcome
from cryptography.exceptions import AlreadyFinalized, UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers import algorithms
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, modes
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

THEIRS: Any = SimpleNamespace(Cipher=Cipher, algorithms=algorithms, CipherContext=CipherContext)
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
        lambda p: into(p, b"abc", memoryview(bytearray(6))[::2]),
        lambda p: into(p, b"abc", memoryview(bytearray(20))[::2]),
        lambda p: into(p, b"abc", memoryview(bytearray(4))[::2]),
        lambda p: into(p, memoryview(b"abcdef")[::2], bytearray(9)),
        lambda p: copy.copy(start(p)),
        lambda p: copy.deepcopy(start(p)),
        lambda p: pickle.dumps(start(p)),
        lambda p: copy.copy(ended(p)),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), mode=modes.CBC(bytes(16))),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), None, None).decryptor().update(b"abc"),
        lambda p: p.Cipher(b"RC4", mode=None),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY)),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), mode=5),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), mode="ECB"),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), mode=modes.CTR(bytes(16))),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), mode=modes.GCM(bytes(12))),
        lambda p: bool(p.Cipher(p.algorithms.ARC4(KEY), mode=modes.ECB())),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), mode=modes.ECB()).encryptor(),
        lambda p: p.Cipher(p.algorithms.ARC4(KEY), mode=modes.ECB()).decryptor(),
        lambda p: start(p).reset_nonce(b"nonce"),
        lambda p: start(p).reset_nonce("nonce"),
        lambda p: start(p).reset_nonce(),
        lambda p: ended(p).reset_nonce(b"nonce"),
        lambda p: isinstance(start(p), p.CipherContext),
        lambda p: isinstance(start(p), CipherContext),
        lambda p: start(p, np.str_("01234")).update(b"abc"),
        lambda p: start(p, np.array([object()] * 5)).update(b"abc"),
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
    with pytest.raises(AssertionError, match="RC4 has no modes: the mode must be None, not 5"):
        OURS.Cipher(OURS.algorithms.ARC4(KEY), mode=5)


def test_the_exceptions_are_caught_as_the_originals() -> None:
    """A program may import them from `cryptography` still."""
    with pytest.raises(AlreadyFinalized):
        ended(OURS).update(b"abc")
    with pytest.raises(UnsupportedAlgorithm):
        start(OURS).reset_nonce(b"nonce")
    for name in ("AlreadyFinalized", "UnsupportedAlgorithm"):
        assert issubclass(getattr(OURS, name), getattr(cryptography.exceptions, name))


@pytest.mark.parametrize("mode", [modes.CBC(bytes(16)), modes.CTR(bytes(16)), modes.ECB()])
def test_each_unsupported_mode_is_caught_by_our_name(mode: modes.Mode) -> None:
    with pytest.raises(OURS.UnsupportedAlgorithm):
        OURS.Cipher(OURS.algorithms.ARC4(KEY), mode=mode).encryptor()


WITHOUT = """
import sys
sys.modules["cryptography"] = None
from arcfour.compat.cryptography import *
cipher = Cipher(algorithms.ARC4(b"Quentin!"), mode=None)
context = cipher.encryptor()
assert isinstance(context, CipherContext)
assert context.update(b"Attack at dawn").hex() == "c556953577aed8873079cb42dff3"
for call, error in (
    (lambda: context.reset_nonce(b"nonce"), UnsupportedAlgorithm),
    (context.finalize, None),
    (context.finalize, AlreadyFinalized),
    (lambda: Cipher(cipher.algorithm, mode=5), AssertionError),
):
    try:
        assert call() == b"" and error is None
    except Exception as caught:
        assert type(caught) is error, caught
"""


def test_the_package_cryptography_is_not_needed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
