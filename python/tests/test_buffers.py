"""Whatever has bytes, by the buffer protocol: as input, key and output as for hashlib."""

from __future__ import annotations

import array
import ctypes
import mmap
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from arcfour import ARC4, Cipher, keystreams
from arcfour.compat.cryptography import Cipher as Compat
from arcfour.compat.cryptography import algorithms
from Crypto.Cipher import ARC4 as ORACLE
from hypothesis import example, given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = b"Key"


class Header(ctypes.Structure):
    """The head of a protocol."""

    _fields_ = (("kind", ctypes.c_uint16), ("O", ctypes.c_uint32), ("flag", ctypes.c_uint8, 3))


class Network(ctypes.BigEndianStructure):
    """Numbers as networks have them."""

    _fields_ = (("kind", ctypes.c_uint16), ("inner", ctypes.c_uint8 * 3))


class Packed(ctypes.Structure):
    """No gaps; its format says nothing of its fields."""

    _layout_ = "ms"
    _pack_ = 1
    _fields_ = (("kind", ctypes.c_uint8), ("offset", ctypes.c_uint32), ("header", Header))


class Either(ctypes.Union):
    """A union."""

    _fields_ = (("wide", ctypes.c_uint64), ("bytes", ctypes.c_uint8 * 8))


class Holder(ctypes.Structure):
    """It holds a reference to an object."""

    _fields_ = (("kind", ctypes.c_uint16), ("held", ctypes.py_object))


def mapped(data: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, len(data))
    memory[:] = data
    return memory


