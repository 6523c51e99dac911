"""The vectors of PDF files, read by programs that none of us wrote."""

from __future__ import annotations

import importlib
import io
import tomllib
from typing import TYPE_CHECKING, Any

import pikepdf
import pypdf
import pypdfium2
import pytest
from arcfour import ARC4
from conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Été à l’aube"  # noqa: RUF001  # characters beyond ASCII are what is tested
TEXT = "Attack at dawn"
VECTORS: list[dict[str, Any]] = tomllib.loads((ROOT / "vectors/pdf.toml").read_text())["vector"]
IDS = [vector["name"] for vector in VECTORS]


def file(vector: dict[str, Any]) -> bytes:
    return (ROOT / f"vectors/pdf/{vector['name']}.pdf").read_bytes()


def by_qpdf(vector: dict[str, Any], password: bytes) -> None:
    with pikepdf.open(io.BytesIO(file(vector)), password=password) as pdf:
        content: Any = pdf.pages[0].obj.Contents
        assert content.read_bytes().hex() == vector["plaintext"]
        assert str(pdf.docinfo["/Title"]) == TITLE
        assert pdf.encryption.encryption_key.hex() == vector["file_key"]


def by_pypdf(vector: dict[str, Any], password: bytes) -> None:
    reader = pypdf.PdfReader(io.BytesIO(file(vector)), password=password)
    assert reader.pages[0].extract_text() == TEXT
    assert reader.metadata is not None
    assert reader.metadata.title == TITLE
    encryption: Any = reader._encryption  # noqa: SLF001
    assert encryption._key.hex() == vector["file_key"]  # noqa: SLF001


def by_pdfium(vector: dict[str, Any], password: bytes) -> None:
    with pypdfium2.PdfDocument(file(vector), password=password.decode("latin-1")) as pdf:
        assert pdf[0].get_textpage().get_text_bounded().strip() == TEXT
        assert pdf.get_metadata_value("Title") == TITLE


READERS: dict[str, Callable[[dict[str, Any], bytes], None]] = {
    "qpdf": by_qpdf,
    "pypdf": by_pypdf,
    "pdfium": by_pdfium,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_who_opens_a_file(
    vector: dict[str, Any], reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly those that the vector names: one that learns a fact should be named."""
    # cryptography takes no key of 96 bits; our RC4 in PyCryptodome's place takes all.
    ours: Any = importlib.import_module("pypdf._crypt_providers._pycryptodome")
    monkeypatch.setattr(ours.ARC4, "ARC4Cipher", ARC4.ARC4Cipher)
    encryption: Any = importlib.import_module("pypdf._encryption")
    for name in ("rc4_encrypt", "rc4_decrypt", "CryptRC4"):
        monkeypatch.setattr(encryption, name, getattr(ours, name))
    try:
        READERS[reader](vector, bytes.fromhex(vector["user_password"]))
        opened = True
    except Exception:  # noqa: BLE001  # each has its own ways to fail
        opened = False
    assert opened == (reader in vector["opened_by"])


def test_every_vector_has_two_readers() -> None:
    assert all(
        len(vector["opened_by"]) >= 2 for vector in VECTORS if vector["opened_by"] != ["pdf.js"]
    )
