"""`arcfour.pdf` and `arcfour.office`: documents in and out."""

from __future__ import annotations

import io
import os
import tomllib
from typing import TYPE_CHECKING, Any

import arcfour
import msoffcrypto
import pikepdf
import pytest
from arcfour import WrongPasswordError, office, pdf
from conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VECTORS: list[dict[str, Any]] = tomllib.loads((ROOT / "vectors/pdf.toml").read_text())["vector"]
DOCUMENTS = sorted(
    path.name
    for path in (ROOT / "vectors/office").iterdir()
    if path.suffix in (".doc", ".xls", ".ppt") and not path.name.startswith("plain")
)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_pdf(vector: dict[str, Any]) -> None:
    """What is decrypted is read by qpdf, and has the text and the title."""
    path = ROOT / f"vectors/pdf/{vector['name']}.pdf"
    user, owner = (bytes.fromhex(vector[f"{who}_password"]) for who in ("user", "owner"))
    plain = pdf.decrypt(path, password=user)
    assert plain == pdf.decrypt(path.read_bytes(), password=owner)
    assert plain == pdf.decrypt(path, file_key=bytes.fromhex(vector["file_key"]))
    with pikepdf.open(io.BytesIO(plain)) as read:
        assert not read.is_encrypted
        content: Any = read.pages[0].obj.Contents
        assert content.read_bytes().hex() == vector["plaintext"]
        assert str(read.docinfo["/Title"]) == "Été à l’aube"  # noqa: RUF001
        assert not read.check_pdf_syntax()
    facts = pdf.inspect(path)
    assert (facts["V"], facts["R"], facts["streams"]) == (vector["V"], vector["R"], "RC4")
    assert facts["O"].hex() == vector["O"]
    assert pdf.inspect(plain)["encrypted"] is False
    with pytest.raises(WrongPasswordError):
        pdf.decrypt(path, password="Quentin")


def test_pdf_by_qpdf() -> None:
    """Files that qpdf encrypts, with object streams and without."""
    plain = pdf.decrypt(ROOT / "vectors/pdf/v1-r2-empty.pdf")
    for revision in (2, 3, 4):
        for mode in (pikepdf.ObjectStreamMode.disable, pikepdf.ObjectStreamMode.generate):
            # With RC4 it takes no other value; before R 4 metadata are encrypted all the same.
            encryption = pikepdf.Encryption(
                user="user", owner="owner", R=revision, aes=False, metadata=False
            )
            file = io.BytesIO()
            with pikepdf.open(io.BytesIO(plain)) as read:
                read.save(file, encryption=encryption, object_stream_mode=mode)
            assert b"Attack at dawn" not in file.getvalue()
            file.seek(0)
            target = io.BytesIO()
            assert pdf.decrypt(file, target, password="owner") is None
            with pikepdf.open(target) as read:
                content: Any = read.pages[0].obj.Contents
                assert b"Attack at dawn" in content.read_bytes()
                assert b"xmpmeta" in read.Root.Metadata.read_bytes()
                assert not read.check_pdf_syntax()


def test_aes_is_named() -> None:
    file = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf.decrypt(ROOT / "vectors/pdf/v1-r2-empty.pdf"))) as read:
        read.save(file, encryption=pikepdf.Encryption(user="", owner="", R=4, aes=True))
    with pytest.raises(ValueError, match="AES-128, which is not RC4; `qpdf --decrypt`"):
        pdf.decrypt(file.getvalue())
    assert pdf.inspect(file.getvalue())["streams"] == "AES-128"


def test_damage_is_named() -> None:
    file = (ROOT / "vectors/pdf/v1-r2.pdf").read_bytes()
    assert pdf.inspect(file)["damaged"] is None
    damaged = pdf.inspect(file.replace(b"startxref", b"startxxxx"))["damaged"]
    assert "cross-reference" in damaged


