"""Runs the kernel in Chromium by WebGPU: `python3 gpu/browser.py`. Its keys must be the keys of the definition below.

Chromium has a GPU that is a program, SwiftShader, and a compiler of WGSL that is not wgpu's.
"""

from __future__ import annotations

import hashlib
import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
# 16 KiB of memory, the least that WebGPU allows, hold 32 lanes with keys of up to 256 bytes.
LANES = 32
CHROMIUM = [
    "chromium", "--headless=new", "--no-sandbox", "--no-first-run", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
    "--enable-features=Vulkan", "--use-vulkan=swiftshader",
]
PATIENCE = 300  # seconds
Mask = list[list[int]]


def rc4(key: bytes) -> Iterator[int]:
    table, j = list(range(256)), 0
    for i in range(256):
        j = (j + table[i] + key[i % len(key)]) % 256
        table[i], table[j] = table[j], table[i]
    i = j = 0
    while True:
        i = (i + 1) % 256
        j = (j + table[i]) % 256
        table[i], table[j] = table[j], table[i]
        yield table[(table[i] + table[j]) % 256]


def stream(key: bytes, count: int) -> bytes:
    return bytes(byte for byte, _ in zip(rc4(key), range(count)))


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def words(data: bytes) -> list[int]:
    return [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)]


def keystream(tests: dict[int, set[int]]) -> tuple[list[int], Callable[[bytes], bool]]:
    """The goal of known bytes of keystream, and the test of a key."""
    goal, before = [], -1
    for place, values in sorted(tests.items()):
        bits = sum(1 << value for value in values)
        goal += [place - before - 1, *words(bits.to_bytes(32, "little"))]
        before = place
    def passes(key: bytes) -> bool:
        made = stream(key, max(tests) + 1)
        return all(made[place] in values for place, values in tests.items())
    return goal, passes


def pdf(key: bytes) -> tuple[list[int], Callable[[bytes], bool]]:
    """ISO 32000-1, algorithm 5, with a hash of zeros: U of the key is then the xor of twenty keystreams."""
    def user(key: bytes) -> bytes:
        text = bytes(16)
        for round in range(20):
            text = xor(text, stream(bytes(byte ^ round for byte in key), 16))
        return text
    right = user(key)
    return words(right)[:1], lambda key: user(key) == right


def office97(key: bytes) -> tuple[list[int], Callable[[bytes], bool]]:
    """[MS-OFFCRYPTO] 2.3.6."""
    def crypt(key: bytes, text: bytes) -> bytes:
        return xor(text, stream(hashlib.md5(key + bytes(4)).digest(), len(text)))
    verifier = b"sixteen of them!"
    text = crypt(key, verifier + hashlib.md5(verifier).digest())
    def passes(key: bytes) -> bool:
        opened = crypt(key, text)
        return hashlib.md5(opened[:16]).digest() == opened[16:]
    return words(text)[:5], passes


def job(entry: str, lengths: tuple[int, int], keys: int, inputs: dict[int, list[int]], output: tuple[int, int]) -> dict[str, object]:
    """An entry point with the lengths of keys and of keys of RC4, and its buffers by their bindings."""
    sizes = f"const LANES = {LANES}u; const KEY_BYTES = {lengths[0]}u; const RC4_BYTES = {lengths[1]}u;\n"
    kernel = sizes + (HERE / "src/kernel.wgsl").read_text("utf-8")
    return {"kernel": kernel, "entry": entry, "lanes": LANES, "keys": keys, "inputs": list(inputs.items()), "output": output}


def search(entry: str, mask: Mask, goal: list[int]) -> dict[str, object]:
    """The job of all keys of a mask in one dispatch."""
    fixed = bytes(values[0] if len(values) == 1 else 0 for values in mask)
    digits, count, keys = [], 0, 1
    for place in reversed(range(len(mask))):
        values = mask[place]
        if len(values) > 1:
            digits += [place, len(values), *words(bytes(values).ljust(256, b"\0"))]
            count, keys = count + 1, keys * len(values)
    lengths = len(mask), 16 if entry == "office97" else len(mask)
    return job(entry, lengths, keys, {0: words(fixed), 1: digits, 2: [keys] + [0] * count, 3: goal}, (4, keys + 1))


