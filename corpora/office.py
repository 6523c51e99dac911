"""Word, Excel and PowerPoint files: ours beside msoffcrypto-tool. Databases of Access: beside mdbtools."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import msoffcrypto
import olefile
import outcome
from outcome import Outcome, run

logging.disable(logging.CRITICAL)


def compare(arcfour: Path, path: Path, folder: Path) -> Outcome:
    """Decrypt a document by both, and compare stream by stream."""
    out = folder / "plain"
    theirs, password = decrypted(path, [*outcome.passwords(path), "VelvetSweatshop"])
    for one in [password] if password is not None else outcome.passwords(path):
        done = outcome.ours(arcfour, "office", path, out, one)
        if bad := outcome.ended_badly(done):
            return Outcome(outcome.DIFFERS, bad)
        if "wrong password" not in done.said and "needs a password" not in done.said:
            break
    else:
        return Outcome(
            outcome.CLOSED if theirs == "closed" else outcome.DIFFERS,
            f"ours is closed; msoffcrypto-tool: {told(theirs)}",
        )
    reason = outcome.why(done)
    if done.code:
        if theirs == "plain" and "not encrypted" in reason:
            return Outcome(outcome.NOTHING)
        failed = isinstance(theirs, str) and theirs not in ("plain", "closed")
        if failed and "not encrypted" not in reason:
            return Outcome(outcome.UNREADABLE)
        return Outcome(outcome.DIFFERS, f"ours: {reason}; msoffcrypto-tool: {told(theirs)}")
    if isinstance(theirs, str):
        return Outcome(outcome.DIFFERS, f"ours decrypts it; msoffcrypto-tool: {theirs}")
    different = streams(out.read_bytes(), theirs)
    what = f"other bytes in {', '.join(different)}" if different else ""
    return Outcome(outcome.DIFFERS if different else outcome.DECRYPTED, what)


def told(theirs: bytes | str) -> str:
    """Describe in words the result of msoffcrypto-tool."""
    return theirs if isinstance(theirs, str) else "decrypts it"


def decrypted(path: Path, passwords: list[str]) -> tuple[bytes | str, str | None]:
    """Return msoffcrypto-tool's output for a document, or its error, and the password."""
    try:
        with path.open("rb") as file:
            document = msoffcrypto.OfficeFile(file)
            if not document.is_encrypted():
                return "plain", None
            for password in passwords:
                out = io.BytesIO()
                try:
                    document.load_key(password=password)
                    document.decrypt(out)
                except msoffcrypto.exceptions.InvalidKeyError:
                    continue
                return out.getvalue(), password
    except Exception as error:  # noqa: BLE001, its parsers raise many kinds
        return f"{type(error).__name__}: {str(error)[:80]!r}", None
    return "closed", None


def streams(ours: bytes, theirs: bytes) -> list[str]:
    """Name the streams that are not the same in both."""
    contents = []
    for data in (ours, theirs):
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            contents.append({"/".join(path): file.openstream(path).read() for path in file.listdir()})
    names = sorted(contents[0].keys() | contents[1].keys())
    return [repr(name) for name in names if contents[0].get(name) != contents[1].get(name)]


def access(arcfour: Path, path: Path, folder: Path) -> Outcome:
    """Decrypt a database, and compare mdbtools' output before and after."""
    out = folder / "plain.mdb"
    done = outcome.ours(arcfour, "office", path, out, "")
    if bad := outcome.ended_badly(done):
        return Outcome(outcome.DIFFERS, bad)
    before = rows(path)
    if done.code:
        if before is None:
            return Outcome(outcome.UNREADABLE)
        reason = outcome.why(done)
        what = "" if "not encrypted" in reason else f"mdbtools reads it; ours: {reason}"
        return Outcome(outcome.DIFFERS if what else outcome.NOTHING, what)
    what = "" if rows(out) == before else "mdbtools reads other rows"
    return Outcome(outcome.DIFFERS if what else outcome.DECRYPTED, what)


def rows(path: Path) -> list[bytes] | None:
    """Return the rows of all tables."""
    tables = run("mdb-tables", "-1", path)
    if tables.code:
        return None
    return [run("mdb-export", path, name).out for name in tables.out.decode().splitlines()]
