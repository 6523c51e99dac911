#!/usr/bin/env python3
"""The lines that `pdf inspect` and `office inspect` print for hashcat: it cracks each with the known password.

    hashcat.py ARCFOUR

Fails if a file prints another mode than is expected, or hashcat finds another password than the file has. Debian's
john is not asked: without the patches called jumbo it knows neither format.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
# The files of each mode, and their passwords. Debian's hashcat has no mode for PDF files with other keys, and none for
# CryptoAPI with 56 bits.
MODES = {
    10400: (["pdf/v1-r2.pdf"], "user"),
    10500: (["pdf/v2-r3-128.pdf", "pdf/v4-r4-128.pdf", "pdf/v4-r4-clear-metadata.pdf"], "user"),
    9700: (["office/office97.doc", "office/libreoffice.xls"], "Quentin"),
    9800: (["office/cryptoapi-128.doc", "office/cryptoapi-40.xls"], "Quentin"),
}
WRONG = ["nothing", "owner", "Quentim"]


def hash_line(arcfour: str, name: str, mode: int) -> str:
    """The line of a file."""
    command = [arcfour, name.split("/")[0], "inspect", "--json", str(HERE / name)]
    facts = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    if facts["hashcat_mode"] != mode:
        raise SystemExit(f"{name}: mode {facts['hashcat_mode']}, not {mode}")
    return str(facts["hashcat"])


def cracked(lines: list[str], mode: int, words: list[str]) -> list[str]:
    """The passwords that hashcat finds, one for each line that it cracks."""
    with tempfile.TemporaryDirectory() as folder:
        hashes, tried, found = (Path(folder) / name for name in ("hashes", "words", "found"))
        hashes.write_text("".join(f"{line}\n" for line in lines))
        tried.write_text("".join(f"{word}\n" for word in words))
        # pocl is no platform that hashcat knows: --force.
        options = ["--force", "--potfile-disable", "--quiet", "--session", Path(folder).name]
        options += ["--outfile", str(found), "--outfile-format", "2"]
        command = ["hashcat", "--hash-type", str(mode), "--attack-mode", "0", *options, str(hashes), str(tried)]
        ended = subprocess.run(command, capture_output=True, text=True)
        # 1: not every line was cracked.
        if ended.returncode not in (0, 1):
            raise SystemExit(f"mode {mode}: hashcat ended with {ended.returncode}: {ended.stdout}{ended.stderr}")
        return found.read_text().splitlines() if found.exists() else []


def main() -> None:
    [arcfour] = sys.argv[1:]
    for mode, (names, password) in MODES.items():
        lines = [hash_line(arcfour, name, mode) for name in names]
        # The wrong words alone crack nothing: what is found is not what hashcat would say of any.
        for words, expected in ((WRONG, []), ([*WRONG, password], [password] * len(lines))):
            found = cracked(lines, mode, words)
            if found != expected:
                raise SystemExit(f"mode {mode}: {words} gave {found}, not {expected}")
        print(f"hashcat -m {mode}: {len(lines)} of {len(lines)} cracked")


if __name__ == "__main__":
    main()
