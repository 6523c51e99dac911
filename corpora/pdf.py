"""PDF files: ours beside qpdf."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import outcome
from outcome import Outcome, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READ = (0, 3)  # 3: with a warning
OBJECT = re.compile(rb"(?<![0-9])(\d+)\s+(\d+)\s+obj\b")
# What becomes of an object that has such bytes.
REMOVED = {
    b"/Linearized": "its parameters of linearization are null",
    b"/Crypt": "its filter Crypt is taken off",
}
# qpdf writes the entries of a dictionary in order, and Length last.
ATTACHMENT = re.compile(rb"(/Type /EmbeddedFile\n  /Length \d+ 0 R\n>>\nstream\n).*?\nendstream", re.DOTALL)
MARK = re.compile(rb"%[^\r\n]*|<<|<[0-9A-Fa-f\s]*>|\(|\bstream\r?\n|\bendobj\b")


def compare(arcfour: Path, path: Path, folder: Path, *, quick: bool) -> Outcome:
    """Decrypt encrypted files. Encrypt the others by qpdf and by our program, for the other program
    to decrypt."""
    if run("qpdf", "--is-encrypted", path).code == 0:
        return decrypt(arcfour, path, folder)
    weak = folder / "weak.pdf"
    weak.unlink(missing_ok=True)
    words = ("--allow-weak-crypto", "--static-id", "--encrypt", "", "owner", "128", "--use-aes=n", "--")
    theirs = run("qpdf", *words, path, weak)
    if theirs.code in READ and (found := same(arcfour, weak, folder)).outcome != outcome.DECRYPTED:
        return found
    if quick and theirs.code in READ:
        return Outcome(outcome.BOTH_WAYS)
    own = folder / "own.pdf"
    own.unlink(missing_ok=True)
    done = run(arcfour, "pdf", "encrypt", "--i-know-rc4-is-broken", path, "-o", own)
    if bad := outcome.ended_badly(done):
        return Outcome(outcome.DIFFERS, bad)
    if done.code:
        if theirs.code not in READ:
            return Outcome(outcome.UNREADABLE)
        repaired = run(arcfour, "pdf", "encrypt", "--i-know-rc4-is-broken", "--repair", path, "-o", own)
        given = canonical(path, "", folder / "given.qdf")
        return refused("reads", given, done, mended(repaired, own, given.data))
    if theirs.code not in READ:
        return Outcome(outcome.DIFFERS, "ours reads it, qpdf does not")
    if canonical(own, "", folder / "own.qdf").data != canonical(path, "", folder / "given.qdf").data:
        return Outcome(
            outcome.DIFFERS, f"ours encrypts, and qpdf decrypts other objects{warned(theirs.code)}"
        )
    return Outcome(outcome.BOTH_WAYS)


def warned(code: int) -> str:
    """Tell whether qpdf called the file damaged."""
    return " with warnings" if code else ""


def decrypt(arcfour: Path, path: Path, folder: Path) -> Outcome:
    """Find the password, and compare."""
    done = outcome.ours(arcfour, "pdf", path, folder / "plain.pdf", "")
    if bad := outcome.ended_badly(done):
        return Outcome(outcome.DIFFERS, bad)
    if "not RC4" in done.said:
        return Outcome(outcome.CLOSED)
    for password in outcome.passwords(path):
        # 0: a password is needed, and this is none of the two; 3: this one is right
        if run("qpdf", "--requires-password", f"--password={password}", path).code != 0:
            return same(arcfour, path, folder, password)
    what = "opened without a password that is known" if done.code == 0 else ""
    return Outcome(outcome.DIFFERS if what else outcome.CLOSED, what)


def same(arcfour: Path, path: Path, folder: Path, password: str = "") -> Outcome:
    """Decrypt an encrypted file by both, and compare all objects, and all bytes that hold no data."""
    theirs = canonical(path, password, folder / "theirs.qdf")
    plain = folder / "plain.pdf"
    done = outcome.ours(arcfour, "pdf", path, plain, password)
    if bad := outcome.ended_badly(done):
        return Outcome(outcome.DIFFERS, bad)
    if done.code:
        if theirs.data is None:
            return Outcome(outcome.UNREADABLE)
        repaired = outcome.ours(arcfour, "pdf", path, plain, password, "--repair")
        return refused("decrypts", theirs, done, mended(repaired, plain, theirs.data))
    if theirs.data is None:
        return Outcome(outcome.DIFFERS, "ours decrypts it, qpdf does not")
    if (found := canonical(plain, "", folder / "ours.qdf").data) != theirs.data:
        where = difference(theirs.data, found or b"")
        return Outcome(outcome.DIFFERS, f"other objects than qpdf's{warned(theirs.code)}{where}")
    data = path.read_bytes()
    # The dictionary of the encryption becomes null.
    without = {b"%s %s obj" % found for found in re.findall(rb"/Encrypt\s+(\d+)\s+(\d+)\s+R", data)}
    before, after = (
        [(name, frame) for name, frame in frames(one) if name not in without]
        for one in (data, plain.read_bytes())
    )
    if before != after:
        pairs = zip([frame for _, frame in before], [frame for _, frame in after])
        changed = [one for one, other in pairs if one != other]
        if len(before) == len(after) and all(any(name in frame for name in REMOVED) for frame in changed):
            what = [what for name, what in REMOVED.items() if any(name in frame for frame in changed)]
            return Outcome(outcome.DIFFERS, ", and ".join(what))
        return Outcome(outcome.DIFFERS, f"other bytes outside strings and streams, in {len(changed)} objects")
    return Outcome(outcome.DECRYPTED)


def refused(does: str, theirs: Canonical, ours: outcome.Done, repaired: str) -> Outcome:
    """Tell that only qpdf reads a file, and what becomes of it with --repair."""
    what = f"qpdf {does} it{warned(theirs.code)}; ours: {outcome.why(ours)}; with --repair: {repaired}"
    return Outcome(outcome.DIFFERS, what)


def mended(done: outcome.Done, out: Path, theirs: bytes | None) -> str:
    """Compare a file that ours has repaired with qpdf's objects."""
    if bad := outcome.ended_badly(done):
        return bad
    if done.code:
        return outcome.why(done)
    if not done.said:
        return "success without a warning"
    found = canonical(out, "", out.with_suffix(".qdf")).data
    if theirs is None or found is None:
        return "a file that qpdf does not read"
    if found == theirs:
        return "the same objects"
    if without_mends(found) == without_mends(theirs):
        return "the same objects, but for the version or ends of streams"
    return "other objects"


