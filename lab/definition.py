"""RC4 by its definition, which is the Python port: slow and plain."""

from __future__ import annotations

import importlib.util
from functools import cache
from types import ModuleType

from lab.bench import ROOT


@cache
def port() -> ModuleType:
    """The port as a module."""
    spec = importlib.util.spec_from_file_location("rc4_port", ROOT / "ports" / "python" / "rc4.py")
    assert spec is not None and spec.loader is not None  # of a .py file there are both
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rc4(key: bytes, text: bytes) -> bytes:
    """A text under a key."""
    return bytes(port().RC4(key).crypt(text))
