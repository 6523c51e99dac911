"""Runs targets of make from nothing: each in a fresh clone, in a clean root of Debian 12.

The root has the toolchains that the README of the repository names, and nothing else. The sources of packages, the
certificates and the settings of apt, cargo, pip, npm and Maven are this machine's. Needs root.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import model

ROOT = Path(__file__).parent.parent
RECORD = Path(__file__).with_suffix(".csv")
PAGE = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- fresh -->", "<!-- fresh end -->"
COLUMNS = 4  # targets in a line of the table
SUITE = "bookworm"
TOOLCHAINS = "ca-certificates,gcc,git,libc6-dev,make,openjdk-17-jdk-headless,perl,python3,sudo"
CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/java/cacerts")
# Settings of the clients of package registries, where this machine has some.
SETTINGS = (".cargo/config.toml", ".config/pip", ".npmrc", ".m2/settings.xml", "/etc/pip.conf", *CERTIFICATES)
# With a cache, a target begins where the last of these that it needs has ended.
STEPS = ("setup", "build-tested")
# Mounts, a clone, then the command. The namespace ends with the command, and so do the mounts. The last bash is the namespace's first process,
# which gets the children of processes that have ended. In its place, make did not end after cargo had left such a child.
INSIDE = r"""
set -eu
mount -t overlay overlay -o "lowerdir=$BELOW,upperdir=$FOLDER/changes,workdir=$FOLDER/work" "$FOLDER/root"
cd "$FOLDER/root"
cp /etc/resolv.conf /etc/hosts etc
[ -d arcfour ] || git clone --quiet "$REPOSITORY" arcfour
mount --rbind /dev dev
mount -t proc proc proc
mount --rbind /sys sys
mount -t tmpfs tmpfs tmp
if [ -n "$CACHE" ]; then
    mkdir -p cache
    mount --bind "$CACHE" cache
    # Its server listens in this root: another root's would write there.
    set -- "$@" RUSTC_WRAPPER=sccache SCCACHE_DIR=/cache SCCACHE_SERVER_UDS=/tmp/sccache
fi
exec chroot . /usr/bin/env -i HOME=/root USER=root LANG=C.UTF-8 PATH=/root/.cargo/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "$@" bash -c "cd /arcfour && make $CALL; exit \$?"
"""


def base(folder: Path) -> Path:
    """The clean root, made once."""
    root = folder / "base"
    if (root / "ready").exists():
        return root
    shutil.rmtree(root, ignore_errors=True)
    settings = folder / "apt.conf"
    settings.write_text(subprocess.run(["apt-config", "dump", "Acquire"], check=True, capture_output=True, text=True).stdout)
    sources = [path for path in (Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("debian.*")) if path.exists()]
    subprocess.run(["mmdebstrap", "--mode=root", "--variant=minbase", f"--include={TOOLCHAINS}", f"--aptopt={settings}", SUITE, root, *sources],
                   check=True)
    shutil.copytree(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup", root / "root/.rustup", symlinks=True)
    shutil.copytree(Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo") / "bin", root / "root/.cargo/bin", symlinks=True)
    for name in SETTINGS:
        source = Path.home() / name
        target = root / (name[1:] if name.startswith("/") else f"root/{name}")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.exists():
            shutil.copy(source, target)
    (root / "etc/dpkg/dpkg.cfg.d").mkdir(parents=True, exist_ok=True)
    (root / "etc/dpkg/dpkg.cfg.d/fresh").write_text("force-unsafe-io\n")  # a root that is thrown away need not survive a crash
    (root / "ready").touch()
    return root


def ended(step: str, folder: Path, cache: Path) -> Path:
    """What a step adds to the roots below it, made once: `setup` without the clone, another one for each commit with it."""
    added = folder / (step if step == "setup" else f"{step}-{commit()}")
    if not added.exists():
        row = tried(step, folder, cache)
        if row["result"] == "failed":
            raise SystemExit(f"make {step} failed: {folder}/{step}.log")
        if step == "setup":
            shutil.rmtree(folder / "changes/arcfour")
        (folder / "changes").rename(added)
    return added


def roots(targets: list[str], folder: Path, cache: Path | None) -> list[Path]:
    """The folders that targets begin with, the upper ones first."""
    needed = model.load().closure(targets)
    steps = [ended(step, folder, cache) for step in reversed(STEPS) if step in needed and step not in targets] if cache else []
    return [*steps, base(folder)]


def commit() -> str:
    """The commit that is tried."""
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def name_and_form(call: str) -> tuple[str, str]:
    """The target that a call of make ends with. And the call without values that are paths, if it has more than that target."""
    words = [word for word in shlex.split(call) if not re.match(r"\w+=/", word)]
    name = [word for word in words if "=" not in word][-1]
    return name, shlex.join(words) if len(words) > 1 else ""


def tried(call: str, folder: Path, cache: Path | None, go_on: bool = False) -> dict[str, str]:
    """A call of make in the clean root: a target, or 'target-before target VARIABLE=value'; its changes are thrown away, its output goes to a file."""
    name, form = name_and_form(call)
    below = roots([word for word in shlex.split(call) if "=" not in word], folder, cache)
    before = folder / "changes/arcfour/target/passed.json"
    # A call that goes on keeps the commit of its root. Another one clones the commit of this checkout, which may be at another one in the end.
    kept: dict[str, Any] = json.loads(before.read_text("utf-8")) if go_on else {"commit": commit(), "spent": 0}
    for each in () if go_on else ("root", "changes", "work"):
        shutil.rmtree(folder / each, ignore_errors=True)
        (folder / each).mkdir()
    network = [f"{key}={value}" for key, value in os.environ.items() if re.search("CERT|PROXY", key, re.IGNORECASE)]
    said = {"BELOW": ":".join(map(str, below)), "FOLDER": folder, "REPOSITORY": ROOT, "CACHE": cache or "", "CALL": f"{call} CONTINUE=1" if go_on else call}
    log = folder / f"{name}.log"
    start = time.monotonic()
    with log.open("ab" if go_on else "wb") as output:
        done = subprocess.run(["unshare", "--mount", "--pid", "--kill-child", "bash", "-c", INSIDE, "bash", *network],
                              check=False, stdout=output, stderr=subprocess.STDOUT, env=os.environ | {key: str(value) for key, value in said.items()})
    return {"target": name, "seconds": f"{kept['spent'] + time.monotonic() - start:.0f}", "result": "passed" if done.returncode == 0 else "failed",
            "date": datetime.now(UTC).date().isoformat(), "commit": kept["commit"][:12], "cores": str(os.cpu_count()), "cache": "yes" if cache else "no",
            "form": f"{call} CONTINUE=1" if go_on else form}


def parts(row: dict[str, str], folder: Path) -> list[dict[str, str]]:
    """The rows of targets without one that a call which passed had as its parts."""
    if row["result"] == "failed":
        return []
    passed = json.loads((folder / "changes/arcfour/target/passed.json").read_text("utf-8"))["tasks"]
    known = {row["target"], *recorded()}
    targets = [task.name for task in model.load().tasks.values() if task.help and task.name in passed and task.name not in known]
    return [row | {"target": name, "seconds": f"{passed[name][0]:.0f}", "form": row["form"] or row["target"]} for name in targets]


def recorded() -> dict[str, dict[str, str]]:
    """The rows of the record, by target."""
    return {each["target"]: each for each in csv.DictReader(RECORD.open(encoding="utf-8"))}


def write(row: dict[str, str]) -> None:
    """Puts a row into the record, in the place of the target's last one, and says so on the page."""
    rows = recorded() | {row["target"]: row}
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))
    PAGE.write_text(page(PAGE.read_text("utf-8"), rows), "utf-8")


