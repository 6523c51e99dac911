"""The site: the READMEs as pages by Sphinx, with the references, the report and the page beside them.

`python site/build.py --check` builds the pages alone, and fails on a link that leads nowhere.
"""

from __future__ import annotations

import argparse
import html
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).parent
ROOT = HERE.parent
# What other targets build: its place on the site, its first page, and its title.
BUILT = {
    "doc": ("api", "api/arcfour/index.html", "Rust API"),
    "reference/python": ("python-api", "python-api/index.html", "Python API"),
    "reference/c": ("c-api", "c-api/index.html", "C API"),
    "report/index.html": ("built/report.html", "built/report.html", "The report on the five papers"),
    "page/index.html": ("built/page.html", "built/page.html", "RC4, step by step"),
}
# The attributes of raw HTML that name a file.
RAW = re.compile(r'((?:src|srcset|href)=")([^"]+)(")')


def committed() -> list[str]:
    """The files of the repository."""
    return [path for path in subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0") if path]


def commands(program: Path) -> str:
    """The help of every command, as one page."""
    def of(*words: str) -> str:
        return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "100"}).stdout

    def below(words: tuple[str, ...]) -> list[tuple[str, ...]]:
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", of(*words), re.MULTILINE)
        names = re.findall(r"^  ([a-z][\w-]*) ", listed[1], re.MULTILINE) if listed else []
        return [found for name in names if name != "help" for found in [(*words, name), *below((*words, name))]]
    parts = [f"## `{' '.join(('arcfour', *words))}`\n\n```text\n{of(*words)}```\n" for words in [(), *below(())]]
    return "# Commands\n\nThe help of every command of `arcfour`.\n\n" + "\n".join(parts)


def built_pages(out: Path) -> str:
    """A page that leads to what other targets have built."""
    listed = [f'- <a href="{first}">{title}</a>' for _, first, title in BUILT.values() if (out / first).exists()]
    return "# APIs, the report and the page\n\n" + "\n".join(listed or ["`make site` adds them."]) + "\n"


def stage(folder: Path, program: Path) -> None:
    """Lay out what Sphinx reads: the repository's files, and at the top its configuration, the tree and the commands."""
    for path in committed():
        if (ROOT / path).is_file():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, folder / path)
    for name in ("conf.py", "index.md"):
        (folder / "site" / name).rename(folder / name)
    (folder / "commands.md").write_text(commands(program), "utf-8")


def raw_files(source: Path, out: Path) -> list[str]:
    """Copy the files that raw HTML of a page names, and answer those that are missing."""
    missing = []
    for page in sorted(source.rglob("*.md")):
        for _, link, _ in RAW.findall(page.read_text("utf-8")):
            if urlsplit(link).scheme or link.startswith("#"):
                continue
            file = posixpath.normpath(posixpath.join(page.parent.relative_to(source).as_posix(), unquote(urlsplit(link).path)))
            if (source / file).is_file():
                (out / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / file, out / file)
            elif not (out / file).is_file():
                missing.append(f"{page.relative_to(source)}: {link} leads to no file")
    return missing


def crates() -> dict[str, str]:
    """The folder of each crate by the name of its pages."""
    found = {}
    for manifest in (path for path in committed() if posixpath.basename(path) == "Cargo.toml"):
        told = tomllib.loads((ROOT / manifest).read_text("utf-8"))
        if "package" in told and told.get("lib", {}).get("doc", True):
            found[told.get("lib", {}).get("name", told["package"]["name"]).replace("-", "_")] = posixpath.dirname(manifest)
    return found


def lead_from_crates(out: Path) -> list[str]:
    """Lead the links of crates' front pages, which are READMEs, to the pages of the site; answer those that lead nowhere."""
    dead = []
    for crate, folder in crates().items():
        page = out / "api" / crate / "index.html"
        if not page.exists():
            continue

        def led(found: re.Match, crate: str = crate, folder: str = folder, page: Path = page) -> str:
            parts = urlsplit(html.unescape(found[2]))
            if parts.scheme or not parts.path or (page.parent / unquote(parts.path)).exists():
                return found[0]
            file = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
            source = ROOT / file
            if source.is_dir():
                file += "/README.md"
            if file.endswith(".md") and (out / file.replace(".md", ".html")).is_file():
                file = file.replace(".md", ".html")
            elif source.is_file():
                (out / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, out / file)
            else:
                dead.append(f"api/{crate}/index.html: {found[2]} leads to no file")
            return found[1] + html.escape(posixpath.relpath(file, f"api/{crate}") + (f"#{parts.fragment}" if parts.fragment else "")) + found[3]
        scripts = re.split(r"(<script.*?</script>)", page.read_text("utf-8"), flags=re.DOTALL)
        page.write_text("".join(text if text.startswith("<script") else RAW.sub(led, text) for text in scripts), "utf-8")
    return dead


def pages(source: Path, out: Path) -> list[str]:
    """Write the pages; answer the links that lead nowhere."""
    failed = sphinx(["-q", "-W", "--keep-going", "-b", "html", "-d", str(source.with_name("doctrees")), str(source), str(out)])
    return ["Sphinx named the faults above"] if failed else raw_files(source, out)


def build(out: Path, built: Path | None, program: Path) -> list[str]:
    """Write the site; answer the links that lead nowhere."""
    shutil.rmtree(out, ignore_errors=True)
    for name, (where, _, _) in BUILT.items() if built else ():
        made = built / name
        if made.exists():
            (out / where).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if made.is_dir() else shutil.copyfile)(made, out / where)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        source.mkdir()
        stage(source, program)
        (source / "built.md").write_text(built_pages(out), "utf-8")
        faults = pages(source, out)
    return faults + lead_from_crates(out)


def main() -> int:
    """Check or build; 1 if a link leads nowhere."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program", type=Path, help="the command arcfour, for the page of commands")
    arguments.add_argument("--check", action="store_true", help="build the pages alone, and keep nothing")
    arguments.add_argument("--built", type=Path, default=ROOT / "target", help="where cargo doc, make report and make page have written")
    arguments.add_argument("--out", type=Path, default=ROOT / "target" / "site")
    chosen = arguments.parse_args()
    if chosen.check:
        with tempfile.TemporaryDirectory() as folder:
            faults = build(Path(folder, "site"), None, chosen.program)
    else:
        faults = build(chosen.out, chosen.built, chosen.program)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
