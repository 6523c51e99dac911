"""Our WEP attack and aircrack-ng on captures that others made.

    python3 attacks/aircrack/foreign.py target/release/arcfour FOLDER [--record]

FOLDER holds the files of corpora/repositories.toml; foreign.toml tells what is known of some of
them. Both programs look for the key of each file. Then the file is cut repeatedly to 0.8 of its
packets, until a program fails. The last prefix that gave the key is the program's fewest packets.
Prints a line of JSON for each file, and with --record writes the lines to foreign.jsonl beside this
file. Fails if our program does not find the key of a whole file.
"""

import argparse
import json
import struct
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

from compare import SECONDS

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "corpora"))
import repositories

STEP = 0.8
FIRST_IVS = bytes.fromhex("bfca84d4")


def boundaries(data: bytes) -> list[int]:
    """Where each packet of a pcap file of this byte order, or entry of an .ivs file of version 1, ends."""
    ends = []
    if data.startswith(FIRST_IVS):
        at = len(FIRST_IVS)
        while at < len(data):
            at += 6 if data[at] == 0xff else 11
            ends.append(at)
    else:
        at = 24
        while at < len(data):
            at += 16 + struct.unpack_from("<I", data, at + 8)[0]
            ends.append(at)
    return ends


def ours(arcfour: str, capture: Path, bssid: str) -> str:
    """Returns the key that arcfour finds without the key length and the kind of votes."""
    done = subprocess.run([arcfour, "attack", "wep", capture, "--bssid", bssid, "--json"],
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["key"] if done.returncode == 0 else ""


def theirs(capture: Path, bssid: str, bits: int, korek: bool) -> str:
    """What aircrack-ng writes with -l, after one try with all packets, told the length of the key and the kind of votes."""
    found = capture.with_suffix(".key")
    found.unlink(missing_ok=True)
    command = ["aircrack-ng", "-q", "-a", "1", *(["-K"] if korek else ["-1"]), "-n", str(bits), "-b", bssid, "-l", found, capture]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    return found.read_text().strip().lower() if found.exists() else ""


def fewest(data: bytes, ends: list[int], folder: Path, name: str, find: Callable[[Path], str], key: str) -> int:
    """The packets of the last prefix that gave the key."""
    n, last = len(ends), 0
    capture = folder / name
    while n > 0:
        capture.write_bytes(data[:ends[n - 1]])
        if find(capture) != key:
            break
        last, n = n, int(n * STEP)
    return last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arcfour", help="the program arcfour")
    parser.add_argument("folder", type=Path, help="where the files of corpora/repositories.toml are")
    parser.add_argument("--record", action="store_true", help="write foreign.jsonl beside this file")
    arguments = parser.parse_args()
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "aircrack-ng"],
                             capture_output=True, text=True, check=True).stdout
    lines = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for file in tomllib.loads((HERE / "foreign.toml").read_text())["file"]:
            path = repositories.file(arguments.folder, file["repository"], file["path"])
            data = path.read_bytes()
            bssid, korek, key = file["bssid"], file["korek"], file["key"]
            # The field counts the three bytes of the IV as bits of the key.
            bits = 4 * len(key) + 24
            ends = boundaries(data)
            line = {"file": file["path"], "packets": len(ends), "version": version}
            programs = {"arcfour": lambda capture: ours(arguments.arcfour, capture, bssid),
                        "aircrack-ng": lambda capture: theirs(capture, bssid, bits, korek)}
            for program, find in programs.items():
                start = time.monotonic()
                found = find(path)
                seconds = time.monotonic() - start
                if program == "arcfour" and found != key:
                    raise SystemExit(f"{path}: arcfour found '{found}', not {key}")
                line[program] = {"found": found == key, "seconds": round(seconds, 2),
                                 "fewest": fewest(data, ends, folder, path.name, find, key)}
            lines.append(json.dumps(line, sort_keys=True))
            print(lines[-1], flush=True)
    if arguments.record:
        (HERE / "foreign.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
