"""Every family against ../vectors, and what a stream can do."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import arcfour
import pytest
from arcfour import Cipher
from conftest import vectors
from hypothesis import given
from hypothesis import strategies as st

FILES = {
    "rc4": "rc4-keys.txt",
    "rc4a": "rc4a.txt",
    "rc4plus": "rc4plus.txt",
    "spritz": "spritz.txt",
    "parc4i": "parc4i.txt",
    "parc4i-text": "parc4i-text.txt",
    "parc4r": "parc4r.txt",
}
IV_FILES = {"vmpc": "vmpc.txt", "vmpc-ksa3": "vmpc-ksa3.txt"}
PUBLISHED = {"rc4": "rc4-rfc6229.txt", "spritz": "spritz-published.txt"}


def start(family: str, key: bytes = b"Key") -> Cipher:
    return Cipher(family, key, iv=b"IV" if family in IV_FILES else None)


def check(family: str, key: str, iv: str | None, offset: str, expected: str) -> None:
    iv_bytes = None if iv is None else bytes.fromhex(iv)
    cipher = Cipher(family, bytes.fromhex(key), iv=iv_bytes)
    cipher.skip(int(offset))
    assert cipher.position == int(offset)
    assert cipher.keystream(len(expected) // 2).hex() == expected


def test_all_families_are_tested() -> None:
    assert set(arcfour.families) == {*FILES, *IV_FILES}


@pytest.mark.parametrize("family", FILES)
def test_vectors(family: str) -> None:
    for name in {FILES[family], PUBLISHED.get(family, FILES[family])}:
        rows = list(vectors(name))
        assert rows
        for key, offset, keystream in rows:
            check(family, key, None, offset, keystream)


@pytest.mark.parametrize("family", IV_FILES)
def test_vectors_with_iv(family: str) -> None:
    for name in (f"{family}.txt", f"{family}-published.txt"):
        rows = list(vectors(name))
        assert rows
        for key, iv, offset, keystream in rows:
            check(family, key, iv, offset, keystream)


def test_drops() -> None:
    for key, drop, keystream in vectors("rc4-drop.txt"):
        cipher = Cipher("rc4", bytes.fromhex(key), drop=int(drop))
        assert cipher.position == 0
        assert cipher.keystream(len(keystream) // 2).hex() == keystream


@pytest.mark.parametrize("family", arcfour.families)
def test_drop_is_a_skip_that_is_not_counted(family: str) -> None:
    iv = b"IV" if family in IV_FILES else None
    dropped, skipped = Cipher(family, b"Key", iv=iv, drop=1000), start(family)
    skipped.skip(1000)
    assert (dropped.position, skipped.position) == (0, 1000)
    assert dropped.keystream(100) == skipped.keystream(100)
    assert (dropped.position, skipped.position) == (100, 1100)


@pytest.mark.parametrize("family", arcfour.families)
@given(st.lists(st.tuples(st.sampled_from("efks"), st.integers(0, 3000)), max_size=6))
def test_any_way_through_the_stream(family: str, steps: list[tuple[str, int]]) -> None:
    stream = start(family).keystream(sum(n for _, n in steps))
    cipher = start(family)
    at = 0
    for step, n in steps:
        part = stream[at : at + n]
        if step == "e":
            assert cipher.encrypt(bytes(n)) == part
        elif step == "f":
            data = bytearray(part)
            cipher.decrypt(data, output=data)
            assert data == bytes(n)
        elif step == "k":
            assert cipher.keystream(n) == part
        else:
            cipher.skip(n)
        at += n
        assert cipher.position == at


@pytest.mark.parametrize("family", arcfour.families)
def test_copies_go_their_own_way(family: str) -> None:
    cipher = start(family)
    cipher.skip(1001)
    for duplicate in (cipher.copy(), copy.copy(cipher), copy.deepcopy(cipher)):
        assert (duplicate.family, duplicate.position, duplicate.key_size) == (family, 1001, 3)
        assert duplicate.keystream(5000) == cipher.copy().keystream(5000)
        assert cipher.position == 1001


@pytest.mark.parametrize("name", arcfour.families)
def test_names_in_any_case(name: str) -> None:
    iv = b"IV" if name in IV_FILES else None
    for written in (name.upper(), name.title()):
        cipher = Cipher(written, b"Key", iv=iv)
        assert cipher.family == name
        assert cipher.keystream(4) == start(name).keystream(4)


def test_the_state_of_rc4() -> None:
    """Against the definition: the key schedule, then two steps, in Python."""
    key, s, j = b"Key", list(range(256)), 0
    for i in range(256):
        j = (j + s[i] + key[i % 3]) % 256
        s[i], s[j] = s[j], s[i]
    cipher = Cipher("rc4", key)
    assert cipher.state == (bytes(s), 0, 0)
    j = 0
    for i in (1, 2):
        j = (j + s[i]) % 256
        s[i], s[j] = s[j], s[i]
    cipher.skip(2)
    assert cipher.state == (bytes(s), 2, j)

    other = Cipher("rc4", b"another key")
    other.state = cipher.state
    assert other.position == 0
    assert other.keystream(5000) == cipher.keystream(5000)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ((bytes(range(255)), 0, 0), "a permutation"),
        ((bytes(256), 0, 0), "a permutation"),
        ((bytes(range(256)), 256, 0), "i is 256; it must be 0 to 255"),
        ((bytes(range(256)), 0, -1), "j is -1; it must be 0 to 255"),
    ],
    ids=["short", "zeros", "i", "j"],
)
def test_bad_states_leave_the_cipher_as_it_was(state: Any, message: str) -> None:
    cipher = start("rc4")
    cipher.skip(9)
    before = cipher.state
    with pytest.raises(ValueError, match=message):
        cipher.state = state
    assert (cipher.state, cipher.position) == (before, 9)


@pytest.mark.parametrize("family", [name for name in arcfour.families if name != "rc4"])
def test_other_families_keep_their_state(family: str) -> None:
    cipher = start(family)
    assert not hasattr(cipher, "state")
    with pytest.raises(AttributeError, match=f"only the state of rc4 can be seen, not of {family}"):
        cipher.state = (bytes(range(256)), 0, 0)


def test_parc4r_jumps() -> None:
    cipher = start("parc4r")
    cipher.skip((1 << 64) - 1)
    assert cipher.position == (1 << 64) - 1


def test_neither_key_nor_state_leaks() -> None:
    cipher = Cipher("rc4", b"SECRET")
    assert repr(cipher) == "<arcfour.Cipher rc4 at 0>"
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(cipher)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the stack from /proc")
@pytest.mark.parametrize(
    "call",
    [
        "ARC4.new(key)",
        "Cipher('rc4', key)",
        "Cipher('rc4', key).copy()",
        "setattr(Cipher('rc4', b'another key'), 'state', (table, 0, 0))",
    ],
)
def test_no_state_stays_on_the_stack(call: str) -> None:
    """A cipher's memory is wiped, but a copy on the stack would stay there."""
    program = f"""
import sys
from arcfour import ARC4, Cipher
key, table = (bytes.fromhex(text) for text in sys.argv[1:])
kept = {call}
stack = next(line for line in open("/proc/self/maps") if line.endswith("[stack]\\n"))
start, end = (int(address, 16) for address in stack.split()[0].split("-"))
with open("/proc/self/mem", "rb", buffering=0) as memory:
    memory.seek(start)
    print(memory.read(end - start).count(table))
"""
    key = b"a key of this test"
    table, _, _ = Cipher("rc4", key).state
    command = [sys.executable, "-c", program, key.hex(), table.hex()]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "0\n"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (dict(family="rc5", key=b"k"), ValueError, 'no family "rc5"; there are rc4, rc4a, vmpc'),
        (dict(family="rc4", key=b""), ValueError, "the key has 0 bytes; it must have 1 to 256"),
        (dict(family="spritz", key=bytes(257)), ValueError, "the key has 257 bytes"),
        (dict(family="vmpc", key=b"k"), TypeError, "vmpc needs an IV of 1 to 256 bytes"),
        (dict(family="vmpc", key=b"k", iv=b""), ValueError, "the IV has 0 bytes; it must have 1"),
        (dict(family="rc4", key=b"k", iv=b"x"), TypeError, "rc4 takes no IV"),
        (dict(family="rc4", key=b"k", drop=-1), ValueError, "drop is -1; it must be 0 to 1844674"),
        (dict(family="rc4", key=b"k", drop=1 << 64), ValueError, "drop is 18446744073709551616;"),
        (dict(family="rc4", key=b"k", drop=1.5), TypeError, "float"),
        (dict(family="rc4", key="k"), TypeError, "bytes-like"),
        (dict(family=4, key=b"k"), TypeError, "family"),
    ],
    ids=str,
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Cipher(**arguments)


@pytest.mark.parametrize("n", [1 << 62, (1 << 63) - 40, (1 << 63) - 1])
def test_more_keystream_than_memory(n: int) -> None:
    cipher = start("rc4")
    with pytest.raises(MemoryError):
        cipher.keystream(n)
    assert cipher.position == 0


def test_bad_numbers_leave_the_stream_where_it_was() -> None:
    cipher = start("rc4")
    for call in (cipher.keystream, cipher.skip):
        for n in (-1, 1 << 64, -(1 << 100)):
            with pytest.raises(ValueError, match=f"n is {n}; it must be 0 to"):
                call(n)
        with pytest.raises(TypeError):
            call("1")  # type: ignore[arg-type]
    with pytest.raises(MemoryError):
        cipher.keystream(1 << 62)
    assert cipher.position == 0
