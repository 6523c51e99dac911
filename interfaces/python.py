"""Prints the public names of the Python package with their signatures, one a line, as griffe reads them in its sources."""

from __future__ import annotations

from pathlib import Path

import griffe

SOURCES = Path(__file__).parents[1] / "python/python"
# What a caller must know beside the signature.
LABELS = ("async", "classmethod", "staticmethod", "property", "writable")


def complete(thing: griffe.Object) -> None:
    """Makes a member of each function that a stub has as overloads alone; griffe keeps those apart."""
    if isinstance(thing, griffe.Module | griffe.Class):
        for name, overloads in thing.overloads.items():
            if name not in thing.members:
                thing.set_member(name, overloads[0])
                overloads[0].overloads = overloads
    for member in thing.members.values():
        if isinstance(member, griffe.Object):
            complete(member)


def listing(name: str, thing: griffe.Object | griffe.Alias) -> list[str]:
    """The lines of an object, then the lines of its public members."""
    if isinstance(thing, griffe.Alias):
        thing = thing.final_target
    found = [words(thing) + text for text in texts(name, thing)]
    for short, member in sorted(thing.members.items()):
        if is_listed(thing, short, member):
            found += listing(f"{name}.{short}", member)
    return found


def words(thing: griffe.Object) -> str:
    """The labels that change how an object is used."""
    return "".join(f"{label} " for label in LABELS if label in thing.labels)


def texts(name: str, thing: griffe.Object) -> list[str]:
    """An object in Python's words; each overload is a separate text."""
    if isinstance(thing, griffe.Function):
        return [f"def {each.signature(name=name)}" for each in thing.overloads or [thing]]
    if isinstance(thing, griffe.Class):
        return [f"class {name}({', '.join(map(str, thing.bases))})"]
    if isinstance(thing, griffe.Module):
        return [f"module {name}"]
    if not isinstance(thing, griffe.Attribute):
        raise TypeError(f"{name}: griffe has a {thing.kind} here, which this program cannot list")
    # What an instance holds is assigned by code.
    value = None if "instance-attribute" in thing.labels and "class-attribute" not in thing.labels else thing.value
    return [name + (f": {thing.annotation}" if thing.annotation else "") + (f" = {value}" if value else "")]


def is_listed(parent: griffe.Object, name: str, member: griffe.Object | griffe.Alias) -> bool:
    """Whether a user may rely on a member: it is public, or a special method; a module has a line under its own name alone."""
    if member.is_alias and (not member.target_path.startswith("arcfour.") or member.is_module):
        return False
    return bool(member.is_public) or (parent.is_class and name.startswith("__") and member.is_function)


if __name__ == "__main__":
    package = griffe.load("arcfour", search_paths=[SOURCES])
    complete(package)
    found = listing("arcfour", package)
    # Public signatures name these types.
    for name, member in sorted(package["_native"].members.items()):
        if name.startswith("_") and not member.is_alias and not name.startswith("__"):
            found += listing(f"arcfour._native.{name}", member)
    print("\n".join(found))
