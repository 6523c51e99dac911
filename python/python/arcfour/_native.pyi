"""The native half of the package. Take its names from `arcfour` and its modules."""

from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, Protocol, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, Self, TypeAlias

__all__ = [
    "Campaign",
    "Cipher",
    "Counts",
    "SealedFileError",
    "families",
    "merge",
    "new",
    "new_key",
    "open",
    "openssl_decrypt",
    "openssl_encrypt",
    "run_shard",
    "seal",
    "verify",
]

families: tuple[str, ...]
"""The names that `Cipher` takes, as on the command line: `arcfour families` describes them."""

_Bytes: TypeAlias = Buffer | NDArray[Any]  # whose type has no __buffer__ before Python 3.12

class _Reader(Protocol):
    def read(self, size: int, /) -> Buffer: ...

class _Writer(Protocol):
    def write(self, data: bytes, /) -> int: ...

class SealedFileError(ValueError):
    """The input is not what was sealed, or not with this key."""

    fault: str
    """The kind of fault, by its name in `container/testkit/expected.txt`: 'corrupt', 'truncated',
    'key-or-header' and so on."""

@final
class Cipher:
    """A stream of keystream, and where it stands.

    `family` is one of `arcfour.families`, in upper or lower case. Keys have 1 to 256 bytes; so has
    the IV that `vmpc` and `vmpc-ksa3` need and the others refuse. The first `drop` bytes of
    keystream are discarded, and position 0 is after them.

    `key_size` is the length of this cipher's key, as PyCryptodome has it.

    Other threads run during long calls, but a cipher works on one call at a time: a second one
    raises RuntimeError. Whoever shares a buffer between threads must not write to it meanwhile.
    After a KeyboardInterrupt the position tells how far the call came.
    """

    def __new__(
        cls, family: str, key: _Bytes, *, iv: _Bytes | None = None, drop: int = 0
    ) -> Self: ...
    block_size: int
    """Bytes in a block, 1: these are stream ciphers."""
    @property
    def key_size(self) -> int: ...
    @property
    def family(self) -> str:
        """The name of its family."""
    @property
    def position(self) -> int:
        """How many bytes of keystream have been used or skipped, modulo 2^64."""
    @overload
    def encrypt(self, plaintext: _Bytes, output: None = None) -> bytes:
        """Encrypt any contiguous buffer; the stream goes on behind it.

        With `output`, a writable buffer of the same length, the result goes there and None is
        returned. It may be the plaintext itself, which is the fastest way, or overlap it.
        """
    @overload
    def encrypt(self, plaintext: _Bytes, output: _Bytes) -> None: ...
    @overload
    def decrypt(self, ciphertext: _Bytes, output: None = None) -> bytes:
        """Decrypt: the same as `encrypt`."""
    @overload
    def decrypt(self, ciphertext: _Bytes, output: _Bytes) -> None: ...
    def keystream(self, n: int) -> bytes:
        """Return the next `n` bytes of keystream."""
    def skip(self, n: int) -> None:
        """Advance by `n` bytes: as long as making them, but at most a chunk's time for `parc4r`."""
    def copy(self) -> Self:
        """Return a cipher in the same state, which goes its own way from here."""
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

def new(key: _Bytes, drop: int = 0) -> Cipher:
    """Create a new ARC4 cipher, behind the first `drop` bytes of its keystream.

    The key has 1 to 256 bytes. As in PyCryptodome, a negative drop is none.
    """

def new_key() -> str:
    """Return the text of a new key file: 64 random hexadecimal digits and a line end."""

@overload
def seal(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: None = None,
    *,
    key: str | _Bytes | None = None,
    passphrase: str | _Bytes | None = None,
    cipher: Literal["rc4-drop3072", "parc4r"] = "rc4-drop3072",
    chunk_size: int | None = None,
    threads: int | None = None,
    overwrite: bool = False,
) -> bytes:
    """Seal bytes, a file or a stream: encrypt it so that every later change is detected.

    `source` is a bytes-like object, the path of a regular file, or a binary file object. Without
    `target` the sealed bytes are returned. A path as `target` gets its file when it is complete
    and never a part of it; an existing one is refused without `overwrite`. A file object is
    written to.

    Exactly one secret: `key`, the text of a key file (`new_key`), or `passphrase` of 1 to 4096
    bytes, text as UTF-8, which takes 64 MiB of memory.

    `cipher` is that of the chunks: RC4-drop[3072], or PARC4-R.
    `chunk_size` is a power of two from 1024 to 1048576, by default 262144. `threads` are 1 to 256,
    by default one per core; a file object is read by the calling thread alone.
    """

