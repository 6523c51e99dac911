"""Long calls let other threads and interrupts in; short ones and shared ciphers are safe."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import TYPE_CHECKING

import arcfour
import pytest
from arcfour import ARC4, campaign

if TYPE_CHECKING:
    from pathlib import Path

LONG = 1 << 28


def test_other_threads_run_during_a_long_call() -> None:
    """With the lock held, the counting thread would get no turn before the call ends."""
    counted: list[int] = []
    begun, ended = threading.Event(), threading.Event()

    def count() -> None:
        begun.wait()
        turns = 0
        while not ended.is_set():
            turns += 1
            time.sleep(0)
        counted.append(turns)

    thread = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # no thread gives way but by its own will
    try:
        thread.start()
        data = bytearray(LONG)
        begun.set()
        before = time.perf_counter()
        ARC4.new(b"Key").encrypt(data, output=data)
        took = time.perf_counter() - before
        ended.set()
    finally:
        sys.setswitchinterval(interval)
        ended.set()
        thread.join()
    assert counted[0] > 100, f"{counted[0]} turns in {took} s"


def test_a_cipher_works_on_one_call_at_a_time() -> None:
    cipher = ARC4.new(b"Key")
    data = bytearray(LONG)
    thread = threading.Thread(target=lambda: cipher.encrypt(data, output=data))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            cipher.encrypt(b"")
        except RuntimeError as error:
            refused += 1
            assert "give each thread its own, by copy()" in str(error)
    thread.join()
    assert refused > 0
    assert cipher.position == LONG
    assert data[-16:] == _tail(LONG)


def _tail(size: int) -> bytes:
    cipher = ARC4.new(b"Key")
    cipher.skip(size - 16)
    return cipher.keystream(16)


def test_buffers_cannot_be_resized_meanwhile() -> None:
    data = bytearray(LONG)
    thread = threading.Thread(target=lambda: ARC4.new(b"Key").encrypt(data, output=data))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            data.append(0)
            data.pop()
        except BufferError:
            refused += 1
    thread.join()
    assert refused > 0
    assert data[-16:] == _tail(LONG)


CALLS = {
    "encrypt": "data = bytearray(1 << 31); arcfour.ARC4.new(b'Key').encrypt(data, output=data)",
    "skip": "arcfour.Cipher('rc4', b'Key').skip(1 << 50)",
    "drop": "arcfour.ARC4.new(b'Key', drop=1 << 50)",
    "keystream": "arcfour.Cipher('spritz', b'Key').keystream(1 << 29)",
    "shard": "arcfour.statistics.single_byte(1 << 38)",
    "seal": "arcfour.seal(Endless(), Nowhere(), key=arcfour.new_key())",
    "seal to a path": "arcfour.seal(Endless(), 'sealed', key=arcfour.new_key())",
}


@pytest.mark.parametrize("call", CALLS)
def test_interrupts_end_long_calls(call: str, tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        import os, sys, arcfour, arcfour.statistics

        class Endless:
            def read(self, n):
                return bytes(n)

        class Nowhere:
            def write(self, data):
                return len(data)

        print("begun", flush=True)
        try:
            {CALLS[call]}
        except KeyboardInterrupt:
            print("interrupted", os.listdir("."))
    """)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted []\n"
        assert process.wait(20) == 0


def test_an_interrupted_stream_knows_where_it_stands() -> None:
    cipher = arcfour.Cipher("rc4", b"Key")
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cipher.skip(1 << 50)
    timer.join()
    at = cipher.position
    assert 0 < at < 1 << 50
    other = arcfour.Cipher("rc4", b"Key")
    other.skip(at)
    assert other.keystream(16) == cipher.keystream(16)


def test_shards_on_threads_are_the_same() -> None:
    plan = campaign.Campaign(bytes(32), 2, 100_000, single=4)
    counts: dict[int, campaign.Counts] = {}
    threads = [
        threading.Thread(target=lambda n=n: counts.update({n: campaign.run_shard(plan, n)}))
        for n in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(counts[n] == campaign.run_shard(plan, n) for n in range(2))
