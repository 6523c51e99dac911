"""Runs our program and another on damaged files: mutated.py [--seed N] [--from N] [--pdf N]
[--office N] [--jobs N] [--keep FOLDER | --record] ARCFOUR.

Small files of packages and of vectors/, with faults put in. The counts are compared with
mutated.csv, or written there by --record. --from N begins with file N, to run one again; --keep
leaves what was made in a folder. The run also fails if our program crashes, or leaves a file after
a failure. It fails if our program succeeds without a warning and the other program cannot open the
result.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import fetch
import mutate
import office
import olefile
import outcome
import pdf

from corpora import DIFFERS, FAULT, OPENED, REFUSED, as_csv, listed, mutated_table, read, splice
from corpora import MUTATED as RESULTS

VECTORS = Path(__file__).parents[1] / "vectors"
PACKAGES = {"pdf": ("pypdf", "pikepdf"), "office": ("oletools", "python-calamine")}
# For msoffcrypto-tool, which may go in circles.
SECONDS = 5
# Of a file that is mutated, in bytes.
LARGEST = 1 << 16
COLUMNS = ["kind", "outcome", "what", "files", "reason"]


@dataclass(frozen=True)
class Seed:
    """A file that ours decrypts, and how."""

    kind: str
    name: str
    data: bytes
    password: str


@dataclass(frozen=True)
class Found:
    """The result for a mutated file."""

    outcome: str
    what: str = ""


def seeds(arcfour: Path, kind: str) -> list[Seed]:
    """Return the files to mutate: all that our program decrypts, and files that qpdf encrypts."""
    entries = [entry for entry in listed("packages.toml", "package") if entry["name"] in PACKAGES[kind]]
    paths = sorted((VECTORS / kind).iterdir())
    for entry in entries:
        paths += sorted(path for path in fetch.Package(**entry).files().rglob("*") if path.is_file())
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in paths:
            if fetch.kind_of(path.name) == kind and path.stat().st_size <= LARGEST:
                weak = encrypted(path, folder / "weak.pdf") if kind == "pdf" else path
                password = opens(arcfour, kind, weak, folder / "plain")
                if password is not None:
                    found.append(Seed(kind, path.name, weak.read_bytes(), password))
    return found


def encrypted(path: Path, weak: Path) -> Path:
    """Let qpdf encrypt a plain file."""
    weak.unlink(missing_ok=True)
    if outcome.run("qpdf", "--is-encrypted", path).code == 0:
        return path
    words = ("--allow-weak-crypto", "--static-id", "--encrypt", "", "owner", "128", "--use-aes=n", "--")
    done = outcome.run("qpdf", *words, path, weak)
    return weak if done.code == 0 else path


def opens(arcfour: Path, kind: str, path: Path, out: Path) -> str | None:
    """Return the password that opens a file."""
    for password in [*outcome.passwords(path), "Quentin", "été à l’aube", "🔑🔑🔑🔑🔑🔑🔑"]:
        done = outcome.ours(arcfour, kind, path, out, password)
        if done.code == 0:
            return password
        if "password" not in done.said:
            return None
    return None


def one(arcfour: Path, folder: Path, keeps: bool, seed: int, all_seeds: list[Seed], number: int) -> Found:
    """Mutate a file, decrypt it, and ask the other program."""
    random = Random(f"{seed} {all_seeds[0].kind} {number}")
    given = random.choice(all_seeds)
    changes = {"pdf": mutate.pdf, "office": mutate.compound}
    path, out = folder / f"{number}-mutated", folder / f"{number}-plain"
    path.write_bytes(changes[given.kind](random, given.data))
    try:
        done = outcome.ours(arcfour, given.kind, path, out, given.password)
        if bad := outcome.ended_badly(done):
            return Found(FAULT, f"{number} {given.name}: {bad}")
        if done.code:
            return Found(FAULT, f"{number} {given.name}: it left a file") if out.exists() else Found(REFUSED)
        compare = {"pdf": beside_qpdf, "office": beside_msoffcrypto}[given.kind]
        found = compare(path, out, given.password, warned=bool(done.said))
        if found.outcome == FAULT:
            return Found(FAULT, f"{number} {given.name}: {found.what}")
        return found
    finally:
        for file in [] if keeps else folder.glob(f"{number}-*"):
            file.unlink()


def beside_qpdf(path: Path, out: Path, password: str, *, warned: bool) -> Found:
    """Compare qpdf's outputs on the mutated file and on our result."""
    ours = pdf.canonical(out, "", out.with_name(f"{out.name}.qdf"))
    theirs = pdf.canonical(path, password, path.with_name(f"{path.name}.qdf"))
    if ours.data is None:
        what = f"{reason_of(ours.said)}; of the file: {reason_of(theirs.said)}"
        if outcome.run("qpdf", "--decrypt", out, os.devnull).code in pdf.READ:
            return Found(DIFFERS, f"qpdf opens the result, but not as --qdf: {what}")
        return Found(DIFFERS if warned else FAULT, f"qpdf cannot open the result: {what}")
    if theirs.data is None:
        return Found(DIFFERS, f"qpdf opens only the result; of the file: {reason_of(theirs.said)}")
    if ours.data == theirs.data:
        return Found(OPENED, f"the same objects{pdf.warned(theirs.code)}")
    where = pdf.difference(theirs.data, ours.data)
    return Found(DIFFERS, f"other objects; qpdf {verdict(theirs)} the file, {verdict(ours)} the result{where}")


