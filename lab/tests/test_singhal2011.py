"""The timed program encrypts like OpenSSL's command, and the files have the stated kinds."""

import io
import re
import struct
import subprocess
import wave
import zlib

import numpy as np
import pytest

from lab.bench import Bench
from lab.singhal2011 import content, measure

SIZE = 300_001  # not a multiple of any block
KEY = bytes(range(32))


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(full=False, scratch=tmp_path_factory.mktemp("evp"))


@pytest.fixture(scope="module")
def evp(bench):
    return measure.program(bench)


@pytest.fixture(scope="module")
def file(bench):
    path = bench.scratch / "file"
    path.write_bytes(content.noise(SIZE))
    return path


# Ciphers that `openssl enc` supports: RC4 with one key size, no AEAD modes.
COMMAND = [(name, 128) for name in measure.RC4] + [("ChaCha20", 256)] + [
    (f"AES-{mode}", bits) for mode in ("ECB", "CBC", "CFB", "OFB", "CTR") for bits in measure.KEY_BITS]


@pytest.mark.parametrize(("cipher", "bits"), COMMAND)
def test_ciphertext_is_that_of_the_openssl_command(bench, evp, file, cipher, bits):
    sealed = bench.scratch / "sealed"
    measure.ask(evp, "write", cipher, bits, file, sealed)
    name = "rc4" if cipher.startswith("RC4") else cipher.lower().replace("aes-", f"aes-{bits}-")
    iv = [] if name == "rc4" or name.endswith("ecb") else ["-iv", "00" * 16]
    theirs = subprocess.run(["openssl", "enc", f"-{name}", "-K", KEY[: bits // 8].hex(), *iv, "-provider", "legacy", "-provider", "default",
                             "-in", file], check=True, capture_output=True).stdout
    assert sealed.read_bytes() == theirs


def test_a_wrong_bit_spreads_as_far_as_the_mode_lets_it(bench):
    spread = measure.errors(bench).set_index("cipher").wrong_bytes_most
    assert spread.to_dict() == {"RC4": 1, "AES-ECB": 16, "AES-CBC": 17, "AES-CFB": 17, "AES-OFB": 1, "AES-CTR": 1}


@pytest.mark.parametrize("cipher", ["AES-GCM", "ChaCha20-Poly1305", "AES-CBC", "RC4 (Arcfour)"])
def test_a_cell_of_the_grid(evp, file, cipher):
    cell = measure.ask(evp, "measure", cipher, 256, file, 3)
    assert cell["bytes"] == SIZE
    assert all(len(cell[times]) == 3 and min(cell[times]) > 0 for times in ("encrypt_ns", "decrypt_ns", "encrypt_cpu_ns", "decrypt_cpu_ns"))
    pieces = measure.ask(evp, "pieces", cipher, 256, file, 1000)["peak_kib"]
    assert 500 < pieces < cell["peak_kib"]


def test_what_it_refuses(bench, evp, file):
    for words, code, says in ((["measure", "AES-129-CBC", "00" * 16, file, "3"], 2, "AES-129-CBC"),
                              (["measure", "AES-128-CBC", "0g", file, "3"], 2, "0g"),
                              (["measure", "AES-128-CBC", "00" * 16, file, "0"], 2, "0"),
                              (["measure", "AES-128-CBC", "00" * 16, bench.scratch / "none", "3"], 1, "none"),
                              (["measure"], 2, "usage")):
        done = subprocess.run([evp, *words], check=False, capture_output=True, text=True)
        assert done.returncode == code and says in done.stderr and not done.stdout


def test_sound_is_a_wav_file():
    with wave.open(io.BytesIO(content.audio(SIZE))) as sound:
        assert (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) == (2, 2, content.RATE)
        assert sound.getnframes() == (SIZE - 44) // 4


def test_picture_is_a_bmp_file():
    data = content.bitmap(SIZE)
    magic, size, _, _, offset, header, width, height, _, bits = struct.unpack_from("<2sIHHIIiiHH", data)
    assert (magic, size, offset, header, bits) == (b"BM", len(data), 54, 40, 24)
    assert len(data) == offset + height * ((3 * width + 3) // 4 * 4)


def test_png_gives_its_pixels_back():
    picture = content.drawing()
    data = content.png(picture)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(data):
        length, = struct.unpack_from(">I", data, at)
        body = data[at + 4 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(body)
        chunks[body[:4]] = body[4:]
        at += 12 + length
    height, width, _ = picture.shape
    assert struct.unpack_from(">II", chunks[b"IHDR"]) == (width, height)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 1:].reshape(picture.shape) == picture).all()


def test_film_is_a_y4m_file():
    head, _, frames = content.video(SIZE * 5).partition(b"\n")
    width, height = (int(word) for word in re.match(rb"YUV4MPEG2 W(\d+) H(\d+) .*C444$", head).groups())
    frame = len(b"FRAME\n") + 3 * width * height
    assert len(frames) % frame == 0
    assert all(frames[at : at + 6] == b"FRAME\n" for at in range(0, len(frames), frame))


@pytest.mark.parametrize("kind", content.KINDS)
def test_files_have_about_the_size_asked_for(kind):
    size = 2 << 20
    assert abs(len(content.KINDS[kind](size)) / size - 1) < 0.15