@overload
def seal(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: str | PathLike[str] | _Writer,
    *,
    key: str | _Bytes | None = None,
    passphrase: str | _Bytes | None = None,
    cipher: Literal["rc4-drop3072", "parc4r"] = "rc4-drop3072",
    chunk_size: int | None = None,
    threads: int | None = None,
    overwrite: bool = False,
) -> None: ...
@overload
def open(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: None = None,
    *,
    key: str | _Bytes | None = None,
    passphrase: str | _Bytes | None = None,
    range: tuple[int, int] | None = None,
    threads: int | None = None,
    overwrite: bool = False,
) -> bytes:
    """Open what was sealed, verified: the arguments are those of `seal`.

    Raises SealedFileError, with the `fault`, if the input was changed or the secret is another. No
    byte is released before its chunk is verified; what a file object was given before a later
    chunk failed is genuine, but not all there was. Bytes are returned and files named only when
    everything is verified.

    `range` is (start, length) in the plaintext: only the chunks with these bytes are read and
    verified. A file object must be able to seek for it, and is read from its start.
    """

@overload
def open(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: str | PathLike[str] | _Writer,
    *,
    key: str | _Bytes | None = None,
    passphrase: str | _Bytes | None = None,
    range: tuple[int, int] | None = None,
    threads: int | None = None,
    overwrite: bool = False,
) -> None: ...
@overload
def openssl_encrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: None = None,
    *,
    passphrase: str | _Bytes,
    cipher: Literal["rc4", "rc4-40"] = "rc4",
    md: Literal["md5", "sha1", "sha256", "sha512"] = "sha256",
    pbkdf2: bool = False,
    iter: int | None = None,
    salt: _Bytes | None = None,
    nosalt: bool = False,
    base64: bool = False,
    one_line: bool = False,
    overwrite: bool = False,
) -> bytes:
    """Encrypt to a file that `openssl enc -d` reads.

    `source`, `target` and `overwrite` are as for `seal`. The keywords are openssl's options, the
    defaults those of OpenSSL 1.1.0 and later; up to 1.0.2 `md` was md5. The passphrase may have any
    bytes, text as UTF-8; openssl itself takes none with a zero byte. `iter` is 1 to 2147483647 and
    implies `pbkdf2`, which makes 10000 iterations without it. `salt` are 8 bytes; then, and with
    `nosalt`, the file has no header, as by OpenSSL 3.0 and later. `base64` writes lines of 64
    digits, with `one_line` one line without an end.

    Raises ValueError for a value out of range.
    """

@overload
def openssl_encrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: str | PathLike[str] | _Writer,
    *,
    passphrase: str | _Bytes,
    cipher: Literal["rc4", "rc4-40"] = "rc4",
    md: Literal["md5", "sha1", "sha256", "sha512"] = "sha256",
    pbkdf2: bool = False,
    iter: int | None = None,
    salt: _Bytes | None = None,
    nosalt: bool = False,
    base64: bool = False,
    one_line: bool = False,
    overwrite: bool = False,
) -> None: ...
@overload
def openssl_decrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: None = None,
    *,
    passphrase: str | _Bytes,
    cipher: Literal["rc4", "rc4-40"] = "rc4",
    md: Literal["md5", "sha1", "sha256", "sha512"] = "sha256",
    pbkdf2: bool = False,
    iter: int | None = None,
    salt: _Bytes | None = None,
    nosalt: bool = False,
    base64: bool = False,
    overwrite: bool = False,
) -> bytes:
    """Decrypt a file of `openssl enc`: the arguments are those of `openssl_encrypt`.

    Raises ValueError if the header is missing, cut off or not expected, or the base64 text is
    invalid. A wrong passphrase, `md` or `cipher` gives other bytes, and no exception.
    """

@overload
def openssl_decrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: str | PathLike[str] | _Writer,
    *,
    passphrase: str | _Bytes,
    cipher: Literal["rc4", "rc4-40"] = "rc4",
    md: Literal["md5", "sha1", "sha256", "sha512"] = "sha256",
    pbkdf2: bool = False,
    iter: int | None = None,
    salt: _Bytes | None = None,
    nosalt: bool = False,
    base64: bool = False,
    overwrite: bool = False,
) -> None: ...

