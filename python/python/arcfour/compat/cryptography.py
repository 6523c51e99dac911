"""The RC4 of the package `cryptography`, which calls it decrepit: the same calls and results.

    from arcfour.compat.cryptography import Cipher, algorithms
    # was: from cryptography.hazmat.primitives.ciphers import Cipher
    #      from cryptography.hazmat.decrepit.ciphers import algorithms

>>> encryptor = Cipher(algorithms.ARC4(b"Quentin!"), mode=None).encryptor()
>>> (encryptor.update(b"Attack at dawn") + encryptor.finalize()).hex()
'c556953577aed8873079cb42dff3'

As there, a key has 5, 7, 8, 10, 16, 20, 24 or 32 bytes; `arcfour.ARC4` takes any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from arcfour import ARC4

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["AlreadyFinalized", "Cipher", "CipherContext", "algorithms"]


class AlreadyFinalized(Exception):  # noqa: N818  # cryptography's name
    """A context was used after `finalize`."""


class algorithms:  # noqa: N801  # a module in cryptography
    """What `Cipher` takes: `algorithms.ARC4(key)`."""

    class ARC4:
        """RC4 under a key of 5, 7, 8, 10, 16, 20, 24 or 32 bytes.

        Raises ValueError for another length, TypeError if the key is not bytes-like.
        """

        name = "RC4"
        """As `cryptography` names it."""
        key_sizes: ClassVar[frozenset[int]] = frozenset([40, 56, 64, 80, 128, 160, 192, 256])
        """The lengths a key may have, in bits."""

        def __init__(self, key: Buffer) -> None:
            """Take the key."""
            self.key = bytes(memoryview(key))
            if self.key_size not in self.key_sizes:
                message = f"Invalid key size ({self.key_size}) for RC4."
                raise ValueError(message)

        @property
        def key_size(self) -> int:
            """The length of the key, in bits."""
            return 8 * len(self.key)


class Cipher:
    """RC4 to be started as often as needed. The mode must be None; `backend` is ignored.

    Raises TypeError for another algorithm than `algorithms.ARC4`, or a mode.
    """

    def __init__(self, algorithm: algorithms.ARC4, mode: None, backend: object = None) -> None:
        """Take the algorithm with its key."""
        del backend
        if not isinstance(algorithm, algorithms.ARC4):
            message = f"expected algorithms.ARC4 of {__name__}, not {type(algorithm).__name__}"
            raise TypeError(message)
        if mode is not None:
            message = f"RC4 has no modes: the mode must be None, not {mode!r}"
            raise TypeError(message)
        self.algorithm = algorithm
        self.mode = mode

    def encryptor(self) -> CipherContext:
        """Start a stream at its first byte."""
        return CipherContext(self.algorithm.key)

    def decryptor(self) -> CipherContext:
        """Start a stream at its first byte: the same as `encryptor`."""
        return CipherContext(self.algorithm.key)


class CipherContext:
    """A stream under way. Made by `Cipher.encryptor` and `Cipher.decryptor`."""

    def __init__(self, key: bytes) -> None:
        """Start the stream."""
        self._stream: ARC4.ARC4Cipher | None = ARC4.new(key)

    def update(self, data: Buffer) -> bytes:
        """Return the next bytes, encrypted or decrypted.

        Raises AlreadyFinalized after `finalize`, TypeError if `data` is not bytes-like.
        """
        return self._unfinished().encrypt(data)

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        """Write the next bytes into a writable buffer, and return how many they are.

        The buffer may be longer than the data, and the same memory. Raises ValueError if it is
        shorter, AlreadyFinalized after `finalize`, TypeError if one is not bytes-like or `buf` is
        read-only.
        """
        stream = self._unfinished()
        size, room = memoryview(data).nbytes, memoryview(buf).cast("B")
        if len(room) < size:
            message = f"buffer must be at least {size} bytes for this payload"
            raise ValueError(message)
        stream.encrypt(data, output=room[:size])
        return size

    def finalize(self) -> bytes:
        """End the stream: return b"". Raises AlreadyFinalized the second time."""
        self._unfinished()
        self._stream = None
        return b""

    def _unfinished(self) -> ARC4.ARC4Cipher:
        if self._stream is None:
            message = "Context was already finalized."
            raise AlreadyFinalized(message)
        return self._stream
