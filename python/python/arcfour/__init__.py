"""RC4 and its family: ciphers, sealed files, statistics.

RC4 is broken (RFC 7465). Use it to read and write old data that RC4 encrypted, and to study RC4;
for anything new take AES-GCM or ChaCha20-Poly1305.

    >>> from arcfour import ARC4
    >>> ARC4.new(b"Key").encrypt(b"Plaintext").hex()
    'bbf316e8d940af0ad3'

`ARC4` has the interface of PyCryptodome's module of that name, `arcfour.compat.cryptography` the
interface of RC4 in the package `cryptography`.
`Cipher` is any family by its name. `seal` and `open` write and read authenticated files.
`arcfour.openssl` reads and writes files of `openssl enc -rc4`. `arcfour.pdf` and `arcfour.office`
read documents with RC4. `survey` finds RC4 that is still in use. `arcfour.attacks` finds keys in
states, memory and captures of WEP.
`arcfour.statistics` counts keystreams, and `arcfour.campaign` counts them on many machines.
"""

from . import ARC4, attacks, office, openssl, pdf
from ._native import (
    Cipher,
    Finding,
    SealedFileError,
    Survey,
    WrongPasswordError,
    __version__,
    families,
    find,
    keystreams,
    new_key,
    open,
    seal,
    survey,
)

__all__ = [
    "ARC4",
    "Cipher",
    "Finding",
    "SealedFileError",
    "Survey",
    "WrongPasswordError",
    "__version__",
    "attacks",
    "families",
    "find",
    "keystreams",
    "new_key",
    "office",
    "open",
    "openssl",
    "pdf",
    "seal",
    "survey",
]
