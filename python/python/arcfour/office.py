"""Documents of Word, Excel and PowerPoint 97 to 2003 encrypted with RC4.

Such a document tells a wrong password from a right one. XOR obfuscation and AES are refused.

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
