"""`seal` and `open`: any kind of input and output, and every fault of the container's test kit."""

from __future__ import annotations

import io
import mmap
import os
import stat
from pathlib import Path
from typing import Any, cast

import arcfour
import pytest
from arcfour import SealedFileError

KEY = "5a" * 32
PLAIN = bytes(n % 251 for n in range(700_000))
MIB = 1 << 20


def kit_rows() -> list[list[str]]:
    expected = Path(__file__).parents[2] / "container" / "testkit" / "expected.txt"
    lines = expected.read_text().splitlines()
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("row", kit_rows(), ids=lambda row: row[0])
def test_kit(kit: Path, row: list[str]) -> None:
    """The same verdict from a path, from bytes and from a file object, and nothing left behind."""
    name, key, verdict, released = row
    secret = "passphrase" if "passphrase" in key else "key"
    arguments: dict[str, Any] = {secret: (kit / key).read_bytes()}
    path = kit / f"{name}.sealed"
    plain = bytes(n % 251 for n in range(int(released)))
    for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        target = io.BytesIO()
        if verdict == "ok":
            arcfour.open(source, target, **arguments)
        else:
            with pytest.raises(SealedFileError) as caught:
                arcfour.open(source, target, **arguments)
            assert caught.value.fault == verdict
        assert target.getvalue() == plain


@pytest.mark.parametrize("size", [0, 1, 262_143, 262_144, 262_145, 700_000])
def test_bytes(size: int) -> None:
    plain = PLAIN[:size]
    for data in (plain, bytearray(plain), memoryview(plain)):
        sealed = arcfour.seal(data, key=KEY)
        assert arcfour.open(bytearray(sealed), key=KEY.encode()) == plain
    assert arcfour.seal(plain, key=KEY) != arcfour.seal(plain, key=KEY)


@pytest.mark.parametrize("threads", [1, 2, 5, None])
@pytest.mark.parametrize("chunk_size", [1024, MIB, None])
def test_threads_and_chunks(threads: int | None, chunk_size: int | None) -> None:
    sealed = arcfour.seal(PLAIN, key=KEY, threads=threads, chunk_size=chunk_size)
    assert arcfour.open(sealed, key=KEY, threads=threads) == PLAIN


@pytest.mark.parametrize("cipher", ["rc4-drop3072", "parc4r"])
def test_ciphers(cipher: Any) -> None:
    sealed = arcfour.seal(PLAIN, key=KEY, cipher=cipher)
    assert sealed[9] == {"rc4-drop3072": 1, "parc4r": 2}[cipher]
    assert arcfour.open(sealed, key=KEY) == PLAIN


def test_passphrase() -> None:
    sealed = arcfour.seal(b"text", passphrase="Pässwort")
    assert arcfour.open(sealed, passphrase="Pässwort".encode()) == b"text"
    with pytest.raises(SealedFileError, match="the key is not the one") as caught:
        arcfour.open(sealed, passphrase="Passwort")
    assert caught.value.fault == "key-or-header"
    with pytest.raises(SealedFileError, match="a passphrase, not a key file"):
        arcfour.open(sealed, key=KEY)


def test_new_key() -> None:
    key = arcfour.new_key()
    assert len(key) == 65
    assert arcfour.open(arcfour.seal(PLAIN, key=key), key=key) == PLAIN
    assert key != arcfour.new_key()


def test_paths(tmp_path: Path) -> None:
    plain, sealed, opened = tmp_path / "plain", tmp_path / "sealed", tmp_path / "opened"
    plain.write_bytes(PLAIN)
    assert arcfour.seal(plain, sealed, key=KEY) is None
    assert arcfour.open(str(sealed), str(opened), key=KEY) is None
    assert opened.read_bytes() == PLAIN
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o666 & ~umask
    assert {path.name for path in tmp_path.iterdir()} == {"opened", "plain", "sealed"}


