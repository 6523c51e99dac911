"""Searches the memory of live programs that use other libraries' RC4.

    python3 attacks/processes/search.py target/release/arcfour [--python PYTHON] [--record]

Each program of processes.toml is built and run. Its writable memory is read while it waits, and `arcfour attack memory` looks for the
key in it. PYTHON is an interpreter that has PyCryptodome. Prints a line of JSON for each program, and with --record writes the lines to
processes.jsonl beside this file. Fails if a key is not found.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
KEY, MADE = b"Sesam".hex(), 20
# Regions of one process beyond this are left out: the JVM and V8 reserve gigabytes.
LARGEST = 256 << 20
# Wine asks for nothing, installs nothing and says nothing.
WINE = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}


def memory(process: int) -> bytes:
    """The writable memory of a process, as gcore writes it without headers."""
    parts = []
    with open(f"/proc/{process}/mem", "rb", 0) as mem:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            region, permissions = line.split()[:2]
            start, end = (int(address, 16) for address in region.split("-"))
            if "w" in permissions and end - start <= LARGEST:
                try:
                    mem.seek(start)
                    parts.append(mem.read(end - start))
                except OSError:
                    continue  # [vvar] and the like
    return b"".join(parts)


def search(arcfour: str, dump: Path, anywhere: bool) -> tuple[dict | None, float]:
    """The state after MADE bytes, with its key if any state has it, and the seconds."""
    options = ["--all-indexes", "31"] if anywhere else []
    start = time.monotonic()
    done = subprocess.run([arcfour, "attack", "memory", dump, "--key-length", "5", "--json", *options],
                          capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    states = [state for state in map(json.loads, done.stdout.splitlines()) if state.get("produced") == MADE]
    return next((state for state in states if state.get("key") == KEY), states[0] if states else None), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arcfour", type=Path, help="the program arcfour")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has PyCryptodome")
    parser.add_argument("--record", action="store_true", help="write processes.jsonl beside this file")
    arguments = parser.parse_args()
    lines, missing = [], []
    for process in tomllib.loads((HERE / "processes.toml").read_text())["process"]:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, process["file"]).write_text(process["source"])
            place = {"cwd": folder, "env": {**os.environ, **WINE, "WINEPREFIX": f"{folder}/wine"}}
            if "build" in process:
                subprocess.run(process["build"], shell=True, check=True, **place)
            command = process["run"].replace("PYTHON", str(Path(arguments.python).absolute())).split()
            with subprocess.Popen(command, **place, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
                try:
                    if running.stdout.readline().strip() != b"ready":
                        raise SystemExit(f"{process['name']}: the program did not start")
                    dump = Path(folder, "dump")
                    dump.write_bytes(memory(running.pid))
                finally:
                    running.kill()
            if "end" in process:
                subprocess.run(process["end"].split(), check=False, **place)
            state, seconds = search(str(arguments.arcfour.resolve()), dump, process.get("anywhere", False))
            line = {"program": process["name"], "bytes": dump.stat().st_size, "seconds": round(seconds, 2),
                    "found": state is not None, "key": bool(state) and state.get("key") == KEY,
                    "layout": state and state["layout"], "stored": state and state["stored"]}
        lines.append(json.dumps(line, sort_keys=True))
        print(lines[-1], flush=True)
        missing += [] if line["key"] else [process["name"]]
    if missing:
        raise SystemExit(f"no key found in {', '.join(missing)}")
    if arguments.record:
        (HERE / "processes.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
