"""Tests the provider through OpenSSL itself: test_provider.py FOLDER-OF-MODULE FOLDER-OF-VECTORS.

libcrypto is called by ctypes, as Python's own `ssl` and `hashlib` link it; the legacy provider and the command
`openssl` are the second opinion. Only Python's standard library is needed.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

MODULES, VECTORS = (Path(name).resolve() for name in sys.argv[1:3])
crypto = ctypes.CDLL("libcrypto.so.3")
P, S, I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
for name, result, arguments in [
    ("OSSL_LIB_CTX_new", P, []),
    ("OSSL_LIB_CTX_free", None, [P]),
    ("OSSL_PROVIDER_set_default_search_path", I, [P, S]),
    ("OSSL_PROVIDER_load", P, [P, S]),
    ("OSSL_PROVIDER_unload", I, [P]),
    ("OSSL_PROVIDER_self_test", I, [P]),
    ("EVP_CIPHER_fetch", P, [P, S, S]),
    ("EVP_CIPHER_free", None, [P]),
    ("EVP_CIPHER_get_key_length", I, [P]),
    ("EVP_CIPHER_get_iv_length", I, [P]),
    ("EVP_CIPHER_get_block_size", I, [P]),
    ("EVP_CIPHER_CTX_new", P, []),
    ("EVP_CIPHER_CTX_copy", I, [P, P]),
    ("EVP_CIPHER_CTX_free", None, [P]),
    ("EVP_CIPHER_CTX_set_key_length", I, [P, I]),
    ("EVP_CIPHER_CTX_get_key_length", I, [P]),
    ("EVP_CipherInit_ex", I, [P, P, P, S, S, I]),
    ("EVP_CipherUpdate", I, [P, P, ctypes.POINTER(I), P, I]),
    ("EVP_CipherFinal_ex", I, [P, P, ctypes.POINTER(I)]),
    ("ERR_get_error", ctypes.c_ulong, []),
    ("ERR_reason_error_string", S, [ctypes.c_ulong]),
]:
    function = getattr(crypto, name)
    function.restype, function.argtypes = result, arguments


def reason():
    """The last error's reason, and an empty queue."""
    last = None
    while code := crypto.ERR_get_error():
        last = crypto.ERR_reason_error_string(code)
    return last.decode() if last else None


class Library:
    """A library context with one provider."""

    def __init__(self, provider):
        self.context = crypto.OSSL_LIB_CTX_new()
        if provider == "arcfour-provider":
            assert crypto.OSSL_PROVIDER_set_default_search_path(self.context, str(MODULES).encode())
        self.provider = crypto.OSSL_PROVIDER_load(self.context, provider.encode())
        assert self.provider, reason()

    def fetch(self, name, properties=None):
        return crypto.EVP_CIPHER_fetch(self.context, name.encode(), properties)


class Stream:
    def __init__(self, cipher, key=None, encrypt=1):
        self.context = crypto.EVP_CIPHER_CTX_new()
        assert crypto.EVP_CipherInit_ex(self.context, cipher, None, None, None, encrypt), reason()
        if key is not None:
            assert crypto.EVP_CIPHER_CTX_set_key_length(self.context, len(key)), reason()
            assert crypto.EVP_CipherInit_ex(self.context, None, None, key, None, encrypt), reason()

    def __del__(self):
        crypto.EVP_CIPHER_CTX_free(self.context)

    def update(self, data):
        out, length = ctypes.create_string_buffer(len(data) + 1), ctypes.c_int()
        if not crypto.EVP_CipherUpdate(self.context, out, length, data, len(data)):
            raise ValueError(reason())
        assert length.value == len(data) and out.raw[len(data)] == 0
        return out.raw[: len(data)]

    def copy(self):
        other = Stream.__new__(Stream)
        other.context = crypto.EVP_CIPHER_CTX_new()
        assert crypto.EVP_CIPHER_CTX_copy(other.context, self.context), reason()
        return other


