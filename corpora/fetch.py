"""Fetches packages by their ordinary clients, checks them, and unpacks the files that the corpora take from them."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parent
OUT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "corpora"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
KINDS = {
    "pdf": (".pdf",),
    "office": (".doc", ".dot", ".xls", ".xlt", ".ppt", ".pps", ".pot"),
    "access": (".mdb",),
    "capture": (".cap", ".pcap", ".pcapng", ".ivs"),
}
COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")


@dataclass(frozen=True)
class Package:
    """A package, its version, and the kind of its archive."""

    registry: str
    name: str
    version: str
    archive: str
    sha256: str
    quick: bool = False

    def fetch(self) -> Path:
        """Return the archive, fetched if it is not there already, and of this SHA-256."""
        path = OUT / "archives" / self.archive
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                found = CLIENTS[self.registry](self, Path(folder))
                check(found, self.sha256)
                shutil.copy(found, folder + "/whole")
                Path(folder, "whole").rename(path)
        check(path, self.sha256)
        return path

    def files(self) -> Path:
        """Return the folder with the extracted files."""
        archive = self.fetch()
        folder = OUT / "files" / self.sha256[:16]
        if not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder.parent) as part:
                for name, data in members(archive):
                    place = Path(part, "files", name)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(data)
                Path(part, "files").rename(folder)
        return folder


def kind_of(name: str) -> str | None:
    """Return the kind of a file by the end of its name."""
    suffix = PurePosixPath(name.lower().removesuffix(".gz")).suffix
    return next((kind for kind, suffixes in KINDS.items() if suffix in suffixes), None)


def check(path: Path, sha256: str) -> None:
    """Refuse a file that is not the one that was listed."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise SystemExit(f"{path}: the SHA-256 is {found}, not {sha256}")


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and bytes of the members that are of a kind, unpacked if gzip packed them."""
    for name, data in unpacked(archive):
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise SystemExit(f"{archive}: a member's name leads out of the folder: {name!r}")
        if path.suffix == ".pot" and not data.startswith(COMPOUND):
            continue  # a list of messages to translate
        yield (name.removesuffix(".gz"), gzip.decompress(data)) if name.endswith(".gz") else (name, data)


def unpacked(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the members of a zip or tar archive that are of a kind."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            for info in packed.infolist():
                if kind_of(info.filename) and not info.is_dir():
                    yield info.filename, packed.read(info)
    else:
        with tarfile.open(archive) as tar:
            for member in tar:
                if kind_of(member.name) and (file := tar.extractfile(member) if member.isfile() else None):
                    yield member.name, file.read()


def run(*words: str | Path, cwd: Path | None = None) -> str:
    """Run a client and return its output. Its progress goes to the terminal."""
    return subprocess.run(words, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout


def pypi(package: Package, folder: Path) -> Path:
    """Fetch the sources of a Python package."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run(*pip, "--no-binary", package.name, "--dest", folder, f"{package.name}=={package.version}")
    return folder / package.archive


def npm(package: Package, folder: Path) -> Path:
    """Fetch a package of JavaScript."""
    run("npm", "pack", "--silent", "--pack-destination", folder, f"{package.name}@{package.version}")
    return folder / package.archive


def maven(package: Package, folder: Path) -> Path:
    """Fetch a jar with tests."""
    artifact = f"{package.name}:{package.version}:jar:tests"
    run("mvn", "--quiet", "--batch-mode", COPY, f"-Dartifact={artifact}", f"-DoutputDirectory={folder}")
    return folder / package.archive


def crates(package: Package, folder: Path) -> Path:
    """Fetch a crate as the dependency of an empty one."""
    Path(folder, "src").mkdir()
    Path(folder, "src/lib.rs").touch()
    manifest = '[package]\nname = "corpora"\nedition = "2021"\n[workspace]\n[dependencies]\n'
    Path(folder, "Cargo.toml").write_text(f'{manifest}{package.name} = "={package.version}"\n')
    run("cargo", "fetch", "--quiet", cwd=folder)
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    return next((home / "registry/cache").glob(f"*/{package.archive}"))


def go(package: Package, folder: Path) -> Path:
    """Fetch a module."""
    told = run("go", "mod", "download", "-json", f"{package.name}@{package.version}", cwd=folder)
    return Path(json.loads(told)["Zip"])


def debian(package: Package, folder: Path) -> Path:
    """Fetch the upstream archive of a source package."""
    sys.path.append(str(ROOT / "matrix"))
    from debian import archive

    return archive(package.name, folder)


CLIENTS = {"Debian": debian, "Go": go, "Maven": maven, "PyPI": pypi, "crates": crates, "npm": npm}
