"""The native half of the package. Take its names from `arcfour` and its modules."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = [
    "ARC4Cipher",
    "Campaign",
    "Cipher",
    "Counts",
    "Finding",
    "SealedFileError",
    "Survey",
    "WrongPasswordError",
    "__version__",
    "compare",
    "families",
    "find",
    "key_from_state",
    "keystreams",
    "memory_states",
    "merge",
    "new",
    "new_key",
    "office_decrypt",
    "office_inspect",
    "open",
    "openssl_decrypt",
    "openssl_encrypt",
    "pdf_decrypt",
    "pdf_inspect",
    "read_table",
    "run_shard",
    "seal",
    "survey",
    "verify",
    "wep_capture",
    "wep_key",
]

__version__: str
"""The version of the package."""

families: tuple[str, ...]
"""The names that `Cipher` takes, as on the command line: `arcfour families` describes them."""

_Bytes: TypeAlias = Buffer | NDArray[Any]  # whose type has no __buffer__ before Python 3.12

class _Reader(Protocol):
    """A binary file to read from."""

    def read(self, size: int, /) -> Buffer:
        """Return at most `size` bytes, none at the end."""

class _Writer(Protocol):
    """A binary file to write to."""

    def write(self, data: bytes, /) -> int:
        """Write bytes; return how many."""

class SealedFileError(ValueError):
    """The input is not what was sealed, or not with this key.

    `fault` is the kind of fault, by its name in `container/testkit/expected.txt`: 'corrupt',
    'truncated', 'key-or-header' and so on.
    """

    fault: str
    """The kind of fault, by its name in `container/testkit/expected.txt`: 'corrupt', 'truncated',
    'key-or-header' and so on."""

class WrongPasswordError(ValueError):
    """The password or the key does not open the document."""

@disjoint_base
class Cipher:
    """A stream of keystream, and where it stands.

    `family` is one of `arcfour.families`, in upper or lower case. Keys have 1 to 256 bytes; so has
    the IV that `vmpc` and `vmpc-ksa3` need and the others refuse. The first `drop` bytes of
    keystream are discarded, and position 0 is after them.

    Other threads run during calls on more than 4096 bytes. Threads that share a cipher take turns:
    each call gets consecutive keystream, in no certain order. No thread may write to a buffer that
    another call is using. After a KeyboardInterrupt the position tells how far the call came.

    Raises ValueError if the family is unknown or a length or `drop` out of range. Raises TypeError
    if the key is not bytes-like, or an IV is missing or one too many.
    """

    def __init__(
        self, family: str, key: _Bytes, *, iv: _Bytes | None = None, drop: int = 0
    ) -> None: ...
    block_size: int
    """Bytes in a block, 1: these are stream ciphers."""
    @property
    def key_size(self) -> int:
        """The length of the key in bytes, as PyCryptodome has it."""
    @property
    def family(self) -> str:
        """The name of the family, in lower case."""
    @property
    def position(self) -> int:
        """How many bytes of keystream have been used or skipped, modulo 2^64.

        During a call in another thread it tells, to a MiB, how far that has come.
        """
    @property
    def state(self) -> tuple[bytes, int, int]:
        """The state of an RC4 stream: (S, i, j), S as 256 bytes.

        Setting it continues from there, at position 0. A state gives away all of the keystream.

        Raises AttributeError for other families, ValueError if S is no permutation of 0 to 255, or
        i or j is not 0 to 255.
        """
    @state.setter
    def state(self, value: tuple[_Bytes, int, int], /) -> None: ...
    @overload
    def encrypt(self, plaintext: _Bytes, output: None = None) -> bytes:
        """Encrypt any contiguous buffer; the stream goes on after it.

        Returns bytes. With `output`, a writable buffer of the same length, the result goes there
        and None is returned. It may be the plaintext itself, which is the fastest way, or overlap
        it.

        Raises TypeError if something is not bytes-like, holds Python objects or is read-only,
        BufferError if it is not contiguous, ValueError if the lengths differ. The stream then stays
        where it was.
        """
    @overload
    def encrypt(self, plaintext: _Bytes, output: _Bytes) -> None: ...
    @overload
    def decrypt(self, ciphertext: _Bytes, output: None = None) -> bytes:
        """Decrypt: the same as `encrypt`."""
    @overload
    def decrypt(self, ciphertext: _Bytes, output: _Bytes) -> None: ...
    def keystream(self, n: int) -> bytes:
        """Return the next `n` bytes of keystream.

        Raises ValueError if `n` is negative or beyond 2^63, MemoryError if there is no room.
        """
    def skip(self, n: int) -> None:
        """Advance by `n` bytes: as long as making them, but at most a chunk's time for `parc4r`.

        Raises ValueError unless `n` is 0 to 2^64 - 1.
        """
    def copy(self) -> Self:
        """Return a cipher of the same class in the same state, which goes its own way from here."""
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

class ARC4Cipher(Cipher):
    """An RC4 stream with PyCryptodome's interface, and all that `arcfour.Cipher` has.

    The key has 1 to 256 bytes. The first `drop` bytes of keystream are discarded; as in
    PyCryptodome, a negative drop is none. Subclasses may have an `__init__` of their own that calls
    this one.

    Raises ValueError for a key of another length, TypeError if it is not bytes-like.
    """

    def __init__(self, key: _Bytes, drop: int = 0) -> None: ...

def new(key: _Bytes, drop: int = 0) -> ARC4Cipher:
    """Create an RC4 stream, after the first `drop` bytes of its keystream.

    The key has 1 to 256 bytes. As in PyCryptodome, a negative drop is none.

    Raises ValueError for a key of another length, TypeError if it is not bytes-like.
    """

def keystreams(
    keys: Iterable[_Bytes] | NDArray[np.uint8],
    n: int,
    *,
    family: str = "rc4",
    iv: _Bytes | None = None,
    drop: int = 0,
    threads: int | None = None,
) -> NDArray[np.uint8]:
    """Return the first `n` bytes of keystream of each key: a uint8 array of shape (keys, n).

    `keys` is a list of bytes-like objects, each of 1 to 256 bytes, or a uint8 array of shape
    (keys, bytes). The first `drop` bytes of each keystream are discarded. `family` is one of
    `arcfour.families`, in upper or lower case; all keys have the same `iv`, where the family
    takes one. `threads` are 1 to 256, by default one for each core; other Python threads run
    meanwhile, and Ctrl-C ends it.

    Raises ValueError for a length or a number out of range. Raises TypeError if a key is not
    bytes-like, or an IV is missing or one too many. Raises MemoryError if the array does not fit in
    memory.
    """

def find(
    ciphertext: _Bytes,
    keys: str,
    *,
    plaintext: str | _Bytes | Mapping[int, str | _Bytes] | None = None,
    kind: Literal["printable", "utf8", "zip"] | None = None,
    family: str = "rc4",
    iv: _Bytes | None = None,
    drop: int = 0,
    shard: tuple[int, int] = (1, 1),
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[bytes]:
    """Find the keys under which a ciphertext decrypts to what is known of its plaintext.

    Returns a list of bytes, in the order of the keys: every key that matches, and no other. `keys`
    is a mask. A byte is two digits of `0-9a-f?`, where `?` is an unknown nibble, or a set such as
    `[30-39,5f]`. `{3}` after a byte repeats it, and spaces are free. At most 2^64 keys may match
    it. `plaintext` is bytes, a mask, or a dict of offset to one of these. `kind` is 'printable',
    'utf8' or 'zip': what the beginning of the plaintext is. At least one of the two is needed. The
    first `drop` bytes of keystream were discarded; `family` and `iv` are as for `Cipher`.

    `shard` is (index, count), from 1: that one of equal parts of the keys. `threads` are 1 to 256,
    by default one for each core. `progress` is called with the numbers of keys tested and of all
    keys, about ten times a second. An exception that it raises ends the search, and so does Ctrl-C.

    Raises ValueError for a mask or a number that is wrong, or if too little is known to tell keys
    apart. Raises TypeError for a wrong type. Raises RuntimeError if more keys match than a search
    holds: say more of the plaintext.
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

    `cipher` encrypts the chunks: RC4-drop[3072], or PARC4-R. `chunk_size` is a power of two from
    1024 to 1048576, by default 262144. `threads` are 1 to 256, by default one per core; a file
    object is read by the calling thread alone.
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
    """Open what was sealed, verified: the arguments are as for `seal`.

    Raises SealedFileError, with the `fault`, if the input was changed or the secret is another. No
    byte is released before its chunk is verified. If a later chunk fails, the bytes that a file
    object got before are genuine, but not all of the file. Bytes are returned and files named only
    when everything is verified.

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
def pdf_decrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: None = None,
    *,
    password: str | _Bytes | None = None,
    file_key: _Bytes | None = None,
    repair: bool = False,
    overwrite: bool = False,
) -> bytes:
    """Decrypt a PDF file that is encrypted with RC4.

    `source`, `target` and `overwrite` are as for `seal`. The password is the user's or the
    owner's, the empty one without it; `file_key` is the key it makes, 5 to 16 bytes. `repair`
    takes what can be read of a damaged file. The whole document is decrypted before any byte is
    written.

    Raises WrongPasswordError if the password or the key is wrong, ValueError if the file is
    damaged, not encrypted, or not with RC4.
    """

@overload
def pdf_decrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: str | PathLike[str] | _Writer,
    *,
    password: str | _Bytes | None = None,
    file_key: _Bytes | None = None,
    repair: bool = False,
    overwrite: bool = False,
) -> None: ...
def pdf_inspect(source: _Bytes | str | PathLike[str] | _Reader) -> dict[str, Any]:
    """How a PDF file is encrypted, as a dict, without its password.

    It has `encrypted` and `pdf_version`. For an encrypted file it has the entries V, R, Length, P,
    ID, O and U of its dictionary as they are. It also has `handler`, `strings`, `streams`,
    `embedded_files`, `metadata_encrypted`, and `key_bits` if it is RC4.

    Raises ValueError if the file cannot be read.
    """

@overload
def office_decrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: None = None,
    *,
    password: str | _Bytes | None = None,
    file_key: _Bytes | None = None,
    overwrite: bool = False,
) -> bytes:
    """Decrypt a Word, Excel, PowerPoint or Access file of 97 to 2003 that is encrypted with RC4.

    `source`, `target` and `overwrite` are as for `seal`. Without a password the empty one is tried,
    and for a workbook Excel's default one. `file_key` is the key that a password makes: 5 bytes
    with the handler of Office 97, 20 with RC4 CryptoAPI and 16 with XOR obfuscation. The whole
    document is decrypted before any byte is written.

    Raises WrongPasswordError if the password or the key is wrong, ValueError if the document is
    damaged, not encrypted, or in another way.
    """

@overload
def office_decrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: str | PathLike[str] | _Writer,
    *,
    password: str | _Bytes | None = None,
    file_key: _Bytes | None = None,
    overwrite: bool = False,
) -> None: ...
def office_inspect(source: _Bytes | str | PathLike[str] | _Reader) -> dict[str, Any]:
    """How a Word, Excel, PowerPoint or Access file of 97 to 2003 is protected, as a dict.

    It has `format` and `protection`, and if that is RC4, `key_bits`, `salt`, `verifier` and
    `verifier_hash`.

    Raises ValueError if the file cannot be read.
    """

@overload
def openssl_encrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: None = None,
    *,
    passphrase: str | _Bytes,
    cipher: Literal["rc4", "rc4-40"] = "rc4",
    md: str = "sha256",
    pbkdf2: bool = False,
    iter: int | None = None,
    salt: _Bytes | None = None,
    nosalt: bool = False,
    base64: bool = False,
    one_line: bool = False,
    overwrite: bool = False,
) -> bytes:
    """Encrypt to a file that `openssl enc -d` reads.

    `source`, `target` and `overwrite` are as for `seal`. The keywords are openssl's options, with
    the defaults of OpenSSL 1.1.0 and later; up to 1.0.2 `md` was md5. `md` is any digest of OpenSSL
    3.0; shake128 and shake256 go without PBKDF2. The passphrase may have any bytes, text as UTF-8;
    openssl itself takes none with a zero byte. `iter` is 1 to 2147483647 and implies `pbkdf2`,
    which makes 10000 iterations without it. `salt` are 8 bytes; then, and with `nosalt`, the file
    has no header, as by OpenSSL 3.0 and later. `base64` writes lines of 64 digits, with `one_line`
    one line without an end.

    Raises ValueError for a value out of range.
    """

@overload
def openssl_encrypt(
    source: _Bytes | str | PathLike[str] | _Reader,
    target: str | PathLike[str] | _Writer,
    *,
    passphrase: str | _Bytes,
    cipher: Literal["rc4", "rc4-40"] = "rc4",
    md: str = "sha256",
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
    md: str = "sha256",
    pbkdf2: bool = False,
    iter: int | None = None,
    salt: _Bytes | None = None,
    nosalt: bool = False,
    base64: bool = False,
    overwrite: bool = False,
) -> bytes:
    """Decrypt a file of `openssl enc`: the arguments are as for `openssl_encrypt`.

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
    md: str = "sha256",
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

    `seed` are 32 bytes that all keys come from, and `keystreams` is the number of keystreams in
    each shard. Counted are `single` bytes and `digraphs` from position 1 to the number given, and
    joint `pairs` and `equal` bytes of pairs of positions. Counted are also `long_term` digraphs up
    to a position by i, and `absab`: positions up to the first number, gaps below the second. Of the
    key and the table: `roos` for y below it, `roos_output`, and `glimpse` up to a position.
    Positions count from 1 after the drop.

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
        """Read a campaign's TOML file.

        Raises OSError if it cannot be read, ValueError with its name if it is no campaign.
        """
    @staticmethod
    def parse(toml: str) -> Campaign:
        """Read the text of a campaign's TOML file.

        Raises ValueError if it is no campaign.
        """
    @property
    def toml(self) -> str:
        """The text of its TOML file."""
    @property
    def seed(self) -> bytes:
        """The 32 bytes that all keys come from."""
    @property
    def shards(self) -> int:
        """How many shards the campaign is cut into."""
    @property
    def keystreams(self) -> int:
        """How many keystreams each shard counts."""
    @property
    def key_length(self) -> int:
        """The length of the keys in bytes."""
    @property
    def drop(self) -> int:
        """How many bytes of each keystream are discarded before position 1."""
    @property
    def key_pattern(self) -> Literal["tkip"] | None:
        """The pattern of the keys, 'tkip' or None for random ones."""
    @property
    def single(self) -> int:
        """Positions whose single bytes are counted."""
    @property
    def digraphs(self) -> int:
        """Positions whose digraphs are counted."""
    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of positions (a, b) that `Counts.pairs` has, in its order."""
    @property
    def equal(self) -> list[tuple[int, int]]:
        """The pairs of positions (a, b) that `Counts.equal` has, in its order."""
    @property
    def long_term(self) -> int:
        """The last position of the digraphs that are counted by i."""
    @property
    def absab(self) -> tuple[int, int]:
        """The last position and the number of gaps of the digraphs that are looked for again."""
    @property
    def roos(self) -> int:
        """The number of indexes y whose S[y] is compared with the key."""
    @property
    def roos_output(self) -> bool:
        """Returns true if Z_1 is compared with the key."""
    @property
    def glimpse(self) -> int:
        """Positions whose output is compared with S[j]."""
    @property
    def hash(self) -> str:
        """The SHA-256 of the campaign, 64 hexadecimal digits: equal campaigns have the same."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, tuple[str]]: ...

