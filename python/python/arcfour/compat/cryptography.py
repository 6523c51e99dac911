"""The RC4 of the package `cryptography`, which calls it decrepit: the same calls and results.

    from arcfour.compat.cryptography import Cipher, algorithms
    # was: from cryptography.hazmat.primitives.ciphers import Cipher
    #      from cryptography.hazmat.decrepit.ciphers import algorithms

>>> encryptor = Cipher(algorithms.ARC4(b"Quentin!"), mode=None).encryptor()
>>> (encryptor.update(b"Attack at dawn") + encryptor.finalize()).hex()
'c556953577aed8873079cb42dff3'

As there, a key has 5, 7, 8, 10, 16, 20, 24 or 32 bytes; `arcfour.ARC4` takes any. Where that
package is installed, exceptions and contexts are also instances of its classes of the same names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn

from arcfour import ARC4

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    _AlreadyFinalized = Exception
    _UnsupportedAlgorithm = Exception

    class _CipherContext:
        """What `cryptography` has instead of a base class."""

    class _Mode:
        """A mode of `cryptography`."""

        name: str
        validate_for_algorithm: Callable[[object], None]
else:
    try:
        from cryptography.exceptions import AlreadyFinalized as _AlreadyFinalized
        from cryptography.exceptions import UnsupportedAlgorithm as _UnsupportedAlgorithm
        from cryptography.hazmat.primitives.ciphers import CipherContext as _CipherContext
        from cryptography.hazmat.primitives.ciphers.modes import Mode as _Mode
    except ImportError:
        _AlreadyFinalized = _UnsupportedAlgorithm = Exception
        _CipherContext = _Mode = type("Missing", (), {})

__all__ = ["AlreadyFinalized", "Cipher", "CipherContext", "UnsupportedAlgorithm", "algorithms"]


class AlreadyFinalized(_AlreadyFinalized):
    """A context was used after `finalize`."""


class UnsupportedAlgorithm(_UnsupportedAlgorithm):
    """RC4 has no modes, and no nonce."""


class algorithms:  # noqa: N801  # a module in cryptography
    """What `Cipher` takes: `algorithms.ARC4(key)`."""

    class ARC4:
        """RC4 under a key of 5, 7, 8, 10, 16, 20, 24 or 32 bytes.

        Raises ValueError for another length, TypeError if the key is not bytes-like.
        """

        name: str = "RC4"
        """As `cryptography` names it."""
        key_sizes: ClassVar[frozenset[int]] = frozenset([40, 56, 64, 80, 128, 160, 192, 256])
        """The lengths a key may have, in bits."""

        def __init__(self, key: Buffer) -> None:
            """Take the key."""
            ARC4.new(key)  # refuses text and references to objects, which have bytes for memoryview
            self.key: bytes = bytes(memoryview(key))
            """The key."""
            if self.key_size not in self.key_sizes:
                message = f"Invalid key size ({self.key_size}) for RC4."
                raise ValueError(message)

        @property
        def key_size(self) -> int:
            """The length of the key, in bits."""
            return 8 * len(self.key)


class Cipher:
    """RC4 to be started as often as needed. The mode must be None; `backend` is ignored.

    Raises TypeError for another algorithm than `algorithms.ARC4`, AssertionError for a mode that is
    none of `cryptography`, UnsupportedAlgorithm for one that needs a block cipher.
    """

    def __init__(self, algorithm: algorithms.ARC4, mode: None, backend: object = None) -> None:
        """Take the algorithm with its key."""
        del backend
        if not isinstance(algorithm, algorithms.ARC4):
            message = f"expected algorithms.ARC4 of {__name__}, not {type(algorithm).__name__}"
            raise TypeError(message)
        if isinstance(mode, _Mode):
            try:
                mode.validate_for_algorithm(algorithm)
            except _UnsupportedAlgorithm as error:
                raise UnsupportedAlgorithm(str(error)) from None
        elif mode is not None:
            message = f"RC4 has no modes: the mode must be None, not {mode!r}"
            raise AssertionError(message)
        self.algorithm: algorithms.ARC4 = algorithm
        """The algorithm with its key."""
        self.mode: None = mode
        """None."""

    def encryptor(self) -> CipherContext:
        """Start a stream at its first byte.

        Raises UnsupportedAlgorithm if there is a mode.
        """
        if isinstance(self.mode, _Mode):
            message = f"cipher RC4 in {self.mode.name} mode is not supported"
            raise UnsupportedAlgorithm(message)
        return CipherContext(self.algorithm.key)

    def decryptor(self) -> CipherContext:
        """Start a stream at its first byte: the same as `encryptor`."""
        return self.encryptor()


class CipherContext(_CipherContext):
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
        read-only, BufferError if one is not contiguous.
        """
        stream = self._unfinished()
        size, room = memoryview(data).nbytes, memoryview(buf)
        if not room.c_contiguous:
            message = "the buffer is not contiguous in C order"
            raise BufferError(message)
        if room.nbytes < size:
            message = f"buffer must be at least {size} bytes for this payload"
            raise ValueError(message)
        stream.encrypt(data, output=buf if room.nbytes == size else room.cast("B")[:size])
        return size

    def finalize(self) -> bytes:
        """End the stream: return b"". Raises AlreadyFinalized the second time."""
        self._unfinished()
        self._stream = None
        return b""

    def reset_nonce(self, nonce: Buffer) -> None:
        """Raise UnsupportedAlgorithm: RC4 has no nonce.

        Raises AlreadyFinalized after `finalize`, TypeError if `nonce` is not bytes-like.
        """
        memoryview(nonce)
        self._unfinished()
        message = "RC4 has no nonce to reset"
        raise UnsupportedAlgorithm(message)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Raise TypeError: a copy would use the same keystream for other data."""
        message = f"cannot copy or pickle '{type(self).__name__}' object"
        raise TypeError(message)

    def _unfinished(self) -> ARC4.ARC4Cipher:
        if self._stream is None:
            message = "Context was already finalized."
            raise AlreadyFinalized(message)
        return self._stream