def counting(keys: list[bytes], skip: int, positions: int) -> dict[str, object]:
    """The job that counts bytes of the keystreams of keys of one length."""
    each = len(keys[0]), len(keys[0])
    return job("count_bytes", each, len(keys), {2: [len(keys), skip], 5: [word for key in keys for word in words(key)]}, (6, 256 * positions))


def counted(keys: list[bytes], skip: int, positions: int) -> list[int]:
    """Its cells by the definition."""
    cells = [0] * 256 * positions
    for key in keys:
        for position, byte in enumerate(stream(key, skip + positions)[skip:]):
            cells[256 * position + byte] += 1
    return cells


def answers(jobs: list[dict[str, object]]) -> dict[str, Any]:
    """What the page says of the jobs."""
    said: queue.Queue[bytes] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = json.dumps(jobs).encode() if self.path == "/jobs" else (HERE / "browser.html").read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text)

        def do_POST(self) -> None:
            said.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Handler) as server, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = f"http://localhost:{server.server_port}/"
        browser = subprocess.Popen([*CHROMIUM, f"--user-data-dir={profile}", page], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            answer: dict[str, Any] = json.loads(said.get(timeout=PATIENCE))
            return answer
        except queue.Empty:
            sys.exit(f"Chromium said nothing for {PATIENCE} seconds")
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()


def main() -> None:
    each = [[byte] for byte in b"\x1f\x8b\x42\x06\x9d"]
    key = bytes(byte for [byte] in each)
    some = list(range(0x90, 0xa0))
    cases = [
        ("keystream", [[0x4b], list(range(16)), [0x41, 0x43, 0x99], list(range(256))], keystream({0: {1, 2, 200}})),
        ("keystream", [[7], *([[9]] * 14), list(range(256)), [1, 2]], keystream({3: set(range(128)), 40: {0, 255, *range(30, 60)}})),
        ("keystream", [list(range(256)), [1]], keystream({300: {17, 33, 64}})),
        ("pdf", [*each[:3], list(range(8)), some], pdf(key)),
        ("office97", [*each[:3], list(range(256)), some], office97(key)),
    ]
    # The first keys come twice each, so their cells are more than 1.
    counts = [
        ([(n * n % 701).to_bytes(5, "little") for n in range(700)], 3, 9),
        ([n.to_bytes(2, "big") * 8 for n in range(65)], 255, 2),
    ]
    searches = [search(entry, mask, goal) for entry, mask, (goal, _) in cases]
    said = answers(searches + [counting(*count) for count in counts])
    if "error" in said:
        sys.exit(f"the page failed: {said['error']}")
    lists, tables = said["results"][:len(cases)], said["results"][len(cases):]
    for (entry, mask, (_, passes)), (count, *numbers) in zip(cases, lists, strict=True):
        found = sorted(numbers[:count])
        right = [number for number, key in enumerate(product(*mask)) if passes(bytes(key))]
        if not right or found != right:
            sys.exit(f"{entry}: the browser found {found[:9]}, right are {right[:9]}")
        print(f"{entry}, keys of {len(mask)} bytes: {len(right)} found, as by the definition")
    for (keys, skip, positions), cells in zip(counts, tables, strict=True):
        if cells != counted(keys, skip, positions):
            sys.exit(f"count_bytes: the browser's cells of {len(keys)} keys are wrong")
        print(f"count_bytes, keys of {len(keys[0])} bytes: {len(cells)} cells, as by the definition")
    print(f"in Chromium on {said['adapter']}")


if __name__ == "__main__":
    main()
