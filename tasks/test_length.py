"""A file of code has at most 400 lines without its tests, or stands in CONTRIBUTING.md with a reason."""

import re

from schedule import ROOT
from test_version import committed

MOST = 400
CODE = ("*.c", "*.h", "*.java", "*.mjs", "*.pl", "*.py", "*.rs", "*.s", "*.tcl", "*.ts", "*.tsx", "*.vhd")
# Tests: folders of them, the test benches of the cores, and files that are named so.
TESTS = re.compile(r"(^|/)(tests?|tb)/|(^|/)(test(s|kit|_\w+)?|\w+\.test)\.\w+$")


def lines(path: str) -> int:
    """The lines of a file before the tests at its end."""
    code, _, _ = (ROOT / path).read_text("utf-8").partition("\n#[cfg(test)]\nmod tests {\n")
    return len(code.splitlines())


def test_a_long_file_is_one_thing_and_listed():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = page.partition("\n## Long files\n")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    listed = {name: row[2].strip() for row in rows for name in re.findall(r"`([^`]+)`", row[1])}
    assert all(listed.values()), "a row without a reason"
    code = [path for path in committed(*CODE) if not TESTS.search(path)]
    assert len(code) > 600
    assert sorted(listed) == sorted(path for path in code if lines(path) > MOST)
