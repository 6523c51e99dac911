"""Every README as a page of one static site, with the API pages, the report and RC4 to look at where they are built.

`python site/build.py --check` finds links that lead nowhere, in the sources, and writes nothing.
"""

from __future__ import annotations

import argparse
import html
import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jinja2
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

HERE = Path(__file__).parent
ROOT = HERE.parent
# What other targets build, where on the site it stands, and its name in the list of pages.
BUILT = {"doc": ("api", "Rust API", "arcfour/index.html"), "reference/python": ("python-api", "Python API", "index.html"),
         "reference/c": ("c-api", "C API", "index.html"), "report/index.html": ("report/index.html", "The report", ""), "page/index.html": ("page/index.html", "RC4 to look at", "")}


def committed(pattern: str) -> list[str]:
    """Files of the repository by their paths."""
    return subprocess.run(["git", "-C", ROOT, "ls-files", pattern], capture_output=True, text=True, check=True).stdout.split()


def sources() -> dict[str, str]:
    """Every committed page in Markdown by its path, the front page first."""
    listed = committed("*.md")
    return {path: (ROOT / path).read_text("utf-8") for path in sorted(listed, key=lambda path: (path != "README.md", path))}


def parser() -> MarkdownIt:
    """Markdown as GitHub has it: tables, headings with anchors."""
    return MarkdownIt("gfm-like", {"linkify": False, "html": True}).use(anchors_plugin, max_level=4, slug_func=slug)


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def place(path: str) -> str:
    """Where a file of the repository stands on the site: a README is the page of its folder."""
    if posixpath.basename(path) == "README.md":
        return posixpath.join(posixpath.dirname(path), "index.html")
    return path.removesuffix(".md") + ".html" if path.endswith(".md") else path


def chapter(path: str) -> str:
    """The folder of the repository that a page belongs to; none for the pages of the root."""
    return path.partition("/")[0] if "/" in path else ""


def links(tokens: list[Token]) -> list[tuple[Token, str]]:
    """The tokens that lead somewhere and the attribute that says where; of HTML, what its attributes say."""
    found = []
    for token in tokens:
        for name in ("href", "src"):
            if token.attrGet(name):
                found.append((token, name))
        found += links(token.children or [])
    return found


RAW = re.compile(r'((?:src|srcset|href)=")([^"]+)(")')


def target(page: str, link: str) -> tuple[str, str] | None:
    """The file of the repository and the anchor that a link leads to; none for another site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path))) if parts.path else page
    folder = ROOT / path
    if folder.is_dir() and (folder / "README.md").exists():
        path = posixpath.join(path, "README.md") if path != "." else "README.md"
    return path, parts.fragment


def anchors(tokens: list[Token]) -> set[str]:
    """The anchors of a page."""
    return {str(token.attrGet("id")) for token in tokens if token.attrGet("id")}


def check(pages: dict[str, str]) -> list[str]:
    """Links of the sources that lead nowhere."""
    parsed = {path: parser().parse(text) for path, text in pages.items()}
    known = {path: anchors(tokens) for path, tokens in parsed.items()}
    faults = []
    for path, tokens in parsed.items():
        written = [str(token.attrGet(name)) for token, name in links(tokens)]
        written += [found[2] for block in tokens if block.type == "html_block" for found in RAW.finditer(block.content)]
        for link in written:
            leads = target(path, link)
            if leads is None:
                continue
            file, anchor = leads
            if file.startswith("../") or not (ROOT / file).exists():
                faults.append(f"{path}: {link} leads to no file")
            elif anchor and file in known and anchor not in known[file]:
                faults.append(f"{path}: {link} leads to no heading")
    return faults


def crates() -> dict[str, str]:
    """The folder of each crate by the name of its pages."""
    found = {}
    for manifest in committed("*Cargo.toml"):
        told = tomllib.loads((ROOT / manifest).read_text("utf-8"))
        if "package" in told and told.get("lib", {}).get("doc", True):
            found[told.get("lib", {}).get("name", told["package"]["name"]).replace("-", "_")] = posixpath.dirname(manifest)
    return found


def led_from_crates(out: Path) -> set[str]:
    """Lead the links of crates' front pages, which are READMEs, to the pages of this site; the files to be copied for them."""
    wanted = set()
    for crate, folder in crates().items():
        page = out / "api" / crate / "index.html"
        if not page.exists():
            continue

        def led(found: re.Match, crate: str = crate, folder: str = folder, page: Path = page) -> str:
            leads = target(f"{folder}/README.md", html.unescape(found[2]))
            if leads is None or (page.parent / unquote(urlsplit(found[2]).path)).exists() or not (ROOT / leads[0]).exists():
                return found[0]
            file, anchor = leads
            wanted.add(file)
            return found[1] + html.escape(posixpath.relpath(place(file), f"api/{crate}") + (f"#{anchor}" if anchor else "")) + found[3]
        page.write_text(RAW.sub(led, page.read_text("utf-8")), "utf-8")
    return wanted