def without_mends(data: bytes) -> bytes:
    """Take out what README.md of formats says of a repair: the version of a file without one, and ends of streams."""
    data = data.split(b"\n", 1)[1].replace(b"%QDF: ignore_newline\n", b"")
    data = re.sub(rb"[\r\n]+endstream", b"\nendstream", data)
    data = re.sub(rb"(?<=/Length )\d+|(?<= 0 obj\n)\d+(?=\nendobj)", b"", data)
    return re.sub(rb"\n\d{10} \d{5} [nf] |startxref\n\d+", b"", data)


def difference(theirs: bytes, ours: bytes) -> str:
    """Name the entry of the trailer in which alone two files differ, or the attachments, if it is
    one of these."""
    for entry in (b"Size", b"DL"):
        without = [re.sub(rb"\n  /%s \d+|\nstartxref\n\d+" % entry, b"", one) for one in (theirs, ours)]
        if without[0] == without[1]:
            return f": /{entry.decode()} of the trailer"
    without = [ATTACHMENT.sub(rb"\1", one) for one in (theirs, ours)]
    return ": attachments" if without[0] == without[1] else ""


@dataclass(frozen=True)
class Canonical:
    """qpdf's rewriting of a file: every reachable object, in its order and form."""

    code: int
    data: bytes | None
    said: str = ""


def canonical(path: Path, password: str, out: Path) -> Canonical:
    """Let qpdf decrypt a file."""
    out.unlink(missing_ok=True)
    form = ("--decrypt", "--qdf", "--static-id", "--no-original-object-ids", "--stream-data=preserve")
    done = run("qpdf", f"--password={password}", *form, "--object-streams=disable", path, out)
    if done.code not in READ:
        return Canonical(done.code, None, done.said)
    return Canonical(done.code, re.sub(rb"/ID \[<[0-9a-f]*><[0-9a-f]*>\]", b"", out.read_bytes()))


def frames(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name of each object and its bytes without strings and streams.

    Cross-reference streams are left out: they hold the places of the objects."""
    at = 0
    while begin := OBJECT.search(data, at):
        at, parts = begin.end(), []
        while mark := MARK.search(data, at):
            token = mark[0]
            if token == b"(":
                parts.append(data[at : mark.start()])
                at = end_of_string(data, mark.end())
            elif token.startswith(b"<") and token != b"<<":
                parts.append(data[at : mark.start()])
                at = mark.end()
            elif token.startswith(b"stream"):
                parts.append(data[at : mark.end()])
                at = end_of_stream(data, mark.end(), b"".join(parts))
            else:
                parts.append(data[at : mark.end()])
                at = mark.end()
                if token == b"endobj":
                    break
        else:
            return
        frame = b"".join(parts)
        if not re.search(rb"/Type\s*/XRef\b", frame):
            yield b"%s %s obj" % begin.groups(), frame


def end_of_string(data: bytes, at: int) -> int:
    """Return where a string that has begun in parentheses ends."""
    depth = 1
    while depth and (mark := re.compile(rb"\\.|[()]", re.DOTALL).search(data, at)):
        depth += {b"(": 1, b")": -1}.get(mark[0], 0)
        at = mark.end()
    return at if depth == 0 else len(data)


def end_of_stream(data: bytes, at: int, dictionary: bytes) -> int:
    """Return where a stream ends: after its Length, if endstream follows it there."""
    for length in re.findall(rb"/Length\s+(\d+)(?!\s+\d+\s+R)", dictionary):
        if data[at + int(length) :][:20].lstrip().startswith(b"endstream"):
            return at + int(length)
    end = data.find(b"endstream", at)
    return end if end >= 0 else len(data)
