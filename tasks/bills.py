"""Writes what is in each program that is published: `python3 tasks/bills.py TOOLS OUT`.

OUT gets the bills of materials, by cargo-cyclonedx of the folder TOOLS and by npm.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
# The folder of a published program's manifest, and its name in a release.
PUBLISHED = {"cli": "arcfour", "capi": "libarcfour", "python": "python", "rc4": "rc4"}
SYSTEM = "x86_64-unknown-linux-gnu"
BILL = "bill-of-materials"
# What is made of JavaScript: the folder of its manifest, and the arguments of npm that choose it. Debian's npm writes no bills.
NPM = "npm@10.9.2"
SCRIPTS = {"npm": ("page/arcfour", "--workspace", "arcfour"), "page": ("page",)}


def linked(folder: str, edges: str = "normal,no-proc-macro", system: str = SYSTEM) -> set[tuple[str, str]]:
    """The names and versions of the packages that are linked into a program, without its own. The edge `normal` alone adds macros."""
    package = tomllib.loads((ROOT / folder / "Cargo.toml").read_text("utf-8"))["package"]["name"]
    tree = subprocess.run(["cargo", "tree", "--locked", "--package", package, "--edges", edges, "--target", system,
                           "--prefix", "none"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    words = [line.split() for line in tree.splitlines() if line]
    return {(name, version.removeprefix("v")) for name, version, *_ in words if name != package}


def bills(tools: Path, out: Path) -> None:
    """The bills of materials. cargo-cyclonedx writes one beside each manifest, with this machine's paths."""
    members = [ROOT / member for member in tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["members"]]
    try:
        subprocess.run([tools / "cargo-cyclonedx", "cyclonedx", "--quiet", "--format", "json", "--spec-version", "1.5", "--no-build-deps",
                        "--target", SYSTEM, "--override-filename", BILL], cwd=ROOT, check=True)
        for folder, name in PUBLISHED.items():
            text = (ROOT / folder / f"{BILL}.json").read_text("utf-8").replace(f"path+{ROOT.as_uri()}/", "path+file:///arcfour/")
            listed = {(each["name"], each["version"]) for each in json.loads(text)["components"]}
            if missing := linked(folder) - listed:
                raise SystemExit(f"the bill of materials of {name} lacks {sorted(missing)}")
            (out / f"{name}.cdx.json").write_text(text, "utf-8")
    finally:
        for member in members:
            (member / f"{BILL}.json").unlink(missing_ok=True)


def script_bills(out: Path, time: int) -> None:
    """The bills of the npm package and of the page, from their lock. A bill has no random number, and the time of the commit."""
    command = ["npm", "exec", "--yes", NPM, "--", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev"]
    for name, (folder, *chosen) in SCRIPTS.items():
        bill = json.loads(subprocess.run([*command, *chosen], cwd=ROOT / "page", check=True, capture_output=True, text=True).stdout)
        listed = {each["name"] for each in bill["components"]}
        if missing := json.loads((ROOT / folder / "package.json").read_text("utf-8"))["dependencies"].keys() - listed:
            raise SystemExit(f"the bill of materials of {name} lacks {sorted(missing)}")
        del bill["serialNumber"]
        bill["metadata"]["timestamp"] = datetime.fromtimestamp(time, UTC).isoformat()
        (out / f"{name}.cdx.json").write_text(json.dumps(bill, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    _, tools_of, out_of = sys.argv
    Path(out_of).mkdir(parents=True, exist_ok=True)
    bills(Path(tools_of).absolute(), Path(out_of).absolute())
    script_bills(Path(out_of).absolute(), int(os.environ["SOURCE_DATE_EPOCH"]))
