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
    "create_file",
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
    "threads_of",
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
        """Write bytes; return how many. None from a `RawIOBase` means that it would block."""

class SealedFileError(ValueError):
    """The input was changed after it was sealed, or the key is wrong.

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
    """A keystream and the position in it.

    `family` is one of `arcfour.families`, in upper or lower case. Keys have 1 to 256 bytes. `vmpc`
    and `vmpc-ksa3` need an IV of 1 to 256 bytes; the other families refuse an IV. The first `drop`
    bytes of keystream are discarded, and position 0 is after them.

    Other threads run during calls on more than 4096 bytes. Threads that share a cipher take turns:
    each call gets consecutive keystream, and the order of the calls is undefined. No thread may
    write to a buffer that another call is using. After a KeyboardInterrupt, `position` is the end
    of the bytes that were processed.

    Raises ValueError if the family is unknown, or a length or `drop` is out of range. Raises
    TypeError if the key is not bytes-like, or if an IV is missing or refused.
    """

    def __init__(
        self, family: str, key: _Bytes, *, iv: _Bytes | None = None, drop: int = 0
    ) -> None: ...
    block_size: int
    """Bytes in a block, 1: these are stream ciphers."""
    @property
    def key_size(self) -> int:
        """The length of the key in bytes, under PyCryptodome's name."""
    @property
    def family(self) -> str:
        """The name of the family, in lower case."""
    @property
    def position(self) -> int:
        """The number of keystream bytes that were used or skipped, modulo 2^64.

        During a call in another thread, the number grows in steps of about a MiB.
        """
    @property
    def state(self) -> tuple[bytes, int, int]:
        """The state of an RC4 stream: (S, i, j), with S as 256 bytes.

        A new value continues from that state, at position 0. A state reveals all of the keystream.

        Raises AttributeError for other families, ValueError if S is no permutation of 0 to 255, or
        i or j is not 0 to 255.
        """
    @state.setter
    def state(self, value: tuple[_Bytes, int, int], /) -> None: ...
    @overload
    def encrypt(self, plaintext: _Bytes, output: None = None) -> bytes:
        """Encrypt a contiguous buffer and advance the stream.

        Returns bytes. With `output`, a writable buffer of the same length, the result is written
        there and None is returned. `output` may overlap the plaintext. In place is fastest:
        `output` is the plaintext.

        Raises TypeError if a buffer is not bytes-like, holds Python objects or is read-only. Raises
        BufferError if a buffer is not contiguous, and ValueError if the lengths differ. The stream
        is unchanged then.
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

        Raises ValueError if `n` is negative or at least 2^63, MemoryError if memory does not
        suffice.
        """
    def skip(self, n: int) -> None:
        """Advance by `n` bytes. This takes as long as encrypting them; `parc4r` jumps to the chunk.

        Raises ValueError unless `n` is 0 to 2^64 - 1.
        """
    def copy(self) -> Self:
        """Return an independent cipher of the same class in the same state.

        The attributes that a subclass adds are not copied themselves: both have the same ones.
        """
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

class ARC4Cipher(Cipher):
    """An RC4 stream with the interfaces of PyCryptodome and of `arcfour.Cipher`.

    The key has 1 to 256 bytes. The first `drop` bytes of keystream are discarded. As in
    PyCryptodome, a negative drop means 0. A subclass may have another `__init__` that calls this
    one.

    Raises ValueError for a key of another length, TypeError if it is not bytes-like. Raises
    OverflowError if `drop` is 2^63 or more.
    """

    def __init__(self, key: _Bytes, drop: int = 0) -> None: ...