def test_paths_are_not_overwritten_by_chance(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    target.chmod(0o600)
    with pytest.raises(FileExistsError, match="overwrite=True") as caught:
        arcfour.seal(b"", target, key=KEY)
    assert caught.value.filename == str(target)
    assert target.read_text() == "precious"
    link = tmp_path / "link"
    link.symlink_to(target)
    arcfour.seal(PLAIN, link, key=KEY, overwrite=True)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert arcfour.open(target, key=KEY) == PLAIN


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o666, 0o777, 0o4755])
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_overwriting_keeps_the_permissions(tmp_path: Path, mode: int, umask: int) -> None:
    target = tmp_path / "target"
    target.write_text("old")
    target.chmod(mode)
    before = os.umask(umask)
    try:
        arcfour.seal(PLAIN, target, key=KEY, overwrite=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == mode & 0o777
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_link_to_nothing_is_refused(tmp_path: Path, *, overwrite: bool) -> None:
    link = tmp_path / "link"
    link.symlink_to("nothing")
    with pytest.raises(FileNotFoundError, match="'nothing', which does not exist") as caught:
        arcfour.seal(b"", link, key=KEY, overwrite=overwrite)
    assert caught.value.filename == str(link)
    assert list(tmp_path.iterdir()) == [link]


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Neither a part of a new file nor a changed old one, however it ends."""
    sealed = bytearray(arcfour.seal(PLAIN, key=KEY))
    sealed[-1] ^= 1
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("precious")
    for target in (new, old):
        with pytest.raises(SealedFileError, match="chunk 2 was changed"):
            arcfour.open(sealed, target, key=KEY, overwrite=True)

        class Fails:
            def read(self, n: int) -> bytes:
                raise LookupError(n)

        with pytest.raises(LookupError):
            arcfour.seal(Fails(), target, key=KEY, overwrite=True)
    assert old.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [old]


def test_file_errors_are_pythons_own(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as caught:
        arcfour.seal(missing, key=KEY)
    assert caught.value.filename == str(missing)
    with pytest.raises(FileNotFoundError):
        arcfour.seal(b"", missing / "target", key=KEY)
    with pytest.raises(IsADirectoryError):
        arcfour.seal(tmp_path, key=KEY)
    with pytest.raises(ValueError, match="no regular file"):
        arcfour.seal("/dev/null", key=KEY)
    with pytest.raises(ValueError, match="no regular file"):
        arcfour.seal(b"", "/dev/null", key=KEY)
    with pytest.raises(ValueError, match="NUL"):
        arcfour.seal("a\0b", key=KEY)


def test_file_objects_that_trickle() -> None:
    class Trickle(io.RawIOBase):
        def __init__(self, data: bytes = b"") -> None:
            self.data = bytearray(data)

        def read(self, n: int = -1) -> bytes:
            part = bytes(self.data[: min(n, 1000)])
            del self.data[: len(part)]
            return part

        def write(self, data: Any) -> int:
            self.data += data[:777]
            return min(len(data), 777)

    sealed, opened = Trickle(), Trickle()
    arcfour.seal(Trickle(PLAIN), sealed, key=KEY, chunk_size=1024)
    arcfour.open(sealed, opened, key=KEY)
    assert opened.data == PLAIN


@pytest.mark.parametrize("position", [0, 9, len(PLAIN)])
def test_a_mapping_is_whole_at_any_position(tmp_path: Path, position: int) -> None:
    """An mmap has bytes and a position. A write to it moves the position."""
    path = tmp_path / "file"
    with mmap.mmap(-1, len(PLAIN)) as plain:
        plain.write(PLAIN)
        plain.seek(position)
        arcfour.seal(plain, path, key=KEY)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as sealed:
        sealed.seek(min(position, sealed.size()))
        assert arcfour.open(sealed, key=KEY) == PLAIN
        assert arcfour.open(sealed, key=KEY, range=(9, 5)) == PLAIN[9:14]
    with pytest.raises(ValueError, match="closed"):
        arcfour.open(sealed, key=KEY)


class Stub:
    """A file object that gives one answer to everything."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def read(self, *_: object) -> object:
        return self.answer

    write = seek = read


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ("text", TypeError, "bytes-like"),
        (None, BlockingIOError, "would block"),
        (5, TypeError, "bytes-like"),
        (bytes(10_000_000), ValueError, r"read\(\d+\) gave 10000000 bytes"),
    ],
    ids=["text", "None", "int", "too much"],
)
def test_bad_readers(answer: object, error: type[Exception], message: str) -> None:
    source: Any = Stub(answer)
    with pytest.raises(error, match=message):
        arcfour.seal(source, key=KEY)
    with pytest.raises(error, match=message):
        arcfour.open(source, key=KEY)