@final
class Counts:
    """What was counted of some shards of a campaign.

    The arrays have dtype uint64, are copied at each access and belong to the caller. They have no
    rows if the campaign does not count them. Files and bytes have the format of `arcfour bias`, and
    every read checks all of them.
    """

    @staticmethod
    def load(path: str | PathLike[str]) -> Counts:
        """Read a file of counts.

        Raises OSError if it cannot be read, ValueError with its name if it is damaged or none.
        """
    @staticmethod
    def parse(bytes: _Bytes) -> Counts:
        """Read the bytes of a file of counts.

        Raises ValueError if they are damaged or none.
        """
    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file of counts, whole or not at all.

        Raises FileExistsError if there is one and `overwrite` is not set, OSError if it cannot be
        written.
        """
    def to_bytes(self) -> bytes:
        """Return the bytes of a file of counts."""
    @property
    def campaign(self) -> Campaign:
        """The campaign whose shards were counted."""
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

def run_shard(
    campaign: Campaign,
    index: int,
    *,
    checkpoint: str | PathLike[str] | None = None,
    seconds: float = 30.0,
    progress: Callable[[int], object] | None = None,
) -> Counts:
    """Count a shard, on one core. Other Python threads run meanwhile: use one for each core.

    With `checkpoint`, a path, the counts are written there every `seconds`, whole or not at all. If
    the file exists, the counting continues from it. The caller removes the file. `progress` is
    called some twenty times a second with the number of keystreams counted so far. An exception
    that it raises ends the count, and so does Ctrl-C. Raises IndexError if the campaign has no such
    shard, ValueError if the checkpoint belongs to another shard, OSError if it cannot be read or
    written.
    """

def read_table(path: str | PathLike[str]) -> Counts:
    """Read a published table of single-byte counts of 16-byte keys, as `arcfour bias compare` does.

    Each line of the text is `position value count`, in order, the first position 0 or 1; what
    follows a % or # says nothing. Raises OSError if it cannot be read, ValueError with its name and
    the line if it is no table.
    """

def compare(counts: Counts, other: Counts) -> list[tuple[int, float, int, float, float, str]]:
    """Compare two samples: the rows of `arcfour.statistics.compare`."""

def merge(counts: Iterable[Counts]) -> Counts:
    """Add up counts. Raises ValueError if campaigns differ or a shard comes twice."""

def verify(
    counts: Counts,
) -> list[tuple[str, str, int, int, float, float, float, float, float, float, str]]:
    """Look for the published biases: the rows of `arcfour.statistics.verify`."""

def key_from_state(table: _Bytes, length: int, *, tests: int = 16384) -> bytes | None:
    """Find the key whose schedule ends with this table, or None.

    `table` is 256 bytes, each value once: `Cipher.state` has it. `length` is the key's, 1 to 32
    bytes. The `tests` likeliest keys are tried, 1 to 1048576.

    Raises ValueError for another table or a number out of range.
    """

def memory_states(dump: _Bytes, *, produced: int = 1048576) -> list[dict[str, Any]]:
    """Find RC4 states in a memory dump, and their keys.

    `dump` is bytes-like; a file is given as `numpy.memmap`, and copied. Keys of 5, 13 and 16 bytes
    are looked for, up to `produced` bytes of keystream before the dump, at most 2^30. Returns a
    list of dicts: `offset`, `layout`, `table`, `i`, `j`, and `key` and `produced`, which are None
    for what is likely a state by its layout alone.

    Raises ValueError for a number out of range.
    """

@final
class Finding:
    """RC4 at one place."""

    @property
    def rule(self) -> str:
        """The name of the rule: 'pdf-40', 'tls-chosen' and so on."""
    @property
    def severity(self) -> Literal["high", "medium", "low"]:
        """How bad it is: 'high', 'medium' or 'low'."""
    @property
    def what(self) -> str:
        """What it is: 'PDF, 40-bit key'."""
    @property
    def path(self) -> Path:
        """The file."""
    @property
    def within(self) -> str | None:
        """Where in the file: 'line 31', 'entry 3', 'member a/b.doc'; None for the whole file."""
    @property
    def evidence(self) -> str:
        """What proves it."""
    @property
    def count(self) -> int:
        """How often it was seen at this place."""
    @property
    def facts(self) -> dict[str, str]:
        """More facts by name, such as 'key bits' or 'search seconds'."""
    @property
    def remedy(self) -> str:
        """What deals with it, in a sentence."""
    @property
    def command(self) -> str | None:
        """The command that deals with it, quoted for a shell, or None."""
    @property
    def sources(self) -> list[str]:
        """Who says so: RFC, CVE, page of a vendor."""

@final
class Survey:
    """What a survey found: iterate over it for the findings, the worst first."""

    @property
    def findings(self) -> list[Finding]:
        """The findings, the worst first, then by their places."""
    @property
    def files(self) -> int:
        """How many files were looked at."""
    @property
    def read(self) -> dict[str, int]:
        """How many files and members of archives each reader read, by its name."""
    @property
    def unread(self) -> list[tuple[str, str]]:
        """What could not be read to its end: place and reason."""
    @property
    def not_seen(self) -> list[str]:
        """What no survey sees, in sentences."""
    def sarif(self) -> str:
        """Return the report as SARIF 2.1.0, in JSON."""
    def cyclonedx(self) -> str:
        """Return the report as a bill of materials, CycloneDX 1.6, in JSON."""
    def html(self) -> str:
        """Return the report as one self-contained page."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Finding]: ...