def new(key: _Bytes, drop: int = 0) -> ARC4Cipher:
    """Create an RC4 stream, after the first `drop` bytes of its keystream.

    The key has 1 to 256 bytes. As in PyCryptodome, a negative drop means 0.

    Raises ValueError for a key of another length, TypeError if it is not bytes-like. Raises
    OverflowError if `drop` is 2^63 or more.
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

    `keys` is a list of bytes-like objects, each of 1 to 256 bytes, or a uint8 array of shape (keys,
    bytes). The first `drop` bytes of each keystream are discarded. `family` is one of
    `arcfour.families`, in upper or lower case; all keys have the same `iv`, if the family needs
    one. `threads` is 1 to 256, by default one for each core. Other Python threads run meanwhile.
    Ctrl-C ends the call.

    Raises ValueError for a length or a number out of range. Raises TypeError if a key is not
    bytes-like, or if an IV is missing or refused. Raises MemoryError if the array does not fit in
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
    """Find the keys that decrypt a ciphertext to a partly known plaintext.

    Returns a list of bytes, in the order of the keys: every key that matches, and no other. `keys`
    is a mask. A byte is two digits of `0-9a-f?`, where `?` is an unknown nibble, or a set such as
    `[30-39,5f]`. `{3}` after a byte repeats it, and spaces are free. At most 2^64 keys may match
    it. `plaintext` is bytes, a mask, or a mapping of offset to one of these. `kind` is the kind of
    the beginning of the plaintext: 'printable', 'utf8' or 'zip'. `plaintext` or `kind` or both must
    be given. The first `drop` bytes of keystream were discarded; `family` and `iv` are as for
    `Cipher`.

    `shard` is (index, count): the keys are split into `count` equal parts, and part `index`, from
    1, is searched. `threads` is 1 to 256, by default one for each core. `progress` is called with
    the numbers of keys tested and of all keys, about ten times a second. An exception that it
    raises ends the search, and so does Ctrl-C.

    Raises ValueError for a wrong mask or number, or if too little of the plaintext is known to tell
    keys apart. Raises TypeError for a wrong type. Raises RuntimeError if too many keys match: give
    more of the plaintext.
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

    `source` is a bytes-like object, the path of a regular file, or a binary file object. A
    bytes-like object, such as an mmap, is copied whole, whatever its position is. Without `target`
    the sealed bytes are returned. If `target` is a path, the file appears there when it is
    complete, and never in part. An existing file is refused without `overwrite`. If `target` is a
    file object, the bytes are written to it. Its `write` must return the number of bytes that it
    took.

    Exactly one secret must be given. `key` is the text of a key file (`new_key`). `passphrase` has
    1 to 4096 bytes, and text is encoded as UTF-8; its derivation takes 64 MiB of memory.

    `cipher` encrypts the chunks: RC4-drop[3072], or PARC4-R. `chunk_size` is a power of two from
    1024 to 1048576, by default 262144. `threads` is 1 to 256, by default one for each core. The
    calling thread alone reads a file object.
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
    """Verify and decrypt a sealed file. The arguments are as for `seal`.

    Raises SealedFileError, with the `fault`, if the input was changed or the secret is wrong. No
    byte is released before its chunk is verified. If a later chunk fails, a file object has a
    genuine beginning of the plaintext. Bytes are returned, and a file appears, only after
    everything is verified.

    `range` is (start, length) in the plaintext: only the chunks with these bytes are read and
    verified. With `range` a file object must be able to seek, and is read from its start.
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

    `source`, `target` and `overwrite` are as for `seal`. `password` is the user's or the owner's,
    by default the empty one. `file_key` is the key of 5 to 16 bytes that a password makes. `repair`
    reads the intact parts of a damaged file. The whole document is decrypted before any byte is
    written.

    Raises WrongPasswordError if the password or the key is wrong. Raises ValueError if the file is
    damaged, not encrypted, encrypted with another cipher, or longer than 2147483647 bytes.
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
    """Return a dict that describes the encryption of a PDF file, without its password.

    The dict has `encrypted` and `pdf_version`. Its `damaged` says which parts could not be read, or
    is None. For an encrypted file it has V, R, Length, P, ID, O and U, unchanged from the
    encryption dictionary. It also has `handler`, `strings`, `streams`, `embedded_files` and
    `metadata_encrypted`, and `key_bits` if the cipher is RC4.

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

    `source`, `target` and `overwrite` are as for `seal`. Without a password, the empty one is
    tried, and for a workbook Excel's default password. `file_key` is the key that a password makes:
    5 bytes with the handler of Office 97, 20 with RC4 CryptoAPI and 16 with XOR obfuscation. The
    whole document is decrypted before any byte is written.

    Raises WrongPasswordError if the password or the key is wrong. Raises ValueError if the document
    is damaged, not encrypted, encrypted with another cipher, or longer than 2147483647 bytes.
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
    """Return a dict that describes the protection of a Word, Excel, PowerPoint or Access file.

    Files of 97 to 2003 are read. The dict has `format` and `protection`. If the protection is RC4,
    it also has `key_bits`, `salt`, `verifier` and `verifier_hash`.

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
    """Encrypt in the format of `openssl enc`, which `openssl enc -d` decrypts.

    `source`, `target` and `overwrite` are as for `seal`. The keywords are openssl's options, with
    the defaults of OpenSSL 1.1.0 and later; up to 1.0.2 `md` was md5. `md` is any digest of OpenSSL
    3.0; shake128 and shake256 only without PBKDF2. The passphrase may have any bytes, and text is
    encoded as UTF-8. The command openssl takes no passphrase with a zero byte. `iter` is 1 to
    2147483647, implies `pbkdf2`, and is 10000 by default. `salt` has 8 bytes. With `salt` or
    `nosalt` the file has no header, as OpenSSL 3.0 and later write it. `base64` writes lines of 64
    digits; with `one_line` it writes one line without a line end.

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
    """Decrypt a file of `openssl enc`. The arguments are as for `openssl_encrypt`.

    Raises ValueError if the header is missing, cut off or not expected, or the base64 text is
    invalid. A wrong passphrase, `md` or `cipher` gives wrong bytes and no exception.
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
    """A counting campaign: its keys, and the statistics of their keystreams. See `stats/README.md`.

    All keys are derived from `seed`, 32 bytes. Each shard counts `keystreams` keystreams. `single`
    bytes and `digraphs` are counted from position 1 to the number given. `pairs` counts both bytes
    of pairs of positions, and `equal` their equality. `long_term` counts digraphs by i, up to a
    position. `absab` counts repeated digraphs at positions up to its first number, with gaps below
    its second. `roos` compares S[y] with the key for y below the number, `roos_output` compares Z_1
    with the key, and `glimpse` compares S[j] with the output up to a position. Positions count from
    1 after the drop.

    Equal campaigns have the same `hash`, the SHA-256 in their files.
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

        Raises OSError if the file cannot be read, ValueError with its name if it is no campaign.
        """
    @staticmethod
    def parse(toml: str) -> Campaign:
        """Read the text of a campaign's TOML file.

        Raises ValueError if the text is no campaign.
        """
    @property
    def toml(self) -> str:
        """The text of the campaign's TOML file."""
    @property
    def seed(self) -> bytes:
        """The 32 bytes from which all keys are derived."""
    @property
    def shards(self) -> int:
        """The number of shards."""
    @property
    def keystreams(self) -> int:
        """The number of keystreams in each shard."""
    @property
    def key_length(self) -> int:
        """The length of the keys in bytes."""
    @property
    def drop(self) -> int:
        """The number of keystream bytes that are discarded before position 1."""
    @property
    def key_pattern(self) -> Literal["tkip"] | None:
        """The pattern of the keys, 'tkip' or None for random ones."""
    @property
    def single(self) -> int:
        """The number of positions whose single bytes are counted."""
    @property
    def digraphs(self) -> int:
        """The number of positions whose digraphs are counted."""
    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of positions (a, b), in the order of `Counts.pairs`."""
    @property
    def equal(self) -> list[tuple[int, int]]:
        """The pairs of positions (a, b), in the order of `Counts.equal`."""
    @property
    def long_term(self) -> int:
        """The last position whose digraph is counted by i."""
    @property
    def absab(self) -> tuple[int, int]:
        """The last position, and the number of gaps, of the repeated digraphs that are counted."""
    @property
    def roos(self) -> int:
        """The number of indexes y whose S[y] is compared with the key."""
    @property
    def roos_output(self) -> bool:
        """True if Z_1 is compared with the key."""
    @property
    def glimpse(self) -> int:
        """The number of positions whose output is compared with S[j]."""
    @property
    def hash(self) -> str:
        """The SHA-256 of the campaign, 64 hexadecimal digits; equal campaigns have equal hashes."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, tuple[str]]: ...

