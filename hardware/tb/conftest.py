"""Options of the test run."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--keys", type=int, default=20, help="random keys for each core and shape")


@pytest.fixture
def keys(request):
    return request.config.getoption("--keys")


@pytest.fixture(scope="session")
def small():
    """The small netlist of the default library: its row and its folder."""
    from test_netlist import netlist

    return netlist("small")
