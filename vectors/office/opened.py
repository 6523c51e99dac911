#!/usr/bin/env python3
"""Open in LibreOffice what `arcfour office decrypt` makes of the documents of this folder.

    python3 vectors/office/opened.py target/release/arcfour

Each is converted to text, and must be what the plain document gives. It needs Debian's
libreoffice-writer-nogui, libreoffice-calc-nogui and libreoffice-impress-nogui. Exits 1 if a text differs.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PASSWORDS = {"default.xls": "VelvetSweatshop"}  # of the others: Quentin
# What LibreOffice makes of each: text, or a drawing in which each letter is an element.
TEXT = {".doc": "txt:Text (encoded):UTF8", ".xls": "csv", ".ppt": "svg"}


def convert(folder, documents):
    """Each document's text, by name."""
    texts = {}
    for ending, kind in TEXT.items():
        group = [path for path in documents if path.suffix == ending]
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        out = folder / f"text{ending}"
        subprocess.run(
            ["soffice", "--headless", "--norestore", profile, "--convert-to", kind]
            + ["--outdir", out, *group],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for path in group:
            (made,) = out.glob(f"{path.stem}.*")
            texts[path.name] = re.sub("<[^>]*>", "", made.read_text())
    return texts


def main(arcfour):
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        documents = []
        for path in sorted(HERE.iterdir()):
            plain = folder / path.name
            if path.suffix not in TEXT:
                continue
            if path.stem == "plain":
                plain.write_bytes(path.read_bytes())
            else:
                command = [arcfour, "office", "decrypt", path, "--password-env", "PASS", "-o", plain]
                password = PASSWORDS.get(path.name, "Quentin")
                subprocess.run(command, check=True, env=os.environ | {"PASS": password})
            documents.append(plain)
        texts = convert(folder, documents)
    for name, text in texts.items():
        same = "Attack at dawn" in text and text == texts[f"plain{Path(name).suffix}"]
        failed |= not same
        print(f"{name}: {len(text)} characters, {'as the plain one' if same else 'DIFFERS'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
