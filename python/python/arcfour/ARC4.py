"""RC4 with the interface of PyCryptodome's module `Crypto.Cipher.ARC4` (PEP 272).

>>> from arcfour import ARC4
>>> cipher = ARC4.new(b"Secret")
>>> cipher.encrypt(b"Attack at dawn").hex()
'45a01f645fc35b383552544b9bf5'
"""

from ._native import ARC4Cipher, new

__all__ = ["ARC4Cipher", "block_size", "key_size", "new"]

block_size: int = 1
"""Bytes in a block: RC4 is a stream cipher."""

key_size: range = range(1, 256 + 1)
"""The lengths a key may have, in bytes."""
