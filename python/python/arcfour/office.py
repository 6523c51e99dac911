"""Word, Excel, PowerPoint and Access files of 97 to 2003, encrypted with RC4 or obfuscated by XOR.

A wrong password raises WrongPasswordError. Access files of 97 to 2003 need no password. AES is
refused.

    >>> from arcfour import office
    >>> facts = office.inspect("../vectors/office/libreoffice.doc")
    >>> facts["protection"], facts["key_bits"]
    ('Office 97 RC4', 40)
    >>> plain = office.decrypt("../vectors/office/libreoffice.doc", password="Quentin")
    >>> office.inspect(plain)["protection"]
    'none'
"""

from ._native import office_decrypt as decrypt
from ._native import office_inspect as inspect

__all__ = ["decrypt", "inspect"]