def survey(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    archive_depth: int = 1,
    cross_file_systems: bool = False,
) -> Survey:
    """Find the RC4 that is still there: in files, captures, keys, logs, configuration and programs.

    `paths` is a path or several, of files and folders. Archives are entered `archive_depth` deep, 0
    to 16. Links in folders are not followed. Folders on other file systems are entered with
    `cross_file_systems`. All cores take part; Ctrl-C ends the survey.

    The result yields the findings as `Finding`. Its `unread` names what could not be read.

    Raises OSError if a path given cannot be read, ValueError for a number out of range.
    """

def wep_capture(key: _Bytes, packets: int, *, seed: int = 1) -> bytes:
    """Make a pcap file of WEP packets: ARP requests with random IVs.

    `key` is 5 or 13 bytes, `packets` 1 to 10000000. The same seed gives the same file.

    Raises ValueError for another key or a number out of range.
    """

def wep_key(
    capture: _Bytes, *, key_length: int | None = None, beginnings: int = 10000
) -> bytes | None:
    """Find the WEP key of a capture, or None.

    `capture` is a pcap or pcapng file of 802.11 frames, or an .ivs file, as bytes; the network with
    the most packets is attacked. `key_length` is 5 or 13; without it both are tried. `beginnings`
    of keys are gone on with, 1 to 100000.

    Raises ValueError if it is no such file or has no WEP packet, or for a number out of range.
    """
