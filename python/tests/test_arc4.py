"""ARC4 against PyCryptodome's: the same results, and exceptions of the same types."""

from __future__ import annotations

import array
import copy
import ctypes
import mmap
import weakref
from typing import TYPE_CHECKING, Any, cast

import arcfour
import numpy as np
import pytest
from arcfour import ARC4
from conftest import outcome
from Crypto.Cipher import ARC4 as ORACLE
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = b"Key"
KEYS: list[Any] = [
    b"",
    b"a",
    b"a" * 256,
    b"a" * 257,
    "",
    "text",
    "x" * 257,
    None,
    5,
    1.5,
    [1, 2, 3],
    (),
    {},
    bytearray(b"abc"),
    memoryview(b"abc"),
    memoryview(b"abcdef")[::2],
    memoryview(array.array("I", [1, 2])),
    memoryview(bytes(range(12))).cast("B", (3, 4))[0:0],
]
DROPS: list[Any] = [
    0,
    1,
    5,
    256,
    3072,
    True,
    np.int64(7),
    -1,
    -(1 << 62),
    -(1 << 63),
    -(1 << 64) - 1,
    -(1 << 70),
    3.0,
    "1",
    None,
    b"",
    1 << 63,
    1 << 70,
]
MESSAGES: list[Any] = [
    b"",
    b"a",
    b"Plaintext",
    bytes(100_000),
    bytearray(b"abc"),
    bytearray(),
    memoryview(b"abc"),
    memoryview(bytearray(b"abc"))[1:],
    memoryview(b"abcdef")[::2],
    memoryview(bytearray(b"abcdef"))[::-1],
    "text",
    None,
    5,
    1.5,
    [1, 2],
    ("a",),
    object(),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_keys(key: Any) -> None:
    ours, theirs = (outcome(lambda: arc4.new(key).encrypt(b"abc")) for arc4 in (ARC4, ORACLE))
    assert ours == theirs


@pytest.mark.parametrize("drop", DROPS, ids=repr)
def test_drops(drop: Any) -> None:
    ours, theirs = (outcome(lambda: arc4.new(KEY, drop).encrypt(b"abc")) for arc4 in (ARC4, ORACLE))
    assert ours == theirs
    if not isinstance(ours, type):
        assert ARC4.new(KEY, drop=drop).encrypt(b"abc") == ours


@pytest.mark.parametrize("start", [ARC4.new, ARC4.ARC4Cipher])
def test_a_drop_that_is_too_large_is_named(start: Any) -> None:
    for drop in (1 << 63, 1 << 70):
        with pytest.raises(OverflowError, match=f"drop is {drop}; it must be 0 to 9223372036854"):
            start(KEY, drop)


def test_a_drop_may_be_an_index() -> None:
    class Index:
        def __index__(self) -> int:
            return -(1 << 70)

    assert ARC4.new(KEY, cast("Any", Index())).encrypt(b"abc") == ORACLE.new(KEY).encrypt(b"abc")


@pytest.mark.parametrize("message", MESSAGES, ids=lambda m: repr(m)[:30])
@pytest.mark.parametrize("method", ["encrypt", "decrypt"])
def test_messages(method: str, message: Any) -> None:
    ours, theirs = (
        outcome(lambda: getattr(arc4.new(KEY), method)(message)) for arc4 in (ARC4, ORACLE)
    )
    assert ours == theirs
    assert type(ours) is type(theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda arc4: arc4.new(),
        lambda arc4: arc4.new(KEY, 1, 2),
        lambda arc4: arc4.new(KEY, iv=b"x"),
        lambda arc4: arc4.new(key=KEY, drop=3).encrypt(plaintext=b"abc"),
        lambda arc4: arc4.new(KEY).decrypt(ciphertext=b"abc"),
        lambda arc4: arc4.new(KEY).encrypt(ciphertext=b"abc"),
        lambda arc4: arc4.new(KEY).encrypt(),
        lambda arc4: arc4.block_size,
        lambda arc4: arc4.key_size,
        lambda arc4: arc4.new(KEY).block_size,
        lambda arc4: arc4.new(KEY).key_size,
        lambda arc4: isinstance(arc4.new(KEY), arc4.ARC4Cipher),
        lambda arc4: arc4.ARC4Cipher(KEY).encrypt(b"abc"),
        lambda arc4: arc4.ARC4Cipher(KEY, 3).encrypt(b"abc"),
        lambda arc4: arc4.ARC4Cipher(key=KEY, drop=3).decrypt(b"abc"),
        lambda arc4: arc4.ARC4Cipher(),
        lambda arc4: arc4.ARC4Cipher("rc4", KEY),
        lambda arc4: arc4.ARC4Cipher(KEY, 1, 2),
        lambda arc4: arc4.ARC4Cipher(KEY).key_size,
        lambda arc4: arc4.ARC4Cipher.__name__,
        lambda arc4: type(arc4.new(KEY)) is arc4.ARC4Cipher,
        lambda arc4: setattr(arc4.new(KEY), "note", 1),
        lambda arc4: weakref.ref(arc4.new(KEY))(),
        lambda arc4: subclass(arc4)("Key", 3).encrypt(b"abc"),
        lambda arc4: isinstance(subclass(arc4)("Key", 3), arc4.ARC4Cipher),
    ],
)
def test_interface(call: Callable[[Any], Any]) -> None:
    assert outcome(lambda: call(ARC4)) == outcome(lambda: call(ORACLE))