# What has the bytes given, by its name; each has a number of them that it takes.
Maker = tuple[int, "Callable[[bytes], Any]"]
MAKERS: dict[str, Maker] = {
    "bytes": (1, bytes),
    "bytearray": (1, bytearray),
    "memoryview": (1, memoryview),
    "memoryview of a bytearray": (1, lambda data: memoryview(bytearray(data))),
    "memoryview of words": (4, lambda data: memoryview(bytearray(data)).cast("I")),
    "memoryview of rows": (0, lambda data: memoryview(data).cast("B", (1, len(data)))),
    "mmap": (0, mapped),
    "array of words": (2, lambda data: array.array("H", data)),
    "array of floats": (8, lambda data: array.array("d", data)),
    "ctypes bytes": (1, lambda data: (ctypes.c_uint8 * len(data)).from_buffer_copy(data)),
    "ctypes words": (4, lambda data: (ctypes.c_uint32 * (len(data) // 4)).from_buffer_copy(data)),
    "ctypes rows": (
        6,
        lambda data: (ctypes.c_uint16 * 3 * (len(data) // 6)).from_buffer_copy(data),
    ),
    "ctypes records": (12, lambda data: (Header * (len(data) // 12)).from_buffer_copy(data)),
    "numpy words": (4, lambda data: np.frombuffer(data, dtype="<u4").copy()),
    "numpy words of the other order": (4, lambda data: np.frombuffer(data, dtype=">u4").copy()),
    "numpy words, read-only": (4, lambda data: np.frombuffer(data, dtype="<u4")),
    "numpy rows": (6, lambda data: np.frombuffer(data, dtype="<u2").reshape(-1, 3)),
    "numpy complex": (16, lambda data: np.frombuffer(data, dtype="<c16").copy()),
    "numpy records": (7, lambda data: np.frombuffer(data, dtype=[("O", "u1"), ("b", "<u2", 3)])),
    "numpy text": (8, lambda data: np.frombuffer(bytes(len(data)), dtype="<U2")),
}
# Those without dimensions, which have one value.
SINGLE: dict[str, Maker] = {
    "ctypes word": (4, ctypes.c_uint32.from_buffer_copy),
    "ctypes double": (8, ctypes.c_double.from_buffer_copy),
    "ctypes byte": (1, ctypes.c_uint8.from_buffer_copy),
    "structure": (ctypes.sizeof(Header), Header.from_buffer_copy),
    "structure of the other order": (ctypes.sizeof(Network), Network.from_buffer_copy),
    "packed structure": (ctypes.sizeof(Packed), Packed.from_buffer_copy),
    "union": (8, Either.from_buffer_copy),
    "memoryview of a structure": (12, lambda data: memoryview(Header.from_buffer_copy(data))),
    "numpy scalar": (4, lambda data: np.frombuffer(data, dtype="<u4")[0]),
    "numpy scalar, a record": (3, lambda data: np.frombuffer(data, dtype=[("O", "u1", 3)])[0]),
    "numpy scalar, a date": (8, lambda data: np.frombuffer(data, dtype="<M8[s]")[0]),
    "numpy array of one": (8, lambda data: np.frombuffer(data, dtype="<u8").copy().reshape(())),
}


@st.composite
def buffers(draw: st.DrawFn, most: int = 300) -> Any:
    """Any object with up to this number of bytes, including empty ones."""
    size, make = draw(st.sampled_from([*MAKERS.values(), *SINGLE.values()]))
    if (size, make) in SINGLE.values():
        return make(draw(st.binary(min_size=size, max_size=size)))
    step = size or 1
    count = draw(st.integers(0 if size else 1, most // step))
    return make(draw(st.binary(min_size=count * step, max_size=count * step)))


def plain(data: Any) -> bytes:
    """Return its bytes, those that hashlib sees."""
    found = memoryview(data).tobytes()
    if memoryview(data).ndim <= 1:  # it takes no more dimensions
        assert sha256(data).digest() == sha256(found).digest()
    return found


@pytest.mark.parametrize("name", SINGLE)
def test_one_value_is_its_bytes(name: str) -> None:
    size, make = SINGLE[name]
    data = make(bytes(range(65, 65 + size)))
    assert plain(data) == bytes(range(65, 65 + size))
    expected = ORACLE.new(KEY).encrypt(plain(data))
    assert ARC4.new(KEY).encrypt(data) == expected
    assert Compat(algorithms.ARC4(b"01234"), None).encryptor().update(data)
    assert ARC4.new(data).encrypt(b"abc") == ARC4.new(plain(data)).encrypt(b"abc")
    assert keystreams([data], 3).tobytes() == Cipher("rc4", data).keystream(3)
    if not memoryview(data).readonly:
        assert ARC4.new(KEY).encrypt(plain(data), output=data) is None
        assert plain(data) == expected


@given(buffers())
def test_input(data: Any) -> None:
    assert ARC4.new(KEY).encrypt(data) == ARC4.new(KEY).encrypt(plain(data))


@given(buffers(most=256))
@example(b"")
@example(bytes(257))
@example(array.array("d", bytes(264)))
def test_key(data: Any) -> None:
    size = len(plain(data))
    if 1 <= size <= 256:
        assert ARC4.new(data).encrypt(b"abc") == ARC4.new(plain(data)).encrypt(b"abc")
        assert Cipher("vmpc", KEY, iv=data).keystream(3)
    else:
        message = f"the key has {size} bytes; it must have 1 to 256"
        for start in (ARC4.new, ARC4.ARC4Cipher):
            with pytest.raises(ValueError, match=message):
                start(data)


@given(buffers(), st.integers(-2, 2))
def test_output(output: Any, more: int) -> None:
    """It is written only if it can be and has just the length, and the stream stays otherwise."""
    before = plain(output)
    data = bytes(max(0, len(before) + more))
    cipher = ARC4.new(KEY)
    if memoryview(output).readonly:
        with pytest.raises(TypeError, match="read-only"):
            cipher.encrypt(data, output=output)
    elif len(data) != len(before):
        with pytest.raises(ValueError, match=f"the output has {len(before)} bytes"):
            cipher.encrypt(data, output=output)
    else:
        assert cipher.encrypt(data, output=output) is None
        assert plain(output) == ARC4.new(KEY).encrypt(data)
        return
    assert plain(output) == before
    assert cipher.position == 0


def as_array(memory: bytes) -> Any:
    return np.frombuffer(memory, dtype=np.uint8)


@given(
    st.binary(max_size=200),
    st.builds(slice, st.integers(0, 20), st.integers(0, 220), st.sampled_from([-2, -1, 1, 2, 3])),
    st.sampled_from([bytes, bytearray]),
    st.sampled_from([memoryview, as_array]),
)
def test_offsets_and_strides(data: bytes, where: slice, store: Any, look: Any) -> None:
    """A part is its bytes where hashlib takes it, and refused where that does; none is taken."""
    memory = store(data)
    part = look(memory)[where]
    cipher = ARC4.new(KEY)
    if len(part) == 0:
        assert cipher.encrypt(part) == b""
        return
    try:
        sha256(part)
    except (BufferError, ValueError):
        for call in (
            lambda: cipher.encrypt(part),
            lambda: cipher.encrypt(bytes(len(part)), output=part),
            lambda: Cipher("rc4", part),
        ):
            with pytest.raises(BufferError, match="not contiguous"):
                call()
        assert cipher.position == 0
        assert bytes(memory) == data
        return
    assert cipher.encrypt(part) == ARC4.new(KEY).encrypt(bytes(part))
    if store is bytearray:
        expected = bytearray(data)
        expected[where] = ARC4.new(KEY).encrypt(expected[where])
        ARC4.new(KEY).encrypt(part, output=part)
        assert memory == expected


@pytest.mark.parametrize(
    "data",
    ["text", np.str_("text"), 5, 1.5, [1], Holder(1, "x"), np.array(object())],
    ids=repr,
)
def test_what_has_no_bytes(data: Any) -> None:
    """Text of numpy has a buffer; hashlib refuses it too."""
    cipher = ARC4.new(KEY)
    for call in (
        lambda: cipher.encrypt(data),
        lambda: cipher.encrypt(b"", output=data),
        lambda: ARC4.new(data),
        lambda: Cipher("rc4", data),
    ):
        with pytest.raises(TypeError):
            call()
    assert cipher.position == 0
