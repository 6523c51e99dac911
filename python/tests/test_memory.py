"""Little memory: a large input is read in pieces, or a MemoryError says so; nothing ends Python."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

# The calls have room for a third of what they read.
SIZE, ROOM = 192 << 20, 64 << 20
START = f"""
    import mmap, resource
    import arcfour, numpy
    from arcfour import attacks, pdf

    file = numpy.memmap("file", mode="r", shape=({SIZE},))
    zeros = bytes({SIZE})
    key = arcfour.new_key()
    arcfour.seal(b"", key=key, threads=1)
    with open("/proc/self/statm") as facts:
        used = int(facts.read().split()[0]) * mmap.PAGESIZE
    resource.setrlimit(resource.RLIMIT_AS, (used + {ROOM}, used + {ROOM}))
    try:
        print(CALL)
    except (MemoryError, ValueError) as error:
        print(type(error).__name__, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the size of the process from /proc")
@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("attacks.memory_states(file)", "[]"),
        ("attacks.wep_key(file)", "ValueError capture: not a pcap, pcapng or .ivs file"),
        ("arcfour.seal(zeros, key=key, threads=1)", "MemoryError not enough memory for "),
        ("pdf.inspect(zeros)", "MemoryError not enough memory for "),
        ("arcfour.keystreams(file.reshape(-1, 16), 0)", "MemoryError not enough memory for "),
        ("arcfour.seal(b'', passphrase=zeros)", "MemoryError not enough "),
    ],
)
def test_a_large_input_in_little_memory(call: str, answer: str, tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(SIZE)
    program = textwrap.dedent(START).replace("CALL", call)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(answer)