def page(text: str, rows: dict[str, dict[str, str]]) -> str:
    """The text of the page with what the record says between its marks."""
    targets = [task.name for task in model.load().tasks.values() if task.help and task.name != "fresh"]
    passed = {name: rows[name] for name in targets if name in rows and rows[name]["result"] == "passed"}
    cells = [f"`{name}` | {row['seconds']}{'' if row['cache'] == 'yes' else '*'}{'†' if row['form'] else ''}" for name, row in passed.items()]
    table = ["| target | s " * COLUMNS + "|", "|---|--:" * COLUMNS + "|"]
    cells += [" | "] * (-len(cells) % COLUMNS)
    table += ["| " + " | ".join(cells[at:at + COLUMNS]) + " |" for at in range(0, len(cells), COLUMNS)]
    failed = [f"`{name}`" for name in targets if name in rows.keys() - passed.keys()]
    lacking = [f"`{name}`" for name in targets if name not in rows]
    forms = dict.fromkeys(f"`{row['form']}`" for row in passed.values() if row["form"])
    said = [f"{len(passed)} of {len(targets)} targets of `make help`, all but `fresh`, have passed in a clean root. Each ran alone, except those with †. The table has seconds; * marks runs without the cache:", *(
            f"{what}: {', '.join(names)}." for what, names in (
                ("† in a smaller form, after or within another target, or stopped and continued", forms), ("Failed there", failed), ("Not tried there", lacking)) if names)]
    head, rest = text.split(BEGIN)
    first, *others = (textwrap.fill(each, 100, break_long_words=False, break_on_hyphens=False) for each in said)
    block = "\n\n".join([first, "\n".join(table), *others])
    return f"{head}{BEGIN}\n{block}\n{END}{rest.split(END)[1]}"


def main() -> int:
    """Tries the targets in turn; answers the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the roots and the outputs go")
    parser.add_argument("calls", nargs="+", metavar="CALL", help="of make: a target, or 'target-before target VARIABLE=value'")
    parser.add_argument("--cache", type=Path, metavar="FOLDER",
                        help="of compiled crates, kept by sccache, which cargo has installed; targets begin where `make setup` or `make build-tested` ended")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="the last call, where it was stopped: in its root and at its commit")
    options = parser.parse_args()
    if options.go_on and (len(options.calls) > 1 or not (options.folder / "changes/arcfour/target/passed.json").exists()):
        parser.error(f"--continue takes the one call that was stopped in {options.folder}")
    if os.geteuid() != 0:
        parser.error("a clean root needs root: run it by sudo")
    if options.cache:
        if not (Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo") / "bin/sccache").exists():
            parser.error("--cache takes sccache: cargo install --locked sccache")
        options.cache.mkdir(parents=True, exist_ok=True)
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for call in options.calls:
        row = tried(call, folder, options.cache and options.cache.absolute(), options.go_on)
        for each in (row, *parts(row, folder)):
            write(each)
        print(f"{row['seconds']:>7}  {row['result']}  {call}  {folder / row['target']}.log", flush=True)
        if row["result"] == "failed":
            failed.append(call)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
