"""Gathers what other targets of make have built, as the files of a release: `python3 tasks/release.py TARGET OUT`.

TARGET is the folder of built files. OUT is written anew. A missing file is an error that names the target of make;
with --partial it is left out. The time of all files is SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bills import PUBLISHED, SCRIPTS
from model import load

ROOT = Path(__file__).parent.parent
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]
LICENCES = {name: ROOT / name for name in ("LICENSE-APACHE", "LICENSE-MIT")}
PROGRAMS = ("arcfour", "rc4")


@dataclass(frozen=True)
class Part:
    """Files of a release, by their names there, and the target of make that builds them. A folder stands for its files."""

    made_by: str
    files: dict[str, Path]
    archive: str = ""  # the name of the archive that has them; without it each file is copied

    def missing(self) -> list[Path]:
        """What is not built."""
        return [path for path in self.files.values() if not (any(path.iterdir()) if path.is_dir() else path.exists())]

    def expanded(self) -> dict[str, Path]:
        """The files, without folders."""
        found: dict[str, Path] = {}
        for name, path in self.files.items():
            below = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
            found |= {f"{name}/{each.relative_to(path).as_posix()}" if path.is_dir() else name: each for each in below}
        return found


def committed(folder: str) -> dict[str, Path]:
    """The files of a folder of the repository."""
    names = subprocess.run(["git", "ls-files", "-z", folder], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return {name.removeprefix(f"{folder}/"): ROOT / name for name in names if name}


def debian() -> list[str]:
    """The names of the Debian packages."""
    return re.findall(r"^Package: (.+)$", (ROOT / "packaging/debian/control").read_text("utf-8"), re.MULTILINE)


def parts(target: Path) -> list[Part]:
    """All that a release has beside its notes and checksums."""
    crates = str(load().shell["PUBLIC_CRATES"]).split()
    wheels = [f"arcfour-{VERSION}-cp311-abi3-manylinux2014_{machine}.manylinux_2_17_{machine}.whl" for machine in ("aarch64", "x86_64")]
    installed = target / "packaging/root/usr/share"
    linked = {name: target / "bills" / name for name in ("arcfour.licences.html", "rust.licences.html", "musl.copyright")}
    return [
        Part("packages-full", {f"crates/{name}-{VERSION}.crate": target / f"package/{name}-{VERSION}.crate" for name in crates}),
        Part("wheel", {f"python/{name}": target / "wheels" / name for name in (*wheels, f"arcfour-{VERSION}.tar.gz")}),
        Part("npm", {f"npm/arcfour-{VERSION}.tgz": target / f"npm/arcfour-{VERSION}.tgz"}),
        Part("deb", {f"debian/{name}": target / "packaging" / name for name in (f"{package}_{VERSION}-1_amd64.deb" for package in debian())}),
        *(Part("musl", LICENCES | linked | {name: target / f"packaging/build/{machine}-unknown-linux-musl/release/{name}" for name in PROGRAMS},
               f"arcfour-{VERSION}-{machine}-linux-static") for machine in ("aarch64", "x86_64")),
        Part("deb", {"man1": installed / "man/man1"}, f"arcfour-{VERSION}-manual-pages"),
        Part("deb", {"bash": installed / "bash-completion/completions", "fish": installed / "fish/vendor_completions.d",
                     "zsh": installed / "zsh/vendor-completions"}, f"arcfour-{VERSION}-completions"),
        Part("release-verilog", LICENCES | committed("hardware") | {"verilog": target / "release-verilog"}, f"arcfour-{VERSION}-hardware"),
        Part("embed", LICENCES | committed("capi/single"), f"arcfour-{VERSION}-c-file"),
        Part("report", LICENCES | {"index.html": target / "report/index.html"}, f"arcfour-{VERSION}-report"),
        Part("page", LICENCES | {"index.html": target / "page/index.html"}, f"arcfour-{VERSION}-page"),
        Part("site", LICENCES | {"site": target / "site"}, f"arcfour-{VERSION}-site"),
        Part("licences", {f"bills/{name}.licences.html": target / f"bills/{name}.licences.html" for name in (*PUBLISHED.values(), "rust")}),
        Part("bills", {f"bills/{name}.cdx.json": target / f"bills/{name}.cdx.json" for name in (*PUBLISHED.values(), *SCRIPTS)}),
    ]


def archive(name: str, files: dict[str, Path], time: int) -> bytes:
    """A compressed archive, of the same bytes on every machine: nothing of the files but names, contents and whether they are programs."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=time) as stream, tarfile.open(fileobj=stream, mode="w") as tar:
        for inner, path in sorted(files.items()):
            content = path.read_bytes()
            member = tarfile.TarInfo(f"{name}/{inner}")
            member.size, member.mtime, member.mode = len(content), time, 0o755 if path.stat().st_mode & 0o100 else 0o644
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def notes() -> str:
    """The part of the changelog on this version."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## {re.escape(VERSION)}, .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        raise SystemExit(f"CHANGELOG.md has no part on version {VERSION}")
    return found[0].replace("## ", "# Arcfour ", 1)


def gather(target: Path, out: Path, time: int, partial: bool) -> list[str]:
    """Writes the release. Answers what is missing, a line each; without `partial`, nothing is written then."""
    found = [(part, part.missing()) for part in parts(target)]
    lacking = [f"make {part.made_by} did not make {path}" for part, paths in found for path in paths]
    if lacking and not partial:
        return lacking
    shutil.rmtree(out, ignore_errors=True)
    contents = {"RELEASE-NOTES.md": notes().encode()}
    for part, paths in found:
        if part.archive and not paths:
            contents[f"{part.archive}.tar.gz"] = archive(part.archive, part.expanded(), time)
        elif not part.archive:
            contents |= {name: path.read_bytes() for name, path in part.expanded().items() if path not in paths}
    contents["SHA256SUMS"] = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(contents.items())).encode()
    for name, content in contents.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(content)
        os.utime(out / name, (time, time))
    return lacking


def main() -> int:
    """Gathers a release; answers the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--partial", action="store_true", help="leave out what is missing")
    options = parser.parse_args()
    lacking = gather(options.target, options.out, int(os.environ["SOURCE_DATE_EPOCH"]), options.partial)
    for line in lacking:
        print(line, file=sys.stderr)
    if lacking and not options.partial:
        return 1
    print((options.out / "SHA256SUMS").read_text("utf-8"), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
