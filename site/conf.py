"""Sphinx's configuration: the READMEs of the repository are the source, staged by build.py with index.md above them."""

import posixpath
import re

from pygments.lexers.rust import RustLexer
from pygments.lexers.special import TextLexer

project = "Arcfour"
copyright = "the Arcfour developers, MIT or Apache-2.0"
root_doc = "index"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["attrs_block"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # a README may skip a level of headings
html_theme = "furo"
html_title = "Arcfour"
html_copy_source = False
html_show_sphinx = False

FOLDER = re.compile(r"(\]\()((?:\.\./)*[\w./-]+?)/?(#[^)]*)?\)")


def lead_folders_to_readmes(app, name: str, source: list[str]) -> None:
    """A link to a folder leads to its README, as on GitHub."""
    def led(found: re.Match) -> str:
        readme = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[2], "README"))
        return f"{found[1]}{found[2]}/README.md{found[3] or ''})" if readme in app.env.found_docs else found[0]
    source[0] = FOLDER.sub(led, source[0])


def setup(app) -> None:
    app.add_lexer("rust,no_run", RustLexer)  # rustdoc's name for an example that is compiled only
    app.add_lexer("mermaid", TextLexer)  # drawn on GitHub, shown as text here
    app.connect("source-read", lead_folders_to_readmes)