@final
class Campaign:
    """Which keys, how many, and what is counted of their keystreams: see `stats/README.md`.

    `seed` are 32 bytes that all keys come from, `keystreams` those of each shard. Counted are
    `single` bytes and `digraphs` from position 1 to the number given, joint `pairs` and `equal`
    bytes of pairs of positions, `long_term` digraphs up to a position by i, and `absab`: positions
    up to the first number, gaps below the second; of the key and the table `roos` for y below it,
    `roos_output`, and `glimpse` up to a position. Positions count from 1 after the drop.

    Equal campaigns have the same `hash`, the SHA-256 that their files carry.
    """

    def __new__(
        cls,
        seed: _Bytes,
        shards: int,
        keystreams: int,
        *,
        key_length: int = 16,
        key_pattern: Literal["tkip"] | None = None,
        drop: int = 0,
        single: int = 0,
        digraphs: int = 0,
        pairs: list[tuple[int, int]] = [],
        equal: list[tuple[int, int]] = [],
        long_term: int = 0,
        absab: tuple[int, int] = (0, 0),
        roos: int = 0,
        roos_output: bool = False,
        glimpse: int = 0,
    ) -> Self: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Campaign:
        """Read a campaign's TOML file."""
    @staticmethod
    def parse(toml: str) -> Campaign:
        """Read the text of a campaign's TOML file."""
    @property
    def toml(self) -> str:
        """The text of its TOML file."""
    @property
    def seed(self) -> bytes: ...
    @property
    def shards(self) -> int: ...
    @property
    def keystreams(self) -> int: ...
    @property
    def key_length(self) -> int: ...
    @property
    def drop(self) -> int: ...
    @property
    def hash(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, tuple[str]]: ...

@final
class Counts:
    """What was counted of some shards of a campaign.

    The arrays have dtype uint64, belong to the caller, and are empty if the campaign does not
    count them. Files and bytes are those of `arcfour bias`, and every read checks all of them.
    """

    @staticmethod
    def load(path: str | PathLike[str]) -> Counts:
        """Read a file of counts."""
    @staticmethod
    def parse(bytes: _Bytes) -> Counts:
        """Read the bytes of a file of counts."""
    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file of counts, whole or not at all."""
    def to_bytes(self) -> bytes:
        """Return the bytes of a file of counts."""
    @property
    def campaign(self) -> Campaign: ...
    @property
    def shards(self) -> list[tuple[int, int]]:
        """The first and the last of each run of shards, in order."""
    @property
    def keystreams(self) -> int:
        """How many keystreams were counted."""
    @property
    def single(self) -> NDArray[np.uint64]:
        """Shape (positions, 256): [r - 1, v] is how often Z_r = v."""
    @property
    def digraphs(self) -> NDArray[np.uint64]:
        """Shape (positions, 256, 256): [r - 1, x, y] is how often Z_r = x and Z_r+1 = y."""
    @property
    def pairs(self) -> NDArray[np.uint64]:
        """Shape (pairs, 256, 256): [n, x, y] is how often Z_a = x and Z_b = y, of pair n."""
    @property
    def equal(self) -> NDArray[np.uint64]:
        """Shape (pairs, 2): [n, 1] is how often Z_a = Z_b, [n, 0] how often not."""
    @property
    def long_term(self) -> NDArray[np.uint64]:
        """Shape (256, 256, 256): [i, x, y] is how often (Z_r, Z_r+1) = (x, y), r mod 256 = i."""
    @property
    def absab(self) -> NDArray[np.uint64]:
        """Shape (gaps, 2): [g, 1] is how often (Z_r, Z_r+1) came again after g other bytes."""
    @property
    def roos(self) -> NDArray[np.uint64]:
        """Shape (ys, 256): [y, d] is how often S[y] - y (y + 1) / 2 - K[0] - ... - K[y] = d."""
    @property
    def roos_output(self) -> NDArray[np.uint64]:
        """Shape (1, 256, 256): [0, s, d] is how often K[0] + K[1] = s and Z_1 - K[2] - 3 = d."""
    @property
    def glimpse(self) -> NDArray[np.uint64]:
        """Shape (positions, 256): [r - 1, d] is how often S[j] + Z_r - i = d after step r."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[object, tuple[bytes]]: ...

def run_shard(campaign: Campaign, index: int) -> Counts:
    """Count a shard, on one core. Raises IndexError if the campaign has no such shard."""

def merge(counts: Iterable[Counts]) -> Counts:
    """Add up counts. Raises ValueError if campaigns differ or a shard comes twice."""

def verify(
    counts: Counts,
) -> list[tuple[str, str, int, int, float, float, float, float, float, float, str]]:
    """Look for the published biases: the rows of `arcfour.statistics.verify`."""
