"""Files that others made, each run through our program and through another: corpora.py [--quick] [--only TEXT] [--record] ARCFOUR [FOLDER].

FOLDER holds the files of repositories.toml. The outcomes are compared with results.csv and differences.csv,
or written there, and into the README, by --record.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import os
import re
import sys
import tempfile
import tomllib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import capture
import fetch
import office
import outcome
import pdf
import repositories
from outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent
RESULTS, DIFFERENCES, README = HERE / "results.csv", HERE / "differences.csv", HERE / "README.md"
MUTATED = HERE / "mutated.csv"
# The tables of the README, each from its record.
BEGIN, END = "<!-- written by make {} -->\n", "<!-- as far as here -->\n"
# A file for `make test`, in bytes.
LARGEST = 1 << 20
# Of a damaged file.
MUTATED_OUTCOMES = REFUSED, OPENED, DIFFERS, FAULT = "refused", "opened", "differs", "fault"
COUNTS = ["source", "version", "kind", "files", *outcome.ALL]
TOLD = ["source", "file", "what", "reason"]


@dataclass(frozen=True)
class File:
    """A file, its source, and its kind."""

    source: str
    version: str
    name: str
    kind: str
    path: Path


def packages(*, quick: bool) -> Iterator[File]:
    """Yield the files of the packages."""
    for entry in listed("packages.toml", "package"):
        package = fetch.Package(**entry)
        if package.quick or not quick:
            folder = package.files()
            source = f"{package.name} ({package.registry})"
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                name = str(path.relative_to(folder))
                yield File(source, package.version, name, str(fetch.kind_of(name)), path)


def others(folder: Path, only: str) -> Iterator[File]:
    """Yield the files of the repositories whose names have a text; they lie in folders of their
    names."""
    chosen = [entry for entry in listed("repositories.toml", "repository") if only in entry["repository"]]
    for entry in chosen:
        repository, commit = entry["repository"], entry["commit"][:10]
        for name in repositories.names(repository):
            path = repositories.file(folder, repository, name)
            yield File(repository, commit, name, str(fetch.kind_of(name)), path)


def listed(file: str, key: str) -> list[dict]:
    """Read a list of this folder."""
    return tomllib.loads((HERE / file).read_text("utf-8"))[key]


def distinct(files: list[File]) -> list[File]:
    """Keep the first of files with the same bytes."""
    found: dict[bytes, File] = {}
    for file in files:
        found.setdefault(hashlib.sha256(file.path.read_bytes()).digest(), file)
    return list(found.values())


def compare(arcfour: Path, quick: bool, file: File) -> Outcome:
    """Run a file through both programs."""
    kinds: dict[str, Callable[[Path, Path, Path], Outcome]] = {
        "access": office.access,
        "capture": capture.compare,
        "office": office.compare,
        "pdf": partial(pdf.compare, quick=quick),
    }
    with tempfile.TemporaryDirectory() as folder:
        return kinds[file.kind](arcfour, file.path, Path(folder))


def counts(found: list[tuple[File, Outcome]]) -> list[dict[str, str]]:
    """Count the outcomes of each source and kind."""

    def group(pair: tuple[File, Outcome]) -> tuple[str, str, str]:
        return pair[0].source, pair[0].version, pair[0].kind

    rows = []
    for key, pairs in groupby(sorted(found, key=group), group):
        of = Counter(result.outcome for _, result in pairs)
        numbers = [sum(of.values()), *(of[name] for name in outcome.ALL)]
        rows.append(dict(zip(COUNTS, [*key, *map(str, numbers)])))
    return rows


def differences(found: list[tuple[File, Outcome]]) -> list[dict[str, str]]:
    """Return the differences, each with its reason in reasons.toml."""
    reasons = listed("reasons.toml", "reason")
    rows = []
    for file, result in found:
        if result.outcome == outcome.DIFFERS:
            known = (
                entry["reason"]
                for entry in reasons
                if re.search(entry["what"], result.what) and re.search(entry.get("file", ""), file.name)
            )
            rows.append(dict(zip(TOLD, (file.source, file.name, result.what, next(known, "")))))
    return sorted(rows, key=lambda row: (row["source"], row["file"]))


def as_csv(rows: list[dict[str, str]], columns: list[str]) -> str:
    """Write rows as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def read(path: Path) -> list[dict[str, str]]:
    """Read rows that as_csv has written."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(rows: list[dict[str, str]], different: list[dict[str, str]]) -> str:
    """Return both records as tables in Markdown."""
    lines = [f"| {' | '.join(COUNTS)} |", "|---|---|---|" + "--:|" * (len(COUNTS) - 3)]
    lines += [f"| {' | '.join(row.values())} |" for row in rows]
    total = [str(sum(int(row[name]) for row in rows)) for name in COUNTS[3:]]
    lines += [f"| all | | | {' | '.join(total)} |", "", "| files that differ | reason |", "|--:|---|"]
    lines += [
        f"| {n} | {reason} |" for reason, n in Counter(row["reason"] for row in different).most_common()
    ]
    return "\n".join(lines) + "\n"


def mutated_table(rows: list[dict[str, str]]) -> str:
    """Return the record of damaged files as tables in Markdown."""
    counts: Counter[tuple[str, str]] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    for row in rows:
        files = int(row["files"])
        counts[row["kind"], row["outcome"]] += files
        if row["reason"]:
            reasons[row["kind"], row["reason"]] += files
    lines = [f"| kind | files | {' | '.join(MUTATED_OUTCOMES)} |", "|---|--:|" + "--:|" * len(MUTATED_OUTCOMES)]
    for kind in sorted({kind for kind, _ in counts}):
        numbers = [counts[kind, name] for name in MUTATED_OUTCOMES]
        lines.append(f"| {' | '.join([kind, str(sum(numbers)), *map(str, numbers)])} |")
    lines += ["", "| files that differ | kind | reason |", "|--:|---|---|"]
    lines += [f"| {n} | {kind} | {reason} |" for (kind, reason), n in reasons.most_common()]
    return "\n".join(lines) + "\n"


def splice(command: str, tables: str) -> None:
    """Put the tables of a command into the README."""
    begin = BEGIN.format(command)
    before, rest = README.read_text("utf-8").split(begin)
    _, after = rest.split(END, 1)
    README.write_text(before + begin + tables + END + after, "utf-8")


def faults(
    rows: list[dict[str, str]], different: list[dict[str, str]], sources: set[str], *, quick: bool
) -> Iterator[str]:
    """Yield the differences of these sources from the record; one way has fewer differences than
    both."""
    tables = {
        "corpora": table(read(RESULTS), read(DIFFERENCES)),
        "mutated-record": mutated_table(read(MUTATED)),
    }
    for command, expected in tables.items():
        if BEGIN.format(command) + expected + END not in README.read_text("utf-8"):
            yield f"README.md: the table of `make {command}` is not that of its record"
    yield from (
        f"{row['source']}, {row['file']}: {row['what']}: no reason is known"
        for row in different
        if not row["reason"]
    )
    if quick:
        yield from (
            f"{DIFFERENCES.name}: not recorded: {row}" for row in different if row not in read(DIFFERENCES)
        )
        return
    for path, found in ((RESULTS, rows), (DIFFERENCES, different)):
        recorded = [row for row in read(path) if row["source"] in sources]
        yield from (f"{path.name}: recorded, and not so now: {row}" for row in recorded if row not in found)
        yield from (f"{path.name}: not recorded: {row}" for row in found if row not in recorded)


def main() -> int:
    """Run the corpora; return 1 if an outcome is not the recorded one, or a difference has no reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="only small files that are fetched in seconds, and one way"
    )
    parser.add_argument("--only", default="", help="only sources whose names have this text")
    parser.add_argument("--record", action="store_true", help="write the records and the README")
    parser.add_argument("arcfour", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    arguments = parser.parse_args()
    if arguments.quick and (arguments.record or arguments.folder):
        parser.error("--quick runs a part, which is no record")

    files = list(packages(quick=arguments.quick))
    if arguments.folder:
        files += others(arguments.folder, arguments.only)
    files = [file for file in distinct(files) if arguments.only in file.source]
    if arguments.quick:
        files = [file for file in files if file.path.stat().st_size <= LARGEST]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        work = partial(compare, arguments.arcfour.resolve(), arguments.quick)
        found = list(zip(files, pool.map(work, files, chunksize=8)))
    rows, different = counts(found), differences(found)
    sys.stdout.write(as_csv(rows, COUNTS))
    if arguments.record:
        ran = {file.source for file in files}
        rows = sorted(
            [*rows, *(row for row in read(RESULTS) if row["source"] not in ran)],
            key=lambda row: (row["source"], row["kind"]),
        )
        different = sorted(
            [*different, *(row for row in read(DIFFERENCES) if row["source"] not in ran)],
            key=lambda row: (row["source"], row["file"]),
        )
        RESULTS.write_text(as_csv(rows, COUNTS), "utf-8")
        DIFFERENCES.write_text(as_csv(different, TOLD), "utf-8")
        splice("corpora", table(rows, different))
    said = list(faults(rows, different, {row["source"] for row in rows}, quick=arguments.quick))
    for fault in said:
        sys.stderr.write(f"{fault}\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
