"""The sources of Debian's packages, by apt."""

from __future__ import annotations

import os
import subprocess
import tarfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "matrix"
PLACE = "$(REPO_URI) $(CODENAME) $(COMPONENT)"


@cache
def apt() -> list[str]:
    """Return options of apt for separate lists, with this machine's sources."""
    lists = OUT / "apt"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    known = subprocess.run(
        ["apt-get", "indextargets", "--format", PLACE, "Created-By: Packages"],
        check=True,
        capture_output=True,
        text=True,
    )
    lines = []
    for line in dict.fromkeys(known.stdout.splitlines()):
        if line.split()[1].isalpha():  # the release itself: what has come since has the same tests
            lines.append(f"deb-src {line}")
    (OUT / "sources.list").write_text("\n".join(lines) + "\n")
    options = [
        *("-o", f"Dir::Etc::SourceList={OUT / 'sources.list'}", "-o", "Dir::Etc::SourceParts=/dev/null"),
        *("-o", f"Dir::State::Lists={lists}", "-o", "APT::Sandbox::User=", "-q"),
    ]
    subprocess.run(["apt-get", *options, "update"], check=True, stdout=subprocess.DEVNULL)
    return options


def archive(package: str, folder: Path) -> Path:
    """Fetch the archive that the authors of a package published."""
    words = ["apt-get", *apt(), "source", "--download-only", package]
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (found,) = (file for file in folder.glob(f"{package}_*.orig.tar.*") if file.suffix != ".asc")
    return found


@cache
def source(package: str) -> tuple[str, Path]:
    """Fetch and unpack the sources of a package; return their version and folder."""
    folder = OUT / "sources"
    folder.mkdir(parents=True, exist_ok=True)
    packed = archive(package, folder)
    with tarfile.open(packed) as files:
        files.extractall(folder)  # apt has checked the signature
    version = packed.name.removeprefix(f"{package}_").partition(".orig")[0]
    return version, folder / f"{package}-{version}"
