"""The result for a file, and the programs that are run on it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60
HERE = Path(__file__).parent

# Our program has the same result as the other program.
DECRYPTED = "decrypted"
# The file is not encrypted, so the other program encrypted it before ours decrypted it, and the other way round.
BOTH_WAYS = "both ways"
# Both find nothing that is encrypted, or no key, and say so.
NOTHING = "nothing to do"
# Both can open the file only with a password, or with a cipher, that it is not here for.
CLOSED = "closed"
# Neither can read the file.
UNREADABLE = "unreadable"
DIFFERS = "differs"
ALL = (DECRYPTED, BOTH_WAYS, NOTHING, CLOSED, UNREADABLE, DIFFERS)


@dataclass(frozen=True)
class Outcome:
    """One of ALL, with its details."""

    outcome: str
    what: str = ""


@dataclass(frozen=True)
class Done:
    """How a program ended: -1 is too late."""

    code: int
    out: bytes
    said: str


def run(*words: str | Path, password: str = "") -> Done:
    """Run a program, with the password in its environment, for a minute of processor time at most:
    a busy machine makes no program fail."""
    environment = {**os.environ, "ARCFOUR_CORPORA": password}
    limited = ("prlimit", f"--cpu={SECONDS}:{SECONDS + 5}", *words)
    late = Done(-1, b"", f"takes longer than {SECONDS} seconds")
    try:
        done = subprocess.run(
            limited, stdin=subprocess.DEVNULL, capture_output=True, timeout=20 * SECONDS, env=environment
        )
    except subprocess.TimeoutExpired:
        return late
    if done.returncode == -signal.SIGXCPU:
        return late
    # Of prlimit. A file that no program was there to read is not unreadable.
    if done.returncode == 127:
        raise SystemExit(f"{words[0]}: not found")
    return Done(done.returncode, done.stdout, done.stderr.decode(errors="replace").strip())


def ours(arcfour: Path, format_: str, path: Path, out: Path, password: str, *options: str) -> Done:
    """Decrypt a file by our program."""
    out.unlink(missing_ok=True)
    words = (format_, "decrypt", path, "-o", out, "--password-env", "ARCFOUR_CORPORA")
    return run(arcfour, *words, *options, password=password)


def ended_badly(done: Done) -> str:
    """Tell of an end that no input may bring about: another code, or lines that do not say why."""
    lines = done.said.splitlines()
    if done.code == 0 or (done.code == 1 and lines and all(line.startswith("arcfour: ") for line in lines)):
        return ""
    return f"exit code {done.code}: {done.said[-200:]}"


def why(done: Done) -> str:
    """Return the reason that our program gives, without the name of the file."""
    line = done.said.splitlines()[-1] if done.said else ""
    return re.sub(r"^arcfour: (cannot \w+ '.*?': )?", "", line).replace("'", "")


def passwords(path: Path) -> list[str]:
    """Return the passwords to try: none, the text between underscores in the file's name, and the
    known ones."""
    named = re.findall(r"_([^_]+)_(?=[^_]*$)", path.name)
    return ["", *named, *(HERE / "passwords.txt").read_text("utf-8").splitlines()]
