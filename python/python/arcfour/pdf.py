"""PDF files encrypted with RC4, keys of 40 to 128 bits.

Such a file tells a wrong password from a right one. Files with AES are refused.

    >>> from arcfour import pdf
    >>> facts = pdf.inspect("../vectors/pdf/v2-r3-128.pdf")
    >>> facts["streams"], facts["key_bits"]
    ('RC4', 128)
    >>> plain = pdf.decrypt("../vectors/pdf/v2-r3-128.pdf", password="user")
    >>> b"Attack at dawn" in plain
    True
"""

from ._native import pdf_decrypt as decrypt
from ._native import pdf_inspect as inspect

__all__ = ["decrypt", "inspect"]
