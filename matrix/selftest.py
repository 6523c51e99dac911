"""Runs PyCryptodome's own tests of ARC4 on arcfour.ARC4, and prints how many ran and failed: FOLDER."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
import types
import unittest
from typing import Any

import arcfour
import pytest

FOLDER = sys.argv[1]
started = 0


def new(*arguments: Any, **keywords: Any) -> Any:
    """Count the streams: they must be ours."""
    global started
    started += 1
    return arcfour.ARC4.new(*arguments, **keywords)


class Count:
    """Counts the tests that pytest runs."""

    run = failed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the result of a test."""
        self.run += report.when == "call"
        self.failed += report.failed


ours: Any = types.ModuleType(f"{FOLDER}.Cipher.ARC4")
vars(ours).update({name: getattr(arcfour.ARC4, name) for name in arcfour.ARC4.__all__}, new=new)
sys.modules[ours.__name__] = importlib.import_module(f"{FOLDER}.Cipher").ARC4 = ours  # type: ignore[attr-defined]
tests = importlib.import_module(f"{FOLDER}.SelfTest.Cipher.test_ARC4")
with contextlib.redirect_stdout(io.StringIO()):
    if hasattr(tests, "get_tests"):
        result = unittest.TestResult()
        unittest.TestSuite(tests.get_tests()).run(result)
        run, failed = result.testsRun, len(result.failures) + len(result.errors)
    else:
        count = Count()
        words = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--import-mode=importlib"]
        pytest.main([*words, "--pyargs", tests.__name__], plugins=[count])
        run, failed = count.run, count.failed
sys.stdout.write(json.dumps([run if started else 0, failed]) + "\n")