def title(text: str, path: str) -> str:
    """A page's first heading, or its path."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]) if found else path


def build(out: Path, built: Path) -> None:
    """Write the site, and the files that its pages link to."""
    pages = sources()
    if faults := check(pages):
        raise SystemExit("\n".join(faults))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    extra = []
    for name, (where, said, start) in BUILT.items():
        made = built / name
        if not made.exists():
            continue
        if made.is_dir():
            shutil.copytree(made, out / where)
        else:
            (out / where).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(made, out / where)
        extra.append((said, posixpath.join(where, start) if start else where))
    template = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, undefined=jinja2.StrictUndefined).get_template("page.html.j2")
    contents = [(title(text, path), place(path), chapter(path), path not in (f"{chapter(path)}/README.md", posixpath.basename(path))) for path, text in pages.items()]
    copied = led_from_crates(out) - set(pages)
    for path, text in pages.items():
        here = place(path)
        md = parser()
        tokens = md.parse(text)

        def led(link: str, path: str = path, here: str = here) -> str:
            leads = target(path, link)
            if leads is None:
                return link
            file, anchor = leads
            if file not in pages:
                copied.add(file)
            to = posixpath.relpath(place(file), posixpath.dirname(here) or ".")
            return to + (f"#{anchor}" if anchor else "")
        for token, name in links(tokens):
            token.attrSet(name, led(str(token.attrGet(name))))
        for token in tokens:
            if token.type == "html_block":
                token.content = RAW.sub(lambda found, led=led: found[1] + html.escape(led(found[2])) + found[3], token.content)
        up = posixpath.relpath(".", posixpath.dirname(here) or ".")
        text_html = template.render(title=title(text, path), body=md.renderer.render(tokens, md.options, {}), up=up, here=here, chapter=chapter(path), contents=contents, extra=extra)
        (out / here).parent.mkdir(parents=True, exist_ok=True)
        (out / here).write_text(text_html, "utf-8")
    for file in sorted(copied):
        source = ROOT / file
        if source.is_file():
            (out / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, out / file)
        elif not (out / file / "index.html").exists():  # a folder without a page: the names of what is in it
            names = "".join(f"<li>{html.escape(name)}</li>" for name in sorted(each.name for each in source.iterdir()))
            (out / file).mkdir(parents=True, exist_ok=True)
            (out / file / "index.html").write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(file)}</title><h1>{html.escape(file)}</h1><ul>{names}</ul></html>', "utf-8")


def dead(out: Path) -> list[str]:
    """Links of the finished pages and of the crates' front pages that lead to no file of the site."""
    faults = []
    for page in [out / place(path) for path in sources()] + sorted((out / "api").glob("*/index.html")):
        text = re.sub("<script.*?</script>", "", page.read_text("utf-8"), flags=re.DOTALL)
        for link in re.findall(r'(?:href|src|srcset)="([^"]+)"', text):
            parts = urlsplit(html.unescape(link))
            if parts.scheme or not parts.path:
                continue
            leads = (page.parent / unquote(parts.path)).resolve()
            if not (leads.is_file() or (leads / "index.html").is_file()):
                faults.append(f"{page.relative_to(out)}: {link}")
    return faults


def main() -> int:
    """Check or build; 1 if a link leads nowhere."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true", help="only look at the links of the sources")
    arguments.add_argument("--built", type=Path, default=ROOT / "target", help="where cargo doc, make report and make page have written")
    arguments.add_argument("--out", type=Path, default=ROOT / "target" / "site")
    chosen = arguments.parse_args()
    if not chosen.check:
        build(chosen.out, chosen.built)
    faults = check(sources()) if chosen.check else dead(chosen.out)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
