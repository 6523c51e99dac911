"""The studies the lab knows, in the order of the report."""

from importlib import import_module

from lab.model import Study

NAMES: tuple[str, ...] = ("galvane2012", "weerasinghe2012", "handa2015", "sengupta2013", "singhal2011", "biases", "search", "attacks")


def study(name: str) -> Study:
    """The study of that name: `STUDY` of its folder's package."""
    return import_module(f"lab.{name}").STUDY
