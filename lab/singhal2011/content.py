"""Files of every kind the paper did and did not try, made on the spot in real formats."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lab import english

RATE = 44100  # samples per second
FRAME = (320, 240)  # of the video, in pixels


def audio(size: int) -> bytes:
    """A WAV file, 16 bits, stereo: two chords that swell and fade."""
    time = np.arange((size - 44) // 4) / RATE
    swell = 0.5 + 0.5 * np.sin(2 * np.pi * time / 3)
    left, right = (swell * sum(np.sin(2 * np.pi * pitch * time) for pitch in chord) / 3
                   for chord in ((220.0, 277.2, 329.6), (293.7, 370.0, 440.0)))
    samples = (np.stack([left, right], axis=1) * 32000).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(samples.tobytes())
    return file.getvalue()


def scene(width: int, height: int, turn: float = 0.0) -> np.ndarray:
    """A landscape under a sun that moves with `turn`, red, green and blue in bytes."""
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(1, -1, height))
    sky = np.stack([90 + 60 * y, 140 + 50 * y, 220 + 20 * y], axis=-1)
    hills = y < 0.15 * np.sin(5 * x) + 0.1 * np.sin(11 * x + 2) - 0.2
    sun = (x - 0.7 * np.sin(turn)) ** 2 + (y - 0.6 * np.cos(turn)) ** 2 < 0.05
    picture = np.where(hills[..., None], np.array([40, 120, 50]), sky)
    picture = np.where((sun & ~hills)[..., None], np.array([255, 220, 80]), picture)
    return picture.clip(0, 255).astype(np.uint8)


def photograph(size: int) -> np.ndarray:
    """The scene with a camera's noise, of about `size` bytes."""
    height = max(8, int((size / 4) ** 0.5))
    picture = scene(size // 3 // height, height).astype(np.int16)
    grain = np.random.default_rng(2011).integers(-8, 9, picture.shape)
    return (picture + grain).clip(0, 255).astype(np.uint8)


def bitmap(size: int) -> bytes:
    """A BMP image, 24 bits a pixel: bottom row first, blue first, rows padded to four bytes."""
    picture = photograph(size - 54)
    height, width, _ = picture.shape
    rows = np.zeros((height, (3 * width + 3) // 4 * 4), np.uint8)
    rows[:, : 3 * width] = picture[::-1, :, ::-1].reshape(height, -1)
    header = struct.pack("<2sIHHI", b"BM", 54 + rows.size, 0, 0, 54)
    return header + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, rows.size, 2835, 2835, 0, 0) + rows.tobytes()


def png(picture: np.ndarray) -> bytes:
    """A PNG image of red, green and blue."""
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    height, width, _ = picture.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))


def compressed(size: int) -> bytes:
    """A PNG image of the photograph, of roughly `size` bytes."""
    return png(photograph(int(size * size / len(png(photograph(size))))))


def video(size: int) -> bytes:
    """A Y4M film: the sun goes down, 25 uncompressed frames a second in full colour."""
    width, height = FRAME
    count = max(1, size // (3 * width * height))
    film = [f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C444\n".encode()]
    for n in range(count):
        red, green, blue = np.moveaxis(scene(width, height, n / 25).astype(float), -1, 0)
        luma = 0.299 * red + 0.587 * green + 0.114 * blue
        planes = np.stack([16 + 0.859 * luma, 128 + 0.496 * (blue - luma), 128 + 0.627 * (red - luma)])
        film.append(b"FRAME\n" + planes.clip(0, 255).astype(np.uint8).tobytes())
    return b"".join(film)


def noise(size: int) -> bytes:
    """Bytes of a random generator."""
    return np.random.default_rng(4).bytes(size)


KINDS: dict[str, Callable[[int], bytes]] = {
    "text": english.text, "audio (WAV)": audio, "image (BMP)": bitmap, "image (PNG)": compressed, "video (Y4M)": video, "zeros": bytes, "random": noise}


@dataclass(frozen=True)
class Medium:
    """A compressed format, and the options with which ffmpeg makes a file of it from test signals."""

    suffix: str
    bytes_per_second: int  # about
    source: str  # a filter graph of ffmpeg's
    codec: tuple[str, ...]

    def words(self, seconds: int) -> list[str]:
        """The arguments of ffmpeg, without the file."""
        return ["-f", "lavfi", "-i", self.source, "-t", str(seconds), *self.codec]


# Brown noise under two tones, and a test picture with grain: a coder finds something to do in both.
SOUND = "anoisesrc=color=brown:seed=2011:amplitude=0.3[n];sine=f=440[a];sine=f=554[b];[n][a][b]amix=inputs=3"
FILM = "testsrc2=size=640x480:rate=25,noise=alls=12:allf=t:all_seed=2011"
MEDIA = {
    "audio (MP3)": Medium(".mp3", 30_000, SOUND, ("-c:a", "libmp3lame", "-b:a", "256k")),
    "audio (Opus)": Medium(".opus", 18_000, SOUND, ("-c:a", "libopus", "-b:a", "160k")),
    "video (H.264)": Medium(".mkv", 600_000, FILM, ("-c:v", "libx264", "-preset", "ultrafast", "-b:v", "6M")),
}


def drawing() -> np.ndarray:
    """A padlock in flat colours, like logos and screens, which ECB cannot hide."""
    side = 128
    x, y = np.meshgrid(*[(np.arange(side) - side / 2 + 0.5) * 160 / side] * 2)
    picture = np.full((side, side, 3), 255, np.uint8)
    ring = np.hypot(x, y + 22)
    shackle = ((ring < 42) & (ring > 28) & (y < -22)) | ((abs(x) < 42) & (abs(x) > 28) & (y >= -22) & (y < 0))
    body = (abs(x) < 58) & (y >= -4) & (y < 66)
    hole = (np.hypot(x, y - 22) < 11) | ((abs(x) < 5) & (y >= 22) & (y < 50))
    picture[shackle] = (110, 120, 135)
    picture[body] = (222, 165, 30)
    picture[body & hole] = (50, 40, 20)
    return picture
