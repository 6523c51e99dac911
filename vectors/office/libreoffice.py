#!/usr/bin/env python3
"""Have LibreOffice write the documents of this folder that others are made of, and those it encrypts.

    python3 vectors/office/libreoffice.py FOLDER

It needs Debian's libreoffice-writer-nogui, libreoffice-calc-nogui, libreoffice-impress-nogui and
python3-uno. Salts are random: what it encrypts differs from run to run.
"""

import subprocess
import sys
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue

TEXT = "Attack at dawn"
PASSWORD = "Quentin"
FORMATS = {
    "doc": ("swriter", "MS Word 97"),
    "xls": ("scalc", "MS Excel 97"),
    "ppt": ("simpress", "MS PowerPoint 97"),
}
PIPE = "arcfour-vectors"


def properties(**values):
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def fill(kind, document):
    """Enough text for several blocks of 512 and 1024 bytes."""
    if kind == "doc":
        document.Text.setString("\n".join(f"{TEXT}, line {n}" for n in range(1, 101)))
    elif kind == "xls":
        sheet = document.Sheets.getByIndex(0)
        for row in range(100):
            sheet.getCellByPosition(0, row).setString(f"{TEXT}, row {row + 1}")
            sheet.getCellByPosition(1, row).setValue(row * 1.5)
        document.Sheets.insertNewByName("Second", 1)
        document.Sheets.getByIndex(1).getCellByPosition(2, 4).setString("Second sheet")
    else:
        for n in range(3):
            if n:
                document.DrawPages.insertNewByIndex(n)
            page = document.DrawPages.getByIndex(n)
            shape = document.createInstance("com.sun.star.drawing.TextShape")
            page.add(shape)
            shape.setString(f"{TEXT}, slide {n + 1}")


def main(folder):
    profile = (folder / "profile").as_uri()
    office = subprocess.Popen(
        ["soffice", "--headless", "--norestore", f"-env:UserInstallation={profile}"]
        + [f"--accept=pipe,name={PIPE};urp;"]
    )
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext(
        "com.sun.star.bridge.UnoUrlResolver", local
    )
    for _ in range(120):
        try:
            context = resolver.resolve(f"uno:pipe,name={PIPE};urp;StarOffice.ComponentContext")
            break
        except Exception:
            time.sleep(0.5)
    desktop = context.ServiceManager.createInstanceWithContext(
        "com.sun.star.frame.Desktop", context
    )
    try:
        for ending, (kind, filter_name) in FORMATS.items():
            document = desktop.loadComponentFromURL(
                f"private:factory/{kind}", "_blank", 0, properties(Hidden=True)
            )
            fill(ending, document)
            url = (folder / f"plain.{ending}").as_uri()
            document.storeToURL(url, properties(FilterName=filter_name))
            if ending != "ppt":  # LibreOffice cannot encrypt those
                url = (folder / f"libreoffice.{ending}").as_uri()
                document.storeToURL(url, properties(FilterName=filter_name, Password=PASSWORD))
            document.close(True)
    finally:
        try:
            desktop.terminate()
        except Exception:  # it closes the bridge while it answers
            pass
        office.wait(30)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
