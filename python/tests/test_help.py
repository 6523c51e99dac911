"""help() is complete, and the stubs say the same."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import arcfour
import pytest

if TYPE_CHECKING:
    import types
    from collections.abc import Iterator

STUBS = Path(arcfour.__file__).with_name("_native.pyi")


def modules() -> Iterator[types.ModuleType]:
    yield arcfour
    for found in pkgutil.walk_packages(arcfour.__path__, "arcfour."):
        if not found.name.rpartition(".")[2].startswith("_"):
            yield importlib.import_module(found.name)


def public() -> Iterator[tuple[str, object]]:
    """Every module, what it offers, and what its classes have, by dotted name."""
    for module in modules():
        yield module.__name__, module
        for name in getattr(module, "__all__", ()):
            member = getattr(module, name)
            if not callable(member):
                continue  # a value of another type has no docstring
            yield f"{module.__name__}.{name}", member
            if not isinstance(member, type):
                continue
            for attribute in vars(member):
                value = getattr(member, attribute)
                if not attribute.startswith("_") and (
                    callable(value) or inspect.isdatadescriptor(value)
                ):
                    yield f"{module.__name__}.{name}.{attribute}", value


@pytest.mark.parametrize("name", [name for name, _ in public()])
def test_everything_has_a_docstring(name: str) -> None:
    documented = dict(public())[name]
    text = inspect.getdoc(documented)
    assert text
    assert text != inspect.getdoc(type(documented))
    assert text.split("\n\n")[0].rstrip().endswith((".", ":"))


@pytest.mark.parametrize(
    "name",
    [name for name, value in public() if callable(value) and not inspect.isclass(value)],
)
def test_everything_has_a_signature(name: str) -> None:
    assert inspect.signature(dict(public())[name])  # type: ignore[arg-type]


def documented_stubs() -> Iterator[tuple[str, str]]:
    seen = set()
    for node in ast.parse(STUBS.read_text()).body:
        inside = node.body if isinstance(node, ast.ClassDef) else []
        for child in (node, *inside):
            if not isinstance(child, (ast.ClassDef, ast.FunctionDef)) or child.name[0] == "_":
                continue
            name = child.name
            if child is not node:
                assert isinstance(node, ast.ClassDef)
                name = f"{node.name}.{name}"
            if node.name[0] != "_" and name not in seen:
                seen.add(name)
                yield name, ast.get_docstring(child) or ""


@pytest.mark.parametrize(("name", "text"), list(documented_stubs()), ids=lambda text: text[:20])
def test_the_stubs_say_the_same(name: str, text: str) -> None:
    native: object = importlib.import_module("arcfour._native")
    for part in name.split("."):
        native = getattr(native, part)
    assert inspect.getdoc(native) == text


def test_the_version_is_the_packages() -> None:
    assert arcfour.__version__ == version("arcfour")
