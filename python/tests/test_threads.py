"""Long calls let other threads and interrupts in; short ones and shared ciphers are safe."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("size", [100, 4096, 5000, 3_000_000])
def test_threads_take_turns(size: int) -> None:
    """At every size: each call gets consecutive keystream, and none is lost or used twice."""
    cipher, calls = ARC4.new(b"Key"), max(10, 1_000_000 // size)
    parts: list[bytes] = []
    threads = [
        threading.Thread(
            target=lambda: parts.extend(cipher.encrypt(bytes(size)) for _ in range(calls))
        )
        for _ in range(4)
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    stream = ARC4.new(b"Key").keystream(4 * calls * size)
    assert sorted(parts) == sorted(stream[n : n + size] for n in range(0, len(stream), size))
    assert cipher.position == len(stream)


def test_a_long_call_can_be_watched() -> None:
    cipher = ARC4.new(b"Key")
    data = bytearray(LONG)
    thread = threading.Thread(target=lambda: cipher.encrypt(data, output=data))
    thread.start()
    seen = set()
    while thread.is_alive():
        assert (cipher.key_size, cipher.family) == (3, "rc4")
        assert repr(cipher).startswith("<arcfour.ARC4.ARC4Cipher rc4 at ")
        seen.add(cipher.position)
    thread.join()
    assert len(seen) > 2
    assert max(seen) <= LONG
    assert data[-16:] == _tail(LONG)


def test_a_signal_handler_cannot_use_the_cipher_it_interrupts() -> None:
    """It would wait for itself."""
    cipher, errors = ARC4.new(b"Key"), []

    def handler(_number: int, _frame: object) -> None:
        try:
            cipher.encrypt(b"abc")
        except RuntimeError as error:
            errors.append(str(error))

    before = signal.signal(signal.SIGUSR1, handler)
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGUSR1])
    try:
        timer.start()
        while not errors:
            cipher.skip(LONG)
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
    assert "a signal handler cannot use it" in errors[0]


def test_waiting_for_a_turn_can_be_interrupted() -> None:
    cipher = ARC4.new(b"Key")
    busy = threading.Thread(target=lambda: cipher.skip(1 << 30))
    busy.start()
    while not cipher.position:
        time.sleep(0.001)
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cipher.encrypt(b"abc")
    assert busy.is_alive()
    timer.join()
    busy.join()
    assert cipher.position == 1 << 30


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
    "family": "arcfour.statistics.single_byte(1 << 38, family='rc4a')",
    "a long row": "arcfour.keystreams([b'Key'], 1 << 32)",
    "a long row of a family": "arcfour.keystreams([b'Key'], 1 << 32, family='spritz')",
    "search": "arcfour.find(b'a', '??{2}', plaintext=b'a', family='rc4a', drop=1 << 50)",
    "search of text": "arcfour.find(b'a', '??{2}', kind='utf8', family='rc4a', drop=1 << 50)",
    "memory": "arcfour.attacks.memory_states(mmap.mmap(-1, 1 << 32))",
    "seal": "arcfour.seal(Endless(), Nowhere(), key=arcfour.new_key())",
    "seal to a path": "arcfour.seal(Endless(), 'sealed', key=arcfour.new_key())",
}


@pytest.mark.parametrize("call", CALLS)
def test_interrupts_end_long_calls(call: str, tmp_path: Path) -> None:
    program = textwrap.dedent(f"""
        import mmap, os, sys, arcfour, arcfour.attacks, arcfour.statistics

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
        sent = time.monotonic()
        assert process.stdout.readline() == "interrupted []\n"
        assert time.monotonic() - sent < 20
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


@pytest.mark.skipif(sys.platform != "linux", reason="a library stands before the system's")
def test_a_machine_with_many_cores_has_256_threads_by_default(tmp_path: Path) -> None:
    """The system seems to have 1024 cores."""
    source, library = tmp_path / "many.c", tmp_path / "many.so"
    source.write_text("""
        #include <errno.h>
        #include <string.h>
        int sched_getaffinity(int process, unsigned long size, void *cores) {
            if (size < 128) {
                errno = EINVAL;
                return -1;
            }
            memset(cores, 255, size);
            return 0;
        }
    """)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    program = """
import os
from arcfour import keystreams, statistics
assert len(os.sched_getaffinity(0)) > 256
statistics.single_byte(1024, 2, family="vmpc", iv=b"a")
print(keystreams([b"Key"], 3).shape)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"LD_PRELOAD": str(library)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "(1, 3)\n"), done.stderr
