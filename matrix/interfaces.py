"""The interfaces that take a key, an offset and data, each as a function."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arcfour import ARC4
from arcfour.compat import cryptography

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

P, S, I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int


@dataclass(frozen=True)
class Interface:
    """Encrypts data under a key, an offset into the keystream away from its start."""

    name: str
    encrypt: Callable[[bytes, int, bytes], bytes]


def all_of(programs: Path, provider: Path, *, quick: bool) -> list[Interface]:
    """Return them all, or those that need no system library of OpenSSL."""
    found = [
        Interface("Python, `arcfour.ARC4`", lambda key, offset, data: ARC4.new(key, offset).encrypt(data)),
        Interface("Python, `arcfour.compat.cryptography`", compat),
        Interface("C, `RC4` of libarcfour", library(programs)),
        Interface("`arcfour crypt`", command(programs)),
    ]
    return found if quick else [*found, Interface("OpenSSL provider, EVP", evp(provider))]


def compat(key: bytes, offset: int, data: bytes) -> bytes:
    """Encrypt with the interface of cryptography."""
    cipher = cryptography.Cipher(cryptography.algorithms.ARC4(key), mode=None).encryptor()
    cipher.update(bytes(offset))
    return cipher.update(data)


def library(programs: Path) -> Callable[[bytes, int, bytes], bytes]:
    """Return the functions of OpenSSL's names in our library."""
    lib = ctypes.CDLL(str(programs / "libarcfour.so"))
    lib.RC4_set_key.argtypes, lib.RC4.argtypes = (P, I, S), (P, ctypes.c_size_t, S, P)

    def encrypt(key: bytes, offset: int, data: bytes) -> bytes:
        state, out = (ctypes.c_uint * 258)(), ctypes.create_string_buffer(offset + len(data))
        lib.RC4_set_key(state, len(key), key)
        lib.RC4(state, len(out), bytes(offset) + data, out)
        return out.raw[offset:]

    return encrypt


def command(programs: Path) -> Callable[[bytes, int, bytes], bytes]:
    """Return the command."""
    program = str(programs / "arcfour")

    def encrypt(key: bytes, offset: int, data: bytes) -> bytes:
        words = [program, "crypt", "--key-hex", key.hex(), "--drop", str(offset)]
        return subprocess.run(words, input=data, capture_output=True, check=True).stdout

    return encrypt


def evp(folder: Path) -> Callable[[bytes, int, bytes], bytes]:
    """Return libcrypto's EVP interface with our provider alone."""
    crypto = ctypes.CDLL("libcrypto.so.3")
    for name, result, arguments in (
        ("OSSL_LIB_CTX_new", P, ()),
        ("OSSL_PROVIDER_set_default_search_path", I, (P, S)),
        ("OSSL_PROVIDER_load", P, (P, S)),
        ("EVP_CIPHER_fetch", P, (P, S, S)),
        ("EVP_CIPHER_CTX_new", P, ()),
        ("EVP_CIPHER_CTX_free", None, (P,)),
        ("EVP_CIPHER_CTX_set_key_length", I, (P, I)),
        ("EVP_CipherInit_ex", I, (P, P, P, S, S, I)),
        ("EVP_CipherUpdate", I, (P, P, ctypes.POINTER(I), S, I)),
    ):
        function = getattr(crypto, name)
        function.restype, function.argtypes = result, arguments
    context = crypto.OSSL_LIB_CTX_new()
    crypto.OSSL_PROVIDER_set_default_search_path(context, str(folder).encode())
    if not crypto.OSSL_PROVIDER_load(context, b"arcfour-provider"):
        message = f"libcrypto does not load the provider in '{folder}'"
        raise OSError(message)
    cipher = crypto.EVP_CIPHER_fetch(context, b"RC4", None)

    def encrypt(key: bytes, offset: int, data: bytes) -> bytes:
        stream, written = crypto.EVP_CIPHER_CTX_new(), I()
        out = ctypes.create_string_buffer(offset + len(data))
        done = (
            crypto.EVP_CipherInit_ex(stream, cipher, None, None, None, 1)
            and crypto.EVP_CIPHER_CTX_set_key_length(stream, len(key))
            and crypto.EVP_CipherInit_ex(stream, None, None, key, None, 1)
            and crypto.EVP_CipherUpdate(
                stream, out, ctypes.byref(written), bytes(offset) + data, len(out)
            )
        )
        crypto.EVP_CIPHER_CTX_free(stream)
        if not done or written.value != len(out):
            message = "libcrypto's RC4 failed"
            raise ValueError(message)
        return out.raw[offset:]

    return encrypt
