"""Files of projects that no registry carries, in a folder that a user has: each is the one that is listed here, or refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fetch import check

LISTS = Path(__file__).parent / "repositories"


@cache
def names(repository: str) -> dict[str, str]:
    """Return the SHA-256 of each file of a repository."""
    text = (LISTS / f"{Path(repository).name}.sha256").read_text("utf-8")
    return {name: sha256 for sha256, name in (line.split("  ", 1) for line in text.splitlines())}


def file(folder: Path, repository: str, name: str) -> Path:
    """Return a file of a repository."""
    path = folder / Path(repository).name / name
    if not path.is_file():
        raise SystemExit(f"{path}: no such file; {folder} needs the files of {repository}")
    check(path, names(repository)[name])
    return path
