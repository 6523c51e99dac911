"""The commands of the front page and of the guides, as printed, in the shell that a reader has."""

import os
import re
import shlex
import subprocess

import pytest

from lab.bench import PROGRAMS, ROOT

README = (ROOT / "README.md").read_text("utf-8")
GUIDES = [page.read_text("utf-8") for page in sorted((ROOT / "site" / "guides").glob("*.md"))]
BLOCKS = [block for page in [README, *GUIDES] for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL)]
# A command with the output printed under it.
COMMANDS = list(dict.fromkeys((found[1], found[2]) for block in BLOCKS for found in re.finditer(r"\$ (.*)\n((?:(?!\$ ).*\n)*)", block)))
# Commands that are not run here, with the reason; each must still exist.
NOT_RUN = {"make test": "this test is a part of it"}
# Whether the commands run as printed. cargo then builds the programs for release, and a measurement waits for a quiet machine:
# minutes. Otherwise the programs under test are run, and each figure has one sample.
AS_PRINTED = os.environ.get("ARCFOUR_README_AS_PRINTED") == "1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the commands find the files that they name, made by the commands themselves."""
    path = tmp_path_factory.mktemp("readme")
    key = bytes.fromhex("0102030405")
    (path / "key.bin").write_bytes(key)
    run = {"cwd": path, "env": environment()}
    old = subprocess.run("printf '%%PDF-1.4 and more' | arcfour crypt --key-hex a1b2c3069d", shell=True, capture_output=True, check=True, **run)
    (path / "old.dat").write_bytes(old.stdout)
    enc = subprocess.run("echo hello | arcfour crypt --openssl -e --md md5 --key-env PASS", shell=True, capture_output=True, check=True, **run)
    (path / "in.rc4").write_bytes(enc.stdout)
    (path / "program").write_bytes(bytes(range(200)) + bytes.fromhex("a1b2c3069d") + b"of a program")
    (path / "pass.txt").write_text("Quentin")
    subprocess.run("echo 'Attack at dawn, by the old road' | openssl enc -rc4 -e -pbkdf2 -md sha1 -provider legacy -provider default "
                   "-pass file:pass.txt -out old.enc", shell=True, capture_output=True, check=True, **run)
    (path / "old.pdf").write_bytes((ROOT / "vectors/pdf/v2-r3-128.pdf").read_bytes())
    (path / "pw").write_text("user\n")
    (path / "old.doc").write_bytes((ROOT / "vectors/office/libreoffice.doc").read_bytes())
    (path / "shelf").mkdir()
    (path / "shelf" / "letter.doc").write_bytes((ROOT / "vectors/office/libreoffice.doc").read_bytes())
    (path / "known.txt").write_text("another\nQuentin\n")
    capture = ["trials", "wep", "--packets", "60000", "--key-length", "5", "--write-capture", "capture.pcap"]
    subprocess.run(capture, capture_output=True, check=True, **run)
    (path / "campaign.toml").write_text("seed = '" + "5a" * 32 + "'\nshards = 1\nkeystreams = 10000\nkey-length = 16\n[count]\nsingle = 3\n")
    return path


def environment():
    return os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "PASS": "secret"}


def test_there_are_commands():
    assert len(COMMANDS) > 10 and set(NOT_RUN) <= {command for command, _ in COMMANDS}


@pytest.mark.parametrize(("command", "printed"), COMMANDS, ids=[command[:40] for command, _ in COMMANDS])
def test_it_does_what_is_printed(folder, command, printed):
    if command in NOT_RUN:
        pytest.skip(NOT_RUN[command])
    cwd = ROOT if command.startswith(("cargo", "make")) or "cargo run" in command else folder
    if "bias show" in command:
        counts(folder)
    if not AS_PRINTED:
        command = re.sub(r"cargo run -qr --bin (\w+) --", r"\1", command)
        command = re.sub(r"arcfour bench kernels( --samples \d+)?", "arcfour bench kernels --samples 1", command)
    done = subprocess.run(["bash", "-c", command], cwd=cwd, env=environment(), check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if printed:
        assert done.stdout.rstrip("\n") == printed.rstrip("\n")


def counts(folder):
    """The counts of a small campaign, for the commands that show them."""
    if not (folder / "counts.cnt").exists():
        subprocess.run(["arcfour", "bias", "shard", "campaign.toml", "--index", "0", "--out", "counts.cnt"], cwd=folder, env=environment(), check=True, capture_output=True)


INLINE = set(re.findall(r"`((?:cargo|make|pip) [^`]+)`", re.sub(r"```.*?```", "", README, flags=re.DOTALL)))
INSTALLS = {"cargo install --path cli --locked", "cargo install --path rc4 --locked"}


@pytest.mark.skipif(not AS_PRINTED, reason="make test-full installs them")
def test_what_installs_the_commands_does(tmp_path):
    """As printed, but into another folder than the home."""
    assert INLINE >= INSTALLS
    for command in INSTALLS:
        subprocess.run(shlex.split(command), cwd=ROOT, env=environment() | {"CARGO_INSTALL_ROOT": str(tmp_path)}, check=True, capture_output=True)
    assert sorted(path.name for path in (tmp_path / "bin").iterdir()) == ["arcfour", "rc4"]


def test_other_commands_within_sentences_are_targets_or_what_a_target_runs():
    tasks = "".join(path.read_text("utf-8") for path in (ROOT / "tasks").glob("*.toml"))
    for command in INLINE - INSTALLS - {"make help"}:
        program, rest = command.split(" ", 1)
        assert re.search(rf"^\[tasks\.{rest}\]$" if program == "make" else rf"{rest.replace(' ', '.* ')}\"?$", tasks, re.MULTILINE), command


def test_every_folder_it_names_is_there():
    links = re.findall(r"\]\(([^)#]+)\)|srcset=\"([^\"]+)\"|src=\"([^\"]+)\"", README)
    for link in ("".join(found) for found in links):
        assert link.startswith("http") or (ROOT / link).exists(), link


def test_the_list_of_targets_fits_a_terminal():
    done = subprocess.run(["make", "help"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "make test " in done.stdout
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
