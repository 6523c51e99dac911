"""What `arcfour survey` finds in the programs under /usr: usr.py [--record] ARCFOUR.

The installed packages are the corpus: a version has the same files on every machine. Most packages
are Debian's; usr.toml names the others of the record. usr.tsv has the findings by package and
version. usr.toml says for each package with RC4 in machine code what it uses RC4 for; a package
without an entry may be a false positive. The run fails if there is one, or if a file of a recorded
version has other findings. --record writes usr.tsv; files that no package has are counted there and
not listed.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
RECORD = HERE / "usr.tsv"
COLUMNS = ["package", "version", "path", "within", "rule", "evidence", "count"]
CODE = "program-code"


def survey(arcfour: Path) -> tuple[list[dict], dict]:
    """Return the findings in programs, and the last line."""
    done = subprocess.run([arcfour, "survey", "--json", "/usr"], stdout=subprocess.PIPE, text=True, check=True)
    *findings, end = map(json.loads, done.stdout.splitlines())
    return [each for each in findings if each["rule"].startswith("program-")], end


def installed() -> dict[str, str]:
    """Return the version of each package."""
    query = ["dpkg-query", "--show", "--showformat=${binary:Package}\t${Version}\n"]
    done = subprocess.run(query, capture_output=True, text=True, check=True)
    return dict(line.split("\t") for line in done.stdout.splitlines())


def owners(paths: Iterable[str]) -> dict[str, str]:
    """Return the package that has each file, where one has it."""
    # Packages name some files without /usr, which a link adds.
    names = {name: path for path in paths for name in (path, path.removeprefix("/usr"))}
    done = subprocess.run(["dpkg-query", "--search", *names], capture_output=True, text=True)
    lines = (line.split(": ", 1) for line in done.stdout.splitlines() if not line.startswith("diversion by"))
    return {names[path]: package.split(", ")[0] for package, path in lines}


def rows(findings: list[dict], versions: dict[str, str]) -> list[dict[str, str]]:
    """Return a row for each finding in a file of a package."""
    of = owners({each["path"] for each in findings})
    found = [
        dict(zip(COLUMNS, (
            of[each["path"]], versions[of[each["path"]]], each["path"], each["within"] or "", each["rule"],
            each["evidence"], str(each["count"]),
        )))
        for each in findings
        if each["path"] in of
    ]  # fmt: skip
    return sorted(found, key=lambda row: [row[name] for name in COLUMNS])


def unexplained(found: list[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Yield findings in machine code whose package has no known use of RC4."""
    known = tomllib.loads((HERE / "usr.toml").read_text("utf-8"))["package"]
    for row in found:
        name = row["package"].split(":")[0]
        if row["rule"] == CODE and not any(re.fullmatch(each["name"], name) for each in known):
            yield row


def read() -> list[dict[str, str]]:
    """Return the recorded rows."""
    lines = RECORD.read_text("utf-8").splitlines()
    return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def write(found: list[dict[str, str]], end: dict, others: int) -> None:
    """Record the rows, and the counts in front of them."""
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    counts = {
        "system": f"{system}, {platform.machine()}",
        "command": "make survey-usr-record",
        "files": end["files"],
        "programs": end["read"]["program"],
        "files not read to the end": len({each["path"] for each in end["unread"]}),
        "files of no package with findings": others,
    }
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {name}: {value}\n" for name, value in counts.items())
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


def main() -> int:
    """Return 1 if a finding has no known reason, or is not the recorded one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write usr.tsv")
    parser.add_argument("arcfour", type=Path)
    arguments = parser.parse_args()
    findings, end = survey(arguments.arcfour)
    versions = installed()
    found = rows(findings, versions)
    faults = [f"no known use of RC4: {row}" for row in unexplained(found)]
    if arguments.record:
        write(found, end, len({each["path"] for each in findings} - {row["path"] for row in found}))
    recorded = read()
    packages = {row["package"]: row["version"] for row in recorded}
    same = packages.items() & versions.items()
    for had, has, what in ((recorded, found, "recorded, and not so now"), (found, recorded, "not recorded")):
        of_same = (row for row in had if (row["package"], row["version"]) in same)
        faults += [f"{what}: {row}" for row in of_same if row not in has]
    kinds = Counter(row["rule"] for row in found)
    sys.stdout.write(f"{end['files']} files, {end['read']['program']} programs, {dict(kinds)}, ")
    sys.stdout.write(f"{len(same)} of the {len(packages)} recorded packages are here\n")
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
