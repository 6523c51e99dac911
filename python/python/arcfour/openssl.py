r"""Files of `openssl enc -rc4` and `-rc4-40`, without OpenSSL and its legacy provider.

Such a file does not show whether the passphrase is right or the file is unchanged. A wrong
passphrase, `md` or `cipher` gives other bytes, and no exception.

>>> from arcfour import openssl
>>> file = openssl.encrypt(b"hello", passphrase="Quentin", md="md5", nosalt=True, base64=True)
>>> file
b'ztJ804g=\n'
>>> openssl.decrypt(file, passphrase="Quentin", md="md5", nosalt=True, base64=True)
b'hello'
"""

from ._native import openssl_decrypt as decrypt
from ._native import openssl_encrypt as encrypt

__all__ = ["decrypt", "encrypt"]
