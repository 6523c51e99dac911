"""What `arcfour survey` finds in the programs under /usr: usr.py [--record] ARCFOUR.

The installed packages of Debian are the corpus: a version has the same files on every machine.
Packages of others and files of no package are not read. usr.tsv has the findings by package and
version. usr.toml says for each package with RC4 in machine code what it uses RC4 for; a package
without an entry may be a false positive. The run fails if there is one, or if a file of a recorded
version has other findings. --record writes usr.tsv.
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
# Paths of one command line, which Linux limits to 2 MiB.
PATHS = 5000


def run(*command: str | Path) -> str:
    """Return the output of a command that must not fail."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def of_debian() -> dict[str, list[str]]:
    """Return the versions of each package that apt's lists of Debian have."""
    lists = run("apt-get", "indextargets", "--format", "$(FILENAME)", "Created-By: Packages", "Origin: Debian").split()
    if not lists:
        sys.exit("usr.py: apt has no list of Debian's packages; run apt-get update")
    versions: dict[str, list[str]] = {}
    for each in re.finditer(
        r"^Package: (\S+)\n(?:[^\n]+\n)*?Version: (\S+)$", run("/usr/lib/apt/apt-helper", "cat-file", *lists), re.MULTILINE
    ):
        versions.setdefault(each[1], []).append(each[2])
    return versions


def installed() -> dict[str, str]:
    """Return the version of each installed package of Debian: its lists have this version, or a later one of an update."""
    debian = of_debian()
    lines = run("dpkg-query", "--show", "--showformat=${binary:Package}\t${Version}\n").splitlines()
    every = dict(line.split("\t") for line in lines)

    def is_debian(name: str, version: str) -> bool:
        listed = debian.get(name.split(":")[0], [])
        return version in listed or any(
            not subprocess.run(["dpkg", "--compare-versions", version, "lt", other]).returncode for other in listed
        )

    return {name: version for name, version in every.items() if is_debian(name, version)}


def owners(packages: Iterable[str]) -> dict[str, str]:
    """Return the files of these packages under /usr, with their package."""
    files: dict[str, str] = {}
    for package in packages:
        for line in run("dpkg-query", "--listfiles", package).splitlines():
            # A package may name a file without /usr, which a link adds. Some images leave out documentation.
            path = Path(line)
            if path.is_file() and not path.is_symlink():
                path = path.parent.resolve() / path.name
                if path.is_relative_to("/usr"):
                    files.setdefault(str(path), package)
    return files


def survey(arcfour: Path, paths: list[str]) -> tuple[list[dict], Counter]:
    """Return the findings in programs; and the numbers of files, programs and unread files."""
    findings, counts = [], Counter[str]()
    for start in range(0, len(paths), PATHS):
        lines = run(arcfour, "survey", "--json", *paths[start : start + PATHS]).splitlines()
        *found, end = map(json.loads, lines)
        findings += [each for each in found if each["rule"].startswith("program-")]
        counts["files"] += end["files"]
        counts["programs"] += end["read"].get("program", 0)
        counts["files not read to the end"] += len({each["path"] for each in end["unread"]})
    return findings, counts


def rows(findings: list[dict], of: dict[str, str], versions: dict[str, str]) -> list[dict[str, str]]:
    """Return a row for each finding."""
    found = [
        dict(zip(COLUMNS, (
            of[each["path"]], versions[of[each["path"]]], each["path"], each["within"] or "", each["rule"],
            each["evidence"], str(each["count"]),
        )))
        for each in findings
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


def write(found: list[dict[str, str]], counts: Counter, packages: int) -> None:
    """Record the rows, and the counts in front of them."""
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    head = {
        "system": f"{system}, {platform.machine()}",
        "command": "make survey-usr-record",
        "packages of Debian": packages,
        **counts,
    }
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {name}: {value}\n" for name, value in head.items())
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


def main() -> int:
    """Return 1 if a finding has no known reason, or is not the recorded one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write usr.tsv")
    parser.add_argument("arcfour", type=Path)
    arguments = parser.parse_args()
    versions = installed()
    of = owners(versions)
    findings, counts = survey(arguments.arcfour.absolute(), sorted(of))
    found = rows(findings, of, versions)
    faults = [f"no known use of RC4: {row}" for row in unexplained(found)]
    if arguments.record:
        write(found, counts, len(versions))
    recorded = read()
    packages = {row["package"]: row["version"] for row in recorded}
    same = packages.items() & versions.items()
    for had, has, what in ((recorded, found, "recorded, and not so now"), (found, recorded, "not recorded")):
        of_same = (row for row in had if (row["package"], row["version"]) in same)
        faults += [f"{what}: {row}" for row in of_same if row not in has]
    kinds = Counter(row["rule"] for row in found)
    sys.stdout.write(f"{len(versions)} packages of Debian, {dict(counts)}, {dict(kinds)}, ")
    sys.stdout.write(f"{len(same)} of the {len(packages)} recorded packages are here\n")
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
