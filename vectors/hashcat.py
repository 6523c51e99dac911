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
# The files of each mode, their password as a mask, and a mask that it does not match. Debian's hashcat has no mode for PDF files with other keys, and none for
# CryptoAPI with 56 bits.
MODES = {
    10400: (["pdf/v1-r2.pdf"], "user", "use?l", "owe?l"),
    10500: (
        ["pdf/v2-r3-128.pdf", "pdf/v4-r4-128.pdf", "pdf/v4-r4-clear-metadata.pdf"],
        "user",
        "use?l",
        "owe?l",
    ),
    9700: (["office/office97.doc", "office/libreoffice.xls"], "Quentin", "Quenti?l", "Quents?l"),
    9800: (["office/cryptoapi-128.doc", "office/cryptoapi-40.xls"], "Quentin", "Quenti?l", "Quents?l"),
}


def hash_line(arcfour: str, name: str, mode: int) -> str:
    """The line of a file."""
    command = [arcfour, name.split("/")[0], "inspect", "--json", str(HERE / name)]
    facts = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    if facts["hashcat_mode"] != mode:
        raise SystemExit(f"{name}: mode {facts['hashcat_mode']}, not {mode}")
    return str(facts["hashcat"])


def cracked(line: str, mode: int, mask: str) -> list[str]:
    """What hashcat finds. A line at a time: of two files with the same O and U it counts one."""
    with tempfile.TemporaryDirectory() as folder:
        hashes, found = Path(folder) / "hashes", Path(folder) / "found"
        hashes.write_text(f"{line}\n")
        # hashcat does not know the platform pocl, hence --force. The kernels are from its
        # benchmark.
        options = [
            "--force",
            "--optimized-kernel-enable",
            "--potfile-disable",
            "--quiet",
            "--session",
            Path(folder).name,
        ]
        options += ["--outfile", str(found), "--outfile-format", "2"]
        command = ["hashcat", "--hash-type", str(mode), "--attack-mode", "3", *options, str(hashes), mask]
        ended = subprocess.run(command, capture_output=True, text=True)
        # 1: nothing was found.
        if ended.returncode not in (0, 1):
            raise SystemExit(
                f"mode {mode}: hashcat ended with {ended.returncode}: {ended.stdout}{ended.stderr}"
            )
        return found.read_text().splitlines() if found.exists() else []


def main() -> None:
    [arcfour] = sys.argv[1:]
    for mode, (names, password, right, wrong) in MODES.items():
        for name in names:
            line = hash_line(arcfour, name, mode)
            # A wrong mask cracks nothing: what is found is not what hashcat would say of any.
            for mask, expected in ((wrong, []), (right, [password])):
                found = cracked(line, mode, mask)
                if found != expected:
                    raise SystemExit(f"{name}: mode {mode}, {mask}: {found}, not {expected}")
        print(f"hashcat -m {mode}: {len(names)} of {len(names)} cracked", flush=True)


if __name__ == "__main__":
    main()
