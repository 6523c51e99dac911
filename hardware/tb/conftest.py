# SPDX-License-Identifier: MIT OR Apache-2.0
"""Options of the test run."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--keys", type=int, default=20, help="random keys for each core and shape")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: left out of the quick set")


def pytest_collection_modifyitems(config, items):
    """With few keys, the quick set, skips the tests marked `full`."""
    if config.getoption("--keys") <= 100:
        for item in items:
            if item.get_closest_marker("full"):
                item.add_marker(pytest.mark.skip(reason="make hardware-full"))


@pytest.fixture
def keys(request):
    return request.config.getoption("--keys")


@pytest.fixture(scope="session")
def cells():
    """The file of the default library of cells. Of the releases of Debian, 12 has it in a package."""
    from test_netlist import synth

    if not synth.DEFAULT_LIBRARY.exists():
        pytest.skip(f"no cells: {synth.DEFAULT_LIBRARY}")
    return synth.DEFAULT_LIBRARY


@pytest.fixture(scope="session")
def small(cells):
    """The small netlist of the default library: its row and its folder."""
    from test_netlist import netlist

    return netlist("small", cells)
