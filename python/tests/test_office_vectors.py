"""The vectors of Office documents, by msoffcrypto-tool, which none of us wrote."""

from __future__ import annotations

import importlib
import io
import tomllib
from typing import Any

import pytest
from conftest import ROOT

VECTORS: list[dict[str, Any]] = tomllib.loads((ROOT / "vectors/office.toml").read_text())["vector"]
rc4: Any = importlib.import_module("msoffcrypto.method.rc4")
cryptoapi: Any = importlib.import_module("msoffcrypto.method.rc4_cryptoapi")


@pytest.mark.parametrize("vector", VECTORS)
def test_keys(vector: dict[str, Any]) -> None:
    password, salt = vector["password"], bytes.fromhex(vector["salt"])
    key_size = vector.get("KeySize") or 40
    if key_size in (48, 104) and vector["handler"] == "CryptoApi":
        pytest.skip("cryptography takes no RC4 key of 48 or 104 bits; test_keys_alone has them")
    verifier = bytes.fromhex(vector["verifier"])
    verifier_hash = bytes.fromhex(vector["verifier_hash"])
    if vector["handler"] == "Office97":
        assert rc4.DocumentRC4.verifypw(password, salt, verifier, verifier_hash)
        assert not rc4.DocumentRC4.verifypw(password + "x", salt, verifier, verifier_hash)
        blocks = rc4.DocumentRC4.decrypt(password, salt, io.BytesIO(bytes(512 * 257)))
    else:
        verify = cryptoapi.DocumentRC4CryptoAPI.verifypw
        assert verify(password, salt, key_size, verifier, verifier_hash)
        assert not verify(password + "x", salt, key_size, verifier, verifier_hash)
        decrypt = cryptoapi.DocumentRC4CryptoAPI.decrypt
        blocks = decrypt(password, salt, key_size, io.BytesIO(bytes(512 * 257)))
    keystream = blocks.read()
    for block, _, start in vector["blocks"]:
        if block < 257:
            assert keystream[512 * block :][:16].hex() == start


@pytest.mark.parametrize("vector", VECTORS)
def test_keys_alone(vector: dict[str, Any]) -> None:
    password, salt = vector["password"], bytes.fromhex(vector["salt"])
    for block, key, _ in vector["blocks"]:
        if vector["handler"] == "Office97":
            made = rc4._makekey(password, salt, block)  # noqa: SLF001
        else:
            bits = vector["KeySize"] or 40
            made = cryptoapi._makekey(password, salt, bits, block)  # noqa: SLF001
        assert made.hex() == key