def verdict(read: pdf.Canonical) -> str:
    """Return qpdf's messages about a file that it reads."""
    if "reconstruct" in read.said:
        return "makes a new table for"
    return "warns of" if read.code else "accepts"


def reason_of(said: str) -> str:
    """Return why qpdf gave up, without places and numbers."""
    line = said.splitlines()[-1] if said else "it opens"
    return re.sub(r"\d+", "N", re.sub(r"^.*-(plain|mutated)( \([^)]*\)+)?: ", "", line))


def beside_msoffcrypto(path: Path, out: Path, password: str, *, warned: bool) -> Found:
    """Compare with the streams of msoffcrypto-tool."""
    if error := olefile_error(out):
        if olefile_error(path) == error:
            return Found(DIFFERS, f"olefile opens neither the file nor the result: {error}")
        return Found(DIFFERS if warned else FAULT, f"olefile cannot open the result: {error}")
    signal.signal(signal.SIGALRM, too_late)
    signal.alarm(SECONDS)
    try:
        theirs, _ = office.decrypted(path, [password])
        if isinstance(theirs, str):
            return Found(DIFFERS, f"ours decrypts it; msoffcrypto-tool: {re.sub(':.*', '', theirs)}")
        different = office.streams(out.read_bytes(), theirs)
    except (IndexError, OSError, TimeoutError, ValueError) as error:
        return Found(DIFFERS, f"{type(error).__name__} of msoffcrypto-tool or olefile")
    finally:
        signal.alarm(0)
    return (
        Found(DIFFERS, f"other bytes in {', '.join(different)}")
        if different
        else Found(OPENED, "the same streams")
    )


def olefile_error(path: Path) -> str:
    """Return why olefile cannot read every stream of a file, or nothing if it can."""
    try:
        with olefile.OleFileIO(path) as file:
            for stream in file.listdir():
                file.openstream(stream).read()
    except (IndexError, OSError, ValueError) as error:
        return str(error)
    return ""


def too_late(_signal: int, _frame: object) -> None:
    """End programs that run too long."""
    raise TimeoutError


def run(arcfour: Path, kind: str, numbers: range, arguments: argparse.Namespace) -> Counter[Found]:
    """Mutate files of a kind, by their numbers."""
    of_kind = seeds(arcfour, kind)
    sys.stderr.write(f"{kind}: {len(of_kind)} files, {len(numbers)} mutated\n")
    with tempfile.TemporaryDirectory() as temporary, ProcessPoolExecutor(arguments.jobs) as pool:
        folder = (arguments.keep or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        work = partial(one, arcfour, folder, arguments.keep is not None, arguments.seed, of_kind)
        return Counter(pool.map(work, numbers, chunksize=50))


def rows(kind: str, found: Counter[Found]) -> list[dict[str, str]]:
    """Return the counts, each difference with the reason that reasons.toml has for it."""
    reasons = listed("reasons.toml", "mutated")
    rows = []
    for result, count in sorted(found.items(), key=lambda pair: (pair[0].outcome, pair[0].what)):
        known = (entry["reason"] for entry in reasons if re.search(entry["what"], result.what))
        reason = next(known, "") if result.outcome == DIFFERS else ""
        rows.append(dict(zip(COLUMNS, (kind, result.outcome, result.what, str(count), reason))))
    return rows


def main() -> int:
    """Run all; return 1 after a fault, a difference without a reason, or other counts than the recorded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pdf", type=int, default=20_000, help="PDF files")
    parser.add_argument("--office", type=int, default=2_000, help="documents of Office")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first file")
    parser.add_argument("--keep", type=Path, help="folder for the mutated files and the results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--record", action="store_true", help="write the counts")
    parser.add_argument("arcfour", type=Path)
    arguments = parser.parse_args()
    if arguments.record and arguments.first:
        parser.error("--record writes the counts from file 0 on")
    arcfour = arguments.arcfour.resolve()
    found = []
    for kind, count in (("pdf", arguments.pdf), ("office", arguments.office)):
        if count:
            numbers = range(arguments.first, arguments.first + count)
            found += rows(kind, run(arcfour, kind, numbers, arguments))
    sys.stdout.write(as_csv(found, COLUMNS))
    bad = [row for row in found if row["outcome"] == FAULT or row["outcome"] == DIFFERS and not row["reason"]]
    for row in bad:
        sys.stderr.write(f"no reason is known: {row}\n")
    if arguments.record:
        RESULTS.write_text(as_csv(found, COLUMNS), "utf-8")
        splice("mutated-record", mutated_table(found))
        return 1 if bad else 0
    record = read(RESULTS) if RESULTS.exists() else []
    for kind in {row["kind"] for row in found}:
        made, recorded = ([row for row in part if row["kind"] == kind] for part in (found, record))
        if total(made) != total(recorded):
            sys.stderr.write(f"{RESULTS.name} is of {total(recorded)} {kind} files: not compared\n")
        elif made != recorded:
            sys.stderr.write(f"{RESULTS.name} has other counts of {kind} files\n")
            return 1
    return 1 if bad else 0


def total(rows: list[dict[str, str]]) -> int:
    """Count the files of rows."""
    return sum(int(row["files"]) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