def subclass(arc4: Any) -> Any:
    """One with other arguments than its parent, and an attribute."""

    class Named(arc4.ARC4Cipher):  # type: ignore[misc]
        def __init__(self, password: str, note: int) -> None:
            self.note = note
            super().__init__(password.encode())

        def encrypt(self, plaintext: bytes) -> bytes:
            result: bytes = super().encrypt(plaintext)
            return bytes([self.note]) + result

    return Named


def test_other_ciphers_are_not_arc4() -> None:
    assert not isinstance(arcfour.Cipher("rc4", KEY), ARC4.ARC4Cipher)
    assert isinstance(ARC4.new(KEY), arcfour.Cipher)


def test_copies_of_a_subclass() -> None:
    cipher = subclass(ARC4)("Key", 3)
    cipher.encrypt(bytes(10))
    for duplicate in (cipher.copy(), copy.copy(cipher)):
        assert type(duplicate) is type(cipher)
        assert (duplicate.note, duplicate.position, duplicate.key_size) == (3, 10, 3)
        assert duplicate.encrypt(b"abc") == cipher.copy().encrypt(b"abc")


class Slotted(arcfour.Cipher):
    """A cipher with attributes in slots, one of them private and one not set."""

    __slots__ = ("__private", "name", "unset")

    def __init__(self) -> None:
        super().__init__("spritz", KEY)
        self.name, self.__private = ["a name"], 7

    def private(self) -> int:
        return self.__private


class Both(Slotted):
    """The same, with `__dict__` too, and with a `__getstate__` for pickle."""

    def __init__(self) -> None:
        super().__init__()
        self.note = 3

    def __getstate__(self) -> object:  # noqa: D105
        raise NotImplementedError


@pytest.mark.parametrize("kind", [Slotted, Both])
def test_copies_keep_slots(kind: Any) -> None:
    cipher = kind()
    for duplicate in (cipher.copy(), copy.copy(cipher), copy.deepcopy(cipher)):
        assert duplicate.name is cipher.name
        assert duplicate.private() == 7
        assert not hasattr(duplicate, "unset")
        assert getattr(duplicate, "note", None) == getattr(cipher, "note", None)


def test_a_subclass_that_forgets_the_key() -> None:
    class Forgets(ARC4.ARC4Cipher):
        def __init__(self) -> None:
            pass

    cipher = Forgets()
    assert "Forgets without a key at 0>" in repr(cipher)
    for use in (
        lambda: cipher.encrypt(b"abc"),
        lambda: cipher.keystream(1),
        lambda: cipher.skip(1),
        lambda: cipher.key_size,
        lambda: cipher.family,
        lambda: cipher.state,
        cipher.copy,
    ):
        with pytest.raises(RuntimeError, match="no key: its __init__ was not called"):
            use()


@given(
    st.binary(min_size=1, max_size=256),
    st.integers(0, 5000),
    st.lists(st.binary(max_size=6000), max_size=5),
)
def test_a_stream_in_any_pieces(key: bytes, drop: int, pieces: list[bytes]) -> None:
    ours, theirs = ARC4.new(key, drop), ORACLE.new(key, drop)
    for n, piece in enumerate(pieces):
        method = ("encrypt", "decrypt")[n % 2]
        assert getattr(ours, method)(piece) == getattr(theirs, method)(piece)


@pytest.mark.parametrize(
    "data",
    [
        np.arange(100, dtype=np.uint8),
        np.arange(100, dtype=np.float64),
        np.arange(60, dtype=np.int32).reshape(3, 4, 5),
        np.zeros((0, 3)),
        array.array("d", [1, 2, 3]),
        (ctypes.c_uint16 * 5)(1, 2, 3, 4, 5),
        mmap.mmap(-1, 4096),
        memoryview(bytes(range(12))).cast("B", (3, 4)),
    ],
    ids=repr,
)
def test_any_buffer_is_its_bytes(data: Any) -> None:
    """Further than PyCryptodome, which takes no arrays."""
    expected = ORACLE.new(KEY).encrypt(memoryview(data).tobytes())
    assert ARC4.new(KEY).encrypt(data) == expected