def definition(key, length):
    """Keystream by the plain loop."""
    s, j = list(range(256)), 0
    for i in range(256):
        j = (j + s[i] + key[i % len(key)]) % 256
        s[i], s[j] = s[j], s[i]
    i = j = 0
    out = bytearray()
    for _ in range(length):
        i = (i + 1) % 256
        j = (j + s[i]) % 256
        s[i], s[j] = s[j], s[i]
        out.append(s[(s[i] + s[j]) % 256])
    return bytes(out)


def rows(name):
    """The rows of a file of vectors: three fields each."""
    lines = (VECTORS / name).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def openssl(*arguments, data=b"", fails=False):
    done = subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=False)
    assert (done.returncode != 0) == fails, (arguments, done.stderr.decode())
    return done.stdout


OURS = ["-provider-path", str(MODULES), "-provider", "arcfour-provider", "-provider", "default"]
THEIRS = ["-provider", "legacy", "-provider", "default"]


class Provider(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ours, cls.theirs = Library("arcfour-provider"), Library("legacy")
        cls.rc4 = cls.ours.fetch("RC4")

    def test_what_it_offers_is_what_the_legacy_provider_offers(self):
        self.assertTrue(crypto.OSSL_PROVIDER_self_test(self.ours.provider))
        for name in "RC4", "RC4-40", "1.2.840.113549.3.4":
            found = [library.fetch(name) for library in (self.ours, self.theirs)]
            self.assertTrue(all(found), name)
            for get in (
                crypto.EVP_CIPHER_get_key_length,
                crypto.EVP_CIPHER_get_iv_length,
                crypto.EVP_CIPHER_get_block_size,
            ):
                self.assertEqual(get(found[0]), get(found[1]), (name, get))
        self.assertTrue(self.ours.fetch("RC4", b"provider=arcfour"))
        self.assertFalse(self.theirs.fetch("RC4", b"provider=arcfour"))
        self.assertFalse(self.ours.fetch("AES-128-CBC"))
        reason()

    def test_vectors(self):
        count = 0
        for name in "rc4-rfc6229.txt", "rc4-keys.txt", "rc4-drop.txt", "rc4-special.txt":
            for key, offset, keystream in rows(name):
                stream = Stream(self.rc4, bytes.fromhex(key))
                stream.update(bytes(int(offset)))
                self.assertEqual(stream.update(bytes(len(keystream) // 2)).hex(), keystream, (name, key, offset))
                count += 1
        for key, plain, expected in [*rows("rc4-classic.txt"), *rows("rc4-openssl.txt")]:
            stream = Stream(self.rc4, bytes.fromhex(key), encrypt=0)
            self.assertEqual(stream.update(bytes.fromhex(plain)).hex(), expected)
            count += 1
        self.assertGreater(count, 1000)

    def test_pieces_of_every_length(self):
        expected = definition(b"pieces", 65 * 66 // 2 + 300)
        stream, found = Stream(self.rc4, b"pieces"), b""
        for length in range(66):
            found += stream.update(bytes(length))
        self.assertEqual(found + stream.update(bytes(300)), expected[: len(found) + 300])

    def test_copies_go_their_own_way(self):
        stream = Stream(self.rc4, b"copies")
        stream.update(bytes(100))
        other = stream.copy()
        self.assertEqual(stream.update(bytes(50)), other.update(bytes(50)))
        stream.update(bytes(7))
        self.assertEqual(other.update(bytes(7)), definition(b"copies", 157)[150:])

    def test_misuse_is_refused_with_a_reason(self):
        with self.assertRaisesRegex(ValueError, "no key set"):
            Stream(self.rc4).update(b"data")
        stream = Stream(self.rc4, b"key")
        for length in 0, 257, 1 << 20:
            self.assertFalse(crypto.EVP_CIPHER_CTX_set_key_length(stream.context, length), length)
        reason()
        self.assertEqual(crypto.EVP_CIPHER_CTX_get_key_length(stream.context), 3)
        self.assertEqual(stream.update(bytes(8)), definition(b"key", 8))
        buffer, length = ctypes.create_string_buffer(64), ctypes.c_int()
        at = ctypes.addressof(buffer)
        self.assertFalse(crypto.EVP_CipherUpdate(stream.context, at + 1, length, at, 32))
        self.assertEqual(bytes(buffer), bytes(64))
        reason()
        self.assertTrue(crypto.EVP_CipherUpdate(stream.context, at, length, at, 32))
        self.assertEqual(bytes(buffer)[:32], definition(b"key", 40)[8:])

    def test_threads(self):
        """Eight threads use separate contexts of one cipher, and another loads and unloads the
        provider."""
        expected = {n: definition(bytes([n] * 16), 3000) for n in range(1, 9)}
        wrong = []

        def work(n):
            for _ in range(200):
                stream = Stream(self.rc4, bytes([n] * 16))
                if stream.update(bytes(1500)) + stream.copy().update(bytes(1500)) != expected[n]:
                    wrong.append(n)

        def load():
            for _ in range(50):
                library = Library("arcfour-provider")
                crypto.EVP_CIPHER_free(library.fetch("RC4"))
                crypto.OSSL_PROVIDER_unload(library.provider)
                crypto.OSSL_LIB_CTX_free(library.context)

        threads = [threading.Thread(target=work, args=[n]) for n in expected] + [threading.Thread(target=load)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_openssl_enc_both_ways(self):
        data = bytes(range(256)) * 300
        for cipher, extra in (
            ("-rc4", ["-K", "000102030405060708090a0b0c0d0e0f"]),
            ("-rc4-40", ["-K", "0001020304"]),
            ("-rc4", ["-pbkdf2", "-pass", "pass:secret"]),
            ("-rc4", ["-md", "md5", "-pass", "pass:secret"]),
        ):
            for one, other in (OURS, THEIRS), (THEIRS, OURS):
                sealed = openssl("enc", cipher, *extra, *one, data=data)
                self.assertNotIn(data[:64], sealed)
                self.assertEqual(openssl("enc", "-d", cipher, *extra, *other, data=sealed), data, (cipher, extra))
        openssl("enc", "-rc4", "-K", "00" * 16, data=data, fails=True)  # by the default provider alone

    def test_a_configuration_file_brings_rc4_back_to_programs_that_ask_for_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "openssl.cnf"
            config.write_text(
                "openssl_conf = start\n[start]\nproviders = list\n[list]\ndefault = on\narcfour-provider = ours\n"
                f"[on]\nactivate = 1\n[ours]\nmodule = {MODULES}/arcfour-provider.so\nactivate = 1\n"
            )
            program = (
                "import ctypes; c = ctypes.CDLL('libcrypto.so.3'); P = ctypes.c_void_p\n"
                "c.EVP_rc4.restype = c.EVP_CIPHER_CTX_new.restype = P\n"
                "x, n, out = P(c.EVP_CIPHER_CTX_new()), ctypes.c_int(), ctypes.create_string_buffer(16)\n"
                "assert c.EVP_EncryptInit_ex(x, P(c.EVP_rc4()), None, bytes(16), None)\n"
                "assert c.EVP_EncryptUpdate(x, out, ctypes.byref(n), bytes(16), 16); print(out.raw.hex())"
            )
            run = [sys.executable, "-c", program]
            done = subprocess.run(run, env=os.environ | {"OPENSSL_CONF": str(config)}, capture_output=True, check=True)
            self.assertEqual(done.stdout.decode().strip(), definition(bytes(16), 16).hex())
            self.assertNotEqual(subprocess.run(run, capture_output=True, check=False).returncode, 0)

    def test_openssl_lists_it(self):
        listed = openssl("list", "-providers", "-verbose", *OURS).decode()
        self.assertIn("Arcfour", listed)
        ciphers = openssl("list", "-cipher-algorithms", *OURS).decode()
        self.assertRegex(ciphers, r"RC4.* @ arcfour")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
