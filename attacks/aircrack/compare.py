"""Compares our WEP attack and aircrack-ng on the same capture files.

    python3 attacks/aircrack/compare.py target/release/arcfour [--captures 6] [--record]

Makes captures from the seeds 1, 2, … for each number of packets. Each program looks for the key of
each capture, from the file alone. Prints a line of JSON for each number of packets, and with
--record writes them beside this file. It fails if the other program finds more keys than ours,
beyond what chance allows.
"""

import argparse
import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path

PACKETS = (22_500, 30_000)
BSSID = "02:00:00:00:00:aa"
# aircrack-ng waits for more packets when it has tried; that takes it some 3 seconds.
SECONDS = 15


def ours(arcfour: str, capture: Path) -> str:
    done = subprocess.run([arcfour, "attack", "wep", capture, "--key-length", "13", "--json"],
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["key"] if done.returncode == 0 else ""


def theirs(capture: Path) -> str:
    """Returns the key that aircrack-ng writes with -l, after one try with all packets."""
    found = capture.with_suffix(".key")
    found.unlink(missing_ok=True)
    command = ["aircrack-ng", "-1", "-q", "-a", "1", "-n", "128", "-b", BSSID, "-l", found, capture]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    return found.read_text().strip().lower() if found.exists() else ""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    z, p = 1.959963985, successes / trials
    centre, scale = p + z * z / (2 * trials), 1 + z * z / trials
    spread = z * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    return max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("arcfour", help="the program arcfour")
    parser.add_argument("--captures", type=int, default=6, help="for each number of packets")
    parser.add_argument("--record", action="store_true", help="write compare.jsonl beside this file")
    arguments = parser.parse_args()
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "aircrack-ng"],
                             capture_output=True, text=True, check=True).stdout
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for packets in PACKETS:
            def attempt(seed: int) -> tuple[bool, bool]:
                capture = Path(folder) / f"{packets}-{seed}.pcap"
                make = [Path(arguments.arcfour).with_name("trials"), "wep", "--packets", str(packets),
                        "--seed", str(seed), "--write-capture", capture]
                key = subprocess.run(make, capture_output=True, text=True, check=True).stdout.strip()
                return ours(arguments.arcfour, capture) == key, theirs(capture) == key

            with ThreadPoolExecutor(2) as pool:
                both = list(pool.map(attempt, range(1, arguments.captures + 1)))
            found = dict(zip(("arcfour", "aircrack-ng"), map(sum, zip(*both, strict=True)), strict=True))
            line = {"packets": packets, "captures": arguments.captures, "version": version}
            for program, successes in found.items():
                line[program] = {"found": successes, "wilson": wilson(successes, arguments.captures)}
            lines.append(json.dumps(line, sort_keys=True))
            print(lines[-1], flush=True)
            if line["arcfour"]["wilson"][1] < line["aircrack-ng"]["wilson"][0]:
                raise SystemExit(f"{packets} packets: aircrack-ng finds more keys than arcfour")
    if arguments.record:
        Path(__file__).with_name("compare.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