def test_strided_arrays_are_refused() -> None:
    for data in (np.arange(10, dtype=np.uint8)[::2], np.asfortranarray(np.ones((3, 4)))):
        with pytest.raises(BufferError):
            ARC4.new(KEY).encrypt(data)
        with pytest.raises(BufferError):
            ARC4.new(KEY).encrypt(bytes(data.nbytes), output=data)


@pytest.mark.parametrize(
    "objects",
    [
        np.array([object(), object(), None]),
        np.zeros(3, dtype=[("Offset", "u1", 7), ("o", "O")]),
        (ctypes.py_object * 3)(),
    ],
    ids=["array", "record", "ctypes"],
)
def test_arrays_of_objects_are_refused(objects: Any) -> None:
    """As output they would be written over, and the interpreter would crash at their next use."""
    cipher = ARC4.new(KEY)
    for call in (
        lambda: cipher.encrypt(bytes(memoryview(objects).nbytes), output=objects),
        lambda: cipher.encrypt(objects),
        lambda: ARC4.new(objects),
    ):
        with pytest.raises(TypeError, match="holds references to Python objects"):
            call()
    assert cipher.position == 0


def test_records_with_names_like_formats_are_bytes() -> None:
    data = np.zeros(3, dtype=[("Offset", "u1"), ("O", "u2")])
    assert ARC4.new(KEY).encrypt(data) == ORACLE.new(KEY).encrypt(data.tobytes())


@pytest.mark.parametrize("size", [0, 1, 9, 4096, 4097, 3_000_000])
def test_output_in_place_and_elsewhere(size: int) -> None:
    plain = bytes(n % 251 for n in range(size))
    expected = ORACLE.new(KEY).encrypt(plain)
    for output in (bytearray(size), memoryview(bytearray(size)), np.zeros(size, dtype=np.uint8)):
        assert ARC4.new(KEY).encrypt(plain, output=output) is None
        assert bytes(output) == expected
    data = bytearray(plain)
    assert ARC4.new(KEY).encrypt(data, data) is None
    assert data == expected
    assert ARC4.new(KEY).decrypt(data, output=memoryview(data)) is None
    assert data == plain


@pytest.mark.parametrize("shift", [-3, -1, 1, 3, 5000])
def test_output_that_overlaps_the_input(shift: int) -> None:
    size = 9000
    plain = bytes(n % 251 for n in range(size))
    memory = bytearray(size + 10_000)
    start = 5000
    memory[start : start + size] = plain
    view = memoryview(memory)
    output = view[start + shift : start + shift + size]
    ARC4.new(KEY).encrypt(view[start : start + size], output=output)
    assert output == ORACLE.new(KEY).encrypt(plain)


@pytest.mark.parametrize(
    ("output", "error", "message"),
    [
        (bytearray(2), ValueError, "the output has 2 bytes; it must have the 3 of the input"),
        (bytearray(4), ValueError, "the output has 4 bytes"),
        (b"abc", TypeError, "the output, a bytes, is read-only"),
        (memoryview(b"abc"), TypeError, "read-only"),
        ("abc", TypeError, "bytes-like"),
        (5, TypeError, "bytes-like"),
        (memoryview(bytearray(6))[::2], BufferError, "contiguous"),
    ],
    ids=repr,
)
def test_bad_outputs_leave_the_stream_where_it_was(
    output: Any, error: type[Exception], message: str
) -> None:
    """The types are the same as for PyCryptodome's AES, because its ARC4 has no output."""
    cipher = ARC4.new(KEY)
    with pytest.raises(error, match=message):
        cipher.encrypt(b"abc", output=output)
    assert cipher.position == 0
    assert cipher.encrypt(b"abc") == ORACLE.new(KEY).encrypt(b"abc")


def test_output_cannot_be_resized_meanwhile() -> None:
    data = bytearray(10)
    ARC4.new(KEY).encrypt(data, output=data)
    data.extend(b"and again it can")


def test_messages_name_value_and_range() -> None:
    with pytest.raises(ValueError, match="the key has 257 bytes; it must have 1 to 256"):
        ARC4.new(bytes(257))
    with pytest.raises(ValueError, match="the key has 264 bytes; it must have 1 to 256"):
        ARC4.new(array.array("d", [0.0] * 33))