def test_a_reader_whose_seek_says_nothing() -> None:
    with pytest.raises(TypeError, match=r"seek\(\) returned None; it must return the position"):
        arcfour.open(cast("Any", Stub(None)), key=KEY, range=(0, 1))


def test_a_raw_writer_that_would_block() -> None:
    class Full(io.RawIOBase):
        def write(self, _data: Any) -> None:
            return None

    with pytest.raises(BlockingIOError, match="would block"):
        arcfour.seal(b"", cast("Any", Full()), key=KEY)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (None, TypeError, r"write\(\) returned None; it must return the number of bytes"),
        (0, ValueError, r"write\(\) of 96 bytes says it took 0"),
        (97, ValueError, "took 97"),
        (-1, OverflowError, "negative"),
        ("1", TypeError, "integer"),
    ],
)
def test_bad_writers(answer: object, error: type[Exception], message: str) -> None:
    target: Any = Stub(answer)
    with pytest.raises(error, match=message):
        arcfour.seal(b"", target, key=KEY)


def test_text_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("text")
    source: Any
    with path.open() as source, pytest.raises(TypeError, match="bytes-like"):
        arcfour.seal(source, key=KEY)


@pytest.mark.parametrize("start", [0, 1, 262_143, 262_144, 500_000, 699_999, 700_000])
@pytest.mark.parametrize("length", [0, 1, 200_000])
def test_ranges(tmp_path: Path, start: int, length: int) -> None:
    path = tmp_path / "sealed"
    arcfour.seal(PLAIN, path, key=KEY)
    for source in (path, path.read_bytes(), path.open("rb")):
        if start + length <= len(PLAIN):
            part = arcfour.open(source, key=KEY, range=(start, length))
            assert part == PLAIN[start : start + length]
        else:
            with pytest.raises(ValueError, match=r"end of the plaintext \(700000 bytes\)"):
                arcfour.open(source, key=KEY, range=(start, length))
        if isinstance(source, io.BufferedReader):
            source.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "either key= or passphrase="),
        ({"key": KEY, "passphrase": "x"}, TypeError, "either key= or passphrase="),
        ({"key": "5a"}, ValueError, "the key is not a key file for sealing: that is 64 hex"),
        ({"key": 5}, TypeError, "bytes-like"),
        ({"key": "\ud800"}, UnicodeEncodeError, "surrogates"),
        ({"passphrase": ""}, ValueError, "the passphrase is empty; it must have 1 to 4096 bytes"),
        ({"passphrase": "x" * 4097}, ValueError, "the passphrase has more than 4096 bytes"),
        ({"key": KEY, "threads": 0}, ValueError, "threads is 0; it must be 1 to 256"),
        ({"key": KEY, "cipher": "rc4a"}, ValueError, 'is "rc4a"; it must be "rc4-drop3072" or'),
        ({"key": KEY, "chunk_size": 1000}, ValueError, "chunk_size is 1000; it must be 1024 to"),
        ({"key": KEY, "chunk_size": 1025}, ValueError, "is 1025 bytes; it must be a power of two"),
        ({"key": KEY, "source": 5}, TypeError, "bytes-like"),
        ({"key": KEY, "target": 5}, TypeError, "a path or an object with write"),
    ],
    ids=str,
)
def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        arcfour.seal(**{"source": b"", **arguments})


def test_bad_ranges() -> None:
    sealed = arcfour.seal(b"text", key=KEY)
    for bad in ((-1, 1), (0, -1), (0, 1 << 64)):
        with pytest.raises(ValueError, match="of the range is"):
            arcfour.open(sealed, key=KEY, range=bad)
    unseekable: Any = io.BufferedReader(io.FileIO(os.pipe()[0]))
    with unseekable, pytest.raises(OSError, match="seek"):
        arcfour.open(unseekable, key=KEY, range=(0, 1))
