"""Other people's programs with our RC4 in the place of the one they import."""

from __future__ import annotations

import importlib
import io
import warnings
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from arcfour import ARC4
from arcfour.compat import cryptography as shim
from pypdf import PdfReader, PdfWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

by_pycryptodome: Any = importlib.import_module("pypdf._crypt_providers._pycryptodome")

TITLE = "Attack at dawn"
PDF = ["RC4-40", "RC4-128"]
PASSWORD = "Quentin"


def pdf(algorithm: str) -> bytes:
    """An encrypted document, by pypdf."""
    writer = PdfWriter()
    writer.add_blank_page(width=72, height=72)
    writer.add_metadata({"/Title": TITLE})
    writer.encrypt(PASSWORD, algorithm=algorithm)
    file = io.BytesIO()
    writer.write(file)
    assert TITLE.encode() not in file.getvalue()
    return file.getvalue()


def title(file: bytes) -> str | None:
    reader = PdfReader(io.BytesIO(file), password=PASSWORD)
    assert len(reader.pages) == 1
    assert reader.metadata is not None
    return reader.metadata.title


class Calls:
    """Counts the streams that a client starts: it must really be ours that it uses."""

    def __init__(self, start: Callable[..., Any]) -> None:
        self.start, self.count = start, 0

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        self.count += 1
        return self.start(*arguments, **keywords)


def use_shim(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> Calls:
    """Replace the two imports of `cryptography` that a module has."""
    calls = Calls(shim.Cipher)
    monkeypatch.setattr(module, "Cipher", calls)
    if hasattr(module, "ARC4"):
        monkeypatch.setattr(module, "ARC4", shim.algorithms.ARC4)
    else:
        monkeypatch.setattr(module, "decrepit_algorithms", shim.algorithms)
    return calls


@pytest.mark.parametrize("algorithm", PDF)
def test_pypdf_with_pycryptodome(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its provider for PyCryptodome constructs `ARC4.ARC4Cipher(key)`."""
    file = pdf(algorithm)
    calls = Calls(ARC4.ARC4Cipher)
    monkeypatch.setattr(by_pycryptodome.ARC4, "ARC4Cipher", calls)
    encryption: Any = importlib.import_module("pypdf._encryption")
    for name in ("rc4_encrypt", "rc4_decrypt", "CryptRC4"):
        monkeypatch.setattr(encryption, name, getattr(by_pycryptodome, name))
    assert title(file) == TITLE
    assert calls.count > 2
    ours = pdf(algorithm)
    monkeypatch.undo()
    assert title(ours) == TITLE


@pytest.mark.parametrize("algorithm", PDF)
def test_pypdf_with_cryptography(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = pdf(algorithm)
    calls = use_shim(monkeypatch, importlib.import_module("pypdf._crypt_providers._cryptography"))
    assert title(file) == TITLE
    assert calls.count > 2
    ours = pdf(algorithm)
    monkeypatch.undo()
    assert title(ours) == TITLE


@pytest.mark.parametrize("algorithm", PDF)
def test_pdfminer(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has an RC4 in Python with the same interface as PyCryptodome's class."""
    pdfdocument: Any = importlib.import_module("pdfminer.pdfdocument")
    pdfparser: Any = importlib.import_module("pdfminer.pdfparser")
    calls = Calls(ARC4.ARC4Cipher)
    monkeypatch.setattr(pdfdocument, "Arcfour", calls)
    parser = pdfparser.PDFParser(io.BytesIO(pdf(algorithm)))
    document = pdfdocument.PDFDocument(parser, password=PASSWORD)
    assert document.info[0]["Title"] == TITLE.encode()
    assert calls.count > 2


def test_msoffcrypto_office_97(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 512 bytes, each under a key of MD5, [MS-OFFCRYPTO] 2.3.6."""
    rc4: Any = importlib.import_module("msoffcrypto.method.rc4")
    salt, data = bytes(range(16)), bytes(n % 251 for n in range(1300))

    def decrypt() -> bytes:
        result: bytes = rc4.DocumentRC4.decrypt(PASSWORD, salt, io.BytesIO(data)).read()
        return result

    theirs = decrypt()
    calls = use_shim(monkeypatch, rc4)
    assert decrypt() == theirs != data
    assert calls.count == 3


@pytest.mark.parametrize("bits", [40, 56, 128])
def test_msoffcrypto_cryptoapi(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same under keys of SHA-1, [MS-OFFCRYPTO] 2.3.5."""
    rc4: Any = importlib.import_module("msoffcrypto.method.rc4_cryptoapi")
    salt, data = bytes(range(16)), bytes(n % 251 for n in range(1300))

    def decrypt() -> bytes:
        result: bytes = rc4.DocumentRC4CryptoAPI.decrypt(
            PASSWORD, salt, bits, io.BytesIO(data)
        ).read()
        return result

    theirs = decrypt()
    calls = use_shim(monkeypatch, rc4)
    assert decrypt() == theirs != data
    assert calls.count == 3


def test_scapy_wep(monkeypatch: pytest.MonkeyPatch) -> None:
    """A WEP frame that scapy encrypts and decrypts itself: IV before the key, and a CRC-32."""
    dot11: Any = importlib.import_module("scapy.layers.dot11")
    packet: Any = importlib.import_module("scapy.packet")
    monkeypatch.setattr(dot11.conf, "wepkey", "13 characters")

    def frame() -> bytes:
        result: bytes = bytes(
            dot11.Dot11(type=2, FCfield="protected")
            / dot11.Dot11WEP(iv=b"abc", keyid=0)
            / dot11.LLC()
            / packet.Raw(TITLE.encode())
        )
        return result

    theirs = frame()
    calls = use_shim(monkeypatch, dot11)
    assert frame() == theirs
    read = dot11.Dot11(theirs)
    assert bytes(read[packet.Raw]) == TITLE.encode()
    assert calls.count == 2


def use_module(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> Calls:
    """Replace the module `ARC4` that another one imported from PyCryptodome."""
    calls = Calls(ARC4.new)
    monkeypatch.setattr(module, "ARC4", SimpleNamespace(new=calls))
    return calls


def test_impacket_kerberos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Encryption type 23, rc4-hmac, of RFC 4757."""
    crypto: Any = theirs_from("impacket.krb5.crypto")
    key = crypto.Key(23, bytes(range(16)))

    def encrypt() -> bytes:
        result: bytes = crypto.encrypt(key, 7, TITLE.encode(), b"confound")
        return result

    theirs = encrypt()
    calls = use_module(monkeypatch, crypto)
    assert encrypt() == theirs
    assert crypto.decrypt(key, 7, theirs) == TITLE.encode()
    with pytest.raises(crypto.InvalidChecksum):
        crypto.decrypt(key, 7, theirs[:-1] + bytes([theirs[-1] ^ 1]))
    assert calls.count == 3


def test_impacket_ntlm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session key that a client of NTLM sends encrypted, [MS-NLMP] 3.1.5.1.2."""
    ntlm: Any = theirs_from("impacket.ntlm")
    keys = bytes(range(16)), bytes(range(16, 32))
    theirs = ntlm.generateEncryptedSessionKey(*keys)
    calls = use_module(monkeypatch, ntlm)
    assert ntlm.generateEncryptedSessionKey(*keys) == theirs == ARC4.new(keys[0]).encrypt(keys[1])
    assert calls.count == 1


def theirs_from(name: str) -> ModuleType:
    """Import a module whose own warnings are none of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)
