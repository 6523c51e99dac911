#!/usr/bin/env python3
"""Time the decryption of a PDF file of 100 MB: arcfour, qpdf, pypdf.

    .venv/python/bin/python bench/documents.py target/release/arcfour

Each runs REPEATS times in a process of its own, the runs interleaved; the median is printed. The file is
made by pikepdf: 1000 streams of 100 kB that do not compress, RC4 with 128 bits. It needs the program qpdf.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pikepdf

REPEATS = 5
PYPDF = """
import sys
from pypdf import PdfReader, PdfWriter
reader = PdfReader(sys.argv[1], password="")
PdfWriter(clone_from=reader).write(sys.argv[2])
"""


def make(path):
    with pikepdf.new() as pdf:
        for n in range(1000):
            page = pdf.add_blank_page(page_size=(72, 72))
            page.obj.Data = pdf.make_stream(os.urandom(100_000))
        encryption = pikepdf.Encryption(user="", owner="", R=3, aes=False)
        pdf.save(path, encryption=encryption, compress_streams=False)


def main(arcfour):
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "in.pdf", Path(name) / "out.pdf"
        make(source)
        programs = {
            "arcfour pdf decrypt": [arcfour, "pdf", "decrypt", "--force", source, "-o", target],
            "qpdf --decrypt": ["qpdf", "--decrypt", source, target],
            "pypdf": [sys.executable, "-c", PYPDF, source, target],
        }
        seconds = {program: [] for program in programs}
        for _ in range(REPEATS):
            for program, command in programs.items():
                start = time.perf_counter()
                subprocess.run(command, check=True)
                seconds[program].append(time.perf_counter() - start)
                with pikepdf.open(target) as pdf:
                    assert not pdf.is_encrypted
                    assert len(pdf.pages) == 1000
        size = source.stat().st_size
    print(f"{size} bytes, median of {REPEATS} runs")
    for program, times in seconds.items():
        median = statistics.median(times)
        print(f"{program:20} {median:6.3f} s {size / median / 1e6:7.1f} MB/s")


if __name__ == "__main__":
    main(sys.argv[1])
