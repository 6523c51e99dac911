"""The version is one: the workspace's Cargo.toml has it, and every other place says the same."""

import json
import re
import subprocess
import tomllib

import pytest
from schedule import ROOT

WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]
VERSION = WORKSPACE["package"]["version"]
# The manifests that cannot take the version from there, and what stands before it in each.
MANIFESTS = {
    "CITATION.cff": r"^version: ",
    "hardware/rc4.core": r"^name: arcfour:crypto:rc4:",
    "page/arcfour/package.json": r'^  "version": "',
    "page/package.json": r'^  "version": "',
}


def committed(*patterns: str) -> list[str]:
    return subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()


def found(pattern: str, path: str) -> list[str]:
    return re.findall(pattern, (ROOT / path).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", MANIFESTS)
def test_a_manifest_has_the_version(path):
    assert found(MANIFESTS[path] + r"([\w.+-]+)", path) == [VERSION]


def test_every_manifest_is_known():
    assert set(committed("*.cff", "*.core", "package.json", "**/package.json")) == set(MANIFESTS)


@pytest.mark.parametrize("path", committed("**/Cargo.toml"))
def test_a_crate_takes_the_version_of_the_workspace(path):
    assert tomllib.loads((ROOT / path).read_text("utf-8"))["package"]["version"] == {"workspace": True}


def test_crates_depend_on_this_version_of_each_other():
    assert {name: each["version"] for name, each in WORKSPACE["dependencies"].items() if each["version"] != VERSION} == {}


def test_the_locks_have_the_version():
    crates = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    assert {each["version"] for each in crates if "source" not in each} == {VERSION}
    page = json.loads((ROOT / "page/package-lock.json").read_text("utf-8"))
    assert {page["version"], page["packages"][""]["version"], page["packages"]["arcfour"]["version"]} == {VERSION}


def test_the_wheel_takes_the_version_of_its_crate():
    assert tomllib.loads((ROOT / "python/pyproject.toml").read_text("utf-8"))["project"]["dynamic"] == ["version"]


def test_the_changelog_and_the_manual_pages_have_the_version_and_its_date():
    (date,) = found(r"^date-released: (.+)$", "CITATION.cff")
    assert found(r"^## (.+)$", "CHANGELOG.md")[0] == f"{VERSION}, {date}"
    assert found(r'^const RELEASED: &str = "(.+)";$', "cli/src/commands/man.rs") == [date]


def test_the_soname_is_the_first_part_of_the_version():
    pages = {path: found(r"libarcfour\.so\.(\d+)", path) for path in committed("*.md", "interfaces/c.txt", "packaging/installed.sh") if path != "CHANGELOG.md"}
    named = {path: set(numbers) for path, numbers in pages.items() if numbers}
    assert {"capi/README.md", "interfaces/c.txt", "packaging/installed.sh"} <= set(named)
    assert set().union(*named.values()) == {VERSION.split(".")[0]}
