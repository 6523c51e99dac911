"""Tests of what gathers a release, on files that stand for the built ones."""

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import bills
import licences
import pytest
import release
from model import load

TASKS = load()
TIME = 1_700_000_000


def built(target: Path) -> Path:
    """A folder of built files: each has its path as content."""
    for part in release.parts(target):
        for path in part.files.values():
            file = path if path.suffix or path.name in release.PROGRAMS else path / "deep/file"
            if file.is_relative_to(target):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(file.relative_to(target).as_posix())
                file.chmod(0o755 if path.name in release.PROGRAMS else 0o600)
    return target


def test_two_folders_give_the_same_bytes(tmp_path):
    sums = []
    for name in ("a", "b"):
        target = built(tmp_path / name)
        os.utime(target / "page/index.html", (len(sums), len(sums)))
        assert release.gather(target, tmp_path / f"out {name}", TIME, partial=False) == []
        sums.append((tmp_path / f"out {name}/SHA256SUMS").read_text())
    assert sums[0] == sums[1]


def test_the_checksums_name_every_file(tmp_path):
    out = tmp_path / "out"
    release.gather(built(tmp_path / "target"), out, TIME, partial=False)
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=out, check=True)
    listed = {line.split("  ", 1)[1] for line in (out / "SHA256SUMS").read_text().splitlines()}
    assert listed == {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()} - {"SHA256SUMS"}
    assert {f"crates/arcfour-{release.VERSION}.crate", "RELEASE-NOTES.md", f"npm/arcfour-{release.VERSION}.tgz", "bills/rc4.cdx.json"} <= listed


def test_an_archive_has_programs_sources_and_licences(tmp_path):
    out = tmp_path / "out"
    release.gather(built(tmp_path / "target"), out, TIME, partial=False)
    top = f"arcfour-{release.VERSION}-x86_64-linux-static"
    with tarfile.open(out / f"{top}.tar.gz") as tar:
        members = {member.name: member for member in tar.getmembers()}
        assert set(members) == {f"{top}/{name}" for name in ("LICENSE-APACHE", "LICENSE-MIT", "arcfour", "arcfour.licences.html", "musl.copyright", "rc4",
                                                              "rust.licences.html")}
        assert (members[f"{top}/rc4"].mode, members[f"{top}/LICENSE-MIT"].mode) == (0o755, 0o644)
        assert {(member.mtime, member.uid, member.uname) for member in members.values()} == {(TIME, 0, "")}
        assert tar.extractfile(f"{top}/rc4").read() == b"packaging/build/x86_64-unknown-linux-musl/release/rc4"
    top = f"arcfour-{release.VERSION}-hardware"
    with tarfile.open(out / f"{top}.tar.gz") as tar:
        assert {f"{top}/rc4.core", f"{top}/rtl/rc4_spec.vhd", f"{top}/verilog/deep/file"} <= set(tar.getnames())


def test_the_notes_are_the_changelog_of_this_version():
    notes = release.notes()
    assert notes.startswith(f"# Arcfour {release.VERSION}, ")
    assert "| where | old | new |" in notes and "0.1.0, never released" not in notes


def test_a_missing_file_is_named_with_its_target_and_nothing_is_written(tmp_path):
    target = built(tmp_path / "target")
    (target / f"packaging/libarcfour1_{release.VERSION}-1_amd64.deb").unlink()
    done = subprocess.run([sys.executable, release.__file__, target, tmp_path / "out"], env=os.environ | {"SOURCE_DATE_EPOCH": str(TIME)},
                          capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"make deb did not make {target}/packaging/libarcfour1_{release.VERSION}-1_amd64.deb\n"
    assert not (tmp_path / "out").exists()


def test_a_partial_release_leaves_out_what_is_missing(tmp_path):
    target = built(tmp_path / "target")
    (target / "page/index.html").unlink()
    (target / "wheels" / f"arcfour-{release.VERSION}.tar.gz").unlink()
    out = tmp_path / "out"
    assert len(release.gather(target, out, TIME, partial=True)) == 2
    names = {path.name for path in out.rglob("*")}
    assert f"arcfour-{release.VERSION}-site.tar.gz" in names and len(list((out / "python").iterdir())) == 2
    assert not {f"arcfour-{release.VERSION}-page.tar.gz", f"arcfour-{release.VERSION}.tar.gz"} & names


def test_the_target_requires_whatever_makes_a_part(tmp_path):
    assert {part.made_by for part in release.parts(tmp_path)} <= set(TASKS["release"].needs)
    assert TASKS["release"].needs[0] == "committed"


def test_the_debian_package_lists_the_symbols_of_the_library():
    node, *names = re.findall(r"^([A-Z]+_[\d.]+) \{|^\t(\w+);", (release.ROOT / "capi/arcfour.map").read_text(), re.MULTILINE)
    listed = (release.ROOT / "packaging/debian/libarcfour1.symbols").read_text().splitlines()[1:]
    assert {line.split()[0] for line in listed} == {f"{name}@{node[0]}" for name in (node[0], *(name for _, name in names))}


@pytest.mark.parametrize("folder", bills.PUBLISHED)
def test_a_bill_of_materials_knows_what_is_linked(folder):
    names = {name for name, _ in bills.linked(folder)}
    assert {"arcfour", "cipher"} <= names and not {"syn", "arcfour-cli", "serde_derive"} & names


def test_licences_are_accepted_as_the_other_check_allows_them():
    settings = licences.settings("cli")
    assert '[foldhash]\naccepted = ["Zlib"]' in settings and '\ntargets = ["x86_64-unknown-linux-gnu", ' in settings


def test_a_program_has_exceptions_for_the_licences_of_its_packages_alone():
    assert "[unicode-ident]" in licences.settings("capi")  # a macro has it
    assert "[foldhash]" not in licences.settings("capi")
    for folder in bills.PUBLISHED:
        assert not re.search(r"^\[(libfuzzer-sys|libloading|target-lexicon)\]", licences.settings(folder), re.MULTILINE)


def test_a_debian_package_with_linked_packages_has_their_licences():
    script = (release.ROOT / "packaging/debian.sh").read_text()
    named = dict(re.findall(r"\[([\w-]+)\]=(\w+)", re.search(r"^declare -A linked=\((.*)\)$", script, re.MULTILINE).group(1)))
    assert set(named) == {*release.debian()} - {"openssl-provider-arcfour"}
    assert set(named.values()) <= {*bills.PUBLISHED.values()}
