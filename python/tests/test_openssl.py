"""`openssl.encrypt` and `decrypt` beside the real `openssl enc`."""

from __future__ import annotations

import io
import mmap
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from arcfour import openssl

if TYPE_CHECKING:
    from pathlib import Path

PASSPHRASE = "Quentin, été"
SALT = bytes.fromhex("00ff0a2053616c74")
PLAIN = bytes(n % 251 for n in range(300_001))

WAYS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"md": "md5"}, ["-md", "md5"]),
    ({"md": "sha1", "nosalt": True}, ["-md", "sha1", "-nosalt"]),
    ({"md": "sha512", "salt": SALT}, ["-md", "sha512", "-S", SALT.hex()]),
    ({"md": "SHA3-384", "iter": 2}, ["-md", "sha3-384", "-iter", "2"]),
    ({"md": "blake2s256"}, ["-md", "blake2s256"]),
    ({"pbkdf2": True}, ["-pbkdf2"]),
    ({"iter": 3, "base64": True}, ["-iter", "3", "-a"]),
]


def run(cipher: str, direction: str, arguments: list[str], data: bytes) -> bytes:
    command = ["openssl", "enc", direction, f"-{cipher}", "-pass", f"pass:{PASSPHRASE}"]
    providers = ["-provider", "legacy", "-provider", "default"]
    done = subprocess.run(
        [*command, *providers, *arguments], input=data, capture_output=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("cipher", ["rc4", "rc4-40"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way[1]) or "default")
def test_each_reads_what_the_other_wrote(
    cipher: str, way: tuple[dict[str, Any], list[str]]
) -> None:
    keywords, arguments = way
    given = {"passphrase": PASSPHRASE, "cipher": cipher, **keywords}
    for plain in (b"", b"a", PLAIN):
        theirs = run(cipher, "-e", arguments, plain)
        assert openssl.decrypt(theirs, **given) == plain
        ours = openssl.encrypt(plain, **given)
        assert run(cipher, "-d", arguments, ours) == plain
        assert len(ours) == len(theirs)


def test_one_line() -> None:
    keywords: dict[str, Any] = {"passphrase": b"a", "nosalt": True, "base64": True}
    lines = openssl.encrypt(PLAIN[:100], **keywords)
    line = openssl.encrypt(PLAIN[:100], one_line=True, **keywords)
    assert lines.replace(b"\n", b"") == line
    assert openssl.decrypt(line, **keywords) == PLAIN[:100]


def test_paths_and_file_objects(tmp_path: Path) -> None:
    source, file = tmp_path / "plain", tmp_path / "file"
    source.write_bytes(PLAIN)
    assert openssl.encrypt(source, file, passphrase="a") is None
    back = io.BytesIO()
    with file.open("rb") as stream:
        assert openssl.decrypt(stream, back, passphrase="a") is None
    assert back.getvalue() == PLAIN
    with pytest.raises(FileExistsError):
        openssl.encrypt(source, file, passphrase="a")
    openssl.encrypt(source, file, passphrase="a", overwrite=True)
    assert openssl.decrypt(bytearray(file.read_bytes()), passphrase=b"a") == PLAIN


def test_a_mapping_is_whole_at_any_position() -> None:
    with mmap.mmap(-1, len(PLAIN)) as plain:
        plain.write(PLAIN)
        file = openssl.encrypt(plain, passphrase="a")
    assert openssl.decrypt(file, passphrase="a") == PLAIN


def test_an_exception_of_a_file_object_stays_what_it_was() -> None:
    class Broken:
        def read(self, size: int) -> bytes:
            raise KeyError(size)

    with pytest.raises(KeyError):
        openssl.decrypt(Broken(), passphrase="a")


def test_faults_leave_no_file(tmp_path: Path) -> None:
    target = tmp_path / "out"
    cases: list[tuple[bytes, dict[str, Any], str]] = [
        (b"Salted. 12345678", {}, "offset 6: '.' where the header 'Salted__' should be"),
        (b"Salted__1234567", {}, "its header alone must have 16"),
        (b"Salted__", {"nosalt": True}, "begins with the header"),
        (b"jjjD-B1Y=", {"base64": True, "nosalt": True}, "offset 4: '-' is not a base64 digit"),
        (b"", {"md": "mdc2"}, 'md is "mdc2": unknown hash function; there are md5, sha256'),
        (b"", {"md": "shake128", "iter": 2}, "openssl has no PBKDF2 with shake128"),
        (b"", {"cipher": "rc5"}, 'cipher is "rc5": unknown cipher; there are rc4, rc4-40'),
        (b"", {"iter": 0}, "iter is 0; it must be 1 to 2147483647"),
        (b"", {"salt": b"short"}, "the salt has 5 bytes; it must have 8"),
    ]
    for source, keywords, message in cases:
        with pytest.raises(ValueError, match=re.escape(message)):
            openssl.decrypt(source, target, passphrase="a", **keywords)
        assert not target.exists()
    with pytest.raises(TypeError, match="either salt= or nosalt="):
        openssl.decrypt(b"", passphrase="a", salt=SALT, nosalt=True)
    with pytest.raises(TypeError, match="one_line= goes with base64="):
        openssl.encrypt(b"", passphrase="a", one_line=True)