@final
class Counts:
    """The counts of some shards of a campaign.

    The arrays have dtype uint64, are copied at each access and belong to the caller. An array has
    no rows if the campaign does not count that statistic. Files and bytes have the format of
    `arcfour bias`, and every read checks all of them.
    """

    @staticmethod
    def load(path: str | PathLike[str]) -> Counts:
        """Read a file of counts.

        Raises OSError if the file cannot be read, ValueError with its name if it is damaged or no
        file of counts.
        """
    @staticmethod
    def parse(bytes: _Bytes) -> Counts:
        """Read the bytes of a file of counts.

        Raises ValueError if the bytes are damaged or no file of counts.
        """
    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write a file of counts. The file appears when it is complete, and never in part.

        Raises FileExistsError if the file exists and `overwrite` is not set, OSError if it cannot
        be written.
        """
    def to_bytes(self) -> bytes:
        """Return the bytes of a file of counts."""
    @property
    def campaign(self) -> Campaign:
        """The campaign whose shards were counted."""
    @property
    def shards(self) -> list[tuple[int, int]]:
        """The first and the last shard of each run of consecutive shards, in order."""
    @property
    def keystreams(self) -> int:
        """The number of keystreams that were counted."""
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
        """Shape (pairs, 2): [n, 1] is how often Z_a = Z_b, [n, 0] is how often they differ."""
    @property
    def long_term(self) -> NDArray[np.uint64]:
        """Shape (256, 256, 256): [i, x, y] is how often (Z_r, Z_r+1) = (x, y), r mod 256 = i."""
    @property
    def absab(self) -> NDArray[np.uint64]:
        """Shape (gaps, 2): [g, 1] is how often (Z_r, Z_r+1) is repeated after g other bytes."""
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
    """Count a shard on one core. Other Python threads run meanwhile: use one thread for each core.

    With `checkpoint`, a path, the counts are written there every `seconds` seconds. The file is
    never incomplete. If the file exists, the counting continues from it. The caller removes the
    file. `progress` is called about twenty times a second with the number of keystreams counted so
    far. An exception that it raises ends the count, and so does Ctrl-C. Raises IndexError if the
    campaign has no such shard, ValueError if the checkpoint belongs to another shard. Raises
    OSError if the checkpoint cannot be read or written.
    """

def read_table(path: str | PathLike[str]) -> Counts:
    """Read a published table of single-byte counts of 16-byte keys, as `arcfour bias compare` does.

    Each line of the text is `position value count`, in order, and the first position is 0 or 1.
    Text after % or # is ignored. Raises OSError if the file cannot be read, ValueError with its
    name and the line if it is no table.
    """

def compare(counts: Counts, other: Counts) -> list[tuple[int, float, int, float, float, str]]:
    """Compare two samples. Returns the rows of `arcfour.statistics.compare`."""

def merge(counts: Iterable[Counts]) -> Counts:
    """Add counts. Raises ValueError if the campaigns differ or a shard is counted twice."""

def verify(
    counts: Counts,
) -> list[tuple[str, str, int, int, float, float, float, float, float, float, str]]:
    """Test for the published biases. Returns the rows of `arcfour.statistics.verify`."""

def threads_of(threads: int | None) -> int:
    """Return `threads`, 1 to 256, or by default one for each core, at most 256."""

def create_file(path: str | PathLike[str], text: str) -> None:
    """Write a new file. The file appears when it is complete, and never in part.

    Raises FileExistsError if the file exists, OSError if it cannot be written.
    """

def key_from_state(table: _Bytes, length: int, *, tests: int = 16384) -> bytes | None:
    """Find the key whose key schedule makes this table. Returns None if no key is found.

    `table` has 256 bytes, each value once, as in `Cipher.state`. `length` is the length of the key,
    1 to 32 bytes. `tests` is the number of keys that are tried, the likeliest first, 1 to 1048576.

    Raises ValueError if the table is no permutation, or for a number out of range.
    """

def memory_states(dump: _Bytes, *, produced: int = 1048576) -> list[dict[str, Any]]:
    """Find RC4 states in a memory dump, and their keys.

    `dump` is bytes-like and is read in pieces; for a file use `numpy.memmap`. Keys of 5, 13 and 16
    bytes are found, if the state had made at most `produced` bytes of keystream, at most 2^30.
    Returns a list of dicts with `offset`, `layout`, `table`, `i`, `j`, `key` and `produced`. `key`
    and `produced` are None if only the layout shows that this is a state. A state without a key is
    listed once for each reading of its indexes. For example, libgcrypt and the Linux kernel keep
    different values of i at one place. Ctrl-C ends the search.

    Raises ValueError for a number out of range.
    """

@final
class Finding:
    """One use of RC4 at one place."""

    @property
    def rule(self) -> str:
        """The name of the rule: 'pdf-40', 'tls-chosen' and so on."""
    @property
    def severity(self) -> Literal["high", "medium", "low"]:
        """The severity: 'high', 'medium' or 'low'."""
    @property
    def what(self) -> str:
        """The kind of use, such as 'PDF, 40-bit key'."""
    @property
    def path(self) -> Path:
        """The file."""
    @property
    def within(self) -> str | None:
        """The place in the file, such as 'line 31' or 'member a/b.doc'; None is the whole file."""
    @property
    def evidence(self) -> str:
        """The evidence for the finding, in words."""
    @property
    def count(self) -> int:
        """The number of occurrences at this place."""
    @property
    def facts(self) -> dict[str, str]:
        """More facts by name, such as 'key bits' or 'search seconds'."""
    @property
    def remedy(self) -> str:
        """The remedy, in a sentence."""
    @property
    def command(self) -> str | None:
        """The command that is the next step, quoted for a shell, or None."""
    @property
    def sources(self) -> list[str]:
        """The sources of the rule: RFCs, CVEs, pages of vendors."""

@final
class Survey:
    """The result of a survey. Iterating over it yields the findings, the worst first."""

    @property
    def findings(self) -> list[Finding]:
        """The findings, the worst first, then by their places."""
    @property
    def files(self) -> int:
        """The number of files that were examined."""
    @property
    def read(self) -> dict[str, int]:
        """How many files and members of archives each reader read, by the reader's name."""
    @property
    def unread(self) -> list[tuple[str, str]]:
        """The files that could not be read to their end, as pairs of place and reason."""
    @property
    def not_seen(self) -> list[str]:
        """The uses of RC4 that a survey cannot see, in sentences."""
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

    `paths` is one path or several paths of files and folders. Archives inside archives are read to
    `archive_depth` levels, 0 to 16. Links in folders are not followed. Folders on other file
    systems are read with `cross_file_systems`. The survey uses all cores. Ctrl-C ends it.

    The result yields the findings as `Finding`. Its `unread` names the files that could not be
    read.

    Raises OSError if one of `paths` does not exist, ValueError for a number out of range.
    """

def wep_capture(key: _Bytes, packets: int, *, seed: int = 1) -> bytes:
    """Make a pcap file of WEP packets: ARP requests with random IVs.

    `key` is 5 or 13 bytes, `packets` 1 to 10000000. The same seed gives the same file.

    Raises ValueError for another key or a number out of range.
    """

def wep_key(
    capture: _Bytes, *, key_length: int | None = None, max_prefixes: int = 10000
) -> bytes | None:
    """Find the WEP key of a capture. Returns None if no key is found.

    `capture` is a pcap or pcapng file of 802.11 frames, or an .ivs file, as bytes; the network with
    the most packets is attacked. `key_length` is 5 or 13; without it both are tried. `max_prefixes`
    is the number of prefixes of keys that are extended, 1 to 100000.

    Raises ValueError if the file has another format or no WEP packet, or for a number out of range.
    """