def test_paths(tmp_path: Path) -> None:
    """A file appears whole, or not at all."""
    path, target = ROOT / "vectors/pdf/v1-r2.pdf", tmp_path / "plain.pdf"
    with pytest.raises(WrongPasswordError, match="wrong password"):
        pdf.decrypt(path, target)
    assert not target.exists()
    pdf.decrypt(path, target, password="user")
    with pytest.raises(FileExistsError):
        pdf.decrypt(path, target, password="user")
    pdf.decrypt(path, target, password="user", overwrite=True)
    assert b"Attack at dawn" in target.read_bytes()
    with pytest.raises(TypeError, match="either"):
        pdf.decrypt(path, password="user", file_key=b"12345")
    with pytest.raises(ValueError, match="5 to 16 bytes, not 4"):
        pdf.decrypt(path, file_key=b"1234")
    cut = path.read_bytes()[:-21]
    with pytest.raises(ValueError, match="damaged"):
        pdf.decrypt(cut, password="user")
    assert b"Attack at dawn" in pdf.decrypt(cut, password="user", repair=True)


@pytest.mark.parametrize("size", [1 << 31, 3 << 31])
def test_a_document_that_is_too_long_is_refused(size: int, tmp_path: Path) -> None:
    """The beginning of a file is not the file."""
    path, target = tmp_path / "long.pdf", tmp_path / "plain.pdf"
    path.write_bytes((ROOT / "vectors/pdf/v1-r2-empty.pdf").read_bytes())
    os.truncate(path, size)
    message = f"the source has {size} bytes; a document has at most 2147483647"
    calls: list[Callable[[], object]] = [
        lambda: pdf.inspect(path),
        lambda: pdf.decrypt(path, target, repair=True),
        lambda: office.inspect(path),
        lambda: office.decrypt(path, target),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()
    assert not target.exists()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_office(name: str) -> None:
    """msoffcrypto-tool reads the same documents, and finds the decrypted ones plain."""
    path = ROOT / "vectors/office" / name
    facts = office.inspect(path)
    kinds = {"cryptoapi": "RC4 CryptoAPI", "xor": "XOR obfuscation"}
    kind = kinds.get(name.replace(".", "-").split("-")[0], "Office 97 RC4")
    assert facts["protection"] == kind
    with pytest.raises(WrongPasswordError):
        office.decrypt(path, password="quentin")
    password = "VelvetSweatshop" if name == "default.xls" else "Quentin"
    plain = office.decrypt(path, password=password)
    assert office.inspect(plain)["protection"] == "none"
    assert not msoffcrypto.OfficeFile(io.BytesIO(plain)).is_encrypted()
    if name == "xor.doc":  # its msoffcrypto.format.doc97 has no XOR obfuscation
        assert plain == (ROOT / "vectors/office/plain.doc").read_bytes()
        return
    theirs: Any = msoffcrypto.OfficeFile(path.open("rb"))
    assert theirs.is_encrypted()
    theirs.load_key(password=password)
    file = io.BytesIO()
    theirs.decrypt(file)
    for text in (b"Attack at dawn", "Attack at dawn".encode("utf-16-le")):
        assert plain.count(text) == file.getvalue().count(text)
    theirs.file.close()


def test_office_default_password() -> None:
    """Excel's default password is tried by itself, and more than 15 characters are cut."""
    path = ROOT / "vectors/office/default.xls"
    plain = office.decrypt(path)
    assert office.inspect(plain)["protection"] == "none"
    assert office.decrypt(path, password="VelvetSweatshop, and more") == plain


def test_office_by_key() -> None:
    """A key that a search has found opens the document."""
    path = ROOT / "vectors/office/libreoffice.doc"
    facts = office.inspect(path)
    assert (facts["key_bits"], len(facts["salt"])) == (40, 16)
    with pytest.raises(ValueError, match="5 bytes, not 4"):
        office.decrypt(path, file_key=b"1234")
    with pytest.raises(WrongPasswordError, match="wrong key"):
        office.decrypt(path, file_key=b"12345")
    assert issubclass(arcfour.WrongPasswordError, ValueError)
