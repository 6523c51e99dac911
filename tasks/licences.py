"""Writes the licences of what is linked into each program that is published: `python3 tasks/licences.py TOOLS OUT`.

OUT gets a page for each program, by cargo-about of the folder TOOLS. deny.toml says for which systems, and which licences are accepted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from bills import PUBLISHED, ROOT, linked


def settings(folder: str) -> str:
    """The settings of cargo-about for a program. It warns of an exception for a package that the program lacks."""
    deny = tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))
    packages = {name for system in deny["graph"]["targets"] for name, _ in linked(folder, "normal", system)}
    needed = [each for each in deny["licenses"]["exceptions"] if each["crate"] in packages]
    exceptions = "".join(f"[{each['crate']}]\naccepted = {json.dumps(each['allow'])}\n" for each in needed)
    return f"""accepted = {json.dumps(deny["licenses"]["allow"])}
targets = {json.dumps(deny["graph"]["targets"])}
ignore-build-dependencies = true
ignore-dev-dependencies = true
private = {{ ignore = true }}
{exceptions}"""


def licences(tools: Path, out: Path) -> None:
    """The texts of the licences, of each program a page."""
    for folder, name in PUBLISHED.items():
        (out / "about.toml").write_text(settings(folder), "utf-8")
        subprocess.run([tools / "cargo-about", "about", "generate", "--locked", "--fail", "--config", out / "about.toml",
                        "--manifest-path", ROOT / folder / "Cargo.toml", "--output-file", out / f"{name}.licences.html",
                        ROOT / "packaging/licences.hbs"], cwd=ROOT, check=True)


if __name__ == "__main__":
    _, tools_of, out_of = sys.argv
    Path(out_of).mkdir(parents=True, exist_ok=True)
    licences(Path(tools_of).absolute(), Path(out_of).absolute())
